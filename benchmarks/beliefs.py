"""How much of the hidden hands a search has right, with and without what the others have done.

    python -m benchmarks beliefs swazi-3 --worlds 200 --deals 10
    python -m benchmarks beliefs khasino-4-partners --seconds 0.5

A policy plays all seats of each deal. Whenever seat 0 begins a turn, worlds are drawn that agree with what it knows,
and weighed as the search weighs them; what counts is the share of the hidden cards in other hands that lie in a world
where they really are.
"""

from __future__ import annotations

import argparse
import itertools
import json
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.races import check_name
from casino_env.agents.policy.policy_agent import Policy
from casino_env.agents.registry import make_agent
from casino_env.agents.search.racing import TurnRoot, Weighted
from casino_env.agents.search.search_settings import Budget, SearchSettings
from casino_env.agents.search.turn_search import TurnSearch
from casino_env.cli import run_command
from casino_env.engine.state import IDLE
from casino_env.evaluate.matches.intervals import interval
from casino_env.evaluate.progress import progress
from casino_env.game import Game
from casino_env.observed import Observed, observe

Array = np.ndarray[Any, Any]

_SHARE = 0.9  # of a budget goes to worlds
_PARTS = 4  # of a deal, for the table


def main(arguments: list[str] | None = None) -> int:
    args = _parser().parse_args(arguments)
    return run_command("benchmarks beliefs", lambda: _measure(args))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks beliefs", description=__doc__.splitlines()[0])
    parser.add_argument("name", metavar="NAME", help="a policy that comes with the project and judges tables")
    parser.add_argument("--deals", type=int, default=10, help="that the policy plays (10)")
    parser.add_argument("--worlds", type=int, default=200, help="that are drawn and weighed (200)")
    parser.add_argument("--seconds", type=float, help="to draw and weigh instead: as many worlds as that allows")
    parser.add_argument("--seed", type=int, default=900, help="of the first deal (900)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _measure(args: argparse.Namespace) -> int:
    check_name(args.name)
    if args.deals < 1 or args.worlds < 2 or (args.seconds is not None and args.seconds <= 0):
        raise ValueError("--deals must be 1 or more, --worlds 2 or more, --seconds more than 0")
    policy = make_agent(f"policy:{args.name}")
    rows: list[list[float]] = []
    with progress("deals", args.deals) as show:
        for deal in range(args.deals):
            rows += _deal(policy, args, deal)
            show(deal + 1, "")
    if not rows:
        raise ValueError(f"{args.name}: in no turn was a card hidden of which a turn of others could tell")
    _report(np.array(rows), args.json)
    return 0


def _deal(policy: Policy, args: argparse.Namespace, deal: int) -> list[list[float]]:
    """For each turn: turns that are known of others, worlds, how many count, and the shares that they have right."""
    rows: list[list[float]] = []
    search = TurnSearch(policy, SearchSettings(sims=1, importance=_SHARE))
    for game, seen in _moments(policy, search, args.seed + deal):
        fit, view = search._fit(seen.rules), seen.view[0]
        hidden = int(view["hidden_hand"].sum())
        if not len(search._history.turns.left) or not hidden or policy.looks_ahead(seen):
            continue
        start = TurnRoot(seen.view, fit.rules, seen.seat, fit.levels.judged)
        drawn = search.draw(start, _budget(args), np.uint64(deal), fit)
        chances = np.diff(drawn.cumulated, prepend=0.0)
        shares = _right(drawn, game, seen) / hidden
        seen_of_others = float(len(search._history.turns.left))
        rows.append(
            [seen_of_others, len(chances), 1 / float(chances @ chances), shares.mean(), float(chances @ shares)]
        )
    return rows


def _moments(policy: Policy, search: TurnSearch, seed: int) -> Iterator[tuple[Game, Observed]]:
    """The turns of seat 0, and what it sees then; meanwhile it watches."""
    game, turn = Game(policy.weights.rules, seed=seed), (-1, -1)
    search.forget()
    while not game.over:
        search.watch(observe(game, 0))
        begins = game.record["mode"] == IDLE and turn != (now := (int(game.record["deals"]), int(game.record["turns"])))
        if game.seat == 0 and begins:
            turn = now
            yield game, observe(game)
        game.apply(policy.act(observe(game)))


def _budget(args: argparse.Namespace) -> Budget:
    if args.seconds is None:
        return Budget(int(args.worlds / _SHARE), 0.0)
    return Budget(None, time.monotonic() + args.seconds / _SHARE)


def _right(drawn: Weighted, game: Game, seen: Observed) -> Array:
    """By world, the cards in other hands that are where they really are."""
    known = seen.view["hands"][0]
    right = drawn.games["hands"] & game.record["hands"] & ~known
    return np.array([sum(hand.bit_count() for hand in hands) for hands in right.tolist()])


def _report(rows: Array, as_json: bool) -> None:
    gain = interval(rows[:, 4] - rows[:, 3])
    if as_json:
        names = ["worlds", "counting", "any", "weighed"]
        means = dict(zip(names, rows[:, 1:].mean(axis=0).tolist(), strict=True))
        print(json.dumps({"turns": len(rows), **means, "gain": gain[0], "low": gain[1], "high": gain[2]}))
        return
    print("turns seen of others   turns   worlds   of which count   share right   weighed")
    edges = np.linspace(1, rows[:, 0].max() + 1, _PARTS + 1).round()
    for low, high in itertools.pairwise(edges):
        part = rows[(rows[:, 0] >= low) & (rows[:, 0] < high)]
        if len(part):
            worlds, counting, some, weighed = part[:, 1:].mean(axis=0)
            seen = f"{low:.0f} to {high - 1:.0f}"
            print(f"{seen:<22} {len(part):>5} {worlds:>8.0f} {counting:>16.1f} {some:>13.3f} {weighed:>9.3f}")
    print(f"weighing has {gain[0]:+.3f} ({gain[1]:+.3f} to {gain[2]:+.3f}) more of them right")
