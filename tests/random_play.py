"""Games of every preset at random moments, for tests of all presets."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from casino_env import Game, make_rules, player_counts, variants
from casino_env.engine import entrypoints
from casino_env.rules import Rules

GAMES = [(name, players) for name in variants() for players in player_counts(name)]
# Rules with switches that no preset turns on.
_EXTRA: list[tuple[str, int, dict[str, Any]]] = [
    ("khasino", 4, {"partners": False}),
    ("swazi", 4, {"pile_order": "ask", "insist_capture": "ask", "insist_augment": "ask"}),
    ("swazi", 3, {"pile_order": "ask"}),
    ("cassino", 3, {"sweeps": True, "count_out": True}),
    ("sotho", 4, {"insist_capture": "ask"}),
    ("kasa", 4, {"partners": False}),
    ("kasa", 4, {"insist_capture": "always", "insist_augment": "ask", "request_for": "any", "new_builds": "with_hand",
                 "chain": "no", "steal": "augment", "owner_top": False, "raise_limit": "double"}),
]  # fmt: skip


def every_game() -> list[Rules]:
    return [make_rules(*game) for game in GAMES] + [make_rules(name, n, **changes) for name, n, changes in _EXTRA]


def label(rules: Rules) -> str:
    return f"{rules.name}-{rules.players}" + ("" if not rules.differences() else "-" + "-".join(rules.differences()))


def random_moments(rules: Rules, count: int, seed: int = 0) -> Iterator[Game]:
    """Yield `count` games, each stopped after a random number of decisions, some at their end."""
    rng = np.random.default_rng(seed)
    for number in range(count):
        game = Game(rules, seed=int(rng.integers(2**40)) + number)
        for _ in range(int(rng.integers(0, rules.deck + rules.deck // 4))):
            if game.over:
                break
            legal = game.legal()
            game.apply(legal[int(rng.integers(len(legal)))])
        yield game


def random_decisions(rules: Rules, count: int, seed: int = 0) -> Iterator[Game]:
    """Return those of `count` random moments at which the game is not over."""
    return (game for game in random_moments(rules, count, seed) if not game.over)


def played_out(game: Game, seed: int = 0) -> Game:
    """Play a game to its end with random actions, in place, and return it."""
    rng = np.random.default_rng(seed)
    while not game.over:
        game.apply(int(rng.choice(game.legal())))
    return game


def act(records: Any, rules: Any, action: int) -> None:
    """Apply one action without playing forced actions after it."""
    entrypoints.play(records, rules, action, 0, np.empty((1, 3), np.int16))
