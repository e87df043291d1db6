"""PPO in torch, the twin of the kernels: the same games and the same steps, by autograd from the losses below.

It says in a page of torch what the kernels do; tests hold the two equal. It also runs on a GPU, with bfloat16 products
and compiled networks.
"""

from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from casino_env.actions import ACTIONS
from casino_env.agents.deciding import Player, Workspace, draw_action, encode_seat
from casino_env.agents.policy.mlp import Shape, set_to
from casino_env.agents.policy.network import make_network
from casino_env.arrays import Array
from casino_env.compiler.jit import entry
from casino_env.compiler.types import I64, F32x2, I16x2
from casino_env.engine.action_set import as_masks, listed
from casino_env.envs.batch import Games
from casino_env.train.learner import Aims, FlatWeights, PpoLoss
from casino_env.train.rollouts.by_actions import (
    ActionRollouts,
    RolloutBuffer,
    play_opponents,
    step_game,
    write_decision,
    write_last_values,
)
from casino_env.train.rollouts.selfplay import OpponentMix, Sampling, Seats, check_arrays


def find_device(name: str) -> torch.device:
    """Return the device named auto, cpu or cuda."""
    there = torch.cuda.is_available()
    if name == "cuda" and not there:
        raise ValueError("machine.device = 'cuda', but torch finds no GPU; use 'cpu' or 'auto'")
    return torch.device("cuda" if there and name != "cpu" else "cpu")


def precision(device: torch.device) -> AbstractContextManager[Any]:
    return torch.autocast("cuda", torch.bfloat16) if device.type == "cuda" else nullcontext()


def compiled(network: nn.Module, device: torch.device) -> Any:
    """Compile a network on a GPU, where it pays; on a CPU compiling would take the first minutes."""
    return torch.compile(network) if device.type == "cuda" else network


def dense(indices: Array, counts: Array, size: int, device: torch.device) -> Tensor:
    """Return lists of features that are on as rows of ones and zeros."""
    lists = torch.from_numpy(indices[:, : int(counts.max(initial=1))]).to(device)
    beyond = torch.arange(lists.shape[1], device=device) >= torch.from_numpy(counts).to(device)[:, None]
    rows = torch.zeros(len(lists), size + 1, device=device)  # the last column takes padding
    return rows.scatter_(1, lists.long().masked_fill_(beyond, size), 1.0)[:, :size]


# --- the losses, as pure functions of tensors; rows of logits have -inf where an action is illegal --------------------


def log_probs(logits: Tensor) -> Tensor:
    return torch.log_softmax(logits, dim=-1)


def entropy(log_prob: Tensor) -> Tensor:
    """Return the entropy of the legal actions; illegal ones add nothing (0 log 0 = 0)."""
    legal = log_prob > -float("inf")
    terms = torch.where(legal, log_prob.exp() * log_prob.masked_fill(~legal, 0.0), torch.zeros_like(log_prob))
    return -terms.sum(-1)


def clipped_gain(log_ratio: Tensor, advantage: Tensor, clip: float) -> Tensor:
    """Return the objective that PPO maximises: the ratio times the advantage, with nothing to gain beyond the clip."""
    ratio = log_ratio.exp()
    return (ratio * advantage).minimum(ratio.clamp(1 - clip, 1 + clip) * advantage)


def kl_from_old(log_ratio: Tensor) -> Tensor:
    """Return the KL divergence of the new policy from the old one, sampled from the old one; never negative."""
    ratio = log_ratio.exp()
    return ratio * log_ratio - (ratio - 1)


def policy_loss(
    logits: Tensor, action: Tensor, old: Tensor, advantage: Tensor, entropy_coef: Tensor, clip: float, kl_coef: float
) -> Tensor:
    """Return the policy's loss of each row. old: the log-probability of the action when it was played."""
    log_prob = log_probs(logits)
    log_ratio = log_prob.gather(-1, action[:, None]).squeeze(-1) - old
    gain = clipped_gain(log_ratio, advantage, clip)
    return -gain + kl_coef * kl_from_old(log_ratio) - entropy_coef * entropy(log_prob)


def value_loss(values: Tensor, targets: Tensor) -> Tensor:
    """Return the value's loss of each row, summed over the outputs of the value head."""
    return 0.5 * nn.functional.mse_loss(values, targets, reduction="none").sum(-1)


# --- rollouts: one forward pass for all games, then each plays on with its answer ------------------------------------


class Answers(NamedTuple):
    """The network's outputs for all games."""

    time: int  # row of each game; -1: nothing asked yet; after the last row (time = horizon) only values are written
    logits: F32x2  # [game, action]
    values: F32x2  # [game, k]


@entry
def encode_all(games: Games, player: Player, work: Workspace, indices: I16x2, counts: I64) -> None:
    """Encode the observation of the deciding seat in every game."""
    for i in range(counts.shape[0]):
        encode_seat(games.records[i], games.rules[0], player, work.thought)
        set_to(indices[i], work.thought.indices)
        counts[i] = work.thought.on[0]


@entry
def play_answers(
    games: Games, seats: Seats, mix: OpponentMix, player: Player, work: Workspace, buffer: RolloutBuffer,
    answers: Answers,
) -> None:  # fmt: skip
    """Play the learner's decision in each game by the network's answers, then others until its next decision."""
    t, horizon = work.thought, buffer.counts.shape[0] // games.records.shape[0]
    for i in range(games.records.shape[0]):
        row = i * horizon + answers.time
        for k in range(answers.values.shape[1]):
            t.values[k] = answers.values[i, k]
        if answers.time == horizon:
            write_last_values(games, player, work, buffer, i)
            continue
        if answers.time >= 0:
            many = listed(games.legal[i], t.actions)
            for k in range(many):
                t.logits[k] = answers.logits[i, t.actions[k]]
            chosen = draw_action(player, many, t, seats.random[i])
            encode_seat(games.records[i], games.rules[0], player, t)
            write_decision(games, player, work, buffer, i, row, chosen)
            step_game(games, seats, mix, buffer, i, row, t.actions[chosen])
        play_opponents(games, seats, mix, player, work, buffer, i, row if answers.time >= 0 else -1)


class TorchRollouts(ActionRollouts):
    """Rollouts in which a torch network decides for the learner in all games at once; opponents play in kernels."""

    def __init__(self, *args: Any, device: torch.device, **keywords: Any) -> None:
        super().__init__(*args, **keywords, threads=1)
        self._device = device
        self._flat = torch.zeros(self.shape.size, device=device)
        self._network = compiled(make_network(self.shape, self._flat).requires_grad_(False), device)
        count = len(self.games.records)
        self._indices = np.zeros((count, self.layout.most), np.int16)
        self._counts = np.zeros(count, np.int64)

    def play(self, theta: Array, sampling: Sampling) -> None:
        """Play on with these weights until the next buffer is full."""
        self._flat.copy_(torch.from_numpy(theta))
        mix, player, work = self.opponents.mix(self.rules), self.player(theta, sampling), self.works[0]
        nothing = np.zeros((len(self._counts), 1), np.float32)
        for time in range(-1, self.horizon + 1):
            logits, values = self._think(player) if time >= 0 else (nothing, nothing)
            play_answers(self.games, self.seats, mix, player, work, self._next, Answers(time, logits, values))

    def _think(self, player: Player) -> tuple[Array, Array]:
        encode_all(self.games, player, self.works[0], self._indices, self._counts)
        with torch.no_grad(), precision(self._device):
            logits, values = self._network(dense(self._indices, self._counts, self.shape.features, self._device))
        return logits.float().cpu().numpy(), values.float().cpu().numpy()


# --- learner ---------------------------------------------------------------------------------------------------------


class TorchLearner:
    """Weights, their moving average and the state of Adam, with the interface of FastLearner."""

    def __init__(
        self, shape: Shape, theta: Array, ema_decay: float, max_grad_norm: float, device: torch.device | str = "cpu",
    ) -> None:  # fmt: skip
        self.shape, self.device = shape, torch.device(device)
        self.flat = nn.Parameter(torch.tensor(theta, device=self.device))
        self.flat.grad = torch.zeros_like(self.flat)
        self._average = self.flat.detach().clone()
        network, at = make_network(shape, self.flat.detach()), 0
        for part in network.parameters():  # gradients accumulate in views of the flat gradient
            part.grad = self.flat.grad[at : at + part.numel()].view_as(part)
            at += part.numel()
        self._network = compiled(network, self.device)
        self._adam = torch.optim.Adam([self.flat], eps=1e-5, fused=True)
        self._moments = {name: torch.zeros_like(self._average) for name in ("exp_avg", "exp_avg_sq")}
        self._adam.state[self.flat] = {"step": torch.zeros((), device=self.device), **self._moments}
        self._ema_decay, self._max_grad_norm = ema_decay, max_grad_norm

    @property
    def weights(self) -> FlatWeights:
        """The weights themselves on a CPU; a copy of those on a GPU."""
        return FlatWeights(self.shape, _array(self.flat))

    @property
    def average(self) -> Array:
        return _array(self._average)

    @property
    def steps(self) -> int:
        return int(self._adam.state[self.flat]["step"].item())

    def ppo_step(
        self, buffer: RolloutBuffer, chosen: Array, aims: Aims, loss: PpoLoss, learning_rate: float, sums: Array
    ) -> float:
        """Take a step of PPO on one minibatch; return the norm of the gradient."""
        assert self.flat.grad is not None
        self.flat.grad.zero_()
        self._loss(buffer, chosen, aims, loss, sums).backward()
        norm = float(self.flat.grad.norm())
        if np.isfinite(norm):
            self.flat.grad.mul_(min(1.0, self._max_grad_norm / (norm + 1e-8)))
            self._adam.param_groups[0]["lr"] = learning_rate
            self._adam.step()
            self._average.lerp_(self.flat.detach(), 1.0 - self._ema_decay)
        return norm

    def _loss(self, buffer: RolloutBuffer, chosen: Array, aims: Aims, loss: PpoLoss, sums: Array) -> Tensor:
        # The mask of legal actions, and the action played: buffer.chosen is its index among the legal ones.
        mask, side = np.empty((len(chosen), ACTIONS), np.int8), buffer.side[chosen]
        as_masks(buffer.legal[chosen], mask, 0, len(chosen))
        played = ((mask.cumsum(1) == buffer.chosen[chosen, None] + 1) & (mask == 1)).argmax(1)
        legal, action, old, advantage, entropy_coef = (
            torch.from_numpy(part).to(self.device)
            for part in (mask == 1, played, *(part[chosen] for part in (buffer.log_prob, *aims[:2])))
        )
        # The value's targets by side, the deciding side first.
        sides = aims.targets.shape[1]
        mine_first = np.take_along_axis(aims.targets[chosen], (side[:, None] + np.arange(sides)) % sides, 1)
        targets = torch.from_numpy(mine_first[:, : self.shape.values]).to(self.device)
        seen = dense(buffer.indices[chosen], buffer.counts[chosen], self.shape.features, self.device)
        with precision(self.device):
            logits, values = self._network(seen)
        logits = logits.float().masked_fill(~legal, -float("inf"))
        policy = policy_loss(logits, action, old, advantage, entropy_coef, loss.clip, loss.kl_coef)
        value = value_loss(values.float(), targets)
        with torch.no_grad():  # for the log
            log_prob = log_probs(logits)
            log_ratio = log_prob.gather(-1, action[:, None]).squeeze(-1) - old
            ratio, gain = log_ratio.exp(), clipped_gain(log_ratio, advantage, loss.clip)
            clipped = ((advantage > 0) & (ratio > 1 + loss.clip)) | ((advantage < 0) & (ratio < 1 - loss.clip))
            added = {
                "rows": torch.ones(len(chosen)), "policy_loss": -gain, "entropy": entropy(log_prob),
                "kl": ratio - 1 - log_ratio, "clip_fraction": clipped, "value_loss": value,
                "target_square": targets.square(), "target_sum": targets,
            }  # fmt: skip
            for name, part in added.items():
                sums[name] += float(part.sum())
        return (policy + loss.value_coef * value).mean()

    def state(self) -> dict[str, Array]:
        first, second = (_array(part) for part in self._moments.values())
        return {"theta": _array(self.flat), "average": self.average, "first": first, "second": second}

    def restore(self, state: dict[str, Array], steps: int) -> None:
        check_arrays(self.state(), state)
        places = (self.flat.detach(), self._average, *self._moments.values())
        for name, place in zip(("theta", "average", "first", "second"), places, strict=True):
            place.copy_(torch.from_numpy(state[name]))
        self._adam.state[self.flat]["step"].fill_(steps)


def _array(tensor: Tensor) -> Array:
    return tensor.detach().cpu().numpy()
