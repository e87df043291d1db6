"""Captures and discards: declaring, asking the others, and moving the cards."""

from casino_env.cards import CARDS
from casino_env.engine.captures import can_take_any, must_take_build, takeable
from casino_env.engine.deal import close_action, lay
from casino_env.engine.greatest import is_most, most_captures
from casino_env.engine.jit import kernel, popcount
from casino_env.engine.piles import (
    clear_build,
    play_hand_card,
    prove,
    push,
    set_owner,
    source_of,
    stack_capture,
    steal_bundle,
    take_loose_and_tops,
)
from casino_env.engine.ranks import pips, same_rank
from casino_env.engine.reading import owner_of, owners_may_discard, partner_of, pile_of, side_builds, side_of, standing
from casino_env.engine.state import (
    ALWAYS,
    ASK,
    ASK_ORDER,
    CAPTURING,
    COMPLETE,
    INSIST_CAPTURE,
    MAXIMAL,
    NO_REQUEST,
    REQUEST,
    SORTING,
)

# What has been asked about the declared capture.
_REQUESTED, _INSISTED = 1, 2


@kernel
def begin_capture(g, r, card, value):
    """Declare a capture, and go straight on where nothing is to be chosen."""
    again = g.mode == COMPLETE
    if again:
        g.required = g.picked
    g.acted = 1
    g.hand_card = card
    g.open_value = value
    g.picked = 0
    g.open_last = CARDS
    g.open_left = 0
    build = standing(g, r) >> value & 1 if value else 0
    everything = again or r.insist_capture == ALWAYS
    g.take_build = 1 if build and (must_take_build(g, r, card, value) or (everything and r.multi_capture)) else 0
    if g.take_build and not r.multi_capture:
        declare(g, r)
    elif everything:
        g.mode = MAXIMAL
        follow_most(g, r)
    else:
        g.mode = CAPTURING


@kernel
def follow_most(g, r):
    """If one greatest capture is left, it is the one."""
    taken, several, _ = most_captures(g, r)
    if several:
        return
    if not r.multi_capture and not taken and g.open_value and standing(g, r) >> g.open_value & 1:
        g.take_build = 1
    g.picked = max(taken, 0)
    declare(g, r)


@kernel
def pick_for_capture(g, r, card):
    """Take one more card; groups close by themselves."""
    if g.open_value:
        worth = pips(card)
        if g.open_left == 0:
            top = not g.layout >> card & 1
            if top and r.pile_capture_needs_table_card and (g.tops_only or card >= g.lead):
                g.tops_only = 1
            g.lead = card
            g.open_left = 0 if card < 4 and g.open_value == 14 else g.open_value - worth
        else:
            g.open_left -= worth
    g.open_last = card
    g.picked |= 1 << card
    if not r.multi_capture:
        declare(g, r)


@kernel
def seat_after(g, r, seat):
    """The next opponent of the mover after the seat, in turn order; -1 when all have been asked."""
    for i in range(1, r.players):
        other = (seat + i) % r.players
        if other == g.to_move:
            return -1
        if side_of(r, other) != side_of(r, g.to_move):
            return other
    return -1


@kernel
def ask_opponents(g, r, mode):
    g.mode = mode
    g.acted = 1
    g.actor = seat_after(g, r, g.to_move)


@kernel
def declare(g, r):
    """The choice is made: a request and insisting come before the cards move, sorting comes with it."""
    side = side_builds(g, r, g.to_move)
    if r.partner_request != NO_REQUEST and not g.settled & _REQUESTED and g.take_build and side >> g.open_value & 1:
        g.settled |= _REQUESTED
        g.mode = REQUEST
        g.actor = partner_of(g.to_move)
        return
    if r.insist_capture == ASK and not g.settled & _INSISTED:
        g.settled |= _INSISTED
        if not is_most(g, r):
            ask_opponents(g, r, INSIST_CAPTURE)
            return
    g.actor = g.to_move
    _capture(g, r)


@kernel
def _capture(g, r):
    """The declared cards go to the mover's pile."""
    card, value = g.hand_card, g.open_value if g.take_build else 0
    cards = g.picked | (g.build_cards[value] if value else 0)
    sorting = r.pile_order == ASK_ORDER and popcount(cards) > 1
    play_hand_card(g, card)
    take_loose_and_tops(g, r, g.picked)
    if not sorting:
        stack_capture(g, r, card, g.picked, value)
    if value:
        owner = owner_of(g, r, value)
        if owner != g.to_move:
            prove(g, r, owner, value)
        clear_build(g, r, value)
        if g.debt == value:
            g.debt = 0
    g.last_capture = g.to_move
    if g.layout == 0 and standing(g, r) == 0:
        g.sweeps[side_of(r, g.to_move)] += 1
    close_action(g)
    if sorting:
        g.mode = SORTING
        g.hand_card = card
        g.required = cards


@kernel
def sort_card(g, r, card):
    """Lay one more captured card on the pile; the capturing card comes last."""
    pile = pile_of(r, g.to_move)
    push(g, pile, card)
    g.laid[card] = g.to_move
    if not g.picked:
        g.starts |= 1 << card
    g.picked |= 1 << card
    g.required &= ~(1 << card)
    if not g.required:
        push(g, pile, g.hand_card)
        g.laid[g.hand_card] = g.to_move
        close_action(g)


@kernel
def spare_build(g, r):
    """R62: the played card joins the build instead, and the partner becomes its owner."""
    value, card = g.open_value, g.hand_card
    play_hand_card(g, card)
    g.below[card] = g.build_top[value]
    g.build_top[value] = card
    g.build_cards[value] |= 1 << card
    g.build_sets[value] += 1
    g.starts |= 1 << card
    g.last_source = -1
    set_owner(g, r, value, partner_of(g.to_move))
    close_action(g)


@kernel
def discard(g, r, card):
    """Leave the card loose; under `ask` an opponent may want it to capture."""
    if r.insist_capture == ASK and can_take_any(g, r, card, takeable(g, r)):
        g.hand_card = card
        ask_opponents(g, r, INSIST_CAPTURE)
        return
    lay_down(g, r, card)


@kernel
def lay_down(g, r, card):
    close_action(g)
    g.acted = 1
    play_hand_card(g, card)
    lay(g, card)
    g.laid_now = card
    g.no_new_build = 0 if owners_may_discard(g, r) else 1


@kernel
def take_bundle(g, r, card):
    played = g.hand_card
    play_hand_card(g, played)
    if g.layout >> card & 1:
        cards = g.layout & same_rank(card)
        take_loose_and_tops(g, r, cards)
        stack_capture(g, r, played, cards, 0)
    else:
        steal_bundle(g, r, played, source_of(g, r, card))
    g.last_capture = g.to_move
    close_action(g)
