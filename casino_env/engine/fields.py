"""The fields of a record that are numbers: what each may be, and what it is before anything is done."""

from typing import Any

import numpy as np

from casino_env.cards import CARDS
from casino_env.compiler.jit import kernel
from casino_env.engine.state import GAME, IDLE, NO_CHAIN, OPEN_CARDS, OVER

MOST_ROUNDS, MOST_SCORE = 78, 30_000
_SEAT, _SIDE, _VALUE, _PILES = -101, -102, -103, -104  # limits that depend on the rules
_GAME = (  # name, least, greatest, before anything is done
    ("to_move", 0, _SEAT, 0),
    ("round", 1, MOST_ROUNDS, 1),
    ("last_capture", -1, _SEAT, -1),
    ("leader", 0, _SEAT, 0),
    ("turns", 0, CARDS, 0),
    ("match", 0, 1, 0),
    ("deals", 0, 30_000, 0),
    ("winner", -2, _SIDE, -1),
    ("mode", IDLE, OVER, IDLE),
    ("actor", 0, _SEAT, 0),
)
_TURN = (
    ("acted", 0, 1, 0),
    ("played", 0, 1, 0),
    ("play_value", 0, _VALUE, 0),
    ("debt", 0, _VALUE, 0),
    ("unfinished", 0, _VALUE, 0),
    ("joined", 0, _VALUE, 0),
    ("stolen", 0, _PILES, 0),
    ("added", 0, 1, 0),
    ("merged", 0, 1, 0),
    ("no_new_build", 0, 1, 0),
    ("last_source", -1, _SEAT, -1),
    ("laid_now", -1, CARDS - 1, -1),
    ("must_add", 0, 1, 0),
)
_ACTION = (  # of an action that is open
    ("open_value", 0, _VALUE, 0),
    ("open_left", 0, _VALUE, 0),
    ("open_count", 0, OPEN_CARDS, 0),
    ("open_last", 0, CARDS, CARDS),
    ("raising", 0, _VALUE, 0),
    ("hand_card", -1, CARDS - 1, -1),
    ("take_build", 0, 1, 0),
    ("lead", 0, CARDS, CARDS),
    ("tops_only", 0, 1, 0),
    ("settled", 0, 3, 0),
    ("picked", 0, (1 << CARDS) - 1, 0),
    ("required", 0, (1 << CARDS) - 1, 0),
    ("open_cards", -1, CARDS - 1, 0),
)
_OTHERS = (
    ("match_score", -MOST_SCORE, MOST_SCORE, 0),
    ("deal_points", 0, 127, 0),
    ("sweeps", 0, CARDS, 0),
    ("stock_top", -1, CARDS - 1, -1),
    ("laid_next", 0, CARDS, 0),
    ("hidden_hand", 0, 0, 0),
    ("hidden_pile", 0, 0, 0),
    ("hidden_stock", 0, 0, 0),
    ("shuffled", 0, 0, 0),
    ("padding", 0, 0, 0),
)
_ALL = _GAME + _TURN + _ACTION + _OTHERS
FIELDS = tuple(name for name, *_ in _ALL)
TURN = len(_GAME)  # where the fields of a turn begin
ACTION = TURN + len(_TURN)
ACTION_END = ACTION + len(_ACTION)
BEFORE = np.array([row[3] for row in _ALL])
_LEAST = np.array([row[1] for row in _ALL])
_MOST = np.array([row[2] for row in _ALL])
_PLACES: dict[str, Any] = dict(GAME.fields or {})
_OFFSETS = np.array([_PLACES[name][1] for name in FIELDS])
_MANY = np.array([int(np.prod(GAME[name].shape)) for name in FIELDS])
_BITS = np.array([8 * GAME[name].base.itemsize for name in FIELDS])

# Fields that other kernels name.
ROUND, MODE = map(FIELDS.index, ("round", "mode"))
PLAY_VALUE, DEBT, UNFINISHED, JOINED = map(FIELDS.index, ("play_value", "debt", "unfinished", "joined"))
MERGED, NO_NEW_BUILD, LAID_NOW, MUST_ADD = map(FIELDS.index, ("merged", "no_new_build", "laid_now", "must_add"))
OPEN_LAST, RAISING, HAND_CARD, LEAD = map(FIELDS.index, ("open_last", "raising", "hand_card", "lead"))
PICKED, REQUIRED = map(FIELDS.index, ("picked", "required"))
LAST_NUMBER = PICKED  # fields before this one are single numbers of a position


@kernel
def number(words, field, index):
    """A number of a record that is given as words."""
    size = _BITS[field]
    at = 8 * _OFFSETS[field] + size * index
    return words[at >> 6] << (64 - size - (at & 63)) >> (64 - size)


@kernel
def put(words, field, value):
    """The first number of a field."""
    size, at = _BITS[field], 8 * _OFFSETS[field]
    mask = -1 if size == 64 else (1 << size) - 1
    words[at >> 6] = words[at >> 6] & ~(mask << (at & 63)) | (value & mask) << (at & 63)


@kernel
def limits(r, field):
    """The least and the greatest that a field may be."""
    most = _MOST[field]
    if most == _SEAT:
        most = r.players - 1
    elif most == _SIDE:
        most = r.sides - 1
    elif most == _VALUE:
        most = r.max_build
    elif most == _PILES:
        most = (1 << r.players) - 1 if r.chain == NO_CHAIN else 1  # bit p: of pile p
    return _LEAST[field], most


@kernel
def beyond_limits(r, words):
    """The first field with a number that it may not be, and that number; (-1, 0): there is none."""
    for field in range(len(_BITS)):
        least, most = limits(r, field)
        for index in range(_MANY[field]):
            found = number(words, field, index)
            if found < least or found > most:
                return field, found
    return -1, 0


@kernel
def begun(words, first, end):
    """The first of the fields that is not as before anything is done; -1: all are."""
    for field in range(first, end):
        for index in range(_MANY[field]):
            if number(words, field, index) != BEFORE[field]:
                return field
    return -1
