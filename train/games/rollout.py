"""Experience by self-play: rows of decisions from games that never stop."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from agents.scripted.agent import room
from agents.scripted.bots import BOTS, bot_record
from casino_env.actions import ACTIONS
from casino_env.engine.state import rules_record
from casino_env.envs.batch import REWARDS
from casino_env.envs.vector import Batch, Options
from casino_env.knowledge.view import MEMORIES
from casino_env.rules import Rules
from train.games.play import Desk, Field, Manner, Mind, Rows, Table, play, seat_players

Array = np.ndarray[Any, Any]

AS_LIKELY = Manner(1.0, 0.0)  # as a policy says


class Opponents:
    """Whom the learner meets: bots by name with their shares of the games, and a pool of frozen networks."""

    def __init__(self, shape: Any, bots: dict[str, float], frozen: float, room_for: int) -> None:
        if sum(bots.values()) + frozen > 1.0:
            raise ValueError(f"opponents: shares add up to {sum(bots.values()) + frozen:g}; at most 1 is left for them")
        self.names = list(bots)
        self.frozen = frozen  # share of the games against networks of the pool
        self.pool = np.zeros((room_for if frozen else 0, shape.size), np.float32)
        self.frozen_names: list[str] = []  # of the places that are filled
        self._bot_shares = np.array(list(bots.values()))
        self.results = np.zeros((1 + len(bots) + len(self.pool), 3))
        self.manner = AS_LIKELY  # of the pool

    def field(self, rules: Rules) -> Field:
        frozen = np.zeros(len(self.pool))
        filled = len(self.frozen_names)
        if filled:
            frozen[:filled] = self.frozen / filled
        shares = np.concatenate([[1.0 - self._bot_shares.sum() - frozen.sum()], self._bot_shares, frozen])
        records = [bot_record(BOTS[name], rules) for name in self.names]
        bots = np.concatenate(records) if records else bot_record(BOTS["random"], rules)[:0]
        return Field(shares, bots, self.pool, self.manner)

    def freeze(self, name: str, theta: Array, control: Array) -> None:
        """Keep these weights as an opponent: in a free place, else in that of the oldest that nobody plays just now."""
        if not len(self.pool):
            return
        place = len(self.frozen_names)
        if place < len(self.pool):
            self.frozen_names.append(name)
        else:
            busy = set((np.unique(control) - 1 - len(self.names)).tolist())
            idle = sorted((int(self.frozen_names[k]), k) for k in range(place) if k not in busy)
            if not idle:
                return
            place = idle[0][1]
            self.frozen_names[place] = name
        self.pool[place] = theta
        self.results[1 + len(self.names) + place] = 0.0

    def restore(self, names: list[str], networks: list[Array], results: Array) -> None:
        self.frozen_names = list(names)
        for place, network in enumerate(networks):
            self.pool[place] = network
        self.results[...] = results


class Rollout:
    """Games in which the learner decides, and the rows that they give."""

    def __init__(
        self, rules: Rules, options: Options, shape: Any, opponents: Opponents, *, games: int, horizon: int,
        seed: int, threads: int = 1, first: int = 0,
    ) -> None:  # fmt: skip
        """first: of the games of this seed, so many belong to others."""
        self.rules, self.shape, self.opponents = rules, shape, opponents
        self.games, self.horizon = games, horizon
        self.batch = Batch(rules, games, options)
        self.batch.reset(seed + first)
        self._options = options
        self.random = np.random.default_rng(seed).integers(2**63, size=(first + games, 1))[first:].astype(np.uint64)
        self.control = np.zeros((games, rules.players), np.int64)
        self.returns = np.zeros((games, rules.sides))
        self._rules = rules_record(rules)
        self._desks = [self._desk() for _ in range(threads)]
        self._pool = ThreadPoolExecutor(threads)
        self.seat_all()

    def seat_all(self) -> None:
        """Draw anew who plays in each game; only while all of them are at their beginning."""
        for i in range(self.games):
            seat_players(self._table(), self.opponents.field(self.rules), i)

    def _desk(self) -> Desk:
        most = self.batch.layout.most
        work, logits, values = (
            np.zeros(size, np.float32) for size in (sum(self.shape.hidden), ACTIONS, self.shape.values)
        )
        boards, todo, facts, scores, rng = room()
        return Desk(
            boards, todo, facts, scores, rng, np.zeros(most, np.int16), np.zeros(ACTIONS, np.int64), work, logits,
            np.zeros(ACTIONS), values, np.zeros_like(self.opponents.results),
        )  # fmt: skip

    def _mind(self, theta: Array, manner: Manner) -> Mind:
        memory = MEMORIES.index(self._options.memory)
        return Mind(self.batch.layout.record, memory, theta, self.shape.record, manner)

    def _table(self) -> Table:
        b, o = self.batch, self._options
        kind = REWARDS.index(o.reward)
        return Table(
            b.games, self._rules, b.seeds, b.episodes, b.words, (int(o.match), int(o.skip_forced), kind),
            float(o.shaping), b.rewards, b.done, b.logs, self.control, self.random, self.returns,
        )  # fmt: skip

    def rows(self) -> Rows:
        """Room for one call of collect."""
        n, sides = self.games * self.horizon, self.rules.sides
        return Rows(
            np.zeros((n, self.batch.layout.most), np.int16), np.zeros(n, np.int64), np.zeros((n, 4), np.int64),
            np.zeros(n, np.int64), np.zeros(n, np.float32), np.zeros((n, sides), np.float32), np.zeros(n, np.int64),
            np.zeros(n, np.bool_), np.zeros((n, sides), np.float32), np.zeros(n, np.bool_),
            np.zeros((self.games, sides), np.float32),
        )  # fmt: skip

    def collect(self, theta: Array, rows: Rows, manner: Manner = AS_LIKELY) -> None:
        """Play on with these weights until the rows are full."""
        mind, table, field = self._mind(theta, manner), self._table(), self.opponents.field(self.rules)
        edges = [self.games * k // len(self._desks) for k in range(len(self._desks) + 1)]
        parts = zip(self._desks, edges[:-1], edges[1:], strict=True)
        jobs = [self._pool.submit(play, table, field, mind, desk, rows, self.horizon, lo, hi) for desk, lo, hi in parts]
        for job in jobs:
            job.result()
        self._count_results()

    def _count_results(self) -> None:
        for desk in self._desks:
            self.opponents.results += desk.results
            desk.results[:] = 0.0

    # --- what has to be kept to go on exactly here ---

    def state(self) -> dict[str, Array]:
        b = self.batch
        return {
            "games": b.games.view(np.uint8), "seeds": b.seeds, "episodes": b.episodes, "words": b.words,
            "rewards": b.rewards, "done": b.done, "logs": b.logs, "actor": b.actor, "random": self.random,
            "control": self.control, "returns": self.returns,
        }  # fmt: skip

    def restore(self, state: dict[str, Array]) -> None:
        for name, mine in self.state().items():
            mine[...] = state[name]


# --- rows that were played ahead, in a checkpoint --------------------------------------------------------------------


def pack(rows: Rows) -> dict[str, Array]:
    """Lists of features only as long as the longest of them, and zero beyond their ends."""
    length = np.arange(rows.counts.max(initial=0))
    within = length < rows.counts[:, None]
    return rows._asdict() | {"indices": np.where(within, rows.indices[:, : len(length)], np.int16(0))}


def unpack(packed: dict[str, Array], rows: Rows) -> None:
    for name, array in rows._asdict().items():
        place = array[:, : packed[name].shape[1]] if name == "indices" else array
        place[...] = packed[name]
