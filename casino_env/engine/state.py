"""The record of a game and the rules as kernels see them; builds and piles of a record as lists, for Python."""

from dataclasses import fields
from typing import Annotated, Any, get_args

import numpy as np

from casino_env.arrays import Array
from casino_env.cards import CARDS, DECKS, cards_of, deck_cards, mask_of, parse_card
from casino_env.compiler.jit import entry, highest
from casino_env.compiler.types import Elements
from casino_env.switches import Switches

# === What kernels work on: a game (mutable, 512 bytes) and its rules as integers ======================================

SEATS = 6
VALUES = 15  # build values 1..14; index 0 is unused
OPEN_CARDS = 10  # no set or group has more cards: A A A A 2 2 2 2 is already worth 12

# Modes: what the actor decides. All but IDLE and OVER are in the middle of an action.
IDLE = 0  # the mover may begin an action or end the turn
SET = 1  # picking the cards of a set
RAISED = 2  # choosing the new value of the build being raised
CAPTURING = 3  # choosing the cards of a declared capture freely
MAXIMAL = 4  # choosing among maximal captures
OWNER = 5  # the mover: is the new build mine (yes) or my partner's (no)?
REQUEST = 6  # the mover's partner: leave the build for me?
GRANT = 7  # the mover: grant it?
INSIST_CAPTURE = 8  # an opponent: must the play take all it can?
COMPLETE = 9  # the mover must capture again
INSIST_ADD = 10  # an opponent: must the mover add what can be added?
SORTING = 11  # the capturer lays the captured cards on the pile one by one
BUNDLE = 12  # Stealing Bundles: which pile, or the table
OVER = 13

_FIELDS: list[Any] = [
    # where the cards are; sets are bitmasks, piles and builds also linked lists from the top down
    ("hands", np.int64, SEATS),
    ("piles", np.int64, SEATS),
    ("build_cards", np.int64, VALUES),
    ("layout", np.int64),
    ("starts", np.int64),  # set of the bottom cards of sets in builds and of batches in piles
    ("below", np.int8, CARDS),
    ("laid", np.uint8, CARDS),  # loose card: when it was laid; card in a pile: the seat that captured it
    ("pile_top", np.int8, SEATS),
    ("build_top", np.int8, VALUES),
    ("build_sets", np.int8, VALUES),
    ("stock_top", np.int8),
    ("owned", np.int16, SEATS),  # bit v: owns the build of v
    ("proven", np.int16, SEATS),  # bit v: known to hold a card that takes v
    # the deal and the match
    ("rng", np.uint64),
    ("match_score", np.int16, SEATS),  # by side
    ("deal_points", np.int8, SEATS),  # by side, of the last finished deal
    ("sweeps", np.int8, SEATS),  # by side
    ("deals", np.int16),  # finished
    ("turns", np.int16),  # finished in this deal
    ("match", np.int8),  # 1: deal again until the match is decided
    ("winner", np.int8),  # side; -1 none yet, -2 shared
    ("round", np.int8),
    ("leader", np.int8),  # seat that led the deal
    ("to_move", np.int8),
    ("last_capture", np.int8),
    ("laid_next", np.uint8),
    # the turn
    ("mode", np.int8),
    ("actor", np.int8),  # who decides now
    ("acted", np.int8),  # something has been done this turn
    ("played", np.int8),  # the hand card is gone
    ("play_value", np.int8),  # value of the set with the hand card (R57: further sets may follow)
    ("debt", np.int8),  # opponent's build that must be captured, or own build to which a steal has bound the hand card
    ("unfinished", np.int8),  # build that is still a base, or (new_builds = with_hand) waits for the hand card
    ("joined", np.int8),  # own build to which the hand card was added (steal = bound: or that it made)
    ("stolen", np.int8),  # 1: a pile top was used; chain = no: bit p for pile p
    ("added", np.int8),  # a set was added to a standing build of this side
    ("merged", np.int8),  # a raise was merged into such a build
    ("no_new_build", np.int8),  # a card was discarded while owners may not discard
    ("last_source", np.int8),  # pile of the last card laid into a set; -1 if none
    ("laid_now", np.int8),  # card discarded this turn
    ("must_add", np.int8),  # an opponent insisted on adding
    # the open set or capture
    ("open_value", np.int8),
    ("open_left", np.int8),
    ("open_count", np.int8),
    ("open_last", np.int8),  # last card picked; later cards come below it in the canonical order
    ("open_cards", np.int8, OPEN_CARDS),  # cards in the order picked; of a capture only if it may become a build
    ("raising", np.int8),  # value of the build being raised
    ("hand_card", np.int8),  # hand card of the set, of the capture or of the pending discard
    ("picked", np.int64),  # cards chosen so far
    ("take_build", np.int8),
    ("lead", np.int8),  # first card of the last group of a capture; the next group's comes below it
    ("required", np.int64),  # cards that an insisted capture must take; SORTING: cards to sort
    ("tops_only", np.int8),  # groups may hold only pile tops from here on
    ("settled", np.int8),  # bits: questions about the declared capture already asked
    # a seat's view of a game (view.py) counts the cards it may not see; all zero in a game itself
    ("hidden_hand", np.int8, SEATS),  # cards in each hand that are not in `hands`
    ("hidden_pile", np.int8, SEATS),
    ("hidden_stock", np.int8),
    ("shuffled", np.int64),  # set of cards in piles whose order within their batch is unknown
]


def _game_record() -> np.dtype[Any]:
    """Wide fields first, padded to whole 8-byte words: without holes, equal games are equal bytes."""
    rows = sorted(_FIELDS, key=lambda field: -np.dtype(field[1]).itemsize)
    size = np.dtype(rows).itemsize
    return np.dtype([*rows, ("padding", np.int8, -size % 8)], align=True)


GAME = _game_record()

_SWITCHES = [f for f in fields(Switches) if f.name not in ("name", "deck")]


# Switches added later, oldest first. Each takes the next spare word of a record of rules, so other fields keep their
# offsets and only kernels that read it are compiled again.
_LATER: tuple[str, ...] = ()
_RULES_WORDS = 96  # as in casino.h

_RULES: list[Any] = [
    *((field.name, np.int64) for field in _SWITCHES if field.name not in _LATER),
    ("deck_size", np.int64),
    # derived from the switches
    ("deck", np.int64),  # cards of the pack
    ("numeric", np.int64),  # cards that have a value for sums
    ("court_take", np.int64),  # 0 any number, 1 one or three, 2 one
    ("big_card", np.int64),
    ("sides", np.int64),
    ("hand_size", np.int64),
    ("max_build", np.int64),
    ("table_builds", np.int64),
    *((name, np.int64) for name in _LATER),
]
RULES = np.dtype([*_RULES, ("spare_words", np.int64, _RULES_WORDS - len(_RULES))])

# Arrays of records, as entry points take them.
Records = Annotated[Array, Elements(GAME)]
RulesRow = Annotated[Array, Elements(RULES)]  # a single record

# The choices of switches.Switches as numbers, in the order of their Literal types.
NEVER, ALWAYS, ASK = 0, 1, 2
COURTS_VALUE, COURTS_ANY, COURTS_FEW, COURTS_ONE = 0, 1, 2, 3
RAISE_OPPONENTS, RAISE_ANYONE = 0, 1
MERGE, JOIN, APART = 0, 1, 2
DISCARD_ALWAYS, DISCARD_SECOND_PHASE, DISCARD_NEVER = 0, 1, 2
NEW_FREELY, NEW_BY_HAND, NEW_WITH_HAND = 0, 1, 2
NO_LIMIT, DOUBLE = 0, 1  # raise_limit
NO_STEAL, STEAL, STEAL_WITH_HAND, STEAL_BOUND = 0, 1, 2, 3
CHAIN_SETS, NO_CHAIN, CHAIN_ALL = 0, 1, 2
NO_REQUEST, OPTIONAL, BINDING = 0, 1, 2
FOR_BUILDS, FOR_LOOSE, FOR_ANY = 0, 1, 2  # request_for
SECRET, AS_BUILT, LOWEST_ON_TOP, BUILD_ON_TOP, FACE_DOWN = 0, 1, 2, 3, 4
AUTO_ORDER, ASK_ORDER = 0, 1
ROTATES, LOSER, DRAWN = 0, 1, 2
TO_LAST_CAPTURE, TO_NOBODY = 0, 1
ONE_EACH, NO_TIES = 0, 1
SHARED, TO_BIG_TEN = 0, 1  # tie_break
BIG_FIRST, LITTLE_FIRST, TOTAL = 0, 1, 2


def switch_number(kind: Any, value: Any) -> int:
    """A switch as a number; a choice becomes its position in the list of options."""
    choices = get_args(kind)
    return choices.index(value) if choices else int(value)


_DECK_SIZES = np.array(list(DECKS))
_DECK_CARDS = np.array([mask_of(deck_cards(size)) for size in DECKS])
_BIG_CARDS = np.array([parse_card(name) for name in get_args(Switches.__dataclass_fields__["big_ten"].type)])
_PLAIN = (1 << 40) - 1  # ace to ten
_HIGHEST_PLAIN = 10


@entry
def derive(rules: RulesRow) -> None:
    """Fill in the fields that follow from the switches."""
    r = rules[0]
    r.deck = 0
    for i in range(len(_DECK_SIZES)):
        if _DECK_SIZES[i] == r.deck_size:
            r.deck = _DECK_CARDS[i]
    r.numeric = r.deck if r.courts == COURTS_VALUE else r.deck & _PLAIN
    r.court_take = max(0, r.courts - COURTS_ANY)
    r.big_card = _BIG_CARDS[r.big_ten]
    r.sides = 2 if r.partners else r.players
    r.hand_size = r.draw_hand
    if not r.draw_hand:
        r.hand_size = (r.deck_size - r.table_cards) // max(1, r.players * r.rounds)
    ranks = (highest(r.deck) >> 2) + 1
    r.max_build = ranks if r.courts == COURTS_VALUE else min(ranks, _HIGHEST_PLAIN)
    if r.ace_high:
        r.max_build = VALUES - 1
    r.table_builds = r.equal_builds == MERGE


def rules_record(rules: Switches) -> Array:
    """The rules as an array of one record."""
    record = np.zeros(1, RULES)
    for field in _SWITCHES:
        record[field.name] = switch_number(field.type, getattr(rules, field.name))
    record["deck_size"] = rules.deck
    derive(record)
    return record


# === For Python: builds and piles of a record as lists ================================================================

Record = Any  # one record of state.GAME


def chain(game: Record, top: int) -> list[int]:
    """The cards of a linked list, bottom first."""
    cards: list[int] = []
    while top >= 0 and len(cards) < CARDS:
        cards.append(int(top))
        top = game["below"][top]
    return cards[::-1]


def by_time(game: Record, mask: int) -> list[int]:
    return sorted(cards_of(mask), key=lambda card: (game["laid"][card], card))


def build_sets(game: Record, value: int) -> list[list[int]]:
    """The sets of a build in the order in which they were laid, the cards of each bottom first."""
    sets: list[list[int]] = []
    for card in chain(game, int(game["build_top"][value])):
        if game["starts"] >> card & 1 or not sets:
            sets.append([])
        sets[-1].append(card)
    return sets
