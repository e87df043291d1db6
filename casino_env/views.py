"""What one seat may know, as plain data: a position in which the cards that it cannot see are numbers of cards.

An app that knows one hand sends such a view. The unseen cards are put where they may lie, so that there is a game to
ask agents and rules about; agents get what the seat may know of it, which is the same wherever they have been put.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from casino_env import position
from casino_env.cards import cards_of
from casino_env.engine.state import GRANT, SORTING, rules_record
from casino_env.game import Game
from casino_env.observed import Observed, observe
from casino_env.validate import int_in, short_repr

Data = dict[str, Any]

_DECLARED = ("hand_card", "picked", "required")  # cards of the mover that all have seen, while its turn is open


# --- out -----------------------------------------------------------------------------------------------------------


def view_of(game: Game, seat: int, memory: str = "perfect") -> Data:
    """The view of a seat, made from nothing but what it knows. memory: of face-down piles."""
    observed = observe(game, seat, memory=memory)
    view = as_view(observed)
    if memory == "none" and game.rules.stacking == "face_down":
        view["piles"] = observed.view["hidden_pile"][0].tolist()[: game.rules.players]
    return view


def as_view(observed: Observed) -> Data:
    """The same of what a seat has been shown."""
    seen, rules, seat = observed.view[0], observed.rules, observed.seat
    view = position.to_json(seen, rules) | {"seat": seat}
    hidden = seen["hidden_hand"].tolist()
    view["hands"] = [hand if other == seat else len(hand) + hidden[other] for other, hand in enumerate(view["hands"])]
    view["stock"] = len(view["stock"]) + int(seen["hidden_stock"])
    if rules.stacking == "face_down":
        piles = zip(seen["piles"].tolist()[: rules.players], seen["hidden_pile"].tolist(), strict=False)
        view["piles"] = [closed or position.card_names(cards_of(pile)) for pile, closed in piles]
    if "match" in view:
        del view["match"]["stream"]
    return view


# --- in ------------------------------------------------------------------------------------------------------------


def game_of(view: Any) -> tuple[Game, int, str]:
    """(a game that the view may be of, its seat, what that remembers of face-down piles); raises ValueError."""
    sight = Sight(view)
    return Game.from_json(sight.filled()), sight.seat, sight.memory


class Sight:
    """A view as it was sent: the cards that it names, and how many there are of the others."""

    def __init__(self, view: Any) -> None:
        if not isinstance(view, dict) or "seat" not in view:
            raise ValueError("a view is a JSON object like a position, with the seat that looks: seat is missing")
        self.table = {key: value for key, value in view.items() if key != "seat"}
        self.rules = rules = position.rules_from_json(self.table)
        self.seat = int_in(view["seat"], "seat", 0, rules.players - 1)
        closed = any(isinstance(pile, int) for pile in _list(self.table.get("piles")))
        if closed and rules.stacking != "face_down":
            raise ValueError("piles: they lie face up in this game; list their cards")
        self.memory = "none" if closed else "perfect"
        turn, mover = self.table.get("turn"), self.table.get("to_move", 0)
        self._turn: Data = turn if isinstance(turn, dict) else {}
        self._mover = mover if type(mover) is int else -1
        self._read_cards()

    def _read_cards(self) -> None:
        table, players, seat = self.table, self.rules.players, self.seat
        hands = _rows(table.get("hands"), "hands", players)
        if not isinstance(hands[seat], list):
            raise ValueError(
                f"hands[{seat}]: {short_repr(hands[seat])}; the seat that looks knows its cards: list them"
            )
        piles = _rows(table.get("piles") or [[]] * players, "piles", players)
        declared = texts([self._turn.get(name) for name in _DECLARED])
        named = texts([hands[seat], piles, table.get("layout"), table.get("builds")])
        if self._turn.get("mode") == SORTING:
            named |= declared  # they are on their way to the pile
        self.hands = [row if other == seat else _count(row, f"hands[{other}]") for other, row in enumerate(hands)]
        self.piles = [row if isinstance(row, list) else _count(row, f"piles[{i}]") for i, row in enumerate(piles)]
        self.stock = _count(table.get("stock", 0), "stock")
        deck = position.card_names(cards_of(int(rules_record(self.rules)["deck"][0])))
        self.unseen = [card for card in deck if card not in named]
        self._declared = [card for card in self.unseen if card in declared]
        hidden = self.stock + sum(row for row in (*self.hands, *self.piles) if isinstance(row, int))
        if hidden != len(self.unseen):
            raise ValueError(
                f"hands, piles, stock: {hidden} cards are counted as hidden, but {len(self.unseen)} of the deck are "
                "nowhere in sight"
            )

    def declared(self, seat: int) -> list[str]:
        """The cards that all have seen in the hand of a seat."""
        return self._declared if seat == self._mover else []

    def needs(self, seat: int) -> Counter[str]:
        """By rank how many cards a seat must have beside those that it has declared, for what it has built and shown
        (as lacking() in knowledge/view.py counts them)."""
        table, turn = self.table, self._turn
        builds = [row.get("value") for row in _list(table.get("builds")) if _field(row, "owner") == seat]
        proven = _list(table.get("proven"))
        shown = _list(proven[seat]) if seat < len(proven) else []
        if not self.rules.keep_backing:
            return Counter()
        held = Counter(card[0] for card in self.declared(seat))
        free = Counter(held)
        if seat == self._mover:
            builds += [debt] if (debt := turn.get("debt")) not in builds else []
            if (card := turn.get("hand_card")) in self._declared and not turn.get("take_build"):
                free[card[0]] -= 1  # it is leaving the hand
        if turn.get("mode") == GRANT and seat == (self._mover + 2) % 4:
            asked = turn.get("open_value")  # it can take it; if it is its own, with the card that it keeps for it
            builds += [asked] if asked not in builds else []
        owed = _by_rank(builds) - free
        return owed | (Counter(dict.fromkeys(_by_rank(shown), 1)) - held)  # one ace has proven 1 and 14

    def filled(self, given: Mapping[int, list[str]] = {}) -> Data:
        """The position with all cards in it: those that the view does not name lie where it counts them. given: what
        some seats hold at least, in place of what they must."""
        told = {card for cards in given.values() for card in cards}
        rest = [card for card in self.unseen if card not in told]
        first: list[list[str]] = []
        for other, row in enumerate(self.hands):
            cards = given.get(other, [])
            if not (isinstance(row, list) or cards):
                needs = self.needs(other)
                cards = [card for card in self.declared(other) if card in rest]
                for rank in sorted(needs):
                    free = [card for card in rest if card[0] == rank and card not in self._declared]
                    cards = [*cards, *free[: needs[rank]]]
            first.append(cards)
            rest = [card for card in rest if card not in cards]
        left = iter(rest)

        def dealt(row: Any, cards: list[str], where: str) -> list[str]:
            """So many cards, these among them; what is a list already stays as it is."""
            if isinstance(row, list):
                return row
            if row < len(cards):
                raise ValueError(f"{where}: {row} cards, but what this seat has built and shown takes {len(cards)}")
            return [*cards, *(next(left) for _ in range(row - len(cards)))]

        pairs = zip(self.hands, first, strict=True)
        return self.table | {
            "hands": [dealt(row, cards, f"hands[{other}]") for other, (row, cards) in enumerate(pairs)],
            "piles": [dealt(row, [], "piles") for row in self.piles],
            "stock": dealt(self.stock, [], "stock"),
        }


def _by_rank(values: list[Any]) -> Counter[str]:
    """How many there are of the cards that take these values."""
    return Counter("?A23456789TJQKA"[value] for value in values if type(value) is int and 0 < value < 15)


def _field(row: Any, name: str) -> Any:
    return row.get(name) if isinstance(row, dict) else None


def _count(number: Any, where: str) -> int:
    if isinstance(number, list):
        raise ValueError(f"{where}: the seat that looks cannot see these cards; give their number")
    return int_in(number, where, 0, 52)


def _rows(rows: Any, key: str, players: int) -> list[Any]:
    if not isinstance(rows, list) or len(rows) != players:
        raise ValueError(f"{key}: must be a list of {players}, one a seat: cards, or how many there are")
    return rows


def _list(value: Any) -> list[Any]:
    """Other kinds are refused once the position is read."""
    return value if isinstance(value, list) else []


def texts(data: Any) -> set[str]:
    """Every text in nested data: the cards that it names."""
    if isinstance(data, str):
        return {data}
    inner = data.values() if isinstance(data, dict) else _list(data)
    return {text for each in inner for text in texts(each)}
