"""Processes that train one network together, on one machine or several: started with torchrun, joined here.

Each plays games of its own and learns from them; gradients are averaged, so all have the same weights at all times.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import distributed

from casino_env.train.processes.shared import Room, reserve


@dataclass(frozen=True)
class Peers:
    """This process among them."""

    rank: int = 0
    size: int = 1
    together: bool = False  # all on one machine
    rooms: dict[int, Room | None] = field(default_factory=dict, compare=False, repr=False)  # by the length of arrays

    @property
    def first(self) -> bool:
        """It writes the files and is seen; the others are quiet."""
        return self.rank == 0

    def average(self, numbers: Any) -> None:
        """Replace an array or tensor by the mean of those of all processes."""
        room = self._room(len(numbers)) if self.together and isinstance(numbers, np.ndarray) else None
        if room:
            room.average(numbers)
        elif self.size > 1:
            tensor = torch.as_tensor(numbers)  # shares the memory of an array
            distributed.all_reduce(tensor)
            tensor.div_(self.size)

    def _room(self, length: int) -> Room | None:
        if length not in self.rooms:
            path = self.text_of_first(reserve(self.size, length) if self.first else "")
            self.rooms[length] = Room(path, self.rank, self.size, length) if path else None
            self.wait()
            if path and self.first:
                os.unlink(path)  # those who hold it keep it
        return self.rooms[length]

    def total(self, number: int) -> int:
        return round(self.mean(number) * self.size)

    def least(self, number: int) -> int:
        """The smallest that any process has."""
        tensor = torch.tensor(number)
        if self.size > 1:
            distributed.all_reduce(tensor, distributed.ReduceOp.MIN)
        return int(tensor)

    def mean(self, number: float) -> float:
        tensor = torch.tensor(number, dtype=torch.float64)
        self.average(tensor)
        return float(tensor)

    def of_first(self, number: float) -> float:
        """What the first process has: clocks differ, decisions must not."""
        tensor = torch.tensor(number, dtype=torch.float64)
        if self.size > 1:
            distributed.broadcast(tensor, 0)
        return float(tensor)

    def text_of_first(self, text: str) -> str:
        if self.size == 1:
            return text
        length = int(self.of_first(len(text.encode())))
        letters = torch.tensor(list(text.encode()) if self.first else [0] * length, dtype=torch.uint8)
        distributed.broadcast(letters, 0)
        return bytes(letters.tolist()).decode()

    def wait(self) -> None:
        """Until all have come here."""
        self.mean(0.0)


ALONE = Peers()


def join() -> Peers:
    """The processes that torchrun started; alone without it."""
    size = int(os.environ.get("WORLD_SIZE", "1"))
    if size == 1:
        return ALONE
    if not distributed.is_initialized():
        distributed.init_process_group("cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo")
    together = os.environ.get("LOCAL_WORLD_SIZE") == str(size)
    return Peers(distributed.get_rank(), size, together)


def leave() -> None:
    if distributed.is_initialized():
        distributed.destroy_process_group()
