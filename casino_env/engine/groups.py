"""Groups of cards that are worth a value, counted by rank: what all of them together can be, and cannot grow any more.

Cards of a rank are alike here, so sets of cards are vectors of counts, four bits a rank. Whoever holds a card of i and
one of v - i in two groups may swap: the two become one group, the rest of both another. So a set can be split into
groups worth v if what is left without all such pairs can; and of such rests there are few, whatever lies on the table.
"""

from functools import cache

import numpy as np

from casino_env.engine.jit import allocating, kernel
from casino_env.engine.ranks import rank_cards

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


@allocating
def _reach(pool, value, table, found):
    """Mark and list what can be put together from groups within the pool, less its pairs; returns how much it is."""
    places = np.empty(table.size, np.int32)
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


@allocating
def splits(cards, value):
    """The cards can be split into groups worth value."""
    pool = _without_pairs(counts(cards & ~_alone(value)), value)
    if pool == 0:
        return True
    origin, size = _origin(pool, value)
    table = np.zeros(size, np.uint8)
    _reach(pool, value, table, np.empty(size, np.int64))
    return table[origin + _place(pool, pool, value)] != 0


@kernel
def _alone(value):
    """The cards that are a group each. (An ace of 14 may also be a part of one.)"""
    return rank_cards(value) if value < _MOST_VALUE else 0


# --- what cannot grow --------------------------------------------------------------------------------------------


@allocating
def greatest(cards, value):
    """(vectors, how many): the sets that can be split into groups worth value, and no larger one can."""
    alone = counts(cards & _alone(value))
    pool = counts(cards & ~_alone(value))
    size = _origin(pool, value)[1]
    found = np.empty(size, np.int64)
    reached = _reach(pool, value, np.zeros(size, np.uint8), found)
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
