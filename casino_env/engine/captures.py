"""Captures and discards: which are legal, choosing their cards, asking the others, moving the cards."""

from casino_env.cards import CARDS
from casino_env.compiler.jit import bits_of, highest, kernel, popcount
from casino_env.engine.deal import close_action, lay
from casino_env.engine.maximal_captures import (
    all_it_can,
    can_take,
    can_take_any,
    capture_pool,
    first_group,
    is_most,
    lone_card,
    lone_piles,
    most_captures,
    takeable,
)
from casino_env.engine.piles import (
    clear_build,
    mark_proven,
    note_stolen,
    play_hand_card,
    push,
    set_owner,
    source_of,
    stack_capture,
    steal_bundle,
    take_loose_and_tops,
)
from casino_env.engine.reading import (
    cards_of_values,
    kept,
    over_limit,
    owner_of,
    owners_may_discard,
    partner_of,
    pile_of,
    pips,
    rank_cards,
    same_rank,
    side_builds,
    side_of,
    spare,
    standing,
    values_of,
)
from casino_env.engine.sets import PLAIN, SINGLE, WITH_TOP, first_cards, next_cards
from casino_env.engine.state import (
    ALWAYS,
    ASK,
    ASK_ORDER,
    CAPTURING,
    COMPLETE,
    FOR_BUILDS,
    FOR_LOOSE,
    INSIST_CAPTURE,
    MAXIMAL,
    NO_CHAIN,
    NO_REQUEST,
    OPEN_CARDS,
    REQUEST,
    SORTING,
)

# === Legal captures, and choosing their cards freely ==================================================================
#
# A free capture is chosen group by group: falling order within a group, groups in falling order of their first cards.


@kernel
def group_leads(g, r, value, cards, loose_needed):
    """The cards that may begin a group worth value. loose_needed: the group must hold a loose card."""
    if not r.multi_capture:
        return cards & rank_cards(value)
    loose, top = cards & g.layout, cards & ~g.layout
    if loose_needed:  # swap the pools: WITH_TOP then requires a loose card instead of a top
        return first_cards(r, top, 0, loose, WITH_TOP | SINGLE, value, -2)
    return first_cards(r, loose, 0, top, PLAIN | WITH_TOP | SINGLE, value, -2)


@kernel
def may_capture(g, r, card, value, values):
    """Whether the card may be played to capture at value under the rules of this turn."""
    if not can_take(g, card, value, values) or (r.insist_capture == ALWAYS and not all_it_can(g, r, value, values)):
        return False
    if g.debt and g.debt != value:
        return False
    seat = g.to_move
    taken = 1 << value if value else 0
    if over_limit(g, r, seat) and not g.owned[seat] & taken:
        return False
    return spare(g.hands[seat], kept(g, r, seat) & ~taken) >> card & 1 != 0


@kernel
def capturing_cards(g, r, values):
    """The hand cards that may be played to capture (an ace as 1): may_capture for all ranks at once."""
    seat = g.to_move
    builds, over, courts = kept(g, r, seat), over_limit(g, r, seat), g.layout & ~r.numeric
    if r.insist_capture == ALWAYS and not all_it_can(g, r, 1, values):
        values &= ~(1 << 1)
    if over:
        values &= g.owned[seat]
    if g.debt:
        values &= 1 << g.debt
    able = cards_of_values(values) & r.numeric
    if courts and not (over or g.debt):
        able |= cards_of_values(values_of(courts))
    cards = spare(g.hands[seat], builds)
    for value in bits_of(builds & values):
        cards |= spare(g.hands[seat], builds & ~(1 << value)) & rank_cards(value) if value < 14 else 0
    return cards & able


@kernel
def must_take_build(g, r, card, value):
    """Whether a capture with this card has to take the build of value."""
    seat = g.to_move
    if g.debt == value:
        return True
    if not g.owned[seat] >> value & 1:
        return False
    return over_limit(g, r, seat) or not spare(g.hands[seat], kept(g, r, seat)) >> card & 1


# --- free choice -------------------------------------------------------------------------------------------------


@kernel
def capture_cards(g, r):
    """The cards that may be picked next for the open capture."""
    pool = capture_pool(g, r) & ~g.picked
    if g.open_value == 0:
        return _court_cards(g, r, pool)
    if g.open_left:
        return _group_cards(g, r, pool)
    if not r.multi_capture and (g.picked or g.take_build):
        return 0
    lone, begun = _lone_cards(g, r)
    if begun:
        return lone
    loose_needed = _needs_loose(g, r)
    leads = 0
    if not g.tops_only:
        leads = group_leads(g, r, g.open_value, pool & ((1 << g.lead) - 1), loose_needed)
    if r.pile_capture_needs_table_card and not loose_needed:  # groups of tops alone come last, ordered separately
        top = pool & ~g.layout & ((1 << g.lead) - 1 if g.tops_only else -1)
        leads |= group_leads(g, r, g.open_value, top, False)
    if g.open_value == 14 and not g.picked and not g.take_build:
        leads &= ~15  # aces alone are captured as 1, so that each capture has one path
    return leads | lone


@kernel
def _lone_cards(g, r):
    """(single pile cards that may be picked next, whether one is picked already); they come last, pile by pile."""
    equal = g.picked & g.layout & rank_cards(g.open_value) != 0
    piles = lone_piles(g, r, g.to_move, g.open_value, g.take_build, equal)
    cards, summed = 0, 1 if r.tops_in_sums else 0
    while piles:
        pile = highest(piles)
        piles &= ~(1 << pile)
        cards |= lone_card(g, r, pile, g.open_value, g.picked)
        if popcount(g.picked & g.piles[pile]) > summed:
            return cards, True
    return cards, False


@kernel
def _needs_loose(g, r):
    if not r.pile_capture_needs_table_card or g.take_build:
        return False
    return g.picked & g.layout == 0


@kernel
def _group_cards(g, r, pool):
    """The cards that may be picked next for the open group."""
    loose, top = pool & g.layout, pool & ~g.layout
    if g.tops_only:
        return next_cards(0, 0, top, WITH_TOP, g.open_left, g.open_last, -2)
    if _needs_loose(g, r):  # as in group_leads
        return next_cards(top, 0, loose, WITH_TOP, g.open_left, g.open_last, -2)
    return next_cards(loose, 0, top, PLAIN | WITH_TOP, g.open_left, g.open_last, -2)


@kernel
def _court_cards(g, r, pool):
    """The court cards without a value that may be picked next: any number of the rank, one or three, or one."""
    taken = popcount(g.picked)
    if taken == 0:
        return pool
    pool &= (1 << g.open_last) - 1
    if r.court_take == 0 or pool == 0:
        return pool
    if r.court_take == 1 and taken + popcount(pool) == 3:
        return 1 << highest(pool)
    return 0


@kernel
def may_stop(g, r):
    """Whether the open capture may end with the cards picked so far."""
    if g.open_left or not (g.picked or g.take_build):
        return False
    if g.open_value == 0 and r.court_take == 1 and popcount(g.picked) == 2:
        return False
    top = g.picked & ~g.layout
    return not (top and _needs_loose(g, r))


@kernel
def may_pick_build(g, r):
    """Whether the build of the value may be picked; it is picked before any card."""
    if g.open_value == 0 or g.take_build or g.picked or g.open_left:
        return False
    return standing(g, r) >> g.open_value & 1 != 0


# === Declaring, asking the others, and moving the cards ===============================================================

# Bits of g.settled: questions already asked about the declared capture.
_REQUESTED, _INSISTED = 1, 2


@kernel
def begin_capture(g, r, card, value):
    """Declare a capture; skip the choice where there is none."""
    again = g.mode == COMPLETE
    if again:
        g.required = g.picked
    g.acted = 1
    g.hand_card = card
    g.open_value = value
    g.picked = 0
    g.open_last = CARDS
    g.open_left = 0
    g.open_count = 0
    g.open_cards[:] = 0
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
    """Declare the capture as soon as a single maximal capture agrees with the picks."""
    taken, several, _ = most_captures(g, r)
    if several:
        return
    if not r.multi_capture and not taken and g.open_value and standing(g, r) >> g.open_value & 1:
        g.take_build = 1
    g.picked = max(taken, 0)
    declare(g, r)


@kernel
def pick_for_capture(g, r, card):
    """Pick one more card; a group closes once it is worth the value."""
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
    if r.request_for != FOR_BUILDS and g.open_value and g.open_count < OPEN_CARDS:
        g.open_cards[g.open_count] = card
        g.open_count += 1
    if not r.multi_capture:
        declare(g, r)


@kernel
def seat_after(g, r, seat):
    """The next opponent of the mover after this seat, in turn order; -1 after the last."""
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
def _may_be_asked_for(g, r):
    """Whether a partner may request it: a build of the side, or only loose cards of a value without a build."""
    if g.take_build:
        return r.request_for != FOR_LOOSE and side_builds(g, r, g.to_move) >> g.open_value & 1
    if r.request_for == FOR_BUILDS or g.open_value == 0 or g.picked & ~g.layout:
        return False
    return not standing(g, r) >> g.open_value & 1


@kernel
def declare(g, r):
    """Ask for a request and for insisting, each once, then move the cards."""
    if r.partner_request != NO_REQUEST and not g.settled & _REQUESTED and _may_be_asked_for(g, r):
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
    """Move the declared cards to the mover's pile, or begin to sort them by hand."""
    card, value = g.hand_card, g.open_value if g.take_build else 0
    cards = g.picked | (g.build_cards[value] if value else 0)
    sorting = r.pile_order == ASK_ORDER and popcount(cards) > 1
    play_hand_card(g, card)
    if r.chain == NO_CHAIN:
        note_stolen(g, r, g.picked)
    take_loose_and_tops(g, r, g.picked)
    if not sorting:
        stack_capture(g, r, card, g.picked, value)
    if value:
        owner = owner_of(g, r, value)
        if owner != g.to_move:
            mark_proven(g, r, owner, value)
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
    """Lay one more captured card on the pile; the capturing card goes on top."""
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
def leave_to_partner(g, r):
    """Grant a request (R62): capture nothing. The played card joins the build (or the loose cards, which become one),
    and the partner becomes its owner."""
    value, card = g.open_value, g.hand_card
    if not g.take_build:
        _lay_groups(g, r, value)
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
def _lay_groups(g, r, value):
    """Make the groups of the declared capture sets of a build: in the order picked if known, else the highest first."""
    named = g.open_count == popcount(g.picked)
    group, left, at, rest = 0, 0, 0, g.picked
    while rest:
        if not named and not group:
            group = first_group(rest, value)
        card = g.open_cards[at] if named else highest(group)
        group &= ~(1 << card)
        at += 1
        if left == 0:
            g.starts |= 1 << card
            g.build_sets[value] += 1
            left = value
        else:
            g.starts &= ~(1 << card)
        left -= 14 if card < 4 and left == 14 else pips(card)
        g.below[card] = g.build_top[value]
        g.build_top[value] = card
        rest &= ~(1 << card)
    take_loose_and_tops(g, r, g.picked)
    g.build_cards[value] |= g.picked


@kernel
def discard(g, r, card):
    """Leave the card loose; under `ask`, opponents may first insist that it captures."""
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
