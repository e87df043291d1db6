"""Checks of a game record from outside: whether play can go on from its numbers, cards, turn and open action.

Kernels that walk the linked lists of a record stop after 52 steps, but their results on a broken list mean nothing. So
the cards are checked first: each lies in one place, and lists agree with sets. An open action is replayed from its
beginning to prove that it is reachable. A refusal is a code with numbers; REFUSALS has the messages.
"""

from typing import Any

import numpy as np

from casino_env.actions import BUILD, CAPTURE, CAPTURE_HIGH, DISCARD, END, NO, RAISE, YES
from casino_env.cards import CARDS
from casino_env.compiler.jit import entry, items_of, kernel, popcount
from casino_env.compiler.types import I64
from casino_env.engine import action_set
from casino_env.engine.deal import close_action
from casino_env.engine.legal import legal_actions
from casino_env.engine.position_keys import add_record
from casino_env.engine.reading import owner_of, pile_of, rank_cards, side_of, stock_cards
from casino_env.engine.scoring import deal_winner
from casino_env.engine.state import (
    ASK,
    ASK_ORDER,
    GAME,
    IDLE,
    NEW_WITH_HAND,
    NO_CHAIN,
    NO_STEAL,
    OPEN_CARDS,
    OVER,
    SEATS,
    SORTING,
    STEAL,
    STEAL_BOUND,
    VALUES,
    Records,
    RulesRow,
)
from casino_env.engine.turn import apply

# === The numbers of a record: limits and initial values ===============================================================

MOST_ROUNDS, MOST_SCORE = 78, 30_000
_BY_SEAT, _BY_SIDE, _BY_VALUE, _BY_PILES = -101, -102, -103, -104  # limits that depend on the rules
_GAME = (  # name, least, greatest, initial value
    ("to_move", 0, _BY_SEAT, 0),
    ("round", 1, MOST_ROUNDS, 1),
    ("last_capture", -1, _BY_SEAT, -1),
    ("leader", 0, _BY_SEAT, 0),
    ("turns", 0, CARDS, 0),
    ("match", 0, 1, 0),
    ("deals", 0, 30_000, 0),
    ("winner", -2, _BY_SIDE, -1),
    ("mode", IDLE, OVER, IDLE),
    ("actor", 0, _BY_SEAT, 0),
)
_TURN = (
    ("acted", 0, 1, 0),
    ("played", 0, 1, 0),
    ("play_value", 0, _BY_VALUE, 0),
    ("debt", 0, _BY_VALUE, 0),
    ("unfinished", 0, _BY_VALUE, 0),
    ("joined", 0, _BY_VALUE, 0),
    ("stolen", 0, _BY_PILES, 0),
    ("added", 0, 1, 0),
    ("merged", 0, 1, 0),
    ("no_new_build", 0, 1, 0),
    ("last_source", -1, _BY_SEAT, -1),
    ("laid_now", -1, CARDS - 1, -1),
    ("must_add", 0, 1, 0),
)
_ACTION = (  # the open action
    ("open_value", 0, _BY_VALUE, 0),
    ("open_left", 0, _BY_VALUE, 0),
    ("open_count", 0, OPEN_CARDS, 0),
    ("open_last", 0, CARDS, CARDS),
    ("raising", 0, _BY_VALUE, 0),
    ("hand_card", -1, CARDS - 1, -1),
    ("take_build", 0, 1, 0),
    ("lead", 0, CARDS, CARDS),
    ("tops_only", 0, 1, 0),
    ("settled", 0, 3, 0),
    ("picked", 0, (1 << CARDS) - 1, 0),
    ("required", 0, (1 << CARDS) - 1, 0),
    ("open_cards", -1, CARDS - 1, 0),
)
_OTHERS = (  # without initial values, which nothing asks for
    ("match_score", -MOST_SCORE, MOST_SCORE),
    ("deal_points", 0, 127),
    ("sweeps", 0, CARDS),
    ("stock_top", -1, CARDS - 1),
    ("laid_next", 0, CARDS),
    ("hidden_hand", 0, 0),
    ("hidden_pile", 0, 0),
    ("hidden_stock", 0, 0),
    ("shuffled", 0, 0),
    ("padding", 0, 0),
)
_WITH_INITIAL = _GAME + _TURN + _ACTION
_ALL: tuple[tuple[Any, ...], ...] = _WITH_INITIAL + _OTHERS
FIELDS = tuple(name for name, *_ in _ALL)
TURN = len(_GAME)  # index of the first field of the turn
ACTION = TURN + len(_TURN)
ACTION_END = ACTION + len(_ACTION)
BEFORE = np.array([row[3] for row in _WITH_INITIAL])
_LEAST = np.array([row[1] for row in _ALL])
_MOST = np.array([row[2] for row in _ALL])
_PLACES: dict[str, Any] = dict(GAME.fields or {})
_OFFSETS = np.array([_PLACES[name][1] for name in FIELDS])
_MANY = np.array([int(np.prod(GAME[name].shape)) for name in FIELDS])
_BITS = np.array([8 * GAME[name].base.itemsize for name in FIELDS])

# Indices of fields that kernels name.
ROUND, MODE = map(FIELDS.index, ("round", "mode"))
PLAY_VALUE, DEBT, UNFINISHED, JOINED = map(FIELDS.index, ("play_value", "debt", "unfinished", "joined"))
MERGED, NO_NEW_BUILD, LAID_NOW, MUST_ADD = map(FIELDS.index, ("merged", "no_new_build", "laid_now", "must_add"))
OPEN_LAST, RAISING, HAND_CARD, LEAD = map(FIELDS.index, ("open_last", "raising", "hand_card", "lead"))
PICKED, REQUIRED = map(FIELDS.index, ("picked", "required"))
LAST_NUMBER = PICKED  # the fields before this one are the single numbers of a position


@kernel
def number(words, field, index):
    """Element `index` of a field, in a record given as 64-bit words."""
    size = _BITS[field]
    at = 8 * _OFFSETS[field] + size * index
    return words[at >> 6] << (64 - size - (at & 63)) >> (64 - size)


@kernel
def put(words, field, value):
    """Set the first element of a field."""
    size, at = _BITS[field], 8 * _OFFSETS[field]
    mask = -1 if size == 64 else (1 << size) - 1
    words[at >> 6] = words[at >> 6] & ~(mask << (at & 63)) | (value & mask) << (at & 63)


@kernel
def limits(r, field):
    """(least, greatest) value that a field may have."""
    most = _MOST[field]
    if most == _BY_SEAT:
        most = r.players - 1
    elif most == _BY_SIDE:
        most = r.sides - 1
    elif most == _BY_VALUE:
        most = r.max_build
    elif most == _BY_PILES:
        most = (1 << r.players) - 1 if r.chain == NO_CHAIN else 1  # chain = no: bit p of pile p
    return _LEAST[field], most


@kernel
def beyond_limits(r, words):
    """The first field with an element out of its limits, and that element; (-1, 0) if there is none."""
    for field in range(len(_BITS)):
        least, most = limits(r, field)
        for index in range(_MANY[field]):
            found = number(words, field, index)
            if found < least or found > most:
                return field, found
    return -1, 0


@kernel
def begun(words, first, end):
    """The first field from `first` to `end` (exclusive) that differs from BEFORE; -1 if none does."""
    for field in range(first, end):
        for index in range(_MANY[field]):
            if number(words, field, index) != BEFORE[field]:
                return field
    return -1


# === Refusals =========================================================================================================

# Faults of the cards, in the order of the checks.
_FAULTS = (
    "hands, piles, builds and proven values: there are more than this game has seats",
    "below: an entry is not a card",
    "piles: the list of a pile and its set of cards differ",
    "stock: the list of its cards is wrong",
    "cards: one is in two places, or not in the deck",
    "builds: the list of a build and its set of cards differ",
    "builds: one has a value that cannot be built in this game",
    "builds: each must have exactly one owner",
    "builds: a set does not sum to the value of its build",
    "builds: a build has at least two cards; only the one that turn.unfinished names may have one",
    "layout: the order in which the loose cards were laid is wrong",
    "counters: more cards have been played, laid or swept than the deck has",
)
_SEATS, _BELOW, _PILES, _STOCK, _CARDS, _BUILDS, _VALUE, _OWNERS, _SETS, _LONE, _TIMES, _COUNTERS = range(
    1, len(_FAULTS) + 1
)

# A refusal: code, place (a field, a seat or a list of the position), part of the place, a number, and two more numbers.
Refusal = tuple[int, int, int, int, int, int]
FINE: Refusal = (0, 0, 0, 0, 0, 0)

(
    _NUMBER, _ROUND, _OVER_BEGUN, _OVER_CARDS, _OVER_OPEN, _OVER_ACTOR, _OVER_WINNER, _EARLY_WINNER, _SINGLE, _BEGUN,
    _IDLE, _ACTOR, _UNPLAYED, _NO_VALUE, _UNASKED, _NO_DISCARD, _LAID, _NO_BUILD, _PAID, _DEBT_OWN, _DEBT_SIDE,
    _NOT_ADDED, _JOINED, _UNFINISHED, _UNSTOLEN, _NO_SOURCE, _CLOSED, _UNSORTED, _NOTHING_TO_SORT, NO_CAPTURE,
    _NOT_CAPTURED, _WHILE_SORTING, _ON_TOP, _NOT_BEGUN, _NO_ACTION, _OWED,
) = range(len(_FAULTS) + 1, len(_FAULTS) + 37)  # fmt: skip
PLAY_REFUSALS = dict(enumerate(_FAULTS, 1)) | {
    _NUMBER: "{field}: {number}; it must be {range}",
    _ROUND: "{field} = {number}; it must be a whole number from {low} to {high}",
    _OVER_BEGUN: "turn: the game is over, so there is no {field}",
    _OVER_CARDS: "hands: the game is over, but there are cards to play",
    _OVER_OPEN: "winner: the match is over, so a side has won or it is shared (-2)",
    _OVER_ACTOR: "turn.actor: the game is over",
    _OVER_WINNER: "winner: the side with most points has won the deal",
    _EARLY_WINNER: "winner: the game is not over, so there is none",
    _SINGLE: "deals: a single deal has no earlier deals",
    _BEGUN: "turn: {field} without acted",
    _IDLE: "turn.mode: nothing has been done in this turn",
    _ACTOR: "turn.actor: seat {seat}, the mover, decides here",
    _UNPLAYED: "turn: {field} without played",
    _NO_VALUE: "turn.play_value: this game has none",
    _UNASKED: "turn.must_add: this game does not ask for it",
    _NO_DISCARD: "turn.no_new_build: without a discard (laid_now)",
    _LAID: "turn.laid_now: {card} is neither in the layout nor in a build",
    _NO_BUILD: "turn.{field}: there is no build of {number}",
    _PAID: "turn.debt: the hand card that could pay it has been played",
    _DEBT_OWN: "turn.debt: the build of {number} is not seat {seat}'s own",
    _DEBT_SIDE: "turn.debt: the build of {number} is not an opponent's",
    _NOT_ADDED: "turn.debt: this game does not allow adding to opponents' builds",
    _JOINED: "turn.joined: the build of {number} is not seat {seat}'s own",
    _UNFINISHED: "turn.unfinished: the build of {number} is not its side's",
    _UNSTOLEN: "turn.stolen: this game has no stealing",
    _NO_SOURCE: "turn.last_source: this game has no stealing",
    _CLOSED: "turn: {field} without an open action (mode)",
    _UNSORTED: "turn.mode: piles are not sorted by hand in this game",
    _NOTHING_TO_SORT: "turn.required: cards to sort are missing",
    NO_CAPTURE: "turn.hand_card: the capturing card is missing",
    _NOT_CAPTURED: "turn.mode: nothing has been captured",
    _WHILE_SORTING: "turn: {field} while cards are sorted",
    _ON_TOP: "turn.picked: these cards are not on top of the pile",
    _NOT_BEGUN: "turn: no action of seat {seat} leads to this open action",
    _NO_ACTION: "to_move: seat {seat} has no legal action, although the game is not over",
    _OWED: "turn: seat {seat} cannot do what it still owes",
}
_TRIES = 3000  # most positions searched to find how the open action came about
_AHEAD = 64  # most positions searched to find whether the turn can be finished
_DEEP = 64  # more actions than any open action takes
ROOM = _DEEP + 2  # records in the workspace
_KEYS = 4096  # size of the hash set of positions seen
_NAMED = _KEYS  # offset of the actions that the open action names, fewer than 80
_LEVELS = _NAMED + 80  # offset of the levels, each the next action to try and the set of legal ones
_LEVEL = 1 + action_set.PARTS
KEYS = _LEVELS + _LEVEL * (_DEEP + 1)  # words in the workspace

# --- the cards -------------------------------------------------------------------------------------------------------


@kernel
def _listed(g, top):
    """The cards of a linked list, from its top down; -1 if an index is no card or a card repeats."""
    cards = 0
    for _ in range(CARDS + 1):
        if top == -1:
            return cards
        if top < 0 or top >= CARDS or cards >> top & 1:
            return -1
        cards |= 1 << top
        top = g.below[top]
    return -1


@kernel
def _too_many_seats(g, r):
    for seat in range(SEATS):
        some = g.hands[seat] | g.piles[seat] | g.owned[seat] | g.proven[seat] | g.sweeps[seat]
        if seat >= r.players and (some or g.pile_top[seat] != -1):
            return True
        if seat >= r.sides and (g.match_score[seat] or g.deal_points[seat] or g.sweeps[seat]):
            return True
        if r.shared_pile and seat >= 2 and g.piles[seat]:
            return True
        if (g.owned[seat] | g.proven[seat]) & ~((2 << r.max_build) - 2):
            return True
    return False


@kernel
def _scattered(g, r, stock):
    """Whether a card is in two places or not in this game's deck."""
    seen, twice = stock | g.layout, stock & g.layout
    for seat in range(SEATS):
        twice |= seen & g.hands[seat]
        seen |= g.hands[seat]
        twice |= seen & g.piles[seat]
        seen |= g.piles[seat]
    for value in range(VALUES):
        twice |= seen & g.build_cards[value]
        seen |= g.build_cards[value]
    if g.mode == SORTING:  # cards on their way to the pile
        card = 1 << g.hand_card if g.hand_card >= 0 else 0
        twice |= seen & (g.required | card) | (g.required & card)
        seen |= g.required | card
    return twice != 0 or seen & ~r.deck != 0 or g.starts & ~r.deck != 0


@kernel
def _owners(g, value):
    owners = 0
    for seat in range(SEATS):
        owners += g.owned[seat] >> value & 1
    return owners


@kernel
def _sets_of(g, value):
    """The number of sets in a build; -1 if one is not worth the build's value."""
    total, cards, sets, card = 0, 0, 0, g.build_top[value]
    for _ in range(CARDS):
        if card < 0:
            break
        total += (card >> 2) + 1
        cards += 1
        if g.starts >> card & 1:
            if total != value and not (value == 14 and cards == 1 and card < 4):
                return -1
            total, cards = 0, 0
            sets += 1
        card = g.below[card]
    return sets if cards == 0 else -1


@kernel
def _wrong_build(g, r, value):
    """The fault of a build; 0 if there is none."""
    cards = g.build_cards[value]
    if _listed(g, g.build_top[value]) != cards:
        return _BUILDS
    if cards and (value < 1 or value > r.max_build or cards & ~r.numeric or r.bundles):
        return _VALUE
    if _owners(g, value) != (1 if cards else 0):
        return _OWNERS
    if _sets_of(g, value) != g.build_sets[value]:
        return _SETS
    begun = cards != 0 and g.unfinished == value  # with one card; under with_hand perhaps more, without the hand card
    if popcount(cards) == 1 and not begun:
        return _LONE
    return _LONE if begun and popcount(cards) > 1 and r.new_builds != NEW_WITH_HAND else 0


@kernel
def _wrong_times(g):
    """Whether loose cards share a time, or one has a time that is not below laid_next."""
    times, rest = 0, g.layout
    for card in range(CARDS):
        if rest >> card & 1:
            time = g.laid[card]
            if time >= g.laid_next or time >= CARDS or times >> time & 1:
                return True
            times |= 1 << time
    return False


@kernel
def _too_much_played(g, r, stock):
    left, swept = popcount(stock), 0
    for seat in range(SEATS):
        left += popcount(g.hands[seat])
        swept += g.sweeps[seat]
    gone = popcount(r.deck) - left
    return g.turns + g.played > gone or g.laid_next > gone or swept > gone


@kernel
def _cards_fault(g, r):
    """The first of _FAULTS that the record has; 0 if its cards are consistent."""
    if _too_many_seats(g, r):
        return _SEATS
    for card in range(CARDS):
        if g.below[card] < -1 or g.below[card] >= CARDS:
            return _BELOW
    for seat in range(SEATS):
        if _listed(g, g.pile_top[seat]) != g.piles[seat]:
            return _PILES
    stock = _listed(g, g.stock_top)
    if stock < 0:
        return _STOCK
    for value in range(VALUES):
        wrong = _wrong_build(g, r, value)
        if wrong:
            return wrong
    if _scattered(g, r, stock):
        return _CARDS
    if _wrong_times(g):
        return _TIMES
    return _COUNTERS if _too_much_played(g, r, stock) else 0


# --- the fields of the turn ------------------------------------------------------------------------------------------


@kernel
def _of_field(code, field):
    return code, field, 0, 0, 0, 0


@kernel
def _of_seat(code, seat, value):
    return code, seat, 0, value, 0, 0


@kernel
def fields_fault(g, r, words):
    """The refusal of a record, its open action aside (action_fault); FINE if there is none."""
    field, found = beyond_limits(r, words)
    if field >= 0:
        low, high = limits(r, field)
        return _NUMBER, field, 0, found, low, high
    fault = _cards_fault(g, r)
    if fault:
        return fault, 0, 0, 0, 0, 0
    # Later positions must be accepted too, and each later round deals at least one card of the stock.
    if g.round > MOST_ROUNDS - popcount(stock_cards(g)):
        return _ROUND, ROUND, 0, g.round, 1, MOST_ROUNDS - popcount(stock_cards(g))
    return _finished_fault(g, r, words) if g.mode == OVER else _turn_fault(g, r, words)


@kernel
def _finished_fault(g, r, words):
    left = g.stock_top >= 0
    for seat in range(SEATS):
        left |= g.hands[seat] != 0
    field = begun(words, TURN, ACTION_END)
    if field >= 0:
        return _of_field(_OVER_BEGUN, field)
    if left and not r.count_out:
        return _of_field(_OVER_CARDS, 0)
    if g.match and g.winner == -1:
        return _of_field(_OVER_OPEN, 0)
    if g.actor != g.to_move:
        return _of_field(_OVER_ACTOR, 0)
    if not g.match and not left and g.winner != deal_winner(g, r, g.deal_points):
        return _of_field(_OVER_WINNER, 0)
    return FINE


@kernel
def _turn_fault(g, r, words):
    if g.winner != -1:
        return _of_field(_EARLY_WINNER, 0)
    if not g.match and g.deals != 0:
        return _of_field(_SINGLE, 0)
    if not g.acted:
        field = begun(words, TURN, ACTION_END)
        if field >= 0:
            return _of_field(_BEGUN, field)
        if g.mode != IDLE:
            return _of_field(_IDLE, 0)
        return FINE if g.actor == g.to_move else _of_seat(_ACTOR, g.to_move, 0)
    found = _played_fault(g, r, words)
    if found[0] == 0:
        found = _builds_fault(g, r, words)
    if found[0] == 0:
        found = _stolen_fault(g, r)
    if found[0] == 0 and g.mode == IDLE:
        found = _closed_fault(g, words)
    if found[0] == 0 and g.mode == SORTING:
        found = _sorting_fault(g, r, words)
    return found


@kernel
def _played_fault(g, r, words):
    """Check fields that only a played hand card sets."""
    for field in (PLAY_VALUE, JOINED, MERGED, NO_NEW_BUILD, MUST_ADD):
        if number(words, field, 0) and not g.played:
            return _of_field(_UNPLAYED, field)
    if g.laid_now >= 0 and not g.played:
        return _of_field(_UNPLAYED, LAID_NOW)
    if g.play_value and r.table_builds:
        return _of_field(_NO_VALUE, 0)
    if g.must_add and r.insist_augment != ASK:
        return _of_field(_UNASKED, 0)
    if g.no_new_build and g.laid_now < 0:
        return _of_field(_NO_DISCARD, 0)
    if g.laid_now >= 0:
        lying = g.layout
        for value in range(VALUES):
            lying |= g.build_cards[value]
        if not lying >> g.laid_now & 1:
            return _of_seat(_LAID, g.to_move, g.laid_now)
    return FINE


@kernel
def _builds_fault(g, r, words):
    """Check that the builds named by the turn exist and belong to the right seat."""
    mover = g.to_move
    for field in (PLAY_VALUE, DEBT, UNFINISHED, JOINED, RAISING):
        value = number(words, field, 0)
        if value and owner_of(g, r, value) < 0:
            return _NO_BUILD, field, 0, value, 0, 0
    if g.debt:
        owner = owner_of(g, r, g.debt)
        # A seat with no card for its build and no other action discards, and its debt stays (legal.py).
        if g.played and g.hands[mover] & rank_cards(g.debt):
            return _of_field(_PAID, 0)
        if r.steal == STEAL_BOUND:
            if owner != mover:
                return _of_seat(_DEBT_OWN, mover, g.debt)
        elif side_of(r, owner) == side_of(r, mover):
            return _of_seat(_DEBT_SIDE, mover, g.debt)
        elif r.steal != STEAL:
            return _of_field(_NOT_ADDED, 0)
    if g.joined and owner_of(g, r, g.joined) != mover:
        return _of_seat(_JOINED, mover, g.joined)
    if g.unfinished and side_of(r, owner_of(g, r, g.unfinished)) != side_of(r, mover):
        return _of_seat(_UNFINISHED, mover, g.unfinished)
    return FINE


@kernel
def _stolen_fault(g, r):
    captured = r.chain == NO_CHAIN and r.capture_tops  # a capture of a pile top sets `stolen` too
    if g.stolen and r.steal == NO_STEAL and not captured:
        return _of_field(_UNSTOLEN, 0)
    return _of_field(_NO_SOURCE, 0) if g.last_source >= 0 and r.steal == NO_STEAL else FINE


@kernel
def _closed_fault(g, words):
    field = begun(words, ACTION, ACTION_END)
    if field >= 0:
        return _of_field(_CLOSED, field)
    return FINE if g.actor == g.to_move else _of_seat(_ACTOR, g.to_move, 0)


@kernel
def _sorting_fault(g, r, words):
    """Check the captured cards that are being sorted onto the pile."""
    if r.pile_order != ASK_ORDER:
        return _of_field(_UNSORTED, 0)
    if not g.required:
        return _of_field(_NOTHING_TO_SORT, 0)
    if g.hand_card < 0:
        return _of_field(NO_CAPTURE, 0)
    if not g.played or g.last_capture != g.to_move:
        return _of_field(_NOT_CAPTURED, 0)
    for field in range(ACTION, ACTION_END):
        captured = field == REQUIRED or field == HAND_CARD or field == PICKED
        if not captured and begun(words, field, field + 1) >= 0:
            return _of_field(_WHILE_SORTING, field)
    if g.actor != g.to_move:
        return _of_seat(_ACTOR, g.to_move, 0)
    top, sorted_now = g.pile_top[pile_of(r, g.to_move)], 0
    for _ in range(popcount(g.picked)):
        if top >= 0:
            sorted_now |= 1 << top
            top = g.below[top]
    return FINE if sorted_now == g.picked else _of_field(_ON_TOP, 0)


# --- the open action -------------------------------------------------------------------------------------------------


@kernel
def action_fault(records, r, work, keys):
    """Check that the open action is reachable and the turn can go on. work: ROOM records; keys: KEYS words."""
    g, seat = records[0], records[0].to_move
    if g.mode == OVER:
        return FINE
    if g.mode != IDLE and g.mode != SORTING and not _comes_about(records, r, work, keys):
        return _of_seat(_NOT_BEGUN, seat, 0)
    if action_set.count(legal_actions(g, r)) == 0:
        return _of_seat(_NO_ACTION, seat, 0)
    if (g.unfinished or g.debt or g.must_add) and _leads_nowhere(records, r, work, keys):
        return _of_seat(_OWED, seat, 0)
    return FINE


@kernel
def _leads_nowhere(records, r, work, keys):
    """Whether the turn can soon reach a position without a legal action; no turn begun by the rules can."""
    keys[:_KEYS] = 0
    work[0] = records[0]
    add_record(keys, _KEYS, work, 0)
    count, here, turns = 1, 0, records[0].turns
    while here < count:
        legal = legal_actions(work[here], r)
        if action_set.count(legal) == 0:
            return True
        for nth in range(action_set.count(legal)):
            work[count] = work[here]
            apply(work[count], r, action_set.nth(legal, nth))
            same_turn = work[count].mode != OVER and work[count].turns == turns
            if same_turn and count < _AHEAD and add_record(keys, _KEYS, work, count):
                count += 1
        here += 1
    return False


@kernel
def _comes_about(records, r, work, keys):
    """Whether a depth-first search over the actions named by the open action's fields finds it."""
    many = _list_named(records[0], keys[_NAMED:_LEVELS])
    keys[:_KEYS] = 0
    work[0] = records[0]
    close_action(work[0])
    add_record(keys, _KEYS, work, 0)
    deep, seen = _enter(work, r, keys, 0), 1
    while deep >= 0:
        level = keys[_LEVELS + _LEVEL * deep :]
        if level[0] == many:
            deep -= 1
            continue
        action = keys[_NAMED + level[0]]
        level[0] += 1
        if not action_set.has(action_set.from_row(level[1:]), action):
            continue
        work[deep + 1] = work[deep]
        apply(work[deep + 1], r, action)
        if _same(records, work, deep + 1):
            return True
        mode = work[deep + 1].mode
        is_open = mode != IDLE and mode != SORTING and mode != OVER
        if is_open and deep + 1 < _DEEP and seen < _TRIES and add_record(keys, _KEYS, work, deep + 1):
            seen += 1
            deep = _enter(work, r, keys, deep + 1)
    return False


@kernel
def _enter(work, r, keys, deep):
    """Start a level of the search: compute its legal actions."""
    level = keys[_LEVELS + _LEVEL * deep :]
    level[0] = 0
    action_set.to_row(legal_actions(work[deep], r), level[1:])
    return deep


@kernel
def _same(records, work, i):
    """Whether record i of the workspace equals the record checked."""
    wanted, words = items_of(records.view(np.int64)), items_of(work[i : i + 1].view(np.int64))
    same = True
    for word in range(work.itemsize >> 3):
        same &= words[word] == wanted[word]
    return same


@kernel
def _list_named(g, named):
    """List the actions by which the open action may have come about; return how many there are."""
    at = 0
    if g.raising:
        named[at] = RAISE + g.raising - 1
        at += 1
    if g.open_value:
        named[at] = BUILD + g.open_value - 1
        at += 1
    if g.hand_card >= 0:
        named[at], named[at + 1] = CAPTURE + g.hand_card, DISCARD + g.hand_card
        at += 2
        if g.hand_card < 4:
            named[at] = CAPTURE_HIGH + g.hand_card
            at += 1
    opened = 0
    for i in range(g.open_count):
        named[at] = g.open_cards[i]
        opened |= 1 << g.open_cards[i]
        at += 1
    rest = (g.picked | g.required) & ~opened
    for card in range(CARDS - 1, -1, -1):
        if rest >> card & 1:
            named[at] = card
            at += 1
    named[at], named[at + 1], named[at + 2] = END, YES, NO
    return at + 3


@entry
def refusal(records: Records, rules: RulesRow, work: Records, keys: I64, part: int) -> Refusal:
    """Why play cannot go on from a record; FINE if it can. part: 1 checks all but the open action, 2 that, 3 both.

    work: ROOM records, keys: KEYS words.
    """
    found = FINE
    if part & 1:
        found = fields_fault(records[0], rules[0], items_of(records.view(np.int64)))
    if part & 2 and found[0] == 0:
        found = action_fault(records, rules[0], work, keys)
    return found
