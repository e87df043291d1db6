"""Compiles the kernels of the agents once: each part is a little work that calls all entries of some modules."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from casino_env.actions import ACTIONS
from casino_env.compiling import Part
from casino_env.rules import make_rules


def parts() -> Iterator[Part]:
    yield "scripted bots", lambda: _move("greedy")
    yield "policies over actions", lambda: _play(_untrained(ACTIONS))
    yield "policies by tables", lambda: _play(_untrained(0))
    yield "search", _search
    yield "solver", _solver


def _move(spec: str) -> None:
    from agents.registry import make_agent
    from casino_env.game import Game
    from casino_env.observed import observe

    make_agent(spec).act(observe(Game("khasino", 2, seed=1)))


def _untrained(choices: int) -> Any:
    """A network of no training that looks ahead."""
    from agents.policy.agent import Policy
    from agents.policy.files import Weights
    from agents.policy.mlp import Shape
    from casino_env.knowledge.segments import make_layout

    rules = make_rules("mini", 2)
    layout = make_layout(rules)
    shape = Shape(layout.size, (2,), 1, choices)
    return Policy(Weights(rules, layout, shape, np.zeros(shape.size, np.float32)), turns=2)


def _play(agent: Any) -> None:
    """A whole deal, so that all cards are known in the end."""
    from casino_env.game import Game
    from casino_env.observed import observe

    game = Game("mini", 2, seed=1)
    agent.looks_ahead(observe(game))
    while not game.over:
        game.apply(agent.act(observe(game)))


def _search() -> None:
    """About actions, then about turns."""
    from agents.search.turns import TurnSearch

    _move("search:sims=1")
    TurnSearch(_untrained(0)).load_kernels()


def _solver() -> None:
    from agents.solver import solve
    from agents.solver.endings import ending

    solve(ending(make_rules("khasino", 2), 2, random.Random(1), greedy=True))
