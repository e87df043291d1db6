"""Expert iteration with an exact teacher (after Anthony et al. 2017): PPO that learns its endings from the solver.

Two players that count know all cards once the last ones are dealt. Of the endings that self-play comes to, some are
solved each iteration, and besides PPO's own step the policy moves towards the best actions of solved positions (all of
them equally) and the value towards the exact one. network.start makes it the last stage of a policy trained before.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from agents.base import as_batch
from agents.solver.solver import Solver
from casino_env.engine.state import OVER
from casino_env.game import Game
from casino_env.observed import observe
from train.algorithms.imitation import Memory, imitate, imitation_stats
from train.algorithms.ppo import Ppo, by_section
from train.config import Config, ConfigError
from train.learner.mlp import MlpLearner
from train.processes import ALONE, Peers

Array = np.ndarray[Any, Any]


class Expert(Ppo):
    """A run in progress."""

    learner: MlpLearner

    def __init__(self, config: Config, peers: Peers = ALONE) -> None:
        super().__init__(config.changed(machine={"device": "cpu"}), peers)
        if self.rules.sides != 2 or self.rules.players != 2 or self.rules.count_out or config.game.shaping:
            raise ConfigError("run.algorithm = 'expert': the solver teaches games of two players, whole deals, without "
                              "game.shaping")  # fmt: skip
        self.memory = Memory(config.expert.kept, self.layout.most, self.rules.sides, recent=True)
        self._solver = Solver()

    def learn(self, progress: float) -> dict[str, float]:
        self.wait()  # then nobody moves in the games
        endings = self._endings()
        report = super().learn(progress)
        solved = sum([self._solve(ending) for ending in endings])
        return report | self._study(report["rate"]) | {"solved": float(solved)}

    def _endings(self) -> list[Game]:
        """Some of the games in which nothing is left to deal and hands are small, as they stand."""
        games = self.rollout.batch.games
        found = [
            i for i in np.flatnonzero((games["stock_top"] < 0) & (games["mode"] != OVER))
            if max(int(hand).bit_count() for hand in games["hands"][i]) <= self.config.expert.cards
        ]  # fmt: skip
        chosen = self.rng.permutation(found)[: self.config.expert.positions].astype(int)
        return [Game.from_bytes(games[i].tobytes(), self.rules) for i in chosen]

    def _solve(self, game: Game) -> bool:
        """Ask the solver, within a limit, and keep the answer."""
        found = self._solver.solve(game, nodes=self.config.expert.nodes)
        if not found.complete:
            return False
        seen = observe(game, memory=self.config.game.memory)
        on = np.flatnonzero(seen.encode(self.layout))
        memory, mine = self.memory, self.rules.side(game.seat)
        place = int(memory.places(1, self.rng)[0])
        memory.indices[place] = 0
        memory.indices[place, : len(on)] = on
        memory.counts[place] = len(on)
        memory.words[place] = as_batch(seen)[3][0]
        memory.wanted[place] = 0
        for action in found.best:
            memory.wanted[place, action // 52] |= 1 << (action % 52)
        memory.side[place] = mine
        memory.targets[place, mine] = found.value * self.scale
        memory.targets[place, 1 - mine] = -found.value * self.scale
        return True

    def _study(self, rate: float) -> dict[str, float]:
        """Steps towards the solver's answers; says how likely the policy was to give one of them."""
        expert, stats = self.config.expert, imitation_stats()
        if not len(self.memory) or not expert.steps:
            return {"solver_agreement": 0.0, "solver_loss": 0.0}
        for _ in range(expert.steps):
            chosen = self.memory.draw(min(expert.minibatch, self.config.ppo.minibatch), self.rng)
            imitate(self.learner, self.memory, chosen, rate * expert.weight, self.config.ppo.value_weight, stats)
        return {"solver_agreement": stats[5] / stats[0], "solver_loss": stats[1] / stats[0]}

    def state(self) -> tuple[dict[str, Array], dict[str, Any]]:
        arrays, counters = super().state()
        return arrays | {f"memory.{name}": array for name, array in self.memory.state().items()}, counters

    def restore(self, arrays: dict[str, Array], counters: dict[str, Any], frozen: list[Array]) -> None:
        super().restore(arrays, counters, frozen)
        self.memory.restore(by_section(arrays)["memory"])
