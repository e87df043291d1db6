"""Compiles every kernel that Python calls, once: each part is a little work that calls all entries of some modules.

Other packages add parts of their own through the entry-point group `casino_env.kernels`: a function that yields them.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.metadata import EntryPoint, entry_points

import numpy as np

from casino_env.parts.places import lab

Part = tuple[str, Callable[[], object]]  # what it is called, and what calls its entries

GROUP = "casino_env.kernels"


def parts() -> Iterator[Part]:
    yield "engine", _engine
    yield "environments", _environments
    yield "beliefs", _beliefs
    yield "outcomes", _outcomes
    yield "benchmark", _benchmark
    for other in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        yield from _parts_of(other)


def _parts_of(other: EntryPoint) -> Iterator[Part]:
    """Of another package; one whose own packages are not installed cannot run, so it needs no kernels."""
    try:
        with suppress(ValueError):  # it is no part of the project
            lab(other.name)
        found: Callable[[], Iterator[Part]] = other.load()
    except ImportError:
        return
    yield from found()


def compile_part(name: str) -> None:
    """One part by its name."""
    for known, work in parts():
        if known == name:
            work()


def compile_all(tell: Callable[[str], None]) -> None:
    """Call every part, and say of each how long it took: a moment where all is compiled already."""
    whole = time.perf_counter()
    for name, work in parts():
        began = time.perf_counter()
        work()
        tell(f"{name:<28}{time.perf_counter() - began:7.1f} s")
    tell(f"{'all kernels':<28}{time.perf_counter() - whole:7.1f} s")


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


def _outcomes() -> None:
    from casino_env.engine.outcomes import LIMIT, new_outcomes, outcomes_of
    from casino_env.game import Game
    from casino_env.observed import observe

    game = Game("mini", 2)
    outcomes_of(observe(game).view, game.rules_record, new_outcomes(game.rules_record), LIMIT)


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
