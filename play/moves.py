"""What a person can do now: picked cards and a named action, each with the actions of the catalogue behind it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from casino_env.actions import (
    BUILD,
    CAPTURE,
    CAPTURE_HIGH,
    CARD,
    COUNT_OUT,
    DISCARD,
    END,
    NO,
    RAISE,
    YES,
    action_text,
)
from casino_env.arrays import Record
from casino_env.cards import card_name, cards_of
from casino_env.engine import action_set, entrypoints
from casino_env.engine.state import BUNDLE, CAPTURING, MAXIMAL, RAISED, SET, SORTING
from casino_env.game import Game
from casino_env.play.names import Names, seat_names
from casino_env.play.words import move_words
from casino_env.turns import affordable, explore, is_crowded

# In these the mover is in the middle of one move: a set or a capture is being put together.
_MIDDLE = (SET, RAISED, CAPTURING, MAXIMAL, BUNDLE)
# Positions looked at, and on a crowded table; where there are more, cards are picked one by one.
_MOST_STEPS, _MOST_STEPS_CROWDED = 3000, 100

_ORDER = ("capture", "raise", "add", "build", "pick", "sort", "discard")  # of what is offered; the rest comes last


@dataclass(frozen=True)
class Move:
    """A set, a capture, a discard, an answer, the end of the turn."""

    do: str  # build, add, raise, capture, discard, pick, yes, no, end, count out
    text: str  # in words
    cards: tuple[str, ...]  # all that it touches and a person would point at
    builds: tuple[int, ...]  # values of the standing builds that it touches
    actions: tuple[str, ...]  # of the catalogue


def at_rest(game: Game) -> bool:
    """Nothing is half done: the one who decides begins, ends or answers something."""
    return int(game.record["mode"]) not in _MIDDLE


def moves(game: Game, names: Names | None = None) -> list[Move]:
    """Every move of the seat that decides, one for each result: the largest captures first, discards last."""
    start, names = game.records.copy(), names or seat_names(game.rules.players, you=game.seat)
    found = [_describe(game, start, path, names) for path in _paths(start, game.rules_record)]
    return sorted(found, key=lambda move: _rank(move, start[0]))


def turn_words(game: Game, actions: list[int], names: Names) -> str:
    """A turn, or the part of it that these actions are: its moves one after the other."""
    here, pending, told = game.records.copy(), list[int](), list[str]()
    before = here.copy()
    for action in actions:
        entrypoints.act(here, game.rules_record, action)
        pending.append(action)
        if int(here["mode"][0]) not in _MIDDLE:
            told.append(move_words(before, game.rules_record, pending, names))
            before, pending = here.copy(), []
    if pending:
        told.append(move_words(before, game.rules_record, pending, names))
    return ", then ".join(filter(None, told)) or f"{names.verb(game.seat, 'end')} the turn"


def _rank(move: Move, before: Any) -> tuple[int, int]:
    in_builds = sum(int(before["build_cards"][value]).bit_count() for value in move.builds)
    return _ORDER.index(move.do) if move.do in _ORDER else len(_ORDER), -len(move.cards) - in_builds


def _paths(start: Record, rules: Record) -> list[list[int]]:
    """The actions to every next moment of rest; where these are too many, the single actions."""
    found: list[list[int]] = []

    def at_rest(here: Record, path: list[int]) -> bool:
        return bool(path) and int(here["mode"][0]) not in _MIDDLE

    most = affordable(start, rules, _MOST_STEPS_CROWDED if is_crowded(start) else _MOST_STEPS)
    if explore(start, rules, at_rest, lambda _, path: found.append(path), most):
        return found
    return [[action] for action in action_set.actions_of(entrypoints.legal(start, rules))]


# --- words -------------------------------------------------------------------------------------------------------


def _describe(game: Game, start: Record, path: list[int], names: Names) -> Move:
    after = start.copy()
    for action in path:
        entrypoints.act(after, game.rules_record, action)
    before, first = start[0], path[0]
    plain = {END: "end", YES: "yes", NO: "no", COUNT_OUT: "count out"}.get(first)
    text = move_words(start, game.rules_record, path, names)
    if first == END:
        text = "take no more" if int(before["mode"]) in _MIDDLE else "end the turn"
    cards = set() if plain else touched(before, after[0], path)
    return Move(
        plain or _verb(before, path),
        text[:1].upper() + text[1:],
        tuple(card_name(card) for card in sorted(cards, reverse=True)),
        _builds(before, after[0], path),
        tuple(map(action_text, path)),
    )


def _verb(before: Any, path: list[int]) -> str:
    first = path[0]
    if first < DISCARD:
        return "sort" if before["mode"] == SORTING else "pick"
    if first < CAPTURE:
        return "discard"
    if first < BUILD:
        return "capture"
    if first >= RAISE:
        return "raise"
    return "add" if before["build_sets"][first - BUILD + 1] else "build"


def touched(before: Any, after: Any, path: list[int]) -> set[int]:
    """The cards played and picked, and those that come along by themselves."""
    named = {_card(action) for action in path if action < BUILD}
    if any(CAPTURE <= action < BUILD for action in path) and after["mode"] not in _MIDDLE:
        named |= set(cards_of(int(before["layout"]) & ~int(after["layout"])))
        tops = [int(top) for top in before["pile_top"] if top >= 0]
        named |= {top for top in tops if not any(int(pile) >> top & 1 for pile in _same(before, after, top))}
    return named


def _card(action: int) -> int:
    return action - max(first for first in (CARD, DISCARD, CAPTURE, CAPTURE_HIGH) if first <= action)


def _same(before: Any, after: Any, top: int) -> list[int]:
    """The pile that held the card, afterwards."""
    return [int(after["piles"][seat]) for seat, pile in enumerate(before["piles"]) if int(pile) >> top & 1]


def _builds(before: Any, after: Any, path: list[int]) -> tuple[int, ...]:
    """Builds that are there before and are another, or gone, after."""
    touched = {
        value
        for value in range(1, 15)
        if before["build_top"][value] >= 0 and before["build_top"][value] != after["build_top"][value]
    }
    touched |= {action - BUILD + 1 for action in path if BUILD <= action < RAISE}
    touched |= {action - RAISE + 1 for action in path if RAISE <= action < END}
    return tuple(sorted(value for value in touched if before["build_top"][value] >= 0))
