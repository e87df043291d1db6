"""Deals between agents, played side by side with everything counted (tally.py)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from agents.base import ManyGames
from agents.registry import AgentError, make_agent
from casino_env import batch
from casino_env.actions import ACTIONS, action_text
from casino_env.observed import Observed
from casino_env.rules import Rules
from casino_env.state import GAME, OVER, rules_record
from casino_env.view import PERFECT
from evaluate.tally import WIDTH, begin_watched, step_watched

Array = np.ndarray[Any, Any]

_AT_ONCE = 512  # deals in a batch; the same on every machine, so that results are


def watched(rules: Rules, agent: str, against: str | None, deals: int, seed: int) -> Iterator[tuple[Array, Array]]:
    """(counts by deal, seat and column, which seats are the agent's) for some deals at a time.

    The agent plays all seats, or one side against another agent, each side in turn.
    """
    specs = [agent] if against is None else [agent, against]
    many = all(isinstance(make_agent(spec), ManyGames) for spec in specs)
    size = _AT_ONCE if many else 1
    for first in range(0, deals, size):
        numbers = np.arange(first, min(first + size, deals))
        mine = np.ones((len(numbers), rules.players), np.bool_)
        if against is not None:
            sides = np.array([rules.side(seat) for seat in range(rules.players)])
            mine = sides[None, :] == (numbers % rules.sides)[:, None]
        table = _Table(rules, specs, mine, seed, first)
        yield table.play([seed + int(number) for number in numbers]), mine


class _Table:
    """A batch of deals and those who play it; with an agent that has no form for many games, a single deal."""

    def __init__(self, rules: Rules, specs: list[str], mine: Array, seed: int, first: int) -> None:
        self.rules, self.specs = rules, specs
        self.roles = np.where(mine, 0, 1)
        self._record = rules_record(rules)
        n = len(mine)
        self.games = np.zeros(n, GAME)
        self.words, self.actor = np.zeros((n, 4), np.int64), np.zeros(n, np.int64)
        self.counts = np.zeros((n, rules.players, WIDTH), np.int16)
        self._scratch = self.words, self.actor, np.zeros(1, GAME), self.counts, np.zeros((n, 1), np.int64)
        self._players = [self._player(spec, role, seed, first) for role, spec in enumerate(specs)]

    def _player(self, spec: str, role: int, seed: int, first: int) -> Any:
        """One agent for all games, or one for each seat."""
        seats = range(1 if self._alone(make_agent(spec)) else self.rules.players)
        made = []
        for seat in seats:
            made.append(make_agent(spec))
            made[-1].reset(seat, np.random.default_rng([seed, first, role, seat]))
        return made

    @staticmethod
    def _alone(agent: Any) -> bool:
        return isinstance(agent, ManyGames)

    def play(self, seeds: list[int]) -> Array:
        begin_watched(self.games, self._record, np.array(seeds, np.uint64), *self._scratch)
        waiting = int((self.games["mode"] != OVER).sum())
        while waiting:
            waiting = step_watched(self.games, self._record, self._decisions(), *self._scratch)
        return self.counts

    def _decisions(self) -> Array:
        """An action for each game, WAIT where the deal is over."""
        views = np.empty(len(self.games), GAME)
        batch.look_all(self.games, self._record, self.actor, PERFECT, views)
        deciding = self.roles[np.arange(len(self.games)), self.actor]
        actions = np.full(len(self.games), batch.WAIT)
        for role, spec in enumerate(self.specs):
            which = np.flatnonzero((deciding == role) & (self.games["mode"] != OVER))
            if len(which):
                actions[which] = self._ask(role, spec, views[which], self.actor[which], self.words[which])
        wrong = int(batch.first_illegal(self.words, actions))
        if wrong >= 0:
            spec, action = self.specs[deciding[wrong]], int(actions[wrong])
            name = action_text(action) if 0 <= action < ACTIONS else f"action {action}"
            raise AgentError(f"{spec}: plays {name}, which is illegal, on seat {self.actor[wrong]}")
        return actions

    def _ask(self, role: int, spec: str, views: Array, seats: Array, words: Array) -> Array:
        players = self._players[role]
        if len(players) == 1 and self._alone(players[0]):
            chosen = players[0].act_many(self.rules, views, seats, words)
        else:
            mask = np.zeros((1, ACTIONS), np.int8)
            batch.unpack(words, mask, 0, 1)
            seat = int(seats[0])
            chosen = np.array([int(players[seat].act(Observed(self.rules, seat, views, mask[0])))])
        return np.asarray(chosen, np.int64)
