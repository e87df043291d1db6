"""Which sets may be laid in the present state: additions, new builds, bases and raises."""

from casino_env.engine.jit import kernel, popcount
from casino_env.engine.picks import (
    BASE,
    EQUAL_ONLY,
    HAND_BASE,
    ONE_TOP,
    PLAIN,
    SINGLE,
    WITH_BOTH,
    WITH_HAND,
    WITH_TOP,
    first_cards,
    next_cards,
    with_rest,
)
from casino_env.engine.ranks import rank_cards
from casino_env.engine.reading import (
    backed,
    build_limit,
    kept,
    loose_cards,
    over_limit,
    owner_of,
    partner_of,
    side_of,
    spare,
    tops,
)
from casino_env.engine.state import APART, JOIN, MERGE, RAISE_OPPONENTS, STEAL, STEAL_WITH_HAND

# Whom a build is begun for.
_FOR_MOVER, _FOR_PARTNER = 1, 2

# --- may the mover own, or give its partner, a new build of v? ---------------------------------------------------


@kernel
def _can_pay(g, r, hand, builds):
    """An open debt can still be paid by a card that no build needs."""
    return g.debt == 0 or spare(hand, builds) & rank_cards(g.debt) != 0


@kernel
def _within_limit(g, r, seat, builds, by_hand):
    """May the seat own this many builds after this action of its turn?"""
    limit = build_limit(g, r)
    if by_hand or g.played or g.debt or not r.second_build_in_turn:
        return builds <= limit
    return builds <= limit + 1


@kernel
def _needs(g, r, seat, value):
    """The builds that must be backed once the seat owns the build of value as well."""
    return kept(g, r, seat) | 1 << value


@kernel
def may_own_from_table(g, r, value, more):
    """A build of value, made of table cards alone, may become (more = 1) or stay (0) the mover's."""
    seat = g.to_move
    if not r.table_builds or g.no_new_build:
        return False
    needs = _needs(g, r, seat, value)
    if not _within_limit(g, r, seat, popcount(g.owned[seat]) + more, False):
        return False
    return backed(g.hands[seat], needs) and _can_pay(g, r, g.hands[seat], needs)


@kernel
def hand_cards_for_own(g, r, value, more):
    """The hand cards that may go into a build of value that becomes or stays the mover's."""
    seat = g.to_move
    if g.played or g.debt or g.no_new_build or over_limit(g, r, seat):
        return 0
    if not _within_limit(g, r, seat, popcount(g.owned[seat]) + more, True):
        return 0
    return spare(g.hands[seat], _needs(g, r, seat, value)) & r.numeric


@kernel
def partner_may_own(g, r, value):
    """The partner has proven the value, and nothing else claims the card (R60)."""
    if not r.partner_builds:
        return False
    partner = partner_of(g.to_move)
    if not g.proven[partner] >> value & 1 or (g.owned[partner] and build_limit(g, r) < 99):
        return False
    same_rank = 1 << 1 | 1 << 14 if value == 1 or value == 14 else 1 << value
    return g.owned[partner] & same_rank == 0


@kernel
def may_lay_from_table(g, r):
    """Table cards may be laid for somebody else now: an open debt stays payable."""
    seat = g.to_move
    return r.table_builds != 0 and _can_pay(g, r, g.hands[seat], kept(g, r, seat))


@kernel
def hand_cards_for_any(g, r):
    """The hand cards that may go into a build of somebody else, or stay in an own one."""
    seat = g.to_move
    if g.played or g.debt or over_limit(g, r, seat):
        return 0
    return spare(g.hands[seat], kept(g, r, seat)) & r.numeric


# --- what a set worth v may hold in the present state: (hand cards, tops, flags) ---------------------------------


@kernel
def _completing_set(g, r, value, loose, mine, more):
    """The set that completes a base, for the mover (mine) or its partner."""
    if mine:
        by_table = may_own_from_table(g, r, value, more)
        hand = hand_cards_for_own(g, r, value, more)
    else:
        by_table = may_lay_from_table(g, r)
        hand = hand_cards_for_any(g, r)
    top = tops(g, r, g.to_move) if r.steal == STEAL else 0
    flags = SINGLE
    if by_table:
        flags |= PLAIN | WITH_TOP
    if hand:
        flags |= WITH_HAND | WITH_BOTH
    return hand, top, flags


@kernel
def base_can_be_completed(g, r, value, mine):
    """A loose card worth value may start a build: a second set is at hand."""
    loose = loose_cards(g, r)
    bases = loose & rank_cards(value)
    if bases == 0:
        return False
    more = 1 if mine else 0
    hand, top, flags = _completing_set(g, r, value, loose, mine, more)
    if flags == SINGLE:
        return False
    return first_cards(r, loose & ~(bases & -bases), hand, top, flags, value, -1) != 0


@kernel
def _new_build(g, r, value):
    """No build of value is on the table."""
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
    by_table, hand, base = new_build_parts(g, r, value)
    flags = BASE if base and new_base_can_be_completed(g, r, value, base) else 0
    if by_table:
        flags |= PLAIN
    if hand:
        flags |= WITH_HAND
    return hand, 0, flags


@kernel
def new_build_parts(g, r, value):
    """What a new build of value may be made of: (table cards, these hand cards, for whom a base may be laid)."""
    by_table = may_own_from_table(g, r, value, 1)
    hand = hand_cards_for_own(g, r, value, 1)
    base = _FOR_MOVER if by_table or hand else 0
    if partner_may_own(g, r, value):
        by_table = by_table or may_lay_from_table(g, r)
        hand |= hand_cards_for_any(g, r)
        base |= _FOR_PARTNER
    return by_table, hand, base


@kernel
def new_base_can_be_completed(g, r, value, base):
    """A loose card may start a build of value that is completed later in the turn."""
    if base & _FOR_MOVER and base_can_be_completed(g, r, value, True):
        return True
    return base & _FOR_PARTNER != 0 and base_can_be_completed(g, r, value, False)


@kernel
def _add_to_own_side(g, r, value, owner):
    """A build of the mover's side stands: add to it."""
    if r.raise_or_add and g.merged:
        return 0, 0, 0
    hand = hand_cards_for_any(g, r)
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
    return hand, top, flags


@kernel
def _add_to_opponents(g, r, value):
    """An opponent's build stands: it may be added to if it is captured in the same turn (R40)."""
    seat = g.to_move
    if r.steal != STEAL or g.played or over_limit(g, r, seat) or (g.debt and g.debt != value):
        return 0, 0, 0
    if spare(g.hands[seat], kept(g, r, seat)) & rank_cards(value) == 0:
        return 0, 0, 0
    return 0, tops(g, r, seat), SINGLE | PLAIN | WITH_TOP


@kernel
def set_pools(g, r, value):
    """(hand cards, tops, flags) of a set worth value that is begun now; no flags: none may be begun."""
    seat = g.to_move
    owner = owner_of(g, r, value)
    if g.unfinished and g.unfinished != value:
        return 0, 0, 0
    if g.unfinished:
        if r.table_builds:
            return _completing_set(g, r, value, loose_cards(g, r), owner == seat, 0)
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


# --- raises ------------------------------------------------------------------------------------------------------


@kernel
def may_raise(g, r, low):
    """The build of value low may be pulled to be raised to something."""
    seat = g.to_move
    owner = owner_of(g, r, low)
    if owner < 0 or g.build_sets[low] != 1 or g.unfinished or g.played or g.debt or over_limit(g, r, seat):
        return False
    return r.raise_by != RAISE_OPPONENTS or side_of(r, owner) != side_of(r, seat)


@kernel
def raise_pools(g, r, low, value):
    """(hand cards, loose cards) with which the build of low may become one of value."""
    seat = g.to_move
    owner = owner_of(g, r, value)
    mine = g.owned[seat] & ~(1 << low)
    stays = owner >= 0 and (owner == seat or r.equal_builds == MERGE)
    if owner >= 0:
        if r.equal_builds == APART:
            return 0, 0
        if r.equal_builds == MERGE and side_of(r, owner) != side_of(r, seat):
            return 0, 0
        if r.raise_or_add and g.added:
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
    """The cards with which the raise may begin."""
    hand, loose = raise_pools(g, r, low, value)
    flags = WITH_HAND | SINGLE
    return next_cards(loose, hand, 0, flags, value - low, 52, -2)


@kernel
def raise_values(g, r, low):
    """Bit v: the build of low may be raised to v."""
    values = 0
    for value in range(low + 1, r.max_build + 1):
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
        return first_cards(r, loose, hand, top, flags, g.open_value, source)
    has_hand = g.hand_card >= 0
    has_top = g.picked & top != 0
    rest = ~g.picked
    return next_cards(
        loose & rest,
        0 if has_hand else hand & rest,
        top & rest,
        with_rest(flags, has_hand, has_top),
        g.open_left,
        g.open_last,
        -1 if r.no_return else -2,
    )
