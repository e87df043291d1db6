"""Inputs: agents and the judge for the C library (.casino), mostly with a valid seal; accepted ones play."""

from __future__ import annotations

import ctypes
import struct
from random import Random

import numpy as np

from casino_env.agents.c_export import JUDGE, as_bytes
from casino_env.agents.opened import seal_of
from casino_env.rules import make_rules
from tests.hostile.kind import Kind, RefusedError
from tests.hostile.spoiling import spoil_bytes
from tests.same_in_c import c_library

_HEAD = 24  # bytes before the sealed part: the format, the digest, the seal
_SPECS = (("greedy", "khasino", 2), ("counter", "cassino", 4), ("search:sims=4", "swazi", 3), (JUDGE, "swazi", 2))
_DECISIONS = 4
_Game = ctypes.c_int64 * 64


def seeds(_: Random) -> list[bytes]:
    return [as_bytes(spec, make_rules(variant, players)) for spec, variant, players in _SPECS]


def spoil(data: bytes, rng: Random) -> bytes:
    """Change any byte, or one or two words under a valid seal: few changes, so that some inputs are accepted."""
    if rng.random() < 0.2:
        return spoil_bytes(data, rng)
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 2))):
        at = _HEAD + 8 * rng.randrange((len(out) - _HEAD) // 8)
        value = rng.choice((-1, 0, 1, 2, 7, 64, 2**31, 2**62, -(2**63), rng.getrandbits(63)))
        struct.pack_into("<q", out, at, value)
    struct.pack_into("<Q", out, _HEAD - 8, int(seal_of(np.frombuffer(bytearray(out[_HEAD:]), np.uint64))))
    return bytes(out)


def use(data: bytes, rng: Random) -> None:
    library, error = c_library(), ctypes.c_int()
    opened = library.casino_open(data, len(data), ctypes.byref(error))
    if not opened:
        raise RefusedError(library.casino_error(error).decode())
    agent, game = ctypes.c_void_p(opened), _Game()
    try:
        rules = ctypes.c_void_p(library.casino_rules_of(agent))
        library.casino_deal(ctypes.byref(game), rules, ctypes.c_uint64(rng.getrandbits(60)))
        for _ in range(_DECISIONS):
            seat = library.casino_seat(ctypes.byref(game))
            if library.casino_over(ctypes.byref(game)) or library.casino_reset(agent, rules, seat, ctypes.c_uint64(1)):
                break
            action = library.casino_decide(agent, ctypes.byref(game))
            if action >= 0 and library.casino_play(ctypes.byref(game), rules, action) < 0:
                raise RuntimeError(f"action {action} is not legal")
            if action < 0:
                raise RefusedError(library.casino_error(action).decode())
    finally:
        library.casino_close(agent)


KINDS = (Kind("agents for C", 10_000, seeds, spoil, use),)
