"""PPO by self-play: the algorithm, from games to weights.

Proximal policy optimisation (Schulman et al. 2017) with what keeps self-play in games of hidden cards from going round
in circles: a uniform magnet whose pull falls slowly (the entropy bonus), nearness to the policy that played, a rate
that goes to zero, and averaged weights for play (Sokota et al. 2023; Rudolph et al. 2025).
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np

from agents.policy.agent import find_policy, read_weights, value_outputs
from agents.policy.mlp import Shape, initial
from casino_env.knowledge.segments import make_layout
from casino_env.rules import Rules
from train.config import Config
from train.games.arena import Arena
from train.games.play import Rows
from train.games.rollout import AS_LIKELY, Opponents
from train.games.scale import reward_scale
from train.learner.gradient import STATS
from train.learner.make import make_learner
from train.learner.mlp import new_stats
from train.processes import ALONE, Peers

Array = np.ndarray[Any, Any]


_COUNTERS = ("iteration", "decisions", "frozen_at")


class TrainingError(RuntimeError):
    """Training cannot go on: one line says why."""


class Ppo:
    """A run in progress. learn() does one iteration; all that is not in its arrays and counters is in the config.

    Of several games each iteration is one kind, by turns.
    """

    def __init__(self, config: Config, peers: Peers = ALONE) -> None:
        self.config, self.peers = config, peers
        games = config.game.all_rules()
        self.rules = games[0]
        self.layout = make_layout(self.rules, universal=config.game.layout == "universal")
        self.shape = Shape(self.layout.size, config.network.hidden, max(value_outputs(rules) for rules in games))
        self.rng = np.random.default_rng(config.run.seed)
        self.scale = float(np.mean([reward_scale(rules) for rules in games]))
        others = config.opponents
        self.learner = make_learner(config, self.shape, self._first_weights())
        self.opponents = Opponents(self.shape, others.bots, others.frozen, others.pool)
        self.arenas = [self._make_arena(rules) for rules in games]
        self.rollout = self.arenas[0].rollout
        if peers.size > 1:
            self.learner.gather = peers.average
        self.iteration = self.decisions = self.frozen_at = 0
        self._actor = ThreadPoolExecutor(1)
        self._playing: Future[None] | None = None
        self.manner = AS_LIKELY  # in which the learner plays

    def _first_weights(self) -> Array:
        if not self.config.network.start:
            return initial(self.shape, self.rng)
        return read_weights(find_policy(self.config.network.start), self.shape)

    def _make_arena(self, rules: Rules) -> Arena:
        seed = int(self.rng.integers(2**48))
        return Arena(self.config, rules, self.shape, self.opponents, self.scale, seed, self.peers)

    @property
    def best(self) -> Array:
        """The weights to play with."""
        return self.learner.average

    # --- one iteration -----------------------------------------------------------------------------------------------

    def learn(self, progress: float) -> dict[str, float]:
        """Learn from one iteration's games; progress: how much of the run is done, 0 to 1. Returns what was seen."""
        rows = self._next_rows()
        advantages, targets = self._arena().advantages(rows)
        stats, norms = new_stats(), []
        warmth = self._warmth(rows)
        rate = self._rate(progress)
        for _ in range(self.config.ppo.epochs):
            for chosen in self._minibatches(len(rows.counts)):
                norms.append(
                    self.learner.step(rows, chosen, advantages, warmth, targets, self._settings(), rate, stats)
                )
        return self._finish(rows, stats, norms) | {"rate": rate, "warmth": float(warmth[0])}

    def _finish(self, rows: Rows, stats: Array, norms: list[float]) -> dict[str, float]:
        """Count the iteration and say what was seen in it."""
        self.iteration += 1
        self.decisions += len(rows.counts) * self.peers.size
        self._freeze()
        if not np.isfinite(norms).all():
            raise TrainingError(f"the gradient is not a number in iteration {self.iteration}; try a lower ppo.rate")
        return self._report(stats, rows) | {"norm": float(np.mean(norms))}

    def _arena(self, ahead: int = 0) -> Arena:
        """Where the games of this iteration are played, or of one to come."""
        return self.arenas[(self.iteration + ahead) % len(self.arenas)]

    def _next_rows(self) -> Rows:
        """The games of this iteration. With overlap the next ones are begun at once, with the weights as they are."""
        arena = self._arena()
        if not self.config.machine.overlap:
            arena.play(self.learner.weights.flat, self.manner)
            return arena.take()
        if self._playing is None:
            self._play(arena)
        self.wait()
        rows = arena.take()
        self._play(self._arena(1))
        return rows

    def _play(self, arena: Arena) -> None:
        self._playing = self._actor.submit(arena.play, self.learner.weights.flat.copy(), self.manner)

    def wait(self) -> None:
        """Until no games are being played: those played ahead are in the rows to come."""
        if self._playing is not None:
            self._playing.result()

    def _minibatches(self, count: int) -> list[Array]:
        order, size = self.rng.permutation(count), self.config.ppo.minibatch
        return [order[at : at + size] for at in range(0, count - size + 1, size)]

    # --- what changes over a run -------------------------------------------------------------------------------------

    def _rate(self, progress: float) -> float:
        ppo = self.config.ppo
        return ppo.rate * (1.0 - (1.0 - ppo.final_rate) * min(1.0, progress))

    def _warmth(self, rows: Rows) -> Array:
        """The weight of the entropy in each row."""
        ppo = self.config.ppo
        warmth = max(ppo.entropy_floor, ppo.entropy * (1.0 + self.iteration / 100.0) ** -ppo.entropy_power)
        return np.where(rows.open, warmth * ppo.open_entropy, warmth).astype(np.float32)

    def _settings(self) -> Array:
        ppo = self.config.ppo
        return np.array([ppo.clip, ppo.near, ppo.value_weight])

    def _freeze(self) -> None:
        """From time to time the policy as it is becomes an opponent."""
        others = self.config.opponents
        if self.decisions - self.frozen_at < others.every or not others.frozen:
            return
        self.wait()  # the games being played look into the pool
        self.frozen_at = self.decisions
        playing = np.concatenate([arena.rollout.control.ravel() for arena in self.arenas])
        self.opponents.freeze(str(self.decisions), self.learner.average, playing)

    # --- what has to be kept to go on exactly here -------------------------------------------------------------------

    def state(self) -> tuple[dict[str, Array], dict[str, Any]]:
        """Arrays and counters; with overlap the games that have been played ahead are among them."""
        self.wait()
        arrays = {f"learner.{name}": array for name, array in self.learner.state().items()}
        for number, arena in enumerate(self.arenas):
            ahead = self._playing is not None and arena is self._arena()
            arrays |= {f"arena{number}.{name}": array for name, array in arena.state(ahead=ahead).items()}
        arrays |= {"opponents.results": self.opponents.results}
        counters = {name: getattr(self, name) for name in _COUNTERS}
        return arrays, counters | {
            "steps": self.learner.steps,
            "random": self.rng.bit_generator.state,
            "frozen": self.opponents.frozen_names,
            "ahead": self._playing is not None,
        }

    def restore(self, arrays: dict[str, Array], counters: dict[str, Any], frozen: list[Array]) -> None:
        for name in _COUNTERS:
            setattr(self, name, counters[name])
        parts = by_section(arrays)
        self.learner.restore(parts["learner"], counters["steps"])
        self.rng.bit_generator.state = counters["random"]
        for number, arena in enumerate(self.arenas):
            arena.restore(by_section(parts[f"arena{number}"]))
        self.opponents.restore(counters["frozen"], frozen, **parts["opponents"])
        if counters["ahead"]:
            self._playing = self._actor.submit(lambda: None)

    # --- for the log -------------------------------------------------------------------------------------------------

    def _report(self, stats: Array, rows: Rows) -> dict[str, float]:
        sums = dict(zip(STATS, stats.tolist(), strict=True))
        count = max(1.0, sums.pop("rows"))
        report = {name: value / count for name, value in sums.items()}
        spread = report.pop("target_square") - report.pop("target_sum") ** 2
        report["explained"] = 1.0 - report.pop("value_error") / max(spread, 1e-8)
        games = float(rows.done.sum())
        return report | {"games": games, "decisions_per_game": len(rows.counts) / max(games, 1.0)}


def by_section(arrays: dict[str, Array]) -> dict[str, dict[str, Array]]:
    sections: dict[str, dict[str, Array]] = {}
    for name, array in arrays.items():
        section, _, rest = name.partition(".")
        sections.setdefault(section, {})[rest] = array
    return sections
