"""Inputs: policies (weights and the file beside them), corrupted as bytes, or in their content with valid checksums;
accepted ones play."""

from __future__ import annotations

import json
import tempfile
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from safetensors.numpy import load, save

from casino_env import Game, make_rules, observe
from casino_env.agents.files import checksum, is_sealed, parse, seal, unseal
from casino_env.agents.registry import make_agent
from tests.hostile.kind import Kind
from tests.hostile.spoiling import spoil_bytes, spoil_json, spoil_text
from tests.untrained import saved, untrained

Folder = dict[str, bytes]  # what the files hold, by their names


def spoil_files(folder: Folder, rng: Random) -> Folder:
    """One file or two; now and then one is gone, or has the content of another."""
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
        elif name.endswith(".safetensors"):
            folder[name] = spoil_arrays(folder[name], rng)
        else:
            text = _spoil_sealed(folder[name].decode(errors="replace"), rng)
            folder[name] = f"{text}\n".encode(errors="replace")
    return folder


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


_ABOUT = {"layout": "own", "value_scale": 2.5, "config": {"game": {"others": []}, "run": {"name": "x"}}}


def seeds(_: Random) -> list[Folder]:
    found = []
    for variant, players in (("swazi", 3), ("south-african", 2), ("khasino", 4)):
        with tempfile.TemporaryDirectory() as place:
            saved(untrained(make_rules(variant, players), (24, 8)), Path(place), **_ABOUT)
            found.append({path.name: path.read_bytes() for path in sorted(Path(place).iterdir())})
    return found


def spoil(folder: Folder, rng: Random) -> Folder:
    """Corrupt a policy, mostly with valid checksums, so that its content must be checked."""
    folder = spoil_files(folder, rng)
    if rng.random() < 0.8 and {"policy.json", "policy.safetensors"} <= folder.keys():
        with suppress(ValueError):  # it is not whole
            about = unseal(folder["policy.json"].decode(), "")
            folder["policy.json"] = seal(about | {"weights": [checksum(folder["policy.safetensors"])]}).encode()
    return folder


def use(folder: Folder, rng: Random) -> None:
    with tempfile.TemporaryDirectory(prefix="hostile-") as place:
        for name, data in folder.items():
            (Path(place) / name).write_bytes(data)
        agent = make_agent(f"policy:{place},temperature={rng.choice((0, 1))}")
    game = Game(agent.weights.rules, seed=5)
    agent.reset(game.seat, np.random.default_rng(1))
    for _ in range(4):
        game.apply(agent.act(observe(game)))


KINDS = (Kind("policies", 10_000, seeds, spoil, use),)
