"""The set of legal actions: a bitmask of four 52-bit words, one bit per action in catalogue order.

Kernels pass it as a tuple; batches store it as a row of four numbers. Both are indexed alike.
"""

from collections.abc import Sequence

import numpy as np

from casino_env.actions import ACTIONS
from casino_env.cards import CARDS
from casino_env.compiler.jit import bits_of, entry, items_of, kernel, lowest, popcount
from casino_env.compiler.types import I8, I16, I64, I8x2, I64x2

PARTS = -(-ACTIONS // CARDS)  # words of the set: cards, discards, captures, all others
ActionSet = tuple[int, int, int, int]
NOTHING: ActionSet = (0, 0, 0, 0)


@kernel
def has(legal, action):
    """Whether the action is in the catalogue and legal."""
    return 0 <= action < ACTIONS and legal[action // CARDS] >> (action % CARDS) & 1 != 0


@kernel
def count(legal):
    return popcount(legal[0]) + popcount(legal[1]) + popcount(legal[2]) + popcount(legal[3])


@kernel
def nth(legal, n):
    """The n-th legal action in catalogue order, counted from 0; -1 if there are fewer."""
    for part in range(PARTS):
        bits = legal[part]
        here = popcount(bits)
        if n < here:
            for _ in range(n):
                bits &= bits - 1
            return part * CARDS + lowest(bits)
        n -= here
    return -1


@kernel
def rank(legal, action):
    """The number of legal actions before this one in catalogue order."""
    part, before = action // CARDS, 0
    for earlier in range(part):
        before += popcount(legal[earlier])
    return before + popcount(legal[part] & (1 << action % CARDS) - 1)


@kernel
def only(action):
    """The set that holds one action."""
    bit, part = 1 << (action % CARDS), action // CARDS
    return bit * (part == 0), bit * (part == 1), bit * (part == 2), bit * (part == 3)


@kernel
def listed(legal, out):
    """Write the legal actions to out in ascending order; return how many there are."""
    many = 0
    for part in range(PARTS):
        for bit in bits_of(legal[part]):
            out[many] = part * CARDS + bit
            many += 1
    return many


@kernel
def to_row(legal, row):
    """Write the set to a row of a batch."""
    row[0], row[1], row[2], row[3] = legal


@kernel
def from_row(row):
    """Read the set from a row of a batch."""
    return row[0], row[1], row[2], row[3]


@kernel
def as_mask(legal, mask):
    """Write a mask of one byte per action: 1 if legal, else 0."""
    out = items_of(mask)
    for action in range(ACTIONS):
        out[action] = 0
    for part in range(PARTS):
        for bit in bits_of(legal[part]):
            out[part * CARDS + bit] = 1


@entry
def to_list(cards: int, discards: int, captures: int, others: int, out: I16) -> int:
    """Entry point for `listed`."""
    return listed((cards, discards, captures, others), out)


@entry
def from_mask(mask: I8, row: I64) -> None:
    """Write the actions whose byte is not zero to a row."""
    row[:] = 0
    for action in range(ACTIONS):
        if mask[action]:
            row[action // CARDS] |= 1 << (action % CARDS)


# --- for arrays of games -------------------------------------------------------------------------------------------


@entry
def as_masks(legal: I64x2, masks: I8x2, lo: int, hi: int) -> None:
    """Write the masks of games lo to hi (exclusive)."""
    for i in range(lo, hi):
        as_mask(legal[i], masks[i])


# --- for Python ----------------------------------------------------------------------------------------------------


def allows(legal: Sequence[int], action: int) -> bool:
    """`has` in plain Python."""
    return 0 <= action < ACTIONS and legal[action // CARDS] >> action % CARDS & 1 != 0


def actions_of(legal: Sequence[int]) -> list[int]:
    """The legal actions as a list, ascending."""
    out = np.empty(ACTIONS, np.int16)
    actions: list[int] = out[: to_list(*legal, out)].tolist()
    return actions
