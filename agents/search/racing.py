"""Racing: a seat's turns are tried in determinizations of what it knows, and turns that fall behind are dropped.

In every determinization each turn still in the race is played, then all seats play on with a network over afterstates.
Each sees only what its seat may know, so no turn is chosen for what only the determinization can know. All turns are
tried in the same determinizations (common random numbers), and turns that are clearly behind are dropped, as in
Hoeffding races and sequential halving. A race has heats: the later the heat, the further games are played.
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

_FEWEST = 8  # determinizations before a turn may be dropped
_STRICT = 2.0  # standard errors by which it must be behind
_SPREAD = 1.5  # points: prior spread, between games, of the difference of two turns; counts as _FEWEST games
_MANY = 1 << 40  # games: as many as there is time for
IN_HEATS = -1  # instead of the cut of a single heat

# By heat: rounds played before the network judges, most games, and the doubt: points by which the difference of two
# turns is wrong after any number of such games. The later the network judges, the less it errs; but games take longer
# then, and each tells less. So the first heat drops turns that are clearly worse, and only the others are played
# further. A race of a moment begins at heat 0, others at 1.
_ROUNDS, _GAMES, _DOUBTS = (1, 2, 4, 8), (32, 32, 256, _MANY), (0.4, 0.3, 0.15, 0.1)
# The same where games end at the horizon: in the first heat a bot plays, which is much faster.
_GAMES_TO_HORIZON, _DOUBTS_TO_HORIZON = (0, 256, _MANY), (0.2, 0.2, 0.1)
_FIRST = 1


# --- turns, and the games in which they are tried --------------------------------------------------------------------


class TurnRoot(NamedTuple):
    """The decision to search."""

    seen: Records  # one record: the seat's view
    rules: RulesRow
    seat: int
    judged: Judged  # its afterstates
    horizon: int = 0  # of play-outs (horizon.py)


@kernel
def list_and_judge_turns(root, judge):
    """List and judge the seat's afterstates; return how many there are."""
    root.judged.afterstates.stack[0] = root.seen[0]
    return judge_afterstates(root.judged, root.rules[0], judge, root.seat, LIMIT)


class Weighted(NamedTuple):
    """Determinizations with importance weights, from which games are drawn."""

    games: Annotated[Records, Sizes("weighted")]
    cumulated: Annotated[F64, Sizes("weighted")]  # cumulative weights, up to 1


@kernel
def deal_rollouts(root, weighted, many_weighted, rollouts, tried, seed, first, games):
    """Deal determinizations, numbered from first on, and play each of the tried turns in each; return false if no game
    agrees with the view. games: how many determinizations; many_weighted: if not 0, draw from so many weighted ones."""
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
        g.match = 0  # only this deal counts
        rollouts.begun[number], rollouts.until[number] = g.turns + 1, last_turn(g, r, root.horizon)
        follow(g, r, walk, tried[number % many])
        play_forced(g, r)
    return True


# --- the race --------------------------------------------------------------------------------------------------------

RACE = np.dtype(
    [
        ("turns", np.int64),  # turns that entered the race
        ("running", np.int64),  # turns not dropped
        ("leader", np.int64),
        ("total", np.int64),  # games of all heats
        ("games", np.int64),  # games of this heat
        ("dealt", np.int64),  # games whose results are not yet added
        ("weighted", np.int64),  # weighted determinizations to draw from; 0: each game is a new determinization
        ("seed", np.uint64),
        ("trust", np.float64),  # points: standard error of the expected difference of two turns
        # the heat
        ("heat", np.int64),
        ("cut", np.int64),  # turns of a game before the network judges
        ("most", np.int64),  # games
        ("by_bot", np.int64),  # 1: a bot plays
        ("doubt", np.float64),
        ("single", np.int64),  # the cut of a single heat, or IN_HEATS
    ]
)


class Race(NamedTuple):
    """What is known of the turns: what was expected of each, and its results in the games so far."""

    state: Annotated[Array, Elements(RACE), Sizes(1)]
    turns: Annotated[I64, Sizes("racers")]  # the afterstates to which they lead
    worth: Annotated[F64, Sizes("racers")]  # in points, by all that is known
    expected: Annotated[F64, Sizes("racers")]  # worth when the heat began
    running: Annotated[I64, Sizes("racers")]  # indices in turns of those not dropped
    tried: Annotated[I64, Sizes("racers")]  # and their afterstates
    sums: Annotated[F64, Sizes("racers")]  # sums of results less what was expected
    products: Annotated[F64x2, Sizes("racers", "racers")]  # sums of the products of two turns' such differences
    more: Annotated[F64, Sizes("racers")]  # these differences in one game
    behind: Annotated[F64, Sizes("racers")]  # points behind the leader, by index in turns
    error: Annotated[F64, Sizes("racers")]  # standard error of behind
    rollouts: Rollouts
    weighted: Weighted


@kernel
def start_race(race, many, trust, single):
    """Start a race of `many` turns by their worth in points. trust: standard error of the difference of two worths; the
    greater, the more the games count. single: the cut of a single heat, or IN_HEATS."""
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
    """Race for a moment only, between sorted turns expected to be at most `margin` points behind the first."""
    s = race.state[0]
    s.heat = -1
    while s.running > 1 and race.worth[0] - race.worth[s.running - 1] > margin:
        s.running -= 1


@kernel
def _begin_heat(race):
    """Take the worth found so far as what is expected of the next games."""
    many = race.state[0].turns
    race.state[0].games = 0
    for k in range(many):
        race.expected[k], race.sums[k] = race.worth[k], 0.0
        race.products[k, :many] = 0.0


@kernel
def next_heat(race, players, horizon):
    """Begin the next heat. horizon: 1 if games end at the horizon, 0 if they end with the deal."""
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
    """Return whether more than one turn is running; begin the next heat if this one is over."""
    s = race.state[0]
    while s.running > 1 and s.games >= s.most:
        next_heat(race, r.players, horizon_of(r, horizon))
    return s.running > 1


@kernel
def deal_games(race, root, games):
    """Deal so many new games for all running turns; return false if no game agrees with what the seat knows."""
    s = race.state[0]
    s.dealt = games
    tried = race.tried[: s.running]
    return deal_rollouts(root, race.weighted, s.weighted, race.rollouts, tried, s.seed, s.total, games)


@kernel
def play_games(race, r, policy, first, last):
    """Play out the dealt games from first to before last."""
    mover = policy.mover if race.state[0].by_bot else policy.player
    play_out(race.rollouts, r, policy, mover, race.state[0].cut, first, last)


@kernel
def add_games(race, r, seat):
    """Add the results once all dealt games are played out: find the leader, and drop turns that are clearly behind."""
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
    """Compute how far each running turn is behind the leader, and the standard error."""
    s, p = race.state[0], race.products
    lead, count = s.leader, s.games
    for k in race.running[: s.running]:
        gap = (race.sums[lead] - race.sums[k]) / count
        squares = (p[lead, lead] + p[k, k] - 2 * p[lead, k]) / count
        spread = (count * max(0.0, squares - gap**2) + _FEWEST * _SPREAD**2) / (count + _FEWEST)
        sure, guessed = count / spread, 1.0 / s.trust**2
        race.behind[k] = race.expected[lead] - race.expected[k] + gap * sure / (sure + guessed)
        race.error[k] = np.sqrt(1.0 / (sure + guessed))
