"""What one seat may know, as plain data: a position in which the cards that it cannot see are numbers of cards.

An app that knows one hand sends such a view. The unseen cards are put where they may lie, so that there is a game to
ask agents and rules about; agents get what the seat may know of it, which is the same wherever they have been put.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

from casino_env import position
from casino_env.cards import card_name, cards_of
from casino_env.engine.state import rules_record
from casino_env.game import Game
from casino_env.observed import Observed, observe
from casino_env.rules import Rules
from casino_env.validate import int_in, short_repr

Data = dict[str, Any]

_DECLARED = ("hand_card", "picked", "required")  # cards of the mover that all have seen, while its turn is open


# --- out -----------------------------------------------------------------------------------------------------------


def view_of(game: Game, seat: int) -> Data:
    """The view of a seat, made from nothing but what it knows."""
    return as_view(observe(game, seat))


def as_view(observed: Observed) -> Data:
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
    if not isinstance(view, dict) or "seat" not in view:
        raise ValueError("a view is a JSON object like a position, with the seat that looks: seat is missing")
    table = {key: value for key, value in view.items() if key != "seat"}
    rules = position.rules_from_json(table)
    seat = int_in(view["seat"], "seat", 0, rules.players - 1)
    closed = any(isinstance(pile, int) for pile in _list(table.get("piles")))
    if closed and rules.stacking != "face_down":
        raise ValueError("piles: they lie face up in this game; list their cards")
    return Game.from_json(_filled(table, seat, rules)), seat, "none" if closed else "perfect"


def _filled(table: Data, seat: int, rules: Rules) -> Data:
    """The position with all cards in it: those that the view does not name lie where it counts them."""
    hands = _rows(table.get("hands"), "hands", rules.players)
    if not isinstance(hands[seat], list):
        raise ValueError(f"hands[{seat}]: {short_repr(hands[seat])}; the seat that looks knows its cards: list them")
    piles = _rows(table.get("piles") or [[]] * rules.players, "piles", rules.players)
    named = _texts([hands[seat], piles, table.get("layout"), table.get("builds")])
    hands = [row if other == seat else _count(row, f"hands[{other}]") for other, row in enumerate(hands)]
    piles = [row if isinstance(row, list) else _count(row, f"piles[{i}]") for i, row in enumerate(piles)]
    stock = _count(table.get("stock", 0), "stock")
    deck = map(card_name, cards_of(int(rules_record(rules)["deck"][0])))
    unseen = [card for card in deck if card not in named]
    hidden = stock + sum(row for row in (*hands, *piles) if isinstance(row, int))
    if hidden != len(unseen):
        raise ValueError(
            f"hands, piles, stock: {hidden} cards are counted as hidden, but {len(unseen)} of the deck are nowhere in "
            "sight"
        )
    promised: list[list[str]] = []
    for other in range(rules.players):
        promised.append([] if other == seat else _promised(table, other, rules, unseen))
        unseen = [card for card in unseen if card not in promised[-1]]
    rest = iter(unseen)

    def dealt(row: Any, first: list[str], where: str) -> list[str]:
        """So many cards, these among them; what is a list already stays as it is."""
        if isinstance(row, list):
            return row
        if row < len(first):
            raise ValueError(f"{where}: {row} cards, but what this seat has built and shown takes {len(first)}")
        return [*first, *islice(rest, row - len(first))]

    pairs = zip(hands, promised, strict=True)
    return table | {
        "hands": [dealt(row, cards, f"hands[{other}]") for other, (row, cards) in enumerate(pairs)],
        "piles": [dealt(row, [], "piles") for row in piles],
        "stock": dealt(stock, [], "stock"),
    }


def _promised(table: Data, seat: int, rules: Rules, unseen: list[str]) -> list[str]:
    """The unseen cards that a seat must have: those it has declared, and one for each build and proven rank."""
    turn, declared = table.get("turn"), set[str]()
    if isinstance(turn, dict) and seat == table.get("to_move", 0):
        declared = _texts([turn.get(name) for name in _DECLARED])
    cards = [card for card in unseen if card in declared]
    builds = [row for row in _list(table.get("builds")) if isinstance(row, dict) and row.get("owner") == seat]
    proven = _list(table.get("proven"))
    values = [row.get("value") for row in builds] + (_list(proven[seat]) if seat < len(proven) else [])
    ranks = {"?A23456789TJQKA"[value] for value in values if type(value) is int and 0 < value < 15}
    for rank in sorted(ranks) if rules.keep_backing else ():
        cards += [card for card in unseen if card[0] == rank and card not in cards][:1]
    return cards


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


def _texts(data: Any) -> set[str]:
    """Every text in nested data: the cards that it names."""
    if isinstance(data, str):
        return {data}
    inner = data.values() if isinstance(data, dict) else _list(data)
    return {text for each in inner for text in _texts(each)}
