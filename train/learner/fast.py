"""The fast learner, twin of torch_learner.py: the same steps, with the gradient written out in kernels.

Tests hold the two equal. Kernels work at the sparse ends (features that are on, legal actions), matrix products of
torch in between, and nothing is allocated on the way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import torch

from casino_env.agents.policy.mlp import Shape
from casino_env.train.games.buffer import RolloutBuffer
from casino_env.train.games.restoring import put
from casino_env.train.learner.gradient import (
    Adam,
    Aims,
    Heads,
    LastLayer,
    PpoLoss,
    adam_step,
    first_layer,
    first_layer_gradient,
    new_scratch,
    ppo_gradient,
    squared_norm,
)
from casino_env.train.process_group import SINGLE

Array = np.ndarray[Any, Any]


class Features(Protocol):
    """Rows of observations, as lists of the features that are on."""

    @property
    def indices(self) -> Array: ...

    @property
    def counts(self) -> Array: ...


def one_core() -> None:
    """For the products of this process: they are small, and would wait for cores on which games are played."""
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)


class FlatWeights:
    """A flat array of weights with its parts as numpy views and, for the matrix products, as torch tensors."""

    def __init__(self, shape: Shape, flat: Array) -> None:
        self.flat = flat
        self.parts = shape.views(flat)
        self.tensors = {name: torch.from_numpy(part) for name, part in self.parts.items()}
        self.heads = Heads(
            *(self.parts[f"{head}.{part}"] for head in ("policy", "value") for part in ("weight", "bias"))
        )


class FastLearner:
    """Weights, their slow average, the state of Adam, and room for minibatches."""

    def __init__(self, shape: Shape, theta: Array, minibatch: int, ema_decay: float, max_grad_norm: float) -> None:
        self.shape = shape
        self.weights = FlatWeights(shape, theta)
        self.gradient = FlatWeights(shape, np.zeros_like(theta))
        self._adam = Adam(theta, self.gradient.flat, np.zeros_like(theta), np.zeros_like(theta), theta.copy())
        self.steps = 0
        self._ema_decay, self._max_grad_norm = ema_decay, max_grad_norm
        self._layers = [torch.zeros(minibatch, width) for width in shape.hidden]
        self._upstream = [torch.zeros(minibatch, width) for width in shape.hidden]
        self.room = new_scratch()
        self.group = SINGLE  # who averages the gradients of several processes
        self.without: Array = np.zeros(0, np.int64)  # features that it takes no notice of; their weights are zero

    @property
    def average(self) -> Array:
        """The weights that play: they follow slowly."""
        return self._adam.average

    def unseen(self) -> Array:
        """The features that were never on."""
        return np.flatnonzero(~self.shape.views(self._adam.second)["layer0.weight"].any(axis=1))

    def step(
        self, buffer: RolloutBuffer, chosen: Array, aims: Aims, loss: PpoLoss, learning_rate: float, sums: Array
    ) -> float:
        """PPO on one minibatch; returns the norm of its gradient."""
        return self.descend(
            buffer, chosen, learning_rate, lambda last: ppo_gradient(last, buffer, chosen, aims, loss, self.room, sums)
        )

    def descend(
        self, rows: Features, chosen: Array, learning_rate: float, at_the_end: Callable[[LastLayer], None]
    ) -> float:
        """One step down any loss, given by its gradient at the last layer; returns the norm of the whole gradient."""
        self.gradient.flat[:] = 0.0
        layers = self.forward(rows, chosen)
        upstream = [part[: len(chosen)] for part in self._upstream]
        at_the_end(LastLayer(layers[-1].numpy(), upstream[-1].numpy(), self.weights.heads, self.gradient.heads))
        self.backward(layers, upstream, rows, chosen)
        self.gradient.parts["layer0.weight"][self.without] = 0.0
        self.group.average(self.gradient.flat)
        norm = float(np.sqrt(squared_norm(self.gradient.flat)))
        if np.isfinite(norm):
            self.steps += 1
            scale = min(1.0, self._max_grad_norm / (norm + 1e-8))
            adam_step(self._adam, self.steps, learning_rate, scale, self._ema_decay)
        return norm

    def forward(self, rows: Features, chosen: Array) -> list[torch.Tensor]:
        parts, tensors = self.weights.parts, self.weights.tensors
        layers = [layer[: len(chosen)] for layer in self._layers]
        first = parts["layer0.weight"].reshape(-1)
        first_layer(first, parts["layer0.bias"], rows.indices, rows.counts, chosen, layers[0].numpy())
        for n in range(1, len(layers)):
            torch.addmm(tensors[f"layer{n}.bias"], layers[n - 1], tensors[f"layer{n}.weight"], out=layers[n])
            layers[n].clamp_(min=0.0)
        return layers

    def backward(self, layers: list[torch.Tensor], upstream: list[torch.Tensor], rows: Features, chosen: Array) -> None:
        gradients = self.gradient.tensors
        for n in range(len(layers) - 1, -1, -1):
            upstream[n].mul_(layers[n] > 0)
            if n == 0:
                break
            torch.mm(layers[n - 1].t(), upstream[n], out=gradients[f"layer{n}.weight"])
            torch.sum(upstream[n], dim=0, out=gradients[f"layer{n}.bias"])
            torch.mm(upstream[n], self.weights.tensors[f"layer{n}.weight"].t(), out=upstream[n - 1])
        weight, bias = (self.gradient.parts[f"layer0.{part}"] for part in ("weight", "bias"))
        first_layer_gradient(rows.indices, rows.counts, chosen, upstream[0].numpy(), weight, bias)

    # --- what has to be kept to go on exactly here ---

    def state(self) -> dict[str, Array]:
        adam = self._adam
        return {"theta": adam.theta, "average": adam.average, "first": adam.first, "second": adam.second}

    def restore(self, state: dict[str, Array], steps: int) -> None:
        put(self.state(), state)
        self.steps = steps
