"""What a seat sees, written as the indices of the features that are on, always from its own point of view.

The segments to which they belong are in segments.py. Each kernel appends some indices and returns how many there are.
"""

from casino_env.cards import CARDS
from casino_env.engine import ranks
from casino_env.engine.jit import items_of, kernel, lowest, popcount
from casino_env.engine.reading import away, owner_of, seat_at, side_of
from casino_env.engine.scoring import card_points, cards_taken, side_cards
from casino_env.engine.state import AS_BUILT, BUILD_ON_TOP
from casino_env.knowledge.reach import write_reach
from casino_env.knowledge.segments import (
    CARD_STEP,
    DEALS,
    DEPTH_BITS,
    POINTS,
    SPADES,
    STOCK_STEP,
    SWEEPS,
    TENS,
    UNITS,
)
from casino_env.knowledge.writing import bits, each, fill


@kernel
def _chain_depth(v, plan, top, out, count):
    """Places from the top; where the order is unknown, the place at which that begins."""
    block, card = -1, top
    for depth in range(CARDS):
        if card < 0:
            break
        first = plan.depth + card * (DEPTH_BITS + 1)
        if v.shuffled >> card & 1:
            if block < 0:
                block = depth
            count = bits(out, count, first, block)
            out[count] = first + DEPTH_BITS
            count += 1
            if v.starts >> card & 1:
                block = -1
        else:
            count = bits(out, count, first, depth)
        card = v.below[card]
    return count


@kernel
def _loose_depth(v, plan, out, count):
    """Loose cards by how many were laid after them."""
    rest = v.layout
    while rest:
        card = lowest(rest)
        rest &= rest - 1
        later, others = 0, v.layout
        while others:
            if v.laid[lowest(others)] > v.laid[card]:
                later += 1
            others &= others - 1
        count = bits(out, count, plan.depth + card * (DEPTH_BITS + 1), later)
    return count


@kernel
def _write_cards(v, r, plan, seat, out, count):
    n = plan.players
    width = 3 + 3 * n - 1
    laid_now = 1 << v.laid_now if v.laid_now >= 0 else 0
    count = each(out, count, v.hands[seat], plan.place, width)
    count = each(out, count, v.layout & ~laid_now, plan.place + 1, width)
    count = each(out, count, v.layout & laid_now, plan.place + 2, width)
    for i in range(r.players):
        other = seat_at(r, seat, i)
        count = each(out, count, v.piles[other], plan.place + 3 + i, width)
        top = v.pile_top[other]
        if top >= 0:
            out[count] = plan.place + top * width + 3 + n + i
            count += 1
            count = _chain_depth(v, plan, top, out, count)
        if i:
            count = each(out, count, v.hands[other], plan.place + 2 + 2 * n + i, width)
    if v.stock_top >= 0:  # only in the full truth
        count = _chain_depth(v, plan, v.stock_top, out, count)
    if r.stacking == AS_BUILT:
        count = _loose_depth(v, plan, out, count)
    return count


@kernel
def _write_marks(v, plan, out, count):
    count = each(out, count, v.picked, plan.marks, 3)
    if v.hand_card >= 0:
        out[count] = plan.marks + v.hand_card * 3 + 1
        count += 1
    return each(out, count, v.required, plan.marks + 2, 3)


@kernel
def _write_builds(v, r, plan, seat, out, count):
    width = plan.players + 2
    ordered = r.stacking == AS_BUILT or r.stacking == BUILD_ON_TOP
    for value in range(1, plan.max_value + 1):
        if not v.build_cards[value]:
            continue
        count = each(out, count, v.build_cards[value], plan.build + value - 1, plan.max_value)
        if ordered:
            count = _chain_depth(v, plan, v.build_top[value], out, count)
        first = plan.builds + (value - 1) * width
        out[count] = first + away(r, seat, owner_of(v, r, value))
        out[count + 1] = first + plan.players + (1 if v.build_sets[value] > 1 else 0)
        count += 2
    return count


@kernel
def _write_seat(v, r, plan, other, i, out, count):
    """One row of the seat table."""
    steps = (13 if plan.rows == 52 else popcount(r.deck) // 4) + 1
    row = plan.hand + steps + SPADES + POINTS + SWEEPS + plan.max_value + 3
    at = plan.seats + i * row
    side = side_of(r, other)
    taken = side_cards(v, r, side)
    held = popcount(v.hands[other]) + v.hidden_hand[other]
    count = fill(out, count, at, min(held, plan.hand))
    at += plan.hand
    count = fill(out, count, at, min(cards_taken(v, r, side) // CARD_STEP, steps))
    at += steps
    count = fill(out, count, at, min(popcount(taken & ranks.SPADES), SPADES))
    at += SPADES
    count = fill(out, count, at, min(card_points(r, taken), POINTS))
    at += POINTS
    count = fill(out, count, at, min(v.sweeps[side], SWEEPS) if r.sweeps else 0)
    at += SWEEPS
    count = bits(out, count, at - 1, v.proven[other] & ~1)
    at += plan.max_value
    if v.last_capture == other:
        out[count] = at
        count += 1
    if r.partners and i == 2:
        out[count] = at + 1
        count += 1
    if v.leader == other:
        out[count] = at + 2
        count += 1
    return count


@kernel
def _one_of(out, count, first, value):
    """Value 1.. of a one-hot group; 0 is none."""
    if value > 0:
        out[count] = first + value - 1
        count += 1
    return count


@kernel
def _write_turn(v, r, plan, seat, out, count):
    out[count] = plan.mode + v.mode
    out[count + 1] = plan.actor + away(r, seat, v.actor)
    out[count + 2] = plan.mover + away(r, seat, v.to_move)
    flags = (
        v.acted | v.played << 1 | v.stolen << 2 | v.added << 3 | v.merged << 4 | v.no_new_build << 5
        | v.must_add << 6 | v.take_build << 7 | v.tops_only << 8
    )  # fmt: skip
    count = bits(out, count + 3, plan.flags, flags)
    count = bits(out, count, plan.settled, v.settled)
    at, width = plan.values, plan.max_value
    count = _one_of(out, count, at, v.open_value)
    count = _one_of(out, count, at + width, v.open_left)
    count = _one_of(out, count, at + 2 * width, v.debt)
    count = _one_of(out, count, at + 3 * width, v.unfinished)
    count = _one_of(out, count, at + 4 * width, v.joined)
    count = _one_of(out, count, at + 5 * width, v.raising)
    count = _one_of(out, count, at + 6 * width, v.play_value)
    if v.last_source >= 0:
        out[count] = plan.source + away(r, seat, v.last_source)
        count += 1
    count = fill(out, count, plan.round, min(v.round, plan.rounds))
    stock, card = v.hidden_stock, v.stock_top
    for _ in range(CARDS):
        if card < 0:
            break
        stock += 1
        card = v.below[card]
    return fill(out, count, plan.stock, min((stock + STOCK_STEP - 1) // STOCK_STEP, 13))


@kernel
def _write_match(v, r, plan, seat, out, count):
    if plan.score < 0:
        return count
    for i in range(r.players):
        score = max(0, v.match_score[side_of(r, seat_at(r, seat, i))])
        at = plan.score + i * (TENS + UNITS)
        count = fill(out, count, at, min(score // 10, TENS))
        out[count] = at + TENS + score % 10
        count += 1
    return fill(out, count, plan.deals, min(v.deals, DEALS))


@kernel
def write(v, r, plan, seat, features):
    """The indices of all features that are on in the view v of the seat; returns how many there are."""
    out, count = items_of(features), 0
    for i in range(plan.constants):
        out[count] = plan.constant[i]
        count += 1
    count = _write_cards(v, r, plan, seat, out, count)
    count = _write_marks(v, plan, out, count)
    count = _write_builds(v, r, plan, seat, out, count)
    for i in range(r.players):
        count = _write_seat(v, r, plan, seat_at(r, seat, i), i, out, count)
    count = _write_turn(v, r, plan, seat, out, count)
    count = write_reach(v, r, plan, seat, out, count)
    return _write_match(v, r, plan, seat, out, count)
