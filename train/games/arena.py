"""Where one kind of game is played for the learner: its rollout, its rows, and the advantages that they give."""

from __future__ import annotations

from typing import Any

import numpy as np

from casino_env.rules import Rules
from train.config import Config
from train.games.advantages import estimate
from train.games.play import Manner, Rows
from train.games.rollout import Opponents, pack, unpack
from train.learner.make import make_rollout
from train.processes import Peers

Array = np.ndarray[Any, Any]


class Arena:
    """Games are played into one set of rows while the other is learnt from."""

    def __init__(
        self, config: Config, rules: Rules, shape: Any, opponents: Opponents, scale: float, seed: int, peers: Peers
    ) -> None:
        self.config, self.rules, self.scale, self.peers = config.ppo, rules, scale, peers
        self.rollout = make_rollout(config, rules, shape, opponents, seed, peers.rank * config.ppo.games)
        self.spread = 0.0  # running standard deviation of the advantages
        self.rows, self._fresh = self.rollout.rows(), self.rollout.rows()

    def play(self, theta: Array, manner: Manner) -> None:
        self.rollout.collect(theta, self._fresh, manner)

    def take(self) -> Rows:
        """What was played last; it stays until the next call."""
        self.rows, self._fresh = self._fresh, self.rows
        return self.rows

    def advantages(self, rows: Rows) -> tuple[Array, Array]:
        """Advantages in units of their running spread, targets in units of the reward's scale."""
        ppo, shape = self.config, (self.config.games, self.config.horizon)
        advantages = np.empty(shape, np.float32)
        targets = np.empty((*shape, self.rules.sides), np.float32)
        estimate(
            rows.rewards.reshape(targets.shape) * np.float32(self.scale), rows.values.reshape(targets.shape), rows.last,
            rows.done.reshape(shape), rows.side.reshape(shape), ppo.decay, ppo.value_decay, advantages, targets,
        )  # fmt: skip
        now = self.peers.mean(float(np.mean(np.square(advantages)))) ** 0.5
        self.spread = now if self.spread == 0.0 else 0.99 * self.spread + 0.01 * now
        return advantages.ravel() / np.float32(self.spread + 1e-8), targets.reshape(-1, self.rules.sides)

    # --- what has to be kept to go on exactly here ---

    def state(self, *, ahead: bool) -> dict[str, Array]:
        """ahead: the games that will be learnt from next have been played."""
        state = {f"games.{name}": array for name, array in self.rollout.state().items()}
        if ahead:
            state |= {f"rows.{name}": array for name, array in pack(self._fresh).items()}
        return state | {"spread": np.array([self.spread])}

    def restore(self, parts: dict[str, dict[str, Array]]) -> None:
        self.rollout.restore(parts["games"])
        self.spread = float(parts["spread"][""][0])
        if "rows" in parts:
            unpack(parts["rows"], self._fresh)
