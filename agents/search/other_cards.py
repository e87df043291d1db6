"""A deal of hands, and the cards of the stock that might have come instead."""

import numpy as np

from casino_env.agents.search.rollouts import Rollouts
from casino_env.compiler.jit import entry, kernel, popcount
from casino_env.compiler.types import I64, U64
from casino_env.engine.state import Records, RulesRow
from casino_env.rng import random_below


@kernel
def _list_stock(g, cards):
    """Into cards, the top first; returns how many there are."""
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


@entry
def deal_again(
    rollouts: Rollouts, before: Records, after: Records, rules: RulesRow, same: int, cards: I64, rng: U64
) -> None:
    """The game after a deal, once for each rollout: the first of them with the cards that came and the rest of the
    stock in any order, the others with any cards of the stock. cards: room for as many as there are."""
    r, stock = rules[0], np.int64(0)
    for k in range(_list_stock(before[0], cards)):
        stock |= np.int64(1) << cards[k]
    for number in range(rollouts.games.shape[0]):
        rollouts.games[number] = after[0]
        g = rollouts.games[number]
        many = _list_stock(after[0] if number < same else before[0], cards)
        _shuffle(cards, many, rng)
        if number >= same:
            for seat in range(r.players):
                dealt = popcount(g.hands[seat] & stock)
                g.hands[seat] &= ~stock
                for _ in range(dealt):
                    many -= 1
                    g.hands[seat] |= np.int64(1) << cards[many]
        g.stock_top = -1
        for k in range(many):
            g.below[cards[k]] = g.stock_top
            g.stock_top = cards[k]
