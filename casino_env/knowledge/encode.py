"""The observation of a seat: the features that are on in its view, as a list or as one byte or bit per feature."""

from typing import NamedTuple

import numpy as np

from casino_env.cards import CARDS
from casino_env.compiler.jit import bits_of, card_sets, entry, is_bits, items_of, kernel, lowest, popcount, scratch
from casino_env.compiler.types import I16, I64, I8x2, I16x2, I64x2
from casino_env.engine import reading
from casino_env.engine.maximal_captures import counts
from casino_env.engine.reading import (
    away,
    owner_of,
    partner_of,
    rank_cards,
    seat_at,
    side_builds,
    side_of,
    standing,
    stock_cards,
    values_of,
)
from casino_env.engine.scoring import card_points
from casino_env.engine.sets import with_sums
from casino_env.engine.state import AS_BUILT, BUILD_ON_TOP, NO_STEAL, VALUES, Records, RulesRow
from casino_env.knowledge.layout import (
    BEST_CARDS,
    BEST_POINTS,
    CARD_STEP,
    CERTAIN_POINTS,
    CHANCES,
    DEALS,
    DEPTH_BITS,
    EXPECTED,
    LEAD,
    POINTS,
    REACH_CARDS,
    REACH_POINTS,
    SPADES,
    STOCK_STEP,
    SWEEPS,
    TENS,
    UNITS,
    LayoutRow,
)
from casino_env.knowledge.reach import (
    LEVELS,
    SURE,
    by_value,
    cards_in_reach,
    find_odds,
    find_taken,
    loose_in_reach,
    surely_held,
)
from casino_env.knowledge.view import make_view, unseen

# === Appending features ===============================================================================================

# What is written to, `out`, is a list of features, or in 64-bit words a bit for each feature (is_bits), all 0 at first:
# each kernel is compiled for both. It returns the new length of a list; bits have none.

# Some kernels write a few entries past the new length, which later features overwrite: faster than a branch per entry.
# Lists have room for that, since no depth needs all the binary digits that it has room for.


_AT_ONCE = 16  # writes that LLVM merges into one instruction


@kernel
def put(out, count, feature):
    """Append a feature."""
    if is_bits(out):
        out[feature >> 6] |= 1 << (feature & 63)
        return count
    out[count] = feature
    return count + 1


@kernel
def _set_bits(out, first, bits):
    """Switch on the features that a number of at most 63 binary digits names, from `first` on."""
    word, place = first >> 6, first & 63
    out[word] |= bits << place
    rest = bits >> 63 - place >> 1
    if rest:
        out[word + 1] |= rest


@kernel
def fill(out, count, first, length):
    """Append `length` consecutive features from `first` on: a thermometer code."""
    if is_bits(out):
        _set_bits(out, first, (1 << length) - 1)
        return count
    for i in range(_AT_ONCE):
        out[count + i] = first + i
    for i in range(_AT_ONCE, length):
        out[count + i] = first + i
    return count + length


@kernel
def each(out, count, cards, first, width):
    """Append one feature per card of a set, in rows of `width` features. In a list two at once, for speed."""
    if is_bits(out):
        for card in bits_of(cards):
            put(out, count, first + card * width)
        return count
    at, left = count, cards
    while left:
        rest = left & left - 1
        out[at] = first + lowest(left) * width
        out[at + 1] = first + lowest(rest) * width
        at += 2
        left = rest & rest - 1
    return count + popcount(cards)


@kernel
def digits(out, count, number, first):
    """Append one feature per binary digit of a number."""
    if is_bits(out):
        _set_bits(out, first, number)
        return count
    return each(out, count, number, first, 1)


@kernel
def once(out, since, count, feature):
    """Append a feature unless it is among those appended since index `since`."""
    if not is_bits(out):
        for i in range(since, count):
            if out[i] == feature:
                return count
    return put(out, count, feature)


# === What the seat can work out, as features ==========================================================================

_SHARES = np.arange(SURE + 1) / SURE  # percent as fractions; a table, because a division would dominate the cost
_WORTH = 120  # most that a capture can be worth: 4 per point, 1 per card


_BUCKETS = np.searchsorted([1, 2, 3, 5], np.arange(CARDS + 1), side="right") - 1  # by card count: 1, 2, 3 or 4, more


@kernel
def _points(r, cards):
    return min(card_points(r, cards), REACH_POINTS - 1)


@kernel
def _threat(row, points, cards):
    """The index of a threat within its segment: points and cards that the holder described by the row would take."""
    return (row * REACH_POINTS + min(points, REACH_POINTS - 1)) * REACH_CARDS + _BUCKETS[cards]


@kernel
def _write_mine(r, layout, hand, values, pays, taken, out, count):
    """Append which values I hold, and what my cards would take."""
    holds, threats = layout.holds, layout.threats  # locals, or they would be read again after each feature
    best, most, held = 0, 0, by_value(counts(hand))
    for value in bits_of(values):
        row = (value - 1) * CHANCES + (held >> 4 * value & 15) - 1
        count = put(out, count, holds + row)
        cards = taken[value] if pays >> value & 1 else 0
        if not cards:
            continue
        points, many = card_points(r, cards), popcount(cards)
        count = put(out, count, threats + _threat(row, points, many))
        best, most = max(best, points), max(most, many)
    count = fill(out, count, layout.best, min(best, BEST_POINTS))
    return fill(out, count, layout.best + BEST_POINTS, min(most, BEST_CARDS))


@kernel
def _write_other(r, layout, places, foe, held, taken, tally, out, count):
    """Append what the seat `places` after me may hold and would take; also return the values with which an opponent
    (foe) may take something.

    held: bitmasks of values that it may hold, that take something and that it surely holds, and its chances by the
    number of hidden cards of a rank. tally: hidden cards by value; by value the chance in percent that no opponent
    holds one, and the worth of its capture to the opponent that wants it most; at index 0 the points that an opponent
    is sure of.
    """
    values, pays, sure, odds = held
    hidden, missed, worth = tally
    holds, threats = layout.holds, layout.threats
    first, wanted = (places * layout.ranks - 1) * CHANCES, 0
    for value in bits_of(values):
        chance = SURE if sure >> value & 1 else odds[hidden >> 4 * value & 15] & 127
        row = first + value * CHANCES + LEVELS[chance]
        count = put(out, count, holds + row)
        if foe:  # the first opponent needs no division, which would dominate the cost
            others = missed[value]
            missed[value] = SURE - chance if others == SURE else others * (SURE - chance) // SURE
        cards = taken[value] if pays >> value & 1 else 0
        if not cards:
            continue
        points, many = card_points(r, cards), popcount(cards)
        count = put(out, count, threats + _threat(row, points, many))
        if foe:
            wanted |= 1 << value
            worth[value] = max(worth[value], min(4 * points + many, _WORTH))
            if chance == SURE:
                worth[0] = max(worth[0], points)
    return count, wanted


@kernel
def _expected(wanted, missed, worth):
    """What opponents can expect to take next, in quarters of a point; they prefer the best. wanted: bitmask of values
    with which they may take something."""
    expected, rest = 0.0, 1.0
    while wanted and rest >= 0.05:
        top, best = 0, 0
        for value in bits_of(wanted):
            if worth[value] > best:
                top, best = value, worth[value]
        wanted &= ~(1 << top)
        expected += rest * (1.0 - _SHARES[missed[top]]) * best
        rest *= _SHARES[missed[top]]
    return expected


@kernel
def _write_danger(v, r, layout, seat, built, missed, out, count):
    """Append each build: owner, an opponent's chance to take it, how many cards of mine take it, points, augmented."""
    first = count
    ours = side_builds(v, r, seat)
    for value in bits_of(built):
        owner = 0 if v.owned[seat] >> value & 1 else (1 if ours >> value & 1 else 2)
        status = 0 if missed[value] == SURE else 1 + LEVELS[SURE - missed[value]]
        mine = min(popcount(v.hands[seat] & rank_cards(value)), 2)
        row = ((owner * (CHANCES + 1) + status) * 3 + mine) * REACH_POINTS + _points(r, v.build_cards[value])
        count = once(out, first, count, layout.danger + 2 * row + (v.build_sets[value] > 1))
    return count


@kernel
def _write_steals(v, r, layout, seat, built, out, count):
    """Append pile tops that opponents of the pile's owner could add to builds now."""
    if r.steal == NO_STEAL or not built:
        return count
    sums = with_sums(1, v.layout & r.numeric)
    for i in range(r.players):
        pile = seat_at(r, seat, i)
        top = v.pile_top[pile]
        if top < 0 or not r.numeric >> top & 1:
            continue
        fits = sums << (top >> 2) + 1 & built
        if not fits:
            continue
        ours, others = 0, 0
        for side in range(r.sides):
            if side == side_of(r, pile):
                continue
            if side == side_of(r, seat):
                ours = fits & side_builds(v, r, side)
            else:
                others |= fits & side_builds(v, r, side)
        if ours or others:
            count = put(out, count, layout.steals + (2 * i + (ours != 0)) * REACH_POINTS + _points(r, 1 << top))
    return count


@kernel
def _worth(r, cards):
    """Bitmask of the values of the cards; with ace_high an ace is 1 and 14."""
    values = values_of(cards)
    return values | (values & 2) << 13 if r.ace_high else values


@kernel
def _write_reach(v, r, layout, seat, built, out, count):
    """Append the features that the seat can work out."""
    hidden = unseen(r, v)
    left = counts(hidden)
    missed, worth = scratch(), scratch()
    for value in range(VALUES + 1):
        missed[value], worth[value] = SURE, 0
    for place in bits_of((left | left >> 1 | left >> 2) & reading.SPADES):  # the first card of each rank
        count = put(out, count, layout.unseen + place + (left >> place & 15) - 1)
    taken, odds, loose, all_values = card_sets(), scratch(), loose_in_reach(v, r, built), (2 << layout.ranks) - 2
    table = cards_in_reach(v, r, seat, loose)
    values = _worth(r, v.hands[seat]) & all_values
    known = values & table[2]  # values whose captures are already in `taken`
    find_taken(v, r, seat, known, table, taken)
    count = _write_mine(r, layout, v.hands[seat], values, known, taken, out, count)
    tally, wanted = (by_value(left), missed, worth), 0
    for i in range(1, r.players):
        other = seat_at(r, seat, i)
        if r.capture_tops or r.bundles:  # otherwise all seats take the same
            table, known = cards_in_reach(v, r, other, loose), 0
        sure, may = surely_held(v, r, other), v.hands[other]
        if v.hidden_hand[other]:
            may |= hidden
            find_odds(v.hidden_hand[other], popcount(hidden), odds)
        values = (_worth(r, may) | sure) & all_values
        pays = values & table[2]
        find_taken(v, r, other, pays & ~known, table, taken)
        known |= pays
        foe = side_of(r, other) != side_of(r, seat)
        count, more = _write_other(r, layout, i, foe, (values, pays, sure, odds), taken, tally, out, count)
        wanted |= more
    count = fill(out, count, layout.best + BEST_POINTS + BEST_CARDS, min(worth[0], CERTAIN_POINTS))
    expected = np.int64(_expected(wanted, missed, worth) / 1.5)
    count = fill(out, count, layout.best + BEST_POINTS + BEST_CARDS + CERTAIN_POINTS, min(expected, EXPECTED))
    count = _write_danger(v, r, layout, seat, built, missed, out, count)
    return _write_steals(v, r, layout, seat, built, out, count)


# By depth: how many of its binary digits are 1, and which.
_MANY = np.bitwise_count(np.arange(CARDS)).astype(np.int64)
_DIGITS = np.array(
    [([digit for digit in range(DEPTH_BITS) if depth >> digit & 1] + [0] * 8)[:8] for depth in range(CARDS)], np.int16
)

# === The features that are on, seen from the seat =====================================================================
#
# layout.py describes the segments. Each kernel appends feature indices to `out` and returns the new length.


@kernel
def _write_depth(out, count, depth, first):
    """digits(out, count, depth, first) for the depth of a card, without a loop in a list either."""
    if is_bits(out):
        return digits(out, count, depth, first)
    for i in range(8):
        out[count + i] = first + _DIGITS[depth, i]
    return count + _MANY[depth]


@kernel
def _chain_depth(v, layout, top, out, count):
    """Append the depths of a linked list; in a part of unknown order, the depth where that part begins."""
    if v.shuffled:
        return _depth_of_blocks(v, layout, top, out, count)
    card = top
    for depth in range(CARDS):
        if card < 0:
            return count
        count = _write_depth(out, count, depth, layout.depth + card * (DEPTH_BITS + 1))
        card = v.below[card]
    return count


@kernel
def _depth_of_blocks(v, layout, top, out, count):
    """_chain_depth for views with parts of unknown order."""
    block, card = -1, top
    for depth in range(CARDS):
        if card < 0:
            break
        first = layout.depth + card * (DEPTH_BITS + 1)
        if v.shuffled >> card & 1:
            if block < 0:
                block = depth
            count = digits(out, count, block, first)
            count = put(out, count, first + DEPTH_BITS)
            if v.starts >> card & 1:
                block = -1
        else:
            count = digits(out, count, depth, first)
        card = v.below[card]
    return count


@kernel
def _loose_depth(v, layout, out, count):
    """Append for each loose card how many were laid after it."""
    for card in bits_of(v.layout):
        later = 0
        for other in bits_of(v.layout):
            later += v.laid[other] > v.laid[card]
        count = digits(out, count, later, layout.depth + card * (DEPTH_BITS + 1))
    return count


@kernel
def _write_cards(v, r, layout, seat, out, count):
    n = layout.players
    width = 3 + 3 * n - 1
    laid_now = 1 << v.laid_now if v.laid_now >= 0 else 0
    count = each(out, count, v.hands[seat], layout.place, width)
    count = each(out, count, v.layout & ~laid_now, layout.place + 1, width)
    count = each(out, count, v.layout & laid_now, layout.place + 2, width)
    for i in range(r.players):
        other = seat_at(r, seat, i)
        count = each(out, count, v.piles[other], layout.place + 3 + i, width)
        top = v.pile_top[other]
        if top >= 0:
            count = put(out, count, layout.place + top * width + 3 + n + i)
            count = _chain_depth(v, layout, top, out, count)
        if i:
            count = each(out, count, v.hands[other], layout.place + 2 + 2 * n + i, width)
    if v.stock_top >= 0:  # only in whole games, never in views
        count = _chain_depth(v, layout, v.stock_top, out, count)
    if r.stacking == AS_BUILT:
        count = _loose_depth(v, layout, out, count)
    return count


@kernel
def _write_marks(v, layout, out, count):
    count = each(out, count, v.picked, layout.marks, 3)
    if v.hand_card >= 0:
        count = put(out, count, layout.marks + v.hand_card * 3 + 1)
    return each(out, count, v.required, layout.marks + 2, 3)


@kernel
def _write_builds(v, r, layout, seat, built, out, count):
    width = layout.players + 2
    ordered = r.stacking == AS_BUILT or r.stacking == BUILD_ON_TOP
    for value in bits_of(built):
        count = each(out, count, v.build_cards[value], layout.build + value - 1, layout.max_value)
        if ordered:
            count = _chain_depth(v, layout, v.build_top[value], out, count)
        first = layout.builds + (value - 1) * width
        count = put(out, count, first + away(r, seat, owner_of(v, r, value)))
        count = put(out, count, first + layout.players + (1 if v.build_sets[value] > 1 else 0))
    return count


@kernel
def _taken_by(v, r, seat):
    """(cards that the seat's side has taken, their number); the number includes cards that were forgotten."""
    cards, forgotten = v.piles[seat], v.hidden_pile[seat]
    if r.partners:
        partner = partner_of(seat)
        cards, forgotten = cards | v.piles[partner], forgotten + v.hidden_pile[partner]
    return cards, popcount(cards) + forgotten


@kernel
def _write_seat(v, r, layout, other, i, out, count):
    """Append row i of the seat table, for the seat `other`; also return how many cards its side has taken."""
    steps = layout.card_steps
    row = layout.hand + steps + SPADES + POINTS + SWEEPS + layout.max_value + 3
    at = layout.seats + i * row
    taken, many = _taken_by(v, r, other)
    held = popcount(v.hands[other]) + v.hidden_hand[other]
    count = fill(out, count, at, min(held, layout.hand))
    at += layout.hand
    count = fill(out, count, at, min(many // CARD_STEP, steps))
    at += steps
    count = fill(out, count, at, min(popcount(taken & reading.SPADES), SPADES))
    at += SPADES
    count = fill(out, count, at, min(card_points(r, taken), POINTS))
    at += POINTS
    count = fill(out, count, at, min(v.sweeps[side_of(r, other)], SWEEPS) if r.sweeps else 0)
    at += SWEEPS
    count = digits(out, count, v.proven[other] >> 1, at)
    at += layout.max_value
    if v.last_capture == other:
        count = put(out, count, at)
    if r.partners and i == 2:
        count = put(out, count, at + 1)
    if v.leader == other:
        count = put(out, count, at + 2)
    return count, many


@kernel
def _write_seats(v, r, layout, seat, out, count):
    """Append the seat table; also return the lead of our side over the best other side in cards taken."""
    mine, best = 0, 0
    for i in range(r.players):
        other = seat_at(r, seat, i)
        count, many = _write_seat(v, r, layout, other, i, out, count)
        if side_of(r, other) == side_of(r, seat):
            mine = many
        else:
            best = max(best, many)
    return count, mine - best


@kernel
def _write_turn(v, r, layout, seat, out, count):
    count = put(out, count, layout.mode + v.mode)
    count = put(out, count, layout.actor + away(r, seat, v.actor))
    count = put(out, count, layout.mover + away(r, seat, v.to_move))
    flags = (
        v.acted | v.played << 1 | (v.stolen != 0) << 2 | v.added << 3 | v.merged << 4 | v.no_new_build << 5
        | v.must_add << 6 | v.take_build << 7 | v.tops_only << 8
    )  # fmt: skip
    count = digits(out, count, flags, layout.flags)
    count = digits(out, count, v.settled, layout.settled)
    at = layout.values - 1
    for value in (v.open_value, v.open_left, v.debt, v.unfinished, v.joined, v.raising, v.play_value):
        if value > 0:
            count = put(out, count, at + value)
        at += layout.max_value
    if v.last_source >= 0:
        count = put(out, count, layout.source + away(r, seat, v.last_source))
    count = fill(out, count, layout.round, min(v.round, layout.rounds))
    stock = v.hidden_stock + popcount(stock_cards(v))
    return fill(out, count, layout.stock, min((stock + STOCK_STEP - 1) // STOCK_STEP, 13))


@kernel
def _write_match(v, r, layout, seat, out, count):
    if layout.score < 0:
        return count
    for i in range(r.players):
        score = max(0, v.match_score[side_of(r, seat_at(r, seat, i))])
        at = layout.score + i * (TENS + UNITS)
        count = fill(out, count, at, min(score // 10, TENS))
        count = put(out, count, at + TENS + score % 10)
    return fill(out, count, layout.deals, min(v.deals, DEALS))


@kernel
def encode(v, r, layout, seat, features):
    """Write all features that are on in the seat's view v: as a list of int16, whose length is returned, or a bit for
    each, in words of int64 from the lowest bit of the first one up."""
    out, count = items_of(features), 0
    if is_bits(out):
        features[:] = 0
    for i in range(layout.constants):
        count = put(out, count, layout.constant[i])
    count = _write_cards(v, r, layout, seat, out, count)
    count = _write_marks(v, layout, out, count)
    built = standing(v, r)
    count = _write_builds(v, r, layout, seat, built, out, count)
    count, ahead = _write_seats(v, r, layout, seat, out, count)
    count = _write_turn(v, r, layout, seat, out, count)
    count = _write_reach(v, r, layout, seat, built, out, count)
    count = put(out, count, layout.lead + max(-LEAD, min(LEAD, ahead)) + LEAD)
    return _write_match(v, r, layout, seat, out, count)


@kernel
def list_bits(words, features):
    """Write bits of features as a list; return its length."""
    count = 0
    for word in range(words.shape[0]):
        for bit in bits_of(words[word]):
            features[count] = word << 6 | bit
            count += 1
    return count


# === Views and observations of games ==================================================================================


class ObserverBuffers(NamedTuple):
    """How seats observe, and the workspace, with rows per thread."""

    rules: RulesRow
    layout: LayoutRow  # layout of the observation (layout.Layout.record)
    memory: int  # memory of face-down piles: PERFECT or NONE
    views: Records
    lists: I16x2  # features that are on, a row per thread; observations as lists: a row per game
    words: I64x2  # observations as bits: a row per game; otherwise no columns


@entry
def write_view(records: Records, i: int, rules: RulesRow, seat: int, memory: int, views: Records, slot: int) -> None:
    """Write the seat's view of game i into views[slot]."""
    views[slot] = records[i]
    make_view(records[i], rules[0], seat, memory, views[slot])


@entry
def write_views(records: Records, rules: RulesRow, seats: I64, memory: int, views: Records) -> None:
    for i in range(records.shape[0]):
        write_view(records, i, rules, seats[i], memory, views, i)


# Bytes cleared at once, fewer than any layout has: LLVM inlines a clear of this size. Stretches overlap, or LLVM would
# merge them into one memset, which takes three times as long.
_STRETCH, _NEXT = 512, 480


@kernel
def _spread_out(features, count, dense):
    """Write a list of features as one byte per feature."""
    out, on, last = items_of(dense), items_of(features), dense.shape[0] - _STRETCH
    for first in range(0, last + _NEXT, _NEXT):
        for i in range(_STRETCH):
            out[min(first, last) + i] = 0
    for k in range(0, count - 3, 4):
        out[on[k]] = 1
        out[on[k + 1]] = 1
        out[on[k + 2]] = 1
        out[on[k + 3]] = 1
    for k in range(count & ~3, count):
        out[on[k]] = 1


@kernel
def encode_game(buffers, slot, records, i, seat, dense):
    """Write a seat's observation of game i to row i of the output that has columns: dense (a byte per feature), words
    (a bit per feature), else lists."""
    r, layout, v = buffers.rules[0], buffers.layout[0], buffers.views[slot]
    write_view(records, i, buffers.rules, seat, buffers.memory, buffers.views, slot)
    if buffers.words.shape[1] and not dense.shape[1]:
        encode(v, r, layout, seat, buffers.words[i])
        return
    features = buffers.lists[slot if dense.shape[1] else i]
    count = encode(v, r, layout, seat, features)
    if dense.shape[1]:
        _spread_out(features, count, dense[i])
    else:
        features[count:] = layout.size


@entry
def encode_games(
    records: Records, seats: I64, buffers: ObserverBuffers, slot: int, dense: I8x2, lo: int, hi: int
) -> None:
    for i in range(lo, hi):
        encode_game(buffers, slot, records, i, seats[i], dense)


@entry
def encode_views(records: Records, rules: RulesRow, layout: LayoutRow, seats: I64, features: I16, dense: I8x2) -> None:
    """Encode records as they are: views, or whole games for critics only."""
    for i in range(records.shape[0]):
        count = encode(records[i], rules[0], layout[0], seats[i], features)
        _spread_out(features, count, dense[i])
