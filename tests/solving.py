"""Compare the solver with plain minimax over Game.clone and Game.apply.

python -m tests.solving    compares 1,000 random endings of many games
"""

import argparse
import random
import sys
import time
from typing import Any

from casino_env.agents.solver import Solver
from casino_env.game import Game
from casino_env.rules import Rules, make_rules
from tests.endings import ending

# (variant, players, most cards in a hand, changes)
CASES: list[tuple[str, int, int, dict[str, Any]]] = [
    ("south-african", 2, 3, {}),
    ("swazi", 2, 3, {}),
    ("sotho", 2, 3, {}),
    ("khasino", 2, 3, {}),
    ("khasino", 4, 2, {}),
    ("swazi", 4, 2, {}),
    ("sotho", 4, 2, {}),
    ("swazi-crazy", 2, 3, {}),
    ("mini", 2, 2, {}),
    ("cassino", 2, 2, {}),
    ("spade", 2, 2, {"sweeps": True}),
    ("draw", 2, 2, {}),
    ("triple-s", 2, 3, {}),
    ("african", 4, 2, {}),
    ("stealing-bundles", 2, 3, {}),
    ("swazi", 2, 2, {"insist_capture": "ask", "insist_augment": "ask"}),
    ("swazi", 2, 2, {"pile_order": "ask"}),
    ("khasino", 4, 2, {"insist_capture": "ask", "insist_augment": "ask", "partner_request": "optional"}),
    ("south-african", 2, 3, {"pile_capture_needs_table_card": True}),
    ("south-african", 2, 3, {"steal": "augment", "stacking": "as_built"}),
    ("kasa", 2, 3, {}),
    ("kasa", 4, 2, {}),
    ("kasa", 2, 3, {"tops_in_sums": True, "new_builds": "with_hand"}),
    ("kasa", 4, 2, {"chain": "no", "request_for": "any", "owner_top": False}),
    ("swazi", 2, 3, {"shutout": True, "steal": "bound"}),
]
_MOST_POSITIONS = 30_000


class TooLargeError(Exception):
    """The ending has more positions than plain minimax should search."""


def minimax(game: Game, known: dict[bytes, int]) -> int:
    """Return the points of side 0 minus those of side 1 at the end of the deal."""
    if game.over:
        return int(game.record["deal_points"][0]) - int(game.record["deal_points"][1])
    state = game.to_bytes()
    if state not in known:
        if len(known) > _MOST_POSITIONS:
            raise TooLargeError
        values = [minimax(_after(game, action), known) for action in game.legal()]
        known[state] = max(values) if game.rules.side(game.seat) == 0 else min(values)
    return known[state]


def _after(game: Game, action: int) -> Game:
    twin = game.clone()
    twin.log = []  # keep clones cheap: they copy the log
    twin.apply(action)
    return twin


def minimax_values(game: Game) -> dict[int, int]:
    """Return the value of each legal action for the side that decides."""
    known: dict[bytes, int] = {}
    sign = -1 if game.rules.side(game.seat) else 1
    return {action: sign * minimax(_after(game, action), known) for action in game.legal()}


def compare(rules: Rules, most_cards: int, count: int, seed: int) -> tuple[int, list[str]]:
    """Compare values, best moves and exactness, with one Solver for all; return (endings compared, differences)."""
    rng, solver = random.Random(seed), Solver(table_mb=8)
    wrong: list[str] = []
    done = 0
    while done < count:
        game = _inside(ending(rules, rng.randint(1, most_cards), rng, greedy=done % 2 == 1), rng)
        try:
            values = minimax_values(game)
        except TooLargeError:
            continue
        done += 1
        found = solver.solve(game, want="values")
        best = [action for action in values if values[action] == max(values.values())]
        alone = solver.solve(game)
        if found.values != values or found.best != best or alone.best != best or not alone.exact:
            wrong.append(f"{found} but minimax {values}: {game.to_json()}")
    return done, wrong


def _inside(game: Game, rng: random.Random) -> Game:
    """Apply a random action one time in five, to reach positions within a turn."""
    if rng.random() < 0.2:
        game.apply(rng.choice(game.legal()))
    return game if not game.over else ending(game.rules, 1, rng, greedy=False)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.solving", description=__doc__)
    parser.add_argument("--positions", type=int, default=1000, help="endings over all games (1000)")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    each, total, bad = -(-args.positions // len(CASES)), 0, 0
    began = time.perf_counter()
    for name, players, cards, changes in CASES:
        done, wrong = compare(make_rules(name, players, **changes), cards, each, args.seed)
        print(
            f"{name} {players} {changes or ''}: {done} endings, {len(wrong)} wrong {wrong[0] if wrong else ''}",
            flush=True,
        )
        total, bad = total + done, bad + len(wrong)
    print(f"{total} endings in {time.perf_counter() - began:.0f} s: {bad} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
