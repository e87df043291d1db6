"""What a seat can work out before it judges moves: who may hold which values, and what a card is worth now."""

import numpy as np

from casino_env.compiler.jit import highest, kernel, lowest, popcount
from casino_env.engine.reading import ACES, SPADES, partner_of, pips, rank_cards, same_rank, side_builds, side_of
from casino_env.engine.scoring import card_points, side_cards
from casino_env.engine.state import MERGE, VALUES
from casino_env.knowledge.view import unseen

# Rows of facts about each value v. The first two are constant; POT and PRIZE change with each position.
ONE = 0
ITSELF = 1
FOE = 2  # chance that some opponent holds a card that takes v
SAFE = 3  # chance that none holds one
MATE = 4  # chance that the partner holds one
POT = 5  # worth of the build of v
PRIZE = 6  # worth of all loose cards that a card worth v could take
ROWS = 7

# compute_facts fills the facts once per decision; those below the line change with each position judged.
FACTS = np.dtype(
    [
        ("of", np.float64, (ROWS, VALUES)),  # facts about each value
        ("card", np.float64),  # worth of one more card in the race for most cards
        ("spade", np.float64),
        ("told", np.int64, VALUES),  # cards of v that the partner has shown to hold by builds, proofs and drifts
        ("seat", np.int64),
        ("team", np.int64),  # bit s: seat s plays with us
        ("held_back", np.int64),  # cards still in hands and stock
        ("hidden", np.int64),  # cards whose place the seat does not know
        ("hand", np.int64),  # ours before the move
        ("stood", np.int64),  # bit v: our build of v stood before the move
        # ---
        ("mine", np.int64),  # cards that our side has captured
        ("theirs", np.int64),  # cards that others have
        ("ranks", np.int64),  # bit v: we hold a card that takes v
        ("ours", np.int64),  # bit v: the build of v belongs to us
        ("others", np.int64),  # ... to opponents
        ("sums", np.int64),  # bit s: some loose cards are worth s
        ("groups", np.int64),  # bit v: some loose cards could be taken by a card worth v
        ("group", np.int64, VALUES),  # by value: all such cards
    ],
    align=True,
)


@kernel
def compute_facts(v, r, seat, with_partner, counts, f):
    """Compute the facts of a view; counts: include facts about hidden hands."""
    for value in range(VALUES):
        f.of[ONE, value], f.of[ITSELF, value] = 1.0, value
    f.seat = seat
    f.team = 1 << seat
    if r.partners and with_partner:
        f.team |= 1 << partner_of(seat)
    _races(v, r, f)
    if counts:
        f.hidden = unseen(r, v)
        f.held_back = popcount(f.hidden)
        for other in range(r.players):
            f.held_back += popcount(v.hands[other])
        f.hand, f.stood = v.hands[seat], side_builds(v, r, seat)
        _what_partner_told(v, r, f)
        _who_holds_what(v, r, f)


@kernel
def _drifts(v, value):
    """The number of cards of a build's own rank added from a hand, except one that made it from a loose card of the
    rank. `laid` is 0 for hand cards; so it is for the first loose card of a deal, which counts too."""
    count, card, under = 0, v.build_top[value], 0
    rank = rank_cards(value)
    while card >= 0:
        under = v.below[card]
        first = under < 0 or (v.below[under] < 0 and rank >> under & 1)
        count += rank >> card & 1 and v.laid[card] == 0 and not first
        card = under
    return count


@kernel
def _what_partner_told(v, r, f):
    """A player that adds a card that could take the build (a drift) knows that the partners keep two more: the owner
    holds two of them, its partner one. Drifts that our own hand rules out were the partner's."""
    f.told[:] = 0
    if f.team == 1 << f.seat:
        return
    partner = partner_of(f.seat)
    sure = v.owned[partner] | v.proven[partner] if r.keep_backing else 0
    for value in range(1, VALUES):
        f.told[value] = sure >> value & 1
    values = f.stood if r.equal_builds == MERGE else 0
    while values:
        value = lowest(values)
        values &= values - 1
        drifts, held = _drifts(v, value), popcount(v.hands[f.seat] & rank_cards(value))
        if drifts == 1 and held == 0 and v.owned[partner] >> value & 1:
            f.told[value] = 2
        elif drifts and held < 2 and v.owned[f.seat] >> value & 1:
            f.told[value] = 1
    f.told[1] = max(f.told[1], f.told[14])


@kernel
def _who_holds_what(v, r, f):
    foe_cards, foe_known, foe_sure = 0, 0, 0
    mate_cards, mate_known, mate_sure = 0, 0, 0
    for other in range(r.players):
        if other == f.seat:
            continue
        sure = v.owned[other] | v.proven[other] if r.keep_backing else 0
        if f.team >> other & 1:
            mate_cards += v.hidden_hand[other]
            mate_known |= v.hands[other]
            mate_sure |= sure
        else:
            foe_cards += v.hidden_hand[other]
            foe_known |= v.hands[other]
            foe_sure |= sure
    total = popcount(f.hidden)
    for value in range(1, 14):
        rank = rank_cards(value)
        count = popcount(f.hidden & rank)
        ours = max(0, f.told[value] - popcount(mate_known & rank))
        f.of[FOE, value] = _chance(foe_known & rank | foe_sure >> value & 1, foe_cards, total, count - ours)
        f.of[MATE, value] = _chance(mate_known & rank | f.told[value], mate_cards, total, count)
    f.of[FOE, 14] = max(f.of[FOE, 1], 1.0 * (foe_sure >> 14 & 1)) if r.ace_high else 0.0
    f.of[MATE, 14] = max(f.of[MATE, 1], 1.0 * (mate_sure >> 14 & 1)) if r.ace_high else 0.0
    for value in range(1, VALUES):
        f.of[SAFE, value] = 1.0 - f.of[FOE, value]


@kernel
def _chance(sure, cards, total, count):
    """The chance that at least one of `count` cards is among `cards` out of `total`."""
    if sure:
        return 1.0
    if total == 0 or count <= 0:
        return 0.0
    missed, without = 1.0, 1.0 - cards / total
    for _ in range(count):
        missed *= without
    return 1.0 - missed


# --- worth of cards ----------------------------------------------------------------------------------------------


@kernel
def look_at_piles(v, r, f):
    """Set who has captured which cards."""
    f.mine, f.theirs = 0, 0
    for other in range(r.players):
        if side_of(r, other) == side_of(r, f.seat):
            f.mine |= v.piles[other]
        else:
            f.theirs |= v.piles[other]


@kernel
def _races(v, r, f):
    """Set the worth of a card and a spade by the races for most of them: the lead, and how much is still to come."""
    look_at_piles(v, r, f)
    best_cards, best_spades = 0, 0
    for side in range(r.sides):
        if side != side_of(r, f.seat):
            theirs = side_cards(v, r, side)
            best_cards = max(best_cards, popcount(theirs))
            best_spades = max(best_spades, popcount(theirs & SPADES))
    left = r.deck & ~(f.mine | f.theirs)
    spades, left_spades = popcount(f.mine & SPADES), popcount(left & SPADES)
    f.card = margin_worth(r.cards_points, popcount(f.mine) - best_cards, popcount(left))
    f.spade = margin_worth(r.spades_points, spades - best_spades, left_spades)
    if r.five_spades_points:
        f.spade += margin_worth(r.five_spades_points, spades + left_spades / r.sides - 4.5, left_spades)


@kernel
def margin_worth(points, ahead, left):
    """The worth of one more card: high while the race is close and nearly over, 0 once it is decided."""
    if points == 0 or left == 0 or abs(ahead) > left:
        return 0.0
    spread = 1.0 + 1.2 * left**0.5
    z = ahead / spread
    return 0.5 * points / (spread * (1.0 + z * z))


@kernel
def worth(r, f, cards):
    """The points of the cards themselves plus their worth in both races."""
    return card_points(r, cards) + f.card * popcount(cards) + f.spade * popcount(cards & SPADES)


@kernel
def look_at_hand(v, r, f):
    f.ranks = 0
    hand = v.hands[f.seat]
    while hand:
        card = lowest(hand)
        hand &= ~same_rank(card)
        f.ranks |= 1 << pips(card)
    if r.ace_high:
        f.ranks |= (f.ranks >> 1 & 1) << 14


# --- builds and loose cards --------------------------------------------------------------------------------------


@kernel
def look_at_builds(v, r, f):
    """Set who owns which builds, and what these hold."""
    f.ours, f.others = 0, 0
    for seat in range(r.players):
        if f.team >> seat & 1:
            f.ours |= v.owned[seat]
        else:
            f.others |= v.owned[seat]
    values = f.ours | f.others
    while values:
        value = lowest(values)
        values &= values - 1
        f.of[POT, value] = worth(r, f, v.build_cards[value])


@kernel
def survey(v, r, f):
    """For each value, collect the loose cards that belong to some group worth it, in one pass over the table."""
    for value in range(VALUES):
        f.group[value], f.of[PRIZE, value] = 0, 0.0
    f.sums, f.groups = 1, 0
    rest = v.layout
    while rest:
        card = lowest(rest)
        rest &= rest - 1
        if r.multi_capture and r.numeric >> card & 1:
            # Add this card to every sum so far, from the highest down, so that it is used once.
            value, bit = pips(card), 1 << card
            totals = f.sums << value & 0x7FFF
            f.sums |= totals
            f.groups |= totals
            while totals:
                total = highest(totals)
                totals ^= 1 << total
                f.group[total] |= f.group[total - value] | bit
        else:
            f.group[pips(card)] |= 1 << card
            f.groups |= 1 << pips(card)
    if r.ace_high and v.layout & ACES:
        f.group[14] |= v.layout & ACES
        f.groups |= 1 << 14
    values = f.groups
    while values:
        value = lowest(values)
        values &= values - 1
        f.of[PRIZE, value] = worth(r, f, f.group[value])
