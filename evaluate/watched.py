"""Deals between agents, played side by side with everything counted (kernels/tally.py)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from agents.registry import make_agent
from casino_env.actions import ACTIONS
from casino_env.engine.state import GAME, OVER, rules_record
from casino_env.envs import batch
from casino_env.knowledge.view import PERFECT
from casino_env.observed import Observed
from evaluate.matches.books import Book
from evaluate.matches.duplicate import A, B, Table, seatings
from evaluate.tally import WIDTH, begin_watched, step_watched

Array = np.ndarray[Any, Any]

_AT_ONCE = 512  # deals in a batch; the same on every machine, so that results are


def watched(book: Book, agent: str, against: str | None) -> Iterator[tuple[Array, Array]]:
    """(counts by deal, seat and column, which seats are the agent's) for some deals at a time.

    The agent plays all seats, or one side against another agent, each side in turn.
    """
    names, rules = (agent, against or agent), book.rules
    table = Table(rules, names, (make_agent(names[A]), make_agent(names[B])), seatings(rules), book.seed)
    size = _AT_ONCE if table.batched() else 1
    for first in range(0, len(book), size):
        seeds = np.array(book.seeds[first : first + size], np.uint64)
        numbers = np.arange(first, first + len(seeds))
        roles = table.seatings[numbers % len(table.seatings)] if against else np.full((len(seeds), rules.players), A)
        yield _Watched(table, roles, seeds).play(), roles == A


class _Watched:
    """A batch of deals and those who play it; a single deal where an agent has no form for many games."""

    def __init__(self, table: Table, roles: Array, seeds: Array) -> None:
        self.table, self.roles, self.seeds = table, roles, seeds
        self._record = rules_record(table.rules)
        n = len(seeds)
        self.games = np.zeros(n, GAME)
        self.words, self.actor = np.zeros((n, 4), np.int64), np.zeros(n, np.int64)
        self.counts = np.zeros((n, table.rules.players, WIDTH), np.int16)
        self._scratch = self.words, self.actor, np.zeros(1, GAME), self.counts, np.zeros((n, 1), np.int64)

    def play(self) -> Array:
        self._reset()
        begin_watched(self.games, self._record, self.seeds, *self._scratch)
        waiting = int((self.games["mode"] != OVER).sum())
        while waiting:
            waiting = int(step_watched(self.games, self._record, self._decisions(), *self._scratch))
        return self.counts

    def _reset(self) -> None:
        """Those that decide in many games are one agent for all seats, others one for each."""
        for role in (A, B):
            for seat in [0] if self.table.batched() else np.flatnonzero(self.roles[0] == role):
                with self.table.blamed(role):
                    rng = np.random.default_rng([self.table.seed, int(self.seeds[0]), role, int(seat)])
                    self._player(role, int(seat)).reset(int(seat), rng)

    def _player(self, role: int, seat: int) -> Any:
        return self.table.agents[role] if self.table.batched() else self.table.seated(role, seat)

    def _decisions(self) -> Array:
        """An action for each game, WAIT where the deal is over."""
        views = np.empty(len(self.games), GAME)
        batch.look_all(self.games, self._record, self.actor, PERFECT, views)
        deciding = self.roles[np.arange(len(self.games)), self.actor]
        actions = np.full(len(self.games), batch.WAIT)
        for role in (A, B):
            which = np.flatnonzero((deciding == role) & (self.games["mode"] != OVER))
            if len(which) and self.table.batched():
                where = views[which], self.actor[which], self.words[which], self.seeds[which]
                actions[which] = self.table.decide_many(role, *where)
            elif len(which):
                actions[0] = self._decision(role, views)
        return actions

    def _decision(self, role: int, views: Array) -> int:
        """Of an agent in the only game."""
        mask, seat = np.zeros((1, ACTIONS), np.int8), int(self.actor[0])
        batch.unpack(self.words, mask, 0, 1)
        with self.table.blamed(role):
            action = int(self._player(role, seat).act(Observed(self.table.rules, seat, views, mask[0])))
        if not 0 <= action < ACTIONS or not mask[0, action]:
            raise self.table.illegal(role, action, seat, int(self.seeds[0]))
        return action
