"""Choosing a move: try every legal action, follow it to the end of what it begins, and judge the table that it leaves.

All of it happens on copies of a view, so a bot cannot use what its seat does not know. Nothing is tried beyond the
own turn: a turn that has been ended would draw or deal hidden cards.
"""

import numpy as np

from agents.scripted.facts import learn
from agents.scripted.tactics import judge
from casino_env.actions import BUILD, CAPTURE, CAPTURE_HIGH, CARD, COUNT_OUT, DISCARD, END, NO, YES
from casino_env.engine.jit import highest, kernel, lowest, scratch
from casino_env.engine.legal import legal_words, nth_action, word_count
from casino_env.engine.piles import scoring_cards
from casino_env.engine.reading import rank_cards, side_builds
from casino_env.engine.scoring import side_points
from casino_env.engine.state import (
    CAPTURING,
    GRANT,
    IDLE,
    INSIST_ADD,
    INSIST_CAPTURE,
    OVER,
    REQUEST,
    SORTING,
)
from casino_env.engine.turn import apply

DEPTH = 24  # copies of the table on the way through one turn
_NEVER = -1e9
_OPEN = -20.0  # a turn that is not followed to its hand card counts for less than any that is
_CAPTURE_BUILDS = 16383 << (BUILD - CAPTURE_HIGH)


@kernel
def _random_word(rng):
    """64 random bits from a stream (splitmix64)."""
    rng[0] += np.uint64(0x9E3779B97F4A7C15)
    z = rng[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@kernel
def random_below(rng, bound):
    """A whole number below bound."""
    return np.int64(((_random_word(rng) >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32))


@kernel
def uniform(rng):
    """A number in [0, 1)."""
    return np.float64(_random_word(rng) >> np.uint64(11)) / 9007199254740992.0


# --- following one action ------------------------------------------------------------------------------------------


@kernel
def _others_answer(v, r, seat):
    """Questions to other seats: a partner asks for nothing, grants what is asked; nobody insists."""
    while v.actor != seat and (v.mode == REQUEST or v.mode == GRANT or v.mode == INSIST_CAPTURE):
        apply(v, r, YES if v.mode == GRANT else NO)


@kernel
def _closed(v, seat):
    """Nothing that this seat has begun is open."""
    if v.mode == OVER or v.mode == SORTING or v.mode == INSIST_ADD or v.actor != seat:
        return True
    return v.mode == IDLE and not v.unfinished


@kernel
def _pop(todo, depth, capturing):
    """Take an action off the list: the one that takes most first, ending last."""
    if capturing and todo[depth, 3] & _CAPTURE_BUILDS:
        action = CAPTURE_HIGH + lowest(todo[depth, 3] & _CAPTURE_BUILDS)
    elif todo[depth, 0]:
        action = CARD + highest(todo[depth, 0])
    elif todo[depth, 2]:
        action = CAPTURE + highest(todo[depth, 2])
    elif todo[depth, 1]:
        action = DISCARD + highest(todo[depth, 1])
    elif todo[depth, 3]:
        action = CAPTURE_HIGH + lowest(todo[depth, 3])
    else:
        return -1
    todo[depth, action // 52] &= ~(1 << (action % 52))
    return action


@kernel
def _is_result(v, seat, parts):
    """The turn is over for this trial: the hand card is played, or others decide."""
    return _closed(v, seat) and (v.mode != IDLE or v.played or v.actor != seat or parts > 1)


@kernel
def _score(v, r, f, w):
    score = judge(v, r, f, w)
    if v.mode == IDLE and not v.played and v.actor == f.seat:
        score += _OPEN
    return score


@kernel
def _back(boards, todo, depth):
    """(depth, action): the nearest table with an action that has not been tried; depth 0 if there is none."""
    while depth > 0:
        action = _pop(todo, depth, boards[depth].mode == CAPTURING)
        if action >= 0:
            return depth, action
        depth -= 1
    return 0, -1


@kernel
def prospect(boards, todo, r, f, w, action):
    """The best table to which an action can lead: depth-first over what it begins, up to w.effort tables."""
    parts = scratch()  # finished parts of the turn so far
    parts[0] = 0
    best, tables, depth = _NEVER, 0, 0
    while True:
        v = boards[depth + 1]
        boards[depth + 1] = boards[depth]
        depth += 1
        apply(v, r, action)
        _others_answer(v, r, f.seat)
        parts[depth] = parts[depth - 1] + _closed(v, f.seat)
        if _is_result(v, f.seat, parts[depth]) or depth == DEPTH - 1:
            best = max(best, _score(v, r, f, w))
            tables += 1
            depth -= 1
            if tables >= w.effort:
                return best
        else:
            todo[depth, 0], todo[depth, 1], todo[depth, 2], todo[depth, 3] = legal_words(v, r)
        depth, action = _back(boards, todo, depth)
        if depth == 0:
            return best


# --- questions that need no trial ----------------------------------------------------------------------------------


@kernel
def _sort(v, r):
    """Lay scoring cards deepest, then from low to high."""
    scoring = v.required & scoring_cards(r)
    return CARD + (lowest(scoring) if scoring else lowest(v.required))


@kernel
def _insist(v, r, seat):
    """Make the mover add to a build that we can take; let everything else be."""
    if v.mode == INSIST_ADD:
        theirs = side_builds(v, r, v.to_move)
        for value in range(1, 15):
            if theirs >> value & 1 and v.hands[seat] & rank_cards(value):
                return YES
    return NO


@kernel
def ready_answer(v, r, seat, words):
    """An action that no rule needs to weigh: the only one, sorting, insisting, claiming the match; -1 if none."""
    if word_count(words) == 1:
        return nth_action(words, 0)
    if v.mode == SORTING:
        return _sort(v, r)
    if v.mode == INSIST_ADD or v.mode == INSIST_CAPTURE:
        return _insist(v, r, seat)
    if words[3] >> (COUNT_OUT - CAPTURE_HIGH) & 1:
        side = seat % r.sides
        if v.match_score[side] + side_points(v, r, side, False) >= r.target:
            return COUNT_OUT
    return -1


# --- choosing ------------------------------------------------------------------------------------------------------


@kernel
def _same_as(r, action, words):
    """An earlier action of an equal card: same rank, no spade and no points, so it comes to the same."""
    if action < DISCARD or action >= CAPTURE_HIGH:
        return action
    card = action % 52
    plain = 14 << (card & ~3) & ~scoring_cards(r)
    if not plain >> card & 1:
        return action
    return action - card + lowest(words[action // 52] & plain)


@kernel
def weigh(boards, todo, r, f, w, seat, words, scores):
    """The score of each legal action from boards[0] on; the best score."""
    learn(boards[0], r, seat, w.team, w.counts, f)
    best = _NEVER
    for word in range(4):
        rest = words[word]
        while rest:
            action = word * 52 + lowest(rest)
            rest &= rest - 1
            twin = _same_as(r, action, words)
            if action == COUNT_OUT:
                scores[action] = _NEVER
            elif twin < action:
                scores[action] = scores[twin]
            elif action == END and boards[0].mode == IDLE:
                scores[action] = judge(boards[0], r, f, w)
            else:
                scores[action] = prospect(boards, todo, r, f, w, action)
            best = max(best, scores[action])
    return best


@kernel
def _good(words, word, scores, best):
    """Of one word the actions that come to within a hair of the best score."""
    rest, keep = words[word], 0
    while rest:
        bit = lowest(rest)
        rest &= rest - 1
        if scores[word * 52 + bit] >= best - 1e-9:
            keep |= 1 << bit
    return keep


@kernel
def _single(action):
    bit, word = 1 << (action % 52), action // 52
    return bit * (word == 0), bit * (word == 1), bit * (word == 2), bit * (word == 3)


@kernel
def choices(boards, todo, r, f, w, seat, words, scores):
    """The actions between which a bot is indifferent; boards[0] holds the view."""
    if w.blind:
        return words
    ready = ready_answer(boards[0], r, seat, words)
    if ready >= 0:
        scores[ready] = 0.0
        return _single(ready)
    best = weigh(boards, todo, r, f, w, seat, words, scores)
    return (
        _good(words, 0, scores, best),
        _good(words, 1, scores, best),
        _good(words, 2, scores, best),
        _good(words, 3, scores, best),
    )


@kernel
def pick(kept, rng):
    """One of the actions that are left, at random."""
    count = word_count(kept)
    return nth_action(kept, random_below(rng, count) if count > 1 else 0)


# --- called from Python: a batch of games, or a batch of one ---------------------------------------------------------


@kernel
def decide_many(views, words, rules, seats, bots, boards, todo, facts, scores, rng, liked, actions):
    """An action for each view, -1 where none is legal. Where liked has a row: how likely each action was."""
    for i in range(views.shape[0]):
        four = words[i, 0], words[i, 1], words[i, 2], words[i, 3]
        actions[i] = -1
        if word_count(four) == 0:
            continue
        boards[0] = views[i]
        kept = choices(boards, todo, rules[0], facts[0], bots[0], seats[i], four, scores)
        if i < liked.shape[0]:
            _spread(kept, liked[i])
        else:
            actions[i] = pick(kept, rng)


@kernel
def _spread(kept, liked):
    """The same chance for each of the actions."""
    count = word_count(kept)
    for n in range(count):
        liked[nth_action(kept, n)] = 1.0 / count
