"""What every complete turn of a seat is worth, how sure that is, and whether one that was played was a mistake: the one
judge of hints, reviews and whoever else asks.

1. The turns are listed by the afterstates that they leave; those of `also` are put among them.
2. Where no card is hidden and there are two sides, the exact solver has SOLVING of the time: for the position, the
   turns of `also` and a best one, then for the others. If it finishes the first three, it is the judge. Where the order
   of a pile is not known, several must come to the same.
3. Else, where no card is hidden, the policy looks ahead, turn by turn deeper for as long as there is time.
4. Else play-outs (search/measuring.py) of the turns that the policy likes best, and of `also`: a race finds the best
   one, then as many new play-outs as PRECISION needs, or GAMES or the time allow, measure what the others lose to it.
   What loses more than a mistake for sure is left out. They go on for some rounds and end with the policy's value;
   where no policy has learnt the game bots play to the end.
5. Turns that none of these has come to are as far behind as the policy judges.

As the best turn is chosen before it is measured, losses are unbiased: their sum over a game (net) is what the judge's
turns would have brought, gains (losses below 0) included. An interval (95 %) holds the noise of the play-outs, and a
DOUBT: how far random play and the policy's value are from the truth after any number of them. Where no card is hidden
nothing is drawn: the interval is the doubt alone, by how wrong such values are beside the solver's.
"""

from __future__ import annotations

import time as clock
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np

from casino_env.actions import END
from casino_env.agents.search.measuring import ROUNDS, Limits, PlayOuts
from casino_env.agents.solver.solver import Endings
from casino_env.agents.workspaces import Turnstile
from casino_env.arrays import Array
from casino_env.engine.entrypoints import act
from casino_env.observed import Observed
from casino_env.rules import Rules
from casino_env.turns import afterstate_key, may_do

SECONDS, GAMES, PRECISION = 2.0, 1024, 0.1  # at most; half of the interval of the noise, in points
MISTAKE = 0.25  # points: a turn that loses more for sure is one
NORMAL = 1.96  # standard errors: half of a 95 % interval
DOUBT, DOUBT_BOTS = 0.15, 0.5  # standard errors of play-outs, in points: of a policy, and of bots
DOUBT_AHEAD, DOUBT_BOTS_AHEAD = 0.4, 5.0  # where no card is hidden: of a policy in units of its value, and of bots
LISTINGS = 16  # turns that are listed in looking ahead, at most: as many for each of the games
DOUBT_JUDGED = 0.5  # at least, of turns that have not been played out
TRIED, TRIED_UNJUDGED = 8, 24  # turns that are played out: the best by the policy; without one
TEMPERATURE = 0.2  # points, by which the strongest is thought to choose
SOLVING = 0.5


@dataclass(frozen=True)
class Turn:
    actions: tuple[int, ...]  # of the seat, until somebody else decides
    value: float  # points more than the others at the end of the deal, for the side that looks
    loss: float  # points that it is worth less than the best turn; below 0: more
    low: float  # the interval of the loss; both ends are the loss where it is exact
    high: float
    chance: float  # of being played by the strongest
    games: int  # play-outs, if it was judged by those
    key: Hashable = field(repr=False)  # equal for turns that leave the same


@dataclass(frozen=True)
class Advice:
    by: Literal["solver", "look-ahead", "play-outs"]
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
    rounds: int = ROUNDS,
    seed: int = 0,
    solve: bool = True,
) -> Advice:
    """For the seat that decides. also: turns that are measured whatever the policy thinks of them, as one should be of
    which a verdict is wanted. With less time than the games take the answer depends on the machine."""
    if not observed.mask.any():
        raise ValueError(f"seat {observed.seat} has nothing to decide")
    judge = _judge(observed.rules)
    with judge.entrance:  # its workspace holds one position
        until = clock.monotonic() + seconds
        listed = judge.list_turns(observed, also)
        order = [
            *listed.asked,
            *(k for k in np.argsort(-listed.worth, kind="stable").tolist() if k not in listed.asked),
        ]
        values = (
            judge.endings.values_of(observed, listed.actions, order, len(listed.asked), SOLVING * seconds)
            if solve
            else None
        )
        if values is not None:
            return Advice("solver", _solved(listed, values, judge.play_outs.scale), observed)
        if (ahead := judge.play_outs.look_ahead(observed, until, LISTINGS * games)) is not None:
            return Advice("look-ahead", _looked_ahead(listed, *ahead, DOUBT_AHEAD * judge.play_outs.scale), observed)
        limits = Limits(until, games, precision / NORMAL, MISTAKE, rounds)
        return Advice("play-outs", _measured(judge, observed, listed, limits, seed), observed)


def verdict(advice: Advice, turn: Sequence[int]) -> Verdict:
    """Of a turn that was played."""
    known = find(advice, turn)
    return Verdict(known.loss, known.low, known.high, known.low > MISTAKE)


def find(advice: Advice, turn: Sequence[int]) -> Turn:
    """The turn that leaves the same as these actions, with or without its forced end and whatever their order."""
    judge = _judge(advice.observed.rules)
    with judge.entrance:
        _, key = judge.left(advice.observed, turn)
    for known in advice.turns:
        if known.key == key:
            return known
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


def _solved(listed: _Listed, values: Array, scale: float) -> list[Turn]:
    """values: NaN where the solver has not finished; such a turn may be as good as the best."""
    open_, best = np.isnan(values), np.nanmax(values)
    judged = np.maximum(listed.worth[np.nanargmax(values)] - listed.worth, 0.0)
    losses = np.where(open_, judged, best - values)
    halves = np.where(open_, np.maximum(judged, NORMAL * DOUBT_AHEAD * scale), 0.0)
    return _told(listed, losses, halves, float(best), np.zeros(len(values), int), values == best)


def _looked_ahead(listed: _Listed, values: Array, ended: bool, doubt: float) -> list[Turn]:
    """values: of the listed turns, by number; one of also may be beyond them."""
    known = listed.numbers < len(values)
    worth = np.where(known, values[np.where(known, listed.numbers, 0)], listed.worth)
    losses, doubt = worth.max() - worth, DOUBT if ended else doubt
    halves = NORMAL * doubt * (np.arange(len(worth)) != worth.argmax())
    return _told(
        listed, losses, halves, worth.max(), np.zeros(len(losses), int), np.exp(-losses / max(TEMPERATURE, doubt))
    )


def _measured(judge: _Judge, observed: Observed, listed: _Listed, limits: Limits, seed: int) -> list[Turn]:
    play_outs = judge.play_outs
    likely = np.argsort(-listed.worth, kind="stable")[: TRIED if play_outs.judges else TRIED_UNJUDGED]
    tried = np.array(list(dict.fromkeys([*likely.tolist(), *listed.asked])))
    kept = np.isin(tried, listed.asked)
    found = play_outs.measure(observed, listed.numbers[tried], listed.worth[tried], kept, limits, seed)
    doubts = (DOUBT, DOUBT_AHEAD * play_outs.scale) if play_outs.policy else (DOUBT_BOTS, DOUBT_BOTS_AHEAD)
    doubt = doubts[0 if observed.hidden else 1]
    losses = listed.worth[tried[found.best]] - listed.worth
    halves = np.full(len(losses), NORMAL * max(DOUBT_JUDGED, doubt))
    games = np.zeros(len(losses), int)
    losses[tried], games[tried] = found.loss, found.games
    halves[tried] = NORMAL * np.hypot(found.error, doubt) * (found.error > 0.0)
    shares = np.exp(-np.maximum(losses, 0.0) / max(TEMPERATURE, doubt))
    return _told(listed, losses, halves, found.value, games, shares)


def _told(listed: _Listed, losses: Array, halves: Array, value: float, games: Array, shares: Array) -> list[Turn]:
    """The turns, of equal ones that first which the policy likes better. value: of the best."""
    lows, highs, shares = losses - halves, losses + halves, shares / shares.sum()
    order = np.lexsort((-listed.worth, losses, (losses != 0.0) | (halves != 0.0)))
    return [
        Turn(
            actions=listed.actions[k],
            value=float(value - losses[k]),
            loss=float(losses[k]),
            low=float(lows[k]),
            high=float(highs[k]),
            chance=float(shares[k]),
            games=int(games[k]),
            key=listed.keys[k],
        )
        for k in order
    ]


@lru_cache(maxsize=4)
def _judge(rules: Rules) -> _Judge:
    return _Judge(rules)


class _Judge:
    """The workspace of one game, for one thread."""

    def __init__(self, rules: Rules) -> None:
        self.entrance = Turnstile()
        self.play_outs, self.endings = PlayOuts(rules), Endings(0)
        self._rules, self._record = rules, self.play_outs.record

    def list_turns(self, observed: Observed, also: Iterable[Sequence[int]]) -> _Listed:
        play_outs, turns = self.play_outs, dict[Hashable, tuple[int, tuple[int, ...]]]()
        worth, walk = play_outs.list_worth(observed), play_outs.judged.afterstates.walk[0]
        for k in range(len(worth)):
            actions, key = self.left(observed, walk["paths"][k, : walk["lengths"][k]].tolist())
            turns.setdefault(key, (k, actions))
        asked = [self.left(observed, turn) for turn in also]
        if not (turns or asked):  # too long for the list
            asked = [self.left(observed, observed.legal()[:1])]
        for actions, key in asked:
            if key not in turns:
                k, worth = play_outs.add([action for action in actions if action != END], worth)
                turns = {other: turn for other, turn in turns.items() if turn[0] != k} | {key: (k, actions)}
        numbers, keys = np.array([k for k, _ in turns.values()]), list(turns)
        return _Listed(
            numbers, [own for _, own in turns.values()], keys, worth[numbers], [keys.index(key) for _, key in asked]
        )

    def left(self, observed: Observed, turn: Sequence[int]) -> tuple[tuple[int, ...], Hashable]:
        """The actions of a turn until somebody else decides, those without alternative among them whether they are told
        or not, and a key of what it leaves."""
        if observed.view["to_move"][0] != observed.seat:
            return tuple(turn[:1]), tuple(turn[:1])  # an answer inside the turn of another seat
        here, actions = observed.view.copy(), list[int]()
        rest = list(turn[: turn.index(END)] if END in turn else turn)
        while may := may_do(here, self._record, observed.seat):
            if rest and rest[0] in may:
                action = rest.pop(0)
            elif len(may) == 1 and may != [END]:
                action = may[0]
            else:
                break
            act(here, self._record, action)
            actions.append(action)
        end = [END] if END in may else []
        return (*actions, *end), afterstate_key(here, self._rules, self.play_outs.judged.afterstates.walk["same"][0])
