"""Play-outs that measure what turns lose to the best of them (used by verdicts.py).

A race (racing.py) chooses the best turn; new determinizations then measure the others against it. So the differences
are unbiased: none of them decided which turn is the best. All turns are tried in the same determinizations with the
same random numbers, and differences are paired.
"""

from typing import Annotated, NamedTuple

import numpy as np

from casino_env.arrays import Array
from casino_env.compiler.jit import kernel
from casino_env.compiler.types import F64, I64, Elements, F64x2, Sizes

STRICT = 3.0  # standard errors by which a difference must be sure before all games are played
FIRST_LOOK = 32  # games before differences are first compared; then after twice as many each time
FEWEST, SPREAD = 8, 1.5  # prior: so many games in which differences have this spread, in points
FRESH = 1 << 32  # number of the first determinization that races do not use
BATCH = 512  # play-outs at once
TRIED = 128  # most turns

MEASURING = np.dtype(
    [
        ("many", np.int64),  # turns that were tried
        ("running", np.int64),  # turns that are still measured
        ("best", np.int64),
        ("done", np.int64),  # games
        ("look", np.int64),  # games after which differences are compared next
    ]
)


class Measured(NamedTuple):
    """Statistics of the turns that are tried, and of pairs of them over the games in which both were played."""

    state: Annotated[Array, Elements(MEASURING), Sizes(1)]
    running: Annotated[I64, Sizes(TRIED)]  # turns that are still measured
    kept: Annotated[I64, Sizes(TRIED)]  # 1: measured whatever it loses
    games: Annotated[I64, Sizes(TRIED)]
    sums: Annotated[F64, Sizes(TRIED)]  # sums of results
    gaps: Annotated[F64x2, Sizes(TRIED, TRIED)]  # sums of the first turn's results less the second's
    squares: Annotated[F64x2, Sizes(TRIED, TRIED)]
    loss: Annotated[F64, Sizes(TRIED)]  # points that each is worth less than the best
    error: Annotated[F64, Sizes(TRIED)]  # standard error of the loss


@kernel
def begin_measuring(m, many, best, games):
    """Begin with `many` turns. best: the turn that others are compared with; games: the most games."""
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
    """Add results. results: [game after game, each with all running turns; side]."""
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
    """Compute what every turn loses to the best, and its standard error."""
    best = m.state[0].best
    for i in range(m.state[0].many):
        count = m.games[i]
        m.loss[i] = m.gaps[best, i] / count
        variance = max(0.0, m.squares[best, i] / count - m.loss[i] ** 2)
        spread = (count * variance + FEWEST * SPREAD**2) / (count + FEWEST)
        m.error[i] = np.sqrt(spread / count) if i != best else 0.0


@kernel
def compare(m):
    """Compute the losses; if another turn is surely better than the best, make it the best."""
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
    """Compare when due: return whether losses are known to `error`; else drop turns that surely lose over `lost`."""
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
