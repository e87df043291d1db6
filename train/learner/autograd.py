"""PPO's update of any network in torch by autograd: the losses as losses.py has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from agents.policy.network import make_network
from casino_env.actions import ACTIONS
from casino_env.envs.batch import unpack
from train.games.play import Rows
from train.learner import losses
from train.learner.device import compiled, precision, spread
from train.learner.mlp import Weights

Array = np.ndarray[Any, Any]


class TorchLearner:
    """Weights, their slow average and the state of Adam: the same face as MlpLearner."""

    def __init__(
        self, shape: Any, theta: Array, average: float, norm: float, device: torch.device | str = "cpu"
    ) -> None:
        self.shape, self.device = shape, torch.device(device)
        self.flat = nn.Parameter(torch.tensor(theta, device=self.device))
        self.flat.grad = torch.zeros_like(self.flat)
        self._slow = self.flat.detach().clone()
        self._network = _with_gradients(make_network(shape, self.flat.detach()), self.flat.grad)
        self._forward = compiled(self._network, self.device)
        self._adam = torch.optim.Adam([self.flat], eps=1e-5, fused=True)
        self._moments = {name: torch.zeros_like(self._slow) for name in ("exp_avg", "exp_avg_sq")}
        self._adam.state[self.flat] = {"step": torch.zeros((), device=self.device), **self._moments}
        self._keep, self._norm = average, norm
        self.gather: Callable[[Any], None] | None = None  # adds the gradients of other processes

    @property
    def weights(self) -> Weights:
        """On a processor the weights themselves, of a GPU a copy."""
        return Weights(self.shape, _array(self.flat))

    @property
    def average(self) -> Array:
        return _array(self._slow)

    @property
    def steps(self) -> int:
        return int(self._adam.state[self.flat]["step"].item())

    # --- one minibatch ---

    def step(
        self, rows: Rows, chosen: Array, advantages: Array, warmth: Array, targets: Array, settings: Array,
        rate: float, stats: Array,
    ) -> float:  # fmt: skip
        """Returns the norm of its gradient."""
        assert self.flat.grad is not None
        self.flat.grad.zero_()
        self._loss(rows, chosen, advantages, warmth, targets, settings, stats).backward()
        if self.gather is not None:
            self.gather(self.flat.grad)
        norm = float(self.flat.grad.norm())
        if np.isfinite(norm):
            self.flat.grad.mul_(min(1.0, self._norm / (norm + 1e-8)))
            self._adam.param_groups[0]["lr"] = rate
            self._adam.step()
            self._slow.lerp_(self.flat.detach(), 1.0 - self._keep)
        return norm

    def _loss(
        self, rows: Rows, chosen: Array, advantages: Array, warmth: Array, targets: Array, settings: Array, stats: Array
    ) -> Tensor:
        clip, near, value_weight = settings.tolist()
        seen = spread(rows.indices[chosen], rows.counts[chosen], self.shape.features, self.device)
        legal, action = self._legal(rows.words[chosen], rows.chosen[chosen])
        old, advantage, warm = (self._tensor(part[chosen]) for part in (rows.log_chance, advantages, warmth))
        wanted = self._tensor(_mine_first(targets[chosen], rows.side[chosen])[:, : self.shape.values])
        logits, values = self._think(self._forward, seen, legal)
        loss = losses.policy_loss(logits, action, old, advantage, warm, clip, near)
        loss = loss + value_weight * losses.value_loss(values, wanted)
        with torch.no_grad():
            stats += _stats(logits, values, action, old, advantage, wanted, clip)
        return loss.mean()

    def _think(self, network: Any, seen: Tensor, legal: Tensor) -> tuple[Tensor, Tensor]:
        with precision(self.device):
            logits, values = network(seen)
        return logits.float().masked_fill(~legal, -float("inf")), values.float()

    def _legal(self, words: Array, chosen: Array) -> tuple[Tensor, Tensor]:
        """Which actions are legal, and which of them was played: the chosen one of those."""
        mask = np.empty((len(words), ACTIONS), np.int8)
        unpack(words, mask, 0, len(words))
        action = ((mask.cumsum(1) == chosen[:, None] + 1) & (mask == 1)).argmax(1)
        return torch.from_numpy(mask).to(self.device) == 1, torch.from_numpy(action).to(self.device)

    def _tensor(self, array: Array) -> Tensor:
        return torch.from_numpy(array).to(self.device)

    # --- what has to be kept to go on exactly here ---

    def state(self) -> dict[str, Array]:
        first, second = (_array(part) for part in self._moments.values())
        return {"theta": _array(self.flat), "average": self.average, "first": first, "second": second}

    def restore(self, state: dict[str, Array], steps: int) -> None:
        places = (self.flat.detach(), self._slow, *self._moments.values())
        for name, place in zip(("theta", "average", "first", "second"), places, strict=True):
            if state[name].shape != place.shape:
                raise ValueError(f"{name} has {state[name].shape} weights, not {tuple(place.shape)}")
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


def _stats(
    logits: Tensor, values: Tensor, action: Tensor, old: Tensor, advantage: Tensor, wanted: Tensor, clip: float
) -> Array:
    """In the order of gradient.STATS."""
    log_chance = losses.log_chances(logits)
    log_ratio = log_chance.gather(-1, action[:, None]).squeeze(-1) - old
    ratio = log_ratio.exp()
    capped = ((advantage > 0) & (ratio > 1 + clip)) | ((advantage < 0) & (ratio < 1 - clip))
    error = (values - wanted).square().sum()
    sums = (
        torch.tensor(float(len(action))), -losses.clipped_gain(log_ratio, advantage, clip).sum(), 0.5 * error,
        losses.entropy(log_chance).sum(), (ratio - 1 - log_ratio).sum(), capped.sum(), error, wanted.square().sum(),
        wanted.sum(),
    )  # fmt: skip
    return np.array([float(part) for part in sums])
