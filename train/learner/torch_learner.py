"""The readable learner: PPO's update by autograd, from the losses as losses.py has them; the twin of fast.py.

What the fast learner does in kernels is said here in a page of torch, and tests hold the two equal. It is also the one
that trains on a GPU.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from casino_env.actions import ACTIONS
from casino_env.agents.policy.mlp import Shape
from casino_env.agents.policy.network import make_network
from casino_env.engine.action_set import as_masks
from casino_env.train.games.buffer import RolloutBuffer
from casino_env.train.games.device import compiled, dense, precision
from casino_env.train.games.restoring import prove_arrays
from casino_env.train.learner import losses
from casino_env.train.learner.fast import FlatWeights
from casino_env.train.learner.gradient import Aims, PpoLoss
from casino_env.train.process_group import SINGLE

Array = np.ndarray[Any, Any]


class TorchLearner:
    """Weights, their slow average and the state of Adam: the same face as FastLearner."""

    def __init__(
        self, shape: Shape, theta: Array, ema_decay: float, max_grad_norm: float, device: torch.device | str = "cpu"
    ) -> None:
        self.shape, self.device = shape, torch.device(device)
        self.flat = nn.Parameter(torch.tensor(theta, device=self.device))
        self.flat.grad = torch.zeros_like(self.flat)
        self._average = self.flat.detach().clone()
        self._network = compiled(_with_gradients(make_network(shape, self.flat.detach()), self.flat.grad), self.device)
        self._adam = torch.optim.Adam([self.flat], eps=1e-5, fused=True)
        self._moments = {name: torch.zeros_like(self._average) for name in ("exp_avg", "exp_avg_sq")}
        self._adam.state[self.flat] = {"step": torch.zeros((), device=self.device), **self._moments}
        self._ema_decay, self._max_grad_norm = ema_decay, max_grad_norm
        self.group = SINGLE  # who averages the gradients of several processes

    @property
    def weights(self) -> FlatWeights:
        """On a processor the weights themselves, of a GPU a copy."""
        return FlatWeights(self.shape, _array(self.flat))

    @property
    def average(self) -> Array:
        return _array(self._average)

    @property
    def steps(self) -> int:
        return int(self._adam.state[self.flat]["step"].item())

    # --- one minibatch ---

    def step(
        self, buffer: RolloutBuffer, chosen: Array, aims: Aims, loss: PpoLoss, learning_rate: float, sums: Array
    ) -> float:
        """PPO on one minibatch; returns the norm of its gradient."""
        assert self.flat.grad is not None
        self.flat.grad.zero_()
        self._loss(buffer, chosen, aims, loss, sums).backward()
        self.group.average(self.flat.grad)
        norm = float(self.flat.grad.norm())
        if np.isfinite(norm):
            self.flat.grad.mul_(min(1.0, self._max_grad_norm / (norm + 1e-8)))
            self._adam.param_groups[0]["lr"] = learning_rate
            self._adam.step()
            self._average.lerp_(self.flat.detach(), 1.0 - self._ema_decay)
        return norm

    def _loss(self, buffer: RolloutBuffer, chosen: Array, aims: Aims, loss: PpoLoss, sums: Array) -> Tensor:
        legal, action = self._legal(buffer.legal[chosen], buffer.chosen[chosen])
        logits, values = self._think(buffer, chosen, legal)
        old, advantage, entropy_coef = (
            self._tensor(part[chosen]) for part in (buffer.log_prob, aims.advantages, aims.entropy_coef)
        )
        targets = self._tensor(_mine_first(aims.targets[chosen], buffer.side[chosen])[:, : self.shape.values])
        policy = losses.policy_loss(logits, action, old, advantage, entropy_coef, loss.clip, loss.kl_coef)
        value = losses.value_loss(values, targets)
        with torch.no_grad():
            log_prob = losses.log_probs(logits)
            log_ratio = log_prob.gather(-1, action[:, None]).squeeze(-1) - old
            _add_policy(sums, losses.entropy(log_prob), log_ratio, advantage, loss.clip)
            _add_value(sums, value, targets)
        return (policy + loss.value_coef * value).mean()

    def _think(self, buffer: RolloutBuffer, chosen: Array, legal: Tensor) -> tuple[Tensor, Tensor]:
        seen = dense(buffer.indices[chosen], buffer.counts[chosen], self.shape.features, self.device)
        with precision(self.device):
            logits, values = self._network(seen)
        return logits.float().masked_fill(~legal, -float("inf")), values.float()

    def _legal(self, legal: Array, chosen: Array) -> tuple[Tensor, Tensor]:
        """Which actions are legal, and which of them was played: the chosen one of those."""
        mask = np.empty((len(legal), ACTIONS), np.int8)
        as_masks(legal, mask, 0, len(legal))
        action = ((mask.cumsum(1) == chosen[:, None] + 1) & (mask == 1)).argmax(1)
        return torch.from_numpy(mask).to(self.device) == 1, torch.from_numpy(action).to(self.device)

    def _tensor(self, array: Array) -> Tensor:
        return torch.from_numpy(array).to(self.device)

    # --- what has to be kept to go on exactly here ---

    def state(self) -> dict[str, Array]:
        first, second = (_array(part) for part in self._moments.values())
        return {"theta": _array(self.flat), "average": self.average, "first": first, "second": second}

    def restore(self, state: dict[str, Array], steps: int) -> None:
        prove_arrays(self.state(), state)
        places = (self.flat.detach(), self._average, *self._moments.values())
        for name, place in zip(("theta", "average", "first", "second"), places, strict=True):
            place.copy_(torch.from_numpy(state[name]))
        self._adam.state[self.flat]["step"].fill_(steps)


def _with_gradients(network: nn.Module, flat: Tensor) -> nn.Module:
    """Gradients are added up in the parts of a flat tensor."""
    at = 0
    for part in network.parameters():
        part.grad = flat[at : at + part.numel()].view_as(part)
        at += part.numel()
    return network


def _array(tensor: Tensor) -> Array:
    return tensor.detach().cpu().numpy()


def _mine_first(targets: Array, side: Array) -> Array:
    """Targets by side, counted from the one that decides."""
    sides = targets.shape[1]
    return np.take_along_axis(targets, (side[:, None] + np.arange(sides)) % sides, 1)


# --- for the log -----------------------------------------------------------------------------------------------------


def _add(sums: Array, **parts: Tensor) -> None:
    for name, part in parts.items():
        sums[name] += float(part.sum())


def _add_policy(sums: Array, entropy: Tensor, log_ratio: Tensor, advantage: Tensor, clip: float) -> None:
    ratio, gain = log_ratio.exp(), losses.clipped_gain(log_ratio, advantage, clip)
    clipped = ((advantage > 0) & (ratio > 1 + clip)) | ((advantage < 0) & (ratio < 1 - clip))
    _add(sums, rows=torch.ones(len(ratio)), policy_loss=-gain, entropy=entropy)
    _add(sums, kl=ratio - 1 - log_ratio, clip_fraction=clipped)


def _add_value(sums: Array, value_loss: Tensor, targets: Tensor) -> None:
    _add(sums, value_loss=value_loss, target_square=targets.square(), target_sum=targets)
