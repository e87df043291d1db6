"""What the algorithms share: games that are played ahead, minibatches, earlier selves, the log, and how to go on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np

from casino_env.agents.policy.lookahead import PlaySettings
from casino_env.agents.policy.mlp import Shape, initial, value_outputs
from casino_env.agents.policy.policy_files import find_policy, read_weights
from casino_env.knowledge.layout import make_layout
from casino_env.rules import Rules
from casino_env.train.config import ConfigError
from casino_env.train.games.buffer import RolloutBuffer
from casino_env.train.games.collector import Collector
from casino_env.train.games.pool import AS_LIKELY, OpponentPool
from casino_env.train.games.restoring import whole_number
from casino_env.train.games.scale import reward_scale
from casino_env.train.learner.make import make_learner
from casino_env.train.learner.schedule import falling, in_parts
from casino_env.train.processes.peers import ALONE, Peers
from casino_env.train.settings import Config
from casino_env.validate import closest

Array = np.ndarray[Any, Any]

_COUNTERS = ("iteration", "decisions", "frozen_at")


class TrainingError(RuntimeError):
    """Training cannot go on: one line says why."""


class Algorithm(ABC):
    """A run in progress. All that is not in its arrays and counters is in the config.

    Of several games each iteration is one kind, by turns.
    """

    play = PlaySettings()  # how the policy plays that comes out

    def __init__(self, config: Config, peers: Peers = ALONE) -> None:
        self.config, self.peers = config, peers
        games, others = config.game.all_rules(), config.opponents
        self.rules = games[0]
        self.layout = make_layout(self.rules, universal=config.game.layout == "universal")
        self.shape = self._make_shape(games)
        self.rng = np.random.default_rng(config.run.seed)
        self.scale = float(np.mean([reward_scale(rules) for rules in games]))
        self.learner = self._make_learner()
        self.learner.without = self._without()
        self.learner.peers = peers
        self.opponents = OpponentPool(self.shape, others.bots, others.frozen, others.pool)
        self.collectors = [self._make_collector(rules) for rules in games]
        self.sampling: Any = AS_LIKELY  # of the learner: how it draws what it plays
        self.iteration = self.decisions = self.frozen_at = 0
        self._actor = ThreadPoolExecutor(1)
        self._playing: Future[None] | None = None

    def _make_shape(self, games: list[Rules]) -> Shape:
        return Shape(self.layout.size, self.config.network.hidden, max(map(value_outputs, games)))

    def _make_learner(self) -> Any:
        return make_learner(self.config, self.shape, self._first_weights())

    def _first_weights(self) -> Array:
        start = self.config.network.start
        return self.blind(read_weights(find_policy(start), self.shape) if start else initial(self.shape, self.rng))

    def blind(self, weights: Array) -> Array:
        """The same, with zeros for what the network takes no notice of."""
        self.shape.views(weights)["layer0.weight"][self._without()] = 0.0
        return weights

    def _without(self) -> Array:
        """The features of the segments that the network takes no notice of."""
        segments = {segment.name: segment for segment in self.layout.segments}
        ranges = [np.zeros(0, np.int64)]
        for name in self.config.network.without:
            if name not in segments:
                near = closest(name, list(segments))
                raise ConfigError(f"network.without: there is no segment {name!r}{near}; known: {', '.join(segments)}")
            ranges.append(np.arange(segments[name].offset, segments[name].offset + segments[name].size))
        return np.concatenate(ranges)

    def _make_collector(self, rules: Rules) -> Any:
        seed = int(self.rng.integers(2**48))
        return Collector(self.config, rules, self.shape, self.opponents, self.scale, seed, self.peers)

    @abstractmethod
    def learn(self, progress: float) -> dict[str, float]:
        """Learn from one iteration's games; progress: how much of the run is done, 0 to 1. Returns what was seen."""

    @property
    def best(self) -> Array:
        """The weights to play with."""
        return self.learner.average

    def learning_rate(self, progress: float) -> float:
        ppo = self.config.ppo
        return falling(ppo.learning_rate, ppo.final_learning_rate, progress)

    # --- games -------------------------------------------------------------------------------------------------------

    def collector(self, ahead: int = 0) -> Any:
        """Where the games of this iteration are played, or of one to come."""
        return self.collectors[(self.iteration + ahead) % len(self.collectors)]

    def collect(self) -> Any:
        """The games of this iteration. With overlap the next ones are begun at once, with the weights as they are."""
        collector = self.collector()
        if not self.config.machine.overlap:
            collector.play(self.learner.weights.flat, self.sampling)
            return collector.take()
        if self._playing is None:
            self._play(collector)
        self.wait()
        buffer = collector.take()
        self._play(self.collector(1))
        return buffer

    def _play(self, collector: Collector) -> None:
        self._playing = self._actor.submit(collector.play, self.learner.weights.flat.copy(), self.sampling)

    def wait(self) -> None:
        """Until no games are being played: those played ahead are in the buffer to come."""
        if self._playing is not None:
            self._playing.result()

    def minibatches(self, buffer: RolloutBuffer) -> list[Array]:
        """All rows, as often as there are epochs."""
        ppo, rows = self.config.ppo, np.arange(len(buffer.counts))
        return in_parts(self.rng, rows, ppo.epochs, ppo.minibatch, len(rows))

    # --- the end of an iteration -------------------------------------------------------------------------------------

    def finish(self, buffer: RolloutBuffer, sums: Array, grad_norms: list[float]) -> dict[str, float]:
        """Count the iteration and say what was seen in it."""
        seen = {"games": float(buffer.done.sum()), "decisions_per_game": self.collector().game_length(buffer)}
        return self._count(len(buffer.counts) * self.peers.size, sums, grad_norms) | seen

    def _count(self, rows: int, sums: Array, grad_norms: list[float]) -> dict[str, float]:
        self.iteration += 1
        self.decisions += rows
        self._freeze()
        if not np.isfinite(grad_norms).all():
            raise TrainingError(
                f"the gradient is not a number in iteration {self.iteration}; try a lower learning_rate"
            )
        return _report(sums) | {"grad_norm": float(np.mean(grad_norms))}

    def _freeze(self) -> None:
        """From time to time the policy as it is becomes an opponent."""
        others = self.config.opponents
        if self.decisions - self.frozen_at < others.every or not others.frozen:
            return
        self.wait()  # the games being played look into the pool
        self.frozen_at = self.decisions
        self.opponents.freeze(str(self.decisions), self.learner.average)

    # --- what has to be kept to go on exactly here -------------------------------------------------------------------

    def state(self) -> tuple[dict[str, Array], dict[str, Any]]:
        """Arrays and counters; with overlap the games that have been played ahead are among them."""
        self.wait()
        arrays = {f"learner.{name}": array for name, array in self.learner.state().items()}
        for number, collector in enumerate(self.collectors):
            ahead = self._playing is not None and collector is self.collector()
            arrays |= {f"games{number}.{name}": array for name, array in collector.state(ahead=ahead).items()}
        counters = {name: getattr(self, name) for name in _COUNTERS}
        return arrays, counters | {
            "steps": self.learner.steps,
            "random": self.rng.bit_generator.state,
            "frozen": self.opponents.names,
            "ahead": self._playing is not None,
        }

    def restore(self, arrays: dict[str, Array], counters: dict[str, Any], frozen: list[Array]) -> None:
        """Go on where these were kept; raises ValueError for what no run can have kept."""
        for name in _COUNTERS:
            setattr(self, name, whole_number(counters, name))
        parts = by_section(arrays)
        self.learner.restore(parts.get("learner", {}), whole_number(counters, "steps"))
        self._restore_random(counters.get("random"))
        self.opponents.restore(counters["frozen"], frozen)
        ahead = counters.get("ahead") is True
        for number, collector in enumerate(self.collectors):
            kept = by_section(parts.get(f"games{number}", {}))
            collector.restore(kept, ahead=ahead and collector is self.collector())
        if ahead:
            self._playing = self._actor.submit(lambda: None)

    def _restore_random(self, state: Any) -> None:
        try:
            self.rng.bit_generator.state = state
        except (TypeError, ValueError, KeyError, OverflowError, AttributeError) as error:
            raise ValueError(f"random: not the state of a generator: {error}") from None


def by_section(arrays: dict[str, Array]) -> dict[str, dict[str, Array]]:
    sections: dict[str, dict[str, Array]] = {}
    for name, array in arrays.items():
        section, _, rest = name.partition(".")
        sections.setdefault(section, {})[rest] = array
    return sections


def _report(sums: Array) -> dict[str, float]:
    """Means of what minibatches have added up (gradient.SUMS)."""
    assert sums.dtype.names is not None
    rows = max(1.0, float(sums["rows"][0]))
    report = {name: float(sums[name][0]) / rows for name in sums.dtype.names if name != "rows"}
    variance = report.pop("target_square") - report.pop("target_sum") ** 2
    report["explained_variance"] = 1.0 - 2.0 * report["value_loss"] / max(variance, 1e-8)
    return report
