"""Duplicate play: each deal is played again with the two agents in exchanged seats, so that luck cancels out.

The random numbers of an agent depend only on the seed, the deal and its seat, not on its identity or the thread. So an
agent against itself plays the same game in every seating, and the differences of a deal add up to zero. There are two
loops: one plays a single game, the other a batch of games.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from casino_env.agents.base import ForfeitError
from casino_env.arrays import Array
from casino_env.envs.batch import WAIT
from casino_env.envs.options import ILLEGAL_REWARD, Options, generator
from casino_env.envs.vector import Batch
from casino_env.evaluate.matches.pairing import A, Pairing
from casino_env.game import Game
from casino_env.observed import Observed, observe
from casino_env.rules import Rules

FORFEIT = -int(ILLEGAL_REWARD["diff"])  # points by which a side loses a deal that it forfeits


def seatings(rules: Rules, mirrored: bool = False) -> Array:
    """Return the seatings of a deal, a row for each game: A (0) or B (1) by seat.

    Two sides: both ways. More singles: a in each seat, b in all the others; mirrored adds the same with a and b
    exchanged, so that results are symmetric.
    """
    sides = np.eye(rules.sides, dtype=np.int64)
    rows = np.array([[1 - row[rules.side(seat)] for seat in range(rules.players)] for row in sides])
    return np.concatenate([rows, 1 - rows]) if mirrored and rules.sides > 2 else rows


def play_duplicate(pairing: Pairing, deals: list[int]) -> Array:
    """Play each deal in all seatings. Return [deal, seating, column]: the points of each seat, the winner as in
    play_deals, and, if the pairing has a judge, the luck of each seat."""
    count, steps = len(pairing.seatings), list[Array]()
    games, rows = [deal for deal in deals for _ in range(count)], np.tile(np.arange(count), len(deals))
    results = play_deals(pairing, games, rows, steps.append if pairing.judge else lambda _: None)
    if pairing.judge:
        decisions = [column[column != WAIT].tolist() for column in np.array(steps).T]
        lucky = []
        for deal, done in zip(games, decisions, strict=True):
            pairing.asked(A)  # the judge takes a while
            lucky.append(pairing.luck.of(deal, done, pairing.seed))
        results = np.concatenate([results, lucky], axis=1)
    return results.reshape(len(deals), count, -1)


# --- one game ------------------------------------------------------------------------------------------------------


class Ended(NamedTuple):
    """A deal that is over or was forfeited."""

    game: Game
    points: list[int]  # of each seat
    winner: int  # the first seat of the winning side; negative: no single winner


def play_game(
    pairing: Pairing, seating: Array, deal: int, watch: Callable[[Game, Observed, int], None] = lambda *_: None
) -> Ended:
    """Play a deal from beginning to end. watch is called with every decision before it is played."""
    players, game = pairing.seated(seating, deal), Game(pairing.rules, seed=deal)
    while not game.over:
        pairing.let_watch(players, seating, game)
        seat, seen = game.seat, observe(game)
        try:
            action = pairing.decision(int(seating[seat]), players[seat], seen, deal)
        except ForfeitError:
            return _given_up(game, pairing.rules.side(seat))
        watch(game, seen, action)
        game.apply(action)
    return Ended(game, game.scores(), int(game.record["winner"]))


def _given_up(game: Game, lost: int) -> Ended:
    rules = game.rules
    points = [0 if rules.side(seat) == lost else FORFEIT for seat in range(rules.players)]
    return Ended(game, points, 1 - lost if rules.sides == 2 else -1)


# --- some deals, one way or the other ------------------------------------------------------------------------------

Watch = Callable[[Array], None]  # an action for each game before it is played, WAIT where the deal is over


def play_deals(pairing: Pairing, deals: list[int], rows: Array, watch: Watch) -> Array:
    """Play a list of games; game k is deals[k] with the seating pairing.seatings[rows[k]]. Return [game, column]: the
    points of each seat, then the first seat of the winning side (negative: no single winner)."""
    play = _side_by_side if pairing.batched() else _one_by_one
    return play(pairing, deals, rows, watch)


def _one_by_one(pairing: Pairing, deals: list[int], rows: Array, watch: Watch) -> Array:
    results = np.zeros((len(deals), pairing.rules.players + 1), np.int64)
    for k, (deal, row) in enumerate(zip(deals, rows, strict=True)):
        only_here = np.arange(len(deals)) == k

        def show(_game: Game, _seen: Observed, action: int, where: Array = only_here) -> None:
            watch(np.where(where, action, WAIT))

        ended = play_game(pairing, pairing.seatings[row], deal, show)
        while not ended.game.over:  # forfeited: play it out, because the judge of luck needs a whole deal
            action = ended.game.legal()[0]
            watch(np.where(only_here, action, WAIT))
            ended.game.apply(action)
        results[k] = [*ended.points, ended.winner]
    return results


def _side_by_side(pairing: Pairing, deals: list[int], rows: Array, watch: Watch) -> Array:
    """Play all games in one batch. Agents are called seating by seating and seat by seat, each time with a new
    generator that depends only on deals[0], seat and step, so that equal agents play equal games."""
    rules, games, step = pairing.rules, Batch(pairing.rules, len(deals), Options(), redeal=False), 0
    games.deal(deals)
    at = games.games
    while (waiting := np.asarray(at.legal.any(axis=1))).any():
        actions, views = np.full(len(deals), WAIT), games.views()
        places = np.where(waiting, rows * rules.players + at.actor, -1)
        for place in np.unique(places[waiting]).tolist():
            asked, seat, who = np.flatnonzero(places == place), place % rules.players, int(pairing.seatings.flat[place])
            with pairing.blamed(who):
                pairing.agents[who].agent.reset(seat, generator(pairing.seed, deals[0], seat, step))
            seen = views.take(asked), at.actor[asked], at.legal[asked], at.seeds[asked]
            actions[asked] = pairing.decisions(who, *seen)
        watch(actions)
        games.act(actions)
        step += 1
    sides = [rules.side(seat) for seat in range(rules.players)]
    return np.column_stack([games.records["deal_points"][:, sides].astype(np.int64), games.records["winner"]])
