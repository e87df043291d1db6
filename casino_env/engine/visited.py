"""Telling apart what has been met on the way through a turn: tables that can be left, and positions in between."""

import numpy as np

from casino_env.engine.jit import kernel
from casino_env.engine.keys import cards_key, chain_key, mix, table_key
from casino_env.engine.state import IDLE, RAISED, SET

SLOTS = 4096  # of the set of positions that have been tried: a power of two


@kernel
def left_key(v, r, w):
    """Equal for tables that nobody could tell apart, equal cards aside."""
    key = table_key(v, r, w)
    for pile in range(r.players):
        now, old, top = v.piles[pile], w.piles[pile], v.pile_top[pile]
        if now != old:
            key = mix(key, cards_key(w, now ^ old, pile))
            if top >= 0:
                key += chain_key(v, w, top, now & ~old)
        seen = w.same[top] + 1 if top >= 0 else 0
        key = mix(key, v.proven[pile] | v.sweeps[pile] << 16 | seen << 24)
    return mix(key, v.last_capture + 1)


@kernel
def turn_key(v, key):
    """The same for positions inside a turn."""
    key = mix(
        key,
        v.mode | v.actor << 4 | v.acted << 8 | v.played << 9 | v.play_value << 10 | v.debt << 14 | v.unfinished << 18
        | v.joined << 22 | v.stolen << 26 | v.added << 27 | v.merged << 28 | v.no_new_build << 29 | v.must_add << 30
        | (v.last_source + 1) << 31 | (v.laid_now + 1) << 35 | v.take_build << 42 | v.tops_only << 43
        | v.settled << 44,
    )  # fmt: skip
    if v.mode == IDLE:
        return key
    key = mix(
        key,
        v.open_value | v.open_left << 4 | v.open_count << 8 | v.open_last << 12 | v.raising << 18
        | (v.hand_card + 1) << 22 | v.lead << 29,
    )  # fmt: skip
    if v.mode == SET or v.mode == RAISED:
        for i in range(v.open_count):
            key = mix(key, v.open_cards[i])
    return mix(mix(key, v.picked), v.required)


@kernel
def is_new(w, key):
    """Puts a position into the set of those that have been tried."""
    key |= np.uint64(1)  # 0 is an empty slot
    slot = np.int64(key >> np.uint64(32)) & SLOTS - 1
    while w.seen[slot]:
        if w.seen[slot] == key:
            w.slots[w.tried] = -1
            return False
        slot = slot + 1 & SLOTS - 1
    w.seen[slot] = key
    w.slots[w.tried] = slot
    return True
