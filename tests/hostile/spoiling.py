"""Ways to corrupt JSON, text and bytes: wrong types, extreme values, parts deleted, doubled or swapped."""

from __future__ import annotations

import copy
import json
from random import Random
from typing import Any

from tests.hostile.kind import RUNS_IT

ODD: list[Any] = [
    None, True, False, 0, 1, -1, 2, 7, 13, 14, 15, 52, 127, 128, 255, 256, 32_767, 32_768, 2**31, 2**63, 2**64, 10**30,
    -(2**63) - 1, 0.0, 0.5, -1.5, 1e308, float("nan"), float("inf"), "", " ", "\n", "a", "AS", "TD", "swazi", "mini",
    "../x", "/etc/passwd", "\x00", "\ud800", "ä" * 300, RUNS_IT, [], [[]], {}, {"": 0}, [[[[[]]]]], ["AS"] * 60,
]  # fmt: skip


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths to all values inside a value."""
    found = [path] if path else []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        found += _places(inner, (*path, key))
    return found


def _at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def spoil_json(value: Any, rng: Random) -> Any:
    """Return a copy with one to `most` changes."""
    value = copy.deepcopy(value)
    for _ in range(rng.randint(1, 3)):
        places = _places(value)
        if not places:
            return rng.choice(ODD)
        path = rng.choice(places)
        parent, key = _at(value, path[:-1]), path[-1]
        _spoil_one(value, places, parent, key, rng)
    return value


def _spoil_one(whole: Any, places: list[tuple[Any, ...]], parent: Any, key: Any, rng: Random) -> None:
    how = rng.randrange(9)
    old = parent[key]
    if how == 0:
        del parent[key]
    elif how == 1 and isinstance(parent, list):
        parent.insert(rng.randint(0, len(parent)), copy.deepcopy(old))
    elif how in (1, 2):  # a copy of another value
        parent[key] = copy.deepcopy(_at(whole, rng.choice(places)))
    elif how == 3 and isinstance(old, list):
        rng.shuffle(old)
    elif how in (3, 4) and type(old) is int:
        parent[key] = old + rng.choice((-1, 1, 2, 100))
    elif how == 5 and isinstance(parent, dict):
        parent[rng.choice(("x", "rules", "turn", "name", "players", "\ud800"))] = rng.choice(ODD)
    elif how == 6 and isinstance(old, str) and old:
        parent[key] = spoil_text(old, rng)
    else:
        parent[key] = copy.deepcopy(rng.choice(ODD))


STRANGE_BLANKS = ("\v", "\f", "\r", "\x1c", "\x85", "\xa0", "\u2028", "\ufeff")  # languages differ on some of them


def spoil_text(text: str, rng: Random) -> str:
    """Insert, delete or change a few characters or a line."""
    lines = text.split("\n")
    how, at = rng.randrange(6), rng.randrange(len(text) + 1)
    line = rng.randrange(len(lines))
    if how == 0:
        return text[:at] + text[at + rng.randint(1, 5) :]
    if how == 1:
        more = rng.choice(("0", ":", ";", ">", "{", '"', "\n", "\x00", "é", *STRANGE_BLANKS, "9" * 40, "[" * 2000))
        return text[:at] + more + text[at:]
    if how == 2:
        return text[:at] + chr(rng.randrange(32, 127)) + text[at + 1 :]
    if how == 3:
        del lines[line]
    elif how == 4:
        lines.insert(line, rng.choice(lines))
    else:
        other = rng.randrange(len(lines))
        lines[line], lines[other] = lines[other], lines[line]
    return "\n".join(lines)


def spoil_bytes(data: bytes, rng: Random, most: int = 4) -> bytes:
    """Flip bits, set bytes to extremes, delete parts."""
    out = bytearray(data)
    for _ in range(rng.randint(1, most)):
        if not out:
            break
        at, how = rng.randrange(len(out)), rng.randrange(8)
        if how < 4:
            out[at] ^= 1 << rng.randrange(8)
        elif how < 7:
            out[at] = rng.choice((0, 1, 127, 128, 255, rng.randrange(256)))
        else:
            del out[at : at + rng.randint(1, 8)]
    return bytes(out)


def spoil_json_text(value: Any, rng: Random) -> bytes:
    """Return the text of corrupted JSON, sometimes corrupted again as text or as bytes."""
    text = json.dumps(spoil_json(value, rng))
    if rng.random() < 0.2:
        text = spoil_text(text, rng)
    data = text.encode(errors="surrogatepass")
    return spoil_bytes(data, rng) if rng.random() < 0.1 else data
