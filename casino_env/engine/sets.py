"""Sets of cards worth a value: picking their cards, which sets are legal now, and laying them."""

from casino_env.compiler.jit import bits_of, card_sets, highest, kernel, lowest, popcount
from casino_env.engine.deal import close_action
from casino_env.engine.piles import (
    bottom_of,
    clear_build,
    mark_proven,
    note_stolen,
    play_hand_card,
    set_owner,
    source_of,
    take_loose_and_tops,
)
from casino_env.engine.reading import (
    ACES,
    backed,
    build_limit,
    kept,
    loose_cards,
    over_limit,
    owner_of,
    partner_of,
    pips,
    rank_cards,
    same_rank,
    side_of,
    spare,
    tops,
)
from casino_env.engine.state import (
    APART,
    DOUBLE,
    JOIN,
    MERGE,
    NEW_FREELY,
    NEW_WITH_HAND,
    OWNER,
    RAISE_OPPONENTS,
    SET,
    STEAL,
    STEAL_BOUND,
    STEAL_WITH_HAND,
)

# === Picking the cards of a set one by one ============================================================================
#
# A set is picked in falling order, so it has one path. A card may be next if the cards below it can make up the rest;
# one pass over the usable cards, with subset sums, finds all such cards.

# Flags: which cards of the three pools (loose, hand, tops) a set may hold.
PLAIN = 1  # only loose cards
WITH_HAND = 2  # loose cards and one hand card
WITH_TOP = 4  # loose cards and pile tops
WITH_BOTH = 8  # loose cards, one hand card and pile tops
ONE_TOP = 16  # at most one pile top
SINGLE = 32  # one card is enough
BASE = 64  # one loose card may start an unfinished build
HAND_BASE = 128  # one hand card may start one
EQUAL_ONLY = 256  # the set is one loose card (the answer to a call)


# Reachable sums: a word of four 16-bit lanes, one per flag PLAIN, WITH_HAND, WITH_TOP and WITH_BOTH. Bit s of a lane:
# some cards of this kind sum to s <= 14.
_LANES, _SUMS = 0x0001000100010001, 0x7FFF
_NO_HAND, _NO_TOP = 0x00007FFF00007FFF, 0x7FFF7FFF


@kernel
def _lanes(flags):
    """The lowest bits of the lanes that a set may be in."""
    return flags & PLAIN | (flags & WITH_HAND) << 15 | (flags & WITH_TOP) << 30 | (flags & WITH_BOTH) << 45


@kernel
def with_sums(sums, cards):
    """Extend a bitmask of sums by those with some of the cards added, up to 14. All cards must have values."""
    for card in bits_of(cards):
        sums |= sums << pips(card) & _SUMS
    return sums


@kernel
def subset_sums(cards):
    """Bitmask of the sums of one or more of the cards, up to 14."""
    return with_sums(1, cards) & ~1


@kernel
def next_cards(loose, hand, top, flags, left, below, last_source_card):
    """The cards that may be picked next while `left` is still missing.

    below: 52 for the first card, else the last card picked. last_source_card: a top that may not start a set of several
    cards (R44), -1 for none, -2 without that rule. With the rule equal cards may be picked in either order, because
    their order matters.
    """
    legal = 0
    ties_free = last_source_card > -2
    allowed = _lanes(flags)
    pool = loose | hand | top
    if below < 52:
        pool &= (1 << below) - 1 if not ties_free else (2 << (below | 3)) - 1
    reached = 1
    rest = pool
    while rest:
        group = rest & same_rank(lowest(rest))
        value = pips(lowest(rest))
        rest &= ~group
        if value > left:
            break
        need = left - value
        after = reached
        for card in bits_of(group):
            bit = 1 << card
            if ties_free:  # other cards of its rank may follow it
                after = _with_all(reached, group & ~bit, value, loose, hand, flags)
            if need == 0 and below == 52 and not flags & SINGLE:
                ok = (bit & loose and flags & BASE) or (bit & hand and flags & HAND_BASE)
            elif need and below == 52 and (card == last_source_card or flags & EQUAL_ONLY):
                ok = False
            else:
                ok = _joined(after, bit, loose, hand, flags) >> need & allowed != 0
            if ok:
                legal |= bit
            if not ties_free:
                after = _with_all(after, bit, value, loose, hand, flags)
        reached = _with_all(reached, group, value, loose, hand, flags) if ties_free else after
    return legal


@kernel
def _with_all(reached, cards, value, loose, hand, flags):
    """Extend the sums by several cards of one value."""
    for card in bits_of(cards):
        reached = _with_card(reached, 1 << card, value, loose, hand, flags)
    return reached


@kernel
def _with_card(reached, bit, value, loose, hand, flags):
    """Extend the sums by one card."""
    more = (reached & (_SUMS >> value) * _LANES) << value
    return reached | _joined(more, bit, loose, hand, flags)


@kernel
def _joined(sums, bit, loose, hand, flags):
    """Move sums to the lanes where they belong with this card added; drop those that it may not join."""
    if bit & loose:
        return sums
    if bit & hand:
        return (sums & _NO_HAND) << 16
    one = (sums & _NO_TOP) << 32
    return one if flags & ONE_TOP else one | sums & ~_NO_TOP


@kernel
def with_rest(flags, has_hand, has_top):
    """The flags for the rest of a set that has a hand card or a top."""
    if has_hand:
        flags = flags & ~15 | flags >> 1 & (PLAIN | WITH_TOP)
    if has_top:
        more_tops = 0 if flags & ONE_TOP else flags & (WITH_TOP | WITH_BOTH)
        flags = flags & ~15 | flags >> 2 & (PLAIN | WITH_HAND) | more_tops
    return flags


@kernel
def first_cards(r, loose, hand, top, flags, value, last_source_card):
    """The cards that may begin a set worth value."""
    if not r.no_return:
        last_source_card = -2
    legal = next_cards(loose, hand, top, flags, value, 52, last_source_card)
    if value == 14:  # an ace of 14 is a whole set
        single = flags if flags & SINGLE else 0
        if single & PLAIN or flags & BASE:
            legal |= loose & ACES
        if single & WITH_HAND or flags & HAND_BASE:
            legal |= hand & ACES
        if single & WITH_TOP:
            legal |= top & ACES
    return legal


@kernel
def has_set(r, loose, hand, top, flags, value, last_source_card):
    """Whether a set worth value exists, if one card is enough (SINGLE): a faster test than first_cards."""
    if r.no_return and last_source_card >= 0:
        return first_cards(r, loose, hand, top, flags, value, last_source_card) != 0
    reached, pool = 1, loose | hand | top
    for card in bits_of(pool & (1 << 4 * value) - 1):
        reached = _with_card(reached, 1 << card, pips(card), loose, hand, flags)
    for ace in bits_of(pool & ACES if value == 14 else 0):  # a whole set
        reached |= _joined(1 << 14, 1 << ace, loose, hand, flags)
    return reached >> value & _lanes(flags) != 0


# === Which sets may be laid in the present state: additions, new builds, bases and raises =============================

# --- may the mover own, or give its partner, a new build of v? ---------------------------------------------------


@kernel
def _can_pay(g, r, hand, builds):
    """Whether a card that no build needs can pay an open debt. An own build that is the debt needs none."""
    return g.debt == 0 or spare(hand, builds & ~(1 << g.debt)) & rank_cards(g.debt) != 0


@kernel
def _within_limit(g, r, seat, builds, by_hand):
    """Whether the seat may own this many builds after this action."""
    limit = build_limit(g, r)
    owed = g.debt != 0 and not g.owned[seat] >> g.debt & 1  # the hand card will capture no own build
    if by_hand or g.played or owed or not r.second_build_in_turn:
        return builds <= limit
    return builds <= limit + 1


@kernel
def _needs(g, r, seat, value):
    """Bitmask of the builds to back once the seat owns the build of value too."""
    return kept(g, r, seat) | 1 << value


@kernel
def may_own_from_table(g, r, value, more):
    """Whether a build of value made of table cards may become (more = 1) or stay (0) the mover's."""
    seat = g.to_move
    if not r.table_builds or g.no_new_build:
        return False
    needs = _needs(g, r, seat, value)
    if not _within_limit(g, r, seat, popcount(g.owned[seat]) + more, False):
        return False
    return backed(g.hands[seat], needs) and _can_pay(g, r, g.hands[seat], needs)


@kernel
def may_own_by_hand(g, r, more):
    """Whether a build that gets a hand card may become (more = 1) or stay (0) the mover's."""
    seat = g.to_move
    if g.played or g.debt or g.no_new_build or over_limit(g, r, seat):
        return False
    return _within_limit(g, r, seat, popcount(g.owned[seat]) + more, True)


@kernel
def _hand_cards_if(g, r, value, by_hand):
    """The hand cards for a build of value that becomes or stays the mover's, if it may (by_hand)."""
    return spare(g.hands[g.to_move], _needs(g, r, g.to_move, value)) & r.numeric if by_hand else 0


@kernel
def hand_cards_for_own(g, r, value, more):
    """_hand_cards_if with may_own_by_hand."""
    return _hand_cards_if(g, r, value, may_own_by_hand(g, r, more))


@kernel
def partner_may_own(g, r, value):
    """Whether the partner has proven the value and no other build claims its card (R60)."""
    if not r.partner_builds:
        return False
    partner = partner_of(g.to_move)
    if not g.proven[partner] >> value & 1 or (g.owned[partner] and build_limit(g, r) < 99):
        return False
    same_rank = 1 << 1 | 1 << 14 if value == 1 or value == 14 else 1 << value
    return g.owned[partner] & same_rank == 0


@kernel
def may_lay_from_table(g, r):
    """Whether table cards may be laid for another seat now: an open debt stays payable."""
    seat = g.to_move
    return r.table_builds != 0 and _can_pay(g, r, g.hands[seat], kept(g, r, seat))


@kernel
def hand_cards_for_any(g, r, value):
    """The hand cards that may go into a build of value that belongs to another seat or already to the mover."""
    seat = g.to_move
    if g.played or (g.debt and g.debt != value) or over_limit(g, r, seat):
        return 0
    return spare(g.hands[seat], kept(g, r, seat)) & r.numeric


# --- which cards a set worth v may hold now: (hand cards, tops, flags) ------------------------------------------


@kernel
def _completing_set(g, r, value, mine, more):
    """(hand cards, tops, flags) of a set that completes a base, or that brings the hand card into a build that waits
    for it; for the mover (mine) or its partner."""
    if mine:
        by_table = r.new_builds == NEW_FREELY and may_own_from_table(g, r, value, more)
        hand = hand_cards_for_own(g, r, value, more)
    else:
        by_table = r.new_builds == NEW_FREELY and may_lay_from_table(g, r)
        hand = hand_cards_for_any(g, r, value)
    top = tops(g, r, g.to_move) if r.steal == STEAL or (r.steal == STEAL_BOUND and mine) else 0
    flags = SINGLE
    if by_table:
        flags |= PLAIN | (WITH_TOP if r.steal == STEAL else 0)
    if hand:
        flags |= WITH_HAND | WITH_BOTH
    return hand, top, flags


@kernel
def _set_follows(g, r, value, loose, mine):
    """Whether a build of value begun now could be completed with these loose cards."""
    hand, top, flags = _completing_set(g, r, value, mine, 1 if mine else 0)
    return flags != SINGLE and has_set(r, loose, hand, top, flags, value, -1)


@kernel
def base_can_be_completed(g, r, value, mine):
    """Whether a loose card worth value may start a build, because a second set is available."""
    loose = loose_cards(g, r)
    bases = loose & rank_cards(value)
    return bases != 0 and _set_follows(g, r, value, loose & ~(bases & -bases), mine)


@kernel
def _new_build(g, r, value):
    """set_pools when no build of value is on the table."""
    if not r.table_builds:
        hand = hand_cards_for_own(g, r, value, 1)
        flags = WITH_HAND if hand else 0
        loose = loose_cards(g, r)
        if hand & rank_cards(value):
            if r.equal_builds == APART:
                answers = loose & rank_cards(value)
            else:
                answers = first_cards(r, loose, 0, 0, PLAIN | SINGLE, value, -1)
            if answers:
                flags |= HAND_BASE
        return hand, 0, flags
    hand = hand_cards_for_new(g, r, value, may_own_by_hand(g, r, 1))
    flags = BASE if g.open_count == 0 and new_base_can_be_completed(g, r, value) else 0
    if new_from_table(g, r, value):
        flags |= PLAIN
    if hand:
        flags |= WITH_HAND
    return hand, 0, flags


@kernel
def may_own_more(g, r):
    """Whether the mover may own another build, whatever its value."""
    seat = g.to_move
    return not g.no_new_build and _within_limit(g, r, seat, popcount(g.owned[seat]) + 1, False)


@kernel
def new_from_table(g, r, value):
    """Whether a new build of value may be made of loose cards alone."""
    if r.new_builds != NEW_FREELY:
        return False
    if may_own_from_table(g, r, value, 1):
        return True
    return partner_may_own(g, r, value) and may_lay_from_table(g, r)


@kernel
def hand_cards_for_new(g, r, value, by_hand):
    """The hand cards that may go into a new build of value. by_hand: may_own_by_hand."""
    hand = _hand_cards_if(g, r, value, by_hand)
    return hand | hand_cards_for_any(g, r, value) if partner_may_own(g, r, value) else hand


@kernel
def new_base_can_be_completed(g, r, value):
    """Whether a loose card may start a build of value that is completed later in the turn."""
    if base_can_be_completed(g, r, value, True):
        return True
    return partner_may_own(g, r, value) and base_can_be_completed(g, r, value, False)


@kernel
def _add_to_own_side(g, r, value, owner):
    """set_pools when a build of the mover's side stands."""
    if (r.raise_or_add and g.merged) or (owner != g.to_move and not r.add_to_partner):
        return 0, 0, 0
    hand = hand_cards_for_any(g, r, value)
    flags = SINGLE | PLAIN
    if hand:
        flags |= WITH_HAND
    top = 0
    if r.steal == STEAL:
        top = tops(g, r, g.to_move)
        flags |= WITH_TOP | (WITH_BOTH if hand else 0)
    elif r.steal == STEAL_WITH_HAND and owner == g.to_move and not g.stolen:
        if hand or g.joined == value:
            top = tops(g, r, g.to_move)
            flags |= ONE_TOP | (WITH_BOTH if hand else WITH_TOP)
    elif r.steal == STEAL_BOUND and owner == g.to_move and _may_load(g, value):
        top = tops(g, r, g.to_move)
        flags |= WITH_TOP | (WITH_BOTH if hand else 0)
    return hand, top, flags


@kernel
def _may_load(g, value):
    """steal = bound: whether tops may go into this build, the one that the hand card joined or will be bound to."""
    return g.joined == value if g.played else g.debt == 0 or g.debt == value


@kernel
def _add_to_opponents(g, r, value):
    """set_pools when an opponent's build stands, which must be captured in the same turn (R40)."""
    seat = g.to_move
    if r.steal != STEAL or g.played or over_limit(g, r, seat) or (g.debt and g.debt != value):
        return 0, 0, 0
    if spare(g.hands[seat], kept(g, r, seat)) & rank_cards(value) == 0:
        return 0, 0, 0
    return 0, tops(g, r, seat), SINGLE | PLAIN | WITH_TOP


@kernel
def set_pools(g, r, value):
    """(hand cards, tops, flags) of a set worth value that is begun now; flags are 0 if none may be begun."""
    seat = g.to_move
    owner = owner_of(g, r, value)
    if g.unfinished and g.unfinished != value:
        return 0, 0, 0
    if g.unfinished:
        if r.table_builds:
            return _completing_set(g, r, value, owner == seat, 0)
        return 0, 0, SINGLE | PLAIN | (EQUAL_ONLY if r.equal_builds == APART else 0)
    if not r.table_builds and g.played:  # the further sets of R57
        extra = r.equal_builds == JOIN and g.play_value == value
        return 0, 0, SINGLE | PLAIN if extra else 0
    if owner < 0:
        return _new_build(g, r, value)
    if r.equal_builds == JOIN:
        hand = hand_cards_for_own(g, r, value, 0 if owner == seat else 1)
        return hand, 0, SINGLE | WITH_HAND if hand else 0
    if r.equal_builds == APART:
        return 0, 0, 0
    if side_of(r, owner) == side_of(r, seat):
        return _add_to_own_side(g, r, value, owner)
    return _add_to_opponents(g, r, value)


# --- new_builds = with_hand: sets of loose cards before the one that brings the hand card -------------------------


@kernel
def waits_for_hand(g, r):
    """Whether loose cards may go into a new build before the hand card."""
    return r.new_builds == NEW_WITH_HAND and not g.played


@kernel
def early_cards(g, r, value):
    """The loose cards that may be picked next for a set of a new build that lacks its hand card."""
    owner = owner_of(g, r, value)
    if owner >= 0:
        return _early_cards(g, r, value, owner == g.to_move, 0) if g.unfinished == value else 0
    cards = _early_cards(g, r, value, True, 1)
    return cards | _early_cards(g, r, value, False, 1) if partner_may_own(g, r, value) else cards


@kernel
def _early_cards(g, r, value, mine, more):
    hand, top, _ = _completing_set(g, r, value, mine, more)
    needed = _beside_hand(hand, value)
    loose = loose_cards(g, r) & ~g.picked
    pool, left = loose, value
    if g.open_count:
        left = g.open_left
        pool &= (2 << (g.open_last | 3)) - 1 if r.no_return else (1 << g.open_last) - 1
    cards, rest = 0, pool if needed else 0
    for card in bits_of(rest):
        worth = 14 if card < 4 and left == 14 else pips(card)
        base = more and g.open_count == 0 and worth == left  # a single card is a base, which is handled elsewhere
        if worth > left or base:
            continue
        others = loose & ~(1 << card)
        lower = others & pool & (2 << (card | 3)) - 1 if r.no_return else pool & (1 << card) - 1
        if _two_sums(lower, others | top, left - worth, needed):
            cards |= 1 << card
    return cards


@kernel
def _beside_hand(hand, value):
    """Bitmask of the sums that make up the value with one hand card; bit 0: the hand card is enough."""
    sums = 0
    while hand:
        card = lowest(hand)
        hand &= ~same_rank(card)
        worth = pips(card)
        if worth <= value:
            sums |= 1 << (value - worth)
        if worth == 1 and value == 14:
            sums |= 1
    return sums


@kernel
def _two_sums(cards, more, one, others):
    """Whether some `cards` sum to `one`, and others of `more` (cards included) to a sum in the bitmask `others`."""
    sums = card_sets()  # sums[t]: bitmask of second sums possible when the first is t
    for total in range(one + 1):
        sums[total] = 0
    sums[0] = 1
    for card in bits_of(more):
        worth = pips(card)
        for total in range(one, -1, -1):
            reached = sums[total] | sums[total] << worth
            if cards >> card & 1 and total >= worth:
                reached |= sums[total - worth]
            sums[total] = reached & 0x7FFF
    return sums[one] & others != 0


# --- raises ------------------------------------------------------------------------------------------------------


@kernel
def may_raise(g, r, low):
    """Whether the build of value low may be pulled to be raised."""
    seat = g.to_move
    owner = owner_of(g, r, low)
    if owner < 0 or g.build_sets[low] != 1 or g.unfinished or g.played or over_limit(g, r, seat):
        return False
    if g.debt and r.steal != STEAL_BOUND:
        return False
    return r.raise_by != RAISE_OPPONENTS or side_of(r, owner) != side_of(r, seat)


@kernel
def raise_pools(g, r, low, value):
    """(hand cards, loose cards) with which the build of low may become one of value."""
    seat = g.to_move
    owner = owner_of(g, r, value)
    mine = g.owned[seat] & ~(1 << low)
    stays = owner >= 0 and (owner == seat or r.equal_builds == MERGE)
    if g.debt and g.debt != value:
        return 0, 0
    if owner >= 0:
        if r.equal_builds == APART:
            return 0, 0
        if r.equal_builds == MERGE and side_of(r, owner) != side_of(r, seat):
            return 0, 0
        if (r.raise_or_add and g.added) or (owner != seat and not r.add_to_partner):
            return 0, 0
    if popcount(mine) + (0 if stays else 1) > build_limit(g, r):
        return 0, 0
    needs = 1 << value
    if r.keep_backing:
        needs |= mine
    loose = loose_cards(g, r) if r.raise_with_table else 0
    return spare(g.hands[seat], needs) & r.numeric, loose


@kernel
def raise_cards(g, r, low, value):
    """The cards that may begin the raise."""
    hand, loose = raise_pools(g, r, low, value)
    flags = WITH_HAND | SINGLE
    return next_cards(loose, hand, 0, flags, value - low, 52, -2)


@kernel
def raise_values(g, r, low):
    """Bitmask of values to which the build of low may be raised."""
    values = 0
    most = min(r.max_build, 2 * low) if r.raise_limit == DOUBLE else r.max_build
    for value in range(low + 1, most + 1):
        if raise_cards(g, r, low, value):
            values |= 1 << value
    return values


# --- the open set ------------------------------------------------------------------------------------------------


@kernel
def open_set_cards(g, r):
    """The cards that may be picked next for the open set."""
    if g.raising:
        hand, loose = raise_pools(g, r, g.raising, g.open_value)
        top, flags = 0, WITH_HAND | SINGLE
    else:
        hand, top, flags = set_pools(g, r, g.open_value)
        loose = loose_cards(g, r)
    if g.open_count == 0:
        if g.raising:
            return raise_cards(g, r, g.raising, g.open_value)
        source = g.pile_top[g.last_source] if g.last_source >= 0 else -1
        cards = first_cards(r, loose, hand, top, flags, g.open_value, source)
        return cards | (early_cards(g, r, g.open_value) if waits_for_hand(g, r) else 0)
    has_hand = g.hand_card >= 0
    has_top = g.picked & top != 0
    rest = ~g.picked
    cards = next_cards(
        loose & rest,
        0 if has_hand else hand & rest,
        top & rest,
        with_rest(flags, has_hand, has_top),
        g.open_left,
        g.open_last,
        -1 if r.no_return else -2,
    )
    if waits_for_hand(g, r) and not has_hand and not has_top and not g.raising:
        cards |= early_cards(g, r, g.open_value)
    return cards


# === Laying sets: new builds, bases, additions and raises, and their effects on the turn ==============================


@kernel
def begin_set(g, value, left):
    g.mode = SET
    g.acted = 1
    g.open_value = value
    g.open_left = left


@kernel
def pick_for_set(g, r, card):
    g.open_cards[g.open_count] = card
    g.open_count += 1
    g.picked |= 1 << card
    g.open_last = card
    g.open_left -= 14 if card < 4 and g.open_left == 14 else pips(card)
    if g.hands[g.to_move] >> card & 1:
        g.hand_card = card
    if g.open_left == 0:
        _set_complete(g, r)


@kernel
def _set_complete(g, r):
    """Lay the complete set, after asking whose build it is if mover and partner may both own it."""
    value = g.open_value
    owner = owner_of(g, r, value)
    seat = g.to_move
    if g.raising:
        joins = owner >= 0 and r.equal_builds == MERGE
        lay_set(g, r, owner if joins else seat)
        return
    if owner >= 0:
        lay_set(g, r, seat if r.equal_builds == JOIN else owner)
        return
    if not partner_may_own(g, r, value):
        lay_set(g, r, seat)
        return
    partner = partner_of(seat)
    if g.open_count == 1:
        mine, theirs = base_can_be_completed(g, r, value, True), base_can_be_completed(g, r, value, False)
    elif g.hand_card >= 0:
        mine = hand_cards_for_own(g, r, value, 1) >> g.hand_card & 1 != 0
        theirs = hand_cards_for_any(g, r, value) >> g.hand_card & 1 != 0
    elif r.new_builds == NEW_WITH_HAND:
        loose = loose_cards(g, r) & ~g.picked
        mine, theirs = _set_follows(g, r, value, loose, True), _set_follows(g, r, value, loose, False)
    else:
        mine, theirs = may_own_from_table(g, r, value, 1), may_lay_from_table(g, r)
    if mine and theirs:
        g.mode = OWNER
        return
    lay_set(g, r, seat if mine else partner)


@kernel
def lay_set(g, r, owner):
    """Move the open cards onto the build of open_value, which is or becomes the owner's."""
    value = g.open_value
    stood = g.build_sets[value] > 0
    waits = waits_for_hand(g, r) and g.hand_card < 0 and (not stood or g.unfinished == value)
    _note_addition(g, r, value, stood, owner)
    under, raised = g.build_top[value], g.build_cards[g.raising]
    if g.raising:
        _pull_raised(g, r, value)
    for i in range(g.open_count):
        card = g.open_cards[i]
        g.last_source = source_of(g, r, card)
        if i == 0 and not g.raising:
            g.starts |= 1 << card
        else:
            g.starts &= ~(1 << card)
    take_loose_and_tops(g, r, g.picked)
    for i in range(g.open_count):
        card = g.open_cards[i]
        g.below[card] = g.build_top[value]
        g.build_top[value] = card
    g.build_cards[value] |= g.picked
    if not g.raising:
        g.build_sets[value] += 1
    elif r.resort_raised:
        _resort(g, value, under, raised | g.picked)
    if owner_of(g, r, value) != owner:
        set_owner(g, r, value, owner)
    lone = g.build_sets[value] == 1 and g.open_count == 1 and not g.raising
    g.unfinished = value if lone or waits else 0
    if g.hand_card >= 0:
        play_hand_card(g, g.hand_card)
        if not r.table_builds:
            g.play_value = value
    close_action(g)


@kernel
def _note_addition(g, r, value, stood, owner):
    """Record debts and once-a-turn flags that follow from adding to a build."""
    seat = g.to_move
    stolen = g.picked & ~(g.layout | g.hands[seat])
    if stolen:
        note_stolen(g, r, stolen)
    if r.steal == STEAL_BOUND and owner == seat:
        if g.hand_card >= 0:
            g.joined, g.debt = value, 0
        elif stolen and not g.played:
            g.debt = value
    if not stood or r.equal_builds != MERGE:
        return
    if side_of(r, owner) != side_of(r, seat):
        g.debt = value
    elif g.raising:
        g.merged = 1
    elif not g.unfinished:
        g.added = 1
        if g.hand_card >= 0 and owner == seat:
            g.joined = value


@kernel
def _pull_raised(g, r, value):
    """Put the raised build on top of the build of its new value, or in its place."""
    low = g.raising
    owner = owner_of(g, r, low)
    if side_of(r, owner) != side_of(r, g.to_move):
        mark_proven(g, r, owner, low)
    if g.build_top[value] >= 0:
        g.below[bottom_of(g, g.build_top[low])] = g.build_top[value]
    g.build_top[value] = g.build_top[low]
    g.build_cards[value] |= g.build_cards[low]
    g.build_sets[value] += 1
    clear_build(g, r, low)


@kernel
def _resort(g, value, under, cards):
    """Sort the cards of a raised set from high to low, on top of `under`."""
    top = under
    while cards:
        card = highest(cards)
        cards &= ~(1 << card)
        g.below[card] = top
        g.starts = g.starts | 1 << card if top == under else g.starts & ~(1 << card)
        top = card
    g.build_top[value] = top
