"""An agent's analysis of a position as data: action, probabilities, expected points, planned turn, and complete turns
with their probabilities."""

from __future__ import annotations

import math
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from casino_env.actions import ACTIONS, action_text
from casino_env.agents.base import Agent, analysis_of, check_agent, planned_turn
from casino_env.agents.registry import AGENTS, AgentError, make_agent
from casino_env.agents.search.search_settings import MOST_SECONDS, MOST_SIMS
from casino_env.engine.complete_turns import key_of_result
from casino_env.game import Game, action_number
from casino_env.observed import has_learnt, moment, observe
from casino_env.presets import PRESETS
from casino_env.rules import make_rules, player_counts
from casino_env.turns import TooManyTurnsError, results_of, turn_text, turn_texts
from casino_env.validate import float_in, int_in

Answer = tuple[int, float | None, dict[str, float]]


def answer(agent: Any, game: Game, seed: int = 0, memory: str = "perfect") -> Answer:
    """Ask the agent in place of the seat that decides: (action, expected points, text -> probability of each legal
    action)."""
    if game.over:
        raise ValueError("the deal is over, so there is no move")
    agent.reset(game.seat, np.random.default_rng(seed))
    seen = observe(game, memory=memory)
    found = analysis_of(agent, seen)
    action, value = action_number(found.action), None if found.value is None else float(found.value)
    shares = {each: float(found.chances[each]) for each in seen.legal()}
    if action not in shares:
        raise ValueError(f"the agent chose action {action}, which is illegal")
    if not all(map(math.isfinite, [*shares.values(), 0.0 if value is None else value])):
        raise ValueError("the agent returned numbers that are NaN or infinite")
    return action, value, {action_text(each): share for each, share in shares.items()}


@cache
def seconds_of(spec: str) -> float:
    """Seconds that an agent takes for a decision in mid-deal, in the first preset that it can play; measured once."""
    agent, games = make_agent(spec), (make_rules(name, players) for name in PRESETS for players in player_counts(name))
    for rules in games:
        with suppress(ValueError):
            check_agent(agent, rules)
            break
    game = Game(rules, seed=1)
    for _ in range(8):
        game.apply(game.legal()[0])
    answer(agent, game)  # load everything first
    began = time.perf_counter()
    answer(agent, game)
    return round(time.perf_counter() - began, 4)


def in_words(game: Game, action: int) -> str:
    """The text of an action with all forced actions after it; its plain name if that text is empty."""
    return turn_text(game.records, game.rules_record, with_forced(game, [action])) or action_text(action)


def plan(agent: Any, game: Game) -> tuple[list[int], str]:
    """The turn as far as the agent can plan it: actions and text."""
    turn = planned_turn(agent, game)
    return turn, turn_text(game.records, game.rules_record, with_forced(game, turn))


def with_forced(game: Game, actions: list[int]) -> list[int]:
    """The turn with the forced actions in between, up to its last own action. It ends where the seat sees a new card,
    on which later actions may depend."""
    ahead = game.clone()
    begun = len(ahead.log)
    for action in actions:
        ahead.apply(action)
    seat, log = game.seat, ahead.log[begun:]
    later = [number for number, (other, _, first) in enumerate(log) if number and (first or other != seat)]
    turn = [action for _, action, _ in log[: later[0] if later else None]]
    if not has_learnt(game, turn, seat):
        return turn
    return next(turn[:count] for count in range(1, len(turn) + 1) if has_learnt(game, turn[:count], seat))


# --- complete turns and their probabilities ---------------------------------------------------------------------------

_DECISIONS = 40  # most decisions of an agent per answer, the most likely paths first
_LEAST = 0.001  # paths less likely than this are not followed


@dataclass(frozen=True)
class Turn:
    actions: list[int]
    chance: float = 0.0


def chances_of(agent: Agent, game: Game, memory: str) -> list[Turn]:
    """The legal turns, the most likely first; if there are too many, only those that the agent may play."""
    liked = _followed(agent, game, memory)
    try:
        found = results_of(game)
        known = dict(zip(found.keys, map(Turn, found.turns), strict=True))
    except TooManyTurnsError:
        known = {}
    return sorted((known | liked).values(), key=lambda turn: -turn.chance)


def as_data(game: Game, turns: list[Turn]) -> list[dict[str, Any]]:
    texts = turn_texts(game.records, game.rules_record, [turn.actions for turn in turns])
    return [
        {"text": text, "actions": [action_text(action) for action in turn.actions]}
        for text, turn in zip(texts, turns, strict=True)
    ]


@dataclass(frozen=True)
class _Way:
    """A partial turn."""

    game: Game
    actions: list[int]
    chance: float


def _followed(agent: Agent, game: Game, memory: str) -> dict[int, Turn]:
    """Key of the result -> turn with the probability that the agent's actions lead there."""
    ahead = game.clone()
    ahead.skip_forced = False  # forced actions belong to the turn, those of the next seat do not
    begun, ways, asked = moment(game.records), [_Way(ahead, [], 1.0)], 0
    found: dict[int, Turn] = {}
    while ways and asked < _DECISIONS:
        way = max(ways, key=lambda each: each.chance)
        ways.remove(way)
        if way.game.over or moment(way.game.records) != begun:
            key = key_of_result(way.game.records, game.rules_record)
            before = found.get(key, Turn(way.actions))
            found[key] = Turn(before.actions, before.chance + way.chance)
            continue
        legal, chances = way.game.legal(), np.ones(ACTIONS)
        if len(legal) > 1:
            asked, chances = asked + 1, analysis_of(agent, observe(way.game, memory=memory)).chances
        for action in legal:
            if len(legal) == 1 or way.chance * chances[action] >= _LEAST:
                after = way.game.clone()
                after.apply(action)
                ways.append(_Way(after, [*way.actions, action], way.chance * float(chances[action])))
    return found


# --- budgets -----------------------------------------------------------------------------------------------------


def with_budget(spec: str, seconds: float | None, simulations: int | None) -> str:
    """Add a budget per decision to a spec; agents without such a parameter stay as they are."""
    if seconds is not None and simulations is not None:
        raise AgentError("give a budget of time or of simulations, not both")
    try:
        if seconds is not None:
            seconds = float_in(seconds, "time", 0.0, MOST_SECONDS, above=True)
        if simulations is not None:
            simulations = int_in(simulations, "simulations", 1, MOST_SIMS)
    except ValueError as error:
        raise AgentError(str(error)) from None
    name, _, rest = spec.partition(":")
    if name not in AGENTS or (seconds is None and simulations is None):
        return spec
    known = list(AGENTS[name].parameters())
    key, value = ("time", f"{seconds!r}") if seconds is not None else ("sims", str(simulations))
    if key not in known:
        return spec
    items = [item if "=" in item else f"{known[0]}={item}" for item in rest.split(",") if item]
    kept = [item for item in items if item.partition("=")[0] not in ("time", "sims")]
    return f"{name}:{','.join([*kept, f'{key}={value}'])}"
