"""Duplicate play: each deal is played with the two agents in each other's seats, so that luck cancels out.

Everything that an agent draws comes from the seed, the deal and its seat, never from who it is or which thread plays
it: an agent against itself plays the same game in every seating, and the differences of the deal add up to zero.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from agents.base import ManyGames
from agents.registry import AgentError, make_agent
from casino_env.actions import ACTIONS, action_text
from casino_env.envs import batch
from casino_env.envs.vector import Batch, Options
from casino_env.game import Game
from casino_env.observed import observe
from casino_env.rules import Rules
from evaluate.matches.timing import TooSlowError

Array = np.ndarray[Any, Any]

A, B = 0, 1


class AgentFailedError(Exception):
    """An agent broke the contract: one line says which one, how and where."""

    def __init__(self, agent: str, problem: str) -> None:
        super().__init__(agent, problem)
        self.agent, self.problem = agent, problem

    def __str__(self) -> str:
        return f"{self.agent}: {self.problem}"


def seatings(rules: Rules, mirrored: bool = False) -> Array:
    """Who sits where, a row for each game of a deal: A (0) or B (1) by seat.

    Two sides: both ways. More singles: a in each seat, b in all the others; mirrored adds the same with a and b
    exchanged, so that what a gains is what b loses.
    """
    sides = np.eye(rules.sides, dtype=np.int64)
    rows = np.array([[1 - row[rules.side(seat)] for seat in range(rules.players)] for row in sides])
    return np.concatenate([rows, 1 - rows]) if mirrored and rules.sides > 2 else rows


def twin(agent: Any, name: str) -> Any:
    """Another one. What cannot be copied (it may hold a file or a session) is made again from its spec."""
    try:
        return copy.deepcopy(agent)
    except Exception as error:  # noqa: BLE001 - agents come from anywhere and may raise anything
        try:
            return make_agent(name)
        except AgentError:
            raise AgentFailedError(name, f"no copy for another seat ({error}); write __deepcopy__") from None


# --- playing --------------------------------------------------------------------------------------------------------


@dataclass
class Table:
    """Two agents and what their games have in common. guard(A or B) surrounds every call of an agent."""

    rules: Rules
    names: tuple[str, str]
    agents: tuple[Any, Any]
    seatings: Array
    seed: int = 0
    guard: Callable[[int], AbstractContextManager[Any]] = lambda _: nullcontext()
    _copies: dict[tuple[int, int], Any] = field(default_factory=dict)

    def with_agents(self, agents: tuple[Any, Any]) -> Table:
        return replace(self, agents=agents, _copies={})

    def batched(self) -> bool:
        return all(isinstance(agent, ManyGames) for agent in self.agents)

    def play(self, seeds: list[int]) -> Array:
        """Points by deal, game and seat."""
        if self.batched():
            return play_batch(self, seeds)
        return np.array([[self._play_one(seating, seed) for seating in self.seatings] for seed in seeds])

    def _play_one(self, seating: Array, seed: int) -> list[int]:
        seats = self.seat_all(seating, seed)
        game = Game(self.rules, seed=seed)
        while not game.over:
            who = int(seating[game.seat])
            with self.blamed(who):
                action = int(seats[game.seat].act(observe(game)))
            if action not in game.legal():
                raise self.illegal(who, action, game.seat, seed)
            game.apply(action)
        return [int(points) for points in game.scores()]

    def decide_many(self, who: int, views: Array, seats: Array, words: Array, seeds: Array) -> Array:
        """The legal actions of an agent in many games, in all of which it decides."""
        with self.blamed(who):
            actions: Array = np.asarray(self.agents[who].act_many(self.rules, views, seats, words)).astype(np.int64)
            if actions.shape != seats.shape:
                raise ValueError(f"act_many returned {actions.shape} for {len(seats)} games")
        wrong = batch.first_illegal(words, actions)
        if wrong < 0 and (actions == batch.WAIT).any():
            wrong = int(np.argmax(actions == batch.WAIT))
        if wrong >= 0:
            raise self.illegal(who, int(actions[wrong]), int(seats[wrong]), int(seeds[wrong]))
        return actions

    def illegal(self, who: int, action: int, seat: int, deal: int) -> AgentFailedError:
        name = repr(action_text(action)) if 0 <= action < ACTIONS else str(action)
        return AgentFailedError(self.names[who], f"illegal action {name} by seat {seat}, deal {deal}")

    def seat_all(self, seating: Array, seed: int) -> list[Any]:
        """Who plays on each seat, at the beginning of a deal."""
        seats = [self.seated(int(who), seat) for seat, who in enumerate(seating)]
        for seat, agent in enumerate(seats):
            with self.blamed(int(seating[seat])):
                agent.reset(seat, np.random.default_rng([self.seed, seed, seat]))
        return seats

    def seated(self, who: int, seat: int) -> Any:
        """An object of its own for every seat: agents may remember what they saw there."""
        if (who, seat) not in self._copies:
            self._copies[who, seat] = twin(self.agents[who], self.names[who])
        return self._copies[who, seat]

    @contextmanager
    def blamed(self, who: int) -> Iterator[None]:
        """Whatever goes wrong inside is the failure of the agent."""
        try:
            with self.guard(who):
                yield
        except Exception as error:  # agents come from anywhere and may raise anything
            text = " ".join(str(error).split())
            kind = "" if isinstance(error, TooSlowError) else type(error).__name__
            raise AgentFailedError(self.names[who], ": ".join(filter(None, (kind, text)))) from error


def play_batch(table: Table, seeds: list[int]) -> Array:
    """All games of some deals side by side. Points by deal, game and seat.

    The agents are asked seating by seating and seat by seat, each time with a fresh generator that depends on the
    seat and the step alone: this is what makes games of equal agents equal.
    """
    rules, rows = table.rules, len(table.seatings)
    games = Batch(rules, rows * len(seeds), Options(), redeal=False)
    games.reset(list(seeds) * rows)
    seating = np.repeat(np.arange(rows), len(seeds))
    step = 0
    while (waiting := games.words.any(axis=1)).any():
        actions = np.full(len(games.words), batch.WAIT)
        views, place = games.views(), np.where(waiting, seating * rules.players + games.actor, -1)
        for number, who in enumerate(table.seatings.flat):
            asked = np.flatnonzero(place == number)
            if asked.size:
                rng = np.random.default_rng([table.seed, seeds[0], number % rules.players, step])
                actions[asked] = _ask_many(table, int(who), views.take(asked), games, asked, rng)
        games.act(actions)
        step += 1
    sides = [rules.side(seat) for seat in range(rules.players)]
    points = games.games["deal_points"][:, sides].astype(np.int64)
    return np.asarray(points.reshape(rows, len(seeds), rules.players).swapaxes(0, 1))


def _ask_many(table: Table, who: int, views: Array, games: Batch, asked: Array, rng: np.random.Generator) -> Array:
    seats, words = games.actor[asked], games.words[asked]
    with table.blamed(who):
        table.agents[who].reset(int(seats[0]), rng)
    return table.decide_many(who, views, seats, words, games.seeds[asked])


# --- results --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Deals:
    """What each deal came to, for a: the mean of its games."""

    diff: Array  # points more than b (the means of their seats)
    win: Array  # share of the games won, a draw being half of one
    draw: Array  # share of the games drawn

    def __len__(self) -> int:
        return len(self.diff)

    def first(self, count: int) -> Deals:
        return Deals(self.diff[:count], self.win[:count], self.draw[:count])


def game_differences(points: Array, seatings: Array) -> Array:
    """By deal and game: mean points of a's seats less mean points of b's."""
    of_a = (seatings == A).sum(axis=1)
    of_b = (seatings == B).sum(axis=1)
    return np.asarray(_weighted(points, seatings) / (of_a * of_b))


def _weighted(points: Array, seatings: Array) -> Array:
    """The same times the number of seats of both: whole numbers, whose sums are exact."""
    is_a = (seatings == A)[None]
    of_a, of_b = (seatings == A).sum(axis=1), (seatings == B).sum(axis=1)
    return np.asarray((points * is_a).sum(axis=2) * of_b - (points * ~is_a).sum(axis=2) * of_a)


def summed_up(points: Array, seatings: Array) -> Deals:
    games = len(seatings)
    seats = (seatings[0] == A).sum() * (seatings[0] == B).sum()  # the same product in every row
    is_a = np.broadcast_to(seatings == A, points.shape)
    best_a = np.where(is_a, points, -(1 << 30)).max(axis=2)
    best_b = np.where(is_a, -(1 << 30), points).max(axis=2)
    won, drawn = (best_a > best_b).sum(axis=1), (best_a == best_b).sum(axis=1)
    diff = _weighted(points, seatings).sum(axis=1) / (seats * games)
    return Deals(diff, (won + drawn / 2) / games, drawn / games)
