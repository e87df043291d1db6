"""Play-outs that measure what turns lose to the best of them (agents/advise.py says how that is used).

A race (racing.py) chooses the best turn; determinizations that it has not seen then measure the others beside it. So a
difference is unbiased: it was not among those by which the best was chosen. All turns are tried in the same
determinizations with the same random numbers, and differences are paired.
"""

from __future__ import annotations

import time as clock
from typing import NamedTuple

import numpy as np

from casino_env.agents.policy.judging import Judge
from casino_env.agents.policy.lookahead import (
    DEEP_LEVELS,
    ENDED,
    UNFINISHED,
    Levels,
    PlaySettings,
    begin_deepening,
    deepen,
    must_look,
)
from casino_env.agents.policy.policy_agent import Policy
from casino_env.agents.policy.shipped import strongest_policy
from casino_env.agents.registry import ladder
from casino_env.agents.search.racing import (
    IN_HEATS,
    UNWEIGHTED,
    Race,
    TurnRoot,
    add_games,
    begin_rollouts,
    deal_games,
    goes_on,
    list_turns,
    play_games,
    start_race,
)
from casino_env.agents.search.rollout_policies import find_rollout_policy, make_rollout_policy
from casino_env.agents.search.rollouts import RolloutPolicy, roll_out
from casino_env.arrays import Array
from casino_env.compiler.jit import entry
from casino_env.compiler.types import Word, allocate
from casino_env.engine.afterstates import LIMIT, MOST, afterstates_of
from casino_env.engine.state import Records, RulesRow, rules_record
from casino_env.observed import NoDeterminizationError, Observed
from casino_env.rules import Rules

ROUNDS = 4  # turns of every seat in a play-out, before the policy judges
TRUST, UNJUDGED = 0.5, 10.0  # points: standard error of a difference of the policy's judgements, and without a policy
STRICT = 3.0  # standard errors by which something must be sure before all is played
FIRST_LOOK = 32  # games after which differences are looked at first; then after twice as many each time
FEWEST, SPREAD = 8, 1.5  # differences are taken to have this spread (points), as if so many games had shown it
RACE = 0.5  # of games and time
FRESH = 1 << 32  # the number of the first determinization that is not for races
BATCH = 512  # play-outs at once
_TO_THE_END = 1 << 40
_LISTINGS = 32  # between two looks at the clock
_STOPPED = -1


@entry
def begin_race(race: Race, many: int, trust: float, single: int, seed: Word) -> None:
    """Of so many turns, as in start_race."""
    start_race(race, many, trust, single)
    race.state[0].seed = seed


@entry
def race_on(race: Race, root: TurnRoot, policy: RolloutPolicy, batch: int) -> int:
    """About so many play-outs more. 1: it may go on; 0: it is over; -1: no game agrees with what the seat knows."""
    s, r = race.state[0], root.rules[0]
    if not goes_on(race, r, root.horizon):
        return 0
    games = max(1, batch // s.running)
    if not deal_games(race, root, games):
        return -1
    play_games(race, r, policy, 0, games * s.running)
    add_games(race, r, root.seat)
    return 1


@entry
def begin_look_ahead(levels: Levels, rules: RulesRow, judge: Judge, play: PlaySettings, seen: Records) -> int:
    """Returns how many afterstates there are: all are to be told exactly."""
    return begin_deepening(levels, rules[0], judge, play, seen[0], np.inf)


@entry
def look_ahead_on(levels: Levels, rules: RulesRow, judge: Judge, listings: int) -> int:
    """As deepen says; _STOPPED where no listings are left."""
    some = min(_LISTINGS, listings)
    if some <= 0 and must_look(levels):
        some = _LISTINGS
    return deepen(levels, rules[0], judge, some) if some > 0 else _STOPPED


class Limits(NamedTuple):
    """Whatever comes first."""

    until: float  # by the clock
    games: int
    error: float  # standard error of the differences, in points
    lost: float  # points: what loses more for sure is left out
    rounds: int  # of every play-out: turns of every seat


class Measured(NamedTuple):
    best: int  # of the turns that were tried
    value: float  # of the best: points more than the others, for the side that looks
    loss: Array  # of each turn: points that it is worth less than the best
    error: Array  # the standard error of that
    games: Array  # play-outs of each


class PlayOuts:
    """The workspace of one game. The best policy that has learnt it plays on all seats, else the best bot."""

    def __init__(self, rules: Rules) -> None:
        name = strongest_policy(rules)
        who = find_rollout_policy(f"policy:{name}" if name else ladder(rules)[-1])
        self.rules, self.record = rules, rules_record(rules)
        self._player = make_rollout_policy(who, rules)
        self.judged = make_rollout_policy(who, rules).work.judged  # the turns at hand; those of the policy are others
        self.policy = who if isinstance(who, Policy) else None
        self.judges = bool(self.policy and not self.policy.weights.shape.judges_actions)
        self.scale = self._player.player.judge.value_scale  # points that a unit of the policy's value stands for
        self._levels: Levels | None = None  # made when they are needed
        self._race = allocate(Race, racers=MOST, games=BATCH, weighted=0)

    def list_worth(self, observed: Observed) -> Array:
        """List what the seat can leave; what the policy thinks that it is worth, in points."""
        judge = self._player.player.judge
        if self.judges:
            found = list_turns(self._root(observed), judge)
            return np.asarray(self.judged.worth[:found] * self.scale)
        return np.zeros(afterstates_of(observed.view, self.record, self.judged.afterstates, LIMIT))

    def add(self, path: list[int], worth: Array) -> tuple[int, Array]:
        """One more turn among those that are listed, instead of the worst if they are too many: (its number, worth)."""
        walk, k = self.judged.afterstates.walk[0], len(worth) if len(worth) < MOST else int(worth.argmin())
        walk["paths"][k, : len(path)], walk["lengths"][k] = path, len(path)
        return k, np.r_[worth[:k], worth.max(initial=-np.inf) if len(worth) else 0.0, worth[k + 1 :]]

    def look_ahead(self, observed: Observed, until: float, listings: int) -> tuple[Array, bool] | None:
        """What the listed turns are worth where no card is hidden, by as many turns ahead as there is time for, and
        whether all was followed to the end. None where that cannot be."""
        if not (self.policy and self.judges and self.policy.looks_ahead(observed)):
            return None
        shape, features = self.policy.weights.shape, self.policy.layout_for_kernels(self.rules).most
        sizes = DEEP_LEVELS | shape.sizes
        self._levels = levels = self._levels or allocate(Levels, features=features, **sizes)
        judge, worth, ended = self._player.player.judge, np.zeros(0), False
        found, state = begin_look_ahead(levels, self.record, judge, self.policy.play, observed.view), levels.state[0]
        step = UNFINISHED if found > 1 else _STOPPED
        while step not in (ENDED, _STOPPED):
            left = listings - int(state["listings"]) if clock.monotonic() < until else 0
            step = look_ahead_on(levels, self.record, judge, left)
            if step not in (UNFINISHED, _STOPPED):
                worth, ended = levels.worth[0, :found] * self.scale, not state["open"]
        return (worth, ended) if len(worth) else None

    def measure(
        self, observed: Observed, turns: Array, worth: Array, kept: Array, limits: Limits, seed: int
    ) -> Measured:
        """turns: the numbers of those to be tried; kept: which of them are measured whatever they lose."""
        best = self._best_of(observed, turns, worth, limits, seed)
        results, done, look = np.full((limits.games, len(turns)), np.nan), 0, min(FIRST_LOOK, limits.games)
        running, cut = np.arange(len(turns)), limits.rounds * self.rules.players - 1
        while done < limits.games and (not done or clock.monotonic() < limits.until):
            games = min(max(1, BATCH // len(running)), look - done)
            results[done : done + games, running] = self._play(observed, turns[running], seed, FRESH + done, games, cut)
            done += games
            if done == look:
                look = min(2 * look, limits.games)
                best, loss, error = _compare(results[:done], best)
                if error[running].max() <= limits.error:
                    break
                stays = kept | (loss - STRICT * error <= limits.lost) | (np.arange(len(turns)) == best)
                running = running[stays[running]]
        best, loss, error = _compare(results[:done], best)
        return Measured(best, float(np.nanmean(results[:done, best])), loss, error, (~np.isnan(results)).sum(axis=0))

    def _best_of(self, observed: Observed, turns: Array, worth: Array, limits: Limits, seed: int) -> int:
        """Which of the turns seems to be the best."""
        began = clock.monotonic()
        until = began + RACE * (limits.until - began)
        race, root, state = self._race, self._root(observed), self._race.state[0]
        race.turns[: len(turns)], race.worth[: len(turns)] = turns, worth
        trust, cut = TRUST if self.judges else UNJUDGED, IN_HEATS if self.policy else _TO_THE_END
        begin_race(race, len(turns), trust, cut, np.uint64(seed))
        while state["total"] < RACE * limits.games and not (state["total"] and clock.monotonic() >= until):
            found = race_on(race, root, self._player, BATCH // 16)
            if found < 0:
                raise NoDeterminizationError(f"no game agrees with what seat {observed.seat} knows")
            if not found:
                break
        return int(state["leader"])

    def _play(self, observed: Observed, turns: Array, seed: int, first: int, games: int, cut: int) -> Array:
        """What turns come to in so many determinizations, numbered from first on: [determinization, turn]."""
        rollouts, count = self._race.rollouts, games * len(turns)
        if not begin_rollouts(self._root(observed), UNWEIGHTED, rollouts, turns, np.uint64(seed), first, games):
            raise NoDeterminizationError(f"no game agrees with what seat {observed.seat} knows")
        roll_out(rollouts, self.record, self._player, cut if self.policy else _TO_THE_END, 0, count)
        return np.array(rollouts.result[:count, self.rules.side(observed.seat)].reshape(games, -1))

    def _root(self, observed: Observed) -> TurnRoot:
        return TurnRoot(observed.view, self.record, observed.seat, self.judged)


def _compare(results: Array, best: int) -> tuple[int, Array, Array]:
    """(the best turn, which is another if that is better for sure; what the others lose to it; its standard error)"""
    loss, error = _losses(results, best)
    better = int(np.argmin(loss + STRICT * error))
    if loss[better] + STRICT * error[better] < 0.0:
        return better, *_losses(results, better)
    return best, loss, error


def _losses(results: Array, best: int) -> tuple[Array, Array]:
    differences = results[:, [best]] - results
    counts = (~np.isnan(differences)).sum(axis=0)
    spread = (counts * np.nanvar(differences, axis=0) + FEWEST * SPREAD**2) / (counts + FEWEST)
    return np.nanmean(differences, axis=0), np.sqrt(spread / counts) * (np.arange(len(counts)) != best)
