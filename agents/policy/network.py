"""The fast network in torch, weight for weight: for autograd, GPUs and ONNX files.

It reads observations as rows of ones and zeros and returns a logit for each action of the catalogue, legal or not, and
the values of the sides. Its weights are parts of one flat tensor, in the order in which the kernels have them.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from casino_env.actions import ACTIONS
from casino_env.agents.policy.mlp import Shape


class _Layer(nn.Module):
    """Weights lie as [input, output]: the kernels add up rows of them."""

    def __init__(self, before: int, width: int) -> None:
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.zeros(before, width)), nn.Parameter(torch.zeros(width))

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(x @ self.weight + self.bias)


class Mlp(nn.Module):
    """The network of mlp.py, weight for weight."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        widths = (shape.features, *shape.hidden)
        for n, (before, width) in enumerate(zip(widths, shape.hidden, strict=False)):
            self.add_module(f"layer{n}", _Layer(before, width))
        self.policy = nn.Linear(widths[-1], ACTIONS)
        self.value = nn.Linear(widths[-1], shape.values)

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        x = observations
        for name, layer in self.named_children():
            if name.startswith("layer"):
                x = layer(x)
        return self.policy(x), self.value(x)


def make_network(shape: Shape, flat: Tensor) -> Mlp:
    """A network whose weights are parts of a flat tensor: writing to that changes the network."""
    with torch.device("meta"):
        network = Mlp(shape)
    at = 0
    for name, part in shape.parts.items():
        length = int(np.prod(part))
        owner, _, last = name.rpartition(".")
        setattr(network.get_submodule(owner), last, nn.Parameter(flat[at : at + length].view(part)))
        at += length
    return network
