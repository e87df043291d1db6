"""How far play-outs go in games with several deals of hands, and what the game is worth there.

Cards still to be dealt are luck: the more a play-out goes through, the less its result tells about its first move. When
all hands are empty, everything that counts is known: there a play-out ends and is judged.
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
WHICHEVER = -1  # the horizon that tells more
NEVER = 1 << 40  # turns
_SWING, _SWING_SPADES = 1.0, 0.65  # cards by which a lead varies, times the square root of the cards nobody has yet
_LOPSIDED = 50.0  # such swings: a lead that cannot be made up


@kernel
def horizon_of(r, horizon):
    """Return 1 if play-outs end when the hands are empty, 0 if they end with the deal. WHICHEVER: 1 in games
    with several deals of hands in which piles are safe."""
    if horizon == WHICHEVER:
        return np.int64(r.stacking == FACE_DOWN and (r.rounds > 1 or r.draw_hand > 0))
    return horizon


@kernel
def last_turn(v, r, horizon):
    """Return the number of turns after which a play-out from this view is judged: one for each card in hands. If at
    most one card is left, the next hands are played as well. horizon: as in horizon_of."""
    if horizon_of(r, horizon) == 0:
        return NEVER
    cards = 0
    for seat in range(r.players):
        cards += popcount(v.hands[seat]) + v.hidden_hand[seat]
    return v.turns + cards + (r.players * r.hand_size if cards <= 1 else 0)


@kernel
def is_undealt(g, r, until):
    """Return whether new hands have just been dealt at the horizon: the play-out is judged as before that deal."""
    return g.turns == until and r.draw_hand == 0


@kernel
def _chance_of_most(g, r, side, among, swing):
    """Return the chance that a side ends with most of these cards: by what each has now, if each side is as likely as
    any other to get the rest."""
    left = among & r.deck
    for other in range(r.sides):
        left &= ~side_cards(g, r, other)
    mine, total = popcount(side_cards(g, r, side) & among), 0.0
    swing *= np.sqrt(popcount(left) + 0.01)  # with none left, the leader has most
    for other in range(r.sides):
        ahead = popcount(side_cards(g, r, other) & among) - mine
        total += np.exp(min(_LOPSIDED, ahead / swing))
    return 1.0 / total


@kernel
def count_taken(g, r, result):
    """Write each side's points more than the others: what it has taken, and its chances of most cards and spades."""
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
    """Write the same by a network over afterstates, for the position in which all hands were empty. The new hands go
    back on the stock, whose order nobody knew."""
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
    """Return a horizon's number in kernels."""
    return WHICHEVER if horizon is None else HORIZONS.index(horizon)
