"""Measure the cost of long play-outs: the spread of results, played to the next deal of hands and to the end.

The positions come from deals that the best bot plays against itself, while cards are still to be dealt. The bot plays
on after two turns of the seat, in the same determinizations. A search has to tell the turns apart, so the spread of
their difference counts.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from casino_env.agents.registry import ladder, make_agent
from casino_env.agents.scripted.bots import BOTS
from casino_env.agents.search.horizon import HORIZONS, horizon_number
from casino_env.agents.search.racing import TurnRoot, Weighted, deal_rollouts
from casino_env.agents.search.rollouts import Rollouts, make_rollout_policy, play_out
from casino_env.agents.which_game import add_rules, chosen_rules, names_game
from casino_env.compiler.types import allocate
from casino_env.engine.afterstates import LIMIT, afterstates_of
from casino_env.engine.state import rules_record
from casino_env.game import Game
from casino_env.observed import NoDeterminizationError, observe
from casino_env.rules import Rules, make_rules, player_counts, variants
from casino_env.validate import check_least

_HEAD = ("game", "turns to the deal", "to the end", "scatter at the deal", "at the end", "play-outs for the same")
_TO_THE_END = 1 << 40
_TRIES = 100  # most deals played for each position


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks horizon", description=__doc__)
    add_rules(parser)
    parser.add_argument("--positions", type=int, default=60, help="of each game (60)")
    parser.add_argument("--games", type=int, default=200, help="play-outs of each of two turns (200)")
    parser.add_argument("--seed", type=int, default=0, help="of the positions (0)")
    parser.add_argument("--json", action="store_true", help="print JSON, a line for each game")
    args = parser.parse_args(arguments)
    check_least("positions", args.positions, 1)
    check_least("games", args.games, 2)
    if not args.json:
        print(f"{line(*_HEAD)}\n{line('---', *['--:'] * (len(_HEAD) - 1))}")
    for rules in with_later_cards(args):
        row = scatter(rules, args.positions, args.games, args.seed)
        print(json.dumps(row) if args.json else _text(row), flush=True)
    return 0


def with_later_cards(args: argparse.Namespace) -> Iterator[Rules]:
    """Yield the game that the command line names, or every preset in which cards are dealt later on."""
    if names_game(args):
        yield chosen_rules(args)
        return
    every = (make_rules(name, players) for name in variants() for players in player_counts(name))
    yield from (rules for rules in every if rules.rounds > 1 or rules.draw_hand)


def line(*cells: str) -> str:
    """Format a row of a Markdown table."""
    return f"| {' | '.join(cells)} |"


def _text(row: dict[str, Any]) -> str:
    deal, end = row["deal"], row["end"]
    numbers = [deal["turns"], end["turns"], deal["difference"], end["difference"]]
    times = (end["difference"] / deal["difference"]) ** 2 if deal["difference"] else float("inf")
    return line(row["game"], *(f"{number:.1f}" for number in numbers), f"{times:.1f} times")


def scatter(rules: Rules, positions: int, games: int, seed: int) -> dict[str, Any]:
    """Return, by horizon, mean turns of a play-out, and the root of the mean variance of results and of differences."""
    bot, record, rng = ladder(rules)[-1], rules_record(rules), np.random.default_rng(seed)
    agent, player, other = make_agent(bot), *(make_rollout_policy(BOTS[bot], rules) for _ in range(2))
    rollouts, judged = allocate(Rollouts, games=2 * games), other.work.judged
    none = allocate(Weighted, weighted=0)  # no weighted determinizations
    found: list[dict[str, tuple[float, float, float]]] = []
    agent.reset(0, rng)
    for number in range(_TRIES * positions):
        if len(found) == positions:
            break
        game, wait = Game(rules, seed=seed + number), int(rng.integers(rules.deck // 2))
        while not game.over and game.record["turns"] < wait:
            game.apply(agent.act(observe(game)))
        if game.over or game.record["stock_top"] < 0:
            continue
        seen = observe(game)
        many = afterstates_of(seen.view, record, judged.afterstates, LIMIT)
        if many < 2:
            continue
        turns = rng.choice(many, 2, replace=False)
        row = {}
        for horizon in HORIZONS:
            root = TurnRoot(seen.view, record, seen.seat, judged, horizon_number(horizon))
            if not deal_rollouts(root, none, 0, rollouts, turns, np.uint64(number), 0, games):
                raise NoDeterminizationError(f"no game is consistent with what seat {seen.seat} knows")
            play_out(rollouts, record[0], player, player.mover, _TO_THE_END, 0, 2 * games)
            results = rollouts.result[:, rules.side(seen.seat)].reshape(games, 2)
            length = float((rollouts.games["turns"] - seen.view["turns"]).mean())
            row[horizon] = (length, results.var(axis=0, ddof=1).mean(), (results[:, 0] - results[:, 1]).var(ddof=1))
        found.append(row)
    if len(found) < positions:
        raise ValueError(f"{rules.name} with {rules.players} players: too few positions with cards left to deal")
    shown: dict[str, Any] = {"game": f"{rules.name} {rules.players}", "positions": positions}
    for horizon in HORIZONS:
        turns_each, result, difference = np.mean([row[horizon] for row in found], axis=0)
        shown[horizon] = {"turns": turns_each, "result": result**0.5, "difference": difference**0.5}
    return shown
