"""Picking the cards of a set one by one.

A set is picked in falling order, so it has one path. Whether a card may be next is a question of subset sums over
the cards below it; one pass over the usable cards answers it for all of them.
"""

from casino_env.engine.jit import kernel, lowest
from casino_env.engine.ranks import pips, same_rank

# What a set may be made of, as flags beside the three pools of cards (loose, hand, tops).
PLAIN = 1  # loose cards alone
WITH_HAND = 2  # and one hand card
WITH_TOP = 4  # loose cards and pile tops
WITH_BOTH = 8
ONE_TOP = 16  # at most one pile top
SINGLE = 32  # one card is enough
BASE = 64  # one loose card may start an unfinished build
HAND_BASE = 128  # one hand card may
EQUAL_ONLY = 256  # the set is one loose card (the answer to a call)


# The sums that can be reached with the cards below: bit s of the number for (a hand card is among them) x (a top is).
_NO_CARD = (1, 0, 0, 0)


@kernel
def subset_sums(cards):
    """Bit s: some of the cards (one at least) sum to s <= 14. All have values."""
    sums = 1
    while cards:
        value = pips(lowest(cards))
        cards &= cards - 1
        sums |= sums << value & 0x7FFF
    return sums & ~1


@kernel
def next_cards(loose, hand, top, flags, left, below, last_source_card):
    """The cards that may be picked next while `left` is still missing.

    below: 52 for the first card, else the last one picked. last_source_card: a top that may not start a set of
    several cards (R44), or -1. With it equal cards may be picked in either order, since their order counts.
    """
    legal = 0
    ties_free = last_source_card > -2
    pool = loose | hand | top
    if below < 52:
        pool &= (1 << below) - 1 if not ties_free else (2 << (below | 3)) - 1
    reached = _NO_CARD
    rest = pool
    while rest:
        group = rest & same_rank(lowest(rest))
        value = pips(lowest(rest))
        rest &= ~group
        if value > left:
            break
        need = left - value
        after = reached
        cards = group
        while cards:
            card = lowest(cards)
            cards &= cards - 1
            bit = 1 << card
            if ties_free:  # the others of its rank may follow it
                after = _with_all(reached, group & ~bit, value, loose, hand, flags)
            if need == 0:
                if below < 52 or flags & SINGLE:
                    ok = _single(bit, loose, hand, flags)
                else:
                    ok = (bit & loose and flags & BASE) or (bit & hand and flags & HAND_BASE)
            elif below == 52 and (card == last_source_card or flags & EQUAL_ONLY):
                ok = False
            else:
                ok = _completes(bit, loose, hand, flags, need, after)
            if ok:
                legal |= bit
            if not ties_free:
                after = _with_card(after, bit, value, loose, hand, flags)
        reached = _with_all(reached, group, value, loose, hand, flags) if ties_free else after
    return legal


@kernel
def _with_all(reached, cards, value, loose, hand, flags):
    """Let several cards of one value into the sums."""
    while cards:
        reached = _with_card(reached, cards & -cards, value, loose, hand, flags)
        cards &= cards - 1
    return reached


@kernel
def _with_card(reached, bit, value, loose, hand, flags):
    """Let one more card into the sums."""
    r00, r01, r10, r11 = reached
    if bit & loose:
        return (
            r00 | r00 << value & 0x7FFF,
            r01 | r01 << value & 0x7FFF,
            r10 | r10 << value & 0x7FFF,
            r11 | r11 << value & 0x7FFF,
        )
    if bit & hand:
        return r00, r01, r10 | r00 << value & 0x7FFF, r11 | r01 << value & 0x7FFF
    if flags & ONE_TOP:
        return r00, r01 | r00 << value & 0x7FFF, r10, r11 | r10 << value & 0x7FFF
    return r00, r01 | (r00 | r01) << value & 0x7FFF, r10, r11 | (r10 | r11) << value & 0x7FFF


@kernel
def _single(bit, loose, hand, flags):
    """The card alone completes the set."""
    if bit & loose:
        return flags & PLAIN != 0
    if bit & hand:
        return flags & WITH_HAND != 0
    return flags & WITH_TOP != 0


@kernel
def _completes(bit, loose, hand, flags, need, reached):
    """The card and some below it complete the set in an allowed way."""
    r00, r01, r10, r11 = reached
    if bit & loose:
        return (
            (flags & PLAIN and r00 >> need & 1)
            or (flags & WITH_HAND and r10 >> need & 1)
            or (flags & WITH_TOP and r01 >> need & 1)
            or (flags & WITH_BOTH and r11 >> need & 1)
        )
    if bit & hand:
        return (flags & WITH_HAND and r00 >> need & 1) or (flags & WITH_BOTH and r01 >> need & 1)
    if flags & ONE_TOP:
        return (flags & WITH_TOP and r00 >> need & 1) or (flags & WITH_BOTH and r10 >> need & 1)
    return (flags & WITH_TOP and (r00 | r01) >> need & 1) or (flags & WITH_BOTH and (r10 | r11) >> need & 1)


@kernel
def with_rest(flags, has_hand, has_top):
    """What the rest of a set may hold once it has a hand card or a top."""
    if has_hand:
        flags = (flags & ~15) | (PLAIN if flags & WITH_HAND else 0) | (WITH_TOP if flags & WITH_BOTH else 0)
    if has_top:
        kept_tops = 0 if flags & ONE_TOP else flags & (WITH_TOP | WITH_BOTH)
        rest = (PLAIN if flags & WITH_TOP else 0) | (WITH_HAND if flags & WITH_BOTH else 0)
        flags = (flags & ~15) | rest | kept_tops
    return flags


@kernel
def first_cards(r, loose, hand, top, flags, value, last_source_card):
    """The cards with which a set worth value may begin."""
    if not r.no_return:
        last_source_card = -2
    legal = next_cards(loose, hand, top, flags, value, 52, last_source_card)
    if value == 14:  # an ace of 14 is a whole set
        aces = 15
        if flags & SINGLE:
            if flags & PLAIN:
                legal |= loose & aces
            if flags & WITH_HAND:
                legal |= hand & aces
            if flags & WITH_TOP:
                legal |= top & aces
        if flags & BASE:
            legal |= loose & aces
        if flags & HAND_BASE:
            legal |= hand & aces
    return legal
