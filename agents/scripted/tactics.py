"""The rules of thumb of the scripted bots: each scores the position that a move leads to, in points.

A bot (bots.py) is a list of these rules with weights. To add a rule: name it in RULES with what it needs, add its line
to the part of `judge` that has this, give it to a bot, and pin it by a position in tests/test_bots.py.
"""

from casino_env.agents.scripted.facts import (
    FOE,
    ITSELF,
    MATE,
    ONE,
    POT,
    PRIZE,
    SAFE,
    look_at_builds,
    look_at_hand,
    look_at_piles,
    survey,
    worth,
)
from casino_env.compiler.jit import kernel, lowest, popcount
from casino_env.engine.reading import ACES, SPADES, pips, rank_cards
from casino_env.engine.scoring import card_points
from casino_env.engine.state import NO_STEAL, TO_LAST_CAPTURE, VALUES

# What a rule needs; facts that no rule of a bot needs are not computed.
OPEN, HAND, COUNTED, SURVEY = "what lies open", "the own hand", "counted cards", "counted cards and loose groups"

# Name -> (what the rule needs, what it scores in the position after the move).
RULES = {
    "points": (OPEN, "points of captured cards, ours less theirs"),
    "cards": (OPEN, "captured cards, by what one is worth in the race for most cards"),
    "spades": (OPEN, "captured spades, likewise"),
    "late": (COUNTED, "all three, the more the fewer cards are left to play"),
    "builds": (OPEN, "what our builds hold"),
    "high_builds": (OPEN, "the values of our builds: few can touch a high one, and much fits it"),
    "monopoly": (COUNTED, "the values of our builds that no opponent can hold a card for"),
    "risk": (COUNTED, "what our builds hold, times the chance that an opponent can take it"),
    "raises": (COUNTED, "our single builds, times the chance that an opponent can raise them"),
    "grow": (SURVEY, "loose cards that we can still add to our builds"),
    "rivals": (OPEN, "what opponents' builds hold"),
    "chase": (COUNTED, "opponents' builds that we hold a card for"),
    "feed": (SURVEY, "loose cards that opponents can add to their builds"),
    "threat": (SURVEY, "the most that an opponent can expect to take next"),
    "loose": (SURVEY, "everything that opponents might take, by chance"),
    "hopes": (SURVEY, "the most that our hand could take next"),
    "top": (SURVEY, "tops of our piles that opponents can take"),
    "their_tops": (SURVEY, "tops of opponents' piles that we can take"),
    "last": (SURVEY, "what lies on the table, for whoever made the last capture, more as hands run out"),
    "keep_high": (HAND, "high cards kept in the hand"),
    "keep_points": (HAND, "scoring cards kept in the hand"),
    "options": (SURVEY, "cards in the hand that could take something"),
    "sweeps": (SURVEY, "a table that an opponent might sweep"),
    "mate": (SURVEY, "the most that the partner can expect to take next"),
    "drift": (COUNTED, "a card of its own rank added to our build, if two more are left between the partners, to tell"),
}

_ALL_VALUES = (1 << VALUES) - 1


@kernel
def total_over(f, values, chance, prize):
    """The sum over a bitmask of values of one row of facts times another."""
    total = 0.0
    while values:
        value = lowest(values)
        values &= values - 1
        total += f.of[chance, value] * f.of[prize, value]
    return total


@kernel
def most_over(f, values, chance, prize):
    """The largest product of two rows of facts over a bitmask of values."""
    most = 0.0
    while values:
        value = lowest(values)
        values &= values - 1
        most = max(most, f.of[chance, value] * f.of[prize, value])
    return most


# --- captured cards ------------------------------------------------------------------------------------------------


@kernel
def _ahead(r, mine, theirs):
    """Our amount less the mean of the other sides'."""
    return mine - theirs / (r.sides - 1)


@kernel
def _points(v, r, f):
    ahead = _ahead(r, card_points(r, f.mine), card_points(r, f.theirs))
    return ahead + v.sweeps[f.seat % r.sides] if r.sweeps else ahead


@kernel
def _judge_captured(v, r, f, w):
    total = w.points * _points(v, r, f)
    total += w.cards * (f.card * _ahead(r, popcount(f.mine), popcount(f.theirs)))
    total += w.spades * (f.spade * _ahead(r, popcount(f.mine & SPADES), popcount(f.theirs & SPADES)))
    if w.late:
        played = 1.0 - f.held_back / popcount(r.deck)
        total += w.late * (_ahead(r, worth(r, f, f.mine), worth(r, f, f.theirs)) * played)
    return total


# --- builds --------------------------------------------------------------------------------------------------------


@kernel
def _monopolies(f):
    """Bitmask of our builds that no opponent can hold a card for."""
    alone, values = 0, f.ours
    while values:
        value = lowest(values)
        values &= values - 1
        if f.of[FOE, value] == 0.0:
            alone |= 1 << value
    return alone


@kernel
def _raised(v, r, f):
    """The worth of our single builds, each times the chance that an opponent can raise it."""
    total, values = 0.0, f.ours
    while values:
        value = lowest(values)
        values &= values - 1
        if v.build_sets[value] == 1:
            safe = 1.0
            for more in range(1, r.max_build - value + 1):
                safe *= 1.0 - f.of[FOE, more] * f.of[FOE, value + more]
            total += (1.0 - safe) * f.of[POT, value]
    return total


@kernel
def _drift(v, f):
    """The worth of a build that we drifted to; negative if fewer than two cards are left, which misleads the
    partner."""
    if f.team == 1 << f.seat:
        return 0.0
    played, values = f.hand & ~v.hands[f.seat], f.ours & f.stood
    while values:
        value = lowest(values)
        values &= values - 1
        rank = rank_cards(value)
        if played & rank & v.build_cards[value]:
            left = popcount(v.hands[f.seat] & rank) + f.told[value]
            return f.of[POT, value] if left >= 2 or f.of[FOE, value] == 0.0 else -f.of[POT, value]
    return 0.0


@kernel
def _judge_builds(v, r, f, w):
    total = w.builds * total_over(f, f.ours, ONE, POT) - w.rivals * total_over(f, f.others, ONE, POT)
    total += w.high_builds * (total_over(f, f.ours, ONE, ITSELF) / r.max_build)
    if w.monopoly:
        total += w.monopoly * (total_over(f, _monopolies(f), ONE, ITSELF) / r.max_build)
    if w.risk:
        total -= w.risk * total_over(f, f.ours, FOE, POT)
    if w.raises:
        total -= w.raises * _raised(v, r, f)
    if w.chase:
        total += w.chase * total_over(f, f.others & f.ranks, ONE, POT)
    if w.grow:
        total += w.grow * total_over(f, f.ours & f.groups, SAFE, PRIZE)
    if w.feed:
        total -= w.feed * total_over(f, f.others & f.groups, ONE, PRIZE)
    if w.drift:
        total += w.drift * _drift(v, f)
    return total


# --- loose cards and pile tops -------------------------------------------------------------------------------------


@kernel
def _taking_chance(v, r, f, top, owners, foe):
    """The chance that a pile top is taken: into a build of these owners, or by capture from a hand."""
    value = pips(top)
    if r.bundles:
        return f.of[FOE, value] if foe else 1.0 * (f.ranks >> value & 1)
    if not r.numeric >> top & 1:
        return 0.0
    values = f.sums << value & _ALL_VALUES  # values that it makes alone or with loose cards
    if r.steal != NO_STEAL and owners & values:
        return 1.0
    if not r.capture_tops:
        return 0.0
    if not r.tops_in_sums:  # only by an equal card, beside an equal loose card or the build
        values = 1 << value if rank_cards(value) & v.layout or v.build_top[value] >= 0 else 0
    if not foe:
        return 1.0 if f.ranks & values else 0.0
    missed = 1.0
    while values:
        missed *= 1.0 - f.of[FOE, lowest(values)]
        values &= values - 1
    return 1.0 - missed


@kernel
def _tops(v, r, f, team, owners, foe):
    """The expected worth of the tops of the team's piles to its opponents (foe) or to us."""
    total = 0.0
    for seat in range(r.players):
        if team >> seat & 1 and v.pile_top[seat] >= 0:
            top = v.pile_top[seat]
            cards = v.piles[seat] if r.bundles else 1 << top
            total += worth(r, f, cards) * _taking_chance(v, r, f, top, owners, foe)
    return total


@kernel
def _last_capture(v, r, f):
    """The worth of the table, for the side that made the last capture."""
    if v.last_capture < 0 or r.leftovers != TO_LAST_CAPTURE:
        return 0.0
    left = worth(r, f, v.layout) / (1.0 + f.held_back)
    return left if f.team >> v.last_capture & 1 else -left


@kernel
def _sweep_chance(v, r, f):
    """The chance that an opponent takes the whole table."""
    if not r.sweeps or f.ours | f.others:
        return 0.0
    whole, values = 0, f.groups
    while values:
        value = lowest(values)
        values &= values - 1
        if f.group[value] == v.layout:
            whole |= 1 << value
    return most_over(f, whole, FOE, ONE)


@kernel
def _judge_table(v, r, f, w):
    total = w.last * _last_capture(v, r, f)
    if w.threat:
        total -= w.threat * most_over(f, f.groups, FOE, PRIZE)
    if w.loose:
        total -= w.loose * total_over(f, f.groups, FOE, PRIZE)
    if w.hopes:
        total += w.hopes * most_over(f, f.groups & f.ranks, ONE, PRIZE)
    if w.top:
        total -= w.top * _tops(v, r, f, f.team, f.others, 1)
    if w.their_tops:
        total += w.their_tops * _tops(v, r, f, ~f.team, f.ours, 0)
    if w.options:
        total += w.options * popcount(f.ranks & (f.groups | f.ours | f.others) & ~(1 << 14 | 1))
    if w.sweeps:
        total -= w.sweeps * _sweep_chance(v, r, f)
    if w.mate:
        total += w.mate * most_over(f, f.groups, MATE, PRIZE)
    return total


# --- the hand ------------------------------------------------------------------------------------------------------


@kernel
def _high_cards(v, r, f):
    total, hand = 0.0, v.hands[f.seat] & r.numeric
    while hand:
        card = lowest(hand)
        hand &= hand - 1
        total += 14 if ACES >> card & 1 and r.ace_high else pips(card)
    return total / 13.0


@kernel
def _judge_hand(v, r, f, w):
    total = w.keep_points * card_points(r, v.hands[f.seat])
    if w.keep_high:
        total += w.keep_high * _high_cards(v, r, f)
    return total


# --- the sum -------------------------------------------------------------------------------------------------------


@kernel
def judge(v, r, f, w):
    """The weighted sum of the rules that a bot uses."""
    look_at_piles(v, r, f)
    look_at_hand(v, r, f)
    total = _judge_captured(v, r, f, w)
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
