"""Position JSON: a game at any moment as plain data, checked when it is read.

Optional keys, written where they differ from their defaults: `leader`, `sweeps` (by side), `turns` (finished in this
deal), `turn` (the fields of an open turn), `match` (the number of finished deals, and the state of the random stream
that deals the next one) and `winner` (of a match that is over or a deal ended by counting out: the side, or null if
shared).

This module turns JSON into rows of numbers; a kernel (engine/flat_form.py) checks them and makes the record.
"""

import re
from string import hexdigits
from typing import Any

import numpy as np

from casino_env.arrays import Array
from casino_env.cards import CARDS, card_name, parse_card
from casino_env.engine import flat_form
from casino_env.engine.flat_form import (
    BUILDS,
    HANDS,
    LAYOUT,
    MATCH_SCORE,
    OPENED,
    PICKED,
    PILES,
    PLACES,
    PROVEN,
    REFUSALS,
    REQUIRED,
    STOCK,
    SWEEPS,
    WINNER_SAID,
)
from casino_env.engine.invariants import BEFORE, FIELDS, FINE, KEYS, LAST_NUMBER, MODE, ROOM, Refusal, refusal
from casino_env.engine.state import GAME, OVER, SEATS, VALUES
from casino_env.rules import Rules, rules_of
from casino_env.validate import int_in, known_keys, of_kind, short_repr

Record = Any  # one record of engine/state.py's GAME
_REQUIRED = ("variant", "players")
_KEYS = (
    *_REQUIRED, "rules", "round", "to_move", "hands", "layout", "builds", "piles", "stock", "proven",
    "last_capture", "match_score", "leader", "sweeps", "turns", "turn", "match", "winner",
)  # fmt: skip
_BUILD_KEYS = ("value", "owner", "sets")
_MATCH_KEYS = ("deals", "stream")
_TURN_CARDS = ("laid_now", "hand_card", "open_last", "lead")  # -1 or 52 = none
_TURN_SETS = {"picked": PICKED, "required": REQUIRED, "open_cards": OPENED}
_TURN_NUMBERS = tuple(name for name in FIELDS[MODE:LAST_NUMBER] if name not in (*_TURN_CARDS, "open_count"))
_BEFORE = dict(zip(FIELDS[:LAST_NUMBER], BEFORE.tolist(), strict=False))
_LARGE = 2**53 - 1  # the largest number that every JSON reader keeps exact


class PositionError(ValueError):
    """An impossible position: the message says where and what would be right."""


def card_names(cards: list[int]) -> list[str]:
    return [card_name(card) for card in cards]


# --- refusals --------------------------------------------------------------------------------------------------------


def refusal_text(found: Refusal, rules: Rules) -> str:
    """The message for a refusal of a kernel."""
    code, place, part, number, low, high = found
    field = FIELDS[place % len(FIELDS)]
    words = {
        "field": field, "name": path_of(field), "place": _place(place, part), "other": _place(low, high), "seat": place,
        "card": card_name(number % CARDS), "deck": rules.deck, "number": number, "low": low, "high": high,
        "range": f"{low} to {high}" if high > low else low,
    }  # fmt: skip
    return re.sub(r"{(\w+)}", lambda word: str(words[word[1]]), REFUSALS[code])


def _place(place: int, part: int) -> str:
    return PLACES[place] if 0 <= place < BUILDS else f"builds[{place - BUILDS}].sets[{part}]"


def path_of(field: str) -> str:
    """The path of a number in Position JSON."""
    return f"turn.{field}" if FIELDS.index(field) >= MODE else "match.deals" if field == "deals" else field


def validate_record(record: Record, rules: Rules, part: int = 3) -> None:
    """Raise ValueError, in one line, unless play could go on from the record (or its game is over). part: 1 all but
    what its open action takes, 2 that, 3 both."""
    refuse(refusal(np.atleast_1d(record), rules.record, *workspace(), part), rules)


# --- out -------------------------------------------------------------------------------------------------------------


def to_json(game: Record, rules: Rules) -> dict[str, Any]:
    players, numbers = rules.players, np.empty(LAST_NUMBER, np.int64)
    rows, builds = np.empty((flat_form.MOST_ROWS, 3), np.int64), np.empty((VALUES, 3), np.int64)
    many, builds_many = flat_form.flatten(np.atleast_1d(game), rules.record, numbers, rows, builds)
    number = dict(zip(_BEFORE, numbers.tolist(), strict=True))
    lists: list[list[int]] = [[] for _ in PLACES]
    sets: list[list[list[int]]] = [[[] for _ in range(count)] for *_, count in builds[:builds_many].tolist()]
    for what, place, part in rows[:many].tolist():
        (lists[place] if place < BUILDS else sets[place - BUILDS][part]).append(what)
    out: dict[str, Any] = {
        "variant": rules.name,
        "players": players,
        "rules": rules.differences(),
        "round": number["round"],
        "to_move": number["to_move"],
        "hands": [card_names(hand) for hand in lists[HANDS : HANDS + players]],
        "layout": card_names(lists[LAYOUT]),
        "builds": [
            {"value": value, "owner": owner, "sets": [card_names(cards) for cards in sets[i]]}
            for i, (value, owner, _) in enumerate(builds[:builds_many].tolist())
        ],
        "piles": [card_names(pile) for pile in lists[PILES : PILES + players]],
        "stock": card_names(lists[STOCK]),
        "proven": lists[PROVEN : PROVEN + players],
        "last_capture": None if number["last_capture"] < 0 else number["last_capture"],
        "match_score": lists[MATCH_SCORE],
    }
    if any(lists[SWEEPS]):
        out["sweeps"] = lists[SWEEPS]
    out |= {key: number[key] for key in ("leader", "turns") if number[key]}
    if number["mode"] != OVER and (turn := _turn_json(number, lists)):
        out["turn"] = turn
    if number["match"]:
        out["match"] = {"deals": number["deals"], "stream": f"{int(np.atleast_1d(game)['rng'][0]):016x}"}
    if number["mode"] == OVER and (number["match"] or any(lists[:SEATS])):
        out["winner"] = number["winner"] if number["winner"] >= 0 else None
    return out


def _turn_json(number: dict[str, int], lists: list[list[int]]) -> dict[str, Any]:
    """The fields of an open turn that differ from those of a fresh one."""
    before = _BEFORE | {"actor": number["to_move"]}
    out: dict[str, Any] = {name: number[name] for name in _TURN_NUMBERS if number[name] != before[name]}
    out |= {name: card_name(number[name]) for name in _TURN_CARDS if number[name] != before[name]}
    return out | {name: card_names(lists[place]) for name, place in _TURN_SETS.items() if lists[place]}


# --- reading ---------------------------------------------------------------------------------------------------------


class Reader:
    """Reads a position into its flat form: numbers by name, and rows for its lists."""

    each = "lists"

    def __init__(self, data: dict[str, Any], rules: Rules) -> None:
        self.data, self.rules = data, rules
        self.numbers, self.said, self.stream = dict(_BEFORE), 0, 0
        self.rows: list[tuple[int, int, int]] = []
        self.builds: list[tuple[int, int, int]] = []
        self.read()

    def read(self) -> None:
        data, rules = self.data, self.rules
        if data.get("hands", []) == []:
            raise PositionError("hands: missing; give a list of cards for each seat")
        for key, first in (("hands", HANDS), ("piles", PILES)):
            for seat, cards in enumerate(self.per_seat(key)):
                self.cards(cards, f"{key}[{seat}]", first + seat)
        self.cards(data.get("layout", []), "layout", LAYOUT)
        self.cards(data.get("stock", []), "stock", STOCK)
        for number, build in enumerate(of_kind(data.get("builds", []), "builds", list)):
            self.build(build, f"builds[{number}]", BUILDS + number)
        for seat, values in enumerate(self.per_seat("proven")):
            for value in of_kind(values, f"proven[{seat}]", list):
                self.rows.append((_number(value, f"proven[{seat}]"), PROVEN + seat, 0))
        for key, place in (("match_score", MATCH_SCORE), ("sweeps", SWEEPS)):
            numbers = of_kind(data.get(key, []), key, list) or [0] * rules.sides
            if len(numbers) != rules.sides:
                raise PositionError(f"{key}: must have {rules.sides} numbers, one for each side")
            self.rows += [(_number(number, f"{key}[{side}]"), place, side) for side, number in enumerate(numbers)]
        self.scalars()

    def scalars(self) -> None:
        data, numbers = self.data, self.numbers
        for key in ("round", "turns"):
            numbers[key] = _number(data.get(key, numbers[key]), key)
        for key in ("to_move", "leader"):
            numbers[key] = self.seat(data.get(key, 0), key)
        if data.get("last_capture") is not None:
            numbers["last_capture"] = self.seat(data["last_capture"], "last_capture")
        numbers["actor"] = numbers["to_move"]
        self.turn(of_kind(data.get("turn", {}), "turn", dict))
        if "match" in data:
            self.match(of_kind(data["match"], "match", dict))
        if "winner" in data:
            winner = data["winner"]
            numbers["winner"] = -2 if winner is None else int_in(winner, "winner", 0, self.rules.sides - 1)
            self.said |= WINNER_SAID

    def per_seat(self, key: str) -> list[Any]:
        players, items = self.rules.players, self.data.get(key, [])
        if not isinstance(items, list) or len(items) not in (0, players):
            raise PositionError(f"{key}: must be a list of {players} {self.each}, one for each seat")
        return items or [[] for _ in range(players)]

    def cards(self, items: Any, where: str, place: int, part: int = 0) -> None:
        if not isinstance(items, list):
            raise PositionError(f"{where}: must be a list of cards")
        self.rows += [(_card(text, where), place, part) for text in items]

    def build(self, build: Any, where: str, place: int) -> None:
        if not isinstance(build, dict) or any(key not in build for key in _BUILD_KEYS):
            raise PositionError(f"{where}: must have value, owner and sets")
        known_keys(build, _BUILD_KEYS, where)
        value = int_in(build["value"], f"{where}.value", 1, self.rules.max_build)
        owner = self.seat(build["owner"], f"{where}.owner")
        sets = of_kind(build["sets"], f"{where}.sets", list)
        for part, items in enumerate(sets):
            self.cards(items, f"{where}.sets[{part}]", place, part)
        self.builds.append((value, owner, len(sets)))

    def turn(self, turn: dict[str, Any]) -> None:
        known_keys(turn, (*_TURN_NUMBERS, *_TURN_CARDS, *_TURN_SETS), "turn")
        for name in _TURN_NUMBERS:
            self.numbers[name] = _number(turn.get(name, self.numbers[name]), f"turn.{name}")
        for name in _TURN_CARDS:
            if name in turn:
                self.numbers[name] = _card(turn[name], f"turn.{name}")
        for name, place in _TURN_SETS.items():
            self.cards(turn.get(name, []), f"turn.{name}", place)

    def match(self, match: dict[str, Any]) -> None:
        known_keys(match, _MATCH_KEYS, "match")
        stream = match.get("stream", "0")
        if not isinstance(stream, str) or not 0 < len(stream) <= 16 or set(stream) - set(hexdigits):
            raise PositionError(f"match.stream: {short_repr(stream)}; it must be a string of 16 hexadecimal digits")
        self.numbers |= {"match": 1, "deals": _number(match.get("deals", 0), "match.deals")}
        self.stream = int(stream, 16)

    def seat(self, value: Any, where: str) -> int:
        if type(value) is not int or not 0 <= value < self.rules.players:
            last = self.rules.players - 1
            raise PositionError(f"{where}: seat {short_repr(value)} is out of range; seats are 0 to {last}")
        return value

    def arrays(self) -> tuple[Array, Array, Array]:
        """Numbers, rows and builds as arrays for kernels."""
        return (
            np.array(list(self.numbers.values()), np.int64),
            np.array(self.rows, np.int64).reshape(-1, 3),
            np.array(self.builds, np.int64).reshape(-1, 3),
        )

    def record(self) -> Record:
        """The game record; raise PositionError if a kernel refuses it."""
        games = np.zeros(1, GAME)
        games["rng"] = self.stream
        refuse(flat_form.build(games, self.rules.record, *self.arrays(), *workspace(), self.said), self.rules)
        return games[0]


def workspace() -> tuple[Array, Array]:
    """Workspace for the proof of an open action."""
    return np.empty(ROOM, GAME), np.empty(KEYS, np.int64)


def refuse(found: Refusal, rules: Rules) -> None:
    """Raise PositionError unless the kernel found no fault."""
    if found != FINE:
        raise PositionError(refusal_text(found, rules))


def _card(text: Any, where: str) -> int:
    if not isinstance(text, str):
        raise PositionError(f"{where}: {short_repr(text)} is not a card")
    try:
        return parse_card(text)
    except ValueError as error:
        raise PositionError(f"{where}: {error}") from None


def _number(value: Any, where: str) -> int:
    return int_in(value, where, -_LARGE, _LARGE)


def rules_from_json(data: Any) -> Rules:
    if not isinstance(data, dict):
        raise PositionError("a position must be a JSON object")
    known_keys(data, _KEYS, "position")
    for key in _REQUIRED:
        if key not in data:
            raise PositionError(f"{key}: missing")
    if not isinstance(data["variant"], str) or type(data["players"]) is not int:
        raise PositionError("variant must be a name and players a whole number")
    return rules_of(data["variant"], data["players"], data.get("rules", {}))


def from_json(data: Any) -> tuple[Record, Rules]:
    """The record and rules of a Position JSON; raise PositionError if it is wrong."""
    try:
        rules = rules_from_json(data)
        return Reader(data, rules).record(), rules
    except ValueError as error:
        raise PositionError(str(error)) from None
