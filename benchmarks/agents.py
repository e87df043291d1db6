"""Decisions a second of the scripted bots: whole deals inside a kernel, and single moves through Python."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from agents.scripted.agent import Scripted, room
from agents.scripted.bots import BOTS, bot_record
from agents.scripted.choosing import choices, pick
from casino_env.engine.deal import new_game
from casino_env.engine.jit import kernel
from casino_env.engine.state import GAME, OVER, rules_record
from casino_env.engine.turn import play_forced, step
from casino_env.game import Game
from casino_env.knowledge.view import PERFECT, see
from casino_env.observed import observe
from casino_env.rules import Rules, make_rules

GAMES = (("south-african", 2), ("khasino", 2), ("swazi", 2), ("swazi", 4), ("cassino", 2))


@kernel
def play_deals(games, rules, bots, boards, todo, facts, scores, rng, seed, deals):
    """Some deals with one bot in all seats. Returns the number of decisions."""
    g, r, w = games[0], rules[0], bots[0]
    decisions = 0
    for deal in range(deals):
        new_game(g, r, seed + deal, 0)
        words = play_forced(g, r)
        while g.mode != OVER:
            seat = np.int64(g.actor)
            if not w.blind:
                boards[0] = g
                see(g, r, seat, PERFECT, boards[0])
            words = step(g, r, pick(choices(boards, todo, r, facts[0], w, seat, words, scores), rng))
            decisions += 1
    return decisions


def bench_rows(seconds: float) -> Iterator[dict[str, Any]]:
    """Decisions a second of one core's time, all seats played by the bot, dealing included; a move through Python."""
    for variant, players in GAMES:
        rules = make_rules(variant, players)
        for name in BOTS:
            yield {
                "game": f"{variant} {players}",
                "bot": name,
                "kernel": _kernel_speed(rules, name, seconds),
                "python_us": 1e6 * _python_seconds(rules, name, seconds / 4),
            }


def _kernel_speed(rules: Rules, name: str, seconds: float) -> float:
    table = np.zeros(1, GAME), rules_record(rules), bot_record(BOTS[name], rules), *room()
    play_deals(*table, 0, 2)
    decisions = seed = 0
    began = time.process_time()
    while time.process_time() - began < seconds:
        decisions += play_deals(*table, seed, 20)
        seed += 20
    return decisions / (time.process_time() - began)


def _python_seconds(rules: Rules, name: str, seconds: float) -> float:
    """Of one call of act, the observation being there."""
    agent, game = Scripted(name), Game(rules, seed=1)
    agent.act(observe(game))
    spent, moves, seed = 0.0, 0, 1
    while spent < seconds:
        if game.over:
            seed += 1
            game = Game(rules, seed=seed)
        seen = observe(game)
        began = time.process_time()
        action = agent.act(seen)
        spent += time.process_time() - began
        moves += 1
        game.apply(action)
    return spent / moves
