"""Checkpoints: folders that are written atomically.

runs/NAME/checkpoints/000000123456/ holds state.safetensors (arrays) and state.json (counters, versions, the config and
the checksum of the arrays). A new checkpoint is written to a temporary folder, synced to disk and then renamed, so a
kill at any moment leaves the previous one. The last two are kept, in case the newest is damaged. Loading a checkpoint
executes no code.
"""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from safetensors import SafetensorError
from safetensors.numpy import load, save

from casino_env import machine
from casino_env.agents.files import (
    UNFINISHED,
    DamagedFileError,
    checksum,
    read_file,
    read_text,
    seal,
    unseal,
    write_file,
)
from casino_env.arrays import Array
from casino_env.knowledge.layout import OBSERVATION_VERSION
from casino_env.rules import RULES_VERSION
from casino_env.train.rollouts.selfplay import Arrays
from casino_env.validate import error_text, first_problem

FORMAT = "casino-checkpoint 6"
_OURS = {"format": FORMAT, "rules_version": RULES_VERSION, "observation_version": OBSERVATION_VERSION}
_KEPT = 2
_NAME = re.compile(r"\d{12,}")
_FILE = re.compile(rf"state(-\d+)?\.(json|safetensors)(\.[0-9a-f]{{8}}{UNFINISHED})?")

Count = Annotated[int, Field(ge=0, lt=2**62)]


class CheckpointError(ValueError):
    """A checkpoint cannot be used; the message says in one line which and why."""


class Counters(BaseModel):
    """The state of an algorithm that is neither an array nor in its config."""

    model_config = ConfigDict(strict=True, extra="ignore", allow_inf_nan=False)

    iteration: Count
    decisions: Count
    steps: Count  # optimizer steps
    random: dict[str, Any]  # the state of a NumPy generator
    ahead: bool  # the games for the next iteration have been played


class _Head(Counters):
    """The contents of state.json."""

    arrays: str  # checksum of state.safetensors
    seconds: float = Field(ge=0)
    cpu_seconds: float = Field(0.0, ge=0)  # older checkpoints have none
    config: dict[str, Any]


# --- writing and reading ---------------------------------------------------------------------------------------------


def save_checkpoint(run: Path, name: str, arrays: Arrays, counters: Counters, about: dict[str, Any]) -> None:
    """Write a checkpoint and delete all but the last two.

    The name says how far the run is: a checkpoint that has it already is the same. about: seconds, cpu_seconds, config.
    """
    folder = run / "checkpoints"
    if (folder / name).is_dir():
        return
    for left in folder.glob(f"*{UNFINISHED}"):  # after a kill
        remove_checkpoint(left)
    data = save({key: np.ascontiguousarray(a) for key, a in arrays.items()})
    head = _OURS | {"arrays": checksum(data)} | counters.model_dump() | about
    write_checkpoint(folder / name, {"state.safetensors": data, "state.json": seal(head).encode()})
    for old in checkpoints(run)[:-_KEPT]:
        remove_checkpoint(old)


def write_checkpoint(checkpoint: Path, files: dict[str, bytes]) -> None:
    unfinished = checkpoint.with_name(f"{checkpoint.name}{UNFINISHED}")
    remove_checkpoint(unfinished)
    unfinished.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        write_file(unfinished / name, data)
    unfinished.rename(checkpoint)
    machine.sync_folder(checkpoint.parent)


def checkpoints(run: Path) -> list[Path]:
    """The complete checkpoints of a run, oldest first."""
    return sorted(path for path in (run / "checkpoints").glob("*") if path.is_dir() and _NAME.fullmatch(path.name))


def remove_checkpoint(folder: Path) -> None:
    """Delete a complete or unfinished checkpoint. If its folder holds other files, keep these and the folder."""
    if not _NAME.fullmatch(folder.name.removesuffix(UNFINISHED)) or folder.is_symlink():
        return
    with suppress(OSError):
        for path in folder.iterdir():
            if _FILE.fullmatch(path.name):
                path.unlink()
        folder.rmdir()


def load_checkpoint(run: Path) -> tuple[dict[str, Array], _Head]:
    """Return the arrays and counters of the last checkpoint of a run."""
    found = checkpoints(run)
    if not found:
        raise CheckpointError(f"{run}: no checkpoint found; --resume takes the folder of a run, like runs/NAME")
    try:
        head = _read_head(found[-1] / "state.json")
        return _read_arrays(found[-1] / "state.safetensors", head.arrays), head
    except (DamagedFileError, OSError) as error:
        raise CheckpointError(f"{error_text(error)}; {way_back(run)}") from None


def way_back(run: Path) -> str:
    """Say how to go on if the last checkpoint of a run cannot be used."""
    found = checkpoints(run)
    if len(found) < 2:
        return f"start a new run from its policy (--set network.start={run}) or from scratch"
    return f"delete {found[-1]}, and --resume continues from {found[-2].name}"


def _read_head(path: Path) -> _Head:
    data = unseal(read_text(path), str(path))
    for key, version in _OURS.items():
        if data.get(key) != version:
            raise CheckpointError(f"{path}: {key} is {data.get(key)!r}, this program has {version!r}; start a new run")
    try:
        return _Head.model_validate(data)
    except ValidationError as error:
        raise DamagedFileError(f"{path}: {first_problem(error, _Head)}") from None


def _read_arrays(path: Path, digest: str) -> dict[str, Array]:
    data = read_file(path)
    if checksum(data) != digest:
        raise DamagedFileError(f"{path}: damaged: its checksum does not match")
    try:
        return load(data)
    except (SafetensorError, ValueError, TypeError, KeyError) as error:
        raise DamagedFileError(f"{path}: broken: {error}") from None
