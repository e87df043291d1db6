"""The part of train in `python -m casino_env compile`: an iteration of next to nothing by each kind of algorithm."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from agents.policy.agent import Policy
from agents.policy.files import Weights
from agents.policy.mlp import Shape, initial, value_outputs
from casino_env.knowledge.segments import make_layout
from casino_env.rules import make_rules
from train.algorithms.registry import compile_for
from train.config import make_config
from train.learner.student import Student
from train.settings import Config


def parts() -> Iterator[tuple[str, Callable[[], object]]]:
    yield "training", partial(compile_for, Config())
    in_torch = {"run": {"algorithm": "ppo"}, "machine": {"kernels": False}}
    yield "training in torch", partial(compile_for, make_config(in_torch))
    for name in ("ppo", "dmc", "nfsp"):
        yield f"training by {name}", partial(compile_for, make_config({"run": {"algorithm": name}}))
    yield "distilling", _lesson


def _lesson() -> None:
    rules = make_rules("south-african", 2)
    layout = make_layout(rules)
    shape = Shape(layout.size, (8,), value_outputs(rules), 0)
    teacher = Policy(Weights(rules, layout, shape, initial(shape, np.random.default_rng(0))), turns=2)
    Student(teacher, [rules], (8,), "perfect", 0, deals=2).learn(0.0)
