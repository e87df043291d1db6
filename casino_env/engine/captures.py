"""What a hand card may take, and choosing it freely.

A free capture is chosen group by group, each group in falling order and the groups in falling order of their first
cards.
"""

from casino_env.engine.jit import highest, kernel, lowest, popcount
from casino_env.engine.picks import PLAIN, SINGLE, WITH_TOP, first_cards, next_cards, subset_sums
from casino_env.engine.ranks import pips, rank_cards, same_rank
from casino_env.engine.reading import kept, over_limit, spare, standing, tops
from casino_env.engine.state import ALWAYS


@kernel
def card_value(r, card):
    """Value for sums with an ace as 1; 0 for a court card that has none."""
    return pips(card) if r.numeric >> card & 1 else 0


@kernel
def capture_tops(g, r):
    return tops(g, r, g.to_move) if r.capture_tops else 0


@kernel
def court_targets(g, card):
    return g.layout & same_rank(card)


@kernel
def group_leads(g, r, value, cards, loose_needed):
    """The cards with which a group worth value may begin; loose_needed: it must hold a loose card."""
    if not r.multi_capture:
        return cards & rank_cards(value)
    loose = cards & g.layout
    top = cards & ~g.layout
    if loose_needed:  # pile tops take the part of hand cards: the group needs something beside them
        return _leads_with_loose(r, loose, top, value)
    return first_cards(r, loose, 0, top, PLAIN | WITH_TOP | SINGLE, value, -2)


@kernel
def _leads_with_loose(r, loose, top, value):
    leads = first_cards(r, loose, 0, 0, PLAIN | SINGLE, value, -2)
    rest = loose | top
    while rest:  # with tops: some group of this lead holds a loose card
        card = highest(rest)
        rest &= ~(1 << card)
        left = value - pips(card)
        if left > 0 and _sums_with_loose(loose & rest, top & rest, loose >> card & 1) >> left & 1:
            leads |= 1 << card
    return leads


@kernel
def _sums_with_loose(loose, top, has_loose):
    """Bit s: some cards are worth s, with a loose one among them unless there already is one."""
    some = subset_sums(loose)
    if has_loose:
        some |= 1
    sums = some
    while top:
        value = pips(lowest(top))
        top &= top - 1
        sums |= sums << value & 0x7FFF
    return sums


@kernel
def takeable(g, r):
    """Bit v: a card worth v can capture something, the build of v or cards (aces as 14 alone are not counted)."""
    values = standing(g, r)
    loose = g.layout & r.numeric
    if not r.multi_capture:
        while loose:
            values |= 1 << pips(lowest(loose))
            loose &= loose - 1
        return values
    top = capture_tops(g, r)
    if top and r.pile_capture_needs_table_card:
        return values | _sums_with_loose(loose, top, 0)
    return values | subset_sums(loose | top)


@kernel
def can_take(g, card, value, values):
    """The card, worth value, can capture something; values = takeable(). Debts and backing are not asked here."""
    if value == 0:
        return court_targets(g, card) != 0
    return values >> value & 1 != 0


@kernel
def can_take_any(g, r, card, values):
    value = card_value(r, card)
    if can_take(g, card, value, values):
        return True
    return r.ace_high != 0 and value == 1 and values >> 14 & 1 != 0


@kernel
def all_it_can(g, r, value, values):
    """A capture at value is not surpassed by one with the same ace at its other value (R21)."""
    if value != 1 or not r.ace_high or not r.multi_capture or standing(g, r) >> 1 & 1:
        return True
    return not values >> 14 & 1


@kernel
def may_capture(g, r, card, value, values):
    """The card may be played to capture at value: the rules of the turn allow some choice."""
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
def must_take_build(g, r, card, value):
    """The standing build of value cannot be left by this capture."""
    seat = g.to_move
    if g.debt == value:
        return True
    if not g.owned[seat] >> value & 1:
        return False
    return over_limit(g, r, seat) or not spare(g.hands[seat], kept(g, r, seat)) >> card & 1


# --- free choice -------------------------------------------------------------------------------------------------


@kernel
def capture_pool(g, r):
    """Cards that the declared capture may take."""
    if g.open_value == 0:
        return court_targets(g, g.hand_card)
    return (g.layout & r.numeric) | capture_tops(g, r)


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
    loose_needed = _needs_loose(g, r)
    leads = 0
    if not g.tops_only:
        leads = group_leads(g, r, g.open_value, pool & ((1 << g.lead) - 1), loose_needed)
    if r.pile_capture_needs_table_card and not loose_needed:  # groups of tops alone come last, in an order of their own
        leads |= group_leads(g, r, g.open_value, _tops_below(g, pool), False)
    if g.open_value == 14 and not g.picked and not g.take_build:
        leads &= ~15  # aces alone are taken as 1: one path to a capture
    return leads


@kernel
def _tops_below(g, pool):
    """Pile tops that may begin a group of tops alone."""
    top = pool & ~g.layout
    return top & ((1 << g.lead) - 1) if g.tops_only else top


@kernel
def _needs_loose(g, r):
    if not r.pile_capture_needs_table_card or g.take_build:
        return False
    return g.picked & g.layout == 0


@kernel
def _group_cards(g, r, pool):
    """Continue the open group."""
    value = g.open_left
    loose, top = pool & g.layout, pool & ~g.layout
    below = pool & ((1 << g.open_last) - 1)
    if g.tops_only:
        return next_cards(0, 0, top, WITH_TOP, value, g.open_last, -2)
    if not _needs_loose(g, r):
        return next_cards(loose, 0, top, PLAIN | WITH_TOP, value, g.open_last, -2)
    legal = 0
    rest = below
    while rest:
        card = highest(rest)
        rest &= ~(1 << card)
        left = value - pips(card)
        is_loose = loose >> card & 1
        if (left == 0 and is_loose) or (left > 0 and _sums_with_loose(loose & rest, top & rest, is_loose) >> left & 1):
            legal |= 1 << card
    return legal


@kernel
def _court_cards(g, r, pool):
    """Court cards without a value: any number of the rank, one or three, or one."""
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
    """The open capture may end with what is picked."""
    if g.open_left or not (g.picked or g.take_build):
        return False
    if g.open_value == 0 and r.court_take == 1 and popcount(g.picked) == 2:
        return False
    top = g.picked & ~g.layout
    return not (top and _needs_loose(g, r))


@kernel
def may_pick_build(g, r):
    """The build of the value may be taken; it comes before the cards."""
    if g.open_value == 0 or g.take_build or g.picked or g.open_left:
        return False
    return standing(g, r) >> g.open_value & 1 != 0
