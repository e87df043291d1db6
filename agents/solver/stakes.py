"""What is at stake for the rest of a deal: the points that are safe, the points still open, and a key of the position.

A card deep in a pile is safe: nobody can uncover it any more. Safe cards count only through their points and, while
most cards or most spades is undecided, through their number. Values in the transposition table are relative to the safe
points, so that positions which differ only in these share an entry.
"""

from casino_env.cards import CARDS
from casino_env.compiler.jit import highest, kernel, popcount
from casino_env.engine.position_keys import chain_key, hands_key, mix, table_key
from casino_env.engine.reading import ACES, SPADES, pile_of, pips, side_of
from casino_env.engine.scoring import card_points, point_cards
from casino_env.engine.state import CHAIN_ALL, NO_STEAL, STEAL, STEAL_BOUND, TO_LAST_CAPTURE

# --- safe cards --------------------------------------------------------------------------------------------------


@kernel
def _of_takers(r, pile, by_seat):
    """Return the union of the bits in by_seat of the seats that may take from the pile."""
    found = 0
    for seat in range(r.players):
        if r.steal_from_partner or side_of(r, seat) != side_of(r, pile):
            found |= by_seat[seat]
    return found


@kernel
def reachable(g, r, pile):
    """Return the cards that may still leave the pile, at the beginning of a turn.

    A top can be taken only by a card, or into a build, that is worth at least as much (builds can exceed all cards in a
    position set up by hand). So a top worth more than the takers' highest is never taken, nor any card below it. Where
    a turn takes one top at most, no more are taken than there are turns.
    """
    top = g.pile_top[pile]
    if top < 0 or not (r.capture_tops or r.steal != NO_STEAL or r.bundles):
        return 0
    takers, owned = _of_takers(r, pile, g.hands), _of_takers(r, pile, g.owned)
    if r.bundles:  # taken by any rank
        return g.piles[pile] if takers else 0
    takers &= r.numeric
    if takers == 0:
        return 0
    most = max(pips(highest(takers)), highest(owned) if owned else 0)
    if not r.keep_backing or (r.ace_high and takers & ACES):
        most = r.max_build
    several = r.steal == STEAL or r.steal == STEAL_BOUND or r.chain == CHAIN_ALL
    turns = CARDS if several else popcount(takers)
    cards = 0
    while top >= 0 and turns > 0 and r.numeric >> top & 1 and pips(top) <= most:
        cards |= 1 << top
        top = g.below[top]
        turns -= 1
    return cards


@kernel
def safe_cards(g, r, side):
    """Return the cards that a side is sure to keep."""
    cards = 0
    for pile in range(side, r.players, r.sides):
        cards |= g.piles[pile] & ~reachable(g, r, pile)
    return cards


# --- the range of the final difference ---------------------------------------------------------------------------


@kernel
def _sign(number):
    return 1 if number > 0 else (-1 if number < 0 else 0)


@kernel
def majority(lead, open_cards, points):
    """Return (lowest, highest) difference by a majority's points; a tie is worth 0. open_cards: number not yet safe."""
    return points * _sign(lead - open_cards), points * _sign(lead + open_cards)


@kernel
def holders(r, mine, theirs):
    """Return bit 0 (bit 1) if side 0 (side 1) is sure to keep point cards."""
    points = point_cards(r)
    return (mine & points != 0) | (theirs & points != 0) << 1


@kernel
def with_shutout(r, who, open_cards, low, high, points):
    """Adjust the range of a majority for a shutout: the only side with point cards gets it. who: by holders."""
    if who == 3:
        return low, high
    if who and not open_cards & point_cards(r):
        return (points, points) if who == 1 else (-points, -points)
    return -points if who != 1 else low, points if who != 2 else high


@kernel
def five(mine, theirs, open_cards, points):
    """Return (lowest, highest) difference by the points that every side with five spades gets."""
    low = (1 if mine >= 5 else 0) - (1 if theirs + open_cards >= 5 else 0)
    high = (1 if mine + open_cards >= 5 else 0) - (1 if theirs >= 5 else 0)
    return points * low, points * high


@kernel
def _toward_five(mine, open_cards):
    return 6 if mine >= 5 or mine + open_cards < 5 else mine


@kernel
def _sweep_turns(g, r, side):
    """Return the number of turns in which the side may still make a sweep."""
    turns = 0
    if r.sweeps:
        for seat in range(side, r.players, 2):
            turns += popcount(g.hands[seat])
    return turns


@kernel
def _cards_prospects(r, mine, theirs, rest):
    """Return the part of most cards in the result of prospects()."""
    if r.cards_points == 0:
        return 0, 0, 0, 0
    lead = popcount(mine) - popcount(theirs)
    low, high = majority(lead, popcount(rest), r.cards_points)
    if r.shutout:
        low, high = with_shutout(r, holders(r, mine, theirs), rest, low, high, r.cards_points)
    return (low, low, high, 0) if low == high else (0, low, high, lead + 64)


@kernel
def _spades_prospects(r, mine, theirs, rest):
    """Return the part of most spades and of five spades in the result of prospects()."""
    if r.spades_points == 0 and r.five_spades_points == 0:
        return 0, 0, 0, 0
    a, b, left = popcount(mine & SPADES), popcount(theirs & SPADES), popcount(rest & SPADES)
    low, high = majority(a - b, left, r.spades_points)
    if r.shutout:
        low, high = with_shutout(r, holders(r, mine, theirs), rest, low, high, r.spades_points)
    safe, word = (low, 0) if low == high else (0, a - b + 64)
    if r.five_spades_points:
        least, most = five(a, b, left, r.five_spades_points)
        low, high = low + least, high + most
        safe += r.five_spades_points * ((1 if a >= 5 else 0) - (1 if b >= 5 else 0))
        word |= _toward_five(a, left) << 8 | _toward_five(b, left) << 12
    return safe, low, high, word


@kernel
def prospects(g, r):
    """Return (safe, lowest, highest, word), in points of side 0 minus those of side 1, at the beginning of a turn.

    safe is certain; the final difference lies between lowest and highest; word holds everything else about the safe
    cards that the future depends on.
    """
    mine, theirs = safe_cards(g, r, 0), safe_cards(g, r, 1)
    rest = r.deck & ~(mine | theirs)
    safe, open_points = card_points(r, mine) - card_points(r, theirs), card_points(r, rest)
    if r.sweeps:
        safe += g.sweeps[0] - g.sweeps[1]
    cards, cards_low, cards_high, word = _cards_prospects(r, mine, theirs, rest)
    spades, spades_low, spades_high, more = _spades_prospects(r, mine, theirs, rest)
    low = safe - open_points - _sweep_turns(g, r, 1) + cards_low + spades_low
    high = safe + open_points + _sweep_turns(g, r, 0) + cards_high + spades_high
    if r.shutout:
        more |= holders(r, mine, theirs) << 16
    return safe + cards + spades, low, high, word | more << 8


# --- the key -----------------------------------------------------------------------------------------------------


@kernel
def position_key(g, r, names, word):
    """Return a key that is equal for positions with the same future, safe points aside, at the beginning of a turn."""
    key = table_key(g, r, names, hands_key(g, r, names, -1))
    for pile in range(r.players):
        top = g.pile_top[pile]
        if top >= 0:
            key = mix(key, pile)
            key += chain_key(g, names, top, reachable(g, r, pile))
    if r.partner_builds:
        for seat in range(r.players):
            key = mix(key, g.proven[seat])
    heir = -1
    if g.last_capture >= 0 and r.leftovers == TO_LAST_CAPTURE:
        heir = pile_of(r, g.last_capture)
    early = 1 if g.round < r.rounds else 0
    return mix(mix(key, word), g.to_move | (heir + 1) << 8 | early << 16)
