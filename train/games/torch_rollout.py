"""Self-play of networks in torch, for GPUs: all games wait for one forward pass, step by step."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from casino_env.agents.policy.mlp import Shape
from casino_env.agents.policy.network import make_network
from casino_env.train.games.buffer import RolloutBuffer
from casino_env.train.games.device import compiled, dense, precision
from casino_env.train.games.lockstep import FROZEN, NOBODY, Answers, ask, end_all, go_on
from casino_env.train.games.pool import AS_LIKELY
from casino_env.train.games.rollout import Rollout
from casino_env.train.games.selfplay import LEARNER, NetworkView, Sampling

Array = np.ndarray[Any, Any]

_NOTHING = np.zeros((1, 1), np.float32), np.zeros((1, 1), np.float32)
_NO_POOL = np.zeros((0, 1), np.float32)  # frozen networks play here, not in kernels


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


class TorchRollout(Rollout):
    """A rollout whose learner and frozen opponents are networks in torch."""

    def __init__(self, *args: Any, device: torch.device, **keywords: Any) -> None:
        super().__init__(*args, **keywords, threads=1)
        self._device = device
        self._learner, self._frozen = _Seated(self.shape, device), _Seated(self.shape, device)
        count = len(self.games.records)
        self._all = np.arange(count)
        self._indices = np.zeros((count, self.batch.layout.most), np.int16)
        self._counts = np.zeros(count, np.int64)

    def collect(self, theta: Array, buffer: RolloutBuffer, sampling: Sampling = AS_LIKELY) -> None:
        """Play on with these weights until the buffer is full."""
        self._learner.take(theta)
        net = self.view(np.zeros(0, np.float32), sampling)
        mix, work = self.opponents.mix(self.rules)._replace(pool=_NO_POOL), self.work[0]

        def play(which: Array, who: int, rows: Array, logits: Array, values: Array) -> None:
            go_on(self.games, self.seats, mix, net, work, buffer, Answers(which, rows, logits, values), who)

        filled = np.zeros(len(self._all), np.int64)  # rows of each game
        first = self._all * self.horizon
        play(self._all, NOBODY, np.full(len(self._all), -1), *_NOTHING)
        while True:
            who = self.seats.control[self._all, self.games.actor]
            mine = np.flatnonzero((who == LEARNER) & (filled < self.horizon))
            theirs = np.flatnonzero(who != LEARNER)
            if not len(mine) and not len(theirs):
                break
            if len(mine):
                play(mine, LEARNER, first[mine] + filled[mine], *self._ask(self._learner, net, mine))
                filled[mine] += 1
            for opponent in np.unique(who[theirs]):
                those = theirs[who[theirs] == opponent]
                self._frozen.take(self.opponents.networks[opponent - 1 - len(mix.bots)])
                rows = np.where(filled[those] > 0, first[those] + filled[those] - 1, -1)
                play(those, FROZEN, rows, *self._ask(self._frozen, net, those))
        end_all(self.games, net, work, buffer, self._ask(self._learner, net, self._all)[1])

    def _ask(self, network: _Seated, net: NetworkView, which: Array) -> tuple[Array, Array]:
        """What a network thinks of these games. A compiled one gets as many observations every time."""
        ask(self.games, net, self.work[0], which, self._indices, self._counts)
        many = len(which) if self._device.type == "cpu" else len(self._all)
        return network.think(dense(self._indices[:many], self._counts[:many], self.shape.features, self._device))
