"""PPO's update of the fast network: kernels at the sparse ends, matrix products of torch in between, no autograd."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import torch

from agents.policy.mlp import Shape
from casino_env.actions import ACTIONS
from train.games.play import Rows
from train.learner import gradient as kernels
from train.learner.gradient import STATS

Array = np.ndarray[Any, Any]


class Features(Protocol):
    """Rows of observations, as lists of the features that are on."""

    @property
    def indices(self) -> Array: ...

    @property
    def counts(self) -> Array: ...


class Weights:
    """A flat array of weights with its parts as numpy views and, for the matrix products, as torch tensors."""

    def __init__(self, shape: Shape, flat: Array) -> None:
        self.flat = flat
        self.parts = shape.views(flat)
        self.tensors = {name: torch.from_numpy(part) for name, part in self.parts.items()}
        self.heads = tuple(self.parts[name] for name in ("policy.weight", "policy.bias", "value.weight", "value.bias"))


class MlpLearner:
    """Weights, their slow average, the state of Adam, and room for minibatches."""

    def __init__(self, shape: Shape, theta: Array, minibatch: int, average: float, norm: float) -> None:
        self.shape = shape
        self.weights = Weights(shape, theta)
        self.gradient = Weights(shape, np.zeros_like(theta))
        self.average = theta.copy()
        self.first, self.second = np.zeros_like(theta), np.zeros_like(theta)
        self.steps = 0
        self._keep, self._norm = average, norm
        self._layers = [torch.zeros(minibatch, width) for width in shape.hidden]
        self._slopes = [torch.zeros(minibatch, width) for width in shape.hidden]
        self.room = (
            np.zeros(ACTIONS, np.int64), np.zeros(ACTIONS, np.float32), np.zeros(ACTIONS), np.zeros(ACTIONS),
        )  # fmt: skip
        self.gather: Callable[[Array], None] | None = None  # adds the gradients of other processes

    def step(
        self, rows: Rows, chosen: Array, advantages: Array, warmth: Array, targets: Array, settings: Array,
        rate: float, stats: Array,
    ) -> float:  # fmt: skip
        """PPO on one minibatch; returns the norm of its gradient."""

        def loss(last: Array, upstream: Array) -> None:
            kernels.heads(
                last, rows.words, chosen, rows.chosen, rows.log_chance, advantages, warmth, targets,
                rows.side, settings, self.weights.heads, self.gradient.heads, upstream, self.room, stats,
            )  # fmt: skip

        return self.descend(rows, chosen, rate, loss)

    def descend(self, rows: Features, chosen: Array, rate: float, loss: Callable[[Array, Array], None]) -> float:
        """One step down any loss, given by the gradient of the last layer; returns the norm of the whole gradient.

        loss(last, upstream) adds to gradient.heads and writes the gradient at the last activations to upstream.
        """
        self.gradient.flat[:] = 0.0
        layers = self._forward(self.weights, self._layers, rows, chosen)
        slopes = [slope[: len(chosen)] for slope in self._slopes]
        loss(layers[-1].numpy(), slopes[-1].numpy())
        self._backward(layers, slopes, rows, chosen)
        if self.gather is not None:
            self.gather(self.gradient.flat)
        norm = float(np.sqrt(kernels.squared_norm(self.gradient.flat)))
        if np.isfinite(norm):
            self._move(rate, min(1.0, self._norm / (norm + 1e-8)))
        return norm

    def forward(self, rows: Features, chosen: Array) -> Array:
        """Activations of the last layer; they stay until the next call."""
        return self._forward(self.weights, self._layers, rows, chosen)[-1].numpy()

    def _forward(self, weights: Weights, room: list[torch.Tensor], rows: Features, chosen: Array) -> list[torch.Tensor]:
        layers = [layer[: len(chosen)] for layer in room]
        first = weights.parts["layer0.weight"].reshape(-1)
        kernels.first_layer(first, weights.parts["layer0.bias"], rows.indices, rows.counts, chosen, layers[0].numpy())
        for n in range(1, len(layers)):
            parts = weights.tensors
            torch.addmm(parts[f"layer{n}.bias"], layers[n - 1], parts[f"layer{n}.weight"], out=layers[n])
            layers[n].clamp_(min=0.0)
        return layers

    def _backward(self, layers: list[torch.Tensor], slopes: list[torch.Tensor], rows: Features, chosen: Array) -> None:
        gradients = self.gradient.tensors
        for n in range(len(layers) - 1, -1, -1):
            slopes[n].mul_(layers[n] > 0)
            if n == 0:
                break
            torch.mm(layers[n - 1].t(), slopes[n], out=gradients[f"layer{n}.weight"])
            torch.sum(slopes[n], dim=0, out=gradients[f"layer{n}.bias"])
            torch.mm(slopes[n], self.weights.tensors[f"layer{n}.weight"].t(), out=slopes[n - 1])
        parts = self.gradient.parts
        kernels.first_layer_gradient(
            rows.indices, rows.counts, chosen, slopes[0].numpy(), parts["layer0.weight"], parts["layer0.bias"]
        )

    def _move(self, rate: float, scale: float) -> None:
        self.steps += 1
        kernels.adam(
            self.weights.flat, self.gradient.flat, self.first, self.second, self.average, self.steps, rate, scale,
            self._keep,
        )  # fmt: skip

    def state(self) -> dict[str, Array]:
        """Everything that has to be kept to go on exactly here."""
        return {"theta": self.weights.flat, "average": self.average, "first": self.first, "second": self.second}

    def restore(self, state: dict[str, Array], steps: int) -> None:
        self.steps = steps
        for name, mine in self.state().items():
            mine[...] = state[name]


def new_stats() -> Array:
    return np.zeros(len(STATS))
