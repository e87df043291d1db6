"""Laying sets: new builds, bases, additions and raises, and what follows from them for the turn."""

from casino_env.engine.deal import close_action
from casino_env.engine.jit import kernel
from casino_env.engine.piles import (
    bottom_of,
    clear_build,
    play_hand_card,
    prove,
    set_owner,
    source_of,
    take_loose_and_tops,
)
from casino_env.engine.ranks import pips
from casino_env.engine.reading import owner_of, partner_of, side_of
from casino_env.engine.sets import (
    base_can_be_completed,
    hand_cards_for_any,
    hand_cards_for_own,
    may_lay_from_table,
    may_own_from_table,
    partner_may_own,
)
from casino_env.engine.state import JOIN, MERGE, OWNER, SET


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
    """The cards add up: settle whose build it is, then lay them."""
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
        theirs = hand_cards_for_any(g, r) >> g.hand_card & 1 != 0
    else:
        mine, theirs = may_own_from_table(g, r, value, 1), may_lay_from_table(g, r)
    if mine and theirs:
        g.mode = OWNER
        return
    lay_set(g, r, seat if mine else partner)


@kernel
def lay_set(g, r, owner):
    """Move the open cards onto the build of open_value, which is (or becomes) the owner's."""
    value = g.open_value
    stood = g.build_sets[value] > 0
    _note_addition(g, r, value, stood, owner)
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
    if owner_of(g, r, value) != owner:
        set_owner(g, r, value, owner)
    g.unfinished = value if g.build_sets[value] == 1 and g.open_count == 1 and not g.raising else 0
    if g.hand_card >= 0:
        play_hand_card(g, g.hand_card)
        if not r.table_builds:
            g.play_value = value
    close_action(g)


@kernel
def _note_addition(g, r, value, stood, owner):
    """Debts and the once-a-turn rules that follow from adding to a standing build."""
    seat = g.to_move
    if g.picked & ~(g.layout | g.hands[seat]):
        g.stolen = 1
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
    """Put the build that is raised on top of the build of its new value, or in its place."""
    low = g.raising
    owner = owner_of(g, r, low)
    if side_of(r, owner) != side_of(r, g.to_move):
        prove(g, r, owner, low)
    if g.build_top[value] >= 0:
        g.below[bottom_of(g, g.build_top[low])] = g.build_top[value]
    g.build_top[value] = g.build_top[low]
    g.build_cards[value] |= g.build_cards[low]
    g.build_sets[value] += 1
    clear_build(g, r, low)
