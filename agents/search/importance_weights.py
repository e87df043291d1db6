"""Importance weights of determinizations: how likely each is by what the other seats have done in it.

A player that judges afterstates leaves good ones. So where another, by the hand that it would have had, was likely to
leave what it left, the determinization is likelier.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from casino_env.agents.policy.judging import judge_afterstates
from casino_env.agents.policy.mlp import softmax
from casino_env.arrays import Array
from casino_env.compiler.jit import entry, kernel, popcount
from casino_env.engine.position_keys import cards_key
from casino_env.engine.state import GAME, SEATS, VALUES
from casino_env.knowledge.determinizations import complete
from casino_env.knowledge.view import deduce
from casino_env.rng import nth_word
from casino_env.rules import Rules

_TEMPERATURE = 0.3  # points: how far others are thought to be from their best turns
_FEWEST = 16  # the least effective sample size: that a few are far likelier than the rest may be chance
_HALVINGS = 12  # of the range of powers
_UNFOUND = 0.1  # the chance of a turn that is not among those found where there are more
_ANY = 0.003  # the chance of a turn that it would not play; of one that it had not, the same in all games


class OpponentTurns(NamedTuple):
    """Turns of other seats, as the own seat saw them."""

    left: Array  # where each began
    came: Array  # what it left
    laid: Array  # what the same seat has laid down in it and since


@kernel
def _look_back(history, k, g, r, seat, view):
    """What the other saw at the beginning of its turn k, if this is the game; whether there is such a view. Of what
    lies face down it knows here what the own seat knows, which is nearly the same."""
    left = history.left[k]
    other = left.to_move
    hand = g.hands[other] | history.laid[k]
    if popcount(hand) != popcount(left.hands[other]) + left.hidden_hand[other]:
        return False
    view.hands[other], view.hidden_hand[other] = hand, 0
    view.hidden_hand[seat] += popcount(view.hands[seat])
    view.hands[seat] = 0
    deduce(r, other, view)
    return True


@kernel
def _are_alike(some, others, names):
    return some == others or cards_key(names, some, 0) == cards_key(names, others, 0)


@kernel
def _is_same(v, came, names):
    """It is the afterstate that came, but for the names of equal cards: of such turns one is listed."""
    same = _are_alike(v.layout, came.layout, names)
    for pile in range(SEATS):
        same = same and _are_alike(v.piles[pile], came.piles[pile], names)
    for value in range(VALUES):
        same = same and _are_alike(v.build_cards[value], came.build_cards[value], names)
    return same


@kernel
def _likelihood(history, k, root, g, policy):
    """Of turn k in a game; whatever is known of it where nothing can be said."""
    r, judge, judged = root.rules[0], policy.player.judge, policy.work.judged
    judged.afterstates.stack[0] = history.left[k]
    if not _look_back(history, k, g, r, root.seat, judged.afterstates.stack[0]):
        return 1.0
    found = judge_afterstates(judged, r, judge, np.int64(history.left[k].to_move), policy.player.tried)
    softmax(judged.worth, found, _TEMPERATURE / judge.value_scale, judged.chances)
    chance = 0.0
    for i in range(found):
        if _is_same(judged.afterstates.records[i], history.came[k], judged.afterstates.walk[0]):
            chance += judged.chances[i]
    if chance == 0.0 and judged.afterstates.walk[0].cut:
        return _UNFOUND
    return chance + _ANY


@entry
def draw_weighted(root, history, policy, seed, first, games, weights):
    """Determinizations of the view, numbered from first on, and the logarithms of how likely the turns of the others
    are in them; false if none agrees."""
    for number in range(games.shape[0]):
        g = games[number]
        games[number] = root.seen[0]
        g.rng = nth_word(seed, first + number)
        if not complete(root.seen[0], root.rules[0], root.seat, g):
            return False
        weights[number] = 0.0
        for k in range(history.left.shape[0]):
            weights[number] += np.log(_likelihood(history, k, root, g, policy))
    return True


def importance_weights(weights: Array) -> Array:
    """Of determinizations, from the logarithms of how likely they are: these, or as high a power of them as leaves a
    large enough effective sample size."""
    likely, fewest = weights - weights.max(), min(_FEWEST, len(weights) / 2)
    low, high = 0.0, 1.0
    power = high
    for _ in range(_HALVINGS):
        chances = np.exp(power * likely)
        if float(chances.sum() ** 2 / (chances**2).sum()) >= fewest:  # equally likely ones would tell as much
            low = power
        else:
            high = power
        power = (low + high) / 2
    return np.exp(low * likely)


# --- what the others did ---------------------------------------------------------------------------------------------

_MOST = 52  # turns of others in a deal: each lays a card


class OpponentHistory:
    """The turns of others since cards were last dealt, as far as the seat has looked at the game before and after them.
    With two it does so in its own turns; with more it has to watch."""

    def __init__(self) -> None:
        self._left, self._came = np.zeros(_MOST, GAME), np.zeros(_MOST, GAME)
        self._last = np.zeros(1, GAME)  # the beginning of the turn that was seen last
        self._meant = False  # it is not what was seen then, but what this seat meant to leave
        self._rules: Rules | None = None
        self._seat = -1
        self._count = 0

    def forget(self) -> None:
        self._seat, self._count = -1, 0

    @property
    def turns(self) -> OpponentTurns:
        left, came, laid = self._left[: self._count], self._came[: self._count], np.zeros(self._count, np.int64)
        by_seat = [0] * SEATS
        for k in reversed(range(self._count)):
            seat = int(left["to_move"][k])
            by_seat[seat] |= _on_table(came[k]) & ~_on_table(left[k])
            laid[k] = by_seat[seat]
        return OpponentTurns(left, came, laid)

    def see(self, rules: Rules, seat: int, now: Any) -> None:
        """What the seat sees now: before decisions of its own, and of others if it watches them."""
        last = self._last[0]
        dealt = last["deals"] != now["deals"] or last["hidden_stock"] != now["hidden_stock"]
        if rules != self._rules or seat != self._seat or dealt or _seen(last) & ~_seen(now):  # it is another game
            self.forget()
            self._rules, self._seat = rules, seat
        elif now["actor"] != now["to_move"] or (now["turns"] == last["turns"] and not self._meant):
            return  # in the middle of a turn
        elif last["to_move"] != seat and _is_next(last, now, seat) and self._count < _MOST:
            self._left[self._count], self._came[self._count] = last, now
            self._count += 1
        self._last[0], self._meant = now, False

    def expect(self, now: Any, afterstate: Any) -> None:
        """The seat will leave this, if all comes as expected; until it sees what it has left."""
        if now["actor"] == now["to_move"]:
            self._last[0], self._meant = afterstate, True


def _on_table(view: Any) -> int:
    """The cards that have been laid down, as far as their place is known."""
    return int(np.bitwise_or.reduce(np.hstack([view["piles"], view["build_cards"], view["layout"]])))


def _seen(view: Any) -> int:
    """The cards whose place is known."""
    return int(np.bitwise_or.reduce(view["hands"])) | _on_table(view)


def _is_next(last: Any, now: Any, seat: int) -> bool:
    """Of the seat that was to move one turn has been seen from its beginning to its end, as far as that can be told:
    who asks for advice may have done something else than was advised."""
    other = int(last["to_move"])
    before, after = (int(view["hands"][other]).bit_count() + int(view["hidden_hand"][other]) for view in (last, now))
    same = last["hands"][seat] == now["hands"][seat]
    return bool(same and now["turns"] == last["turns"] + 1 and after == before - 1)
