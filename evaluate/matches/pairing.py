"""Two agents in their seats: call the right one, check its answer, and attribute errors to it."""

from __future__ import annotations

import copy
import multiprocessing
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from casino_env.actions import ACTIONS, action_text
from casino_env.agents.base import ForfeitError, ManyGames, Watcher
from casino_env.agents.registry import AgentError, check_methods, make_agent
from casino_env.arrays import Array
from casino_env.envs import batch
from casino_env.envs.options import generator
from casino_env.evaluate.matches.luck import Luck
from casino_env.game import Game, action_number
from casino_env.observed import Observed, observe
from casino_env.rules import Rules

A, B = 0, 1


class AgentFailedError(Exception):
    """An agent broke the contract; the message says in one line which, how and where."""

    def __init__(self, agent: str, problem: str) -> None:
        super().__init__(agent, problem)
        self.agent, self.problem = agent, problem

    def __str__(self) -> str:
        return f"{self.agent}: {self.problem}"


@contextmanager
def blamed(name: str) -> Iterator[None]:
    """Turn any error of the body, even SystemExit, into a failure of the agent of this name. Only Ctrl-C passes, which
    reaches the main thread of the first process."""
    try:
        yield
    except ForfeitError:  # allowed by the contract
        raise
    except BaseException as error:
        users = threading.current_thread() is threading.main_thread() and multiprocessing.parent_process() is None
        if isinstance(error, KeyboardInterrupt) and users:
            raise
        kind = "" if isinstance(error, AgentError) else type(error).__name__  # AgentError explains itself
        raise AgentFailedError(name, ": ".join(filter(None, (kind, _said(error))))) from error


def _said(error: BaseException) -> str:
    try:
        return " ".join(str(error).split())
    except Exception:  # noqa: BLE001 - str() of an agent's error may fail as well
        return ""


@dataclass(frozen=True)
class Entrant:
    """An agent and its name; it is made once for all its matches."""

    name: str
    agent: Any
    by_name: bool  # other processes can make it from its name

    @property
    def digest(self) -> str | None:
        """The digest of its weights and play settings, if it has one."""
        found = getattr(self.agent, "digest", None)
        return found if isinstance(found, str) else None

    def twin(self) -> Entrant:
        """Return a copy. If the agent cannot be copied (it may hold a file or a session), make it from its name."""
        try:
            agent = copy.deepcopy(self.agent)
        except Exception as error:  # noqa: BLE001 - agents come from anywhere and may raise anything
            try:
                agent = make_agent(self.name)
            except AgentError:
                problem = f"cannot be copied for another seat ({error}); write __deepcopy__"
                raise AgentFailedError(self.name, problem) from None
        return Entrant(self.name, agent, self.by_name)


def entrant(agent: Any) -> Entrant:
    """Return the entrant of a spec, or of an object with reset and act; raises AgentError."""
    if isinstance(agent, Entrant):
        return agent
    if isinstance(agent, str):
        return Entrant(agent, make_agent(agent), by_name=True)
    name = str(getattr(agent, "name", type(agent).__name__))
    if not hasattr(agent, "act_many"):
        check_methods(agent, name)
    return Entrant(name, agent, by_name=False)


@dataclass
class Pairing:
    """Two agents and the settings of their games. asked(A or B) is called before every call of an agent
    or the judge."""

    rules: Rules
    agents: tuple[Entrant, Entrant]
    seatings: Array  # [row, seat]: A or B
    seed: int = 0
    judge: str = ""  # judge of luck (luck.py); "": none
    asked: Callable[[int], None] = lambda _: None
    _copies: dict[tuple[int, int], Any] = field(default_factory=dict)

    @classmethod
    def of(cls, rules: Rules, agents: tuple[Any, Any], seatings: Array, seed: int = 0, judge: str = "") -> Pairing:
        """Make a pairing from specs, objects or entrants."""
        return cls(rules, (entrant(agents[A]), entrant(agents[B])), seatings, seed, judge)

    @cached_property
    def luck(self) -> Luck:
        """The luck by the judge, made once because it loads weights. Each thread has its own pairing."""
        return Luck(self.rules, self.judge)

    def batched(self) -> bool:
        return all(isinstance(each.agent, ManyGames) for each in self.agents)

    # --- in one game ---

    def seated(self, seating: Array, deal: int) -> list[Any]:
        """Return the agent of each seat, reset for the beginning of a deal."""
        players = [self._copy(int(who), seat) for seat, who in enumerate(seating)]
        for seat, player in enumerate(players):
            with self.blamed(int(seating[seat])):
                player.reset(seat, generator(self.seed, deal, seat))
        return players

    def _copy(self, who: int, seat: int) -> Any:
        """Return the agent's own copy for this seat: agents may remember what they saw there."""
        if (who, seat) not in self._copies:
            self._copies[who, seat] = self.agents[who].twin().agent
        return self._copies[who, seat]

    def let_watch(self, players: list[Any], seating: Array, game: Game) -> None:
        """Show the game to the agents of the other seats that watch."""
        for seat, player in enumerate(players):
            if seat != game.seat and isinstance(player, Watcher):
                with self.blamed(int(seating[seat])):
                    player.watch(observe(game, seat))

    def decision(self, who: int, player: Any, seen: Observed, deal: int) -> int:
        """Ask the agent of a seat for an action; raise AgentFailedError if it is illegal."""
        legal = seen.mask.copy()  # the agent may write to what it is shown
        with self.blamed(who):
            action = action_number(player.act(seen))
        if not 0 <= action < ACTIONS or not legal[action]:
            raise self._illegal(who, action, seen.seat, deal)
        return action

    # --- in many games ---

    def decisions(self, who: int, views: Array, seats: Array, legal: Array, deals: Array) -> Array:
        """Ask an agent for its actions in many games; raise AgentFailedError if one is illegal."""
        shown = views, seats.copy(), legal.copy()  # the agent may write to them
        with self.blamed(who):
            actions: Array = np.asarray(self.agents[who].agent.act_many(self.rules, *shown))
            if actions.shape != seats.shape or actions.dtype.kind not in "iu":
                raise ValueError(f"act_many returned {actions.shape} of {actions.dtype} for {len(seats)} games")
            actions = actions.astype(np.int64)
        wrong = batch.first_illegal(legal, actions)
        if wrong < 0 and (actions == batch.WAIT).any():
            wrong = int(np.argmax(actions == batch.WAIT))
        if wrong >= 0:
            raise self._illegal(who, int(actions[wrong]), int(seats[wrong]), int(deals[wrong]))
        return actions

    # --- blame ---

    @contextmanager
    def blamed(self, who: int) -> Iterator[None]:
        """Attribute any error of the body to the agent."""
        self.asked(who)
        with blamed(self.agents[who].name):
            yield

    def _illegal(self, who: int, action: int, seat: int, deal: int) -> AgentFailedError:
        name = repr(action_text(action)) if 0 <= action < ACTIONS else str(action)
        return AgentFailedError(self.agents[who].name, f"illegal action {name} by seat {seat}, deal {deal}")
