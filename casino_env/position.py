"""Position JSON: a game at any moment as plain data, checked on the way in.

Beside the keys of the fixed format a position may carry, where they differ from their defaults: `leader`, `sweeps`
(by side), `turns` (finished in this deal), `turn` (the fields of a turn that has begun), `match` (how many deals are
finished, and the state of the random stream that deals the next) and `winner` (the side, or null if it is shared, of a
match that is over and of a deal that was ended by counting out).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from string import hexdigits
from typing import Any

import numpy as np

from casino_env.cards import card_name, cards_of, mask_of, parse_card
from casino_env.engine import entrypoints
from casino_env.engine.state import (
    BUNDLE,
    GAME,
    IDLE,
    OPEN_CARDS,
    OVER,
    SORTING,
    build_sets,
    by_time,
    chain,
    rules_record,
)
from casino_env.rules import Rules, rules_of
from casino_env.validate import int_in, known_keys, of_kind, short_repr
from casino_env.validate_position import MOST_ROUNDS, OPEN, TURN, limits, prove_action, validate_fields

Record = Any  # one record of engine/state.py's GAME
_REQUIRED = ("variant", "players")
_KEYS = (
    *_REQUIRED, "rules", "round", "to_move", "hands", "layout", "builds", "piles", "stock", "proven",
    "last_capture", "match_score", "leader", "sweeps", "turns", "turn", "match", "winner",
)  # fmt: skip
_BUILD_KEYS = ("value", "owner", "sets")
_TURN_CARDS = ("laid_now", "hand_card", "open_last", "lead")  # -1 or 52 = none
_TURN_SETS = ("picked", "required")
_TURN_FIELDS = (
    "mode",
    "actor",
    *(name for name in TURN | OPEN if name not in (*_TURN_CARDS, *_TURN_SETS, "open_count")),
)
_MATCH_KEYS = ("deals", "stream")


class PositionError(ValueError):
    """A position that cannot be: says where and what would be right."""


def copied(records: Record) -> Record:
    """Records that go their own way. numpy's copy() goes field by field, which takes ten times as long or more."""
    return np.frombuffer(bytearray(records.tobytes()), records.dtype)


def card_names(cards: list[int]) -> list[str]:
    return [card_name(card) for card in cards]


def _values(bits: int) -> list[int]:
    return [value for value in range(1, 15) if bits >> value & 1]


def _builds_json(game: Record, players: int) -> list[dict[str, Any]]:
    owners = {value: seat for seat in range(players) for value in _values(int(game["owned"][seat]))}
    return [
        {"value": value, "owner": owners[value], "sets": [card_names(cards) for cards in build_sets(game, value)]}
        for value in sorted(owners)
    ]


def to_json(game: Record, rules: Rules) -> dict[str, Any]:
    players = rules.players
    out: dict[str, Any] = {
        "variant": rules.name,
        "players": players,
        "rules": rules.differences(),
        "round": int(game["round"]),
        "to_move": int(game["to_move"]),
        "hands": [card_names(cards_of(int(game["hands"][seat]))) for seat in range(players)],
        "layout": card_names(by_time(game, int(game["layout"]))),
        "builds": _builds_json(game, players),
        "piles": [card_names(chain(game, int(game["pile_top"][seat]))) for seat in range(players)],
        "stock": card_names(chain(game, int(game["stock_top"]))),
        "proven": [_values(int(game["proven"][seat])) for seat in range(players)],
        "last_capture": None if game["last_capture"] < 0 else int(game["last_capture"]),
        "match_score": [int(game["match_score"][side]) for side in range(rules.sides)],
    }
    sweeps = [int(game["sweeps"][side]) for side in range(rules.sides)]
    if any(sweeps):
        out["sweeps"] = sweeps
    for key, default in (("leader", 0), ("turns", 0)):
        if game[key] != default:
            out[key] = int(game[key])
    turn = _turn_json(game)
    if turn:
        out["turn"] = turn
    if game["match"]:
        out["match"] = {"deals": int(game["deals"]), "stream": f"{int(game['rng']):016x}"}
    if game["mode"] == OVER and (game["match"] or any(game["hands"])):
        out["winner"] = int(game["winner"]) if game["winner"] >= 0 else None
    return out


def _turn_json(game: Record) -> dict[str, Any]:
    """The fields of a turn that has begun which differ from those of a fresh one."""
    fresh = _fresh(int(game["to_move"]))
    out: dict[str, Any] = {}
    if game["mode"] == OVER:
        return {}
    for name in _TURN_FIELDS:
        if game[name] != fresh[name]:
            out[name] = int(game[name])
    for name in _TURN_CARDS:
        if game[name] != fresh[name]:
            out[name] = card_name(int(game[name]))
    for name in _TURN_SETS:
        if game[name]:
            out[name] = card_names(cards_of(int(game[name])))
    if game["open_count"]:
        out["open_cards"] = card_names([int(card) for card in game["open_cards"][: game["open_count"]]])
    return out


def _fresh(to_move: int) -> Record:
    """A record at the beginning of a turn with nothing on the table."""
    games = np.zeros(1, GAME)
    games["to_move"] = to_move
    entrypoints.empty_record(games)
    return games[0]


class _Reader:
    """Puts the cards of a position into a record and refuses what cannot be."""

    def __init__(self, data: dict[str, Any], rules: Rules) -> None:
        self.data, self.rules = data, rules
        self.record = rules_record(rules)
        self.game = _fresh(_seat(data.get("to_move", 0), "to_move", rules.players))
        self.seen: dict[int, str] = {}

    def card(self, text: Any, where: str) -> int:
        if not isinstance(text, str):
            raise PositionError(f"{where}: {short_repr(text)} is not a card")
        try:
            card = parse_card(text)
        except ValueError as error:
            raise PositionError(f"{where}: {error}") from None
        if not int(self.record["deck"][0]) >> card & 1:
            raise PositionError(f"{where}: {text} is not in the deck of {self.rules.deck} cards")
        if card in self.seen:
            raise PositionError(f"{where}: {text} is already in {self.seen[card]}")
        self.seen[card] = where
        return card

    def cards(self, items: Any, where: str) -> list[int]:
        if not isinstance(items, list):
            raise PositionError(f"{where}: must be a list of cards")
        return [self.card(text, where) for text in items]

    def per_seat(self, key: str) -> list[Any]:
        items = self.data.get(key) or [[] for _ in range(self.rules.players)]
        if not isinstance(items, list) or len(items) != self.rules.players:
            raise PositionError(f"{key}: must be a list of {self.rules.players} lists, one a seat")
        return items

    def stack(self, cards: list[int], tops: Any, index: int | str) -> None:
        top = -1
        for card in cards:
            self.game["below"][card] = top
            top = card
        tops[index] = top

    def read(self) -> Record:
        game, rules, data = self.game, self.rules, self.data
        if not data.get("hands"):
            raise PositionError("hands: missing; give a list of cards for each seat")
        for seat, hand in enumerate(self.per_seat("hands")):
            game["hands"][seat] = mask_of(self.cards(hand, f"hands[{seat}]"))
        for order, card in enumerate(self.cards(data.get("layout", []), "layout")):
            game["layout"] |= 1 << card
            game["laid"][card] = order
        game["laid_next"] = int(game["layout"]).bit_count()
        for number, build in enumerate(of_kind(data.get("builds", []), "builds", list)):
            self.build(build, f"builds[{number}]")
        for seat, pile in enumerate(self.per_seat("piles")):
            cards = self.cards(pile, f"piles[{seat}]")
            if cards and rules.shared_pile and seat >= 2:
                raise PositionError(f"piles[{seat}]: partners share a pile; list it under seat {seat - 2}")
            self.stack(cards, game["pile_top"], seat)
            game["piles"][seat] = mask_of(cards)
            game["starts"] |= mask_of(cards)  # no batch is known: every card is one of its own
        self.stack(self.cards(data.get("stock", []), "stock"), game, "stock_top")
        self.scalars()
        return game

    def build(self, build: Any, where: str) -> None:
        if not isinstance(build, dict) or any(key not in build for key in _BUILD_KEYS):
            raise PositionError(f"{where}: must have value, owner and sets")
        known_keys(build, _BUILD_KEYS, where)
        value = int_in(build["value"], f"{where}.value", 1, self.rules.max_build)
        owner = _seat(build["owner"], f"{where}.owner", self.rules.players)
        if self.game["build_top"][value] >= 0:
            raise PositionError(f"{where}: a second build of value {value}")
        cards: list[int] = []
        sets = of_kind(build["sets"], f"{where}.sets", list)
        for number, items in enumerate(sets):
            mine = self.cards(items, f"{where}.sets[{number}]")
            self.check_sum(mine, value, f"{where}.sets[{number}]")
            self.game["starts"] |= 1 << mine[0]
            cards += mine
        if len(cards) < 2 and value != _unfinished(self.data):
            raise PositionError(f"{where}: a build has two cards or more")
        self.stack(cards, self.game["build_top"], value)
        self.game["build_cards"][value] = mask_of(cards)
        self.game["build_sets"][value] = len(sets)
        self.game["owned"][owner] |= 1 << value

    def check_sum(self, cards: list[int], value: int, where: str) -> None:
        numeric = int(self.record["numeric"][0])
        if not cards:
            raise PositionError(f"{where}: is empty")
        for card in cards:
            if not numeric >> card & 1:
                raise PositionError(f"{where}: {card_name(card)} has no value in {self.rules.name}")
        total = sum((card >> 2) + 1 for card in cards)
        if total != value and not (value == 14 and len(cards) == 1 and cards[0] < 4):
            raise PositionError(f"{where}: {' '.join(card_names(cards))} sum to {total}, not {value}")

    def scalars(self) -> None:
        game, rules, data = self.game, self.rules, self.data
        # Play goes on to positions that are accepted as well: each later round deals some of the stock.
        game["round"] = int_in(data.get("round", 1), "round", 1, MOST_ROUNDS - len(data.get("stock") or ()))
        for seat, values in enumerate(self.per_seat("proven")):
            for value in of_kind(values, f"proven[{seat}]", list):
                game["proven"][seat] |= 1 << int_in(value, f"proven[{seat}]", 1, rules.max_build)
        last = data.get("last_capture")
        game["last_capture"] = -1 if last is None else _seat(last, "last_capture", rules.players)
        for key, low in (("match_score", -30_000), ("sweeps", 0)):
            numbers = of_kind(data.get(key) or [0] * rules.sides, key, list)
            if len(numbers) != rules.sides:
                raise PositionError(f"{key}: must have {rules.sides} numbers, one a side")
            for side, number in enumerate(numbers):
                game[key][side] = int_in(number, f"{key}[{side}]", low, -low or 99)
        game["leader"] = _seat(data.get("leader", 0), "leader", rules.players)
        game["turns"] = int_in(data.get("turns", 0), "turns", 0, 52)
        self.turn(data.get("turn", {}))
        if "match" in data:
            self.match(data["match"])

    def match(self, match: Any) -> None:
        if not isinstance(match, dict):
            raise PositionError("match: must be an object")
        known_keys(match, _MATCH_KEYS, "match")
        stream = match.get("stream", "0")
        if not isinstance(stream, str) or not 0 < len(stream) <= 16 or set(stream) - set(hexdigits):
            raise PositionError(f"match.stream: {short_repr(stream)}; it must be a text of 16 hexadecimal digits")
        self.game["match"] = 1
        self.game["deals"] = int_in(match.get("deals", 0), "match.deals", 0, 30_000)
        self.game["rng"] = int(stream, 16)

    def turn(self, turn: Any) -> None:
        if not isinstance(turn, dict):
            raise PositionError("turn: must be an object")
        game = self.game
        known_keys(turn, (*_TURN_FIELDS, *_TURN_CARDS, *_TURN_SETS, "open_cards"), "turn")
        between = limits(self.rules) | {"mode": (IDLE, BUNDLE)}
        for name in _TURN_FIELDS:
            if name in turn:
                game[name] = int_in(turn[name], f"turn.{name}", *between[name])
        for name in _TURN_CARDS:
            if name in turn:
                game[name] = self.turn_cards([turn[name]], name)[0]
        for name in _TURN_SETS:
            if name in turn:
                game[name] = mask_of(self.turn_cards(turn[name], name))
        opened = self.turn_cards(turn.get("open_cards", []), "open_cards")
        game["open_count"] = len(opened)
        game["open_cards"][: len(opened)] = opened

    def turn_cards(self, items: Any, name: str) -> list[int]:
        """Cards that lie somewhere already."""
        deck = set(cards_of(int(self.record["deck"][0])))
        known = {card_name(card): card for card in deck}
        items = of_kind(items, f"turn.{name}", list)
        if any(not isinstance(text, str) or text not in known for text in items):
            raise PositionError(f"turn.{name}: {short_repr(items)} are not cards of the deck")
        if name == "open_cards" and len(items) > OPEN_CARDS:
            raise PositionError(f"turn.open_cards: no set has more than {OPEN_CARDS} cards")
        return [known[text] for text in items]


def _unfinished(data: dict[str, Any]) -> Any:
    """The build that is still a lone base, in the middle of a turn."""
    turn = data.get("turn")
    return turn.get("unfinished") if isinstance(turn, dict) else None


def _seat(value: Any, where: str, players: int) -> int:
    if type(value) is not int or not 0 <= value < players:
        raise PositionError(f"{where}: seat {short_repr(value)} is out of range; seats are 0 to {players - 1}")
    return value


def rules_from_json(data: Any) -> Rules:
    if not isinstance(data, dict):
        raise PositionError("a position is a JSON object")
    known_keys(data, _KEYS, "position")
    for key in _REQUIRED:
        if key not in data:
            raise PositionError(f"{key}: missing")
    if not isinstance(data["variant"], str) or type(data["players"]) is not int:
        raise PositionError("variant must be a name and players a whole number")
    return rules_of(data["variant"], data["players"], data.get("rules") or {})


def from_json(data: Any) -> tuple[Record, Rules]:
    """A record and its rules; raises PositionError."""
    game, rules = unproven(data)
    with _as_position_error():
        prove_action(game, rules)
    return game, rules


def unproven(data: Any) -> tuple[Record, Rules]:
    """The same, whether or not the hands allow what is open in the turn."""
    with _as_position_error():
        rules = rules_from_json(data)
        game = _Reader(data, rules).read()
        _settle(game, rules, data)
        validate_fields(game, rules)
    return game, rules


@contextmanager
def _as_position_error() -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise PositionError(str(error)) from None


def _settle(game: Record, rules: Rules, data: dict[str, Any]) -> None:
    """Whether it is over, and who has won."""
    if "winner" in data:
        _won(game, rules, data["winner"])
    elif not any(game["hands"]) and not game["played"] and game["mode"] != SORTING:
        _finished(game, rules)
    elif game["mode"] == IDLE and not game["acted"] and not game["hands"][game["to_move"]]:
        raise PositionError(f"to_move: seat {game['to_move']} has no card to play")


def _won(game: Record, rules: Rules, winner: Any) -> None:
    """A match that is over, or a deal in which somebody has counted out."""
    if not game["match"] and not (rules.count_out and any(game["hands"])):
        raise PositionError("winner: it follows from the piles; only a match, or a deal that was counted out, says it")
    game["winner"] = -2 if winner is None else int_in(winner, "winner", 0, rules.sides - 1)
    game["mode"] = OVER


def _finished(game: Record, rules: Rules) -> None:
    """No card in any hand: the deal is over, and the last capturer takes what is left."""
    if game["stock_top"] >= 0:
        raise PositionError("hands: all are empty although cards are left in the stock; deal them")
    if game["match"]:
        raise PositionError("hands: all are empty; a match goes on with the next deal, or it has a winner (or null)")
    game["mode"] = OVER
    entrypoints.end_table(game.reshape(1), rules_record(rules))
