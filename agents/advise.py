"""What every complete turn of a seat is worth, how sure that is, and whether one that was played was a mistake: the one
judge of hints and reviews. The work is done by kernels (search/verdicts.py) that every language calls.

1. The turns are listed by the afterstates that they leave; those of `also` are put among them.
2. Where no card is hidden and there are two sides, the exact solver has SOLVING of the time: for the position, the
   turns of `also` and a best one, then for the others. If it finishes the first three, it is the judge. Where the order
   of a pile is not known, several must give the same.
3. Else, where no card is hidden, the policy looks ahead, turn by turn deeper for as long as there is time.
4. Else play-outs (search/measuring.py) of the turns that the policy likes best, and of `also`: a race finds the best
   one, then as many new play-outs as PRECISION needs, or GAMES or the time allow, measure what the others lose to it.
   What loses more than a mistake for sure is left out. They go on for some rounds and end with the policy's value;
   where no policy has learnt the game bots play to the end.
5. All other turns are as far behind as the policy judges.

As the best turn is chosen before it is measured, losses are unbiased: their sum over a game (net) is what the judge's
turns would have brought, gains (losses below 0) included. An interval (95 %) holds the noise of the play-outs, and a
DOUBT: how far random play and the policy's value are from the truth after any number of them. Where no card is hidden
nothing is drawn: the interval is the doubt alone, by how wrong such values are beside the solver's.
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
from casino_env.game import MAX_SEED
from casino_env.observed import Observed
from casino_env.rules import Rules
from casino_env.validate import int_in


@dataclass(frozen=True)
class Turn:
    actions: tuple[int, ...]  # of the seat, until somebody else decides
    value: float  # points more than the others at the end of the deal, for the side that looks
    loss: float  # points that it is worth less than the best turn; below 0: more
    low: float  # the interval of the loss; both ends are the loss where it is exact
    high: float
    chance: float  # of being played by the strongest
    games: int  # play-outs, if it was judged by those
    key: int = field(repr=False)  # equal for turns that leave the same


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
    """What the turns of the seat that decides are worth, the best first.

    >>> import casino_env
    >>> from casino_env.actions import action_text
    >>> from casino_env.agents.advise import advise
    >>> game = casino_env.Game("south-african", players=2, seed=3)
    >>> found = advise(casino_env.observe(game), games=64, seconds=60.0)
    >>> found.by, [action_text(action) for action in found.turns[0].actions], found.turns[0].loss
    ('play-outs', ['discard 6D', 'end'], 0.0)

    also: turns that are measured whatever the policy thinks of them, as one should be of which a verdict is wanted.
    With less time than the games take the answer depends on the machine.
    """
    if not observed.mask.any():
        raise ValueError(f"seat {observed.seat} has nothing to decide")
    asked = [_row(turn) for turn in also]
    if len(asked) > MOST_ASKED:
        raise ValueError(f"also has {len(asked)} turns; at most {MOST_ASKED} are measured at once")
    rows = np.array(asked, np.int16).reshape(-1, DEPTH + 1)
    word: Any = np.uint64(int_in(seed, "seed", 0, MAX_SEED))
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
    """Of a turn that was played."""
    known = find(advice, turn)
    return Verdict(known.loss, known.low, known.high, known.low > MISTAKE)


def find(advice: Advice, turn: Sequence[int]) -> Turn:
    """The turn that leaves the same as these actions, with or without its forced end and whatever their order."""
    judge, path = _judge(advice.observed.rules), np.zeros(DEPTH + 1, np.int16)
    with judge.entrance:
        about, judged = judge.agent.about, judge.agent.judged
        _, key, whole = follow_turn(advice.observed.view, about.rules, judged.afterstates, _row(turn), path)
    for known in advice.turns:
        if whole and known.key == key:
            return known
    raise ValueError("the advice does not tell of this turn: ask for it by also=[turn]")


def net(verdicts: Iterable[Verdict]) -> tuple[float, float]:
    """What these turns lost in all, less what they gained, and half of the interval of that."""
    some = list(verdicts)
    halves = [(each.high - each.low) / 2 for each in some]
    return sum(each.loss for each in some), float(np.sqrt(np.square(halves).sum()))


def _row(turn: Sequence[int]) -> Array:
    """As kernels are handed it."""
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
    """The best policy that has learnt the game plays on all seats, else the best bot."""
    name = strongest_policy(rules)
    return Opening("judge", find_rollout_policy(f"policy:{name}" if name else ladder(rules)[-1]), {}, [])
