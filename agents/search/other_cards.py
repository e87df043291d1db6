"""Luck of later deals: the cards that were dealt during a game, compared with others that might have come.

At each deal of hands and each draw, the game is compared with the same game with other cards from the stock. A policy
plays both until the hands are empty, and judges what is left.
"""

import numpy as np

from casino_env.agents.search.rollouts import RolloutPolicy, Rollouts, play_out
from casino_env.compiler.jit import entry, kernel, popcount
from casino_env.compiler.types import F64, I16, I64, Word
from casino_env.engine import action_set
from casino_env.engine.legal import legal_actions
from casino_env.engine.state import OVER, Records, RulesRow
from casino_env.engine.turn import apply
from casino_env.rng import nth_word, random_below

SAME = 64  # games with the cards that came; as many have others
_TO_THE_END = 1 << 40


@kernel
def _list_stock(g, cards):
    """Write the stock into cards, the top first; return how many there are."""
    card, many = g.stock_top, 0
    while card >= 0:
        cards[many] = card
        card = g.below[card]
        many += 1
    return many


@kernel
def _shuffle(cards, many, rng):
    for last in range(many - 1, 0, -1):
        k = random_below(rng, last + 1)
        cards[last], cards[k] = cards[k], cards[last]


@kernel
def deal_again(rollouts, before, after, r, same, cards, rng):
    """Copy the game after a deal into each rollout: into the first `same` with the cards that came and the rest of the
    stock shuffled, into the others with any cards of the stock. cards: scratch space for all cards of the stock."""
    stock = 0
    for k in range(_list_stock(before, cards)):
        stock |= 1 << cards[k]
    for number in range(rollouts.games.shape[0]):
        rollouts.games[number] = after
        g = rollouts.games[number]
        many = _list_stock(after if number < same else before, cards)
        _shuffle(cards, many, rng)
        if number >= same:
            for seat in range(r.players):
                dealt = popcount(g.hands[seat] & stock)
                g.hands[seat] &= ~stock
                for _ in range(dealt):
                    many -= 1
                    g.hands[seat] |= 1 << cards[many]
        g.stock_top = -1
        for k in range(many):
            g.below[cards[k]] = g.stock_top
            g.stock_top = cards[k]


@kernel
def _luck_of_deal(rollouts, before, after, r, policy, cards, seed, luck):
    """Add to luck, by side, the points that the cards brought, compared with the mean over other cards."""
    games, cards_left = rollouts.games.shape[0], 0
    for seat in range(r.players):
        cards_left += popcount(after.hands[seat])
    rollouts.rngs[0] = nth_word(seed, games)
    deal_again(rollouts, before, after, r, SAME, cards, rollouts.rngs[:1])
    for number in range(games):
        rollouts.rngs[number] = nth_word(seed, number)
        rollouts.begun[number], rollouts.until[number] = after.turns, after.turns + cards_left
    play_out(rollouts, r, policy, policy.mover, _TO_THE_END, 0, games)
    share = (r.sides - 1) / r.sides  # from points more than the others to points
    for number in range(games):
        for side in range(r.sides):
            ahead = rollouts.result[number, side] * share
            luck[side] += ahead / SAME if number < SAME else -ahead / (games - SAME)


@entry
def luck_of_game(
    rollouts: Rollouts, games: Records, rules: RulesRow, policy: RolloutPolicy, decisions: I16, cards: I64, seed: Word,
    luck: F64,
) -> None:  # fmt: skip
    """Add up the luck of a game, by side. games: two records; the first holds the deal. decisions: the game's actions
    without forced ones. cards: scratch space for all cards."""
    r, g, before, step, deals = rules[0], games[0], games[1], 0, 0
    while g.mode != OVER:
        legal = legal_actions(g, r)
        games[1] = g
        action = action_set.nth(legal, 0)
        if action_set.count(legal) > 1:
            action = np.int64(decisions[step])
            step += 1
        apply(g, r, action)
        if g.stock_top != before.stock_top and g.mode != OVER:
            _luck_of_deal(rollouts, before, g, r, policy, cards, nth_word(seed, deals), luck)
            deals += 1
