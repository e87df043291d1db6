"""PPO in torch, the twin of the kernels: the same games and the same steps, by autograd from the losses of losses.py.

What the kernels do is said here in a page of torch, and tests hold the two equal. It is also what runs on a GPU, there
with bfloat16 products and compiled networks.
"""

import os
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
from casino_env.compiler.jit import entry, kernel
from casino_env.compiler.types import I64, F32x2, I16x2
from casino_env.engine.action_set import as_masks, listed
from casino_env.envs.batch import Games
from casino_env.train.learner import losses
from casino_env.train.learner.fast import Aims, FlatWeights, PpoLoss
from casino_env.train.rollouts.by_actions import (
    ActionRollouts,
    RolloutBuffer,
    play_opponents,
    step_game,
    write_decision,
    write_last_values,
)
from casino_env.train.rollouts.selfplay import LEARNER, OpponentMix, Sampling, Seats, check_arrays, player_of


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


# --- rollouts: all games wait for one forward pass, then each plays on with its answer -------------------------------


NOBODY = -1  # decides; else the LEARNER or the number of the target


class Answers(NamedTuple):
    """What a network thinks of some games."""

    games: I64  # their numbers
    rows: I64  # of the learner's decisions; its last ones (-1: none) where somebody else decides
    logits: F32x2  # [game, action]
    values: F32x2  # [game, k]


@entry
def encode_all(games: Games, player: Player, work: Workspace, which: I64, indices: I16x2, counts: I64) -> None:
    """What those who decide in these games see."""
    for n in range(which.shape[0]):
        encode_seat(games.records[which[n]], games.rules[0], player, work.thought)
        set_to(indices[n], work.thought.indices)
        counts[n] = work.thought.on[0]


@entry
def play_answers(
    games: Games,
    seats: Seats,
    mix: OpponentMix,
    player: Player,
    work: Workspace,
    buffer: RolloutBuffer,
    answers: Answers,
    who: int,
) -> None:
    """Decisions as a network answers, the learner's into rows; then others decide until a network is asked again.

    Of the target nothing is written down; NOBODY decides at first.
    """
    for n in range(answers.games.shape[0]):
        i, row = answers.games[n], answers.rows[n]
        if who != NOBODY:
            many, decides = _take_answer(games, work.thought, answers, n), player_of(who, player, mix)
            k = draw_action(decides, many, work.thought, seats.random[i])
            if who == LEARNER:
                encode_seat(games.records[i], games.rules[0], player, work.thought)
                write_decision(games, player, work, buffer, i, row, k)
            step_game(games, seats, mix, buffer, i, row, work.thought.actions[k])
        play_opponents(games, seats, mix, player, work, buffer, i, row)


@kernel
def _take_answer(games, thought, answers, n):
    """An answer as if a kernel had thought of it; returns how many actions are legal."""
    many = listed(games.legal[answers.games[n]], thought.actions)
    for k in range(many):
        thought.logits[k] = answers.logits[n, thought.actions[k]]
    for k in range(answers.values.shape[1]):
        thought.values[k] = answers.values[n, k]
    return many


@entry
def write_all_last_values(games: Games, player: Player, work: Workspace, buffer: RolloutBuffer, values: F32x2) -> None:
    """After the last rows."""
    for i in range(games.records.shape[0]):
        for k in range(values.shape[1]):
            work.thought.values[k] = values[i, k]
        write_last_values(games, player, work, buffer, i)


_NOTHING = np.zeros((1, 1), np.float32), np.zeros((1, 1), np.float32)
_NO_WEIGHTS = np.zeros(0, np.float32)  # the target plays here, not in kernels


class _Seated:
    """A network whose weights are exchanged."""

    def __init__(self, shape: Shape, device: torch.device) -> None:
        self._flat = torch.zeros(shape.size, device=device)
        self._network = compiled(make_network(shape, self._flat).requires_grad_(False), device)
        self._device = device

    def take(self, theta: Array) -> None:
        self._flat.copy_(torch.from_numpy(theta))

    def think(self, observations: torch.Tensor) -> tuple[Array, Array]:
        with torch.no_grad(), precision(self._device):
            logits, values = self._network(observations)
        return logits.float().cpu().numpy(), values.float().cpu().numpy()


class TorchRollouts(ActionRollouts):
    """Rollouts whose learner and target are networks in torch."""

    def __init__(self, *args: Any, device: torch.device, **keywords: Any) -> None:
        super().__init__(*args, **keywords, threads=1)
        self._device = device
        self._learner, self._target = _Seated(self.shape, device), _Seated(self.shape, device)
        if self.opponents.target:
            self._target.take(self.opponents.target[0])
        count = len(self.games.records)
        self._all = np.arange(count)
        self._indices = np.zeros((count, self.layout.most), np.int16)
        self._counts = np.zeros(count, np.int64)

    def play(self, theta: Array, sampling: Sampling) -> None:
        """Play on with these weights until the next buffer is full."""
        self._learner.take(theta)
        buffer = self._next
        player = self.player(_NO_WEIGHTS, sampling)
        mix, work = self.opponents.mix(self.rules)._replace(target=_NO_WEIGHTS), self.works[0]

        def play_on(which: Array, who: int, rows: Array, logits: Array, values: Array) -> None:
            play_answers(self.games, self.seats, mix, player, work, buffer, Answers(which, rows, logits, values), who)

        filled = np.zeros(len(self._all), np.int64)  # rows of each game
        first = self._all * self.horizon
        play_on(self._all, NOBODY, np.full(len(self._all), -1), *_NOTHING)
        while True:
            who = self.seats.control[self._all, self.games.actor]
            mine = np.flatnonzero((who == LEARNER) & (filled < self.horizon))
            theirs = np.flatnonzero(who != LEARNER)
            if not len(mine) and not len(theirs):
                break
            if len(mine):
                play_on(mine, LEARNER, first[mine] + filled[mine], *self._ask(self._learner, player, mine))
                filled[mine] += 1
            if len(theirs):
                rows = np.where(filled[theirs] > 0, first[theirs] + filled[theirs] - 1, -1)
                play_on(theirs, self.opponents.count, rows, *self._ask(self._target, player, theirs))
        write_all_last_values(self.games, player, work, buffer, self._ask(self._learner, player, self._all)[1])

    def _ask(self, network: _Seated, player: Player, which: Array) -> tuple[Array, Array]:
        """What a network thinks of these games. A compiled one gets as many observations every time."""
        encode_all(self.games, player, self.works[0], which, self._indices, self._counts)
        many = len(which) if self._device.type == "cpu" else len(self._all)
        return network.think(dense(self._indices[:many], self._counts[:many], self.shape.features, self._device))


# --- learner ---------------------------------------------------------------------------------------------------------


class TorchLearner:
    """Weights, their slow average and the state of Adam: the same face as FastLearner."""

    def __init__(
        self, shape: Shape, theta: Array, ema_decay: float, max_grad_norm: float, device: torch.device | str = "cpu",
    ) -> None:  # fmt: skip
        self.shape, self.device = shape, torch.device(device)
        self.flat = nn.Parameter(torch.tensor(theta, device=self.device))
        self.flat.grad = torch.zeros_like(self.flat)
        self._average = self.flat.detach().clone()
        network, at = make_network(shape, self.flat.detach()), 0
        for part in network.parameters():  # gradients are added up in the parts of the flat tensor
            part.grad = self.flat.grad[at : at + part.numel()].view_as(part)
            at += part.numel()
        self._network = compiled(network, self.device)
        self._adam = torch.optim.Adam([self.flat], eps=1e-5, fused=True)
        self._moments = {name: torch.zeros_like(self._average) for name in ("exp_avg", "exp_avg_sq")}
        self._adam.state[self.flat] = {"step": torch.zeros((), device=self.device), **self._moments}
        self._ema_decay, self._max_grad_norm = ema_decay, max_grad_norm

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

    def ppo_step(
        self, buffer: RolloutBuffer, chosen: Array, aims: Aims, loss: PpoLoss, learning_rate: float, sums: Array
    ) -> float:
        """PPO on one minibatch; returns the norm of its gradient."""
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
        # What is legal, and which of it was played: the chosen one of those.
        mask, side = np.empty((len(chosen), ACTIONS), np.int8), buffer.side[chosen]
        as_masks(buffer.legal[chosen], mask, 0, len(chosen))
        played = ((mask.cumsum(1) == buffer.chosen[chosen, None] + 1) & (mask == 1)).argmax(1)
        legal, action, old, advantage, entropy_coef = (
            torch.from_numpy(part).to(self.device)
            for part in (mask == 1, played, *(part[chosen] for part in (buffer.log_prob, *aims[:2])))
        )
        # The value's targets by side, counted from the one that decides.
        sides = aims.targets.shape[1]
        mine_first = np.take_along_axis(aims.targets[chosen], (side[:, None] + np.arange(sides)) % sides, 1)
        targets = torch.from_numpy(mine_first[:, : self.shape.values]).to(self.device)
        seen = dense(buffer.indices[chosen], buffer.counts[chosen], self.shape.features, self.device)
        with precision(self.device):
            logits, values = self._network(seen)
        logits = logits.float().masked_fill(~legal, -float("inf"))
        policy = losses.policy_loss(logits, action, old, advantage, entropy_coef, loss.clip, loss.kl_coef)
        value = losses.value_loss(values.float(), targets)
        with torch.no_grad():  # for the log
            log_prob = losses.log_probs(logits)
            log_ratio = log_prob.gather(-1, action[:, None]).squeeze(-1) - old
            ratio, gain = log_ratio.exp(), losses.clipped_gain(log_ratio, advantage, loss.clip)
            clipped = ((advantage > 0) & (ratio > 1 + loss.clip)) | ((advantage < 0) & (ratio < 1 - loss.clip))
            added = {
                "rows": torch.ones(len(chosen)), "policy_loss": -gain, "entropy": losses.entropy(log_prob),
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
