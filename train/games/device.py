"""Where networks of torch run: float32 on the processor; on a GPU bfloat16 products and compiled networks."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from casino_env.train.settings import MachineConfig

Array = np.ndarray[Any, Any]


def in_kernels(machine: MachineConfig) -> bool:
    """Games and learning in kernels rather than in torch."""
    return machine.kernels and find_device(machine.device).type == "cpu"


def find_device(name: str) -> torch.device:
    """auto, cpu or cuda; of several GPUs each process of a machine has its own."""
    there = torch.cuda.is_available()
    if name == "cuda" and not there:
        raise ValueError("machine.device = 'cuda', but torch finds no GPU here; 'cpu' or 'auto' would do")
    if name == "cpu" or not there:
        return torch.device("cpu")
    return torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")) % torch.cuda.device_count())


def precision(device: torch.device) -> AbstractContextManager[Any]:
    return torch.autocast("cuda", torch.bfloat16) if device.type == "cuda" else nullcontext()


def compiled(network: nn.Module, device: torch.device) -> Any:
    """Compiling pays on a GPU; on a processor the first minutes would go into it."""
    return torch.compile(network) if device.type == "cuda" else network


def dense(indices: Array, counts: Array, size: int, device: torch.device) -> Tensor:
    """Lists of features that are on as rows of ones and zeros."""
    lists = torch.from_numpy(indices[:, : int(counts.max(initial=1))]).to(device)
    beyond = torch.arange(lists.shape[1], device=device) >= torch.from_numpy(counts).to(device)[:, None]
    rows = torch.zeros(len(lists), size + 1, device=device)  # the last column takes what is beyond the lists
    return rows.scatter_(1, lists.long().masked_fill_(beyond, size), 1.0)[:, :size]
