"""Decisions a second of the scripted bots: whole deals inside a kernel, and single moves through Python."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks.timer import per_second
from casino_env.agents.scripted.bots import BOTS, bot_record
from casino_env.agents.scripted.choosing import favourites, new_bot_workspace, pick
from casino_env.agents.scripted.scripted_agent import Scripted
from casino_env.bench import best_of_rounds
from casino_env.compiler.jit import entry
from casino_env.engine.deal import new_game
from casino_env.engine.state import GAME, OVER, rules_record
from casino_env.engine.turn import decide, play_forced
from casino_env.game import Game
from casino_env.knowledge.view import PERFECT, make_view
from casino_env.observed import Observed, observe
from casino_env.rules import Rules, make_rules

GAMES = (("south-african", 2), ("khasino", 2), ("swazi", 2), ("swazi", 4), ("cassino", 2))
_DEALS = 20  # played in one call


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks agents", description=__doc__)
    parser.add_argument("--seconds", type=float, default=1.0, help="time for each number (1)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    args = parser.parse_args(arguments)
    if args.seconds <= 0:
        raise ValueError(f"--seconds {args.seconds}: must be more than 0")
    rows = bench_rows(args.seconds)
    if args.json:
        print(json.dumps(list(rows)))
        return 0
    print(f"{'':<18}{'bot':<10}{'decisions/s':>12}{'us a move in Python':>22}")
    for row in rows:
        print(f"{row['game']:<18}{row['bot']:<10}{row['kernel']:>12,.0f}{row['python_us']:>22.0f}", flush=True)
    return 0


def bench_rows(seconds: float) -> Iterator[dict[str, Any]]:
    """Decisions a second of one core, all seats played by the bot, dealing included; a move through Python."""
    for variant, players in GAMES:
        rules = make_rules(variant, players)
        works = {}
        for bot in BOTS:
            works[bot, "kernel"], works[bot, "python"] = _kernel_deals(rules, bot), _python_moves(rules, bot)
        for work in works.values():
            work()  # compile
        found = best_of_rounds({key: partial(per_second, work) for key, work in works.items()}, seconds)
        for bot in BOTS:
            speed, python_us = found[bot, "kernel"], 1e6 / found[bot, "python"]
            yield {"game": f"{variant} {players}", "bot": bot, "kernel": speed, "python_us": python_us}


@entry
def play_deals(games, rules, bots, workspace, rng, seed, deals):
    """Some deals with one bot in all seats. Returns the number of decisions."""
    g, r, w = games[0], rules[0], bots[0]
    decisions = 0
    for deal in range(deals):
        new_game(g, r, seed + deal, 0)
        legal = play_forced(g, r)
        while g.mode != OVER:
            seat = np.int64(g.actor)
            if not w.blind:
                workspace.stack[0] = g
                make_view(g, r, seat, PERFECT, workspace.stack[0])
            legal = decide(g, r, pick(favourites(workspace, r, w, seat, legal), rng))
            decisions += 1
    return decisions


def _kernel_deals(rules: Rules, bot: str) -> Callable[[], int]:
    """Plays some deals; says how many decisions they had."""
    table = (
        np.zeros(1, GAME),
        rules_record(rules),
        bot_record(BOTS[bot], rules),
        new_bot_workspace(),
        np.zeros(1, np.uint64),
    )
    played = [0]

    def work() -> int:
        played[0] += _DEALS
        return int(play_deals(*table, played[0], _DEALS))

    return work


def _python_moves(rules: Rules, bot: str) -> Callable[[], int]:
    """Calls of act in the positions of a deal, the observations being there."""
    agent, seen = Scripted(bot), list(_positions(rules))

    def work() -> int:
        for observation in seen:
            agent.act(observation)
        return len(seen)

    return work


def _positions(rules: Rules) -> Iterator[Observed]:
    game, player = Game(rules, seed=1), Scripted("greedy")
    while not game.over:
        yield observe(game)
        game.apply(player.act(observe(game)))
