"""Whole deals between bots inside kernels: how fast they are and who is better."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from agents.bots import BOTS, bot_record
from agents.scripted import Scripted, room
from agents.turns import choices, pick
from casino_env.deal import new_game
from casino_env.engine import play_forced, step
from casino_env.game import Game
from casino_env.jit import kernel
from casino_env.observed import observe
from casino_env.rules import Rules, make_rules
from casino_env.state import GAME, OVER, rules_record
from casino_env.table import side_of
from casino_env.view import PERFECT, see


@kernel
def play_deal(games, rules, bots, seating, first, boards, todo, facts, scores, rng, seed):
    """One deal; bots[seating[(seat + first) % players]] plays seat. Returns the number of decisions."""
    g, r = games[0], rules[0]
    new_game(g, r, seed, 0)
    words = play_forced(g, r)
    decisions = 0
    while g.mode != OVER:
        seat = np.int64(g.actor)
        w = bots[seating[(seat + first) % r.players]]
        if not w.blind:
            boards[0] = g
            see(g, r, seat, PERFECT, boards[0])
        words = step(g, r, pick(choices(boards, todo, r, facts[0], w, seat, words, scores), rng))
        decisions += 1
    return decisions


@kernel
def play_rotations(games, rules, bots, seating, boards, todo, facts, scores, rng, seed, deals, points):
    """Each deal from every rotation of the seats: points[deal, place] is the mean result of a place of the seating."""
    g, r = games[0], rules[0]
    decisions = 0
    for deal in range(deals):
        points[deal, :] = 0.0
        for first in range(r.players):
            decisions += play_deal(games, rules, bots, seating, first, boards, todo, facts, scores, rng, seed + deal)
            for seat in range(r.players):
                points[deal, (seat + first) % r.players] += g.deal_points[side_of(r, seat)] / r.players
    return decisions


class Arena:
    """A table at which bots, given as their rules and weights, play deal after deal."""

    def __init__(self, rules: Rules, bots: list[Any], seed: int = 0) -> None:
        self.rules = rules
        self._room = room(seed)
        self._bots = np.concatenate([bot_record(bot, rules) for bot in bots])
        self._games = np.zeros(1, GAME)
        self._rules = rules_record(rules)

    def play(self, seating: list[int], deals: int, seed: int = 0) -> tuple[np.ndarray, int]:
        """(points by deal and place, decisions); seating: for each place the number of its bot."""
        points = np.zeros((deals, self.rules.players))
        seats = np.array(seating)
        decisions = play_rotations(self._games, self._rules, self._bots, seats, *self._room, seed, deals, points)
        return points, decisions


# --- who is better -------------------------------------------------------------------------------------------------

LADDER = ("random", "greedy", "builder", "counter")


def margins(rules: Rules, better: Any, worse: Any, deals: int, seed: int = 0) -> np.ndarray:
    """By deal: points of one bot (as partners: of two) less the mean of the others, who all are of the other kind."""
    seating = [0, 1, 0, 1] if rules.partners else [0] + [1] * (rules.players - 1)
    points, _ = Arena(rules, [better, worse], seed).play(seating, deals, seed)
    mine = np.array(seating) == 0
    return points[:, mine].mean(axis=1) - points[:, ~mine].mean(axis=1)


def ladder_rows(rules: Rules, deals: int, seed: int) -> Iterator[dict[str, Any]]:
    """Each bot against the next weaker one."""
    names = (*LADDER, "partner") if rules.partners else LADDER
    for worse, better in itertools.pairwise(names):
        by_deal = margins(rules, BOTS[better], BOTS[worse], deals, seed)
        interval = 1.96 * by_deal.std(ddof=1) / len(by_deal) ** 0.5
        yield {"better": better, "worse": worse, "margin": float(by_deal.mean()), "interval": float(interval)}


# --- how fast ------------------------------------------------------------------------------------------------------

BENCH = (("south-african", 2), ("khasino", 2), ("swazi", 2), ("swazi", 4), ("cassino", 2))


def bench_rows(seconds: float) -> Iterator[dict[str, Any]]:
    """Decisions a second of one core's time, all seats played by the bot, dealing included; a move through Python."""
    for variant, players in BENCH:
        rules = make_rules(variant, players)
        for name in BOTS:
            yield {
                "game": f"{variant} {players}",
                "bot": name,
                "kernel": _kernel_speed(rules, name, seconds),
                "python_us": 1e6 * _python_seconds(rules, name, seconds / 4),
            }


def _kernel_speed(rules: Rules, name: str, seconds: float) -> float:
    arena = Arena(rules, [BOTS[name]])
    seating = [0] * rules.players
    arena.play(seating, 2)
    decisions = seed = 0
    began = time.process_time()
    while time.process_time() - began < seconds:
        decisions += arena.play(seating, 20, seed)[1]
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
