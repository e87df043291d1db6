"""How far play-outs go where the stock deals hands several times, and what the game is worth there.

What is still to be dealt is luck, and the more of it a play-out goes through the less its result tells of the move that
began it. When all hands are empty whatever counts lies open: there a play-out ends, and is judged.
"""

import numpy as np

from casino_env.agents.policy.mlp import spread_values, think
from casino_env.compiler.jit import kernel, lowest, popcount
from casino_env.engine.reading import SPADES, side_of
from casino_env.engine.scoring import card_points, less_the_others, side_cards
from casino_env.engine.state import FACE_DOWN
from casino_env.knowledge.encode import encode
from casino_env.knowledge.view import make_view

HORIZONS = ("end", "deal")
WHICHEVER = -1  # of these tells more
NEVER = 1 << 40  # turns
_SWING, _SWING_SPADES = 1.0, 0.65  # cards by which a race swings, times the root of those that nobody has yet
_LOPSIDED = 50.0  # swings: a lead that nobody can make up for


@kernel
def horizon_of(r, horizon):
    """1: play-outs end when the cards in hands have been played; 0: when the deal is over. WHICHEVER: the first where
    more cards are dealt later on, and what is taken is safe."""
    if horizon == WHICHEVER:
        return np.int64(r.stacking == FACE_DOWN and (r.rounds > 1 or r.draw_hand > 0))
    return horizon


@kernel
def last_turn(v, r, horizon):
    """How many turns are over when a play-out from this view is judged: each turn lays one of the cards in hands; but
    the next hands are played as well if nobody else has a card left. horizon: as of horizon_of."""
    if horizon_of(r, horizon) == 0:
        return NEVER
    cards = 0
    for seat in range(r.players):
        cards += popcount(v.hands[seat]) + v.hidden_hand[seat]
    return v.turns + cards + (r.players * r.hand_size if cards <= 1 else 0)


@kernel
def is_undealt(g, r, until):
    """The hands have just been dealt, and a play-out should be judged before that."""
    return g.turns == until and r.draw_hand == 0


@kernel
def _chance_of_most(g, r, side, among, swing):
    """That the side has most of these cards in the end: by what each has, the rest as likely to go to one as to
    another."""
    left = among & r.deck
    for other in range(r.sides):
        left &= ~side_cards(g, r, other)
    mine, total = popcount(side_cards(g, r, side) & among), 0.0
    swing *= np.sqrt(popcount(left) + 0.01)  # with none left who is ahead has most
    for other in range(r.sides):
        ahead = popcount(side_cards(g, r, other) & among) - mine
        total += np.exp(min(_LOPSIDED, ahead / swing))
    return 1.0 / total


@kernel
def count_taken(g, r, result):
    """By side, how many points more than the others: what is taken, and the chances of most cards and most spades."""
    total = 0.0
    for side in range(r.sides):
        points = 1.0 * card_points(r, side_cards(g, r, side)) + (g.sweeps[side] if r.sweeps else 0)
        points += r.cards_points * _chance_of_most(g, r, side, r.deck, _SWING)
        points += r.spades_points * _chance_of_most(g, r, side, SPADES, _SWING_SPADES)
        result[side] = points
        total += points
    for side in range(r.sides):
        result[side] = less_the_others(r, total, result[side])


@kernel
def judge_undealt(g, r, policy, result):
    """The same as a network over afterstates judges what was left when all hands were empty. The hands go back on the
    stock: nobody knew it anyway."""
    for seat in range(r.players):
        while g.hands[seat]:
            card = lowest(g.hands[seat])
            g.hands[seat] &= g.hands[seat] - 1
            g.below[card] = g.stock_top
            g.stock_top = card
    g.round -= 1
    seat, judge, thought = (g.to_move + r.players - 1) % r.players, policy.player.judge, policy.work.thought
    thought.view[0] = g
    make_view(g, r, seat, policy.player.memory, thought.view[0])
    count = encode(thought.view[0], r, judge.layout[0], seat, thought.indices)
    think(judge.theta, judge.shape, thought.indices, count, thought.actions, 0, thought)
    spread_values(thought.values, judge.shape, r.sides, side_of(r, seat), result)
    for side in range(r.sides):
        result[side] *= judge.value_scale


def horizon_number(horizon: str | None) -> int:
    """As kernels have it."""
    return WHICHEVER if horizon is None else HORIZONS.index(horizon)
