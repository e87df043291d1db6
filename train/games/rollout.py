"""Experience by self-play: rows of decisions from games that never stop."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from casino_env.actions import ACTIONS
from casino_env.agents.policy.mlp import Shape, new_thought
from casino_env.agents.scripted.choosing import new_bot_workspace
from casino_env.engine import entrypoints
from casino_env.engine.state import GAME
from casino_env.envs.options import Options
from casino_env.envs.vector import Batch
from casino_env.knowledge.view import MEMORIES
from casino_env.rules import Rules
from casino_env.train.games.buffer import RolloutBuffer, new_buffer
from casino_env.train.games.pool import AS_LIKELY, OpponentPool
from casino_env.train.games.restoring import prove_arrays, prove_legal, put
from casino_env.train.games.selfplay import LEARNER, NetworkView, Sampling, Seats, Workspace, play, seat_all
from casino_env.validate_position import validate_record

Array = np.ndarray[Any, Any]

_OF_GAMES = ("records", "seeds", "episodes", "legal", "actor", "rewards", "done", "logs")  # what a checkpoint keeps


class Rollout:
    """Games in which the learner decides, and the rows that they give."""

    def __init__(
        self, rules: Rules, options: Options, shape: Shape, opponents: OpponentPool, *, games: int, horizon: int,
        seed: int, threads: int = 1, first: int = 0,
    ) -> None:  # fmt: skip
        """first: of the games of this seed, so many belong to others."""
        self.rules, self.shape, self.opponents = rules, shape, opponents
        self.horizon = horizon
        self.batch = Batch(rules, games, options)
        self.batch.deal(seed + first)
        self.games = self.batch.games
        streams = np.random.default_rng(seed).integers(2**63, size=(first + games, 1))[first:].astype(np.uint64)
        self.seats = Seats(np.zeros((games, rules.players), np.int64), streams)
        self._memory = MEMORIES.index(options.memory)
        self.work = [Workspace(new_bot_workspace(), new_thought(shape, self.batch.layout.most)) for _ in range(threads)]
        self._threads = ThreadPoolExecutor(threads)
        self.seat_all()

    def seat_all(self) -> None:
        """Draw anew who plays in each game; only while all of them are at their beginning."""
        seat_all(self.games, self.seats, self.opponents.mix(self.rules))

    def view(self, theta: Array, sampling: Sampling) -> NetworkView:
        return NetworkView(self.batch.layout.record, self._memory, theta, self.shape.record, sampling)

    def new_buffer(self) -> RolloutBuffer:
        """Room for one call of collect."""
        return new_buffer(len(self.games.records), self.horizon, self.batch.layout.most, self.rules.sides)

    def collect(self, theta: Array, buffer: RolloutBuffer, sampling: Sampling = AS_LIKELY) -> None:
        """Play on with these weights until the buffer is full."""
        net, mix = self.view(theta, sampling), self.opponents.mix(self.rules)
        edges = [len(self.games.records) * k // len(self.work) for k in range(len(self.work) + 1)]
        jobs = [
            self._threads.submit(play, self.games, self.seats, mix, net, work, buffer, lo, hi)
            for work, lo, hi in zip(self.work, edges[:-1], edges[1:], strict=True)
        ]
        for job in jobs:
            job.result()

    # --- what has to be kept to go on exactly here ---

    def state(self) -> dict[str, Array]:
        games = {name: getattr(self.games, name) for name in _OF_GAMES}
        return games | {"records": self.games.records.view(np.uint8)} | self.seats._asdict()

    def restore(self, state: dict[str, Array]) -> None:
        """Raises ValueError for games that could not go on."""
        mine, most = self.state(), len(self.opponents.bots) + len(self.opponents.names)
        bounds = {"control": (LEARNER, most), "episodes": (0, 2**62)}
        prove_arrays(mine, state, bounds | {"logs": (0, self.rules.players * ACTIONS)})
        self._prove_games(state)
        put(mine, state)

    def _prove_games(self, state: dict[str, Array]) -> None:
        """Each a position in which the seat that is said to decide may do what is said."""
        records, legal = np.ascontiguousarray(state["records"]).view(GAME), state["legal"]
        prove_legal(legal)
        for i in range(len(records)):
            try:
                validate_record(records[i], self.rules)
            except ValueError as error:
                raise ValueError(f"game {i}: {error}") from None
            now = entrypoints.legal(records[i : i + 1], self.games.rules)
            if not any(now) or tuple(legal[i]) != now or state["actor"][i] != records[i]["actor"]:
                raise ValueError(f"game {i}: not what its seat may do")
