"""Self-play of networks in torch: all games wait for one forward pass, step by step."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from agents.policy.network import make_network
from train.games.lockstep import FROZEN, NOBODY, ask, end_all, go_on
from train.games.play import LEARNER, Manner, Rows
from train.games.rollout import AS_LIKELY, Rollout
from train.learner.device import compiled, precision, spread

Array = np.ndarray[Any, Any]

_NOTHING = np.zeros((1, 1), np.float32), np.zeros((1, 1), np.float32)
_NO_POOL = np.zeros((0, 1), np.float32)  # frozen networks play here, not in kernels


class _Seated:
    """A network whose weights are exchanged."""

    def __init__(self, shape: Any, device: torch.device) -> None:
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
        self._all = np.arange(self.games)
        self._indices = np.zeros((self.games, self.batch.layout.most), np.int16)
        self._counts = np.zeros(self.games, np.int64)

    def collect(self, theta: Array, rows: Rows, manner: Manner = AS_LIKELY) -> None:
        """Play on with these weights until the rows are full."""
        self._learner.take(theta)
        mind = self._mind(np.zeros(0, np.float32), manner)
        field = self.opponents.field(self.rules)._replace(pool=_NO_POOL)
        table, desk = self._table(), self._desks[0]

        def play(which: Array, who: int, at: Array, logits: Array, values: Array) -> None:
            go_on(table, field, mind, desk, rows, which, at, who, logits, values)

        filled = np.zeros(self.games, np.int64)  # rows of each game
        first = self._all * self.horizon
        play(self._all, NOBODY, np.full(self.games, -1), *_NOTHING)
        while True:
            who = self.control[self._all, self.batch.games["actor"]]
            mine = np.flatnonzero((who == LEARNER) & (filled < self.horizon))
            theirs = np.flatnonzero(who != LEARNER)
            if not len(mine) and not len(theirs):
                break
            if len(mine):
                thoughts = self._ask(self._learner, table, mind, desk, mine)
                play(mine, LEARNER, first[mine] + filled[mine], *thoughts)
                filled[mine] += 1
            for opponent in np.unique(who[theirs]):
                those = theirs[who[theirs] == opponent]
                self._frozen.take(self.opponents.pool[opponent - 1 - len(field.bots)])
                thoughts = self._ask(self._frozen, table, mind, desk, those)
                play(those, FROZEN, np.where(filled[those] > 0, first[those] + filled[those] - 1, -1), *thoughts)
        end_all(table, mind, desk, rows, self._ask(self._learner, table, mind, desk, self._all)[1])
        self._count_results()

    def _ask(self, network: _Seated, table: Any, mind: Any, desk: Any, which: Array) -> tuple[Array, Array]:
        """What a network thinks of these games. A compiled one gets as many observations every time."""
        ask(table, mind, desk, which, self._indices, self._counts)
        many = len(which) if self._device.type == "cpu" else self.games
        seen = spread(self._indices[:many], self._counts[:many], self.shape.features, self._device)
        return network.think(seen)
