"""Checkpoints: folders that are there whole or not at all.

runs/NAME/checkpoints/000000123456/ holds state.safetensors (arrays) and state.json (counters and versions); the frozen
opponents, which never change, lie once each in runs/NAME/opponents/. Everything is written beside its place, forced to
the disk and then renamed, so a kill at any moment leaves the checkpoint before. Nothing of it is ever executed.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file, save

from agents.files import write_file
from casino_env.knowledge.segments import OBSERVATION_VERSION
from casino_env.rules import RULES_VERSION
from train.processes import ALONE, Peers

Array = np.ndarray[Any, Any]

FORMAT = "casino-checkpoint 3"
_KEPT = 2


class CheckpointError(ValueError):
    """A checkpoint that cannot be used: one line says which and why."""


def save_checkpoint(
    run: Path, name: str, arrays: dict[str, Array], counters: dict[str, Any], peers: Peers = ALONE
) -> None:
    """Write one and delete those before the last two. Of several processes each adds its own part."""
    folder = run / "checkpoints"
    unfinished = folder / f"{name}.unfinished"
    if peers.first:
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
    peers.wait()
    part = unfinished / _part(peers)
    write_file(part.with_suffix(".safetensors"), save({key: np.ascontiguousarray(a) for key, a in arrays.items()}))
    head = {"format": FORMAT, "rules_version": RULES_VERSION, "observation_version": OBSERVATION_VERSION}
    head |= {"processes": peers.size}
    write_file(part.with_suffix(".json"), json.dumps(head | counters).encode())
    peers.wait()
    if peers.first:
        _finish(folder, name, unfinished)


def _part(peers: Peers) -> str:
    return "state" if peers.first else f"state-{peers.rank}"


def _finish(folder: Path, name: str, unfinished: Path) -> None:
    shutil.rmtree(folder / name, ignore_errors=True)
    unfinished.rename(folder / name)
    _sync_folder(folder)
    for old in checkpoints(folder.parent)[:-_KEPT]:
        shutil.rmtree(old, ignore_errors=True)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def checkpoints(run: Path) -> list[Path]:
    """Those that are whole, oldest first."""
    return sorted(path for path in (run / "checkpoints").glob("*") if path.is_dir() and path.name.isdigit())


def load_checkpoint(run: Path, peers: Peers = ALONE) -> tuple[dict[str, Array], dict[str, Any]]:
    """Arrays and counters of the last checkpoint of a run, those of this process."""
    found = checkpoints(run)
    if not found:
        raise CheckpointError(f"{run}: no checkpoint there; --resume takes the folder of a run, like runs/NAME")
    processes = _read_head(found[-1] / "state.json").get("processes", 1)
    if processes != peers.size:
        raise CheckpointError(f"{run}: trained by {processes} processes, not {peers.size}; go on with as many")
    part = found[-1] / _part(peers)
    counters = _read_head(part.with_suffix(".json"))
    try:
        return load_file(part.with_suffix(".safetensors")), counters
    except (SafetensorError, OSError) as error:
        raise CheckpointError(f"{found[-1]}: broken: {error}") from None


def _read_head(path: Path) -> dict[str, Any]:
    try:
        head = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise CheckpointError(f"{path}: broken: {error}") from None
    ours = {"format": FORMAT, "rules_version": RULES_VERSION, "observation_version": OBSERVATION_VERSION}
    for key, version in ours.items():
        if not isinstance(head, dict) or head.get(key) != version:
            found = head.get(key) if isinstance(head, dict) else None
            raise CheckpointError(f"{path}: {key} is {found!r}, this program has {version!r}; start a new run")
    return head


# --- frozen opponents ------------------------------------------------------------------------------------------------


def save_opponents(run: Path, names: list[str], networks: Array) -> None:
    """Those that have no file yet."""
    folder = run / "opponents"
    folder.mkdir(exist_ok=True)
    for name, network in zip(names, networks, strict=False):
        path = folder / f"{name}.safetensors"
        if not path.exists():
            write_file(path, save({"theta": network}))


def load_opponents(run: Path, names: list[str]) -> list[Array]:
    networks = []
    for name in names:
        path = run / "opponents" / f"{name}.safetensors"
        try:
            networks.append(load_file(path)["theta"])
        except (SafetensorError, OSError, KeyError) as error:
            raise CheckpointError(f"{path}: broken or missing: {error}") from None
    return networks
