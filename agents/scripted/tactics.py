"""The rules of thumb of the scripted bots: each looks at the table that a move would leave, and says what it is worth.

All speak in points. A bot (bots.py) is a list of these rules and how much it trusts each. To add one: write the
kernel, name it in RULES, add its line to `judge`, give it to a bot, and pin it by a position in tests/test_bots.py.
"""

from agents.scripted.facts import SPADES, look_at_builds, look_at_hand, look_at_piles, survey, worth
from casino_env.engine.jit import kernel, lowest, popcount
from casino_env.engine.reading import rank_cards
from casino_env.engine.scoring import card_points
from casino_env.engine.state import NO_STEAL

# Name -> what it says of the table after the move.
RULES = {
    "points": "points of captured cards, ours less theirs",
    "cards": "captured cards, by what one is worth in the race for most cards",
    "spades": "captured spades, likewise",
    "late": "all three, the more the fewer cards are left to play",
    "builds": "what our builds hold",
    "high_builds": "the values of our builds: few can touch a high one, and much fits it",
    "monopoly": "the values of our builds that no opponent can hold a card for",
    "risk": "what our builds hold, times the chance that an opponent can take it",
    "raises": "our single builds, times the chance that an opponent can raise them",
    "grow": "loose cards that we can still add to our builds",
    "rivals": "what opponents' builds hold",
    "chase": "opponents' builds that we hold a card for",
    "feed": "loose cards that opponents can add to their builds",
    "threat": "the most that an opponent can expect to take next",
    "loose": "everything that opponents might take, by chance",
    "hopes": "the most that our hand could take next",
    "top": "tops of our piles that opponents can take",
    "their_tops": "tops of opponents' piles that we can take",
    "last": "what lies on the table, for whoever made the last capture, more as hands run out",
    "keep_high": "high cards kept in the hand",
    "keep_points": "scoring cards kept in the hand",
    "options": "cards in the hand that could take something",
    "sweeps": "a table that an opponent might sweep",
    "mate": "the most that the partner can expect to take next",
    "drift": "a card of its own rank added to our build, if two more are left between the partners: it tells them so",
}

# Rules that see what lies open and nothing else.
OPEN_RULES = ("points", "cards", "spades", "builds", "high_builds", "rivals", "keep_high", "keep_points")
# Rules that need a survey of the loose cards, and rules about the hand: what a bot does not use is not computed.
TABLE_RULES = (
    "grow", "feed", "threat", "loose", "hopes", "top", "their_tops", "last", "options", "sweeps", "mate",
)  # fmt: skip
HAND_RULES = ("keep_high", "keep_points")


# --- what has been captured ----------------------------------------------------------------------------------------


@kernel
def points(v, r, f):
    ahead = card_points(r, f.mine) - card_points(r, f.theirs) / (r.sides - 1)
    return ahead + v.sweeps[f.seat % r.sides] if r.sweeps else ahead


@kernel
def cards(v, r, f):
    return f.card * (popcount(f.mine) - popcount(f.theirs) / (r.sides - 1))


@kernel
def spades(v, r, f):
    return f.spade * (popcount(f.mine & SPADES) - popcount(f.theirs & SPADES) / (r.sides - 1))


@kernel
def late(v, r, f):
    ahead = worth(r, f, f.mine) - worth(r, f, f.theirs) / (r.sides - 1)
    return ahead * (1.0 - f.held_back / popcount(r.deck))


# --- builds --------------------------------------------------------------------------------------------------------


@kernel
def builds(v, r, f):
    total, values = 0.0, f.ours
    while values:
        total += f.pot[lowest(values)]
        values &= values - 1
    return total


@kernel
def high_builds(v, r, f):
    total, values = 0, f.ours
    while values:
        total += lowest(values)
        values &= values - 1
    return total / r.max_build


@kernel
def monopoly(v, r, f):
    total, values = 0, f.ours
    while values:
        value = lowest(values)
        values &= values - 1
        if f.foe[value] == 0.0:
            total += value
    return total / r.max_build


@kernel
def risk(v, r, f):
    total, values = 0.0, f.ours
    while values:
        value = lowest(values)
        values &= values - 1
        total += f.foe[value] * f.pot[value]
    return -total


@kernel
def raises(v, r, f):
    total, values = 0.0, f.ours
    while values:
        value = lowest(values)
        values &= values - 1
        if v.build_sets[value] == 1:
            safe = 1.0
            for more in range(1, r.max_build - value + 1):
                safe *= 1.0 - f.foe[more] * f.foe[value + more]
            total += (1.0 - safe) * f.pot[value]
    return -total


@kernel
def grow(v, r, f):
    total, values = 0.0, f.ours & f.groups
    while values:
        value = lowest(values)
        values &= values - 1
        total += (1.0 - f.foe[value]) * f.prize[value]
    return total


@kernel
def rivals(v, r, f):
    total, values = 0.0, f.others
    while values:
        total += f.pot[lowest(values)]
        values &= values - 1
    return -total


@kernel
def chase(v, r, f):
    total, values = 0.0, f.others & f.ranks
    while values:
        total += f.pot[lowest(values)]
        values &= values - 1
    return total


@kernel
def feed(v, r, f):
    total, values = 0.0, f.others & f.groups
    while values:
        total += f.prize[lowest(values)]
        values &= values - 1
    return -total


# --- loose cards and pile tops -------------------------------------------------------------------------------------


@kernel
def threat(v, r, f):
    most, values = 0.0, f.groups
    while values:
        value = lowest(values)
        values &= values - 1
        most = max(most, f.foe[value] * f.prize[value])
    return -most


@kernel
def loose(v, r, f):
    total, values = 0.0, f.groups
    while values:
        value = lowest(values)
        values &= values - 1
        total += f.foe[value] * f.prize[value]
    return -total


@kernel
def mate(v, r, f):
    most, values = 0.0, f.groups
    while values:
        value = lowest(values)
        values &= values - 1
        most = max(most, f.mate[value] * f.prize[value])
    return most


@kernel
def hopes(v, r, f):
    most, values = 0.0, f.groups & f.ranks
    while values:
        most = max(most, f.prize[lowest(values)])
        values &= values - 1
    return most


@kernel
def _taking_chance(r, f, top, owners, foe):
    """Chance that a pile top is taken: by the builds of these owners, or straight from their hands."""
    rank = top >> 2
    if r.bundles:
        return f.foe[rank + 1] if foe else 1.0 * (f.ranks >> (rank + 1) & 1)
    if not r.numeric >> top & 1:
        return 0.0
    values = f.sums << (rank + 1) & 0x7FFF  # it may go with loose cards, or alone, into these
    if r.steal != NO_STEAL and owners & values:
        return 1.0
    if not r.capture_tops:
        return 0.0
    if not foe:
        return 1.0 if f.ranks & values else 0.0
    missed = 1.0
    while values:
        missed *= 1.0 - f.foe[lowest(values)]
        values &= values - 1
    return 1.0 - missed


@kernel
def _tops(v, r, f, team, owners, foe):
    """What the tops of the team's piles may bring to the others (foe) or to us."""
    total = 0.0
    for seat in range(r.players):
        if team >> seat & 1 and v.pile_top[seat] >= 0:
            top = v.pile_top[seat]
            cards = v.piles[seat] if r.bundles else 1 << top
            total += worth(r, f, cards) * _taking_chance(r, f, top, owners, foe)
    return total


@kernel
def top(v, r, f):
    return -_tops(v, r, f, f.team, f.others, 1)


@kernel
def their_tops(v, r, f):
    return _tops(v, r, f, ~f.team, f.ours, 0)


@kernel
def last(v, r, f):
    if v.last_capture < 0:
        return 0.0
    left = worth(r, f, v.layout) / (1.0 + f.held_back)
    return left if f.team >> v.last_capture & 1 else -left


@kernel
def sweeps(v, r, f):
    if not r.sweeps or f.ours | f.others:
        return 0.0
    most, values = 0.0, f.groups
    while values:
        value = lowest(values)
        values &= values - 1
        if f.group[value] == v.layout:
            most = max(most, f.foe[value])
    return -most


@kernel
def drift(v, r, f):
    """Both can count on the build afterwards; where two are not left the partner would be misled."""
    if f.team == 1 << f.seat:
        return 0.0
    played, values = f.hand & ~v.hands[f.seat], f.ours & f.stood
    while values:
        value = lowest(values)
        values &= values - 1
        rank = rank_cards(value)
        if played & rank & v.build_cards[value]:
            left = popcount(v.hands[f.seat] & rank) + f.told[value]
            return f.pot[value] if left >= 2 or f.foe[value] == 0.0 else -f.pot[value]
    return 0.0


# --- the hand ------------------------------------------------------------------------------------------------------


@kernel
def keep_high(v, r, f):
    total, hand = 0.0, v.hands[f.seat] & r.numeric
    while hand:
        card = lowest(hand)
        hand &= hand - 1
        total += 14 if card < 4 and r.ace_high else (card >> 2) + 1
    return total / 13.0


@kernel
def keep_points(v, r, f):
    return card_points(r, v.hands[f.seat])


@kernel
def options(v, r, f):
    return popcount(f.ranks & (f.groups | f.ours | f.others) & 0x3FFE)


# --- all together --------------------------------------------------------------------------------------------------


@kernel
def _judge_builds(v, r, f, w):
    total = w.builds * builds(v, r, f) + w.rivals * rivals(v, r, f) + w.high_builds * high_builds(v, r, f)
    if w.monopoly:
        total += w.monopoly * monopoly(v, r, f)
    if w.risk:
        total += w.risk * risk(v, r, f)
    if w.raises:
        total += w.raises * raises(v, r, f)
    if w.chase:
        total += w.chase * chase(v, r, f)
    if w.grow:
        total += w.grow * grow(v, r, f)
    if w.feed:
        total += w.feed * feed(v, r, f)
    if w.drift:
        total += w.drift * drift(v, r, f)
    return total


@kernel
def _judge_table(v, r, f, w):
    total = w.last * last(v, r, f)
    if w.threat:
        total += w.threat * threat(v, r, f)
    if w.loose:
        total += w.loose * loose(v, r, f)
    if w.hopes:
        total += w.hopes * hopes(v, r, f)
    if w.top:
        total += w.top * top(v, r, f)
    if w.their_tops:
        total += w.their_tops * their_tops(v, r, f)
    if w.options:
        total += w.options * options(v, r, f)
    if w.sweeps:
        total += w.sweeps * sweeps(v, r, f)
    if w.mate:
        total += w.mate * mate(v, r, f)
    return total


@kernel
def _judge_hand(v, r, f, w):
    total = w.keep_points * keep_points(v, r, f)
    if w.keep_high:
        total += w.keep_high * keep_high(v, r, f)
    return total


@kernel
def judge(v, r, f, w):
    """The sum of the rules that a bot trusts, each times its weight."""
    look_at_piles(v, r, f)
    look_at_hand(v, r, f)
    total = w.points * points(v, r, f) + w.cards * cards(v, r, f) + w.spades * spades(v, r, f)
    if w.late:
        total += w.late * late(v, r, f)
    if w.looks:
        survey(v, r, f)
    look_at_builds(v, r, f)
    if f.ours | f.others:
        total += _judge_builds(v, r, f, w)
    if w.looks:
        total += _judge_table(v, r, f, w)
    if w.plans:
        total += _judge_hand(v, r, f, w)
    return total
