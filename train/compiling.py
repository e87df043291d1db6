"""The part of train in `python -m casino_env compile`: an iteration of next to nothing by each kind of algorithm."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from train.algorithms.registry import make_algorithm
from train.config import Config, make_config

_SMALL: dict[str, dict[str, Any]] = {"ppo": {"games": 2, "horizon": 2, "minibatch": 4}, "machine": {"overlap": False}}


def parts() -> Iterator[tuple[str, Callable[[], object]]]:
    yield "training", partial(compile_for, Config())
    yield "training in torch", partial(compile_for, make_config({"machine": {"kernels": False}}))
    for name in ("dmc", "nfsp"):
        yield f"training by {name}", partial(compile_for, make_config({"run": {"algorithm": name}}))


def compile_for(config: Config) -> None:
    """What a run of this config needs."""
    make_algorithm(config.changed(**_SMALL)).learn(0.0)
