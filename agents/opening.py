"""The settings of an agent or the judge, for every language; and workspaces in which Python calls opened.py."""

from __future__ import annotations

import time as clock
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import Any, NamedTuple, cast, get_type_hints

import numpy as np

from casino_env.actions import ACTIONS
from casino_env.agents.base import Analysis
from casino_env.agents.deciding import Workspace
from casino_env.agents.opened import (
    _BAD_POSITION,
    _IMPOSSIBLE,
    _SOLVING,
    AGENT,
    DEALT,
    ERRORS,
    KINDS,
    About,
    Agent,
    answer,
    begin,
    go_on,
    play_dealt,
    reset,
    watch,
)
from casino_env.agents.policy.judging import Judge
from casino_env.agents.policy.lookahead import DEEP_LEVELS, LEVELS, MOST_TURNS, PlaySettings
from casino_env.agents.policy.policy_agent import Policy
from casino_env.agents.scripted.bots import Bot, BotRows
from casino_env.agents.search.ismcts import _BATCH as _TREE_GAMES
from casino_env.agents.search.measuring import BATCH, TRIED
from casino_env.agents.search.rollouts import make_rollout_policy, sizes_of, with_bot
from casino_env.agents.search.turn_search import _BATCH, _MOST_WEIGHTED, _RUNNERS
from casino_env.agents.solver import alpha_beta
from casino_env.agents.solver.solver import _AT_ONCE, SOLVER_MB, entries_in
from casino_env.agents.workspaces import Recent, Turnstile, one_at_a_time
from casino_env.arrays import Array
from casino_env.compiler.library import pin
from casino_env.compiler.types import Elements, allocate, kind_of
from casino_env.engine.state import GAME, RulesRow, rules_record
from casino_env.game import Game
from casino_env.knowledge.layout import MATCH, UNIVERSAL
from casino_env.observed import NoDeterminizationError, Observed, observe
from casino_env.rules import Rules

_RACE = {"racers": _RUNNERS, "games": _BATCH, "weighted": _MOST_WEIGHTED}
_BOARD = {"racers": TRIED, "games": BATCH, "weighted": 0}
_NONE = {"racers": 1, "games": 1, "weighted": 0}
_LEAST = dict.fromkeys(DEEP_LEVELS, 1)
_ENDING = {"levels": alpha_beta.LEVELS, "entries": entries_in(SOLVER_MB)}


def sizes_of_kind(kind: str) -> dict[str, dict[str, int]]:
    """Sizes of the workspaces of a kind, by field of Agent."""
    levels = {"policy": LEVELS | {"turns": MOST_TURNS}, "turns": DEEP_LEVELS, "judge": DEEP_LEVELS}.get(kind, _LEAST)
    return {
        "tree": {"games": _TREE_GAMES if kind == "tree" else 1},
        "thinking": levels | (_RACE if kind == "turns" else _NONE),
        "ending": _ENDING,
        "board": _BOARD if kind == "judge" else _NONE,
    }


# --- settings of an agent --------------------------------------------------------------------------------------------


class Opening(NamedTuple):
    """The settings of an agent, independent of the game."""

    kind: str
    who: Bot | Policy  # decides, or plays the rollouts of a search
    settings: dict[str, Any]  # fields of AGENT
    limits: list[tuple[int, int, int, float]]  # of endings (solver.ending_limits)


class Given(NamedTuple):
    """The settings of an agent in one game: the first fields of About."""

    state: Array
    rules: RulesRow
    bots: BotRows
    judge: Judge
    play: PlaySettings


def given_of(opening: Opening, rules: Rules) -> Given:
    who, state = opening.who, np.zeros(1, AGENT)
    policy = make_rollout_policy(who, rules)
    mover = (with_bot(policy, rules) if opening.kind == "turns" else policy).mover
    known: dict[str, Any] = {name: getattr(policy.player, name) for name in ("memory", "temperature", "tried")}
    known |= {"kind": KINDS.index(opening.kind), "limits": len(opening.limits), "at_once": _AT_ONCE}
    if isinstance(who, Policy):
        layout = who.layout_for_kernels(rules)
        known["layout"] = UNIVERSAL * layout.universal | MATCH * layout.match
    for name, value in (known | opening.settings).items():
        state[name] = value
    for k, row in enumerate(opening.limits):
        for name, value in zip(("in_hand", "in_all", "positions", "until"), row, strict=True):
            state[name][0, k] = value
    play = who.play if isinstance(who, Policy) else PlaySettings()
    return Given(state, rules_record(rules), np.concatenate([policy.player.bot, mover.bot]), policy.player.judge, play)


# --- for Python ------------------------------------------------------------------------------------------------------


class InGame:
    """An agent in one game: its workspace, also in the form that kernels take (pinned)."""

    def __init__(self, opening: Opening, rules: Rules, threads: int = 1) -> None:
        sizes, own = sizes_of(opening.who, rules), sizes_of_kind(opening.kind)
        kinds = {name: kind_of(hint) for name, hint in get_type_hints(About, include_extras=True).items()}
        blank: dict[str, Any] = {
            name: np.zeros(cast("Any", kind.sizes), kind.dtype)
            for name, kind in kinds.items()
            if isinstance(kind, Elements) and kind.sizes
        }
        blank["proof"] = np.zeros(0, GAME)  # views of games need no proof
        about = About(**given_of(opening, rules)._asdict(), **blank)
        parts = {name: part for name, part in get_type_hints(Agent).items() if name != "about"}
        rest = {name: allocate(part, **(sizes | own.get(name, {}))) for name, part in parts.items()}
        self.entrance, self.agent, self.state = Turnstile(), Agent(about, **rest), about.state[0]
        self.pinned = [pin(part) for part in self.agent]
        self._decides, self._resets = self.pinned[:5], self.pinned[:3]
        self._players = [self._player(sizes) for _ in range(threads)] if threads > 1 else []
        self.state["apart"] = len(self._players)

    def _player(self, sizes: dict[str, int]) -> list[Any]:
        """The arguments of play_dealt for a thread, which has its own workspace and prior."""
        about = self.agent.about._replace(prior=np.zeros(ACTIONS))
        return [pin(about), pin(self.agent.thinking), pin(allocate(Workspace, **sizes)), pin(self.agent.tree)]

    def show(self, observed: Observed) -> None:
        self.agent.about.seen[0], self.agent.about.seats[0] = observed.view[0], observed.seat

    def watch(self, observed: Observed) -> None:
        self.show(observed)
        watch(*self._resets)

    def forget(self) -> None:
        """Begin another game."""
        reset(np.uint64(0), *self._resets)

    def decide(self, observed: Observed, began: float, seed: int, by_solver: bool = False) -> Analysis | None:
        """Decide. by_solver: return None unless the exact solver finds the answer."""
        self.show(observed)
        self.state["seed"] = seed  # set here, because reset would derive another one from it
        found = begin(*self._decides)
        many = len(self._players)
        with ThreadPoolExecutor(many) if many else nullcontext() as pool:
            while found > 0 and not (by_solver and self.state["stage"] != _SOLVING):
                found = go_on(clock.monotonic() - began, *self._decides)
                if found == DEALT and pool:
                    jobs = [pool.submit(play_dealt, part, many, *each) for part, each in enumerate(self._players)]
                    for job in jobs:
                        job.result()
        if found > 0:
            return None
        if found < 0 or (found := answer(*self._decides)) < 0:
            raise error_of(found, observed.seat)
        if not observed.mask[found]:
            raise ValueError(f"seat {observed.seat} has a mask of illegal actions only")
        return self._analysis()

    def _analysis(self) -> Analysis:
        about, state = self.agent.about, self.state
        values = {int(action): float(about.values[action]) for action in np.flatnonzero(~np.isnan(about.values))}
        value = float(state["value"]) if state["valued"] else None
        return Analysis(int(state["action"]), about.chances[0].copy(), value, values)


class Opened:
    """An agent on one seat, with workspaces for the games that it played last; threads take turns."""

    def __init__(self, opening: Opening, threads: int = 1) -> None:
        """threads: number of threads for play-outs."""
        self.opening, self._threads, self._seed = opening, threads, 0
        self.entrance, self._games = Turnstile(), Recent[Rules, InGame]()

    def __getstate__(self) -> dict[str, Any]:
        """A copy makes its own workspaces."""
        return {**self.__dict__, "_games": Recent()}

    def in_game(self, rules: Rules) -> InGame:
        return self._games.find(rules, lambda: InGame(self.opening, rules, self._threads))

    @one_at_a_time
    def load(self, rules: Rules) -> None:
        """Load the kernels and make a workspace by one minimal decision, so that the first real one is not slow."""
        state, seen = self.in_game(rules).state, observe(Game(rules, seed=0))
        sims, state["sims"] = int(state["sims"]), 1
        self.analyse(seen)
        state["sims"] = sims
        self.in_game(rules).forget()

    @one_at_a_time
    def reset(self, seed: int) -> None:
        self._seed = seed
        for game in self._games.values():
            game.forget()

    @one_at_a_time
    def watch(self, observed: Observed) -> None:
        self.in_game(observed.rules).watch(observed)

    @one_at_a_time
    def analyse(self, observed: Observed) -> Analysis:
        began = clock.monotonic()
        if not observed.mask.any():
            raise ValueError(f"seat {observed.seat} has nothing to decide")
        found = self.in_game(observed.rules).decide(observed, began, self._seed)
        assert found is not None
        return found

    @one_at_a_time
    def ending(self, observed: Observed) -> Analysis | None:
        """The exact solver's analysis; None if cards are hidden, if the solver does not finish in time, or if the seat
        does not decide."""
        if observed.hidden or not observed.mask.any():
            return None
        return self.in_game(observed.rules).decide(observed, clock.monotonic(), 0, by_solver=True)


def error_of(found: int, seat: int) -> ValueError:
    """The exception for an error of a kernel in opened.py."""
    if found in (_BAD_POSITION, _IMPOSSIBLE):
        return NoDeterminizationError(f"no game is consistent with what seat {seat} knows")
    return ValueError(f"seat {seat}: {list(ERRORS.values())[-1 - found]}")
