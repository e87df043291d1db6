"""Determinizations: complete games that agree with everything a seat knows, drawn with equal probability.

They are drawn from a view (view.py) alone, so a sample cannot leak what the seat may not know.
"""

import numpy as np

from casino_env.cards import CARDS
from casino_env.compiler.jit import bits_of, entry, kernel, popcount, scratch
from casino_env.compiler.types import I16, Word
from casino_env.engine import action_set
from casino_env.engine.deal import to_stock
from casino_env.engine.legal import legal_actions
from casino_env.engine.piles import push
from casino_env.engine.position_keys import record_key
from casino_env.engine.reading import pips, rank_cards
from casino_env.engine.state import SEATS, Records, RulesRow
from casino_env.engine.turn import apply
from casino_env.knowledge.view import PERFECT, make_view, needed_now, unseen
from casino_env.rng import game_below, nth_word

_STOCK = 2 * SEATS  # holders: hands 0..5, piles 6..11, the stock
_NOWHERE = _STOCK + 1  # cards that a position leaves out of play
_TRIES = 200_000  # of the rejection sampling


@kernel
def _places(v, cards, places):
    """List a holder for each of `cards` unseen cards; return the number of hidden cards."""
    count = 0
    for holder in range(2 * SEATS + 1):
        if holder == _STOCK:
            hidden = v.hidden_stock
        elif holder < SEATS:
            hidden = v.hidden_hand[holder]
        else:
            hidden = v.hidden_pile[holder - SEATS]
        for _ in range(hidden):
            places[count] = holder
            count += 1
    for k in range(count, cards):
        places[k] = _NOWHERE
    return count


@kernel
def _claimed(v, r, seat, cards):
    """The unseen cards of all ranks that some other seat must hold."""
    claimed = 0
    for rank in range(1, 14):
        of_rank = cards & rank_cards(rank)
        if of_rank:
            for other in range(r.players):
                if other != seat and needed_now(v, r, other, rank) > 0:
                    claimed |= of_rank
    return claimed


@kernel
def _satisfied(v, r, seat, order, places, claims):
    """Whether every build and proof has its card, if the claimed cards lie in the first `claims` places."""
    for other in range(r.players):
        if other == seat:
            continue
        for rank in range(1, 14):
            need = needed_now(v, r, other, rank)
            if need <= 0:
                continue
            for i in range(claims):
                if places[i] == other and pips(order[i]) == rank:
                    need -= 1
            if need > 0:
                return False
    return True


@kernel
def _shuffle_part(w, places, first, last, count):
    """Draw places[first:last] at random from places[first:count]."""
    for i in range(first, last):
        j = i + game_below(w, count - i)
        places[i], places[j] = places[j], places[i]


@kernel
def _shuffle_pairs(w, order, places, count):
    """Shuffle cards together with their places: this sets the order of the stock."""
    for i in range(count - 1, 0, -1):
        j = game_below(w, i + 1)
        order[i], order[j] = order[j], order[i]
        places[i], places[j] = places[j], places[i]


@kernel
def _hand_out(w, order, places, count):
    """Put each card in its place, and clear the hidden counts."""
    for i in range(count):
        card, holder = order[i], places[i]
        if holder == _STOCK:
            to_stock(w, card)
        elif holder < SEATS:
            w.hands[holder] |= 1 << card
        elif holder < _STOCK:
            w.piles[holder - SEATS] |= 1 << card
    w.hidden_stock = 0
    for seat in range(SEATS):
        w.hidden_hand[seat] = 0
        w.hidden_pile[seat] = 0


@kernel
def _shuffle_batches(w, r):
    """Shuffle cards of unknown order within their batch of a pile."""
    block = scratch()
    for pile in range(r.players):
        above, card = -1, w.pile_top[pile]
        for _ in range(CARDS):
            if card < 0:
                break
            if not w.shuffled >> card & 1:
                above, card = card, w.below[card]
                continue
            count, last = 0, False
            while not last and card >= 0 and count < CARDS:
                block[count] = card
                count += 1
                last = w.starts >> card & 1 != 0
                card = w.below[card]
            for i in range(count - 1, 0, -1):
                j = game_below(w, i + 1)
                block[i], block[j] = block[j], block[i]
            for i in range(count):
                w.starts &= ~(1 << block[i])
                w.below[above] = block[i]
                above = block[i]
            w.below[above] = card
            w.starts |= 1 << above
    w.shuffled = 0


@kernel
def _stack_closed(w, r):
    """Make face-down piles linked lists again, in any order."""
    for pile in range(r.players):
        if w.pile_top[pile] < 0:
            for card in bits_of(w.piles[pile]):
                push(w, pile, card)
                w.starts |= 1 << card


@kernel
def complete(v, r, seat, w):
    """Draw into w, a copy of the view v with its own random state, a game that agrees with v; False if it failed."""
    order, places = scratch(), scratch()
    cards = unseen(r, v)
    claimed = _claimed(v, r, seat, cards)
    claims = popcount(claimed)
    count = 0
    for part in (claimed, cards & ~claimed):
        for card in bits_of(part):
            order[count] = card
            count += 1
    if _places(v, count, places) > count:
        return False
    for _ in range(_TRIES):  # rejection sampling keeps the draw uniform; it checks only the claimed cards
        _shuffle_part(w, places, 0, claims, count)
        if _satisfied(v, r, seat, order, places, claims):
            _shuffle_part(w, places, claims, count, count)
            if w.hidden_stock:
                _shuffle_pairs(w, order, places, count)
            _hand_out(w, order, places, count)
            _shuffle_batches(w, r)
            _stack_closed(w, r)
            w.rng = np.uint64(game_below(w, 1 << 31)) << np.uint64(31) ^ np.uint64(game_below(w, 1 << 31))
            return True
    return False


@entry
def complete_many(views: Records, rules: RulesRow, seat: int, seed: Word, games: Records) -> int:
    """Draw a sample into each of `games` from one view; return how many succeeded."""
    for i in range(games.shape[0]):
        games[i] = views[0]
        games[i].rng = nth_word(seed, i)
        if not complete(views[0], rules[0], seat, games[i]):
            return i
    return games.shape[0]


# === Whether a seat learns something by its own actions, such as which card lay under the one that it took ============

# If two cards may lie on top, each does in half of the samples: all samples agree once in 2^40 times.
DRAWN = 40
WORK = DRAWN + 3  # records


@kernel
def _do_all(work, r, actions, k):
    """Apply the actions to game k; return False at the first illegal one."""
    for i in range(actions.shape[0]):
        if not action_set.has(legal_actions(work[k], r), actions[i]):
            return False
        apply(work[k], r, actions[i])
    return True


@kernel
def _takes_from_pile(before, after, r):
    taken = 0
    for pile in range(r.players):
        taken |= before.piles[pile] & ~after.piles[pile]
    return taken != 0


@entry
def learns(records: Records, rules: RulesRow, seat: int, actions: I16, work: Records) -> int:
    """Whether the seat could learn from these actions: whether it would see anything else if hidden cards were
    different. They include forced ones, because other cards may force another action.

    work: WORK records: the samples, the seat's view before and after, the view of a sample, and this game.
    """
    r, before, seen, this, other = rules[0], records[0], DRAWN, DRAWN + 1, DRAWN + 2
    work[this] = before
    if not _do_all(work, r, actions, this) or not _takes_from_pile(before, work[this], r):
        return 0  # within a turn only cards under pile tops come to light
    work[seen] = before
    make_view(before, r, seat, PERFECT, work[seen])
    if complete_many(work[seen : seen + 1], rules, seat, record_key(work, seen), work[:DRAWN]) < DRAWN:
        return 1  # too few samples to compare: assume that it learns
    work[seen] = work[this]
    make_view(work[this], r, seat, PERFECT, work[seen])
    key = record_key(work, seen)
    for k in range(DRAWN):
        if not _do_all(work, r, actions, k):
            return 1
        work[other] = work[k]
        make_view(work[k], r, seat, PERFECT, work[other])
        if record_key(work, other) != key:
            return 1
    return 0
