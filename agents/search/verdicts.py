"""The judge of complete turns, a resumable kernel: it lists the turns of a seat and measures what each is worth.

agents/advise.py says what its stages do and why."""

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

SECONDS, GAMES, PRECISION = 2.0, 1024, 0.1  # most time, most play-outs a turn; half of the noise interval, in points
ROUNDS = 4  # turns of every seat in a play-out before the policy judges
MISTAKE = 0.25  # points: a turn that surely loses more is a mistake
UNSURE = 1.0  # points: if half the interval exceeds this, a turn that is no mistake counts as not judged
NORMAL = 1.96  # standard errors in half of a 95 % interval
DOUBT, DOUBT_BOTS = 0.15, 0.5  # standard error after any number of play-outs, in points: of a policy, of bots
DOUBT_AHEAD, DOUBT_BOTS_AHEAD = 0.4, 5.0  # the same where no card is hidden: of a policy in units of its value, of bots
DOUBT_JUDGED = 0.5  # least standard error of turns that have not been played out
LISTINGS = 16  # listings of turns in a step of the look-ahead; in all so many for each of `games`
LIKELY, LIKELY_UNJUDGED = 8, 24  # turns that are played out: the best by the policy; without a policy
TRUST, UNJUDGED = 0.5, 10.0  # points: standard error of the policy's judgement of a difference; without a policy
TEMPERATURE = 0.2  # points: temperature at which the strongest player is thought to choose
SOLVING, RACE = 0.5, 0.5  # share of the time for the solver; of the rest, and of the games, for the race
_POSITIONS = 4_000  # positions that the solver visits between two looks at the clock
_RACE_GAMES = 32  # play-outs at once in a race
MOST_ASKED = 100  # turns that a question may name

BY = ("solver", "look-ahead", "play-outs")
_SOLVER, _LOOK_AHEAD, _PLAY_OUTS = range(len(BY))
NO_TURN = 3  # result beside OPEN, DONE and IMPOSSIBLE: a turn that was asked for is not a complete turn
_SOLVING, _AFTER_SOLVING, _LOOKING, _RACING, _MEASURING, _JUDGED = range(6)  # stages

JUDGING = np.dtype(
    [
        ("stage", np.int64),
        ("by", np.int64),
        ("turns", np.int64),
        ("seat", np.int64),
        ("scale", np.float64),  # points in a unit of the policy's value
        ("seed", np.uint64),
        ("games", np.int64),  # most play-outs of a turn
        ("precision", np.float64),
        ("rounds", np.int64),
        ("told", np.int64),  # depths that the look-ahead has finished
        ("ended", np.int64),  # 1: the last depth followed every line to the end of the deal
        ("race_until", np.float64),  # part of the time
        ("given", np.int16, DEPTH + 1),
    ],
    align=True,
)


class Question(NamedTuple):
    """A question to the judge, beside the position."""

    also: I16x2  # [turn, step]: turns that are measured whatever the policy thinks of them; -1 after the last action
    seconds: float
    games: int  # most play-outs of a turn
    precision: float  # half of the noise interval that is enough, in points
    rounds: int  # turns of every seat in a play-out
    solve: int  # 1: use the solver where it can
    seed: Word


class Board(NamedTuple):
    """The turns that are judged, and what is known of them."""

    state: Annotated[Array, Elements(JUDGING), Sizes(1)]
    seen: Annotated[Records, Sizes(1)]
    turns: Annotated[Array, Elements(TURN), Sizes(MOST + 1)]  # the last row is scratch space
    order: Annotated[I64, Sizes(MOST)]  # indices of turns, the best first
    ahead: Annotated[F64, Sizes(MOST)]  # worth of afterstates at the last finished depth of the look-ahead
    tried: Annotated[I64, Sizes(TRIED)]  # indices of turns that are played out
    measured: Measured
    race: Race


class JudgesWorkspace(NamedTuple):
    board: Board
    judged: Judged  # for the turns at hand; the policy has a workspace of its own
    ending: Ending
    levels: Levels


# --- the turns of a seat ---------------------------------------------------------------------------------------------


@kernel
def _follow(board, afterstates, r, turn):
    """Read the actions in `given` into a turn; return whether they are a complete turn."""
    state, v = board.state[0], afterstates.stack[DEPTH]
    afterstates.stack[DEPTH] = board.seen[0]
    turn.long, turn.key, whole = follow_given(v, r, afterstates.walk[0], state.seat, state.given, turn.actions)
    turn.asked, turn.games, turn.value = 0, 0, np.nan
    return whole


@kernel
def _find(board, key):
    """Return the index of the turn with this key; without one, the number of turns."""
    for i in range(board.state[0].turns):
        if board.turns[i].key == key:
            return i
    return board.state[0].turns


@kernel
def _list(board, judged, r, player):
    """List the seat's turns, with what the policy thinks they are worth; return the number of afterstates."""
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
    """Add a turn that is asked for and not listed (the last row); in a full list it replaces the last one not asked
    for. Return the number of afterstates."""
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
    """Mark the turns that are asked for, in their order; return whether all are complete turns."""
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


# --- results ---------------------------------------------------------------------------------------------------------


@kernel
def _say(turn, loss, half, best):
    """Set a turn's value, loss and interval. half: half of the interval; best: worth of the best turn."""
    turn.value, turn.loss, turn.low, turn.high = best - loss, loss, loss - half, loss + half


@kernel
def _comes_before(turn, other):
    """Return whether a turn sorts before another: surely the best, then the smaller loss, then liked by the policy."""
    sure, others = turn.low == 0.0 and turn.high == 0.0, other.low == 0.0 and other.high == 0.0
    if sure != others:
        return sure
    return turn.loss < other.loss or (turn.loss == other.loss and turn.worth > other.worth)


@kernel
def _conclude(board, by):
    """Finish judging: normalise the chances, and sort the turns, the best first."""
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
    """Finish with the solver's values. A turn that it has not solved may be as good as the best."""
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
    """Finish with the values in `ahead`; a turn that is asked for may be missing there: it keeps the policy's worth."""
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
    """Return the standard error that play-outs have after any number of games, in points."""
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


# --- stages ----------------------------------------------------------------------------------------------------------


@kernel
def begin_judging(w, policy, rules, view, seat, asked):
    """List the turns of the seat, which is to decide. Return OPEN; IMPOSSIBLE if no game agrees with what it knows;
    NO_TURN if a turn that is asked for is not a complete turn."""
    board, r = w.board, rules[0]
    state = board.state[0]
    board.seen[0] = view[0]
    state.seat, state.seed, state.scale = seat, asked.seed, policy.player.judge.value_scale
    state.games, state.precision, state.rounds = asked.games, asked.precision, asked.rounds
    found = _list(board, w.judged, r, policy.player)
    if found == 0 and asked.also.shape[0] == 0:  # turns too long to list
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
    """Judge for a few milliseconds: return OPEN, DONE or IMPOSSIBLE. used: the part of the time that is over."""
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
    """Begin to look ahead where the policy can; else begin the race."""
    state = w.board.state[0]
    state.told = 0
    if judges_turns(player) and looks_ahead(w.board.seen[0], r, play, state.seat):
        begin_deepening(w.levels, r, player.judge, play, w.board.seen[0], np.inf)
        state.stage = _LOOKING
    else:
        _begin_race(w.board, player, used)


@kernel
def _look(board, levels, r, player, used):
    """Look deeper while there is time, then finish; if there was nothing to look at, begin the race."""
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
    """Begin a race between the turns that the policy likes best and those that are asked for."""
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
    """Race for some games more; return false if no game agrees with what the seat knows."""
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
    """Measure the turns for some new games more; return false if no game agrees with what the seat knows."""
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
