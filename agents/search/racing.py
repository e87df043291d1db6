"""Racing: the turns of a seat that cannot see all cards, tried in determinizations of what it knows.

In every determinization each turn that is still in the race is played, then all seats play on by a network over
afterstates. Nobody sees more than its seat may know, so no turn is chosen for what only the determinization can know.
All turns are tried in the same ones (common random numbers), and whatever falls clearly behind is left out, as in
Hoeffding races and in sequential halving. A race has heats: the later, the further games are played.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from casino_env.agents.policy.judging import Judge, Judged, judge_afterstates
from casino_env.agents.search.horizon import last_turn
from casino_env.agents.search.rollouts import Rollouts
from casino_env.arrays import Array
from casino_env.compiler.jit import entry
from casino_env.compiler.types import F64, I64, Word
from casino_env.engine.afterstates import LIMIT, follow
from casino_env.engine.state import GAME, Records, RulesRow
from casino_env.engine.turn import play_forced
from casino_env.knowledge.determinizations import complete
from casino_env.rng import nth_word, uniform

_FEWEST = 8  # determinizations before a turn may be left out
_STRICT = 2.0  # standard errors by which it has to be behind
_SPREAD = 1.5  # points: how much two turns differ from game to game, as far as few games do not show it
_MANY = 1 << 40  # games: as many as there is time for


class Heat(NamedTuple):
    """A part of a race."""

    cut: int  # turns that are played in a game before the network judges
    games: int  # at most
    doubt: float  # points: how wrong the difference of two turns is after any number of such games
    by_bot: bool = False  # a bot plays on


# With the rounds that are played. The later the network is asked, the less it is wrong; but a game takes longer then,
# and tells less by itself. So the first heat finds out what is clearly worse, and only what is left is played further.
_HEATS = ((2, 32, 0.3), (4, 256, 0.15), (8, _MANY, 0.1))
# Where games end at the horizon: in the first heat a bot plays on, which is much faster.
_TO_HORIZON = ((True, 256, 0.2), (False, _MANY, 0.1))


def heats_of(players: int, cut: int | None, horizon: int = 0) -> list[Heat]:
    """cut: of a single heat."""
    if cut is not None:
        return [Heat(cut, _MANY, 0.0)]
    if horizon:
        return [Heat(_MANY, games, doubt, by_bot) for by_bot, games, doubt in _TO_HORIZON]
    return [Heat(rounds * players - 1, games, doubt) for rounds, games, doubt in _HEATS]


class TurnRoot(NamedTuple):
    """The decision that is thought about."""

    seen: Records  # a record, as the seat sees it
    rules: RulesRow
    seat: int
    judged: Judged  # the afterstates that it can leave
    horizon: int = 0  # of play-outs (horizon.py)


@entry
def list_turns(root: TurnRoot, judge: Judge) -> int:
    """List and judge what the seat can leave; returns how many afterstates that are."""
    root.judged.afterstates.stack[0] = root.seen[0]
    return judge_afterstates(root.judged, root.rules[0], judge, root.seat, LIMIT)


class Weighted(NamedTuple):
    """Determinizations with importance weights, to be drawn from."""

    games: Records
    cumulated: F64  # the weight of each and those before it, up to 1


UNWEIGHTED = Weighted(np.zeros(0, GAME), np.zeros(0))  # none: each is a new one


@entry
def begin_rollouts(
    root: TurnRoot, weighted: Weighted, rollouts: Rollouts, tried: I64, seed: Word, first: int, games: int
) -> bool:
    """Each of the tried turns in so many determinizations, numbered from first on, one after the other; false if none
    agrees with the view."""
    r, walk = root.rules[0], root.judged.afterstates.walk[0]
    many, ready = tried.shape[0], weighted.games.shape[0] > 0
    for number in range(games * many):
        g, rng = rollouts.games[number], rollouts.rngs[number : number + 1]
        rng[0] = nth_word(seed, first + number // many)
        drawn = weighted.games[np.searchsorted(weighted.cumulated, uniform(rng))] if ready else root.seen[0]
        rollouts.games[number] = drawn
        g.rng = nth_word(rng[0], 1)
        if not ready and not complete(root.seen[0], r, root.seat, g):
            return False
        g.match = 0  # the deal at hand is what counts
        rollouts.begun[number], rollouts.until[number] = g.turns + 1, last_turn(g, r, root.horizon)
        follow(g, r, walk, tried[number % many])
        play_forced(g, r)
    return True


class Race:
    """What is known of some turns: what was expected of each at first, and what it came to in the games so far."""

    def __init__(self, expected: Array, trust: float) -> None:
        """expected: points. trust: the standard error of the difference of two of them; the greater, the less the
        expectation counts beside the games."""
        self.total = self.games = 0  # of all heats, and of this one
        self.worth, self._trust, self._doubt = expected.astype(np.float64), trust, 0.0
        self._begin()
        self.running = np.arange(len(expected))
        self.leader = int(np.argmax(expected))

    def next_heat(self, doubt: float) -> None:
        """What has been found out is now what is expected."""
        if self.games:
            _, error = self._behind()
            self._trust = float(np.hypot(self._doubt, error.max()))
            self._begin()
        self._doubt = doubt

    def _begin(self) -> None:
        many = len(self.worth)
        self._expected, self.games = self.worth.copy(), 0
        self._sums, self._products = np.zeros(many), np.zeros((many, many))

    def add(self, results: Array) -> None:
        """A row for each game, in points of the turns that are running; says who leads then, and who is out."""
        more = results - self._expected[self.running]
        self._sums[self.running] += more.sum(axis=0)
        self._products[np.ix_(self.running, self.running)] += more.T @ more
        self.games += len(results)
        self.total += len(results)
        behind, _ = self._behind()
        self.leader = int(self.running[np.argmin(behind)])
        behind, error = self._behind()
        weight = self.games / (self.games + _FEWEST)
        self.worth[self.running] = self._expected[self.leader] + weight * self._sums[self.leader] / self.games - behind
        if self.games >= _FEWEST:
            self.running = self.running[behind <= _STRICT * np.hypot(error, self._doubt)]

    def _behind(self) -> tuple[Array, Array]:
        """By how much those that run are behind the leader, and the standard error of that."""
        count, leader, running = self.games, self.leader, self.running
        expected = self._expected[leader] - self._expected[running]
        gap = (self._sums[leader] - self._sums[running]) / count
        products = self._products
        squares = (products[leader, leader] + products[running, running] - 2 * products[leader, running]) / count
        spread = (count * np.maximum(0.0, squares - gap**2) + _FEWEST * _SPREAD**2) / (count + _FEWEST)
        sure, guessed = count / spread, 1.0 / self._trust**2
        return expected + gap * sure / (sure + guessed), np.sqrt(1.0 / (sure + guessed))
