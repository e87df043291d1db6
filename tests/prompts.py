"""python -m tests.prompts: compare the prompts of pairs of games that differ only in cards hidden from the seat.

Prompts list the legal turns. Print each pair whose prompts differ, and exit with 1 if there is one.
"""

import argparse
import sys
import time

import numpy as np

from casino_env.observed import observe
from casino_env.rules import Rules
from casino_env.text import prompt
from tests.hidden import twin_of
from tests.random_play import every_game, label, random_moments


def told_apart(rules: Rules, pairs: int, seed: int) -> tuple[int, list[str]]:
    """Return how many pairs differ in hidden cards at all, and the pairs of positions whose prompts differ."""
    rng, changed, found = np.random.default_rng(seed), 0, list[str]()
    for game in random_moments(rules, pairs, seed=seed):
        seat = int(rng.integers(rules.players))
        twin = twin_of(game, seat, rng)
        changed += game.to_json() != twin.to_json()
        if prompt(observe(game, seat), listed=True) != prompt(observe(twin, seat), listed=True):
            found.append(f"{label(rules)}, seat {seat}: {game.to_json()} and {twin.to_json()}")
    return changed, found


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.prompts", description=__doc__)
    parser.add_argument("--pairs", type=int, default=100_000, help="over all games (100000)")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    games, began, done, changed, bad = every_game(), time.perf_counter(), 0, 0, 0
    each, some = -(-args.pairs // len(games)), 20
    for begin in range(0, each, some):  # interleave the games, so that an early stop has tested each
        for rules in games:
            differ, found = told_apart(rules, min(some, each - begin), args.seed * 10**6 + begin)
            done, changed, bad = done + min(some, each - begin), changed + differ, bad + len(found)
            print("\n".join(found), end="\n" * bool(found))
        print(f"{done} pairs, {changed} that differ, {bad} told apart, {time.perf_counter() - began:.0f} s", flush=True)
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
