"""The part of train in `python -m casino_env compile`: an iteration of next to nothing by each kind of algorithm."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from train.algorithms.registry import compile_for
from train.config import make_config
from train.settings import Config


def parts() -> Iterator[tuple[str, Callable[[], object]]]:
    yield "training", partial(compile_for, Config())
    yield "training in torch", partial(compile_for, make_config({"machine": {"kernels": False}}))
    for name in ("afterstates", "dmc", "nfsp"):
        yield f"training by {name}", partial(compile_for, make_config({"run": {"algorithm": name}}))
