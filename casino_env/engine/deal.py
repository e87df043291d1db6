"""Shuffling, dealing and the end of a turn: draw, next deal, end of the game. The random state is in the record."""

import numpy as np

from casino_env.cards import CARDS
from casino_env.compiler.jit import bits_of, kernel, popcount
from casino_env.engine.piles import clear_build, push
from casino_env.engine.reading import pile_of
from casino_env.engine.scoring import settle_deal
from casino_env.engine.state import DRAWN, IDLE, LOSER, OVER, TO_LAST_CAPTURE, VALUES
from casino_env.rng import game_below


@kernel
def reset_turn(g):
    g.mode = IDLE
    g.actor = g.to_move
    g.acted = 0
    g.played = 0
    g.play_value = 0
    g.debt = 0
    g.unfinished = 0
    g.joined = 0
    g.stolen = 0
    g.added = 0
    g.merged = 0
    g.no_new_build = 0
    g.last_source = -1
    g.laid_now = -1
    g.must_add = 0
    close_action(g)


@kernel
def close_action(g):
    """Clear the open action and give the decision to the mover."""
    g.mode = IDLE
    g.actor = g.to_move
    g.open_value = 0
    g.open_left = 0
    g.open_count = 0
    g.open_last = CARDS
    g.open_cards[:] = 0
    g.raising = 0
    g.hand_card = -1
    g.picked = 0
    g.take_build = 0
    g.lead = CARDS
    g.required = 0
    g.tops_only = 0
    g.settled = 0


@kernel
def empty_table(g):
    """Remove all cards from the game."""
    g.layout = 0
    g.starts = 0
    g.stock_top = -1
    g.laid_next = 0
    g.round = 1
    g.turns = 0
    g.last_capture = -1
    g.hands[:] = 0
    g.piles[:] = 0
    g.pile_top[:] = -1
    g.owned[:] = 0
    g.proven[:] = 0
    g.sweeps[:] = 0
    g.build_cards[:] = 0
    g.build_top[:] = -1
    g.build_sets[:] = 0
    g.below[:] = -1
    g.laid[:] = 0


@kernel
def to_stock(g, card):
    g.below[card] = g.stock_top
    g.stock_top = card


@kernel
def _shuffle(g, r):
    """Put the pack on the stock in random order."""
    count = 0
    g.stock_top = -1
    for card in bits_of(r.deck):  # `laid` is free until the first card is laid
        g.laid[count] = card
        count += 1
    for i in range(count - 1, 0, -1):
        j = game_below(g, i + 1)
        g.laid[i], g.laid[j] = g.laid[j], g.laid[i]
    for i in range(count):
        to_stock(g, g.laid[i])
    g.laid[:] = 0


@kernel
def from_stock(g):
    card = g.stock_top
    g.stock_top = g.below[card]
    g.below[card] = -1
    return card


@kernel
def lay(g, card):
    g.layout |= 1 << card
    g.laid[card] = g.laid_next
    g.laid_next += 1


@kernel
def needs_recut(r, layout):
    """Whether the first layout is dealt again: three points or three pictures make a dull or unfair game (R80)."""
    points = 2 * (layout >> r.big_card & 1) + (layout >> 4 & 1) + popcount(layout & 15)
    return points >= 3 or popcount(layout >> 40) >= 3


@kernel
def deal_hands(g, r, first):
    """Deal one card at a time, seat `first` first."""
    for _ in range(r.hand_size):
        for i in range(r.players):
            if g.stock_top >= 0:
                g.hands[(first + i) % r.players] |= 1 << from_stock(g)


@kernel
def new_deal(g, r):
    """Shuffle, lay out and deal; the leader moves first."""
    while True:
        empty_table(g)
        _shuffle(g, r)
        for _ in range(r.table_cards):
            lay(g, from_stock(g))
        if not (r.recut and needs_recut(r, g.layout)):
            break
    deal_hands(g, r, g.leader)
    g.to_move = g.leader
    reset_turn(g)


@kernel
def new_game(g, r, seed, match):
    """Start a game or match; draw the first leader."""
    g.rng = np.uint64(seed)
    g.match = match
    g.winner = -1
    g.deals = 0
    g.match_score[:] = 0
    g.deal_points[:] = 0
    g.leader = game_below(g, r.players)
    new_deal(g, r)


@kernel
def _leader_after(g, r):
    """The leader of the next deal: the next seat, the only loser (R83), or a random seat."""
    if r.next_leader == DRAWN:
        return game_below(g, r.players)
    rotated = (g.leader + 1) % r.players
    if r.next_leader != LOSER:
        return rotated
    lowest_seat, level = 0, False
    for seat in range(1, r.players):
        if g.deal_points[seat] < g.deal_points[lowest_seat]:
            lowest_seat, level = seat, False
        elif g.deal_points[seat] == g.deal_points[lowest_seat]:
            level = True
    return rotated if level else lowest_seat


@kernel
def take_leftovers(g, r):
    """Give the cards left on the table to the last capturer (R72, R87)."""
    if g.last_capture < 0 or r.leftovers != TO_LAST_CAPTURE:
        return
    pile = pile_of(r, g.last_capture)
    left = g.layout
    for value in range(VALUES):
        if g.build_cards[value]:
            left |= g.build_cards[value]
            clear_build(g, r, value)
    g.layout = 0
    for card in bits_of(left):
        push(g, pile, card)
    g.starts |= left  # everybody sees these cards go: each is its own batch


@kernel
def end_deal(g, r):
    take_leftovers(g, r)
    settle_deal(g, r)
    g.to_move = g.leader
    reset_turn(g)
    if g.match and g.winner == -1:
        g.leader = _leader_after(g, r)
        new_deal(g, r)
    else:
        g.mode = OVER


@kernel
def next_with_cards(g, r):
    """The next seat after the mover that holds a card; -1 if none does."""
    for i in range(1, r.players + 1):
        seat = (g.to_move + i) % r.players
        if g.hands[seat] or g.hidden_hand[seat]:
            return seat
    return -1


@kernel
def played_out(g, following):
    """Whether all hands (following: from next_with_cards) and the stock are empty, hidden cards of a view included."""
    return following < 0 and g.stock_top < 0 and not g.hidden_stock


@kernel
def finish_turn(g, r):
    """End the turn: draw, then pass to the next seat with cards, the next round, or the end of the deal."""
    seat = g.to_move
    if r.draw_hand and g.stock_top >= 0:
        g.hands[seat] |= 1 << from_stock(g)
    g.turns += 1
    following = next_with_cards(g, r)
    if played_out(g, following):
        end_deal(g, r)
        return
    if following < 0:
        following = (seat + 1) % r.players
        g.round += 1
        if g.stock_top >= 0:  # a view does not know the cards dealt
            deal_hands(g, r, following)
    g.to_move = following
    reset_turn(g)
