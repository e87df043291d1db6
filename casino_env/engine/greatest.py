"""Captures that take all they can: sets of cards that no other capture of the same card contains (R21).

Where opponents may insist, the choice is among these. Mostly there is one, everything; only where groups compete for
a card is there a search.
"""

from casino_env.engine.captures import all_it_can, capture_pool, court_targets, takeable
from casino_env.engine.groups import counts, greatest, ranks_of, splits, within
from casino_env.engine.jit import allocating, highest, kernel, lowest, popcount
from casino_env.engine.picks import subset_sums
from casino_env.engine.ranks import pips, rank_cards
from casino_env.engine.reading import standing


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


@allocating
def _search(g, r, pool):
    """(first, several, next picks) over all greatest captures that agree with the picks."""
    found, many = greatest(pool, g.open_value)
    must = g.picked | g.required
    out = pool & ~((1 << g.open_last) - 1) & ~g.picked
    if g.take_build or not r.pile_capture_needs_table_card or must & g.layout or pool & ~g.layout == 0:
        return _agreeing(g.picked, must, pool & ~out, found, many)
    first, several, picks = -1, False, 0  # not pile tops alone: go by the highest loose card that is taken
    rest = pool & g.layout & ~out
    while rest:
        card = highest(rest)
        one, more, following = _agreeing(g.picked, must | 1 << card, pool & ~out, found, many)
        several = several or more or (one >= 0 and first >= 0)
        first = max(first, one)
        picks |= following
        out |= 1 << card
        rest &= ~(1 << card)
    return first, several, picks


@kernel
def _agreeing(picked, must, able, found, many):
    """(first, several, next picks) over the captures of these counts that hold `must` and else only `able` cards."""
    first, several, picks = -1, False, 0
    if must & ~able:
        return first, several, picks
    least, most = counts(must), counts(able)
    for i in range(many):
        wanted = found[i]
        if not (within(least, wanted) and within(wanted, most)):
            continue
        some, not_all = ranks_of(wanted - least), ranks_of(most - wanted)
        several = several or first >= 0 or some & not_all != 0
        first = must | able & some
        rest = wanted - counts(picked)
        if rest:
            rank = highest(rest) & ~3
            picks |= _next_of_rank(able & ~picked & 15 << rank, rest >> rank & 15, must & ~picked & 15 << rank)
    return first, several, picks


@kernel
def _next_of_rank(cards, wanted, must):
    """The highest of so many of the cards, as all of them are picked in falling order and `must` is among them."""
    found = 0
    while cards:
        card = highest(cards)
        cards &= ~(1 << card)
        if popcount(cards) >= wanted - 1 and popcount(must & cards) <= wanted - 1:
            found |= 1 << card
        if must >> card & 1:
            break
    return found


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
    if useful == 0 or splits(useful, g.open_value):  # no conflicts: everything
        if useful & ~g.layout and not useful & g.layout and not g.take_build and r.pile_capture_needs_table_card:
            useful = 0
        rest = useful & ~g.picked
        return useful, False, (1 << highest(rest) if rest else 0)
    return _search(g, r, useful)


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


@allocating
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
    useful = useful_cards(capture_pool(g, r), g.open_value)
    if useful == 0 or g.picked == useful:
        return True
    found, many = greatest(useful, g.open_value)
    same = 0
    for i in range(many):
        same += found[i] == counts(g.picked)
    return same > 0
