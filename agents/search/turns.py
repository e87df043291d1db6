"""Search over complete turns, by a policy that judges tables: a race in sampled worlds, further and further ahead where
all cards are known."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from casino_env.actions import END
from casino_env.agents.base import Analysis, equally
from casino_env.agents.policy.agent import Policy
from casino_env.agents.policy.levels import Levels, new_levels
from casino_env.agents.policy.lookahead import LISTINGS, PART, list_and_judge, look_further
from casino_env.agents.search.budget import Budget
from casino_env.agents.search.named import make_player
from casino_env.agents.search.past import Past
from casino_env.agents.search.plan import Plan
from casino_env.agents.search.player import Player
from casino_env.agents.search.race import NEW_WORLDS, Drawn, Race, Start, begin_worlds, heats_of, list_turns
from casino_env.agents.search.rollouts import new_rollouts, roll_out_all
from casino_env.agents.search.settings import SearchSettings
from casino_env.agents.search.weighing import as_chances, draw_weighed
from casino_env.engine.afterstates import MOST
from casino_env.engine.state import GAME, rules_record
from casino_env.game import Game
from casino_env.observed import NoDeterminizationError, Observed, observe
from casino_env.rules import Rules

Array = np.ndarray[Any, Any]

_BATCH = 16  # rollouts between two looks at the clock
_LISTINGS = 32  # likewise
_WEIGHED_AT_ONCE = 4  # worlds, likewise
_RUNNERS = 8  # turns that race: the best by judgement
_TRUST = 0.5  # points: standard error of the difference of two judgements
_DEEPEST = 26  # turns: no preset has more in a last deal of two
_FARTHEST = 100 * PART
_STEEP = 2.0  # turns less that a table is followed for each point that it was judged to be worse
_POSITIONS = 1 << 15  # remembered while a decision is thought about
_WORLDS = 4096  # that are weighed at most


class _Fit(NamedTuple):
    """A game, and room to think about it."""

    rules: Array
    players: list[Player]  # one for each thread
    levels: Levels


class TurnSearch:
    """Thinks about complete turns."""

    def __init__(self, policy: Policy, settings: SearchSettings = SearchSettings()) -> None:  # noqa: B008 - frozen
        """Of the settings, threads, cut and past mean something here: without cut a race has heats, without past no
        world is weighed."""
        self._policy, self._settings, self._threads = policy, settings, settings.threads
        self._rollouts = new_rollouts(_BATCH)
        self._known: dict[Rules, _Fit] = {}
        self._plan = Plan()
        self._past = Past()

    def load_kernels(self) -> None:
        """All that it may need, beforehand: a deal is thought about as little as can be."""
        game = Game(self._policy.weights.rules)
        fit, seen, none = self._fit(game.rules), observe(game).view, np.uint64(0)
        start = Start(seen, fit.rules, 0, fit.levels.judged)
        draw_weighed(start, self._past.turns, fit.players[0], none, 0, np.zeros(0, GAME), np.zeros(0))
        while not game.over:
            game.apply(self.think(observe(game), Budget(1, 0.0), none).action)
        self.forget()

    def forget(self) -> None:
        """Another game begins."""
        self._plan.forget()
        self._past.forget()

    def watch(self, observation: Observed) -> None:
        """A decision that it is not asked for."""
        self._past.look(observation)

    def think(self, observation: Observed, budget: Budget, seed: np.uint64) -> Analysis:
        """At the beginning of a turn about all of it; the rest of it is then a plan."""
        planned = self._plan.find(observation)
        if planned:
            return planned
        fit = self._fit(observation.rules)
        self._past.look(observation)
        if self._policy.looks_ahead(observation):
            return self._deepen(observation, budget, fit)
        return self._race(observation, budget, seed, fit)

    def _fit(self, rules: Rules) -> _Fit:
        if rules not in self._known:
            weights, layout, record = self._policy.weights, self._policy.layout_for_kernels(rules), rules_record(rules)
            self._known[rules] = _Fit(
                record,
                [make_player(self._policy, rules) for _ in range(self._threads)],
                new_levels(record, weights.shape, layout.most, _DEEPEST, _POSITIONS),
            )
        return self._known[rules]

    # --- hidden cards ------------------------------------------------------------------------------------------------

    def _race(self, observation: Observed, budget: Budget, seed: np.uint64, fit: _Fit) -> Analysis:
        unit = self._policy.weights.unit
        start = Start(observation.view, fit.rules, observation.seat, fit.levels.judged)
        found = list_turns(start, fit.players[0].judge)
        turns = np.argsort(-fit.levels.judged.worth[:found], kind="stable")[:_RUNNERS]
        race = Race(fit.levels.judged.worth[turns] * unit, _TRUST)
        side = observation.rules.side(observation.seat)
        drawn = self.draw(start, budget, seed, fit)
        with ThreadPoolExecutor(self._threads) as pool:
            for heat in heats_of(observation.rules.players, self._settings.cut):
                race.next_heat(heat.doubt)
                while len(race.running) > 1 and race.worlds < heat.worlds and (worlds := _worlds(race, budget)):
                    if not begin_worlds(start, drawn, self._rollouts, turns[race.running], seed, race.total, worlds):
                        raise NoDeterminizationError(f"no game agrees with what seat {observation.seat} knows")
                    count = worlds * len(race.running)
                    roll_out_all(self._rollouts, fit.rules, fit.players, heat.cut, count, pool)
                    race.add(self._rollouts.result[:count, side].reshape(worlds, -1))
        outcomes = fit.levels.judged.outcomes
        self._past.leave(observation, outcomes.tables[turns[race.leader]])
        return self._chosen(observation, fit, outcomes.walk[0], turns, race.worth, race.leader)

    def draw(self, start: Start, budget: Budget, seed: np.uint64, fit: _Fit) -> Drawn:
        """Worlds, drawn more often the likelier they are by what the others have done, where there is time for that."""
        turns, many, share = self._past.turns, 0, self._settings.past or 0.0
        if not (len(turns.left) and share):
            return NEW_WORLDS
        worlds, weights = np.zeros(_WORLDS, GAME), np.zeros(_WORLDS)
        while budget.is_young(share) and (some := budget.share(min(_WEIGHED_AT_ONCE, _WORLDS - many))):
            part = slice(many, many + some)
            if not draw_weighed(start, turns, fit.players[0], seed, many, worlds[part], weights[part]):
                raise NoDeterminizationError(f"no game agrees with what seat {start.seat} knows")
            many += some
        if not many:
            return NEW_WORLDS
        likely = as_chances(weights[:many]).cumsum()
        return Drawn(worlds[:many], likely / likely[-1:])

    # --- all cards known ---------------------------------------------------------------------------------------------

    def _deepen(self, observation: Observed, budget: Budget, fit: _Fit) -> Analysis:
        """First as the policy looks by itself, however short the time; then half a turn further each time, and the less
        far the worse a table is judged, until there is nothing left that has not been followed to the end."""
        levels, judge, (turns, width, _) = fit.levels, fit.players[0].judge, self._policy.ahead
        far, steep, alone, anew = turns * PART, 0.0, True, True
        found = list_and_judge(levels, fit.rules, judge, observation.view)
        while found > 1 and far < _FARTHEST:
            must = alone and levels.state["listings"][0] < LISTINGS
            if not (some := budget.share(_LISTINGS) or _LISTINGS * must):
                break
            anew = look_further(levels, fit.rules, judge, far, width, steep, some, int(anew))
            if anew:
                if not levels.state["open"][0]:
                    break
                far, width, steep, alone = far + PART // 2, MOST, _STEEP, False
        worth = levels.worth[0, :found] * self._policy.weights.unit
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
        self._plan.remember(observation, fit.rules, steps)
        return steps[0]


def _worlds(race: Race, budget: Budget) -> int:
    """How many to try next all turns in that run, before the clock is looked at again; each turn is tried once at
    least."""
    some, running = budget.share(_BATCH), len(race.running)
    worlds = max(some // running, int(not race.total and some > 0))
    if worlds:
        budget.done += worlds * running - some
    return worlds


def _actions(walk: Array, k: int) -> list[int]:
    """That lead to a table, and the end of the turn."""
    return [*walk["paths"][k, : walk["lengths"][k]].tolist(), END]
