"""Arrays of processes of one machine, added up in memory that they share: over sockets a step of learning waits ten
times as long for it."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

_MEMORY = Path("/dev/shm")  # files that are memory; only Linux has them
_TURNS = 1000  # looks at the others before it sleeps between them: a few milliseconds
_SLEEP = 1e-4  # seconds
_PATIENCE = 1800.0  # seconds: as long as torch waits


def reserve(processes: int, length: int) -> str:
    """A file for a Room, full of zeros; "" where there is no room for it."""
    if not _MEMORY.is_dir():
        return ""
    handle, path = tempfile.mkstemp(prefix="casino-env-", dir=_MEMORY)
    try:
        os.posix_fallocate(handle, 0, _room(processes, length).itemsize)
    except OSError:
        os.unlink(path)
        return ""
    finally:
        os.close(handle)
    return path


def _room(processes: int, length: int) -> np.dtype[Any]:
    """Two rounds of arrays: those of the round before may still be read while a new one is written."""
    return np.dtype([("rounds", np.int64, (processes, 8)), ("arrays", np.float32, (2, processes, length))])


class Room:
    """Where each process lays its array, and waits for those of the others."""

    def __init__(self, path: str, rank: int, processes: int, length: int) -> None:
        held = np.memmap(path, _room(processes, length), "r+", shape=(1,))[0]
        self._rounds: Array = held["rounds"][:, 0]  # that each has laid down its array for; far apart in memory
        self._arrays: Array = held["arrays"]
        self._rank, self._round = rank, 0

    def average(self, array: Array) -> None:
        """Replace it by the mean of all; to the bit the same in every process."""
        self._round += 1
        arrays = self._arrays[self._round % 2]
        arrays[self._rank] = array
        os.sched_yield()  # hands over Python's lock, too: what was written before can be seen before what follows
        self._rounds[self._rank] = self._round
        self._wait()
        np.add(arrays[0], arrays[1], out=array)
        for others in arrays[2:]:
            array += others
        array *= np.float32(1.0 / len(arrays))

    def _wait(self) -> None:
        """Until all have come as far."""
        looks, until = 0, time.monotonic() + _PATIENCE
        while self._rounds.min() < self._round:
            looks += 1
            if looks < _TURNS:
                os.sched_yield()
                continue
            time.sleep(_SLEEP)
            if time.monotonic() > until:
                raise TimeoutError(f"a process of this training has not been heard of for {_PATIENCE:.0f} s")
        os.sched_yield()
