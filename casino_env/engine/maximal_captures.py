"""What a card can capture, and maximal captures: those that no other capture with the same card contains (R21)."""

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

# === What a card can capture ==========================================================================================


@kernel
def capture_tops(g, r):
    """The pile tops that can be captured like loose cards."""
    return tops(g, r, g.to_move) if r.capture_tops and r.tops_in_sums else 0


@kernel
def court_targets(g, card):
    return g.layout & same_rank(card)


@kernel
def capture_pool(g, r):
    """The cards that the declared capture may take."""
    if g.open_value == 0:
        return court_targets(g, g.hand_card)
    return (g.layout & r.numeric) | capture_tops(g, r)


@kernel
def takeable(g, r):
    """Bitmask of values: a card worth v can capture the build of v or cards. An ace alone as 14 does not count."""
    values = standing(g, r)
    loose = g.layout & r.numeric
    if not r.multi_capture:
        return values | values_of(loose)
    top = capture_tops(g, r)
    if top and r.pile_capture_needs_table_card:
        return values | with_sums(subset_sums(loose), top)  # with at least one loose card
    return values | subset_sums(loose | top)


# --- single pile cards: tops where tops_in_sums is off, and cards under a taken top with chain = all ------------------


@kernel
def lone_piles(g, r, seat, value, build, equal):
    """Bitmask of piles from which single cards worth the value may be captured, given whether the capture takes the
    build and an equal loose card."""
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
    """The next card of the pile that may be captured singly, given the cards taken so far; 0 if there is none."""
    card, under = g.pile_top[pile], False
    while card >= 0 and taken >> card & 1:
        card, under = g.below[card], True
    if card < 0 or (r.chain != CHAIN_ALL if under else r.tops_in_sums):
        return 0
    return rank_cards(value) & r.numeric & 1 << card


@kernel
def with_lone_cards(g, r, seat, value, taken):
    """Add all single pile cards to the cards taken; the build of value counts as taken if it stands."""
    piles = lone_piles(g, r, seat, value, g.build_top[value] >= 0, taken & g.layout & rank_cards(value) != 0)
    while piles:
        card = lone_card(g, r, lowest(piles), value, taken)
        taken |= card
        if not card:
            piles &= piles - 1
    return taken


@kernel
def can_take(g, card, value, values):
    """Whether the card, worth value, can capture something. values: takeable(). Ignores debts and backing."""
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
    """Whether the same ace at its other value could not capture more (R21)."""
    if value != 1 or not r.ace_high or not r.multi_capture or standing(g, r) >> 1 & 1:
        return True
    return not values >> 14 & 1


# === Groups of cards that are worth a value, counted by rank ==========================================================
#
# Cards of a rank are alike here, so a set of cards is a vector of counts, four bits per rank. If two groups hold a card
# of i and one of v - i, swap: these two become one group, the rest of both another. So a set can be split into groups
# worth v if and only if the rest without all such pairs can. Few such rests exist, whatever lies on the table.

_ONES, _EIGHTS = 0x1111111111111, 0x8888888888888
_MOST_VALUE = 14


@kernel
def counts(cards):
    """The number of cards of each rank, as a vector: four bits per rank, at the bits of its suits."""
    cards -= cards >> 1 & 0x5555555555555
    return (cards & 0x3333333333333) + (cards >> 2 & 0x3333333333333)


@kernel
def within(some, more):
    """Whether no rank has a higher count in the first vector."""
    return more + _EIGHTS - some & _EIGHTS == _EIGHTS


@kernel
def ranks_of(vector):
    """All cards of the ranks whose count is not zero."""
    return ((vector | vector >> 1 | vector >> 2) & _ONES) * 15


@kernel
def _of(vector, rank):
    """The count of a rank, 1 to 13."""
    return vector >> 4 * (rank - 1) & 15


# --- groups of three cards and more: they contain no pair ----------------------------------------------------------


def _parts(value: int, most: int) -> list[list[int]]:
    """The ways to write a value as a sum of ranks in falling order, each rank at most four times."""
    if value == 0:
        return [[]]
    found = [[rank, *rest] for rank in range(min(value, most), 0, -1) for rest in _parts(value - rank, rank)]
    return [ranks for ranks in found if ranks.count(ranks[0]) <= 4]


@cache
def _groups(value: int) -> list[list[int]]:
    """The groups of three cards and more that are worth the value; for 14 also the single ace."""
    return [ranks for ranks in _parts(value, 13) if len(ranks) > 2] + ([[1]] if value == _MOST_VALUE else [])


_ALL = [(value, ranks) for value in range(_MOST_VALUE + 1) for ranks in _groups(value)]
_FROM = np.cumsum([0] + [len(_groups(value)) for value in range(_MOST_VALUE + 1)])
_GROUPS = np.array([sum(1 << 4 * (rank - 1) for rank in ranks) for _, ranks in _ALL])
# The ranks that pair with a card of the group: a set that holds one would gain a pair.
_PARTNERS = np.array([sum(15 << 4 * (value - rank - 1) for rank in set(ranks)) for value, ranks in _ALL])
_ROOM = int(np.diff(_FROM).max())


# --- sets without pairs ------------------------------------------------------------------------------------------

# A set without pairs has an index in a table. Each pair of ranks is a dimension: the count of the low rank less that of
# the high rank, offset by the pool's count of the high rank. Half the value is a dimension of 0 or 1.


@kernel
def _without_pairs(vector, value):
    """Remove all pairs of cards that sum to the value."""
    for low in range(1, value // 2 + 1):
        high = value - low
        if low == high:
            vector -= (_of(vector, low) & ~1) << 4 * (low - 1)
        else:
            vector -= min(_of(vector, low), _of(vector, high)) * (1 << 4 * (low - 1) | 1 << 4 * (high - 1))
    return vector


@kernel
def _width(pool, value, low):
    """The size of the table's dimension for the pair of ranks whose lower rank is `low`."""
    return _of(pool, low) + _of(pool, value - low) + 1 if 2 * low < value else min(_of(pool, low), 1) + 1


@kernel
def _place(vector, pool, value):
    """The table index of a set without pairs, relative to that of the empty set."""
    place, stride = 0, 1
    for low in range(1, value // 2 + 1):
        place += stride * (_of(vector, low) - (_of(vector, value - low) if 2 * low < value else 0))
        stride *= _width(pool, value, low)
    return place


@kernel
def _origin(pool, value):
    """(table index of the empty set, size of the table)."""
    place, stride = 0, 1
    for low in range(1, value // 2 + 1):
        place += stride * (_of(pool, value - low) if 2 * low < value else 0)
        stride *= _width(pool, value, low)
    return place, stride


@kernel
def _reach(pool, value, table, found, places):
    """Find everything that can be put together from groups within the pool, less its pairs, nothing included. Mark what
    has cards in table, list vectors in found and their indices in places; return how many there are."""
    found[0], places[0], many = 0, _origin(pool, value)[0], 1
    for i in range(_FROM[value], _FROM[value + 1]):
        group, partners = _GROUPS[i], _PARTNERS[i]
        if not within(group, pool):
            continue
        step = _place(group, pool, value)
        done = 0
        while done < many:  # includes what this group adds, since it may repeat
            here, there = found[done], places[done] + step
            done += 1
            if here & partners == 0 and within(here + group, pool) and not table[there]:
                table[there], found[many], places[many] = 1, here + group, there
                many += 1
    return many


@kernel
def splits(cards, value):
    """Whether the cards can be split into groups worth value."""
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
    """The cards that are a group by themselves. Not the ace as 14, which may also be part of a group."""
    return rank_cards(value) if value < _MOST_VALUE else 0


@kernel
def first_group(cards, value):
    """A group worth the value that holds the highest card, such that the other cards can still be split."""
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
    """The highest cards of each rank, as many as the vector counts."""
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


# --- maximal sets ------------------------------------------------------------------------------------------------


@kernel
def greatest(cards, value):
    """(vectors, number of vectors) of the sets that can be split into groups worth value and are within no larger such
    set. The caller gives back the borrowed vectors."""
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
    """The fewest cards of the pool that are left over once pairs are added to a set without pairs."""
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
    """Insert a vector into the first `many`, keeping only minimal ones; return the new number."""
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
# Where opponents may insist, the choice is among maximal captures. Mostly there is one, which takes everything; only
# groups that compete for a card need a search.


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
    """(first, several, next picks) over all maximal captures that agree with the picks."""
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
    first, several, picks = -1, False, 0  # pile tops alone are not allowed: branch on the highest loose card taken
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
    """(first, several, next picks) over captures with these counts that hold `must` and otherwise `able` cards."""
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
    """The cards that can come first when `wanted` cards of a rank, with `must`, are picked in falling order."""
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
    """(a maximal capture, whether there are others, the cards that may be picked next if there are).

    Considers the captures at open_value that agree with the picks. All of them include the build.
    """
    if g.open_value == 0:
        return _most_courts(g, r)
    if not r.multi_capture:
        return _most_single(g, r)
    useful = useful_cards(capture_pool(g, r), g.open_value)
    if useful == 0 or splits(useful, g.open_value):  # no conflicts: take everything
        if useful & ~g.layout and not useful & g.layout and not g.take_build and r.pile_capture_needs_table_card:
            useful = 0
        return with_lone_cards(g, r, g.to_move, g.open_value, useful), False, 0
    first, several, picks = _search(g, r, useful)
    return with_lone_cards(g, r, g.to_move, g.open_value, first) if first >= 0 else first, several, picks


@kernel
def _most_courts(g, r):
    pool = court_targets(g, g.hand_card)
    count = popcount(pool)
    if r.court_take == 0 or count == 1 or (r.court_take == 1 and count == 3):
        return pool, False, 0
    if g.picked:
        return g.picked, False, 0
    if g.required:
        return g.required, False, 0
    return pool & -pool, True, pool


@kernel
def _most_single(g, r):
    """Without multi_capture: one card or the build, each maximal. Here take_build is picked, not given."""
    if g.take_build or g.picked:
        return g.picked, False, 0
    pool = capture_pool(g, r) & rank_cards(g.open_value)
    build = standing(g, r) >> g.open_value & 1
    return pool & -pool, popcount(pool) + build > 1, pool


@kernel
def is_most(g, r):
    """Whether the declared capture (picked, take_build) is maximal."""
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
