"""What one seat may know, as plain data: a position in which the cards that it cannot see are numbers of cards.

An app that knows one hand sends such a view. The unseen cards are put where they may lie, so that there is a game to
ask agents and rules about; agents get what the seat may know of it, which is the same wherever they have been put.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from casino_env import position
from casino_env.arrays import Record
from casino_env.cards import CARDS, cards_of
from casino_env.engine.flat_form import HANDS, PILES, PROVEN, STOCK
from casino_env.engine.state import GAME, SEATS
from casino_env.game import Game, unchecked_game
from casino_env.knowledge import sights
from casino_env.knowledge.sights import COUNTS
from casino_env.observed import Observed, observe
from casino_env.rules import Rules
from casino_env.validate import int_in, short_repr

Data = dict[str, Any]


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
    return sight.game(), sight.seat, sight.memory


class _ViewReader(position.Reader):
    """A view: of cards that its seat cannot see there are numbers."""

    each = "lists or numbers of cards"

    def __init__(self, data: Data, rules: Rules, seat: int) -> None:
        self.counts, self._seat = [0] * COUNTS, seat
        super().__init__(data, rules)

    def cards(self, items: Any, where: str, place: int, part: int = 0) -> None:
        if place == STOCK:
            self.counts[-1] = _count(items or 0, where)
        elif HANDS <= place < PILES and place != HANDS + self._seat:
            self.counts[place] = _count(items, where)
        elif PILES <= place < PROVEN and not isinstance(items, list):
            if self.rules.stacking != "face_down":
                raise ValueError("piles: they lie face up in this game; list their cards")
            self.counts[place] = _count(items, where)
        elif place == HANDS + self._seat and not isinstance(items, list):
            raise ValueError(f"{where}: {short_repr(items)}; the seat that looks knows its cards: list them")
        else:
            super().cards(items, where, place, part)


class Sight:
    """A view as it was sent: the record of what it names, and how many cards there are of the others."""

    def __init__(self, view: Any) -> None:
        if not isinstance(view, dict) or "seat" not in view:
            raise ValueError("a view is a JSON object like a position, with the seat that looks: seat is missing")
        table = {key: value for key, value in view.items() if key != "seat"}
        self.rules = position.rules_from_json(table)
        self.seat = int_in(view["seat"], "seat", 0, self.rules.players - 1)
        read = _ViewReader(table, self.rules, self.seat)
        self.piles: list[Any] = table.get("piles") or [[]] * self.rules.players
        self.memory = "perfect" if all(isinstance(pile, list) for pile in self.piles) else "none"
        self.view, self._read = np.zeros(1, GAME), read
        found = sights.look(self.view, self.rules.record, *read.arrays(), np.array(read.counts), self.seat)
        position.refuse(found, self.rules)

    def record(self, hands: Mapping[int, int] = {}, said: int = 0) -> Record:
        """An array of one record of a game that the view may be of. hands: sets of cards that seats hold at least, in
        place of what they must."""
        games, given = np.zeros(1, GAME), np.array([hands.get(seat, 0) for seat in range(SEATS)])
        said |= self._read.said
        found = sights.fill(self.view, self.rules.record, self.seat, given, games, *position.workspace(), said)
        position.refuse(found, self.rules)
        games["rng"] = self._read.stream
        return games

    def game(self, hands: Mapping[int, int] = {}, *, skip_forced: bool = True) -> Game:
        """The game of such a record; nothing is played on."""
        return unchecked_game(self.record(hands)[0], self.rules, skip_forced=skip_forced)


def _count(number: Any, where: str) -> int:
    if isinstance(number, list):
        raise ValueError(f"{where}: the seat that looks cannot see these cards; give their number")
    return int_in(number, where, 0, CARDS)


def texts(data: Any) -> set[str]:
    """Every text in nested data: the cards that it names."""
    if isinstance(data, str):
        return {data}
    inner = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return {text for each in inner for text in texts(each)}
