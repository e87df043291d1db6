"""Check a game's invariants at every moment, in independent kernels at full speed.

Kernels return 0 or the number of the first broken invariant (see BROKEN).
"""

from casino_env.compiler.jit import kernel, popcount
from casino_env.engine import action_set
from casino_env.engine.deal import new_game
from casino_env.engine.legal import legal_actions
from casino_env.engine.state import IDLE, OVER, SORTING
from casino_env.engine.turn import decide, play_forced
from casino_env.rng import game_below

BROKEN = {
    1: "a card is missing or in two places",
    2: "a linked list disagrees with its set of cards",
    3: "a build does not sum to its value",
    4: "two seats own one build, or a build has no owner",
    5: "a build is not backed by its owner",
    6: "no action is legal",
    7: "a build is alive at the end of a deal or of a round",
    8: "legal actions differ when asked again",
    9: "more than 400 decisions in a deal",
}


@kernel
def _chain_mask(g, top):
    cards, count = 0, 0
    while top >= 0 and count < 60:
        cards |= 1 << top
        top = g.below[top]
        count += 1
    return cards


@kernel
def _build_sums(g, r, value):
    """Return whether every set of the build sums to its value."""
    total, cards, top = 0, 0, g.build_top[value]
    while top >= 0:
        total += (top >> 2) + 1
        cards += 1
        if g.starts >> top & 1:
            lone_ace = cards == 1 and top < 4 and value == 14
            if total != value and not lone_ace:
                return False
            total, cards = 0, 0
        top = g.below[top]
    return total == 0


@kernel
def broken_promise(g, r):
    everything, count = g.layout, popcount(g.layout)
    stock = _chain_mask(g, g.stock_top)
    everything |= stock
    count += popcount(stock)
    for seat in range(r.players):
        if g.piles[seat] != _chain_mask(g, g.pile_top[seat]):
            return 2
        everything |= g.hands[seat] | g.piles[seat]
        count += popcount(g.hands[seat]) + popcount(g.piles[seat])
    for value in range(1, 15):
        if g.build_cards[value] != _chain_mask(g, g.build_top[value]):
            return 2
        if not _build_sums(g, r, value):
            return 3
        owners = 0
        for seat in range(r.players):
            owners += g.owned[seat] >> value & 1
        if owners != (1 if g.build_cards[value] else 0):
            return 4
        everything |= g.build_cards[value]
        count += popcount(g.build_cards[value])
    if g.mode == SORTING:
        waiting = g.required | 1 << g.hand_card
        everything |= waiting
        count += popcount(waiting)
    if everything != r.deck or count != popcount(r.deck):
        return 1
    if g.mode == IDLE and not g.acted and r.keep_backing:
        return _backing(g, r)
    return 0


@kernel
def _backing(g, r):
    held_by_nobody = 0
    for seat in range(r.players):
        aces = 0
        for value in range(1, 15):
            if g.owned[seat] >> value & 1:
                need = 1
                if value == 1 or value == 14:
                    aces += 1
                    need = aces
                if popcount(g.hands[seat] & (15 << (4 * ((value - 1) % 13)))) < need:
                    return 5
                if g.hands[seat] == 0:
                    held_by_nobody = 7
    return held_by_nobody


@kernel
def _end_of_deal(g, r):
    for value in range(1, 15):
        if g.build_cards[value] and r.keep_backing:
            return 7
    return 0


@kernel
def fuzz_deals(games, rules, seed, deals, last):
    """Play random deals and check every state; return (broken invariant, deal, decisions, turns)."""
    g, r = games[0], rules[0]
    decisions, turns = 0, 0
    for deal in range(deals):
        new_game(g, r, seed + deal, 0)
        legal = play_forced(g, r)
        here = 0
        while g.mode != OVER:
            last[0] = g
            count = action_set.count(legal)
            broken = broken_promise(g, r)
            if count == 0:
                broken = 6
            if legal != legal_actions(g, r):
                broken = 8
            if here > 400:
                broken = 9
            if broken:
                return broken, deal, decisions, turns
            legal = decide(g, r, action_set.nth(legal, game_below(g, count)))
            here += 1
        decisions += here
        turns += g.turns
        broken = _end_of_deal(g, r)
        if broken:
            return broken, deal, decisions, turns
    return 0, deals, decisions, turns
