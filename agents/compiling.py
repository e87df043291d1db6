"""Compiles the kernels of the agents once: each part is a little work that calls all entries of some modules."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np

from casino_env.actions import ACTIONS
from casino_env.compiling import Part
from casino_env.rules import make_rules


def parts() -> Iterator[Part]:
    yield "scripted bots", lambda: _move("greedy")
    yield "policies over actions", lambda: _untrained(ACTIONS)
    yield "policies by tables", lambda: _untrained(0)
    yield "search", lambda: _move("search:sims=1")
    yield "solver", _solver


def _move(spec: str) -> None:
    from agents.registry import make_agent
    from casino_env.game import Game
    from casino_env.observed import observe

    make_agent(spec).act(observe(Game("khasino", 2, seed=1)))


def _untrained(choices: int) -> None:
    """A network of no training plays and looks ahead."""
    from agents.policy.agent import Policy
    from agents.policy.files import Weights
    from agents.policy.mlp import Shape
    from casino_env.game import Game
    from casino_env.knowledge.segments import make_layout
    from casino_env.observed import observe

    rules = make_rules("mini", 2)
    layout = make_layout(rules)
    shape = Shape(layout.size, (2,), 1, choices)
    policy, game = Policy(Weights(rules, layout, shape, np.zeros(shape.size, np.float32)), turns=2), Game(rules, seed=1)
    policy.looks_ahead(observe(game))
    while not game.over:
        game.apply(policy.act(observe(game)))


def _solver() -> None:
    from agents.solver import solve
    from agents.solver.endings import ending

    solve(ending(make_rules("khasino", 2), 2, random.Random(1), greedy=True))
