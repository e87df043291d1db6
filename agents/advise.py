"""The judge of hints and reviews: the worth of every complete turn of a seat, with an interval, and which are mistakes.
Kernels that every language calls do the work (search/verdicts.py).

1. List the turns by the afterstates that they leave, and add those of `also`.
2. If no card is hidden and there are two sides, give the exact solver SOLVING of the time. It solves the position, the
   turns of `also` and a best turn, then the others. If it finishes the first three, its values count. If the order of
   a pile is unknown, several orders must agree.
3. Else, if no card is hidden, the policy looks ahead, one turn deeper at a time while there is time.
4. Else use play-outs (search/measuring.py) of `also` and of the turns that the policy likes best. A race finds the best
   turn. New play-outs then measure how much the others lose to it, until PRECISION, GAMES or the time is reached; turns
   that surely lose more than a mistake are dropped. A play-out lasts some rounds and ends with the policy's value. If
   no policy has learnt the game, bots play to the end.
5. All other turns get the loss that the policy estimates.

The best turn is chosen before it is measured, so losses are unbiased: their sum over a game (net) is what the judge's
turns would have gained; gains are losses below 0. An interval (95 %) covers the noise of the play-outs and a DOUBT, the
error of random play and of the policy's value after any number of them. If no card is hidden nothing is sampled, and
the interval is the doubt alone, measured by comparing such values with the solver's.
"""

from __future__ import annotations

import time as clock
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from casino_env.actions import ACTIONS
from casino_env.agents.opened import GO_ON, ask, judge_on
from casino_env.agents.opening import InGame, Opening, error_of
from casino_env.agents.policy.shipped import strongest_policy
from casino_env.agents.registry import ladder
from casino_env.agents.search.rollouts import find_rollout_policy
from casino_env.agents.search.verdicts import BY, GAMES, MISTAKE, MOST_ASKED, PRECISION, ROUNDS, SECONDS, Question
from casino_env.arrays import Array
from casino_env.engine.afterstates import DEPTH
from casino_env.engine.complete_turns import follow_turn
from casino_env.game import seed_number
from casino_env.observed import Observed
from casino_env.rules import Rules
from casino_env.validate import int_in


@dataclass(frozen=True)
class Turn:
    actions: tuple[int, ...]  # of the seat, until another seat decides
    value: float  # points ahead of the others at the end of the deal, for the seat's side
    loss: float  # points that it is worth less than the best turn; below 0: worth more
    low: float  # interval of the loss; both ends equal it if it is exact
    high: float
    chance: float  # probability that the strongest player chooses it
    games: int  # its play-outs; 0 if judged otherwise
    key: int = field(repr=False)  # equal for turns with the same result


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
    mistake: bool  # whether the whole interval is above MISTAKE


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
    """Judge the turns of the seat that decides; return them, the best first.

    >>> import casino_env
    >>> from casino_env.actions import action_text
    >>> from casino_env.agents.advise import advise
    >>> game = casino_env.Game("south-african", players=2, seed=3)
    >>> found = advise(casino_env.observe(game), games=64, seconds=60.0)
    >>> found.by, [action_text(action) for action in found.turns[0].actions], found.turns[0].loss
    ('play-outs', ['discard 6D', 'end'], 0.0)

    also: turns to measure whatever the policy thinks of them; name a turn here if you want its verdict. If `seconds`
    end before `games` are played, the answer depends on the machine.
    """
    if not observed.mask.any():
        raise ValueError(f"seat {observed.seat} has nothing to decide")
    asked = [_row(turn) for turn in also]
    if len(asked) > MOST_ASKED:
        raise ValueError(f"also has {len(asked)} turns; at most {MOST_ASKED} can be measured at once")
    rows = np.array(asked, np.int16).reshape(-1, DEPTH + 1)
    word: Any = np.uint64(seed_number(seed))
    question = Question(rows, float(seconds), games, float(precision), rounds, int(solve), word)
    judge, began = _judge(observed.rules), clock.monotonic()
    with judge.entrance:  # its workspace holds one position
        judge.show(observed)
        found = ask(question, *judge.pinned)
        while found == GO_ON:
            found = judge_on(clock.monotonic() - began, *judge.pinned)
        if found < 0:
            raise error_of(found, observed.seat)
        board = judge.agent.board
        order = board.order[: board.state["turns"][0]]
        return Advice(BY[board.state["by"][0]], [_turn(board.turns[k]) for k in order], observed)  # type: ignore[arg-type]


def verdict(advice: Advice, turn: Sequence[int]) -> Verdict:
    """The verdict on a turn that was played."""
    known = find(advice, turn)
    return Verdict(known.loss, known.low, known.high, known.low > MISTAKE)


def find(advice: Advice, turn: Sequence[int]) -> Turn:
    """The turn with the same result as these actions, in any order and with or without the forced end."""
    key = _key(advice.observed, turn)
    for known in advice.turns:
        if known.key == key:
            return known
    raise ValueError("the advice does not cover this turn; ask for it with also=[turn]")


def judgeable(observed: Observed, turn: Sequence[int]) -> bool:
    """Whether these actions are a complete turn. They are not if they stop, for what the seat has learnt then, where a
    turn may not end."""
    return _key(observed, turn) is not None


def _key(observed: Observed, turn: Sequence[int]) -> int | None:
    """The key of the result of a complete turn."""
    judge, path = _judge(observed.rules), np.zeros(DEPTH + 1, np.int16)
    with judge.entrance:
        about, judged = judge.agent.about, judge.agent.judged
        _, key, whole = follow_turn(observed.view, about.rules, judged.afterstates, _row(turn), path)
    return int(key) if whole else None


def net(verdicts: Iterable[Verdict]) -> tuple[float, float]:
    """The total loss of these turns, gains subtracted, and half of its interval."""
    some = list(verdicts)
    halves = [(each.high - each.low) / 2 for each in some]
    return sum(each.loss for each in some), float(np.sqrt(np.square(halves).sum()))


def _row(turn: Sequence[int]) -> Array:
    """The actions of a turn as a row for kernels, padded with -1."""
    row = np.full(DEPTH + 1, -1, np.int16)
    row[: len(turn)] = [int_in(action, "an action of a turn", 0, ACTIONS - 1) for action in turn[: DEPTH + 1]]
    return row


def _turn(row: Any) -> Turn:
    numbers = {name: float(row[name]) for name in ("value", "loss", "low", "high", "chance")}
    return Turn(tuple(row["actions"][: row["long"]].tolist()), games=int(row["games"]), key=int(row["key"]), **numbers)


@lru_cache(maxsize=4)
def _judge(rules: Rules) -> InGame:
    return InGame(judge_opening(rules), rules)


def judge_opening(rules: Rules) -> Opening:
    """The judge's settings: the best policy that has learnt the game plays all seats, else the best bot."""
    name = strongest_policy(rules)
    return Opening("judge", find_rollout_policy(f"policy:{name}" if name else ladder(rules)[-1]), {}, [])
