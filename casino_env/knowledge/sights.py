"""A view that comes from outside: the cards that it names, and where those that it counts may lie."""

import numpy as np

from casino_env.actions import BUILD, CAPTURE_HIGH
from casino_env.cards import CARDS
from casino_env.compiler.jit import entry, items_of, kernel, lowest, popcount
from casino_env.compiler.types import I64, I64x2
from casino_env.engine.flat_form import HIDDEN, PILES, STOCK, TOO_FEW, finish, lay, lay_card
from casino_env.engine.reading import partner_of, rank_cards
from casino_env.engine.state import GRANT, SEATS, SORTING, Records, RulesRow
from casino_env.engine.turn_invariants import FINE, NO_CAPTURE, Refusal
from casino_env.knowledge.view import lacking, unseen

COUNTS = 2 * SEATS + 1  # of hidden cards: in each hand, in each pile, in the stock


@entry
def look(views: Records, rules: RulesRow, numbers: I64, rows: I64x2, builds: I64x2, counts: I64, seat: int) -> Refusal:
    """Make an empty record that of a view in flat form, of the seat that looks; the others' cards are counted."""
    v, r = views[0], rules[0]
    found = lay(v, r, items_of(views.view(np.int64)), numbers, rows, builds)
    if found[0]:
        return found
    if v.mode == SORTING and v.hand_card < 0:
        return NO_CAPTURE, 0, 0, 0, 0, 0
    declared, hidden = v.picked | v.required, 0
    if v.hand_card >= 0:
        declared |= 1 << v.hand_card
    cards = unseen(r, v)
    for i in range(COUNTS):
        hidden += counts[i]
    if hidden != popcount(cards):
        return HIDDEN, 0, 0, hidden, 0, popcount(cards)
    for other in range(SEATS):
        v.hidden_hand[other], v.hidden_pile[other] = counts[other], counts[SEATS + other]
    v.hidden_stock = counts[2 * SEATS]
    if v.to_move != seat:
        v.hands[v.to_move] = declared & cards
        v.hidden_hand[v.to_move] -= popcount(declared & cards)
    return FINE


@kernel
def needs(v, r, seat, rank):
    """How many cards of a rank a seat must have beside those that it has declared, for what it has built and shown."""
    builds = v.owned[seat]
    if v.mode == GRANT and seat == partner_of(v.to_move):  # it can take it; if it is its own, with the card kept for it
        builds |= 1 << v.open_value & ~1
    return max(0, lacking(v, seat, rank, builds)) if r.keep_backing else 0


@kernel
def _least(v, r, seat, rest):
    """What a seat has declared, and of each rank the first cards that it must have."""
    cards = v.hands[seat]
    for rank in range(1, 14):
        free = rest & rank_cards(rank)
        for _ in range(needs(v, r, seat, rank)):
            cards |= free & -free
            free &= free - 1
    return cards


@entry
def fill(
    views: Records, rules: RulesRow, seat: int, given: I64, records: Records, work: Records, keys: I64, said: int
) -> Refusal:
    """Make a record of a game that the view of a seat may be of, as flat_form.build does.

    given: sets of cards that other seats hold at least, in place of what they must; 0: nothing is given.
    """
    v, r, g = views[0], rules[0], records[0]
    records[0] = v
    rest = unseen(r, v)
    for other in range(r.players):
        if given[other]:
            rest |= v.hands[other] if other != seat else 0
    for other in range(r.players):
        rest &= ~given[other]
    for other in range(r.players):
        if other == seat:
            continue
        cards, size = given[other], v.hidden_hand[other] + popcount(v.hands[other])
        if not cards:
            cards = _least(v, r, other, rest)
        if size < popcount(cards):
            return TOO_FEW, other, 0, size, popcount(cards), 0
        rest &= ~cards
        g.hands[other] = cards
    for other in range(r.players):
        size = v.hidden_hand[other] + popcount(v.hands[other])
        while rest and popcount(g.hands[other]) < size:
            g.hands[other] |= rest & -rest
            rest &= rest - 1
        g.hidden_hand[other] = 0
    for pile in range(r.players):
        rest = _lay_hidden(g, rest, v.hidden_pile[pile], PILES + pile)
        g.hidden_pile[pile] = 0
    _lay_hidden(g, rest, v.hidden_stock, STOCK)
    g.hidden_stock = 0
    return finish(records, r, work, keys, said)


@kernel
def _lay_hidden(g, rest, many, place):
    """So many of the rest, the lowest first; returns what is left."""
    for _ in range(many):
        if rest:
            lay_card(g, lowest(rest), place)
            rest &= rest - 1
    return rest


@kernel
def may_hold(v, r, looks, seat, action):
    """The cards that a seat may have: all that are not in sight, but for those that others must have. Of a rank that
    others need they have the last ones; what the seat has declared and the card of the action come first."""
    named = v.hands[seat]
    if action < BUILD:
        named |= 1 << (action - CAPTURE_HIGH if action >= CAPTURE_HIGH else action % CARDS)
    cards, all_cards = unseen(r, v) | v.hands[seat], 0
    for rank in range(1, 14):
        many = 0
        for other in range(r.players):
            many += needs(v, r, other, rank) if other != looks and other != seat else 0
        free = cards & rank_cards(rank)
        first = free & named
        for _ in range(popcount(free) - many):
            part = first if first else free
            all_cards |= part & -part
            free &= ~(part & -part)
            first &= free
    return all_cards
