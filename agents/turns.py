"""Choosing a move: try every legal action, follow it to the end of what it begins, and judge the table that it leaves.

All of it happens on copies of a view, so a bot cannot use what its seat does not know. Nothing is tried beyond the
own turn: a turn that has been ended would draw or deal hidden cards.
"""

import numpy as np

from agents.facts import learn
from agents.tactics import judge
from casino_env.actions import ACTIONS, BUILD, CAPTURE, CAPTURE_HIGH, CARD, COUNT_OUT, DISCARD, END, NO, YES
from casino_env.engine import apply
from casino_env.jit import highest, kernel, lowest, popcount, scratch
from casino_env.legal import legal_words, nth_action, word_count
from casino_env.piles import scoring_cards
from casino_env.scoring import side_points
from casino_env.state import (
    CAPTURING,
    COMPLETE,
    GRANT,
    IDLE,
    INSIST_ADD,
    INSIST_CAPTURE,
    OVER,
    REQUEST,
    SORTING,
)
from casino_env.table import rank_cards, side_builds

DEPTH = 24  # copies of the table on the way through one turn
_NEVER = -1e9
_OPEN = -20.0  # a turn that is not followed to its hand card counts for less than any that is
_CAPTURE_BUILDS = 16383 << (BUILD - CAPTURE_HIGH)


@kernel
def random_below(rng, bound):
    """A whole number below bound from the agent's own stream (splitmix64)."""
    rng[0] += np.uint64(0x9E3779B97F4A7C15)
    z = rng[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return np.int64(((z >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32))


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
def prospect(boards, todo, r, f, w, action):
    """The best table to which an action can lead: depth-first over what it begins, up to w.effort tables."""
    parts = scratch()  # finished parts of the turn so far
    best, leaves, depth = _NEVER, 0, 0
    parts[0] = 0
    todo[0, :] = 0
    while True:
        depth += 1
        v = boards[depth]
        boards[depth] = boards[depth - 1]
        begun = boards[depth].mode
        apply(v, r, action)
        _others_answer(v, r, f.seat)
        parts[depth] = parts[depth - 1]
        todo[depth, :] = 0
        if _closed(v, f.seat):
            parts[depth] += 1
        if _closed(v, f.seat) and (v.mode != IDLE or v.played or v.actor != f.seat or parts[depth] > 1):
            score = judge(v, r, f, w)
            if v.mode == IDLE and not v.played and v.actor == f.seat:
                score += _OPEN
            best = max(best, score)
            leaves += 1
        elif depth < DEPTH - 1:
            words = legal_words(v, r)
            todo[depth, 0], todo[depth, 1], todo[depth, 2], todo[depth, 3] = words
        if leaves >= w.effort:
            return best
        action = -1
        while depth > 0 and action < 0:
            action = _pop(todo, depth, boards[depth].mode == CAPTURING)
            if action < 0:
                depth -= 1
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
    learn(boards[0], r, seat, w.team, f)
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
def best_words(words, scores, best):
    """The legal actions that come to within a hair of the best score."""
    kept = (0, 0, 0, 0)
    for word in range(4):
        rest, keep = words[word], 0
        while rest:
            bit = lowest(rest)
            rest &= rest - 1
            if scores[word * 52 + bit] >= best - 1e-9:
                keep |= 1 << bit
        if word == 0:
            kept = (keep, kept[1], kept[2], kept[3])
        elif word == 1:
            kept = (kept[0], keep, kept[2], kept[3])
        elif word == 2:
            kept = (kept[0], kept[1], keep, kept[3])
        else:
            kept = (kept[0], kept[1], kept[2], keep)
    return kept


@kernel
def choices(boards, todo, r, f, w, seat, words, scores):
    """The actions between which a bot is indifferent; boards[0] holds the view."""
    if w.blind:
        return words
    ready = ready_answer(boards[0], r, seat, words)
    if ready < 0:
        return best_words(words, scores, weigh(boards, todo, r, f, w, seat, words, scores))
    scores[ready] = 0.0
    bit = 1 << (ready % 52)
    place = ready // 52
    return bit * (place == 0), bit * (place == 1), bit * (place == 2), bit * (place == 3)


@kernel
def choose(boards, todo, r, f, w, seat, words, scores, rng):
    kept = choices(boards, todo, r, f, w, seat, words, scores)
    count = word_count(kept)
    return nth_action(kept, random_below(rng, count) if count > 1 else 0)
