"""Search over complete turns, by a policy over afterstates: a race in determinizations, or where all cards are known
alpha-beta with iterative deepening (policy/lookahead.py)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from casino_env.actions import END
from casino_env.agents.base import Analysis, equally
from casino_env.agents.policy.judging import Judge
from casino_env.agents.policy.lookahead import (
    LEVELS,
    LISTINGS,
    TURN,
    Levels,
    PlaySettings,
    list_and_judge,
    look_further,
)
from casino_env.agents.policy.policy_agent import Policy
from casino_env.agents.search.horizon import horizon_of
from casino_env.agents.search.importance_weights import OpponentHistory, draw_weighted, importance_weights
from casino_env.agents.search.racing import UNWEIGHTED, Race, TurnRoot, Weighted, begin_rollouts, heats_of, list_turns
from casino_env.agents.search.rollout_policies import make_rollout_policy, with_bot
from casino_env.agents.search.rollouts import RolloutPolicy, Rollouts, roll_out_all
from casino_env.agents.search.search_settings import Budget, SearchSettings
from casino_env.agents.workspaces import Recent
from casino_env.arrays import Array
from casino_env.compiler.types import allocate
from casino_env.engine.action_set import actions_of
from casino_env.engine.afterstates import MOST
from casino_env.engine.entrypoints import act, legal
from casino_env.engine.state import GAME, rules_record
from casino_env.game import Game
from casino_env.observed import NoDeterminizationError, Observed, observe
from casino_env.rules import Rules

_BATCH = 16  # rollouts between two looks at the clock
_LISTINGS = 32  # likewise
_WEIGHTED_AT_ONCE = 4  # determinizations, likewise
_RUNNERS = 8  # turns that race: the best by judgement
_TRUST = 0.5  # points: standard error of the difference of two judgements
DEEP_LEVELS = LEVELS | {"turns": 26, "transpositions": 1 << 15}  # no preset has more turns in a last deal of two
_DEEPEST = 100 * TURN
_PENALTY = 2.0  # turns less that an afterstate is followed for each point that it was judged to be worse
_MOST_WEIGHTED = 4096  # determinizations with weights, at most


class _Fit(NamedTuple):
    """A game, and the workspace to think about it."""

    rules: Array
    policies: list[RolloutPolicy]  # one for each thread
    bots: list[RolloutPolicy]  # the same, but bots play on
    levels: Levels


class TurnSearch:
    """Thinks about complete turns."""

    def __init__(self, policy: Policy, settings: SearchSettings = SearchSettings()) -> None:  # noqa: B008 - frozen
        """Of the settings, threads, cut and importance mean something here: without cut a race has heats, without
        importance no determinization has a weight."""
        self._policy, self._settings, self._threads = policy, settings, settings.threads
        self._rollouts = allocate(Rollouts, games=_BATCH)
        self._known = Recent[Rules, _Fit]()
        # The rest of a turn that has been thought through, by what the seat will see: it is played without thinking
        # again, if all comes as expected.
        self._plan: dict[tuple[Rules, bytes], Analysis] = {}
        self._history = OpponentHistory()

    def load_kernels(self) -> None:
        """All that it may need, beforehand: a deal is thought about as little as can be."""
        game = Game(self._policy.weights.rules)
        fit, seen, none = self._fit(game.rules), observe(game).view, np.uint64(0)
        root = TurnRoot(seen, fit.rules, 0, fit.levels.judged)
        draw_weighted(root, self._history.turns, fit.policies[0], none, 0, np.zeros(0, GAME), np.zeros(0))
        while not game.over:
            game.apply(self.think(observe(game), Budget(1, 0.0), none).action)
        self.forget()

    def forget(self) -> None:
        """Another game begins."""
        self._plan.clear()
        self._history.forget()

    def watch(self, observation: Observed) -> None:
        """A decision that it is not asked for."""
        self._history.see(observation.rules, observation.seat, observation.view[0])

    def think(self, observation: Observed, budget: Budget, seed: np.uint64) -> Analysis:
        """At the beginning of a turn about all of it; the rest of it is then a plan."""
        if planned := self._plan.get((observation.rules, observation.view.tobytes())):
            return planned
        fit = self._fit(observation.rules)
        self._history.see(observation.rules, observation.seat, observation.view[0])
        if self._policy.looks_ahead(observation):
            return self._deepen(observation, budget, fit)
        return self._race(observation, budget, seed, fit)

    def _fit(self, rules: Rules) -> _Fit:
        return self._known.find(rules, lambda: self._new_fit(rules))

    def _new_fit(self, rules: Rules) -> _Fit:
        policies = [make_rollout_policy(self._policy, rules) for _ in range(self._threads)]
        bots = [with_bot(policy, rules) for policy in policies]
        return _Fit(rules_record(rules), policies, bots, deep_levels(self._policy, rules))

    # --- hidden cards ------------------------------------------------------------------------------------------------

    def _race(self, observation: Observed, budget: Budget, seed: np.uint64, fit: _Fit) -> Analysis:
        value_scale = self._policy.weights.value_scale
        horizon = horizon_of(observation.rules, self._settings.horizon)
        root = TurnRoot(observation.view, fit.rules, observation.seat, fit.levels.judged, horizon)
        found = list_turns(root, fit.policies[0].player.judge)
        turns = np.argsort(-fit.levels.judged.worth[:found], kind="stable")[:_RUNNERS]
        race = Race(fit.levels.judged.worth[turns] * value_scale, _TRUST)
        side = observation.rules.side(observation.seat)
        weighted = self.draw(root, budget, seed, fit)
        with ThreadPoolExecutor(self._threads) as pool:
            for heat in heats_of(observation.rules.players, self._settings.cut, horizon):
                race.next_heat(heat.doubt)
                players = fit.bots if heat.by_bot else fit.policies
                while len(race.running) > 1 and race.games < heat.games and (games := _share(race, budget)):
                    if not begin_rollouts(root, weighted, self._rollouts, turns[race.running], seed, race.total, games):
                        raise NoDeterminizationError(f"no game agrees with what seat {observation.seat} knows")
                    count = games * len(race.running)
                    roll_out_all(self._rollouts, fit.rules, players, heat.cut, count, pool)
                    race.add(self._rollouts.result[:count, side].reshape(games, -1))
        afterstates = fit.levels.judged.afterstates
        self._history.expect(observation.view[0], afterstates.records[turns[race.leader]])
        return self._chosen(observation, fit, afterstates.walk[0], turns, race.worth, race.leader)

    def draw(self, root: TurnRoot, budget: Budget, seed: np.uint64, fit: _Fit) -> Weighted:
        """Determinizations with importance weights by what the others have done, where there is time for that."""
        turns, many, share = self._history.turns, 0, self._settings.importance or 0.0
        if not (len(turns.left) and share):
            return UNWEIGHTED
        games, weights = np.zeros(_MOST_WEIGHTED, GAME), np.zeros(_MOST_WEIGHTED)
        while budget.is_young(share) and (some := budget.share(min(_WEIGHTED_AT_ONCE, _MOST_WEIGHTED - many))):
            part = slice(many, many + some)
            if not draw_weighted(root, turns, fit.policies[0], seed, many, games[part], weights[part]):
                raise NoDeterminizationError(f"no game agrees with what seat {root.seat} knows")
            many += some
        if not many:
            return UNWEIGHTED
        cumulated = importance_weights(weights[:many]).cumsum()
        return Weighted(games[:many], cumulated / cumulated[-1:])

    # --- all cards known ---------------------------------------------------------------------------------------------

    def _deepen(self, observation: Observed, budget: Budget, fit: _Fit) -> Analysis:
        levels = fit.levels
        for _ in deepen(levels, fit.rules, fit.policies[0].player.judge, self._policy.play, observation, budget.share):
            pass
        found = int(levels.frames["found"][0])
        worth = levels.worth[0, :found] * self._policy.weights.value_scale
        return self._chosen(observation, fit, levels.walks[0], np.arange(found), worth, int(levels.state["chosen"][0]))

    # --- what comes of it --------------------------------------------------------------------------------------------

    def _chosen(
        self, observation: Observed, fit: _Fit, walk: Array, turns: Array, worth: Array, chosen: int
    ) -> Analysis:
        """What turns are worth, as what their first actions are; the rest of the chosen one is kept as a plan.

        What has been looked at less may still be thought better of than it is: never more than of the chosen one.
        """
        values: dict[int, float] = {}
        for k, points in zip(turns, np.minimum(worth, worth[chosen]), strict=True):
            first = _actions(walk, k)[0]
            values[first] = max(values.get(first, -np.inf), float(points))
        now, *later = _actions(walk, turns[chosen])
        value = values[now]
        steps = [Analysis(now, equally([now]), value, values)]
        steps += [Analysis(action, equally([action]), value, {action: value}) for action in later]
        self._plan.clear()
        view = observation.view.copy()
        for step in steps:
            if view["actor"][0] != observation.seat or step.action not in actions_of(legal(view, fit.rules)):
                break
            self._plan[observation.rules, view.tobytes()] = step
            act(view, fit.rules, step.action)
        return steps[0]


def deep_levels(policy: Policy, rules: Rules) -> Levels:
    """For the deepest search that there is."""
    return allocate(Levels, features=policy.layout_for_kernels(rules).most, **DEEP_LEVELS, **policy.weights.shape.sizes)


def deepen(
    levels: Levels,
    rules: Array,
    judge: Judge,
    play: PlaySettings,
    observation: Observed,
    share: Callable[[int], int],
    window: float = 0.0,
) -> Iterator[None]:
    """First as the policy looks by itself, however short the time; then half a turn deeper each time, and the less deep
    the worse an afterstate is judged, until there is nothing left that has not been followed to the end. After each
    time it is said what the afterstates are worth.

    share: how many turns to list next, of so many at most; 0: enough. window: by how much afterstates may be behind the
    best one, in units of the value, and still be told exactly.
    """
    depth, width, penalty, alone, anew = play.turns * TURN, play.width, 0.0, True, True
    found = list_and_judge(levels, rules, judge, observation.view)
    levels.state["window"] = window
    while found > 1 and depth < _DEEPEST:
        must = alone and levels.state["listings"][0] < LISTINGS
        if not (some := share(_LISTINGS) or _LISTINGS * must):
            return
        anew = look_further(levels, rules, judge, depth, width, penalty, some, int(anew))
        if anew:
            yield
            if not levels.state["open"][0]:
                return
            depth, width, penalty, alone = depth + TURN // 2, MOST, _PENALTY, False


def _share(race: Race, budget: Budget) -> int:
    """In how many determinizations to try next all turns that run, before the clock is looked at again; each turn is
    tried once at least."""
    some, running = budget.share(_BATCH), len(race.running)
    games = max(some // running, int(not race.total and some > 0))
    if games:
        budget.done += games * running - some
    return games


def _actions(walk: Array, k: int) -> list[int]:
    """That lead to an afterstate, and the end of the turn."""
    return [*walk["paths"][k, : walk["lengths"][k]].tolist(), END]
