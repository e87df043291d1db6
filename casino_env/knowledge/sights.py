"""Views from outside: reading one, placing the hidden cards, and finding a hand that allows an action."""

from typing import NamedTuple

import numpy as np

from casino_env.actions import ACTIONS, BUILD, CAPTURE_HIGH
from casino_env.cards import CARDS
from casino_env.compiler.jit import entry, items_of, kernel, lowest, popcount
from casino_env.compiler.types import I64, I64x2
from casino_env.engine import action_set
from casino_env.engine.flat_form import HIDDEN, PILES, STOCK, TOO_FEW, UNPROVEN, finish, lay, lay_card
from casino_env.engine.invariants import FINE, NO_CAPTURE, Refusal, action_fault
from casino_env.engine.legal import legal_actions
from casino_env.engine.position_keys import START, mix
from casino_env.engine.reading import rank_cards, standing
from casino_env.engine.state import OWNER, SEATS, SORTING, Records, RulesRow
from casino_env.engine.turn import apply
from casino_env.knowledge.view import needed_now, unseen

COUNTS = 2 * SEATS + 1  # numbers of hidden cards: in each hand, in each pile, in the stock


@entry
def look(views: Records, rules: RulesRow, numbers: I64, rows: I64x2, builds: I64x2, counts: I64, seat: int) -> Refusal:
    """Fill an empty record from a view in flat form; return a refusal or FINE. counts: hidden cards of the others."""
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
def _least(v, r, seat, rest):
    """The cards that a seat has declared, plus the first cards of each rank that it must have."""
    cards = v.hands[seat]
    for rank in range(1, 14):
        free = rest & rank_cards(rank)
        for _ in range(needed_now(v, r, seat, rank)):
            cards |= free & -free
            free &= free - 1
    return cards


@kernel
def _fill(v, r, seat, given, g):
    """Place the cards that the seat cannot see in a legal way."""
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
    return FINE


@kernel
def _lay_hidden(g, rest, many, place):
    """Lay `many` of the remaining cards in a place, lowest first; return the others."""
    for _ in range(many):
        if rest:
            lay_card(g, lowest(rest), place)
            rest &= rest - 1
    return rest


@kernel
def may_hold(v, r, looks, seat, action):
    """The cards that a seat may hold: all unseen cards except those that others must hold, which are the last of each
    rank. Cards that the seat has declared and the card of the action come first."""
    named = v.hands[seat]
    if action < BUILD:
        named |= 1 << (action - CAPTURE_HIGH if action >= CAPTURE_HIGH else action % CARDS)
    cards, all_cards = unseen(r, v) | v.hands[seat], 0
    for rank in range(1, 14):
        many = 0
        for other in range(r.players):
            many += needed_now(v, r, other, rank) if other != looks and other != seat else 0
        free = cards & rank_cards(rank)
        first = free & named
        for _ in range(popcount(free) - many):
            part = first if first else free
            all_cards |= part & -part
            free &= ~(part & -part)
            first &= free
    return all_cards


# === A hand that allows an action of another seat than the observer ===================================================
#
# A visible outcome may depend on the rest of the hand: who owns a new build, and whether a capture must take the build
# because no other card backs it. Then the house has to tell the outcome.

NO_HAND, SAY_TAKE_BUILD, SAY_OWNER, REFUSED = 1, 2, 3, 4
# Indices of the numbers that the house tells, and their count.
TAKE_BUILD, OWNER_OF_BUILD, TOLD = 0, 1, 2
UNSAID, NOBODY = -1, -2  # NOBODY: the owner is still undecided
ANY = ACTIONS  # stands for any legal action
_ASKED, _TOOK = 1, 2  # bits of an outcome


class _Asked(NamedTuple):
    """A search for a hand that allows an action: the view, the game in which hands are tried, and the workspace."""

    views: Records
    records: Records
    rules: RulesRow
    work: Records
    keys: I64
    seat: np.int64
    action: int  # or ANY


@kernel
def _held(asked, hand):
    """Give the seat this hand in the trial game; return that game."""
    asked.records[0].hands[asked.seat] = hand
    return asked.records[0]


@kernel
def _allows(asked, hand):
    """Whether the hand holds what its seat has shown and must have, and the action is legal with it."""
    v, r, seat = asked.views[0], asked.rules[0], asked.seat
    beside = hand & ~v.hands[seat]
    if v.hands[seat] & ~hand:
        return False
    for rank in range(1, 14):
        if popcount(beside & rank_cards(rank)) < needed_now(v, r, seat, rank):
            return False
    legal = legal_actions(_held(asked, hand), r)
    if asked.action != ANY and not action_set.has(legal, asked.action):
        return False
    return action_fault(asked.records, r, asked.work, asked.keys)[0] == FINE[0]


@kernel
def _outcome(asked, hand):
    """A word for the visible outcome of the action with this hand."""
    r, before, after, key = asked.rules[0], _held(asked, hand), asked.work[0], START
    asked.work[0] = before
    apply(after, r, asked.action)
    if after.turns != before.turns:
        return 0
    for other in range(r.players):
        key = mix(key, after.owned[other])
    took = after.take_build or popcount(standing(after, r)) < popcount(standing(before, r))
    return (np.int64(key) & ~3) | _ASKED * (after.mode == OWNER) | _TOOK * took


@kernel
def _fewest(asked, hand, wanted):
    """Remove every card that the hand can do without, whole ranks first. wanted: the outcome to keep; UNSAID: any."""
    rest, rank = hand, 0
    while rest:
        if rank < 13:
            rank += 1
            part = rank_cards(rank)
        else:
            part = rest & -rest
            rest &= rest - 1
        fewer = hand & ~part
        if fewer == hand or not _allows(asked, fewer):
            continue
        if wanted == UNSAID or _outcome(asked, fewer) == wanted:
            hand = fewer
    return hand


@kernel
def _hand(asked, start, every, wanted):
    """A hand of the right size with the wanted outcome; -1 if none is found."""
    v = asked.views[0]
    size = v.hidden_hand[asked.seat] + popcount(v.hands[asked.seat])
    hand = _fewest(asked, start, wanted)
    rest = every & ~hand
    while rest and popcount(hand) < size:
        more = hand | rest & -rest
        rest &= rest - 1
        if _outcome(asked, more) == wanted:
            hand = more
    return hand if popcount(hand) == size else -1


@entry
def allowing_hand(
    views: Records, rules: RulesRow, looks: int, action: int, told: I64, records: Records, work: Records, keys: I64
) -> tuple[int, int]:
    """(0, a hand of the deciding seat that allows the action), or (reason why there is none, 0).

    views: the observer's view. told: TAKE_BUILD (1, 0 or UNSAID) and OWNER_OF_BUILD (a seat, NOBODY or UNSAID).
    records: a game that agrees with the view, though its hands may not allow the open action; REFUSED: no hands do.
    More cards allow more, so the action is tried with all cards that the seat may hold, and with as few as needed.
    work, keys: as in invariants.refusal.
    """
    v, r, g = views[0], rules[0], records[0]
    every = may_hold(v, r, looks, g.actor, action)
    asked = _Asked(views, records, rules, work, keys, np.int64(g.actor), action)
    g.stock_top, g.hidden_stock = -1, v.hidden_stock
    _held(asked, every)
    if action_fault(records, r, work, keys)[0] != FINE[0]:
        return REFUSED, 0
    if not _allows(asked, every):
        return NO_HAND, 0
    fewest = _fewest(asked, every, UNSAID)
    least, most = _outcome(asked, fewest), _outcome(asked, every)
    other = _hand(asked, every, every, most)
    one = other
    if least != most:
        one = _hand(asked, fewest, every, least)
    if one < 0 and other < 0:
        return NO_HAND, 0
    if one < 0 or other < 0 or least == most:
        return 0, max(one, other)
    if (least ^ most) & _TOOK:
        if told[TAKE_BUILD] == UNSAID:
            return SAY_TAKE_BUILD, 0
        return 0, one if (least & _TOOK != 0) == (told[TAKE_BUILD] == 1) else other
    if told[OWNER_OF_BUILD] == UNSAID:
        return SAY_OWNER, 0
    return 0, one if least & _ASKED else other


# --- a game that agrees with a view -----------------------------------------------------------------------------------


@entry
def fill(
    views: Records, rules: RulesRow, seat: int, given: I64, records: Records, work: Records, keys: I64, said: int
) -> Refusal:
    """Fill a record with a game that agrees with the view of a seat; return a refusal as flat_form.build does.

    given: by seat, cards that it holds at least, instead of those that it must hold; 0: nothing given.
    """
    v, r, g, mover = views[0], rules[0], records[0], np.int64(views[0].to_move)
    records[0] = v
    found = _fill(v, r, seat, given, g)
    if found[0] == FINE[0]:
        found = finish(records, r, work, keys, said)
    if found[0] == FINE[0] or said & UNPROVEN or mover == seat or given[mover]:
        return found
    # The mover's open action may need more than it must hold: a card for its build, or any card to end the turn.
    asked = _Asked(views, records, rules, work, keys, mover, ANY)
    every = may_hold(v, r, seat, mover, ANY)
    g.stock_top, g.hidden_stock = -1, v.hidden_stock
    if not _allows(asked, every):
        return found
    given[mover] = _fewest(asked, every, UNSAID)
    records[0] = v
    other = _fill(v, r, seat, given, g)
    given[mover] = 0
    return finish(records, r, work, keys, said) if other[0] == FINE[0] else found
