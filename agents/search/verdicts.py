"""The judge of complete turns, a kernel that resumes (agents/advise.py says what it does and why): it lists the turns
of a seat, goes from stage to stage, and says what the turns are worth."""

from typing import Annotated, NamedTuple

import numpy as np

from casino_env.actions import END
from casino_env.agents.deciding import judges_turns
from casino_env.agents.policy.judging import Judged, judge_afterstates
from casino_env.agents.policy.lookahead import (
    ENDED,
    TOLD,
    Levels,
    all_known,
    begin_deepening,
    deepen,
    looks_ahead,
    must_look,
)
from casino_env.agents.search.horizon import NEVER
from casino_env.agents.search.measuring import (
    FRESH,
    TRIED,
    Measured,
    begin_measuring,
    compare,
    count_games,
    games_at_once,
    look_again,
)
from casino_env.agents.search.racing import (
    IN_HEATS,
    Race,
    TurnRoot,
    add_games,
    deal_games,
    deal_rollouts,
    goes_on,
    play_games,
    start_race,
)
from casino_env.agents.search.rollouts import play_out
from casino_env.agents.solver.alpha_beta import DONE, OPEN
from casino_env.agents.solver.endings import IMPOSSIBLE, READY, TURN, Ending, begin_turns, close_turns, go_on_turns
from casino_env.arrays import Array
from casino_env.compiler.jit import kernel
from casino_env.compiler.types import F64, I64, Elements, I16x2, Sizes, Word
from casino_env.engine import action_set
from casino_env.engine.afterstates import DEPTH, LIMIT, MOST, list_afterstates
from casino_env.engine.complete_turns import follow_given
from casino_env.engine.legal import legal_actions
from casino_env.engine.reading import side_of
from casino_env.engine.state import Records

SECONDS, GAMES, PRECISION = 2.0, 1024, 0.1  # at most; half of the interval of the noise, in points
ROUNDS = 4  # turns of every seat in a play-out, before the policy judges
MISTAKE = 0.25  # points: a turn that loses more for sure is one
UNSURE = 1.0  # points: with half an interval beyond this, what is no mistake has not been judged
NORMAL = 1.96  # standard errors: half of a 95 % interval
DOUBT, DOUBT_BOTS = 0.15, 0.5  # standard errors of play-outs, in points: of a policy, and of bots
DOUBT_AHEAD, DOUBT_BOTS_AHEAD = 0.4, 5.0  # where no card is hidden: of a policy in units of its value, and of bots
DOUBT_JUDGED = 0.5  # at least, of turns that have not been played out
LISTINGS = 16  # turns that are listed in looking ahead, at most: as many for each of the games
LIKELY, LIKELY_UNJUDGED = 8, 24  # turns that are played out: the best by the policy; without one
TRUST, UNJUDGED = 0.5, 10.0  # points: standard error of a difference of the policy's judgements, and without a policy
TEMPERATURE = 0.2  # points, by which the strongest is thought to choose
SOLVING, RACE = 0.5, 0.5  # of the time; of what is left then, and of the games
_POSITIONS = 4_000  # of the solver between two looks at the clock
_RACE_GAMES = 32  # play-outs at once in a race
MOST_ASKED = 100  # turns

BY = ("solver", "look-ahead", "play-outs")
_SOLVER, _LOOK_AHEAD, _PLAY_OUTS = range(len(BY))
NO_TURN = 3  # beside OPEN, DONE and IMPOSSIBLE: what was asked of is no complete turn
_SOLVING, _AFTER_SOLVING, _LOOKING, _RACING, _MEASURING, _JUDGED = range(6)  # stages

JUDGING = np.dtype(
    [
        ("stage", np.int64),
        ("by", np.int64),
        ("turns", np.int64),
        ("seat", np.int64),
        ("scale", np.float64),  # points that a unit of the policy's value stands for
        ("seed", np.uint64),
        ("games", np.int64),  # play-outs of a turn, at most
        ("precision", np.float64),
        ("rounds", np.int64),
        ("told", np.int64),  # depths to which was looked ahead
        ("ended", np.int64),  # to the last of them all was followed to the end of the deal
        ("race_until", np.float64),  # part of the time
        ("given", np.int16, DEPTH + 1),
    ],
    align=True,
)


class Question(NamedTuple):
    """What is asked, beside a position."""

    also: I16x2  # [turn, step]: turns that are measured whatever the policy thinks of them, -1 after the last action
    seconds: float
    games: int  # play-outs of a turn, at most
    precision: float  # half of the interval of the noise, in points, that is enough
    rounds: int  # turns of every seat in a play-out
    solve: int  # 1: by the solver, where it can
    seed: Word


class Board(NamedTuple):
    """What is judged, and what is known of it."""

    state: Annotated[Array, Elements(JUDGING), Sizes(1)]
    seen: Annotated[Records, Sizes(1)]
    turns: Annotated[Array, Elements(TURN), Sizes(MOST + 1)]  # one more, to work in
    order: Annotated[I64, Sizes(MOST)]  # of turns: the best first
    ahead: Annotated[F64, Sizes(MOST)]  # worth of afterstates, to the last depth of the look-ahead
    tried: Annotated[I64, Sizes(TRIED)]  # turns that are played out
    measured: Measured
    race: Race


class JudgesWorkspace(NamedTuple):
    board: Board
    judged: Judged  # the turns at hand; those of the policy are others
    ending: Ending
    levels: Levels


# --- the turns of a seat ---------------------------------------------------------------------------------------------


@kernel
def _follow(board, afterstates, r, turn):
    """What `given` comes to, as a turn; whether it is a complete one."""
    state, v = board.state[0], afterstates.stack[DEPTH]
    afterstates.stack[DEPTH] = board.seen[0]
    turn.long, turn.key, whole = follow_given(v, r, afterstates.walk[0], state.seat, state.given, turn.actions)
    turn.asked, turn.games, turn.value = 0, 0, np.nan
    return whole


@kernel
def _find(board, key):
    """The number of the turn with this key, or of how many there are."""
    for i in range(board.state[0].turns):
        if board.turns[i].key == key:
            return i
    return board.state[0].turns


@kernel
def _list(board, judged, r, player):
    """What the seat can leave, and what the policy thinks that it is worth; returns how many afterstates there are."""
    state, afterstates, found = board.state[0], judged.afterstates, 0
    afterstates.stack[0] = board.seen[0]
    if judges_turns(player):
        found = judge_afterstates(judged, r, player.judge, state.seat, LIMIT)
    else:
        found = list_afterstates(afterstates, r, state.seat, LIMIT)
        judged.worth[:found] = 0.0
    walk, state.turns = afterstates.walk[0], 0
    for k in range(found):
        for step in range(walk.lengths[k]):
            state.given[step] = walk.paths[k, step]
        state.given[walk.lengths[k]] = -1
        at = state.turns
        turn = board.turns[at]
        _follow(board, afterstates, r, turn)
        turn.number, turn.worth = k, judged.worth[k] * state.scale
        state.turns += _find(board, turn.key) == at
    return found


@kernel
def _put_among(board, walk, found, asked):
    """A turn that is asked for and not listed (the last row) among the others; if they are too many, instead of the
    last one that nobody asks for."""
    state, new, at, best = board.state[0], board.turns[MOST], board.state[0].turns, 0.0
    for i in range(state.turns):
        best = board.turns[i].worth if i == 0 else max(best, board.turns[i].worth)
    new.number, new.worth, new.asked = found, best, asked
    if found == MOST:
        at -= 1
        while board.turns[at].asked:
            at -= 1
        new.number = board.turns[at].number
    own = 0
    for step in range(new.long):
        if new.actions[step] != END:
            walk.paths[new.number, own] = new.actions[step]
            own += 1
    walk.lengths[new.number] = own
    board.turns[at] = new
    state.turns = max(state.turns, at + 1)
    return max(found, new.number + 1)


@kernel
def _ask(board, afterstates, r, found, also):
    """Mark the turns that are asked for, in their order; returns whether all are complete turns."""
    state, new = board.state[0], board.turns[MOST]
    for a in range(also.shape[0]):
        for step in range(DEPTH + 1):
            state.given[step] = also[a, step]
        if not _follow(board, afterstates, r, new):
            return False
        i = _find(board, new.key)
        if i == state.turns:
            found = _put_among(board, afterstates.walk[0], found, a + 1)
        elif not board.turns[i].asked:
            board.turns[i].asked = a + 1
    return True


# --- what they are worth ---------------------------------------------------------------------------------------------


@kernel
def _say(turn, loss, half, best):
    """A loss and half of its interval. best: what the best turn is worth."""
    turn.value, turn.loss, turn.low, turn.high = best - loss, loss, loss - half, loss + half


@kernel
def _comes_before(turn, other):
    """Of equal ones that first which the policy likes better."""
    sure, others = turn.low == 0.0 and turn.high == 0.0, other.low == 0.0 and other.high == 0.0
    if sure != others:
        return sure
    return turn.loss < other.loss or (turn.loss == other.loss and turn.worth > other.worth)


@kernel
def _conclude(board, by):
    """Chances from shares, and the best first."""
    state, turns, total = board.state[0], board.turns, 0.0
    for i in range(state.turns):
        total += turns[i].chance
        at = i
        while at > 0 and _comes_before(turns[i], turns[board.order[at - 1]]):
            board.order[at] = board.order[at - 1]
            at -= 1
        board.order[at] = i
    for i in range(state.turns):
        turns[i].chance /= total
    state.stage, state.by = _JUDGED, by


@kernel
def _conclude_solved(board):
    """A turn whose value the solver has not found may be as good as the best."""
    many, turns, top = board.state[0].turns, board.turns, -1
    for i in range(many):
        if not np.isnan(turns[i].value) and (top < 0 or turns[i].value > turns[top].value):
            top = i
    best, worth = turns[top].value, turns[top].worth
    for i in range(many):
        turn = turns[i]
        turn.chance = 1.0 if turn.value == best else 0.0
        judged = max(worth - turn.worth, 0.0)
        if np.isnan(turn.value):
            _say(turn, judged, max(judged, NORMAL * DOUBT_AHEAD * board.state[0].scale), best)
        else:
            _say(turn, best - turn.value, 0.0, best)
    _conclude(board, _SOLVER)


@kernel
def _conclude_ahead(board, found, ended):
    """By `ahead`, of the afterstates that were followed; a turn that is asked for may be beyond them."""
    many, turns, scale, top = board.state[0].turns, board.turns, board.state[0].scale, 0
    for i in range(many):
        number = turns[i].number
        turns[i].value = board.ahead[number] * scale if number < found else turns[i].worth
        top = i if turns[i].value > turns[top].value else top
    best, doubt = turns[top].value, DOUBT if ended else DOUBT_AHEAD * scale
    for i in range(many):
        loss = best - turns[i].value
        turns[i].chance = np.exp(-loss / max(TEMPERATURE, doubt))
        _say(turns[i], loss, NORMAL * doubt if i != top else 0.0, best)
    _conclude(board, _LOOK_AHEAD)


@kernel
def _doubt(board, r, player):
    """How far play-outs are from the truth after any number of them, in points."""
    if player.judge.theta.shape[0]:
        return DOUBT_AHEAD * board.state[0].scale if all_known(board.seen[0], r) else DOUBT
    return DOUBT_BOTS_AHEAD if all_known(board.seen[0], r) else DOUBT_BOTS


@kernel
def _conclude_measured(board, doubt):
    m, turns = board.measured, board.turns
    compare(m)
    best = m.state[0].best
    value, worth = m.sums[best] / m.games[best], turns[board.tried[best]].worth
    for i in range(board.state[0].turns):
        _say(turns[i], worth - turns[i].worth, NORMAL * max(DOUBT_JUDGED, doubt), value)
    for i in range(m.state[0].many):
        turn = turns[board.tried[i]]
        turn.games = m.games[i]
        _say(turn, m.loss[i], NORMAL * np.hypot(m.error[i], doubt) if m.error[i] > 0.0 else 0.0, value)
    for i in range(board.state[0].turns):
        turns[i].chance = np.exp(-max(turns[i].loss, 0.0) / max(TEMPERATURE, doubt))
    _conclude(board, _PLAY_OUTS)


# --- from stage to stage ---------------------------------------------------------------------------------------------


@kernel
def begin_judging(w, policy, rules, view, seat, asked):
    """List the turns of the seat, which decides. OPEN, IMPOSSIBLE if no game agrees with what it knows, or NO_TURN if
    it is asked of what is none."""
    board, r = w.board, rules[0]
    state = board.state[0]
    board.seen[0] = view[0]
    state.seat, state.seed, state.scale = seat, asked.seed, policy.player.judge.value_scale
    state.games, state.precision, state.rounds = asked.games, asked.precision, asked.rounds
    found = _list(board, w.judged, r, policy.player)
    if found == 0 and asked.also.shape[0] == 0:  # too long for the list
        state.given[0], state.given[1] = action_set.nth(legal_actions(view[0], r), 0), -1
        _follow(board, w.judged.afterstates, r, board.turns[MOST])
        _put_among(board, w.judged.afterstates.walk[0], found, 1)
    if not _ask(board, w.judged.afterstates, r, found, asked.also):
        return NO_TURN
    state.stage = _AFTER_SOLVING
    if asked.solve:
        ready = begin_turns(w.ending, r, view[0], seat, SOLVING * asked.seconds)
        if ready == IMPOSSIBLE:
            return IMPOSSIBLE
        if ready == READY:
            state.stage = _SOLVING
    return OPEN


@kernel
def go_on_judging(w, policy, rules, play, used):
    """A few milliseconds more: OPEN, DONE, or IMPOSSIBLE. used: the part of the time that is over."""
    board, r = w.board, rules[0]
    state = board.state[0]
    if state.stage == _SOLVING:
        _solve(board, w.ending, r, used)
    elif state.stage == _AFTER_SOLVING:
        _begin_after_solving(w, r, policy.player, play, used)
    elif state.stage == _LOOKING:
        _look(board, w.levels, r, policy.player, used)
    elif state.stage == _RACING:
        if not _race(board, w.judged, rules, policy, used):
            return IMPOSSIBLE
    elif not _measure(board, w.judged, rules, policy, used):
        return IMPOSSIBLE
    return DONE if state.stage == _JUDGED else OPEN


@kernel
def _solve(board, ending, r, used):
    many = board.state[0].turns
    if go_on_turns(ending, board.turns, many, r, _POSITIONS) == OPEN and used < SOLVING:
        return
    if close_turns(ending, board.turns, many):
        _conclude_solved(board)
    else:
        board.state[0].stage = _AFTER_SOLVING


@kernel
def _begin_after_solving(w, r, player, play, used):
    """Look ahead where the policy can; else play turns out."""
    state = w.board.state[0]
    state.told = 0
    if judges_turns(player) and looks_ahead(w.board.seen[0], r, play, state.seat):
        begin_deepening(w.levels, r, player.judge, play, w.board.seen[0], np.inf)
        state.stage = _LOOKING
    else:
        _begin_race(w.board, player, used)


@kernel
def _look(board, levels, r, player, used):
    """Deeper, as long as there is time; without anything to look at turns are played out."""
    state, left = board.state[0], LISTINGS * board.state[0].games - levels.state[0].listings
    if left <= 0 or used >= 1.0:
        left = LISTINGS if must_look(levels) else 0
    found = levels.frames[0].found
    looked = deepen(levels, r, player.judge, min(left, LISTINGS)) if left else ENDED
    if left and found > 1 and (looked == TOLD or (looked == ENDED and levels.state[0].open == 0)):
        for k in range(found):
            board.ahead[k] = levels.worth[0, k]
        state.told, state.ended = state.told + 1, levels.state[0].open == 0
    if looked == ENDED and state.told:
        _conclude_ahead(board, found, state.ended)
    elif looked == ENDED:
        _begin_race(board, player, used)


# --- play-outs -------------------------------------------------------------------------------------------------------


@kernel
def _root(board, judged, rules):
    return TurnRoot(board.seen, rules, board.state[0].seat, judged, 0)


@kernel
def _begin_race(board, player, used):
    """Between the turns that the policy likes best and those that are asked for."""
    state, race, turns, many = board.state[0], board.race, board.turns, 0
    likely = LIKELY if judges_turns(player) else LIKELY_UNJUDGED
    for k in range(state.turns):
        better = 0
        for i in range(state.turns):
            better += turns[i].worth > turns[k].worth or (turns[i].worth == turns[k].worth and i < k)
        if better < likely or turns[k].asked:
            board.tried[many], race.turns[many], race.worth[many] = k, turns[k].number, turns[k].worth
            board.measured.kept[many] = turns[k].asked
            many += 1
    start_race(
        race, many, TRUST if judges_turns(player) else UNJUDGED, IN_HEATS if player.judge.theta.shape[0] else NEVER
    )
    race.state[0].seed = state.seed
    state.race_until = used + RACE * (1.0 - used)
    state.stage = _RACING


@kernel
def _race(board, judged, rules, policy, used):
    """Some games more; false if none agrees with what the seat knows."""
    r, state, race = rules[0], board.state[0], board.race
    total = race.state[0].total
    enough = total >= RACE * state.games or (total > 0 and used >= state.race_until)
    if enough or not goes_on(race, r, 0):
        begin_measuring(board.measured, race.state[0].turns, race.state[0].leader, state.games)
        state.stage = _MEASURING
        return True
    games = max(1, _RACE_GAMES // race.state[0].running)
    if not deal_games(race, _root(board, judged, rules), games):
        return False
    play_games(race, r, policy, 0, games * race.state[0].running)
    add_games(race, r, state.seat)
    return True


@kernel
def _measure(board, judged, rules, policy, used):
    """The same in new games."""
    r, state, m, race = rules[0], board.state[0], board.measured, board.race
    running, done = m.state[0].running, m.state[0].done
    if done < state.games and (done == 0 or used < 1.0):
        for a in range(running):
            race.tried[a] = race.turns[m.running[a]]
        games, rollouts = games_at_once(m), race.rollouts
        root, tried = _root(board, judged, rules), race.tried[:running]
        if not deal_rollouts(root, race.weighted, 0, rollouts, tried, state.seed, FRESH + done, games):
            return False
        cut = state.rounds * r.players - 1 if policy.player.judge.theta.shape[0] else NEVER
        play_out(rollouts, r, policy, policy.mover, cut, 0, games * running)
        count_games(m, rollouts.result, games, side_of(r, state.seat))
        if not look_again(m, state.games, state.precision / NORMAL, MISTAKE):
            return True
    _conclude_measured(board, _doubt(board, r, policy.player))
    return True
