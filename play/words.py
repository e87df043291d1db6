"""A move in the words of players: `takes 2S + 4S and Counter's 6H with the 6D`. Cards are in notation, to be drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from casino_env.actions import BUILD, CAPTURE, CAPTURE_HIGH, CARD, COUNT_OUT, DISCARD, END, NO, RAISE, YES
from casino_env.arrays import Record
from casino_env.cards import card_name, cards_of
from casino_env.engine import entrypoints
from casino_env.engine.state import BUNDLE, CAPTURING, INSIST_CAPTURE, MAXIMAL, REQUEST, SORTING, TO_NOBODY
from casino_env.play.names import Names
from casino_env.play.questions import answers, build_name


@dataclass(frozen=True)
class Told:
    """One move: the table before and after it, and its actions."""

    before: Any
    after: Any
    actions: list[int]
    names: Names

    @property
    def seat(self) -> int:
        return int(self.before["actor"])

    def verb(self, word: str) -> str:
        return self.names.verb(self.seat, word)

    def build(self, value: int) -> str:
        return build_name(self.before, value, self.names, self.seat)

    def verb_of(self, phrase: str) -> str:
        """A phrase that begins with a verb, as this seat's doing."""
        word, _, rest = phrase.partition(" ")
        return f"{self.verb(word)} {rest}"


def move_words(record: Record, rules: Record, actions: list[int], names: Names) -> str:
    """What the actions of one move do; empty where nothing is to be told."""
    move = Told(record[0], unswept(record, rules, actions)[0], actions, names)
    first, mode = actions[0], int(move.before["mode"])
    if first in (YES, NO):
        return move.verb_of(answers(move.before, names)[first == NO])
    if first == COUNT_OUT:
        return f"{move.verb('claim')} to have the points of the match"
    if first == END:
        return ""
    if first < DISCARD:
        return "" if mode == SORTING and move.seat != names.you else _picked(move, mode)
    if first < CAPTURE:
        return f"{move.verb('discard')} the {card_name(first - DISCARD)}"
    return _capture(move) if first < BUILD else _set(move)


def unswept(record: Record, rules: Record, actions: list[int]) -> Record:
    """The table after them as it is before anything is swept off it or dealt anew."""
    after, still = record.copy(), rules.copy()
    after["match"], still["leftovers"] = 0, TO_NOBODY
    for action in actions:
        entrypoints.act(after, still, action)
    return after


def _picked(move: Told, mode: int) -> str:
    names = " and ".join(card_name(action) for action in move.actions if action < DISCARD)
    return f"{move.verb('put')} {names} next on the pile" if mode == SORTING else f"{move.verb('use')} {names}"


# --- captures ----------------------------------------------------------------------------------------------------


def _capture(move: Told) -> str:
    first = move.actions[0]
    high = first >= CAPTURE_HIGH
    card = first - (CAPTURE_HIGH if high else CAPTURE)
    taken = [*_groups(move, 14 if high else card // 4 + 1), *_builds(move)]
    what, played = _listed(taken) if taken else "cards", f"the {card_name(card)}{' as 14' if high else ''}"
    if _waits(move):
        return f"{move.verb('play')} {played} to take {what}"
    return f"{move.verb('take')} {what} with {played}"


def _waits(move: Told) -> bool:
    """The capture is begun, but something is to be chosen or asked before the cards are taken."""
    return int(move.after["mode"]) in (REQUEST, INSIST_CAPTURE, CAPTURING, MAXIMAL, BUNDLE)


def _groups(move: Told, value: int) -> list[str]:
    """The cards that are taken, those together that add up to the value of the card."""
    whole = [_whole_pile(move, seat) for seat in _robbed(move)]
    loose = int(move.before["layout"]) & ~int(move.after["layout"])
    if _waits(move):
        loose = int(move.after["picked"]) & int(move.before["layout"])
    cards = sorted([*cards_of(loose), *_stolen(move)], reverse=True)
    sets = partition(cards, value) or [[each] for each in cards]
    return [" + ".join(_named(move, each) for each in group) for group in sets] + whole


def _stolen(move: Told) -> list[int]:
    """Cards that have gone from piles of which something is left, or a single card."""
    return [card for seat, cards in _lost(move).items() if seat not in _robbed(move) for card in cards_of(cards)]


def _robbed(move: Told) -> list[int]:
    """Seats whose piles of several cards have gone whole."""
    return [
        seat
        for seat, cards in _lost(move).items()
        if cards == int(move.before["piles"][seat]) and cards.bit_count() > 1
    ]


def _lost(move: Told) -> dict[int, int]:
    """Cards that have gone from the pile of each seat; of a capture that waits: those it wants."""
    gone = [int(had) & ~int(has) for had, has in zip(move.before["piles"], move.after["piles"], strict=True)]
    if _waits(move):
        gone = [int(had) & int(move.after["picked"]) for had in move.before["piles"]]
    return {seat: cards for seat, cards in enumerate(gone) if cards}


def _whole_pile(move: Told, seat: int) -> str:
    return f"all of {move.names.of(seat)} pile"


def _builds(move: Told) -> list[str]:
    before, after = move.before, move.after
    waits = int(after["open_value"]) if _waits(move) and after["take_build"] else 0
    values = [v for v in range(1, 15) if before["build_top"][v] >= 0 and (after["build_top"][v] < 0 or v == waits)]
    return [build_name(before, value, move.names, move.seat) for value in values]


def partition(cards: list[int], value: int) -> list[list[int]] | None:
    """The cards (highest first) in groups worth the value each; None if there is no such way."""
    if not cards:
        return []
    for group in _beginning(cards, value):
        rest = partition([card for card in cards if card not in group], value)
        if rest is not None:
            return [group, *rest]
    return None


def _beginning(cards: list[int], value: int) -> list[list[int]]:
    """Groups worth the value that hold the first card."""
    first, worth = cards[0], cards[0] // 4 + 1
    if worth == value or (worth == 1 and value == 14):
        return [[first]]
    found: list[list[int]] = []
    stack = [([first], 1, value - worth)]
    while stack:
        group, index, left = stack.pop()
        if left == 0:
            found.append(group)
        for k in range(index, len(cards)) if left > 0 else ():
            stack.append(([*group, cards[k]], k + 1, left - (cards[k] // 4 + 1)))
    return sorted(found, key=len)


# --- builds ------------------------------------------------------------------------------------------------------


def _set(move: Told) -> str:
    value = next((action - BUILD + 1 for action in move.actions if BUILD <= action < RAISE), 0)
    cards = [action - CARD for action in move.actions if action < DISCARD]
    hand = [card for card in cards if int(move.before["hands"][move.seat]) >> card & 1]
    rest = [_named(move, card) for card in cards if card not in hand]
    raised = next((action - RAISE + 1 for action in move.actions if action >= RAISE and action < END), 0)
    if raised:
        return _raise(move, raised, value, [*(f"the {card_name(card)}" for card in hand), *rest])
    if not cards:
        return f"{move.verb('begin')} a build of {value}"
    if move.before["build_sets"][value]:
        laid = _listed([*(f"the {card_name(card)}" for card in hand), *rest])
        return f"{move.verb('add')} {laid} to {move.build(value)}"
    made = f"{move.verb('build')} {value}"
    if hand and rest:
        return f"{made} with the {card_name(hand[0])} on {_listed(rest)}"
    if rest:
        return f"{made} with {_listed(rest)} from the table"
    return f"{made} with the {card_name(hand[0])}"


def _raise(move: Told, raised: int, value: int, cards: list[str]) -> str:
    if not value:
        return f"{move.verb('raise')} {move.build(raised)}"
    joins = f", joining {move.build(value)}" if move.before["build_sets"][value] else ""
    return f"{move.verb('raise')} {move.build(raised)} to {value} with {_listed(cards)}{joins}"


# --- parts -------------------------------------------------------------------------------------------------------


def _named(move: Told, card: int) -> str:
    """A card, and whose pile it comes from."""
    piles = [seat for seat, pile in enumerate(move.before["piles"]) if int(pile) >> card & 1]
    return f"{move.names.of(piles[0])} {card_name(card)}" if piles else card_name(card)


def _listed(items: list[str]) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"
