"""How likely a world is by what the other seats have done in it.

A player that judges tables leaves good ones. So where another, by the hand that it would have had, was likely to leave
the tables that it left, the world is likelier.
"""

from typing import Any, NamedTuple

import numpy as np

from casino_env.agents.policy.choice import softmax
from casino_env.agents.policy.tables import judge_tables
from casino_env.compiler.jit import entry, kernel, popcount
from casino_env.engine.afterstates import LIMIT
from casino_env.engine.position_keys import cards_key
from casino_env.engine.state import SEATS, VALUES
from casino_env.knowledge.determinizations import complete
from casino_env.knowledge.view import deduce
from casino_env.rng import nth_word

Array = np.ndarray[Any, Any]

_TRIED = LIMIT // 4
_WARMTH = 0.3  # points: how far another is thought to be from its best turns
_FEWEST = 16  # worlds that share the weight at least: that a few are far likelier than the rest may be chance
_HALVINGS = 12  # of the range of powers
_UNFOUND = 0.1  # the chance of a turn that is not among those found where there are more
_ANY = 0.003  # the chance of a turn that it would not play; of one that it had not, the same in all worlds


class Turns(NamedTuple):
    """Of other seats, as the own seat saw them."""

    left: Array  # where each began
    came: Array  # what it left
    laid: Array  # what the same seat has laid down in it and since


@kernel
def _look_back(turns, k, world, r, seat, view):
    """What the other saw at the beginning of its turn k, if this is the world; whether there is such a view. Of what
    lies face down it knows here what the own seat knows, which is nearly the same."""
    left = turns.left[k]
    other = left.to_move
    hand = world.hands[other] | turns.laid[k]
    if popcount(hand) != popcount(left.hands[other]) + left.hidden_hand[other]:
        return False
    view.hands[other], view.hidden_hand[other] = hand, 0
    view.hidden_hand[seat] += popcount(view.hands[seat])
    view.hands[seat] = 0
    deduce(r, other, view)
    return True


@kernel
def _is_left(table, came, names):
    """It is the table that was left, but for the names of equal cards: of these turns one is listed."""
    same = _are_alike(table.layout, came.layout, names)
    for pile in range(SEATS):
        same = same and _are_alike(table.piles[pile], came.piles[pile], names)
    for value in range(VALUES):
        same = same and _are_alike(table.build_cards[value], came.build_cards[value], names)
    return same


@kernel
def _are_alike(some, others, names):
    return some == others or cards_key(names, some, 0) == cards_key(names, others, 0)


@kernel
def _chance(turns, k, start, world, player):
    """Of turn k in a world; whatever is known of it where nothing can be said."""
    r, judged = start.rules[0], player.judged
    judged.outcomes.boards[0] = turns.left[k]
    if not _look_back(turns, k, world, r, start.seat, judged.outcomes.boards[0]):
        return 1.0
    found = judge_tables(judged, r, player.judge, np.int64(turns.left[k].to_move), _TRIED)
    softmax(judged.worth, found, _WARMTH / player.judge.unit, judged.chances)
    chance = 0.0
    for i in range(found):
        if _is_left(judged.outcomes.tables[i], turns.came[k], judged.outcomes.walk[0]):
            chance += judged.chances[i]
    if chance == 0.0 and judged.outcomes.walk[0].cut:
        return _UNFOUND
    return chance + _ANY


@entry
def draw_weighed(start, turns, player, seed, first, worlds, weights):
    """Games that agree with the view, numbered from first on, and the logarithms of how likely the turns of the others
    are in them; false if none agrees."""
    for number in range(worlds.shape[0]):
        world = worlds[number]
        worlds[number] = start.seen[0]
        world.rng = nth_word(seed, first + number)
        if not complete(start.seen[0], start.rules[0], start.seat, world):
            return False
        weights[number] = 0.0
        for k in range(turns.left.shape[0]):
            weights[number] += np.log(_chance(turns, k, start, world, player))
    return True


def as_chances(weights: Array) -> Array:
    """Of worlds, from the logarithms of how likely they are: these, or as high a power of them as leaves enough that
    count."""
    likely, fewest = weights - weights.max(), min(_FEWEST, len(weights) / 2)
    low, high = 0.0, 1.0
    power = high
    for _ in range(_HALVINGS):
        if _counting(np.exp(power * likely)) >= fewest:
            low = power
        else:
            high = power
        power = (low + high) / 2
    return np.exp(low * likely)


def _counting(chances: Array) -> float:
    """How many equal ones would tell as much."""
    return float(chances.sum() ** 2 / (chances**2).sum())
