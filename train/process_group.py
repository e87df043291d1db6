"""The process group: processes that train one network together, started with torchrun on one machine or several.

Each plays games of its own and learns from them; gradients are averaged, so all have the same weights at all times.
Arrays of processes of one machine are averaged in memory that they share: over sockets a step of learning waits ten
times as long for it.
"""

from __future__ import annotations

import os
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import distributed

from casino_env.arrays import Array

_MEMORY = Path("/dev/shm")  # files that are memory; only Linux has them
_SPINS = 1000  # looks at the others before it sleeps between them: a few milliseconds
_SLEEP = 1e-4  # seconds
_PATIENCE = 1800.0  # seconds: as long as torch waits


@dataclass(frozen=True)
class ProcessGroup:
    """This process among those of its training."""

    rank: int = 0
    size: int = 1
    one_machine: bool = False
    _shared: dict[int, SharedArrays | None] = field(default_factory=dict, compare=False, repr=False)  # by length

    @property
    def first(self) -> bool:
        """It writes the files and is seen; the others are quiet."""
        return self.rank == 0

    def average(self, numbers: Any) -> None:
        """Replace an array or tensor by the mean of those of all processes (an all-reduce)."""
        shared = self._memory(len(numbers)) if self.one_machine and isinstance(numbers, np.ndarray) else None
        if shared:
            shared.average(numbers)
        elif self.size > 1:
            tensor = torch.as_tensor(numbers)  # shares the memory of an array
            distributed.all_reduce(tensor)
            tensor.div_(self.size)

    def _memory(self, length: int) -> SharedArrays | None:
        if length not in self._shared:
            path = self.broadcast_text(reserve_memory(self.size, length) if self.first else "")
            self._shared[length] = SharedArrays(path, self.rank, self.size, length) if path else None
            self.barrier()
            if path and self.first:
                os.unlink(path)  # those who hold it keep it
        return self._shared[length]

    def all_reduce_mean(self, number: float) -> float:
        tensor = torch.tensor(number, dtype=torch.float64)
        self.average(tensor)
        return float(tensor)

    def all_reduce_sum(self, number: int) -> int:
        return round(self.all_reduce_mean(number) * self.size)

    def all_reduce_min(self, number: int) -> int:
        tensor = torch.tensor(number)
        if self.size > 1:
            distributed.all_reduce(tensor, distributed.ReduceOp.MIN)
        return int(tensor)

    def broadcast(self, number: float) -> float:
        """What the first process has: clocks differ, decisions must not."""
        tensor = torch.tensor(number, dtype=torch.float64)
        if self.size > 1:
            distributed.broadcast(tensor, 0)
        return float(tensor)

    def broadcast_text(self, text: str) -> str:
        if self.size == 1:
            return text
        length = int(self.broadcast(len(text.encode())))
        letters = torch.tensor(list(text.encode()) if self.first else [0] * length, dtype=torch.uint8)
        distributed.broadcast(letters, 0)
        return bytes(letters.tolist()).decode()

    def barrier(self) -> None:
        """Until all have come here."""
        self.all_reduce_mean(0.0)


SINGLE = ProcessGroup()


def join() -> ProcessGroup:
    """The group that torchrun started; SINGLE without it."""
    size = int(os.environ.get("WORLD_SIZE", "1"))
    if size == 1:
        return SINGLE
    if not distributed.is_initialized():
        distributed.init_process_group("cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo")
    return ProcessGroup(distributed.get_rank(), size, os.environ.get("LOCAL_WORLD_SIZE") == str(size))


def leave() -> None:
    if distributed.is_initialized():
        distributed.destroy_process_group()


# --- shared memory ---------------------------------------------------------------------------------------------------


def _layout(processes: int, length: int) -> np.dtype[Any]:
    """Two rounds of arrays: those of the round before may still be read while a new one is written."""
    return np.dtype([("rounds", np.int64, (processes, 8)), ("arrays", np.float32, (2, processes, length))])


def reserve_memory(processes: int, length: int) -> str:
    """A file for SharedArrays, full of zeros; "" where there is not enough memory for it."""
    if not _MEMORY.is_dir():
        return ""
    handle, path = tempfile.mkstemp(prefix="casino-env-", dir=_MEMORY)
    try:
        os.posix_fallocate(handle, 0, _layout(processes, length).itemsize)
    except OSError:
        os.unlink(path)
        return ""
    finally:
        os.close(handle)
    return path


class SharedArrays:
    """Where each process writes its array, and waits for those of the others."""

    def __init__(self, path: str, rank: int, processes: int, length: int) -> None:
        held = np.memmap(path, _layout(processes, length), "r+", shape=(1,))[0]
        self._rounds: Array = held["rounds"][:, 0]  # that each has written its array for; far apart in memory
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
        spins, until = 0, time.monotonic() + _PATIENCE
        while self._rounds.min() < self._round:
            spins += 1
            if spins < _SPINS:
                os.sched_yield()
                continue
            time.sleep(_SLEEP)
            if time.monotonic() > until:
                raise TimeoutError(f"a process of this training has not been heard of for {_PATIENCE:.0f} s")
        os.sched_yield()
