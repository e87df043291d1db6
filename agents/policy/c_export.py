"""Policies as files for the C library (docs/c.md): the arguments of the call by which they decide, once and for all.

64-bit words: the format, a digest of what the arguments are, the memory of views, the rules; then each argument after
those, from left to right. A number: 0 and itself. An array: 1, the size of an element, how many dimensions and each of
them, how many bytes follow, and these; the others are zero.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from casino_env.agents.files import write_file
from casino_env.agents.policy.lookahead import decide_by_afterstates
from casino_env.agents.policy.policy_agent import make_policy
from casino_env.agents.policy.policy_files import find_policy, read_description
from casino_env.compiler.jit import kernel_of
from casino_env.compiler.types import Elements, Kind, arguments, leaves, letters_of, values
from casino_env.engine.state import GAME, RULES, rules_record
from casino_env.knowledge.layout import OBSERVATION_VERSION
from casino_env.knowledge.view import MEMORIES

FORMAT = int.from_bytes(b"casino 1", "little")


def digest() -> int:
    """Of what the call takes: files of another version are refused."""
    kinds = arguments(kernel_of(decide_by_afterstates).function).values()
    text = f"{''.join(map(letters_of, kinds))} {GAME.descr} {RULES.descr} {OBSERVATION_VERSION}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little", signed=True)


def export_for_c(spec: str, path: Path) -> None:
    policy = make_policy(spec)
    rules, fit = policy.weights.rules, policy._fit(policy.weights.rules)
    if policy.weights.shape.judges_actions:
        raise ValueError(f"{spec} judges actions; the C library plays policies over afterstates")
    memory = MEMORIES.index(read_description(find_policy(spec)).get("memory", "perfect"))
    words = struct.pack("<3q", FORMAT, digest(), memory) + rules_record(rules).tobytes()
    _, _, *kinds = arguments(kernel_of(decide_by_afterstates).function).values()  # the decision and rules are C's
    given = (fit.judge, policy.play, np.zeros(1, np.uint64), fit.levels)
    rest = [part for kind, value in zip(kinds, given, strict=True) for part in _written(kind, value)]
    write_file(path, b"".join([words, *rest]))


def _written(kind: Kind, value: Any) -> Iterator[bytes]:
    for one, number in zip(leaves(kind), values(kind, value), strict=True):
        if isinstance(one, Elements):
            data = number.tobytes().rstrip(b"\0")
            head = (1, number.itemsize, number.ndim, *number.shape, len(data))
            yield struct.pack(f"<{len(head)}q", *head) + data
        else:
            yield struct.pack(f"<q{one.code}", 0, number)
