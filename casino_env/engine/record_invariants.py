"""What holds of the cards of every game: each lies in one place, and the lists agree with the sets.

Kernels that walk the lists of a record stop after 52 steps, but what they would say of a wrong one means nothing. So a
record from outside is looked at here first.
"""

from casino_env.cards import CARDS
from casino_env.compiler.jit import kernel, popcount
from casino_env.engine.state import NEW_WITH_HAND, SEATS, SORTING, VALUES

# What is wrong, in the order in which it is looked for.
FAULTS = (
    "",
    "hands, piles, builds and proven values: there are more than the seats of this game",
    "below: it names something that is not a card",
    "piles: the list of a pile and its set of cards differ",
    "stock: the list of its cards is wrong",
    "cards: one is in two places, or not in the deck",
    "builds: the list of a build and its set of cards differ",
    "builds: one of a value that this game does not build",
    "builds: each must have one owner",
    "builds: a set is not worth its build",
    "builds: a build has two cards or more, and turn.unfinished names the only one that is only begun",
    "layout: the order in which the loose cards were laid is wrong",
    "counters: more cards have been played, laid or swept than the deck has",
)
CARD_FAULTS = len(FAULTS)
_SEATS, _BELOW, _PILES, _STOCK, _CARDS, _BUILDS, _VALUE, _OWNERS, _SETS, _LONE, _LAID, _COUNTERS = range(1, CARD_FAULTS)


@kernel
def _listed(g, top):
    """The cards of a list from its top down; -1 if it is no list of cards, each once."""
    cards = 0
    for _ in range(CARDS + 1):
        if top == -1:
            return cards
        if top < 0 or top >= CARDS or cards >> top & 1:
            return -1
        cards |= 1 << top
        top = g.below[top]
    return -1


@kernel
def _too_many_seats(g, r):
    for seat in range(SEATS):
        some = g.hands[seat] | g.piles[seat] | g.owned[seat] | g.proven[seat] | g.sweeps[seat]
        if seat >= r.players and (some or g.pile_top[seat] != -1):
            return True
        if seat >= r.sides and (g.match_score[seat] or g.deal_points[seat] or g.sweeps[seat]):
            return True
        if r.shared_pile and seat >= 2 and g.piles[seat]:
            return True
        if (g.owned[seat] | g.proven[seat]) & ~((2 << r.max_build) - 2):
            return True
    return False


@kernel
def _wild_links(g):
    wild = False
    for card in range(CARDS):
        wild |= g.below[card] < -1 or g.below[card] >= CARDS
    return wild


@kernel
def _wrong_piles(g):
    wrong = False
    for seat in range(SEATS):
        wrong |= _listed(g, g.pile_top[seat]) != g.piles[seat]
    return wrong


@kernel
def _scattered(g, r, stock):
    """A card is in two places, or is none of this game's."""
    seen, twice = stock | g.layout, stock & g.layout
    for seat in range(SEATS):
        twice |= seen & g.hands[seat]
        seen |= g.hands[seat]
        twice |= seen & g.piles[seat]
        seen |= g.piles[seat]
    for value in range(VALUES):
        twice |= seen & g.build_cards[value]
        seen |= g.build_cards[value]
    if g.mode == SORTING:  # on their way to the pile
        card = 1 << g.hand_card if g.hand_card >= 0 else 0
        twice |= seen & (g.required | card) | (g.required & card)
        seen |= g.required | card
    return twice != 0 or seen & ~r.deck != 0 or g.starts & ~r.deck != 0


@kernel
def _owners(g, value):
    owners = 0
    for seat in range(SEATS):
        owners += g.owned[seat] >> value & 1
    return owners


@kernel
def _sets_of(g, value):
    """How many sets of the right worth a build is made of; -1 if one is worth something else."""
    total, cards, sets, card = 0, 0, 0, g.build_top[value]
    for _ in range(CARDS):
        if card < 0:
            break
        total += (card >> 2) + 1
        cards += 1
        if g.starts >> card & 1:
            if total != value and not (value == 14 and cards == 1 and card < 4):
                return -1
            total, cards = 0, 0
            sets += 1
        card = g.below[card]
    return sets if cards == 0 else -1


@kernel
def _wrong_build(g, r, value):
    """The fault of a build, 0 if there is none."""
    cards = g.build_cards[value]
    if _listed(g, g.build_top[value]) != cards:
        return _BUILDS
    if cards and (value < 1 or value > r.max_build or cards & ~r.numeric or r.bundles):
        return _VALUE
    if _owners(g, value) != (1 if cards else 0):
        return _OWNERS
    if _sets_of(g, value) != g.build_sets[value]:
        return _SETS
    begun = cards != 0 and g.unfinished == value  # by one card; with_hand: perhaps by more, without the hand card
    if popcount(cards) == 1 and not begun:
        return _LONE
    return _LONE if begun and popcount(cards) > 1 and r.new_builds != NEW_WITH_HAND else 0


@kernel
def _wrong_times(g):
    """Loose cards were laid one after the other."""
    times, rest = 0, g.layout
    for card in range(CARDS):
        if rest >> card & 1:
            time = g.laid[card]
            if time >= g.laid_next or time >= CARDS or times >> time & 1:
                return True
            times |= 1 << time
    return False


@kernel
def _too_much_played(g, r, stock):
    left, swept = popcount(stock), 0
    for seat in range(SEATS):
        left += popcount(g.hands[seat])
        swept += g.sweeps[seat]
    gone = popcount(r.deck) - left
    return g.turns + g.played > gone or g.laid_next > gone or swept > gone


@kernel
def cards_fault(g, r):
    """The number of the first of FAULTS that a record has; 0: its cards are as those of a game."""
    if _too_many_seats(g, r):
        return _SEATS
    if _wild_links(g):
        return _BELOW
    if _wrong_piles(g):
        return _PILES
    stock = _listed(g, g.stock_top)
    if stock < 0:
        return _STOCK
    for value in range(VALUES):
        wrong = _wrong_build(g, r, value)
        if wrong:
            return wrong
    if _scattered(g, r, stock):
        return _CARDS
    if _wrong_times(g):
        return _LAID
    return _COUNTERS if _too_much_played(g, r, stock) else 0
