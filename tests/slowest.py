"""Time each part of the interface ("face") under random rules: games of every size, with full tables."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields
from functools import cache
from random import Random
from typing import Any, NamedTuple, get_args, get_origin

from casino_env.agents.advise import advise
from casino_env.agents.protocol.analysis import in_words
from casino_env.agents.registry import make_agent
from casino_env.agents.solver.solver import Solver
from casino_env.cards import DECKS
from casino_env.game import Game
from casino_env.observed import observe, seat_turns
from casino_env.rules import Rules, make_rules
from casino_env.turns import perft
from tests.comparing import random_switches, wander

LIMIT = 1.0  # CPU seconds
_SIZES: dict[str, tuple[int, ...]] = {
    "players": (2, 3, 4, 5, 6),
    "deck": tuple(DECKS),
    "table_cards": (0, 1, 2, 4, 7, 12, 20, 40),
    "rounds": (1, 2, 3, 4, 6, 12),
    "draw_hand": (0, 0, 1, 3, 4, 6, 12),
}


class Slow(NamedTuple):
    seconds: float
    rules: dict[str, Any]
    position: dict[str, Any]


def _agent(spec: str) -> Callable[[Game], object]:
    known = cache(make_agent)
    return lambda game: known(spec).act(observe(game))


def _refusal(game: Game) -> None:
    """Get the message that says why an action is illegal."""
    mask = game.mask()
    with suppress(ValueError):
        game.apply(int(mask.argmin()))


def _legal_and_apply(game: Game) -> None:
    """Apply each legal action and list the legal actions after it."""
    for action in game.legal():
        after = game.clone()
        after.apply(action)
        after.legal()


# Each takes a game that is not over. A ValueError is an answer: the table is crowded, or there are too many sides.
FACES: dict[str, Callable[[Game], object]] = {
    "legal, apply": _legal_and_apply,
    "turns": Game.turns,
    "turns of a seat": seat_turns,
    "notation": lambda game: in_words(game, game.legal()[0]),
    "why not": _refusal,
    "observation": lambda game: observe(game).vector,
    "counter": _agent("counter"),
    "search, 8 simulations": _agent("search:sims=8"),
    "solver, 2,000 positions": lambda game: Solver(1).solve(game, nodes=2000),
    "advice, 8 play-outs": lambda game: advise(observe(game), seconds=0.2, games=8),
    "perft 1, 10,000 positions": lambda game: perft(game, 1, 10_000),
    "position": lambda game: Game.from_json(game.to_json()),
}


def random_rules(rng: Random) -> Rules:
    """Draw rules: half the time a preset with switches changed, otherwise a custom game of any size."""
    if rng.random() < 0.5:
        return random_switches(rng)
    while True:
        with suppress(ValueError):
            return Rules(**{f.name: _value(f.name, f.type, rng) for f in fields(Rules)[1:] if rng.random() < 0.3})


def _value(name: str, kind: Any, rng: Random) -> Any:
    if get_origin(kind) is not None:
        return rng.choice(get_args(kind))
    return rng.random() < 0.5 if kind is bool else rng.choice(_SIZES.get(name, (0, 1, 2, 5)))


def moment(rules: Rules, rng: Random) -> Game:
    """Return a game in the middle of a deal; half the time cards were mostly discarded, so that the table is full."""
    while True:
        game = Game(rules, seed=rng.getrandbits(40), skip_forced=False)
        lays = rng.choice((0.0, 0.9))
        for _ in range(rng.randrange(rules.deck)):
            laid = [action for action in game.legal() if 52 <= action < 104]
            if laid and rng.random() < lays:
                game.apply(rng.choice(laid))
            else:
                wander(game, rng)
        if not game.over:
            return game


def measure(rules: Rules, moments: int, rng: Random) -> dict[str, Slow]:
    """Return the longest time that each face took."""
    _loaded()
    worst: dict[str, Slow] = {}
    for _ in range(moments):
        game = moment(rules, rng)
        for face, use in FACES.items():
            seconds = timed(use, game)
            if face not in worst or seconds > worst[face].seconds:
                worst[face] = Slow(seconds, rules.choices(), game.to_json())
    return worst


def timed(use: Callable[[Game], object], game: Game) -> float:
    """Return CPU seconds of this process, which do not count other processes' work."""
    here, began = game.clone(), time.process_time()
    with suppress(ValueError):
        use(here)
    return time.process_time() - began


@cache
def _loaded() -> None:
    """Call each face once, so that one-time loading is not measured."""
    for use in FACES.values():
        timed(use, Game(make_rules("swazi"), seed=1))


def slower(one: dict[str, Slow], other: dict[str, Slow]) -> dict[str, Slow]:
    return {
        face: max((part[face] for part in (one, other) if face in part), key=lambda slow: slow[0]) for face in FACES
    }


def table(worst: dict[str, Slow]) -> str:
    width = max(map(len, FACES)) + 2
    rows = [f"{'slowest'.ljust(width)}{'seconds':>8}  rules"]
    for face, slow in worst.items():
        told = ", ".join(f"{key}={value}" for key, value in slow.rules.items())
        rows.append(f"{face.ljust(width)}{slow.seconds:8.3f}  {told}")
    return "\n".join(rows)
