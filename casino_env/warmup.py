"""Compiles every kernel that Python calls, once: each part is a little work that calls all entries of some modules."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from casino_env.actions import ACTIONS
from casino_env.rules import make_rules

Part = tuple[str, Callable[[], object]]  # what it is called, and what calls its entries


def parts() -> Iterator[Part]:
    yield "engine", _engine
    yield "environments", _environments
    yield "beliefs", _beliefs
    yield "afterstates", _afterstates
    yield "benchmark", _benchmark
    yield from parts_of_agents()
    yield "tally of styles", _style
    yield "training", _train
    yield "training in torch", lambda: _train(run={"algorithm": "ppo"}, machine={"kernels": False})
    yield "training by ppo", lambda: _train(run={"algorithm": "ppo"})
    yield "training by dmc", lambda: _train(run={"algorithm": "dmc"})
    yield "distilling", _distil


def parts_of_agents() -> Iterator[Part]:
    yield "scripted bots", partial(_move, "greedy")
    yield "policies over actions", lambda: _play(_untrained(ACTIONS))
    yield "policies over afterstates", lambda: _play(_untrained(0))
    yield "search", _search
    yield "solver", _solver


def compile_all(tell: Callable[[str], None]) -> None:
    """Call every part, and say of each how long it took: a moment where all is compiled already. A part whose packages
    are not installed cannot run, so it needs no kernels."""
    whole = time.perf_counter()
    for name, work in parts():
        began = time.perf_counter()
        try:
            work()
        except ModuleNotFoundError as error:
            tell(f"{name:<28} without {error.name}")
        else:
            tell(f"{name:<28}{time.perf_counter() - began:7.1f} s")
    tell(f"{'all kernels':<28}{time.perf_counter() - whole:7.1f} s")


def _of(module: str, name: str) -> Any:
    """Something of an upper floor: this file stands on all of them."""
    return getattr(import_module(f"casino_env.{module}"), name)


# --- casino_env ----------------------------------------------------------------------------------------------------


def _engine() -> None:
    from casino_env.game import Game

    game = Game("mini", 2)
    while not game.over:
        Game.from_json(game.to_json())
        game.apply(game.legal()[0])
    game.breakdown()
    Game.from_json(game.to_json())


def _environments() -> None:
    from casino_env.envs.gymnasium_vector import SingleVectorEnv
    from casino_env.envs.vector import make_vec

    for form in ("dense", "indices"):
        vec = make_vec("mini", 2, 2, seed=1, obs=form, history=2)
        vec.step(vec.sample())
    vec.history()
    vec.truth()
    vec.views(vec.actor)
    vec.observed(0).vector  # noqa: B018 - made as it is asked for
    SingleVectorEnv(2, "mini").reset(seed=1)


def _afterstates() -> None:
    from casino_env.engine.afterstates import LIMIT, afterstates_of, new_afterstates
    from casino_env.game import Game
    from casino_env.observed import observe

    game = Game("mini", 2)
    afterstates_of(observe(game).view, game.rules_record, new_afterstates(game.rules_record), LIMIT)


def _beliefs() -> None:
    from casino_env.beliefs import determinize
    from casino_env.game import Game
    from casino_env.observed import observe

    game = Game("mini", 2)
    observe(game).vector  # noqa: B018 - made as it is asked for
    determinize(game, 0, np.random.default_rng(0))


def _benchmark() -> None:
    from casino_env.bench import kernel_speed

    kernel_speed("mini", 2, 0.01)


# --- agents and what judges them -----------------------------------------------------------------------------------


def _move(spec: str) -> None:
    from casino_env.game import Game
    from casino_env.observed import observe

    _of("agents.registry", "make_agent")(spec).act(observe(Game("khasino", 2, seed=1)))


def _untrained(logits: int) -> Any:
    """A network of no training that looks ahead."""
    from casino_env.knowledge.layout import make_layout

    rules = make_rules("mini", 2)
    layout = make_layout(rules)
    shape = _of("agents.policy.mlp", "Shape")(layout.size, (2,), 1, logits)
    weights = _of("agents.policy.policy_files", "Weights")(rules, layout, shape, np.zeros(shape.size, np.float32))
    return _of("agents.policy.policy_agent", "Policy")(weights, turns=2)


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
    _move("search:sims=1")
    _of("agents.search.turn_search", "TurnSearch")(_untrained(0)).load_kernels()


def _solver() -> None:
    from casino_env.game import Game

    game = Game("khasino", 2, seed=1)
    while game.record["turns"] < 36:  # until two cards are left in each hand
        game.apply(game.legal()[0])
    _of("agents.solver", "solve")(game)


def _style() -> None:
    _of("evaluate.style", "style")(_of("evaluate.matches.books", "make_book")(make_rules("mini", 2), 2), "random")


# --- training: an iteration of next to nothing by each kind of algorithm ---------------------------------------------


def _train(**sections: dict[str, Any]) -> None:
    _of("train.algorithms", "compile_for")(_of("train.config", "make_config")(sections))


def _distil() -> None:
    teacher = _untrained(0)
    _of("train.distillation", "Distillation")(teacher, [teacher.weights.rules], (8,), "perfect", 0, deals=2).learn(0.0)
