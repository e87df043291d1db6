"""Collects what the learner learns from in one kind of game: full buffers, and the advantages in them."""

from __future__ import annotations

from typing import Any

import numpy as np

from casino_env.agents.policy.mlp import Shape
from casino_env.rules import Rules
from casino_env.train.games.buffer import RolloutBuffer, packed, unpack
from casino_env.train.games.device import find_device, in_kernels
from casino_env.train.games.gae import Trajectories, estimate_advantages
from casino_env.train.games.pool import OpponentPool
from casino_env.train.games.restoring import put
from casino_env.train.games.rollout import Rollout
from casino_env.train.games.selfplay import Sampling
from casino_env.train.games.torch_rollout import TorchRollout
from casino_env.train.process_group import ProcessGroup
from casino_env.train.settings import Config

Array = np.ndarray[Any, Any]


class Collector:
    """Games are played into one buffer while the other is learnt from."""

    def __init__(
        self,
        config: Config,
        rules: Rules,
        shape: Shape,
        opponents: OpponentPool,
        scale: float,
        seed: int,
        group: ProcessGroup,
    ) -> None:
        self.config, self.rules, self.scale, self.group = config.ppo, rules, scale, group
        self.rollout = _make_rollout(config, rules, shape, opponents, seed, group.rank * config.ppo.games)
        self.seats = self.rollout.seats
        self.deviation = 0.0  # running standard deviation of the advantages
        self.begun: Array = np.zeros(config.ppo.games, np.int64)  # decisions in each game that has not ended
        self.buffer, self._next = self.rollout.new_buffer(), self.rollout.new_buffer()

    def play(self, theta: Array, sampling: Sampling) -> None:
        self.rollout.collect(theta, self._next, sampling)

    def seat_all(self) -> None:
        """Who plays is drawn anew, in all games."""
        self.rollout.seat_all()

    def take(self) -> RolloutBuffer:
        """What was played last; it stays until the next call."""
        self.buffer, self._next = self._next, self.buffer
        return self.buffer

    def advantages(self, buffer: RolloutBuffer) -> tuple[Array, Array]:
        """Advantages in units of their running deviation, targets of the value in units of the reward's scale."""
        ppo, shape = self.config, (self.config.games, self.config.horizon)
        advantages, targets = np.empty(shape, np.float32), np.empty((*shape, self.rules.sides), np.float32)
        paths = Trajectories(
            rewards=buffer.rewards.reshape(targets.shape) * np.float32(self.scale),
            values=buffer.values.reshape(targets.shape),
            last_values=buffer.last_values,
            done=buffer.done.reshape(shape),
            seat=buffer.seat.reshape(shape),
            side=buffer.side.reshape(shape),
        )
        estimate_advantages(paths, self.rules.players, ppo.gae_lambda, ppo.value_lambda, advantages, targets)
        now = self.group.all_reduce_mean(float(np.mean(np.square(advantages)))) ** 0.5
        self.deviation = now if self.deviation == 0.0 else 0.99 * self.deviation + 0.01 * now
        return advantages.ravel() / np.float32(self.deviation + 1e-8), targets.reshape(-1, self.rules.sides)

    def game_length(self, buffer: RolloutBuffer) -> float:
        """Decisions in a game, on average of those that ended in this buffer; nan if none did. Asked once of each."""
        done = buffer.done.reshape(-1, self.config.horizon)
        ended = done.any(axis=1)
        begun = np.where(ended, done[:, ::-1].argmax(axis=1), self.begun + self.config.horizon)
        decisions = (self.begun + self.config.horizon - begun)[ended].sum()
        self.begun = begun
        return float(decisions / done.sum()) if ended.any() else float("nan")

    # --- what has to be kept to go on exactly here ---

    def state(self, *, ahead: bool) -> dict[str, Array]:
        """ahead: the games that will be learnt from next have been played."""
        state = {f"games.{name}": array for name, array in self.rollout.state().items()}
        if ahead:
            state |= {f"buffer.{name}": array for name, array in packed(self._next._asdict()).items()}
        return state | {"deviation": np.array([self.deviation]), "begun": self.begun}

    def restore(self, parts: dict[str, dict[str, Array]], *, ahead: bool) -> None:
        """ahead: as in state. Raises ValueError for what cannot be."""
        own: dict[str, Array] = {"deviation": np.zeros(1), "begun": self.begun.copy()}
        put(own, {name: parts.get(name, {}).get("", np.zeros(0)) for name in own}, {"begun": (0, 2**40)})
        self.deviation, self.begun = float(own["deviation"][0]), own["begun"]
        self.rollout.restore(parts.get("games", {}))
        if ahead:
            bounds = {"seat": (0, self.rules.players - 1), "side": (0, self.rules.sides - 1)}
            unpack(parts.get("buffer", {}), self._next._asdict(), self.rollout.shape.features, bounds)


def _make_rollout(
    config: Config, rules: Rules, shape: Shape, opponents: OpponentPool, seed: int, first: int
) -> Rollout:
    """first: of the games of this seed, so many belong to other processes."""
    ppo, machine = config.ppo, config.machine
    about = (rules, config.game.options(), shape, opponents)
    sizes: dict[str, Any] = {"games": ppo.games, "horizon": ppo.horizon, "seed": seed, "first": first}
    if in_kernels(machine):
        return Rollout(*about, **sizes, threads=1 if machine.overlap else machine.threads)
    return TorchRollout(*about, **sizes, device=find_device(machine.device))
