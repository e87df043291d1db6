"""Play-outs that measure what turns lose to the best of them (verdicts.py says how that is used).

A race (racing.py) chooses the best turn; determinizations that it has not seen then measure the others beside it. So a
difference is unbiased: it was not among those by which the best was chosen. All turns are tried in the same
determinizations with the same random numbers, and differences are paired.
"""

from typing import Annotated, NamedTuple

import numpy as np

from casino_env.arrays import Array
from casino_env.compiler.jit import kernel
from casino_env.compiler.types import F64, I64, Elements, F64x2, Sizes

STRICT = 3.0  # standard errors by which something must be sure before all is played
FIRST_LOOK = 32  # games after which differences are looked at first; then after twice as many each time
FEWEST, SPREAD = 8, 1.5  # differences are taken to have this spread (points), as if so many games had shown it
FRESH = 1 << 32  # the number of the first determinization that is not for races
BATCH = 512  # play-outs at once
TRIED = 128  # turns, at most

MEASURING = np.dtype(
    [
        ("many", np.int64),  # turns that were tried
        ("running", np.int64),  # of these
        ("best", np.int64),
        ("done", np.int64),  # games
        ("look", np.int64),  # after so many differences are looked at
    ]
)


class Measured(NamedTuple):
    """Of the turns that are tried, and of pairs of them in the games in which both were played."""

    state: Annotated[Array, Elements(MEASURING), Sizes(1)]
    running: Annotated[I64, Sizes(TRIED)]  # those that still are
    kept: Annotated[I64, Sizes(TRIED)]  # 1: measured whatever it loses
    games: Annotated[I64, Sizes(TRIED)]
    sums: Annotated[F64, Sizes(TRIED)]  # of results
    gaps: Annotated[F64x2, Sizes(TRIED, TRIED)]  # of the results of the first less those of the second
    squares: Annotated[F64x2, Sizes(TRIED, TRIED)]
    loss: Annotated[F64, Sizes(TRIED)]  # points that each is worth less than the best
    error: Annotated[F64, Sizes(TRIED)]  # standard error of that


@kernel
def begin_measuring(m, many, best, games):
    """The first turns of `kept`; at most so many games."""
    state = m.state[0]
    state.many, state.running, state.best, state.done = many, many, best, 0
    state.look = min(FIRST_LOOK, games)
    m.games[:], m.sums[:], m.gaps[:], m.squares[:] = 0, 0.0, 0.0, 0.0
    for i in range(many):
        m.running[i] = i


@kernel
def games_at_once(m):
    state = m.state[0]
    return min(max(1, BATCH // state.running), state.look - state.done)


@kernel
def count_games(m, results, games, side):
    """results: of the running turns in one game after the other, by side."""
    many = m.state[0].running
    for game in range(games):
        for a in range(many):
            i, mine = m.running[a], results[game * many + a, side]
            m.games[i] += 1
            m.sums[i] += mine
            for b in range(many):
                gap = mine - results[game * many + b, side]
                m.gaps[i, m.running[b]] += gap
                m.squares[i, m.running[b]] += gap * gap
    m.state[0].done += games


@kernel
def _lose(m):
    """What all lose to the best, and the standard error of that."""
    best = m.state[0].best
    for i in range(m.state[0].many):
        count = m.games[i]
        m.loss[i] = m.gaps[best, i] / count
        variance = max(0.0, m.squares[best, i] / count - m.loss[i] ** 2)
        spread = (count * variance + FEWEST * SPREAD**2) / (count + FEWEST)
        m.error[i] = np.sqrt(spread / count) if i != best else 0.0


@kernel
def compare(m):
    """The best turn, which becomes another one if that is better for sure, and what the others lose to it."""
    _lose(m)
    better = 0
    for i in range(1, m.state[0].many):
        if m.loss[i] + STRICT * m.error[i] < m.loss[better] + STRICT * m.error[better]:
            better = i
    if m.loss[better] + STRICT * m.error[better] < 0.0:
        m.state[0].best = better
        _lose(m)


@kernel
def look_again(m, games, error, lost):
    """After enough games: whether the differences are known well enough, else leave out what loses more for sure."""
    state = m.state[0]
    if state.done < state.look:
        return False
    state.look = min(2 * state.look, games)
    compare(m)
    largest, many = 0.0, 0
    for a in range(state.running):
        largest = max(largest, m.error[m.running[a]])
    if largest <= error:
        return True
    for a in range(state.running):
        i = m.running[a]
        if m.kept[i] or i == state.best or m.loss[i] - STRICT * m.error[i] <= lost:
            m.running[many] = i
            many += 1
    state.running = many
    return False
