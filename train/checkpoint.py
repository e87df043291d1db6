"""Checkpoints: folders that are there whole or not at all.

runs/NAME/checkpoints/000000123456/ holds state.safetensors (arrays) and state.json (counters, versions, the config and
checksums of the arrays); the frozen opponents, which never change, lie once each in runs/NAME/opponents/. Everything is
written beside its place, forced to the disk and then renamed, so a kill at any moment leaves the checkpoint before. The
last two are kept: if one is damaged, the one before is the way back. Nothing of it is ever executed.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from casino_env.agents.files import (
    DamagedFileError,
    checksum,
    read_file,
    read_text,
    seal,
    sync_folder,
    unseal,
    write_file,
)
from casino_env.knowledge.layout import OBSERVATION_VERSION
from casino_env.rules import RULES_VERSION
from casino_env.train.games.restoring import whole_number
from casino_env.train.process_group import SINGLE, ProcessGroup

Array = np.ndarray[Any, Any]

FORMAT = "casino-checkpoint 4"
_OURS = {"format": FORMAT, "rules_version": RULES_VERSION, "observation_version": OBSERVATION_VERSION}
_KEPT = 2


class CheckpointError(ValueError):
    """A checkpoint that cannot be used: one line says which and why."""


def save_checkpoint(
    run: Path, name: str, arrays: dict[str, Array], counters: dict[str, Any], group: ProcessGroup = SINGLE
) -> None:
    """Write one and delete those before the last two. Of several processes each adds its own part.

    A name says how far the run is, so one that is there already holds the same.
    """
    folder = run / "checkpoints"
    if group.broadcast((folder / name).is_dir()):
        return
    unfinished = folder / f"{name}.unfinished"
    if group.first:
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
    group.barrier()
    part = unfinished / _part(group)
    data = save({key: np.ascontiguousarray(a) for key, a in arrays.items()})
    write_file(part.with_suffix(".safetensors"), data)
    head = _OURS | {"processes": group.size, "arrays": checksum(data)}
    write_file(part.with_suffix(".json"), seal(head | counters).encode())
    group.barrier()
    if group.first:
        _finish(folder, name, unfinished)


def _part(group: ProcessGroup) -> str:
    return "state" if group.first else f"state-{group.rank}"


def _finish(folder: Path, name: str, unfinished: Path) -> None:
    unfinished.rename(folder / name)
    sync_folder(folder)
    for old in checkpoints(folder.parent)[:-_KEPT]:
        shutil.rmtree(old, ignore_errors=True)


def checkpoints(run: Path) -> list[Path]:
    """Those that are whole, oldest first."""
    return sorted(path for path in (run / "checkpoints").glob("*") if path.is_dir() and path.name.isdigit())


def load_checkpoint(run: Path, group: ProcessGroup = SINGLE) -> tuple[dict[str, Array], dict[str, Any]]:
    """Arrays and counters of the last checkpoint of a run, those of this process."""
    found = checkpoints(run)
    if not found:
        raise CheckpointError(f"{run}: no checkpoint there; --resume takes the folder of a run, like runs/NAME")
    try:
        processes = whole_number(_read_head(found[-1] / "state.json"), "processes")
        if processes != group.size:
            raise CheckpointError(f"{run}: trained by {processes} processes, not {group.size}; go on with as many")
        part = found[-1] / _part(group)
        counters = _read_head(part.with_suffix(".json"))
        return _read_arrays(part.with_suffix(".safetensors"), counters.get("arrays")), counters
    except (DamagedFileError, OSError) as error:
        raise CheckpointError(f"{error}; {way_back(run)}") from None


def way_back(run: Path) -> str:
    """What can be done if the last checkpoint of a run is of no use."""
    found = checkpoints(run)
    if len(found) < 2:
        return f"begin a new run with its policy (--set network.start={run}) or from nothing"
    return f"delete {found[-1]}, and --resume goes on from {found[-2].name}"


def _read_head(path: Path) -> dict[str, Any]:
    head = unseal(read_text(path), str(path))
    for key, version in _OURS.items():
        if head.get(key) != version:
            raise CheckpointError(f"{path}: {key} is {head.get(key)!r}, this program has {version!r}; start a new run")
    return head


def _read_arrays(path: Path, digest: Any) -> dict[str, Array]:
    data = read_file(path)
    if checksum(data) != digest:
        raise DamagedFileError(f"{path}: damaged: its checksum does not fit")
    try:
        return load(data)
    except (SafetensorError, ValueError, TypeError, KeyError) as error:
        raise DamagedFileError(f"{path}: broken: {error}") from None


# --- frozen opponents ------------------------------------------------------------------------------------------------


def save_opponents(run: Path, names: list[str], networks: Array, group: ProcessGroup = SINGLE) -> dict[str, str]:
    """Those that have no file yet, by the first of the processes; returns the checksums of all."""
    files = {name: save({"theta": network}) for name, network in zip(names, networks, strict=False)}
    digests = {name: checksum(data) for name, data in files.items()}
    if group.first:
        folder = run / "opponents"
        folder.mkdir(exist_ok=True)
        for name, data in files.items():
            path = folder / f"{name}.safetensors"
            if not path.exists() or checksum(read_file(path)) != digests[name]:
                write_file(path, data)
    return digests


def load_opponents(run: Path, counters: dict[str, Any]) -> list[Array]:
    """The networks that a checkpoint speaks of, in their order."""
    names, digests = counters.get("frozen"), counters.get("opponents")
    if not isinstance(names, list) or not isinstance(digests, dict):
        raise CheckpointError(f"{run}: the checkpoint does not say who its opponents were; {way_back(run)}")
    return [_load_opponent(run, name, digests.get(name) if isinstance(name, str) else None) for name in names]


def _load_opponent(run: Path, name: Any, digest: Any) -> Array:
    if not isinstance(name, str) or not (name.isascii() and name.isdigit()):
        raise CheckpointError(f"{run}: no opponent is called {name!r}; {way_back(run)}")
    path = run / "opponents" / f"{name}.safetensors"
    try:
        return _read_arrays(path, digest)["theta"]
    except (DamagedFileError, KeyError, OSError) as error:
        raise CheckpointError(f"{error}; begin a new run with its policy (--set network.start={run})") from None
