"""Importance weights of determinizations: how likely each is, given what the other seats have played.

Players choose good afterstates. So a determinization is likelier if the hand that it gives another seat makes that
seat's turns good ones.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from casino_env.agents.policy.judging import judge_afterstates
from casino_env.agents.policy.mlp import softmax
from casino_env.arrays import Array
from casino_env.compiler.jit import kernel, popcount
from casino_env.compiler.types import I64, Elements, Sizes
from casino_env.engine.position_keys import cards_key
from casino_env.engine.state import SEATS, VALUES, Records
from casino_env.knowledge.determinizations import complete
from casino_env.knowledge.view import deduce
from casino_env.rng import nth_word

_TEMPERATURE = 0.3  # points: temperature at which others are thought to choose their turns
_FEWEST = 16  # least effective sample size: if a few are far likelier than the rest, that may be chance
_HALVINGS = 12  # bisection steps for the power
_UNFOUND = 0.1  # chance of a turn that is missing in a list that was cut short
_ANY = 0.003  # added to every chance, so that none is 0; a turn that no determinization allows has it in all of them
_MOST = 52  # turns of others in a deal: each plays a card


# --- the turns of others ---------------------------------------------------------------------------------------------

HISTORY = np.dtype(
    [
        ("begun", np.int64),  # 1: something has been seen
        ("seat", np.int64),  # the seat that sees it
        ("meant", np.int64),  # 1: last is the afterstate that this seat planned to leave, not one it has seen
        ("count", np.int64),  # turns of others
    ]
)


class OpponentHistory(NamedTuple):
    """The turns of others since the last deal of cards that the seat has seen the beginning and end of.
    With two players its own turns show these; with more it has to watch."""

    state: Annotated[Array, Elements(HISTORY), Sizes(1)]
    last: Annotated[Records, Sizes(1)]  # view at the beginning of the latest turn
    left: Annotated[Records, Sizes(_MOST)]  # views at the beginning of each turn
    came: Annotated[Records, Sizes(_MOST)]  # views at its end
    laid: Annotated[I64, Sizes(_MOST)]  # cards that the same seat has played in it and since


@kernel
def _on_table(v):
    """Return the cards in the layout, in builds and in piles, as far as their place is known."""
    cards = v.layout
    for pile in range(SEATS):
        cards |= v.piles[pile]
    for value in range(VALUES):
        cards |= v.build_cards[value]
    return cards


@kernel
def _seen(v):
    """Return all cards whose place is known."""
    cards = _on_table(v)
    for seat in range(SEATS):
        cards |= v.hands[seat]
    return cards


@kernel
def _is_next(last, now, seat):
    """Return whether the views show exactly one turn, of the seat that was to move in the first one, as far as can be
    told: a user may have played another turn than the one advised."""
    other = last.to_move
    before = popcount(last.hands[other]) + last.hidden_hand[other]
    after = popcount(now.hands[other]) + now.hidden_hand[other]
    return last.hands[seat] == now.hands[seat] and now.turns == last.turns + 1 and after == before - 1


@kernel
def _remember(history, last, now):
    """Append a turn, by the views at its beginning and its end."""
    s, laid = history.state[0], _on_table(now) & ~_on_table(last)
    history.left[s.count], history.came[s.count] = last, now
    history.laid[s.count] = 0
    s.count += 1
    for k in range(s.count):
        if history.left[k].to_move == last.to_move:
            history.laid[k] |= laid


@kernel
def watch(history, seen, seat):
    """Take in what the seat sees now: before its own decisions, and before those of others if it watches."""
    s, last, now = history.state[0], history.last[0], seen[0]
    dealt = last.deals != now.deals or last.hidden_stock != now.hidden_stock
    if not s.begun or seat != s.seat or dealt or _seen(last) & ~_seen(now):  # it is another game
        s.begun, s.seat, s.count = 1, seat, 0
    elif now.actor != now.to_move or (now.turns == last.turns and not s.meant):
        return  # in the middle of a turn
    elif last.to_move != seat and _is_next(last, now, seat) and s.count < _MOST:
        _remember(history, last, now)
    history.last[0] = now
    s.meant = 0


@kernel
def expect(history, now, afterstate):
    """Note the afterstate that the seat plans to leave; it counts until the seat sees what it has left."""
    if now.actor == now.to_move:
        history.last[0] = afterstate
        history.state[0].meant = 1


# --- likelihoods in a determinization --------------------------------------------------------------------------------


@kernel
def _look_back(history, k, g, r, seat, view):
    """Write the view that the other seat had before its turn k if g is the true game; return whether there is one.
    About face-down cards it gets the own seat's knowledge, which is nearly the same."""
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
    """Return whether an afterstate is the one that came, up to the names of equal cards: such turns are listed once."""
    same = _are_alike(v.layout, came.layout, names)
    for pile in range(SEATS):
        same = same and _are_alike(v.piles[pile], came.piles[pile], names)
    for value in range(VALUES):
        same = same and _are_alike(v.build_cards[value], came.build_cards[value], names)
    return same


@kernel
def _likelihood(history, k, root, g, policy):
    """Return the chance of turn k in a game; 1.0 if the game allows no view of it."""
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


@kernel
def draw_weighted(root, history, policy, seed, first, games, weights):
    """Draw determinizations of the view, numbered from first on, with the log-likelihoods of the others' turns in each;
    return false if no game agrees with the view."""
    for number in range(games.shape[0]):
        g = games[number]
        games[number] = root.seen[0]
        g.rng = nth_word(seed, first + number)
        if not complete(root.seen[0], root.rules[0], root.seat, g):
            return False
        weights[number] = 0.0
        for k in range(history.state[0].count):
            weights[number] += np.log(_likelihood(history, k, root, g, policy))
    return True


@kernel
def _sums(likely, power):
    """Return the sum of the weights and the sum of their squares."""
    total, squares = 0.0, 0.0
    for one in likely:
        weight = np.exp(power * one)
        total += weight
        squares += weight**2
    return total, squares


@kernel
def cumulate(weights):
    """Replace log-likelihoods in place by cumulative importance weights, up to 1. A weight is the likelihood to the
    highest power, at most 1, that leaves a large enough effective sample size."""
    most = weights[0]
    for one in weights:
        most = max(most, one)
    for k in range(weights.shape[0]):
        weights[k] -= most
    fewest, low, high = min(_FEWEST, weights.shape[0] / 2), 0.0, 1.0
    power = high
    for _ in range(_HALVINGS):
        total, squares = _sums(weights, power)
        if total**2 / squares >= fewest:  # the effective sample size
            low = power
        else:
            high = power
        power = (low + high) / 2
    total, sofar = _sums(weights, low)[0], 0.0
    for k in range(weights.shape[0]):
        sofar += np.exp(low * weights[k])
        weights[k] = sofar / total
