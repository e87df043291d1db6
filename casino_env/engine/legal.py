"""The legal actions of a position, for every kind of decision."""

from casino_env.actions import BUILD, CAPTURE_HIGH, COUNT_OUT, END, NO, RAISE, YES
from casino_env.compiler.jit import bits_of, highest, kernel, lowest, mirrored, popcount
from casino_env.engine.action_set import NOTHING
from casino_env.engine.captures import capture_cards, capturing_cards, may_capture, may_pick_build, may_stop
from casino_env.engine.maximal_captures import all_it_can, can_take, can_take_any, most_captures, takeable
from casino_env.engine.reading import (
    ACES,
    backed,
    card_value,
    kept,
    loose_cards,
    over_limit,
    owners_may_discard,
    partner_of,
    pips,
    rank_cards,
    same_rank,
    side_builds,
    spare,
    standing,
    values_of,
)
from casino_env.engine.sets import (
    HAND_BASE,
    early_cards,
    hand_cards_for_new,
    has_set,
    may_own_by_hand,
    may_own_more,
    may_raise,
    new_base_can_be_completed,
    new_from_table,
    open_set_cards,
    raise_values,
    set_pools,
    waits_for_hand,
)
from casino_env.engine.state import (
    ALWAYS,
    BUNDLE,
    CAPTURING,
    COMPLETE,
    IDLE,
    MAXIMAL,
    OVER,
    RAISED,
    REQUEST,
    SET,
    SORTING,
    STEAL,
    STEAL_BOUND,
)

# Bits of the last word of an action set (action_set.py), which begins with CAPTURE_HIGH.
_BUILD_BIT = BUILD - CAPTURE_HIGH - 1  # add the value
_RAISE_BIT = RAISE - CAPTURE_HIGH - 1
_END = 1 << (END - CAPTURE_HIGH)
_YES = 1 << (YES - CAPTURE_HIGH)
_NO = 1 << (NO - CAPTURE_HIGH)
_COUNT_OUT = 1 << (COUNT_OUT - CAPTURE_HIGH)


# --- what is legal -----------------------------------------------------------------------------------------------


@kernel
def _loose_sums(loose):
    """(sums of one loose card or more, sums of two or more), as bitmasks: bit v is set for the sum v."""
    once, twice = 0, 0
    for card in bits_of(loose):
        value = pips(card)
        twice |= once << value
        once |= (1 | once) << value & 0x7FFF
    return once, twice


@kernel
def _new_values(g, r, loose, once, twice):
    """Bitmask of values for which a new build may be possible: a fast filter by sums and backing cards."""
    held = g.hands[g.to_move]
    sums, backing = twice | _rank_values(loose, r), _rank_values(held & r.numeric, r)
    if not g.played:
        for value in bits_of(backing):
            sums |= once << value
    if r.partner_builds:
        backing |= g.proven[partner_of(g.to_move)]
    return sums & backing


@kernel
def _rank_values(cards, r):
    """Bitmask of the values of the cards; with ace_high an ace is 1 and 14."""
    values = values_of(cards)
    if r.ace_high:
        values |= (values >> 1 & 1) << 14
    return values


@kernel
def _has_new_build(g, r, value, sums, by_hand):
    """Whether a new build of value can be begun; sums decide, since a new build may not start with a pile top. sums:
    from _loose_sums; by_hand: from may_own_by_hand."""
    once, twice = sums
    if not r.table_builds:
        hand, _, flags = set_pools(g, r, value)
        return flags & HAND_BASE != 0 or _sum_with_hand(hand, value, once)
    by_table = twice >> value & 1 != 0
    if by_table and new_from_table(g, r, value):
        return True
    hand, rank = hand_cards_for_new(g, r, value, by_hand), rank_cards(value)
    if hand and _sum_with_hand(hand, value, once):
        return True
    if by_table and waits_for_hand(g, r) and early_cards(g, r, value):
        return True
    with_tops = r.steal == STEAL or r.steal == STEAL_BOUND
    if with_tops or by_table or hand & rank or popcount(loose_cards(g, r) & rank) > 1:  # else there is no second set
        return new_base_can_be_completed(g, r, value)
    return False


@kernel
def _sum_with_hand(hand, value, once):
    """Whether one hand card and some loose cards sum to value."""
    return values_of(hand) << 15 - value & mirrored(once) >> 48 != 0


@kernel
def set_values(g, r):
    """Bitmask of values for which a set can be begun."""
    if g.unfinished:
        return 1 << g.unfinished
    if g.played and not r.table_builds and g.play_value == 0:
        return 0
    loose = loose_cards(g, r)
    source = g.pile_top[g.last_source] if g.last_source >= 0 else -1
    values = 0
    for value in bits_of(standing(g, r)):
        hand, top, flags = set_pools(g, r, value)
        if flags and has_set(r, loose, hand, top, flags, value, source):
            values |= 1 << value
    if not (loose and (r.partner_builds or may_own_more(g, r))):
        return values
    sums, by_hand = _loose_sums(loose), may_own_by_hand(g, r, 1)
    for value in bits_of(_new_values(g, r, loose, sums[0], sums[1]) & ~standing(g, r)):
        if _has_new_build(g, r, value, sums, by_hand):
            values |= 1 << value
    return values


@kernel
def _idle_raises(g, r):
    values = 0
    for value in bits_of(standing(g, r)):
        if may_raise(g, r, value) and raise_values(g, r, value):
            values |= 1 << value
    return values


@kernel
def _idle_captures(g, r, values):
    """(hand cards that may capture, aces that may capture as 14)."""
    aces = g.hands[g.to_move] & ACES if r.ace_high else 0
    high = aces if aces and may_capture(g, r, lowest(aces), 14, values) else 0
    return capturing_cards(g, r, values), high


@kernel
def _idle_discards(g, r, values):
    seat = g.to_move
    if g.debt or over_limit(g, r, seat) or (g.owned[seat] and not owners_may_discard(g, r)):
        return 0
    cards = spare(g.hands[seat], kept(g, r, seat))
    if r.insist_capture != ALWAYS:
        return cards
    discards, rest = 0, cards
    while rest:
        card = lowest(rest)
        equal = rest & same_rank(card)
        rest &= ~equal
        if not can_take_any(g, r, card, values):
            discards |= equal
    return discards


@kernel
def _bundle_actions(g, r):
    if g.played:
        return 0, 0, 0, _END
    hand = g.hands[g.to_move]
    ranks = g.layout
    for seat in range(r.players):
        if seat != g.to_move and g.pile_top[seat] >= 0:
            ranks |= 1 << g.pile_top[seat]
    captures, rest = 0, hand
    for card in bits_of(rest):
        if ranks & same_rank(card):
            captures |= 1 << card
    return 0, hand, captures, 0


@kernel
def _by_the_rules(g, r):
    """The legal actions between the plays of a turn."""
    if r.bundles:
        return _bundle_actions(g, r)
    values = set_values(g, r)
    other = values << _BUILD_BIT
    if g.unfinished:
        return 0, 0, 0, other
    if g.played:
        owed = (g.must_add or r.insist_augment == ALWAYS) and values & side_builds(g, r, g.to_move)
        if not owed:
            other |= _END
        return 0, 0, 0, other
    takes = takeable(g, r)
    captures, high = _idle_captures(g, r, takes)
    other |= high | _idle_raises(g, r) << _RAISE_BIT
    if r.count_out and not g.acted:
        other |= _COUNT_OUT
    return 0, _idle_discards(g, r, takes), captures, other


@kernel
def _idle_actions(g, r):
    """The legal actions in IDLE. A seat without any, which no play leads to (R49), may discard every card."""
    cards, discards, captures, other = _by_the_rules(g, r)
    if not (cards | discards | captures | other or g.played or g.unfinished):
        discards = g.hands[g.to_move]
    return cards, discards, captures, other


@kernel
def _complete_actions(g, r):
    """After an opponent insisted: the same card again, for a capture that takes all it can."""
    card, value = g.hand_card, card_value(r, g.hand_card)
    captures, high = 0, 0
    if g.take_build:  # the capture includes the build, so the value stays
        if g.open_value == 14:
            high = 1 << card
        else:
            captures = 1 << card
        return 0, 0, captures, high
    values = takeable(g, r)
    if can_take(g, card, value, values) and all_it_can(g, r, value, values) and g.open_value != 14:
        captures = 1 << card
    if value == 1 and r.ace_high and values >> 14 & 1:
        high = 1 << card
    return 0, 0, captures, high


@kernel
def _bundle_cards(g, r):
    """The targets of a bundle capture: loose cards (named by the highest of the rank) and tops of piles."""
    rank = same_rank(g.hand_card)
    cards = 0
    if g.layout & rank:
        cards = 1 << highest(g.layout & rank)
    for seat in range(r.players):
        if seat != g.to_move and g.pile_top[seat] >= 0:
            cards |= rank & (1 << g.pile_top[seat])
    return cards


@kernel
def _request_actions(g, r):
    """Yes or no for a partner that can take the build. For others only no, so the question passes unseen (R62)."""
    needs = g.owned[g.actor] | 1 << g.open_value
    return (0, 0, 0, _YES | _NO) if backed(g.hands[g.actor], needs) else (0, 0, 0, _NO)


@kernel
def legal_actions(g, r):
    """The legal actions of the actor; NOTHING when the game is over."""
    mode = g.mode
    if mode == IDLE:
        return _idle_actions(g, r)
    if mode == SET:
        return open_set_cards(g, r), 0, 0, 0
    if mode == RAISED:
        return 0, 0, 0, raise_values(g, r, g.raising) << _BUILD_BIT
    if mode == CAPTURING:
        other = 0
        if may_pick_build(g, r):
            other |= 1 << (_BUILD_BIT + g.open_value)
        if may_stop(g, r):
            other |= _END
        return capture_cards(g, r), 0, 0, other
    if mode == MAXIMAL:
        other = 0
        if not r.multi_capture and standing(g, r) >> g.open_value & 1:
            other |= 1 << (_BUILD_BIT + g.open_value)
        return most_captures(g, r)[2], 0, 0, other
    if mode == COMPLETE:
        return _complete_actions(g, r)
    if mode == SORTING:
        return g.required, 0, 0, 0
    if mode == BUNDLE:
        return _bundle_cards(g, r), 0, 0, 0
    if mode == REQUEST:
        return _request_actions(g, r)
    if mode == OVER:
        return NOTHING
    return 0, 0, 0, _YES | _NO
