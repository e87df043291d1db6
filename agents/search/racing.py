"""Racing: the turns of a seat that cannot see all cards, tried in determinizations of what it knows.

In every determinization each turn that is still in the race is played, then all seats play on by a network over
afterstates. Nobody sees more than its seat may know, so no turn is chosen for what only the determinization can know.
All turns are tried in the same ones (common random numbers), and whatever falls clearly behind is left out, as in
Hoeffding races and in sequential halving. A race has heats: the later, the further games are played.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from casino_env.agents.policy.judging import Judged, judge_afterstates
from casino_env.agents.search.horizon import NEVER, horizon_of, last_turn
from casino_env.agents.search.rollouts import Rollouts, play_out
from casino_env.arrays import Array
from casino_env.compiler.jit import kernel
from casino_env.compiler.types import F64, I64, Elements, F64x2, Sizes
from casino_env.engine.afterstates import LIMIT, follow
from casino_env.engine.reading import side_of
from casino_env.engine.state import Records, RulesRow
from casino_env.engine.turn import play_forced
from casino_env.knowledge.determinizations import complete
from casino_env.rng import nth_word, uniform

_FEWEST = 8  # determinizations before a turn may be left out
_STRICT = 2.0  # standard errors by which it has to be behind
_SPREAD = 1.5  # points: how much two turns differ from game to game, as far as few games do not show it
_MANY = 1 << 40  # games: as many as there is time for
IN_HEATS = -1  # instead of the cut of a single heat

# By heat: the rounds that are played before the network judges, games at most, and the doubt: points by which the
# difference of two turns is wrong after any number of such games. The later the network is asked, the less it is wrong;
# but a game takes longer then, and tells less by itself. So the first heat finds out what is clearly worse, and only
# what is left is played further. A race for moments begins at heat 0, others at 1.
_ROUNDS, _GAMES, _DOUBTS = (1, 2, 4, 8), (32, 32, 256, _MANY), (0.4, 0.3, 0.15, 0.1)
# Where games end at the horizon: in the first heat a bot plays on, which is much faster.
_GAMES_TO_HORIZON, _DOUBTS_TO_HORIZON = (0, 256, _MANY), (0.2, 0.2, 0.1)
_FIRST = 1


# --- what is tried, and in which games -------------------------------------------------------------------------------


class TurnRoot(NamedTuple):
    """The decision that is thought about."""

    seen: Records  # a record, as the seat sees it
    rules: RulesRow
    seat: int
    judged: Judged  # the afterstates that it can leave
    horizon: int = 0  # of play-outs (horizon.py)


@kernel
def list_and_judge_turns(root, judge):
    """What the seat can leave; returns how many afterstates that are."""
    root.judged.afterstates.stack[0] = root.seen[0]
    return judge_afterstates(root.judged, root.rules[0], judge, root.seat, LIMIT)


class Weighted(NamedTuple):
    """Determinizations with importance weights, to be drawn from."""

    games: Annotated[Records, Sizes("weighted")]
    cumulated: Annotated[F64, Sizes("weighted")]  # the weight of each and those before it, up to 1


@kernel
def deal_rollouts(root, weighted, many_weighted, rollouts, tried, seed, first, games):
    """Each of the tried turns in so many determinizations, numbered from first on, one after the other; false if none
    agrees with the view."""
    r, walk, many = root.rules[0], root.judged.afterstates.walk[0], tried.shape[0]
    for number in range(games * many):
        g, rng = rollouts.games[number], rollouts.rngs[number : number + 1]
        rng[0] = nth_word(seed, first + number // many)
        if many_weighted:
            point = np.searchsorted(weighted.cumulated[:many_weighted], uniform(rng))
            rollouts.games[number] = weighted.games[point]
        else:
            rollouts.games[number] = root.seen[0]
        g.rng = nth_word(rng[0], 1)
        if not many_weighted and not complete(root.seen[0], r, root.seat, g):
            return False
        g.match = 0  # the deal at hand is what counts
        rollouts.begun[number], rollouts.until[number] = g.turns + 1, last_turn(g, r, root.horizon)
        follow(g, r, walk, tried[number % many])
        play_forced(g, r)
    return True


# --- the race --------------------------------------------------------------------------------------------------------

RACE = np.dtype(
    [
        ("turns", np.int64),  # that race
        ("running", np.int64),  # of them
        ("leader", np.int64),
        ("total", np.int64),  # games of all heats
        ("games", np.int64),  # of this heat
        ("dealt", np.int64),  # games whose play-outs are to be added
        ("weighted", np.int64),  # determinizations with importance weights; 0: each game is a new one
        ("seed", np.uint64),
        ("trust", np.float64),  # points: the standard error of the difference of two turns by what is expected
        # the heat
        ("heat", np.int64),
        ("cut", np.int64),  # turns that are played in a game before the network judges
        ("most", np.int64),  # games
        ("by_bot", np.int64),  # a bot plays on
        ("doubt", np.float64),
        ("single", np.int64),  # the cut of a single heat, or IN_HEATS
    ]
)


class Race(NamedTuple):
    """What is known of some turns: what was expected of each at first, and what it came to in the games so far."""

    state: Annotated[Array, Elements(RACE), Sizes(1)]
    turns: Annotated[I64, Sizes("racers")]  # the afterstates to which they lead
    worth: Annotated[F64, Sizes("racers")]  # in points, by all that is known
    expected: Annotated[F64, Sizes("racers")]  # when the heat began
    running: Annotated[I64, Sizes("racers")]  # those that are not left out, by their places in turns
    tried: Annotated[I64, Sizes("racers")]  # and their afterstates
    sums: Annotated[F64, Sizes("racers")]  # of what the games brought beyond what was expected
    products: Annotated[F64x2, Sizes("racers", "racers")]
    more: Annotated[F64, Sizes("racers")]  # what one game brought
    behind: Annotated[F64, Sizes("racers")]  # the leader, by place in turns
    error: Annotated[F64, Sizes("racers")]  # the standard error of that
    rollouts: Rollouts
    weighted: Weighted


@kernel
def start_race(race, many, trust, single):
    """Of so many turns, with their worth in points. trust: the standard error of the difference of two of these; the
    greater, the less they count beside the games. single: the cut of a single heat, or IN_HEATS."""
    s = race.state[0]
    s.turns = s.running = many
    s.total, s.dealt, s.weighted, s.heat, s.most, s.doubt = 0, 0, 0, _FIRST - 1, 0, 0.0
    s.trust, s.single, s.leader = trust, single, 0
    for k in range(many):
        race.running[k], race.tried[k] = k, race.turns[k]
        if race.worth[k] > race.worth[s.leader]:
            s.leader = k
    _begin_heat(race)


@kernel
def keep_near(race, margin):
    """For moments: only turns that are expected to be so few points behind the best one run. They stand in order."""
    s = race.state[0]
    s.heat = -1
    while s.running > 1 and race.worth[0] - race.worth[s.running - 1] > margin:
        s.running -= 1


@kernel
def _begin_heat(race):
    """What has been found out is now what is expected."""
    many = race.state[0].turns
    race.state[0].games = 0
    for k in range(many):
        race.expected[k], race.sums[k] = race.worth[k], 0.0
        race.products[k, :many] = 0.0


@kernel
def next_heat(race, players, horizon):
    """horizon: 1 where games end there."""
    s = race.state[0]
    if s.games:
        _compare(race)
        worst = 0.0
        for k in race.running[: s.running]:
            worst = max(worst, race.error[k])
        s.trust = np.sqrt(s.doubt**2 + worst**2)
        _begin_heat(race)
    s.heat += 1
    if s.single != IN_HEATS:
        s.cut, s.most, s.by_bot, s.doubt = s.single, _MANY, 0, 0.0
    elif horizon:
        s.cut, s.most, s.doubt = NEVER, _GAMES_TO_HORIZON[s.heat], _DOUBTS_TO_HORIZON[s.heat]
        s.by_bot = np.int64(s.heat <= _FIRST)
    else:
        s.cut, s.most, s.by_bot, s.doubt = _ROUNDS[s.heat] * players - 1, _GAMES[s.heat], 0, _DOUBTS[s.heat]


@kernel
def goes_on(race, r, horizon):
    """More than one turn is running; the next heat begins where one is over."""
    s = race.state[0]
    while s.running > 1 and s.games >= s.most:
        next_heat(race, r.players, horizon_of(r, horizon))
    return s.running > 1


@kernel
def deal_games(race, root, games):
    """All turns that run in so many new games, to be played out; false if no game agrees with what the seat knows."""
    s = race.state[0]
    s.dealt = games
    tried = race.tried[: s.running]
    return deal_rollouts(root, race.weighted, s.weighted, race.rollouts, tried, s.seed, s.total, games)


@kernel
def play_games(race, r, policy, first, last):
    """Some of the play-outs that were dealt."""
    mover = policy.mover if race.state[0].by_bot else policy.player
    play_out(race.rollouts, r, policy, mover, race.state[0].cut, first, last)


@kernel
def add_games(race, r, seat):
    """Results of what was dealt, when all is played out: who leads now, and who is out."""
    s, side = race.state[0], side_of(r, seat)
    many, running, more = s.running, race.running, race.more
    for game in range(s.dealt):
        for i in range(many):
            more[i] = race.rollouts.result[game * many + i, side] - race.expected[running[i]]
        for i in range(many):
            race.sums[running[i]] += more[i]
            for j in range(many):
                race.products[running[i], running[j]] += more[i] * more[j]
    s.games += s.dealt
    s.total += s.dealt
    s.dealt = 0
    _compare(race)
    leader = running[0]
    for k in running[:many]:
        if race.behind[k] < race.behind[leader]:
            leader = k
    s.leader = leader
    _compare(race)
    leads = race.expected[s.leader] + s.games / (s.games + _FEWEST) * race.sums[s.leader] / s.games
    s.running = 0
    for i in range(many):
        k = running[i]
        race.worth[k] = leads - race.behind[k]
        if s.games < _FEWEST or race.behind[k] <= _STRICT * np.sqrt(race.error[k] ** 2 + s.doubt**2):
            running[s.running], race.tried[s.running] = k, race.turns[k]
            s.running += 1


@kernel
def _compare(race):
    """By how much those that run are behind the leader, and the standard error of that."""
    s, p = race.state[0], race.products
    lead, count = s.leader, s.games
    for k in race.running[: s.running]:
        gap = (race.sums[lead] - race.sums[k]) / count
        squares = (p[lead, lead] + p[k, k] - 2 * p[lead, k]) / count
        spread = (count * max(0.0, squares - gap**2) + _FEWEST * _SPREAD**2) / (count + _FEWEST)
        sure, guessed = count / spread, 1.0 / s.trust**2
        race.behind[k] = race.expected[lead] - race.expected[k] + gap * sure / (sure + guessed)
        race.error[k] = np.sqrt(1.0 / (sure + guessed))
