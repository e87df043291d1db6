"""What every complete turn of a seat is worth, how sure that is, and whether one that was played was a mistake: the one
judge of hints, reviews and whoever else asks.

1. The turns are listed by the afterstates that they leave; those of `also` are put among them.
2. Where no card is hidden and there are two sides the exact solver follows each turn, for SOLVING of the time. If it
   finishes, the values are exact. Where the order of a pile is not known ORDERS of it must come to the same.
3. Else a race (search/racing.py) over the turns that the policy likes best finds the best one.
4. Play-outs that the race has not seen measure what each of these turns, and of `also`, loses to that one. All turns
   are tried in the same determinizations with the same random numbers: the differences are paired. What loses more than
   a mistake for sure is left out; it is over when all differences are known to PRECISION, or with the games or the
   time. If another turn turns out to be better for sure, it is the best one.
5. A play-out goes on for ROUNDS and ends with the policy's value; where two players know all cards, with LAST cards and
   the exact value; without a policy bots play to the end of the deal.

A loss is unbiased, since the best turn is chosen before it is measured: their sum over a game is what the judge's turns
would have brought, gains (losses below 0) included. Its interval (95 %) is of the noise of the play-outs, and of DOUBT:
how far strong but random play and the policy's value are from the truth after any number of them. Where no card is
hidden the noise is that of the play alone.
"""

from __future__ import annotations

import time as clock
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np

from casino_env.actions import END
from casino_env.agents.policy.policy_agent import Policy
from casino_env.agents.policy.shipped import strongest_policy
from casino_env.agents.registry import ladder
from casino_env.agents.search.racing import UNWEIGHTED, Race, TurnRoot, begin_rollouts, heats_of, list_turns
from casino_env.agents.search.rollout_policies import find_rollout_policy, make_rollout_policy
from casino_env.agents.search.rollouts import new_rollouts, roll_out
from casino_env.agents.solver.solved_agent import cards_within
from casino_env.agents.solver.solver import Solver
from casino_env.arrays import Array
from casino_env.engine.action_set import actions_of
from casino_env.engine.afterstates import LIMIT, MOST, afterstates_of
from casino_env.engine.entrypoints import act, legal
from casino_env.engine.state import OVER, rules_record
from casino_env.game import unchecked_game
from casino_env.observed import NoDeterminizationError, Observed, sample_determinizations
from casino_env.rules import Rules
from casino_env.turns import afterstate_key

SECONDS, GAMES, PRECISION = 2.0, 1024, 0.1  # at most; half of the interval of the noise, in points
MISTAKE = 0.25  # points: a turn that loses more for sure is one
NORMAL = 1.96  # standard errors: half of a 95 % interval
STRICT = 3.0  # standard errors by which a turn must be beyond a mistake to be left out
DOUBT, DOUBT_ENDING, DOUBT_JUDGED = 0.15, 0.3, 0.5  # standard errors, in points: hidden cards, none, no play-outs
RUNNERS, RUNNERS_UNJUDGED = 8, 24  # turns that are played out, with a policy that judges them and without
ROUNDS, LAST = 4, 8  # turns of every seat in a play-out; cards in all hands with which it is solved
FIRST_LOOK = 32  # games after which differences are looked at first; then after twice as many each time
FEWEST, SPREAD = 8, 1.5  # differences are taken to have this spread (points), as if so many games had shown it
TEMPERATURE = 0.2  # points, by which the strongest is thought to choose
SOLVING, SOLVER_MB, SOLVER_NODES, ORDERS = 0.5, 16, 20_000, 4  # nodes: at the end of a play-out
BATCH = 512  # play-outs at once
FRESH = 1 << 32  # the number of the first determinization that is not for races


@dataclass(frozen=True)
class Turn:
    actions: tuple[int, ...]  # of the seat, until somebody else decides
    value: float  # points more than the others at the end of the deal, for the side that looks
    loss: float  # points that it is worth less than the best turn; below 0: more
    low: float  # the interval of the loss
    high: float
    chance: float  # of being played by the strongest
    games: int  # play-outs; 0: it is solved, or judged by the policy alone
    key: Hashable = field(repr=False)  # equal for turns that leave the same


@dataclass(frozen=True)
class Advice:
    by: Literal["solver", "play-outs"]
    turns: list[Turn]  # the best first
    observed: Observed = field(repr=False)


@dataclass(frozen=True)
class Verdict:
    loss: float
    low: float
    high: float
    mistake: bool  # all of the interval is beyond MISTAKE


def advise(
    observed: Observed,
    *,
    also: Iterable[Sequence[int]] = (),
    seconds: float = SECONDS,
    games: int = GAMES,
    precision: float = PRECISION,
    seed: int = 0,
    solve: bool = True,
) -> Advice:
    """For the seat that decides. also: turns that are measured whatever the policy thinks of them, as one should be of
    which a verdict is wanted. With less time than the games take the answer depends on the machine."""
    if not observed.mask.any():
        raise ValueError(f"seat {observed.seat} has nothing to decide")
    judge, until = _judge(observed.rules), clock.monotonic() + seconds
    listed = judge.list_turns(observed, also)
    if solve and (values := judge.solve(observed, listed, SOLVING * seconds)) is not None:
        losses = values.max() - values
        nothing = np.zeros(len(values), int)
        return Advice("solver", _told(listed, losses, nothing, values.max(), nothing, losses == 0.0), observed)
    return Advice("play-outs", judge.measure(observed, listed, _Limits(until, games, precision, seed)), observed)


def verdict(advice: Advice, turn: Sequence[int]) -> Verdict:
    """Of a turn that was played, with or without its forced end and whatever the order of its actions."""
    key = _judge(advice.observed.rules).left(advice.observed, turn)[1]
    for known in advice.turns:
        if known.key == key:
            return Verdict(known.loss, known.low, known.high, known.low > MISTAKE)
    raise ValueError("the advice does not tell of this turn: ask for it by also=[turn]")


def net(verdicts: Iterable[Verdict]) -> tuple[float, float]:
    """What these turns lost in all, less what they gained, and half of the interval of that."""
    some = list(verdicts)
    halves = [(each.high - each.low) / 2 for each in some]
    return sum(each.loss for each in some), float(np.sqrt(np.square(halves).sum()))


class _Listed(NamedTuple):
    """The turns of a seat."""

    numbers: Array  # of each in the workspace
    actions: list[tuple[int, ...]]
    keys: list[Hashable]
    worth: Array  # by the policy's judgement
    asked: list[int]  # which are those of also


class _Limits(NamedTuple):
    until: float  # by the clock
    games: int
    precision: float
    seed: int


@lru_cache(maxsize=4)
def _judge(rules: Rules) -> _Judge:
    return _Judge(rules)


class _Judge:
    """The workspace of one game, for one thread."""

    def __init__(self, rules: Rules) -> None:
        name = strongest_policy(rules)
        who = find_rollout_policy(f"policy:{name}" if name else ladder(partners=rules.partners)[-1])
        self._rules, self._record = rules, rules_record(rules)
        self._policy = make_rollout_policy(who, rules)
        self._judged = make_rollout_policy(who, rules).work.judged  # the turns at hand; the policy's own are others
        self._estimates = isinstance(who, Policy)
        self._judges = isinstance(who, Policy) and not who.weights.shape.judges_actions
        self._rollouts, self._solver = new_rollouts(BATCH), Solver(SOLVER_MB)

    # --- the turns ---------------------------------------------------------------------------------------------------

    def list_turns(self, observed: Observed, also: Iterable[Sequence[int]]) -> _Listed:
        afterstates, judge = self._judged.afterstates, self._policy.player.judge
        walk, worth = afterstates.walk[0], np.zeros(MOST)
        if self._judges:
            found = list_turns(self._root(observed), judge)
            worth[:found] = self._judged.worth[:found] * judge.value_scale
        else:
            found = afterstates_of(observed.view, self._record, afterstates, LIMIT)
        turns: dict[Hashable, tuple[int, tuple[int, ...]]] = {}
        for k in range(found):
            actions, key = self.left(observed, walk["paths"][k, : walk["lengths"][k]].tolist())
            turns.setdefault(key, (k, actions))
        asked = [self.left(observed, turn) for turn in also]
        for actions, key in asked:
            if key not in turns:
                k = found if found < MOST else int(worth.argmin())  # instead of the worst, if there are too many
                turns = {other: turn for other, turn in turns.items() if turn[0] != k}
                own = [action for action in actions if action != END]
                walk["paths"][k, : len(own)], walk["lengths"][k] = own, len(own)
                worth[k] = worth[:found].max() if found else 0.0
                turns[key], found = (k, actions), min(found + 1, MOST)
        keys, numbers = list(turns), np.array([k for k, _ in turns.values()])
        return _Listed(
            numbers, [turn for _, turn in turns.values()], keys, worth[numbers], [keys.index(key) for _, key in asked]
        )

    def left(self, observed: Observed, turn: Sequence[int]) -> tuple[tuple[int, ...], Hashable]:
        """The actions of a turn until somebody else decides, and a key of what it leaves."""
        here, actions = observed.view.copy(), list[int]()
        for action in turn:
            if action == END or not self._may(here, observed.seat, action):
                break
            act(here, self._record, action)
            actions.append(action)
        if observed.view["to_move"][0] != observed.seat:
            return tuple(turn[:1]), tuple(turn[:1])  # an answer inside the turn of another seat
        end = [END] if self._may(here, observed.seat, END) else []
        return (*actions, *end), afterstate_key(here, self._rules, self._judged.afterstates.walk["same"][0])

    def _may(self, here: Array, seat: int, action: int) -> bool:
        open_ = here["mode"][0] != OVER and here["actor"][0] == seat
        return bool(open_) and action in actions_of(legal(here, self._record))

    def _root(self, observed: Observed) -> TurnRoot:
        return TurnRoot(observed.view, self._record, observed.seat, self._judged)

    # --- exact values ------------------------------------------------------------------------------------------------

    def solve(self, observed: Observed, listed: _Listed, seconds: float) -> Array | None:
        """The exact values of the turns; None where there are none, or they are not found in time."""
        view, until = observed.view[0], clock.monotonic() + seconds
        held = max(int(hand).bit_count() for hand in view["hands"])
        if observed.hidden or self._rules.sides != 2 or self._rules.count_out or held > cards_within(seconds):
            return None
        orders = ORDERS if view["shuffled"] else 1
        values = np.zeros((orders, len(listed.keys)))
        for order, game in enumerate(sample_determinizations(observed, orders, np.random.default_rng(0))):
            for k, turn in enumerate(listed.actions):
                here = np.array([game])
                here["match"] = 0  # the deal at hand is what counts
                for action in turn:
                    if self._may(here, observed.seat, action):
                        act(here, self._record, action)
                value = self._exact(here, observed.seat, seconds=max(0.0, until - clock.monotonic()))
                if value is None:
                    return None
                values[order, k] = value
        return values[0] if (values == values[0]).all() else None

    def _exact(self, game: Array, seat: int, **limit: float) -> float | None:
        """What a game is worth to the side of a seat."""
        side = self._rules.side(seat)
        if game["mode"][0] == OVER:
            return float(game["deal_points"][0, side]) - float(game["deal_points"][0, 1 - side])
        found = self._solver.solve(unchecked_game(game[0], self._rules), want="value", **limit)  # type: ignore[arg-type]
        mine = self._rules.side(int(game["actor"][0])) == side
        return (float(found.value) if mine else -float(found.value)) if found.exact else None

    # --- play-outs ---------------------------------------------------------------------------------------------------

    def measure(self, observed: Observed, listed: _Listed, limits: _Limits) -> list[Turn]:
        likely = np.argsort(-listed.worth, kind="stable")[: RUNNERS if self._judges else RUNNERS_UNJUDGED]
        tried = np.array(list(dict.fromkeys([*likely.tolist(), *listed.asked])))
        kept = np.isin(tried, listed.asked)  # whatever they lose
        leader = self._race(observed, listed, tried, limits)
        results, done, look = np.full((limits.games, len(tried)), np.nan), 0, min(FIRST_LOOK, limits.games)
        running, cut = np.arange(len(tried)), self._cut(observed)
        while done < limits.games and (done == 0 or clock.monotonic() < limits.until):
            games, numbers = min(max(1, BATCH // len(running)), look - done), listed.numbers[tried[running]]
            played = self._play_out(observed, numbers, limits.seed, FRESH + done, games, cut)
            results[done : done + games, running], done = played, done + games
            if done == look:
                look = min(2 * look, limits.games)
                leader, loss, error = _compared(results[:done], leader)
                if (NORMAL * error[running]).max() <= limits.precision:
                    break
                stays = kept | (loss - STRICT * error <= MISTAKE) | (tried == tried[leader])
                running = running[stays[running]]
        leader, loss, error = _compared(results[:done], leader)
        losses, halves = listed.worth[tried[leader]] - listed.worth, np.full(len(listed.keys), NORMAL * DOUBT_JUDGED)
        losses[tried] = loss
        halves[tried] = NORMAL * np.hypot(error, DOUBT if observed.hidden else DOUBT_ENDING) * (error > 0.0)
        played = np.zeros(len(listed.keys), int)
        played[tried] = (~np.isnan(results)).sum(axis=0)
        shares = np.exp(-np.maximum(losses, 0.0) / TEMPERATURE)
        return _told(listed, losses, halves, float(np.nanmean(results[:done, leader])), played, shares)

    def _cut(self, observed: Observed) -> int:
        """Turns in a play-out (decisions of bots), the one that is tried aside."""
        if self._ends_exactly(observed):
            return max(0, sum(int(hand).bit_count() for hand in observed.view["hands"][0]) - 1 - LAST)
        return ROUNDS * self._rules.players - 1 if self._estimates else 1 << 40

    def _ends_exactly(self, observed: Observed) -> bool:
        return self._judges and not observed.hidden and self._rules.players == 2 and not self._rules.count_out

    def _race(self, observed: Observed, listed: _Listed, tried: Array, limits: _Limits) -> int:
        """Which of the tried turns seems to be the best; half of the games and of the time are for it."""
        race = Race(listed.worth[tried], DOUBT_JUDGED if self._judges else 10.0)
        until = (clock.monotonic() + limits.until) / 2
        cut = self._cut(observed)
        fixed = self._ends_exactly(observed) or not self._estimates
        for heat in heats_of(self._rules.players, cut if fixed else None):
            race.next_heat(heat.doubt)
            while len(race.running) > 1 and race.games < heat.games and race.total < limits.games // 2:
                if race.total and clock.monotonic() >= until:
                    break
                games = max(1, BATCH // 16 // len(race.running))
                numbers = listed.numbers[tried[race.running]]
                race.add(self._play_out(observed, numbers, limits.seed, race.total, games, heat.cut))
        return race.leader

    def _play_out(self, observed: Observed, turns: Array, seed: int, first: int, games: int, cut: int) -> Array:
        """What the turns come to in so many determinizations, numbered from first on: [determinization, turn]."""
        rollouts, count = self._rollouts, games * len(turns)
        if not begin_rollouts(self._root(observed), UNWEIGHTED, rollouts, turns, np.uint64(seed), first, games):
            raise NoDeterminizationError(f"no game agrees with what seat {observed.seat} knows")
        roll_out(rollouts, self._record, self._policy, cut, 0, count)
        results = rollouts.result[:count, self._rules.side(observed.seat)].copy()
        for number in range(count) if self._ends_exactly(observed) else ():
            value = self._exact(rollouts.games[number : number + 1], observed.seat, nodes=SOLVER_NODES)
            results[number] = results[number] if value is None else value
        return results.reshape(games, -1)


def _compared(results: Array, leader: int) -> tuple[int, Array, Array]:
    """(the best turn: the leader unless another is better for sure; what the others lose to it; its standard error)"""
    loss, error = _losses(results, leader)
    better = int(np.argmin(loss + STRICT * error))
    if loss[better] + STRICT * error[better] < 0.0:
        return better, *_losses(results, better)
    return leader, loss, error


def _losses(results: Array, leader: int) -> tuple[Array, Array]:
    differences = results[:, [leader]] - results
    counts = (~np.isnan(differences)).sum(axis=0)
    spread = (counts * np.nanvar(differences, axis=0) + FEWEST * SPREAD**2) / (counts + FEWEST)
    return np.nanmean(differences, axis=0), np.sqrt(spread / counts) * (np.arange(len(counts)) != leader)


def _told(listed: _Listed, losses: Array, halves: Array, value: float, games: Array, shares: Array) -> list[Turn]:
    """The turns, the best first. value: of the best."""
    rows = zip(
        listed.actions,
        losses.tolist(),
        halves.tolist(),
        (shares / shares.sum()).tolist(),
        games.tolist(),
        listed.keys,
        strict=True,
    )
    turns = [
        Turn(actions, value - loss, loss, loss - half, loss + half, share, played, key)
        for actions, loss, half, share, played, key in rows
    ]
    return sorted(turns, key=lambda turn: (turn.loss != 0.0 or turn.low != turn.high, turn.loss))
