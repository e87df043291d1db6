"""Whole deals between bots inside kernels: how fast they are and who is better."""

import numpy as np

from agents.bots import BOT, bot_record
from agents.facts import FACTS
from agents.turns import DEPTH, choose
from casino_env.actions import ACTIONS
from casino_env.deal import new_game
from casino_env.engine import play_forced, step
from casino_env.jit import kernel
from casino_env.rules import Rules
from casino_env.state import GAME, OVER, rules_record
from casino_env.table import side_of
from casino_env.view import see


@kernel
def play_deal(games, rules, bots, seating, first, boards, todo, facts, scores, rng, seed):
    """One deal; bots[seating[(seat + first) % players]] plays seat. Returns the number of decisions."""
    g, r, f = games[0], rules[0], facts[0]
    new_game(g, r, seed, 0)
    words = play_forced(g, r)
    decisions = 0
    while g.mode != OVER:
        seat = np.int64(g.actor)
        w = bots[seating[(seat + first) % r.players]]
        if not w.blind:
            boards[0] = g
            see(g, r, seat, 0, boards[0])
        words = step(g, r, choose(boards, todo, r, f, w, seat, words, scores, rng))
        decisions += 1
    return decisions


@kernel
def play_rotations(games, rules, bots, seating, boards, todo, facts, scores, rng, seed, deals, points):
    """Each deal once from every rotation of the seats: points[deal, place] is the mean result of a place at the table."""
    g, r = games[0], rules[0]
    decisions = 0
    for deal in range(deals):
        points[deal, :] = 0.0
        for first in range(r.players):
            decisions += play_deal(games, rules, bots, seating, first, boards, todo, facts, scores, rng, seed + deal)
            for seat in range(r.players):
                place = (seat + first) % r.players
                points[deal, place] += g.deal_points[side_of(r, seat)] / r.players
    return decisions


class Arena:
    """Room for the kernels."""

    def __init__(self, rules: Rules, bots: list[dict[str, float]], seed: int = 0) -> None:
        self.rules = rules
        self._room = room(seed)
        self._bots = np.concatenate([bot_record(bot) for bot in bots])
        self._games = np.zeros(1, GAME)
        self._rules = rules_record(rules)

    def play(self, seating: list[int], deals: int, seed: int = 0) -> tuple[np.ndarray, int]:
        points = np.zeros((deals, self.rules.players))
        decisions = play_rotations(
            self._games, self._rules, self._bots, np.array(seating), *self._room, seed, deals, points
        )
        return points, decisions


def room(seed: int) -> tuple:
    """Boards, lists of actions, facts, scores and the random state of one bot at work."""
    return (
        np.zeros(DEPTH, GAME),
        np.zeros((DEPTH, 4), np.int64),
        np.zeros(1, FACTS),
        np.zeros(ACTIONS),
        np.array([seed], np.uint64),
    )


def margins(points: np.ndarray, mine: list[int], sides: int) -> np.ndarray:
    """By deal: the mean of my places less the mean of the others."""
    players = points.shape[1]
    others = [place for place in range(players) if place not in mine]
    return points[:, mine].mean(axis=1) - points[:, others].mean(axis=1)
