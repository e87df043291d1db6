"""Captures that take all they can: sets of cards that no other capture of the same card contains (R21).

Where opponents may insist, the choice is among these. Mostly there is one, everything; only where groups compete for
a card is there a search.
"""

import numpy as np

from casino_env.engine.captures import all_it_can, capture_pool, court_targets, takeable
from casino_env.engine.jit import highest, kernel, lowest, popcount, scratch
from casino_env.engine.picks import subset_sums
from casino_env.engine.ranks import pips, rank_cards
from casino_env.engine.reading import standing


@kernel
def _worth(card, value):
    """What a card counts as the first of a group worth value: an ace of a 14 is one by itself."""
    return 14 if value == 14 and card < 4 else pips(card)


@kernel
def _fills(cards, value):
    """The cards split into groups worth value: depth-first, each group begun by the highest card that is left."""
    picks, lefts = scratch(), scratch()
    depth, left, below = 0, 0, 52
    rest = cards
    while True:
        if left == 0:
            if rest == 0:
                return True
            card = highest(rest)
            worth = _worth(card, value)
            fits = worth <= value
        else:
            card = highest(rest & ((1 << min(below, 4 * left)) - 1))
            worth = pips(card)
            fits = card >= 0
        if fits:
            picks[depth], lefts[depth] = card, left
            depth += 1
            rest &= ~(1 << card)
            left = (left if left else value) - worth
            below = card
            continue
        while True:  # back to the last card that was not the first of its group
            if depth == 0:
                return False
            depth -= 1
            below, left = np.int64(picks[depth]), np.int64(lefts[depth])
            rest |= 1 << below
            if left:
                break


@kernel
def useful_cards(cards, value):
    """The cards that belong to some group worth value."""
    used = 0
    rest = cards
    while rest:
        card = lowest(rest)
        rest &= rest - 1
        left = value - pips(card)
        others = subset_sums(cards & ~(1 << card)) | 1
        if (left >= 0 and others >> left & 1) or (value == 14 and card < 4):
            used |= 1 << card
    return used


@kernel
def _is_most(taken, pool, value):
    """No capture holds all of taken and more. Two or more groups may be needed to see it."""
    rest = pool & ~taken
    more = rest
    while more:
        if _fills(taken | more, value):
            return False
        more = (more - 1) & rest
    return True


@kernel
def _explore(g, r, pool):
    """(first, several, next picks) over all greatest captures that agree with the picks.

    Depth-first over ways to put each card, from the highest, into a group or to leave it.
    """
    first, several, picks = -1, False, 0
    chosen, lefts, skipped = scratch(), scratch(), scratch()
    depth, left, below = 0, 0, 52
    taken, undecided = 0, pool
    while True:
        card = -1
        if left == 0 and undecided == 0:
            found, following = _judge(g, r, pool, taken)
            if found >= 0:
                several = several or (first >= 0 and found != first)
                first = found
                picks |= following
        elif left == 0:
            card = highest(undecided)
            worth = _worth(card, g.open_value)
        else:
            card = highest(undecided & ((1 << min(below, 4 * left)) - 1))
            worth = pips(card)
        if card >= 0:
            chosen[depth], lefts[depth], skipped[depth] = card, left, 0
            depth += 1
            taken |= 1 << card
            undecided &= ~(1 << card)
            left = (left if left else np.int64(g.open_value)) - worth
            below = card
            continue
        while True:
            if depth == 0:
                return first, several, picks
            depth -= 1
            below, left = np.int64(chosen[depth]), np.int64(lefts[depth])
            bit = 1 << below
            undecided |= bit
            if skipped[depth]:
                continue
            taken &= ~bit
            if left:
                break
            if not g.required & bit:  # the first of a group may also be left
                skipped[depth] = 1
                depth += 1
                undecided &= ~bit
                break


@kernel
def _judge(g, r, pool, taken):
    """(the capture, the card of it that comes next) if it is a greatest one and fits the picks; else (-1, 0)."""
    last = (1 << g.open_last) - 1
    if taken == 0 or g.required & ~taken or taken & ~last != g.picked:
        return -1, 0
    if taken & ~g.layout and not taken & g.layout and not g.take_build and r.pile_capture_needs_table_card:
        return -1, 0
    if not _is_most(taken, pool, g.open_value):
        return -1, 0
    rest = taken & last
    return taken, (1 << highest(rest) if rest else 0)


@kernel
def most_captures(g, r):
    """(a capture that takes all it can, whether there are others, cards that may be picked next).

    Of the captures at open_value that agree with the picks. The build is part of all of them.
    """
    if g.open_value == 0:
        return _most_courts(g, r)
    if not r.multi_capture:
        return _most_single(g, r)
    useful = useful_cards(capture_pool(g, r), g.open_value)
    if useful == 0 or _fills(useful, g.open_value):  # no conflicts: everything
        if useful & ~g.layout and not useful & g.layout and not g.take_build and r.pile_capture_needs_table_card:
            useful = 0
        rest = useful & ~g.picked
        return useful, False, (1 << highest(rest) if rest else 0)
    return _explore(g, r, useful)


@kernel
def _most_courts(g, r):
    pool = court_targets(g, g.hand_card)
    count = popcount(pool)
    if r.court_take == 0 or count == 1 or (r.court_take == 1 and count == 3):
        return pool, False, pool
    if g.picked:
        return g.picked, False, 0
    if g.required:
        return g.required, False, 0
    return pool & -pool, True, pool


@kernel
def _most_single(g, r):
    """One card or the build: nothing is contained in anything else. take_build is chosen, not given, here."""
    if g.take_build or g.picked:
        return g.picked, False, 0
    pool = capture_pool(g, r) & rank_cards(g.open_value)
    build = standing(g, r) >> g.open_value & 1
    return pool & -pool, popcount(pool) + build > 1, pool


@kernel
def is_most(g, r):
    """The declared capture (picked, take_build) takes all it can."""
    if g.open_value == 0:
        count = popcount(court_targets(g, g.hand_card))
        taken = popcount(g.picked)
        return taken == count or r.court_take == 2 or (r.court_take == 1 and count == 2)
    if not r.multi_capture:
        return True
    if not all_it_can(g, r, g.open_value, takeable(g, r)):
        return False
    if standing(g, r) >> g.open_value & 1 and not g.take_build:
        return False
    if g.open_value == 14 and g.picked & ~15 == 0 and not g.take_build:
        return False
    return _is_most(g.picked, useful_cards(capture_pool(g, r), g.open_value), g.open_value)
