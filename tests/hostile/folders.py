"""Folders of files as inputs: files are corrupted as bytes, or in their content, with valid checksums."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from safetensors.numpy import load, save

from casino_env.agents.files import is_sealed, parse, seal, unseal
from tests.hostile.spoiling import spoil_bytes, spoil_json, spoil_text

Folder = dict[str, bytes]  # contents of files by path


def packed(place: Path) -> Folder:
    return {
        path.relative_to(place).as_posix(): path.read_bytes() for path in sorted(place.rglob("*")) if path.is_file()
    }


@contextmanager
def unpacked(folder: Folder) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="hostile-") as name:
        for path, data in folder.items():
            (Path(name) / path).parent.mkdir(parents=True, exist_ok=True)
            (Path(name) / path).write_bytes(data)
        yield Path(name)


def spoil(folder: Folder, rng: Random) -> Folder:
    """Corrupt one or two files; now and then delete one, or give it the content of another."""
    folder = dict(folder)
    for _ in range(rng.choice((1, 1, 2))):
        name = rng.choice(sorted(folder))
        how = rng.random()
        if how < 0.02 and len(folder) > 1:
            del folder[name]
        elif how < 0.04:
            folder[name] = folder[rng.choice(sorted(folder))]
        elif how < 0.3:
            folder[name] = spoil_bytes(folder[name], rng)
        else:
            folder[name] = _spoil_content(name, folder[name], rng)
    return folder


def _spoil_content(name: str, data: bytes, rng: Random) -> bytes:
    if name.endswith(".safetensors"):
        return spoil_arrays(data, rng)
    text = data.decode(errors="replace")
    if name.endswith(".json"):
        return (_spoil_sealed(text, rng) + "\n").encode(errors="replace")
    return spoil_text(text, rng).encode(errors="replace")


def sealed_again(data: bytes, **changes: Any) -> bytes:
    """Return a sealed text with changed values and a valid seal; unchanged if its seal is broken."""
    try:
        return seal(unseal(data.decode(), "") | changes).encode()
    except ValueError:
        return data


def _spoil_sealed(text: str, rng: Random) -> str:
    """Corrupt the content of JSON; if it was sealed, seal it again."""
    try:
        data = unseal(text, "") if is_sealed(text) else parse(text, "")
        data = spoil_json(data, rng)
        return seal(data) if is_sealed(text) and isinstance(data, dict) else json.dumps(data)
    except ValueError:  # corrupted before, or values that JSON cannot hold
        return spoil_text(text, rng)


_NUMBERS = (-1, 0, 1, 2, 7, 100, 255, 2**15 - 1, 2**31, 2**60)


def spoil_arrays(data: bytes, rng: Random) -> bytes:
    """Change numbers of an array, or its shape, type or name."""
    try:
        arrays = {name: array.copy() for name, array in load(data).items()}
    except Exception:  # noqa: BLE001 - corrupted before
        return spoil_bytes(data, rng)
    for _ in range(rng.randint(1, 3)):
        if not arrays:
            break
        name = rng.choice(sorted(arrays))
        arrays = _spoil_array(arrays, name, rng)
    return save({name: np.ascontiguousarray(array) for name, array in arrays.items()})


def _spoil_array(arrays: dict[str, Any], name: str, rng: Random) -> dict[str, Any]:
    array, how = arrays[name], rng.random()
    if how < 0.7 and array.size:
        flat = array.reshape(-1)
        with np.errstate(all="ignore"):
            for _ in range(rng.choice((1, 1, 3, 50))):
                number = rng.choice(_NUMBERS) if array.dtype.kind != "f" else rng.choice((np.nan, np.inf, 1e30, -2.0))
                flat[rng.randrange(array.size)] = np.array(number).astype(array.dtype)
        return arrays
    if how < 0.8:
        return arrays | {name: array[: len(array) // 2] if array.ndim else array.reshape(1)}
    if how < 0.9:
        with np.errstate(all="ignore"):
            return arrays | {name: array.astype(rng.choice(("f4", "i8", "u1", "f2")))}
    return {other: one for other, one in arrays.items() if other != name} | ({"x": array} if how < 0.95 else {})
