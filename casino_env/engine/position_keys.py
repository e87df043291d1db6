"""Hash keys of positions: 64-bit words, equal for positions that differ only in the names of equal cards."""

from typing import Annotated, NamedTuple

import numpy as np

from casino_env.cards import CARDS
from casino_env.compiler.jit import bits_of, items_of, kernel
from casino_env.compiler.types import I64, Sizes
from casino_env.engine.piles import first_laid
from casino_env.engine.reading import standing
from casino_env.engine.scoring import card_points
from casino_env.engine.state import AS_BUILT, BUILD_ON_TOP, SEATS

_LAYOUT = SEATS
_BUILDS = SEATS + 1
_PLACES = 22  # hands, layout, builds by value
# Random words that add up to a key: one per place and card (Zobrist hashing).
_CODES = np.random.default_rng(1).integers(0, 2**64, (CARDS, _PLACES), np.uint64).T.flatten()
START = np.uint64(0x243F6A8885A308D3)


class Names(NamedTuple):
    """Lookup table by card."""

    same: Annotated[I64, Sizes(CARDS)]  # card -> the first of the cards that no rule tells apart from it


@kernel
def find_equals(r, same):
    """Fill `same`, once per workspace, which serves a single game.

    Cards of a rank differ only in name if they are worth the same and are not spades. If a card of other worth (the big
    ten) lies between them, they differ in whether they are stacked above or below it.
    """
    if same[CARDS - 1]:  # filled already, for then it is never 0
        return
    for card in range(CARDS):
        same[card] = card
    for card in range(1, CARDS, 4):
        points = card_points(r, 1 << card)
        if points == card_points(r, 2 << card) and points == card_points(r, 4 << card):
            same[card + 1] = card
            same[card + 2] = card


@kernel
def mix(key, word):
    key = (key ^ np.uint64(word)) * np.uint64(0x9FB21C651E98DF25)
    key = (key ^ (key >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    return key ^ (key >> np.uint64(32))


@kernel
def cards_key(names, cards, place):
    """Hash the cards that lie in a place; sums of such hashes are keys."""
    total, codes, first = np.uint64(0), items_of(_CODES), place * CARDS
    for card in bits_of(cards):
        total += codes[first + names.same[card]]
    return total


@kernel
def chain_key(g, names, top, cards):
    """Hash the order of a linked list, down to the first card that is not among `cards`."""
    key = START
    for _ in range(CARDS):
        if top < 0 or not cards >> top & 1:
            break
        key = mix(key, names.same[top] + 1)
        top = g.below[top]
    return key


@kernel
def _by_time(g, names):
    """Hash the order in which the loose cards were laid."""
    key, rest = START, g.layout
    while rest:
        first = first_laid(g, rest)
        rest &= ~(1 << first)
        key = mix(key, names.same[first] + 1)
    return key


@kernel
def hands_key(g, r, names, but):
    """Key of all hands but that of one seat; -1: of all."""
    key = np.uint64(0)
    for seat in range(r.players):
        if seat != but:
            key += cards_key(names, g.hands[seat], seat)
    return key


@kernel
def table_key(g, r, names, hands):
    """Key of hands, loose cards and builds. hands: key of the hands."""
    key = hands + cards_key(names, g.layout, _LAYOUT)
    values, single = standing(g, r), 0
    ordered = r.stacking == AS_BUILT or r.stacking == BUILD_ON_TOP
    for value in bits_of(values):
        key += cards_key(names, g.build_cards[value], _BUILDS + value)
        if g.build_sets[value] == 1:
            single |= 1 << value
        if ordered:
            key = mix(key, value)
            key += chain_key(g, names, g.build_top[value], g.build_cards[value])
    if r.stacking == AS_BUILT:
        key = mix(key, 0) + _by_time(g, names)
    if values:
        for seat in range(r.players):
            key = mix(key, g.owned[seat] | single << 16)
    return key


# --- keys of whole records, and hash sets of keys --------------------------------------------------------------------


@kernel
def record_key(records, i):
    """Key of all bytes of a record."""
    key, words = START, items_of(records[i : i + 1].view(np.int64))
    for word in range(records.itemsize >> 3):
        key = mix(key, words[word])
    return key


@kernel
def key_place(keys, size, key):
    """The index of a key in a hash set, or the empty place (0) for it. The size is a power of two."""
    place = key & size - 1
    while keys[place] and keys[place] != key:
        place = place + 1 & size - 1
    return place


@kernel
def add_record(keys, size, records, i):
    """Add the key of a record to a hash set; return whether it is new."""
    key = np.int64(record_key(records, i)) | 1
    place = key_place(keys, size, key)
    is_new = keys[place] == 0
    keys[place] = key
    return is_new
