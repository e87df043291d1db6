"""Points of a deal by category and side, and the winner of a deal or match."""

import numpy as np

from casino_env.compiler.jit import kernel, popcount
from casino_env.engine.reading import ACES, JACK_OF_SPADES, SPADES, TWO_OF_SPADES
from casino_env.engine.state import BIG_FIRST, LITTLE_FIRST, ONE_EACH, SEATS, TO_BIG_TEN

CATEGORIES = (
    "cards",
    "spades",
    "five spades",
    "big ten",
    "little two",
    "ace of spades",
    "ace of clubs",
    "ace of hearts",
    "ace of diamonds",
    "jack of spades",
    "other spades",
    "sweeps",
)
_CARDS, _SPADES, _FIVE, _BIG, _LITTLE, _SWEEPS = map(
    CATEGORIES.index, ("cards", "spades", "five spades", "big ten", "little two", "sweeps")
)
_KINDS = len(CATEGORIES)
_TWO, _JACK_CARD = 1 << TWO_OF_SPADES, 1 << JACK_OF_SPADES
_OWN_POINTS = 1 | _TWO | _JACK_CARD
_SPADES_OF = {"little two": _TWO, "jack of spades": _JACK_CARD, "other spades": SPADES & ~_OWN_POINTS}
_ACES_OF = {f"ace of {suit}": 1 << card for card, suit in enumerate(("spades", "hearts", "diamonds", "clubs"))}
_OF_KIND = np.array([(_SPADES_OF | _ACES_OF).get(kind, 0) for kind in CATEGORIES])


@kernel
def side_cards(g, r, side):
    cards = 0
    for seat in range(side, r.players, r.sides):
        cards |= g.piles[seat]
    return cards


@kernel
def _majority(g, r, side, among, points, over):
    """Points for most of the cards `among`; before the deal is over only if no other side can still draw level."""
    mine, best, out = popcount(side_cards(g, r, side) & among), 0, popcount(r.deck & among)
    for other in range(r.sides):
        theirs = popcount(side_cards(g, r, other) & among)
        out -= theirs
        if other != side:
            best = max(best, theirs)
    if mine > (best if over else best + out):
        return points
    return 1 if over and mine and mine == best and r.ties == ONE_EACH else 0


@kernel
def point_cards(r):
    """The big ten, little two and aces."""
    return ACES | 1 << TWO_OF_SPADES | 1 << r.big_card


@kernel
def _point_holder(g, r):
    """(side that alone has point cards, -1 if none has, -2 if several have; how many are not captured yet)."""
    holder, points = -1, point_cards(r) & r.deck
    left = points
    for side in range(r.sides):
        mine = side_cards(g, r, side) & points
        left &= ~mine
        if mine:
            holder = side if holder == -1 else -2
    return holder, popcount(left)


@kernel
def card_points(r, cards):
    """The points that cards are worth by themselves."""
    points = r.big_points * (cards >> r.big_card & 1)
    if not r.spade_cards:
        return points + r.little_points * (cards >> TWO_OF_SPADES & 1) + r.ace_points * popcount(cards & 15)
    two_each = popcount(cards & _OWN_POINTS)
    other_spades = popcount(cards & SPADES & ~_OWN_POINTS)
    return points + 2 * two_each + other_spades + r.ace_points * popcount(cards & 14)


@kernel
def _cards_of_kind(r, kind):
    """The cards that count in a category of single cards."""
    big = 1 << r.big_card
    return big if kind == _BIG else _OF_KIND[kind] & ~big


@kernel
def _most(g, r, side, kind, over):
    """Points for most cards or most spades."""
    among, points = (r.deck, r.cards_points) if kind == _CARDS else (SPADES, r.spades_points)
    if points == 0:
        return 0
    if r.shutout:
        holder, left = _point_holder(g, r)
        if holder >= 0 and (over or left == 0):
            return points if side == holder else 0
        if holder != -2 and not over and side != holder:  # another side may still be the only holder
            return 0
    return _majority(g, r, side, among, points, over)


@kernel
def category_points(g, r, side, kind, over):
    """Points of a side in one of CATEGORIES: final if the deal is over, else those already certain."""
    mine = side_cards(g, r, side)
    if kind == _CARDS or kind == _SPADES:
        return _most(g, r, side, kind, over)
    if kind == _FIVE:
        return r.five_spades_points if popcount(mine & SPADES) >= 5 else 0
    if kind == _SWEEPS:
        return g.sweeps[side] if r.sweeps else 0
    return card_points(r, mine & _cards_of_kind(r, kind))


@kernel
def side_points(g, r, side, over):
    mine = side_cards(g, r, side)
    points = card_points(r, mine) + (g.sweeps[side] if r.sweeps else 0)
    if r.five_spades_points and popcount(mine & SPADES) >= 5:
        points += r.five_spades_points
    return points + _most(g, r, side, _CARDS, over) + _most(g, r, side, _SPADES, over)


@kernel
def _counted_kind(r, step):
    """The category counted towards the target at this step (R96)."""
    if r.counting == LITTLE_FIRST and step == _BIG:
        return _LITTLE
    if r.counting == LITTLE_FIRST and step == _LITTLE:
        return _BIG
    return step


@kernel
def _counted_winner(g, r):
    """The side that reaches the target first when categories are counted in order; -1 if none or level."""
    for step in range(_KINDS):
        best, best_total, level = -1, 0, False
        for side in range(r.sides):
            total = g.match_score[side]
            for earlier in range(step + 1):
                total += category_points(g, r, side, _counted_kind(r, earlier), True)
            if total >= r.target:
                final = g.match_score[side] + side_points(g, r, side, True)
                if final == best_total:
                    level = True
                elif final > best_total:
                    best, best_total, level = side, final, False
        if best >= 0:
            return -1 if level else best
    return -1


@kernel
def _highest(totals, sides, least):
    """The only side with the highest total of at least `least`; -1 if there is none, -2 if several share it."""
    best, best_total, level = -1, least - 1, False
    for side in range(sides):
        if totals[side] == best_total:
            level = True
        elif totals[side] > best_total:
            best, best_total, level = side, totals[side], False
    return -2 if best >= 0 and level else best


@kernel
def deal_winner(g, r, totals):
    """The winner by these totals; -2 if shared. The big ten may break a tie."""
    winner = _highest(totals, r.sides, 0)
    if winner == -2 and r.tie_break == TO_BIG_TEN:
        for side in range(r.sides):
            has_it = side_cards(g, r, side) >> r.big_card & 1
            if has_it and _highest(totals, r.sides, totals[side] + 1) == -1:
                winner = side
    return winner


@kernel
def score_deal(g, r):
    """Set the points of a finished deal. Outside a match the most points win, whatever the target."""
    for side in range(r.sides):
        g.deal_points[side] = side_points(g, r, side, True)
    if not g.match:
        g.winner = deal_winner(g, r, g.deal_points)


@kernel
def settle_deal(g, r):
    """Add the points of a finished deal, and set the winner of the deal or of a decided match."""
    by_category = r.counting == BIG_FIRST or r.counting == LITTLE_FIRST
    counted = _counted_winner(g, r) if g.match and r.target and by_category else -1
    score_deal(g, r)
    if g.match and r.match_games:
        _count_game(g, r)
        return
    for side in range(r.sides):
        g.match_score[side] += g.deal_points[side]
    g.deals += 1
    if not g.match:
        return
    if r.match_rounds:
        g.winner = _highest(g.match_score, r.sides, 0) if g.deals >= r.match_rounds * r.players else -1
    elif r.target == 0:
        g.winner = deal_winner(g, r, g.match_score)
    elif by_category:
        g.winner = counted
    else:
        g.winner = max(-1, _highest(g.match_score, r.sides, r.target))  # a tie at the top leads to another deal


@kernel
def _count_game(g, r):
    """Count a game won in a match of match_games; a game without a single winner does not count."""
    winner = deal_winner(g, r, g.deal_points)
    g.deals += 1
    if winner >= 0:
        g.match_score[winner] += 1
        if 2 * g.match_score[winner] > r.match_games:
            g.winner = winner


@kernel
def less_the_others(r, total, mine):
    """A side's points less the mean of the other sides'. total: points of all sides."""
    return mine - (total - mine) / (r.sides - 1)


@kernel
def points_ahead(g, r, side):
    """Of a finished deal: the side's points less the mean of the others'."""
    total = 0.0
    for other in range(r.sides):
        total += g.deal_points[other]
    return less_the_others(r, total, g.deal_points[side])


@kernel
def settle_count_out(g, r, seat):
    """Settle a claim of the target: the seat's side wins if it has it, else the best other side."""
    side = seat % r.sides
    if g.match_score[side] + side_points(g, r, side, False) >= r.target:
        g.winner = side
    else:
        best = -1
        for other in range(r.sides):
            total = g.match_score[other] + side_points(g, r, other, False)
            if other != side and (best < 0 or total > g.match_score[best] + side_points(g, r, best, False)):
                best = other
        g.winner = best
    for other in range(SEATS):
        g.deal_points[other] = side_points(g, r, other, False) if other < r.sides else 0
        g.match_score[other] += g.deal_points[other]
    g.deals += 1
