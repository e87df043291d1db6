"""Collects the tables that the learner leaves in one kind of game: a deal in each of many games at a time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from casino_env.agents.policy.judging import Judge, new_judged
from casino_env.agents.policy.mlp import Shape
from casino_env.agents.scripted.choosing import new_bot_workspace
from casino_env.engine.state import GAME, rules_record
from casino_env.knowledge.layout import Layout
from casino_env.knowledge.view import MEMORIES
from casino_env.rules import Rules
from casino_env.train.games.buffer import packed, unpack
from casino_env.train.games.pool import OpponentPool
from casino_env.train.games.restoring import put
from casino_env.train.games.selfplay import LEARNER, Seats
from casino_env.train.games.turns import TURNS, Deals, Player, TurnBuffer, TurnWork, new_turn_buffer, play_turns
from casino_env.train.processes.peers import Peers
from casino_env.train.settings import Config

Array = np.ndarray[Any, Any]


class TurnCollector:
    """Deals are played into one buffer while the other is learnt from."""

    def __init__(
        self, config: Config, rules: Rules, layout: Layout, shape: Shape, opponents: OpponentPool, unit: float,
        seed: int, peers: Peers,
    ) -> None:  # fmt: skip
        own, machine = config.afterstates, config.machine
        first, count = peers.rank * own.deals, own.deals
        self.rules, self.opponents = rules, opponents
        self._layout, self._shape, self._unit, self._td_lambda = layout, shape, unit, own.td_lambda
        self._memory = MEMORIES.index(config.game.memory)
        record = rules_record(rules)
        seeds = np.arange(count, dtype=np.uint64) + np.uint64(seed + first)
        self.deals = Deals(np.zeros(count, GAME), record, seeds, np.zeros(count, np.int64))
        streams = np.random.default_rng(seed).integers(2**63, size=(first + count, 1))[first:].astype(np.uint64)
        self.seats = Seats(np.zeros((count, rules.players), np.int64), streams)
        # Playing takes two or three times as long as learning: all cores play, and one of them learns beside it.
        self.work = [
            TurnWork(new_bot_workspace(), new_judged(record, shape, layout.most)) for _ in range(machine.threads)
        ]
        self._threads = ThreadPoolExecutor(machine.threads)
        self.buffer, self._next = (new_turn_buffer(count, layout.most, rules.sides) for _ in range(2))

    def player(self, theta: Array, temperature: float) -> Player:
        """The learner with these weights. temperature: of the choice among turns, in points."""
        judge = Judge(self._layout.record, theta, self._shape.record, self._unit)
        return Player(judge, self._memory, temperature / self._unit, self._td_lambda)

    def play(self, theta: Array, temperature: float) -> None:
        player, mix = self.player(theta, temperature), self.opponents.mix(self.rules)
        edges = [len(self.deals.records) * k // len(self.work) for k in range(len(self.work) + 1)]
        jobs = [
            self._threads.submit(play_turns, self.deals, self.seats, mix, player, work, self._next, lo, hi)
            for work, lo, hi in zip(self.work, edges[:-1], edges[1:], strict=True)
        ]
        for job in jobs:
            job.result()

    def seat_all(self) -> None:
        """Who plays is drawn for every deal anew."""

    def take(self) -> TurnBuffer:
        """What was played last; it stays until the next call."""
        self.buffer, self._next = self._next, self.buffer
        return self.buffer

    # --- what has to be kept to go on exactly here ---

    def state(self, *, ahead: bool) -> dict[str, Array]:
        """ahead: the deals that will be learnt from next have been played."""
        state = {f"deals.{name}": array for name, array in self._kept().items()}
        if ahead:
            state |= {f"buffer.{name}": array for name, array in packed(_without_rest(self._next)).items()}
        return state

    def restore(self, parts: dict[str, dict[str, Array]], *, ahead: bool) -> None:
        """ahead: as in state. Raises ValueError for what cannot be."""
        most = len(self.opponents.bots) + len(self.opponents.names)
        put(self._kept(), parts.get("deals", {}), {"control": (LEARNER, most), "episodes": (0, 2**62)})
        if ahead:
            bounds = {"seat": (0, self.rules.players - 1), "side": (0, self.rules.sides - 1), "used": (0, TURNS)}
            unpack(parts.get("buffer", {}), self._next._asdict(), self._layout.size, bounds)

    def _kept(self) -> dict[str, Array]:
        return {"episodes": self.deals.episodes, **self.seats._asdict()}


def filled(buffer: TurnBuffer) -> Array:
    """Which of the rows are of these deals; the others hold what earlier deals have left."""
    return np.arange(len(buffer.counts)) % TURNS < np.repeat(buffer.used, TURNS)


def _without_rest(buffer: TurnBuffer) -> dict[str, Array]:
    """With zeros where nothing is filled: a checkpoint depends on nothing but the run."""
    arrays, rest = buffer._asdict(), ~filled(buffer)
    for name in ("counts", "values", "targets", "seat", "side"):
        arrays[name] = arrays[name].copy()
        arrays[name][rest] = 0
    return arrays
