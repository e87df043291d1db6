"""Choosing a move by hand-written rules: try every legal action, follow it to where it leads, and judge that position.

Actions are tried on copies of a view, so a bot cannot use what its seat does not know. The search stops at the end of
the own turn, because ending it would draw or deal hidden cards.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, NamedTuple

import numpy as np

from casino_env.actions import ACTIONS, CAPTURE, CAPTURE_HIGH, CARD, COUNT_OUT, DISCARD, END, NO, YES
from casino_env.agents.base import Analysis, Decisions, InBatches
from casino_env.agents.scripted.bots import BOTS, Bot, BotRows, bot_record
from casino_env.agents.scripted.facts import FACTS, compute_facts
from casino_env.agents.scripted.tactics import judge
from casino_env.agents.workspaces import Recent, Turnstile, one_at_a_time
from casino_env.arrays import Array
from casino_env.compiler.jit import entry, kernel, lowest, scratch
from casino_env.compiler.types import F64, I64, U64, Elements, I64x2, Sizes, allocate
from casino_env.engine import action_set
from casino_env.engine.afterstates import pop
from casino_env.engine.legal import legal_actions
from casino_env.engine.piles import next_to_stack, scoring_cards
from casino_env.engine.reading import SPADES, rank_cards, same_rank, side_builds, side_of
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
    Records,
    RulesRow,
    rules_record,
)
from casino_env.engine.turn import apply
from casino_env.observed import Observed
from casino_env.rng import random_below, stream_of
from casino_env.rules import Rules
from casino_env.validate import closest, int_in

DEPTH = 24  # most positions on the path through one turn
_NEVER = -1e9
_OPEN = -20.0  # penalty for a turn that is not followed to its hand card: below all that are
_HAIR = 1e-9  # scores within this distance count as equal
_CARDS, _DISCARDS, _CAPTURES, _OTHERS = range(action_set.PARTS)


class BotWorkspace(NamedTuple):
    """The workspace of a bot; stack[0] is the position to decide in."""

    stack: Annotated[Records, Sizes(DEPTH)]  # positions by depth
    todo: Annotated[I64x2, Sizes(DEPTH, action_set.PARTS)]  # by depth: actions not tried yet
    facts: Annotated[Array, Elements(FACTS), Sizes(1)]
    actions: Annotated[I64, Sizes(ACTIONS)]  # the legal actions
    scores: Annotated[F64, Sizes(ACTIONS)]  # by action


# --- following one action ------------------------------------------------------------------------------------------


@kernel
def _closed(v, seat):
    """Whether this seat has no set, capture or unfinished build open."""
    if v.mode == OVER or v.mode == SORTING or v.mode == INSIST_ADD or v.actor != seat:
        return True
    return v.mode == IDLE and not v.unfinished


@kernel
def _back(stack, todo, depth):
    """(depth, action) of the deepest position with an untried action; (0, -1) if there is none."""
    while depth > 0:
        action = pop(todo[depth], stack[depth].mode == CAPTURING)
        if action >= 0:
            return depth, action
        depth -= 1
    return 0, -1


@kernel
def best_score(work, r, w, action):
    """The best score that an action can lead to: a depth-first search that judges up to w.effort positions."""
    stack, todo, f = work.stack, work.todo, work.facts[0]
    parts = scratch()  # by depth: parts of the turn finished so far
    parts[0] = 0
    best, tried, depth = _NEVER, 0, 0
    while True:
        v = stack[depth + 1]
        stack[depth + 1] = stack[depth]
        depth += 1
        apply(v, r, action)
        # Questions to other seats: a partner requests nothing and grants every request; nobody insists.
        while v.actor != f.seat and (v.mode == REQUEST or v.mode == GRANT or v.mode == INSIST_CAPTURE):
            apply(v, r, YES if v.mode == GRANT else NO)
        closed, waits = _closed(v, f.seat), v.mode == IDLE and not v.played and v.actor == f.seat
        parts[depth] = parts[depth - 1] + closed
        # The trial ends when the hand card is played, another seat decides, or two parts are finished.
        if (closed and (not waits or parts[depth] > 1)) or depth == DEPTH - 1:
            score = judge(v, r, f, w)
            best = max(best, score + _OPEN if waits else score)
            tried += 1
            depth -= 1
            if tried >= w.effort:
                return best
        else:
            todo[depth, 0], todo[depth, 1], todo[depth, 2], todo[depth, 3] = legal_actions(v, r)
        depth, action = _back(stack, todo, depth)
        if depth == 0:
            return best


# --- questions that need no trial ----------------------------------------------------------------------------------


@kernel
def _insist(v, r, seat):
    """Insist that the mover adds to a build that this seat can take; let all else pass."""
    if v.mode == INSIST_ADD:
        theirs = side_builds(v, r, v.to_move)
        for value in range(1, 15):
            if theirs >> value & 1 and v.hands[seat] & rank_cards(value):
                return YES
    return NO


@kernel
def _ready_answer(v, r, seat, legal):
    """An action that needs no judgement: the only legal one, sorting, insisting, a right claim of the match; or -1."""
    if action_set.count(legal) == 1:
        return action_set.nth(legal, 0)
    if v.mode == SORTING:
        return CARD + next_to_stack(r, v.required)
    if v.mode == INSIST_ADD or v.mode == INSIST_CAPTURE:
        return _insist(v, r, seat)
    if action_set.has(legal, COUNT_OUT):
        side = side_of(r, seat)
        if v.match_score[side] + side_points(v, r, side, False) >= r.target:
            return COUNT_OUT
    return -1


# --- choosing ------------------------------------------------------------------------------------------------------


@kernel
def _same_as(r, action, legal):
    """The first action with an equal card (same rank, no spade, no points), which has the same result."""
    if action < DISCARD or action >= CAPTURE_HIGH:
        return action
    first, cards = (DISCARD, legal[_DISCARDS]) if action < CAPTURE else (CAPTURE, legal[_CAPTURES])
    plain = same_rank(action - first) & ~SPADES & ~scoring_cards(r)
    if not plain >> (action - first) & 1:
        return action
    return first + lowest(cards & plain)


@kernel
def _score_actions(work, r, w, seat, legal):
    """List and score the legal actions; return (number of actions, best score)."""
    stack, actions, scores, f = work.stack, work.actions, work.scores, work.facts[0]
    compute_facts(stack[0], r, seat, w.team, w.counts, f)
    best, many = _NEVER, action_set.listed(legal, actions)
    for k in range(many):
        action = actions[k]
        twin = _same_as(r, action, legal)
        if action == COUNT_OUT:
            scores[action] = _NEVER
        elif twin < action:
            scores[action] = scores[twin]
        elif action == END and stack[0].mode == IDLE:
            scores[action] = judge(stack[0], r, f, w)
        else:
            scores[action] = best_score(work, r, w, action)
        best = max(best, scores[action])
    return many, best


@kernel
def favourites(work, r, w, seat, legal):
    """The actions that the bot likes best and equally."""
    if w.blind:
        return legal
    ready = _ready_answer(work.stack[0], r, seat, legal)
    if ready >= 0:
        work.scores[ready] = 0.0
        return action_set.only(ready)
    many, best = _score_actions(work, r, w, seat, legal)
    actions, scores, good = work.actions, work.scores, (0, 0, 0, 0)
    for k in range(many):
        if scores[actions[k]] >= best - _HAIR:
            more = action_set.only(actions[k])
            good = good[0] | more[0], good[1] | more[1], good[2] | more[2], good[3] | more[3]
    return good


@kernel
def pick(legal, rng):
    """Draw one of the actions at random."""
    many = action_set.count(legal)
    return action_set.nth(legal, random_below(rng, many) if many > 1 else 0)


# --- entry points: a batch of games, or a batch of one ---------------------------------------------------------------


@entry
def decide_by_rules(decisions: Decisions, rules: RulesRow, bots: BotRows, work: BotWorkspace, rng: U64) -> None:
    """Decide by a bot in each game. rng: a stream per game, or one for all."""
    for i in range(decisions.views.shape[0]):
        legal = action_set.from_row(decisions.legal[i])
        decisions.actions[i] = -1
        if action_set.count(legal) == 0:
            continue
        work.stack[0] = decisions.views[i]
        liked = favourites(work, rules[0], bots[0], decisions.seats[i], legal)
        if i < decisions.chances.shape[0]:
            many = action_set.count(liked)
            for n in range(many):
                decisions.chances[i, action_set.nth(liked, n)] = 1.0 / many
        else:
            own = stream_of(rng, i)
            decisions.actions[i] = pick(liked, rng[own : own + 1])


# --- the agent --------------------------------------------------------------------------------------------------------

MAX_EFFORT = 1000


class Scripted(InBatches):
    """A bot of bots.BOTS, or a Bot of your own. effort: positions that it judges per action; 0: the bot's own setting.

    It draws uniformly among the actions that it likes best.
    """

    def __init__(self, bot: str | Bot, effort: int = 0) -> None:
        if isinstance(bot, str) and bot not in BOTS:
            raise ValueError(f"unknown bot {bot!r}{closest(bot, list(BOTS))}; known: {', '.join(BOTS)}")
        effort = int_in(effort, "effort", 0, MAX_EFFORT)
        found = BOTS[bot] if isinstance(bot, str) else bot
        self.bot = replace(found, effort=effort or found.effort)
        self.entrance = Turnstile()
        self._records = Recent[Rules, tuple[Array, Array]]()
        self._work, self._rng = allocate(BotWorkspace), np.zeros(1, np.uint64)

    @one_at_a_time
    def analyse(self, observation: Observed) -> Analysis:
        """Values are on the bot's own scale; they are 0 for actions that it does not need to judge."""
        action = self.act(observation)
        self._work.scores[:] = 0.0
        chances = self.probabilities(observation)
        return Analysis(action, chances, None, {each: float(self._work.scores[each]) for each in observation.legal()})

    @one_at_a_time
    def _decide(self, rules: Rules, decisions: Decisions, streams: Array) -> None:
        records = self._records.find(rules, lambda: (rules_record(rules), bot_record(self.bot, rules)))
        decide_by_rules(decisions, *records, self._work, streams)
