"""Which combinations of rule switches are playable, and what to change in the others."""

from dataclasses import fields
from typing import Any, get_args

import numpy as np

from casino_env.cards import CARDS
from casino_env.compiler.jit import entry, items_of, kernel
from casino_env.engine.state import RULES, RulesRow, switch_number
from casino_env.switches import Switches

# Greatest values of number switches: the room that a record has.
MOST = {"build_limit": 14, "target": 9999, "match_rounds": 25, "match_games": 25}
MOST_POINTS = 127  # of other number switches, and of one side's points in a deal

# Each row: conditions that must not all hold, then what would be right; words in braces are filled in. Conditions test
# fields of a record of rules and numbers derived from them (_FOLLOWS).
_TABLE = """
deck = 0: deck = {deck}; it must be one of {decks}
players < 2: players must be 2 to 6
players > 6: players must be 2 to 6
partners, players > 4: partners need 4 players
partners, players < 4: partners need 4 players
dealt < 1: table_cards = {table_cards} leaves nothing to deal
not draw_hand, rounds < 1: rounds must be 1 or more
draw_hand, missing > 0: {players} hands of {draw_hand} need more cards than the pack has
draw_hand, uneven: {dealt} cards cannot be drawn evenly by {players} players
not draw_hand, uneven: {dealt} cards cannot be dealt evenly in {rounds} rounds
ace_high, courts > value: ace_high needs courts = value
ace_high, deck_size < 52: ace_high needs the 52-card pack
recut, not table_cards: recut needs table_cards
recut, table_cards > 7: recut with eight or more table_cards might never end
shared_pile, not partners: shared_pile needs partners
steal_from_partner, not partners: steal_from_partner needs partners
steal_from_partner, shared_pile: steal_from_partner needs separate piles
partner_builds, not partners: partner_builds needs partners
partner_builds, not keep_backing: partner_builds needs keep_backing: nothing is proven without it
partner_request > off, not partners: partner_request needs partners
partner_builds, equal_builds > merge: partner_builds needs equal_builds = merge
partner_request > off, equal_builds > merge: partner_request needs equal_builds = merge
request_for > builds, partner_request = off: request_for = {request_for} needs partner_request
not add_to_partner, equal_builds > merge: add_to_partner off needs equal_builds = merge
new_builds > free, equal_builds > merge: new_builds = {new_builds} needs equal_builds = merge
not keep_backing, owner_discard > always: without keep_backing owner_discard must be always
not keep_backing, build_limit: without keep_backing there is no build_limit
steal > no, equal_builds > merge: steal needs equal_builds = merge
raise_with_table, equal_builds = merge: raise_with_table needs equal_builds = join or never
steal = bound, not keep_backing: steal = bound needs keep_backing
no_return, steal = no: no_return needs steal = augment or bound
no_return, steal = with_hand_card: no_return needs steal = augment or bound
steal > no, stacking = face_down: steal needs face-up piles
capture_tops, stacking = face_down: capture_tops needs face-up piles
capture_tops, not multi_capture: capture_tops needs multi_capture
not multi_capture, courts > value, courts < one: multi_capture off needs courts = one or value
pile_capture_needs_table_card, not capture_tops: pile_capture_needs_table_card needs capture_tops
not tops_in_sums, not capture_tops: tops_in_sums off needs capture_tops
not owner_top, tops_in_sums: owner_top off needs tops_in_sums off
chain = all, capture_tops, stacking = secret: chain = all needs piles in a known order, not stacking = secret
equal_builds > merge, not bundles, stacking = as_built: stacking = {stacking} needs equal_builds = merge
equal_builds > merge, not bundles, stacking = build_on_top: stacking = {stacking} needs equal_builds = merge
pile_order = ask, stacking > secret: pile_order = ask needs stacking = secret
bundles, stacking = face_down: bundles needs face-up piles
bundles, partners: bundles needs single players who draw no cards
bundles, draw_hand: bundles needs single players who draw no cards
sweeps, bundles: bundles has no sweeps
points > most: one deal may score {points} points; the limit is {most}
target, points = 0: a target needs points
count_out, not target: count_out needs a target
target, match_rounds: a match ends by target or by match_rounds, not both
match_games, points = 0: match_games needs points
match_games, target: a match ends by match_games or by target, not both
match_games, match_rounds: a match ends by match_games or by match_rounds, not both
tie_break = big_ten, not big_points: tie_break = big_ten needs big_points
next_leader = loser, partners: next_leader = loser needs single players
"""
_ROWS = [line.split(": ", 1) for line in _TABLE.strip().splitlines()]
NONSENSE = {row: text for row, (_, text) in enumerate(_ROWS, 1)}  # message by row of the table, from 1

# Cards to deal, most points of a deal, cards missing to fill the hands, cards left over from an even deal.
_FOLLOWS = ("dealt", "points", "missing", "uneven")
_RELATIONS = ("=", "<", ">")
_IS, _LESS, _MORE = range(3)


def _condition(text: str) -> tuple[int, int, int]:
    """(word, relation, number); an option of a choice switch counts by its position."""
    if " " not in text:
        return _word(text), _MORE, 0
    if text.startswith("not "):
        return _word(text[4:]), _IS, 0
    name, relation, wanted = text.split()
    number = MOST_POINTS if wanted == "most" else switch_number(_KINDS.get(name), wanted)
    return _word(name), _RELATIONS.index(relation), number


def _word(name: str) -> int:
    """Index of a word: first _FOLLOWS, then the fields of a record of rules."""
    return (*_FOLLOWS, *(RULES.names or ())).index(name)


_KINDS: dict[str, Any] = {field.name: field.type for field in fields(Switches)}
# Each condition, followed by its row in the table.
_CONDITIONS = np.array(
    [[*_condition(text), row] for row, (texts, _) in enumerate(_ROWS, 1) for text in texts.split(", ")]
)


def _most(name: str) -> int:
    """The greatest value that a field of a record of rules may have; -1 for fields derived from others."""
    if name == "deck" or name not in _KINDS:  # a record holds the deck as a set of cards
        return CARDS if name == "deck_size" else -1
    kind = _KINDS[name]
    return 1 if kind is bool else len(get_args(kind)) - 1 if get_args(kind) else MOST.get(name, MOST_POINTS)


MOST_OF_RULES = np.array([_most(name) for name in (RULES.names or ())[:-1]])  # without the spare words


@kernel
def points_of_a_deal(r):
    """An upper bound on the points of one side in a deal."""
    shared = r.cards_points + r.spades_points + r.five_spades_points + r.big_points + (CARDS if r.sweeps else 0)
    return shared + (16 + 3 * r.ace_points if r.spade_cards else r.little_points + 4 * r.ace_points)


@entry
def first_nonsense(rules: RulesRow) -> tuple[int, int, int]:
    """(first row of the table that holds, 0 if none does; cards to deal; most points of a deal)."""
    r, words = rules[0], items_of(rules.view(np.int64))
    dealt, points = r.deck_size - r.table_cards, points_of_a_deal(r)
    hands = max(1, r.players * (r.draw_hand if r.draw_hand else r.rounds))
    follows = dealt, points, hands - dealt, dealt % (max(1, r.players) if r.draw_hand else hands)
    before, holds = 1, True
    for i in range(len(_CONDITIONS)):
        word, relation, number, row = _CONDITIONS[i]
        if row != before and holds:
            return before, dealt, points
        holds = holds or row != before
        before = row
        value = follows[word] if word < len(follows) else words[word - len(follows)]
        if relation == _IS:
            holds &= value == number
        else:
            holds &= value < number if relation == _LESS else value > number
    return before if holds else 0, dealt, points
