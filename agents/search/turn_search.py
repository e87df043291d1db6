"""Search over complete turns by a policy over afterstates: a race, or alpha-beta where all cards are known.

The race runs in determinizations (racing.py); alpha-beta deepens iteratively (policy/lookahead.py)."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from casino_env.actions import ACTIONS
from casino_env.agents.policy.lookahead import ENDED, Levels, begin_deepening, deepen, looks_ahead, must_look
from casino_env.agents.search.importance_weights import OpponentHistory, cumulate, draw_weighted, expect, watch
from casino_env.agents.search.racing import (
    Race,
    add_games,
    deal_games,
    goes_on,
    keep_near,
    list_and_judge_turns,
    play_games,
    start_race,
)
from casino_env.agents.search.search_settings import BUDGET, MOST_MARGIN, begin_budget, is_young, left_over
from casino_env.arrays import Array
from casino_env.compiler.jit import kernel
from casino_env.compiler.types import F64, I64, Elements, Sizes
from casino_env.engine import action_set
from casino_env.engine.afterstates import DEPTH, MOST, step_of
from casino_env.engine.legal import legal_actions
from casino_env.engine.state import Records
from casino_env.engine.turn import apply

_BATCH = 16  # play-outs between two looks at the clock
_LISTINGS = 32  # listings of turns, likewise
_WEIGHTED_AT_ONCE = 4  # weighted determinizations, likewise
_RUNNERS = 8  # turns that race: the best by the policy's judgement
_TRUST = 0.5  # points: standard error of the difference of two judgements
_MOST_WEIGHTED = 4096  # most weighted determinizations

THOUGHT_OF = np.dtype(
    [
        ("ahead", np.int64),  # 1: all cards are known: look ahead; 0: turns race
        ("importance", np.float64),  # share of the budget for weighted determinizations; 0: none, or all are drawn
    ]
)


class Plan(NamedTuple):
    """The result of a search: the best turn, and the worth of the others."""

    turns: Annotated[I64, Sizes(MOST)]  # afterstates that were searched
    worth: Annotated[F64, Sizes(MOST)]  # their worth in points
    values: Annotated[F64, Sizes(ACTIONS)]  # worth of actions, by the best turn that begins with each; -inf: none does
    actions: Annotated[I64, Sizes(DEPTH + 1)]  # of the best turn
    views: Annotated[Records, Sizes(DEPTH + 1)]  # the view that the seat expects before each of these actions


class Thinking(NamedTuple):
    """The workspace of one decision, and the history before it."""

    state: Annotated[Array, Elements(THOUGHT_OF), Sizes(1)]
    budget: Annotated[Array, Elements(BUDGET), Sizes(1)]
    race: Race
    history: OpponentHistory
    plan: Plan
    levels: Levels


# --- hidden cards ----------------------------------------------------------------------------------------------------


@kernel
def _rank(judged, found, scale, race):
    """Enter the best turns by judgement into the race, the best first; return how many."""
    many = 0
    for k in range(found):
        worth, place = judged.worth[k] * scale, many
        while place and race.worth[place - 1] < worth:
            place -= 1
        last = min(many, race.turns.shape[0] - 1)
        if place > last:
            continue
        for i in range(last, place, -1):
            race.turns[i], race.worth[i] = race.turns[i - 1], race.worth[i - 1]
        race.turns[place], race.worth[place] = k, worth
        many = last + 1
    return many


@kernel
def _weigh(thinking, root, policy, used, left):
    """Draw some determinizations weighted by what the others have played. Return 1 if some were drawn, 0 if there are
    enough, -1 if no game agrees with what the seat knows."""
    race, budget, weighted = thinking.race, thinking.budget[0], thinking.race.weighted
    s, most = race.state[0], weighted.games.shape[0]
    some = min(_WEIGHTED_AT_ONCE, most - s.weighted)
    if is_young(budget, used, left, thinking.state[0].importance):
        some = min(some, left_over(budget, used, left, _WEIGHTED_AT_ONCE))
    else:
        some = 0
    if some <= 0:
        thinking.state[0].importance = 0.0
        if s.weighted:
            cumulate(weighted.cumulated[: s.weighted])
        return 0
    budget.done += some
    games = weighted.games[s.weighted : s.weighted + some]
    weights = weighted.cumulated[s.weighted : s.weighted + some]
    if not draw_weighted(root, thinking.history, policy, s.seed, s.weighted, games, weights):
        return -1
    s.weighted += some
    return 1


@kernel
def _run(thinking, root, policy, used, left, apart):
    """Race for some play-outs more; apart: only deal them. Return 1 if the race may go on, 0 if it is over, -1 if no
    game agrees with what the seat knows."""
    race, budget, r = thinking.race, thinking.budget[0], root.rules[0]
    s, some = race.state[0], min(_BATCH, left_over(budget, used, left, _BATCH))
    if some <= 0 or not goes_on(race, r, root.horizon):
        return 0
    games = some // s.running
    if games == 0 and s.total == 0:
        games = 1  # every turn is tried at least once
    if games == 0:
        return 0
    if not deal_games(race, root, games):
        return -1
    budget.done += games * s.running
    if not apart:
        play_games(race, r, policy, 0, games * s.running)
        add_games(race, r, root.seat)
    return 1


# --- begin, think, plan ----------------------------------------------------------------------------------------------


@kernel
def begin_thinking(thinking, root, policy, play, settings):
    """Begin a search. settings: a record of opened.AGENT, whose cut is that of a race's play-outs, or IN_HEATS."""
    r, view, race, judge = root.rules[0], root.seen[0], thinking.race, policy.player.judge
    t = thinking.state[0]
    begin_budget(thinking.budget[0], settings.sims)
    watch(thinking.history, root.seen, root.seat)
    t.ahead = np.int64(looks_ahead(view, r, play, root.seat))
    t.importance = settings.importance if thinking.history.state[0].count else 0.0
    if t.ahead:
        begin_deepening(thinking.levels, r, judge, play, view, 0.0)
    else:
        found = list_and_judge_turns(root, judge)
        start_race(race, _rank(root.judged, found, judge.value_scale, race), _TRUST, settings.cut)
        race.state[0].seed = settings.seed
        if settings.margin < MOST_MARGIN:
            keep_near(race, settings.margin)
        if race.state[0].running == 1:
            t.importance = 0.0


@kernel
def think_on(thinking, root, policy, used, left, apart):
    """Search for a moment. used, left: seconds, ignored if the budget counts simulations. apart: 1 to only deal games.
    Return 1 if the search may go on, 0 if it is over, -1 if no game agrees with what the seat knows."""
    r, budget, levels = root.rules[0], thinking.budget[0], thinking.levels
    if thinking.state[0].ahead:
        some = min(_LISTINGS, left_over(budget, used, left, _LISTINGS))
        budget.done += max(0, some)
        if some <= 0 and must_look(levels):
            some = _LISTINGS
        return 1 if some > 0 and deepen(levels, r, policy.player.judge, some) != ENDED else 0
    if thinking.race.state[0].dealt:
        add_games(thinking.race, r, root.seat)
    if thinking.state[0].importance > 0.0:
        found = _weigh(thinking, root, policy, used, left)
        if found:
            return found
    return _run(thinking, root, policy, used, left, apart)


@kernel
def plan_turn(thinking, root, scale):
    """Write the result to thinking.plan; return how many actions of the best turn the seat can play by itself.
    scale: points in a unit of the policy's value."""
    race, levels, plan = thinking.race, thinking.levels, thinking.plan
    many, chosen = race.state[0].turns, race.state[0].leader
    if thinking.state[0].ahead:
        many, chosen = levels.frames[0].found, levels.state[0].chosen
    for k in range(many):
        plan.turns[k] = k if thinking.state[0].ahead else race.turns[k]
        plan.worth[k] = levels.worth[0, k] * scale if thinking.state[0].ahead else race.worth[k]
    if thinking.state[0].ahead:
        return _plan(plan, root, levels.walks[0], many, chosen)
    expect(thinking.history, root.seen[0], root.judged.afterstates.records[race.turns[chosen]])
    return _plan(plan, root, root.judged.afterstates.walk[0], many, chosen)


@kernel
def _plan(plan, root, walk, many, chosen):
    """Write the worth of first actions, and the chosen turn's actions with the view before each. Turns that were
    searched less may be overrated: none counts more than the chosen one."""
    r, best, view = root.rules[0], plan.turns[chosen], plan.views[0]
    plan.values[:] = -np.inf
    for k in range(many):
        first = step_of(walk, plan.turns[k], 0)
        plan.values[first] = max(plan.values[first], min(plan.worth[k], plan.worth[chosen]))
    plan.views[0] = root.seen[0]
    for step in range(walk.lengths[best] + 1):
        plan.actions[step] = step_of(walk, best, step)
        if step:
            plan.views[step] = plan.views[step - 1]
            view = plan.views[step]
            apply(view, r, plan.actions[step - 1])
        if view.actor != root.seat or not action_set.has(legal_actions(view, r), plan.actions[step]):
            return step
    return walk.lengths[best] + 1
