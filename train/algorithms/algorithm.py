"""The base class of the algorithms: the parts of a run, an iteration, checkpoint and resume.

A run that learns several games plays one of them in each iteration, in rotation.
"""

from __future__ import annotations

import functools
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, ClassVar

import numpy as np

from casino_env.actions import ACTIONS
from casino_env.agents.policy.lookahead import PlaySettings
from casino_env.agents.policy.mlp import Shape, initial, value_outputs
from casino_env.agents.policy.policy_files import find_policy, read_weights
from casino_env.arrays import Array
from casino_env.engine.state import GAME
from casino_env.envs.batch import WAIT
from casino_env.envs.options import Options
from casino_env.envs.vector import Batch
from casino_env.knowledge.layout import Layout, make_layout
from casino_env.machine import memory
from casino_env.rules import Rules
from casino_env.train.checkpoint import Counters
from casino_env.train.config import Config, ConfigError, OptimizerConfig
from casino_env.train.learner import FastLearner
from casino_env.train.rollouts.by_actions import ActionRollouts
from casino_env.train.rollouts.by_turns import TURNS, TurnRollouts
from casino_env.train.rollouts.selfplay import Opponents, Sampling, by_prefix
from casino_env.train.torch_twin import TorchLearner, TorchRollouts, find_device
from casino_env.validate import closest


class TrainingError(RuntimeError):
    """Training must stop; the message is one line that says why."""


class Algorithm:
    """A run in progress. Everything that is not in its arrays and counters is in the config."""

    # Traits that algorithms override.
    by_turns: ClassVar = False  # it learns from complete turns, judged as afterstates; else from single actions
    in_torch: ClassVar = False  # it also runs in torch: on a GPU, or without kernels
    several_games: ClassVar = False  # it can learn several games at once
    play: ClassVar = PlaySettings()  # how the trained policy plays

    def __init__(self, config: Config, target: tuple[Array, Sampling] | None = None) -> None:
        """target: weights of a network that is the opponent, and how it plays."""
        kind, games, start = type(self), config.game.all_rules(), config.network.start
        self.config, self.rules = config, games[0]
        self.layout, self.shape = _layout(config, games[0]), network_shape(config, kind)
        check_memory(config, kind)
        self.rng = np.random.default_rng(config.run.seed)
        without = _features(self.layout, config.network.without)
        theta = read_weights(find_policy(start), self.shape) if start else initial(self.shape, self.rng)
        self.shape.views(theta)["layer0.weight"][without] = 0.0
        self.learner: Any = _make_learner(config, kind, self.shape, theta, without)
        self.opponents = Opponents(config.opponents.bots, target)
        # Points in a unit of a value.
        self.value_scale = 1.0 / float(np.mean([_reward_scale(rules) for rules in games]))
        about = {"shape": self.shape, "opponents": self.opponents, "value_scale": self.value_scale}
        self.rollouts = [
            _make_rollouts(config, kind, rules, seed=int(self.rng.integers(2**48)), **about) for rules in games
        ]
        self.iteration = self.decisions = 0
        self._actor = ThreadPoolExecutor(1)
        self._playing: Future[None] | None = None

    @classmethod
    def make(cls, config: Config) -> Algorithm:
        return cls(config)

    def learn(self, progress: float) -> dict[str, float]:
        """Learn from one iteration's games; return its metrics. progress: how much of the run is done, 0 to 1."""
        raise NotImplementedError

    @property
    def best(self) -> Array:
        """The weights to play with."""
        average: Array = self.learner.average
        return average

    # --- an iteration ------------------------------------------------------------------------------------------------

    def games(self) -> Any:
        """Return the rollouts of this iteration."""
        return self.rollouts[self.iteration % len(self.rollouts)]

    def collect(self, sampling: Any) -> Any:
        """Return the buffer of this iteration. With overlap, start the next games at once, with the current weights.

        sampling: how the learner draws its play.
        """
        if self._playing is None:
            self.games().play(self.learner.weights.flat, sampling)
        self.wait()
        buffer = self.games().take()
        if self.config.machine.overlap:
            following = self.rollouts[(self.iteration + 1) % len(self.rollouts)]
            self._playing = self._actor.submit(following.play, self.learner.weights.flat.copy(), sampling)
        return buffer

    def wait(self) -> None:
        """Wait until no games are being played; games played ahead are then in the next buffer."""
        if self._playing is not None:
            self._playing.result()

    def minibatches(self, rows: Array, optimizer: OptimizerConfig) -> list[Array]:
        """Return shuffled minibatches of equal size for all epochs, without remainders; few rows are one minibatch."""
        parts, size = [], optimizer.minibatch
        for _ in range(optimizer.epochs):
            order = self.rng.permutation(rows)
            parts += [order[at : at + size] for at in range(0, max(1, len(order) - size + 1), size)]
        return parts

    def finish(self, rows: int, sums: Array, grad_norms: list[float]) -> dict[str, float]:
        """Count the iteration and return its metrics.

        sums: the totals of its minibatches (learner.SUMS).
        """
        self.iteration += 1
        self.decisions += rows
        if not np.isfinite(grad_norms).all():
            raise TrainingError(
                f"the gradient is not a number in iteration {self.iteration}; try a lower learning_rate"
            )
        assert sums.dtype.names is not None
        rows_seen = max(1.0, float(sums["rows"][0]))
        report = {name: float(sums[name][0]) / rows_seen for name in sums.dtype.names if name != "rows"}
        # A row has a target and an error for each value of the network: the variance is over all of them.
        variance = report.pop("target_square") - report.pop("target_sum") ** 2 / self.shape.values
        report["explained_variance"] = 1.0 - 2.0 * report["value_loss"] / max(variance, 1e-8)
        return report | {"grad_norm": float(np.mean(grad_norms))}

    def state(self) -> tuple[dict[str, Array], Counters]:
        """Return arrays and counters for a checkpoint; with overlap, the games played ahead are among them."""
        self.wait()
        arrays = {f"learner.{name}": array for name, array in self.learner.state().items()}
        for number, games in enumerate(self.rollouts):
            ahead = self._playing is not None and games is self.games()
            arrays |= {f"games{number}.{name}": array for name, array in games.state(ahead=ahead).items()}
        return arrays, Counters(
            iteration=self.iteration, decisions=self.decisions, steps=self.learner.steps,
            random=dict(self.rng.bit_generator.state), ahead=self._playing is not None,
        )  # fmt: skip

    def restore(self, arrays: dict[str, Array], counters: Counters) -> None:
        """Resume from a checkpoint; raise ValueError for values that no run can have saved."""
        self.iteration, self.decisions = counters.iteration, counters.decisions
        parts = by_prefix(arrays)
        self.learner.restore(parts.get("learner", {}), counters.steps)
        try:
            self.rng.bit_generator.state = counters.random
        except (TypeError, ValueError, KeyError, OverflowError, AttributeError) as error:
            raise ValueError(f"random: not the state of a generator: {error}") from None
        for number, games in enumerate(self.rollouts):
            games.restore(parts.get(f"games{number}", {}), ahead=counters.ahead and games is self.games())
        if counters.ahead:
            self._playing = self._actor.submit(lambda: None)


# --- parts -----------------------------------------------------------------------------------------------------------


def _make_learner(
    config: Config, kind: type[Algorithm], shape: Shape, theta: Array, without: Array
) -> FastLearner | TorchLearner:
    optimizer: OptimizerConfig = config.afterstates if kind.by_turns else config.selfplay
    steps = {"ema_decay": optimizer.ema_decay, "max_grad_norm": optimizer.max_grad_norm}
    if _in_kernels(config, kind):
        return FastLearner(shape, theta, optimizer.minibatch, **steps, without=without)
    if len(without):
        raise ConfigError("network.without needs the kernels of a processor (machine.kernels, machine.device)")
    return TorchLearner(shape, theta, **steps, device=find_device(config.machine.device))


def _make_rollouts(config: Config, kind: type[Algorithm], rules: Rules, **about: Any) -> Any:
    machine = config.machine
    if kind.by_turns:
        own = config.afterstates
        about |= {"deals": own.deals, "td_lambda": own.td_lambda, "memory": config.game.memory}
        return TurnRollouts(rules, _layout(config, rules), threads=machine.threads, **about)
    batch = Batch(rules, config.selfplay.games, config.game.options())
    about["horizon"] = config.selfplay.horizon
    if _in_kernels(config, kind):
        threads = 1 if machine.overlap else machine.threads
        return ActionRollouts(batch, threads=threads, **about)
    return TorchRollouts(batch, device=find_device(machine.device), **about)


def _in_kernels(config: Config, kind: type[Algorithm]) -> bool:
    """Return whether games and learning run in kernels rather than in torch."""
    machine = config.machine
    return not kind.in_torch or (machine.kernels and find_device(machine.device).type == "cpu")


def _layout(config: Config, rules: Rules) -> Layout:
    return make_layout(rules, universal=config.game.layout == "universal")


def network_shape(config: Config, kind: type[Algorithm]) -> Shape:
    """Return the shape of the network; it has as many values as the game with the most sides needs."""
    games = config.game.all_rules()
    features = _layout(config, games[0]).size
    return Shape(features, config.network.hidden, max(map(value_outputs, games)), 0 if kind.by_turns else ACTIONS)


def _features(layout: Layout, without: tuple[str, ...]) -> Array:
    """Return the features of the segments that the network ignores."""
    segments = layout.split(np.arange(layout.size))
    for name in without:
        if name not in segments:
            near = closest(name, list(segments))
            raise ConfigError(f"network.without: unknown segment {name!r}{near}; known: {', '.join(segments)}")
    return np.concatenate([np.zeros(0, np.int64), *(segments[name].ravel() for name in without)])


@functools.cache
def _reward_scale(rules: Rules) -> float:
    """Return one over the standard deviation of a seat's result in random play, so that networks need not learn how
    large a game's rewards are."""
    deals = 1000
    games = Batch(rules, deals, Options(), redeal=False)
    games.deal(0)
    total = np.zeros((deals, rules.players))
    while (actions := games.sample()).max() != WAIT:
        games.act(actions)
        total += games.rewards
    return float(1.0 / max(total.std(), 1e-6))


# --- memory ----------------------------------------------------------------------------------------------------------

_COPIES = 6  # arrays as large as the weights: weights, average, gradient, two moments, the weights that play


def check_memory(config: Config, kind: type[Algorithm]) -> None:
    """Raise ConfigError if a run needs more memory than this machine has."""
    there, need = memory(), memory_needed(config, kind)
    if need > there:
        raise ConfigError(
            f"this run needs about {need / 2**30:,.1f} GB of memory, but this machine has {there / 2**30:,.1f}; reduce "
            "selfplay.games x selfplay.horizon, afterstates.deals or network.hidden"
        )


def memory_needed(config: Config, kind: type[Algorithm]) -> int:
    """Return roughly how many bytes a run needs: weights, activations, and per game its records and two buffers."""
    shape, own = network_shape(config, kind), config.selfplay
    games, length, minibatch = own.games, own.horizon, own.minibatch
    if kind.by_turns:
        games, length, minibatch = config.afterstates.deals, TURNS, config.afterstates.minibatch
    need = 4 * shape.size * _COPIES + 8 * minibatch * sum(config.network.hidden)
    for rules in config.game.all_rules():
        features = _layout(config, rules).most
        need += 2 * games * (length * (2 * features + 8 * rules.sides + 64) + GAME.itemsize)
    return need
