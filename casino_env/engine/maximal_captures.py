"""What a card can take at all, and maximal captures: those that no other capture of the same card contains (R21)."""

from functools import cache

import numpy as np

from casino_env.compiler.jit import bits_of, borrow_bytes, borrow_words, give_back, highest, kernel, lowest, popcount
from casino_env.engine.reading import (
    card_value,
    open_piles,
    owner_of,
    pile_of,
    pips,
    rank_cards,
    same_rank,
    side_of,
    standing,
    tops,
    values_of,
)
from casino_env.engine.sets import subset_sums, with_sums
from casino_env.engine.state import CHAIN_ALL

# === What a card can take at all ======================================================================================


@kernel
def capture_tops(g, r):
    """The tops of piles that are captured like loose cards."""
    return tops(g, r, g.to_move) if r.capture_tops and r.tops_in_sums else 0


@kernel
def court_targets(g, card):
    return g.layout & same_rank(card)


@kernel
def capture_pool(g, r):
    """Cards that the declared capture may take."""
    if g.open_value == 0:
        return court_targets(g, g.hand_card)
    return (g.layout & r.numeric) | capture_tops(g, r)


@kernel
def takeable(g, r):
    """Bit v: a card worth v can capture something, the build of v or cards (aces as 14 alone are not counted)."""
    values = standing(g, r)
    loose = g.layout & r.numeric
    if not r.multi_capture:
        return values | values_of(loose)
    top = capture_tops(g, r)
    if top and r.pile_capture_needs_table_card:
        return values | with_sums(subset_sums(loose), top)  # a loose one is among them
    return values | subset_sums(loose | top)


# --- pile cards that come along by themselves: tops where they go into no sums, and what lies under a taken one ------


@kernel
def lone_piles(g, r, seat, value, build, equal):
    """Bit p: cards of pile p that are worth the value may be taken one by one, beside the build and an equal loose
    card, if these are taken."""
    if not r.capture_tops or value == 0 or (r.tops_in_sums and r.chain != CHAIN_ALL):
        return 0
    if not (build or equal or r.tops_in_sums):
        return 0
    piles = open_piles(g, r, seat)
    if build and not equal and not r.owner_top:
        owner = owner_of(g, r, value)
        if side_of(r, owner) != side_of(r, seat):
            piles &= ~(1 << pile_of(r, owner))
    return piles


@kernel
def lone_card(g, r, pile, value, taken):
    """The next such card of a pile of which these are taken already; 0 if there is none."""
    card, under = g.pile_top[pile], False
    while card >= 0 and taken >> card & 1:
        card, under = g.below[card], True
    if card < 0 or (r.chain != CHAIN_ALL if under else r.tops_in_sums):
        return 0
    return rank_cards(value) & r.numeric & 1 << card


@kernel
def with_lone_cards(g, r, seat, value, taken):
    """The cards and all pile cards that come along with them, where the build of value is taken if it stands."""
    piles = lone_piles(g, r, seat, value, g.build_top[value] >= 0, taken & g.layout & rank_cards(value) != 0)
    while piles:
        card = lone_card(g, r, lowest(piles), value, taken)
        taken |= card
        if not card:
            piles &= piles - 1
    return taken


@kernel
def can_take(g, card, value, values):
    """The card, worth value, can capture something; values = takeable(). Debts and backing are not asked here."""
    if value == 0:
        return court_targets(g, card) != 0
    return values >> value & 1 != 0


@kernel
def can_take_any(g, r, card, values):
    value = card_value(r, card)
    if can_take(g, card, value, values):
        return True
    return r.ace_high != 0 and value == 1 and values >> 14 & 1 != 0


@kernel
def all_it_can(g, r, value, values):
    """A capture at value is not surpassed by one with the same ace at its other value (R21)."""
    if value != 1 or not r.ace_high or not r.multi_capture or standing(g, r) >> 1 & 1:
        return True
    return not values >> 14 & 1


# === Groups of cards that are worth a value, counted by rank ==========================================================
#
# Cards of a rank are alike here, so sets of cards are vectors of counts, four bits a rank. Whoever holds a card of i
# and one of v - i in two groups may swap: the two become one group, the rest of both another. So a set can be split
# into groups worth v if what is left without all such pairs can; and of such rests there are few, whatever lies there.

_ONES, _EIGHTS = 0x1111111111111, 0x8888888888888
_MOST_VALUE = 14


@kernel
def counts(cards):
    """How many there are of each rank, in the four bits in which a set of cards has its suits."""
    cards -= cards >> 1 & 0x5555555555555
    return (cards & 0x3333333333333) + (cards >> 2 & 0x3333333333333)


@kernel
def within(some, more):
    """No rank has more in the first."""
    return more + _EIGHTS - some & _EIGHTS == _EIGHTS


@kernel
def ranks_of(vector):
    """All cards of the ranks that are not zero."""
    return ((vector | vector >> 1 | vector >> 2) & _ONES) * 15


@kernel
def _of(vector, rank):
    """How many of a rank, 1 to 13."""
    return vector >> 4 * (rank - 1) & 15


# --- the groups of three cards and more: no two of them are a pair ------------------------------------------------


def _parts(value: int, most: int) -> list[list[int]]:
    """The ways to write a value as a sum of ranks in falling order, each at most four times."""
    if value == 0:
        return [[]]
    found = [[rank, *rest] for rank in range(min(value, most), 0, -1) for rest in _parts(value - rank, rank)]
    return [ranks for ranks in found if ranks.count(ranks[0]) <= 4]


@cache
def _groups(value: int) -> list[list[int]]:
    """An ace of 14 is one by itself."""
    return [ranks for ranks in _parts(value, 13) if len(ranks) > 2] + ([[1]] if value == _MOST_VALUE else [])


_ALL = [(value, ranks) for value in range(_MOST_VALUE + 1) for ranks in _groups(value)]
_FROM = np.cumsum([0] + [len(_groups(value)) for value in range(_MOST_VALUE + 1)])
_GROUPS = np.array([sum(1 << 4 * (rank - 1) for rank in ranks) for _, ranks in _ALL])
# What pairs with a card of the group: where it lies, the group would break up a pair.
_PARTNERS = np.array([sum(15 << 4 * (value - rank - 1) for rank in set(ranks)) for value, ranks in _ALL])
_ROOM = int(np.diff(_FROM).max())


# --- sets without pairs ------------------------------------------------------------------------------------------

# A set without pairs has a place in a table: for each pair of ranks how many more there are of the low one than of
# the high one, counted from as many as the pool has of the high one; half the value is there or not.


@kernel
def _without_pairs(vector, value):
    """The same set without its pairs of cards that are worth the value together."""
    for low in range(1, value // 2 + 1):
        high = value - low
        if low == high:
            vector -= (_of(vector, low) & ~1) << 4 * (low - 1)
        else:
            vector -= min(_of(vector, low), _of(vector, high)) * (1 << 4 * (low - 1) | 1 << 4 * (high - 1))
    return vector


@kernel
def _width(pool, value, low):
    """How many steps the table has for the pair of ranks of which this is the low one."""
    return _of(pool, low) + _of(pool, value - low) + 1 if 2 * low < value else min(_of(pool, low), 1) + 1


@kernel
def _place(vector, pool, value):
    """Where a set without pairs lies, seen from where nothing does."""
    place, stride = 0, 1
    for low in range(1, value // 2 + 1):
        place += stride * (_of(vector, low) - (_of(vector, value - low) if 2 * low < value else 0))
        stride *= _width(pool, value, low)
    return place


@kernel
def _origin(pool, value):
    """(the place of nothing, the size of the table)"""
    place, stride = 0, 1
    for low in range(1, value // 2 + 1):
        place += stride * (_of(pool, value - low) if 2 * low < value else 0)
        stride *= _width(pool, value, low)
    return place, stride


@kernel
def _reach(pool, value, table, found, places):
    """Mark (in table) and list what can be put together from groups within the pool, less its pairs, and where each
    lies; returns how much it is."""
    table[_origin(pool, value)[0]] = 1
    found[0], places[0], many = 0, _origin(pool, value)[0], 1
    for i in range(_FROM[value], _FROM[value + 1]):
        group, partners = _GROUPS[i], _PARTNERS[i]
        if not within(group, pool):
            continue
        step = _place(group, pool, value)
        done = 0
        while done < many:  # what this group adds is looked at as well: it may come again
            here, there = found[done], places[done] + step
            done += 1
            if here & partners == 0 and within(here + group, pool) and not table[there]:
                table[there], found[many], places[many] = 1, here + group, there
                many += 1
    return many


@kernel
def splits(cards, value):
    """The cards can be split into groups worth value."""
    pool = _without_pairs(counts(cards & ~_alone(value)), value)
    if pool == 0:
        return True
    origin, size = _origin(pool, value)
    table, found, places = borrow_bytes(size), borrow_words(size), borrow_words(size)
    _reach(pool, value, table, found, places)
    whole = table[origin + _place(pool, pool, value)] != 0
    give_back(table)
    give_back(found)
    give_back(places)
    return whole


@kernel
def _alone(value):
    """The cards that are a group each. (An ace of 14 may also be a part of one.)"""
    return rank_cards(value) if value < _MOST_VALUE else 0


@kernel
def first_group(cards, value):
    """A group worth the value that holds the highest of the cards and leaves cards that can be split likewise."""
    card = highest(cards)
    bit, worth = 1 << card, pips(card)
    if worth == value or (value == _MOST_VALUE and card < 4):
        return bit
    partners = cards & ~bit & rank_cards(value - worth)
    if partners:
        return bit | 1 << highest(partners)
    have = counts(cards)
    for i in range(_FROM[value], _FROM[value + 1]):
        group = _GROUPS[i]
        if _of(group, worth) and within(group, have):
            chosen = _highest_of(cards, group)
            if chosen & bit and splits(cards & ~chosen, value):
                return chosen
    return cards


@kernel
def _highest_of(cards, vector):
    """So many of the cards of each rank, the highest ones."""
    chosen = 0
    while vector:
        rank = lowest(vector) & ~3
        cards_left = cards & 15 << rank
        for _ in range(vector >> rank & 15):
            card = highest(cards_left)
            cards_left &= ~(1 << card)
            chosen |= 1 << card
        vector &= ~(15 << rank)
    return chosen


# --- what cannot grow --------------------------------------------------------------------------------------------


@kernel
def greatest(cards, value):
    """(vectors, how many): the sets that can be split into groups worth value, and no larger one can. The vectors are
    borrowed: whoever asked gives them back."""
    alone = counts(cards & _alone(value))
    pool = counts(cards & ~_alone(value))
    size = _origin(pool, value)[1]
    table, found, places = borrow_bytes(size), borrow_words(size), borrow_words(size)
    reached = _reach(pool, value, table, found, places)
    give_back(table)
    give_back(places)
    many = 0
    for i in range(reached):
        many = _among_the_least(found, many, _left(found[i], pool, value))
    for i in range(many):
        found[i] = pool - found[i] + alone
    return found, many


@kernel
def _left(here, pool, value):
    """The fewest cards of the pool that are left over where pairs are added to a set without any."""
    left = 0
    for low in range(1, value // 2 + 1):
        high = value - low
        if low == high:
            left += (_of(pool, low) - _of(here, low) & 1) << 4 * (low - 1)
        else:
            more = _of(pool, low) - _of(here, low) - _of(pool, high) + _of(here, high)
            left += max(more, 0) << 4 * (low - 1)
            left += max(-more, 0) << 4 * (high - 1)
    return left


@kernel
def _among_the_least(vectors, many, new):
    """Put a vector among the first `many`, of which none lies within another; returns how many there are then."""
    for i in range(many):
        if within(vectors[i], new):
            return many
    kept = 0
    for i in range(many):
        if not within(new, vectors[i]):
            vectors[kept] = vectors[i]
            kept += 1
    vectors[kept] = new
    return kept + 1


# === Maximal captures =================================================================================================
#
# Where opponents may insist, the choice is among these. Mostly there is one, everything; only where groups compete for
# a card is there a search.


@kernel
def useful_cards(cards, value):
    """The cards that belong to some group worth value."""
    used = 0
    for card in bits_of(cards):
        left = value - pips(card)
        others = subset_sums(cards & ~(1 << card)) | 1
        if (left >= 0 and others >> left & 1) or (value == 14 and card < 4):
            used |= 1 << card
    return used


@kernel
def _search(g, r, pool):
    """(first, several, next picks) over all greatest captures that agree with the picks."""
    found, many = greatest(pool, g.open_value)
    answer = _search_among(g, r, pool, found, many)
    give_back(found)
    return answer


@kernel
def _search_among(g, r, pool, found, many):
    must = (g.picked | g.required) & pool
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
        return with_lone_cards(g, r, g.to_move, g.open_value, useful), False, (1 << highest(rest) if rest else 0)
    first, several, picks = _search(g, r, useful)
    return with_lone_cards(g, r, g.to_move, g.open_value, first) if first >= 0 else first, several, picks


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
    pool = capture_pool(g, r)
    useful, summed = useful_cards(pool, g.open_value), g.picked & pool
    if with_lone_cards(g, r, g.to_move, g.open_value, summed) != g.picked:
        return False
    if useful == 0 or summed == useful:
        return True
    found, many = greatest(useful, g.open_value)
    same = 0
    for i in range(many):
        same += found[i] == counts(summed)
    give_back(found)
    return same > 0
