"""Views: a position as one seat sees it, with hidden cards as counts; and the view after an action (next_view).

An app that knows one hand sends a view. The hidden cards are placed where they may lie, which gives a game for agents
and rules. Agents only get what the seat may know of it, so the placement does not matter. next_view plays the action
in a game in which the seat that decides has cards that allow it. The app must tell what the action reveals (TOLD).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from casino_env import position
from casino_env.actions import NO, YES, action_text, parse_action
from casino_env.arrays import Record
from casino_env.cards import CARDS, cards_of, mask_of, parse_card
from casino_env.engine.flat_form import HANDS, PILES, PROVEN, STOCK, UNPROVEN
from casino_env.engine.state import GAME, OWNER, SEATS, SORTING, chain
from casino_env.game import Game, IllegalActionError, unchecked_game
from casino_env.knowledge import sights
from casino_env.knowledge.sights import COUNTS, NO_HAND, REFUSED, SAY_TAKE_BUILD, UNSAID, allowing_hand
from casino_env.observed import Observed, observe
from casino_env.rules import Rules
from casino_env.validate import checks_objects, int_in, known_keys, of_kind, short_repr

Data = dict[str, Any]


# --- writing -------------------------------------------------------------------------------------------------------


def view_of(game: Game, seat: int, memory: str = "perfect") -> Data:
    """The view of a seat, made only from what it knows. memory: of face-down piles, perfect or none."""
    observed = observe(game, seat, memory=memory)
    view = as_view(observed)
    if memory == "none" and game.rules.stacking == "face_down":
        view["piles"] = observed.view["hidden_pile"][0].tolist()[: game.rules.players]
    return view


@checks_objects
def as_view(observed: Observed) -> Data:
    """The view of an observation."""
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


# --- reading -------------------------------------------------------------------------------------------------------


def game_of(view: Any) -> tuple[Game, int, str]:
    """(a game that agrees with the view, its seat, its memory of face-down piles); raise ValueError if it is wrong."""
    sight = Sight(view)
    return sight.game(), sight.seat, sight.memory


class _ViewReader(position.Reader):
    """Reads a view, in which hidden cards are counts."""

    each = "lists or numbers of cards"

    def __init__(self, data: Data, rules: Rules, seat: int) -> None:
        self.counts, self._seat = [0] * COUNTS, seat
        super().__init__(data, rules)

    def cards(self, items: Any, where: str, place: int, part: int = 0) -> None:
        if place == STOCK:
            self.counts[-1] = _count(0 if items == [] else items, where)
        elif HANDS <= place < PILES and place != HANDS + self._seat:
            self.counts[place] = _count(items, where)
        elif PILES <= place < PROVEN and not isinstance(items, list):
            if self.rules.stacking != "face_down":
                raise ValueError("piles: they are face up in this game; list their cards")
            self.counts[place] = _count(items, where)
        elif place == HANDS + self._seat and not isinstance(items, list):
            raise ValueError(f"{where}: {short_repr(items)}; the view's seat sees these cards; list them")
        else:
            super().cards(items, where, place, part)


class Sight:
    """A view as it was sent: a record of the cards that it names, and the counts of hidden cards."""

    def __init__(self, view: Any) -> None:
        if not isinstance(view, dict) or "seat" not in view:
            raise ValueError("a view must be a JSON object like a position, with its seat: seat is missing")
        table = {key: value for key, value in view.items() if key != "seat"}
        self.rules = position.rules_from_json(table)
        self.seat = int_in(view["seat"], "seat", 0, self.rules.players - 1)
        read = _ViewReader(table, self.rules, self.seat)
        self.piles = read.per_seat("piles")
        self.memory = "perfect" if all(isinstance(pile, list) for pile in self.piles) else "none"
        self.view, self._read = np.zeros(1, GAME), read
        found = sights.look(self.view, self.rules.record, *read.arrays(), np.array(read.counts, np.int64), self.seat)
        position.refuse(found, self.rules)

    def record(self, hands: Mapping[int, int] = {}, said: int = 0) -> Record:
        """An array of one record of a game that agrees with the view. hands: seat -> cards that it holds at least, in
        place of those that it must hold."""
        games, given = np.zeros(1, GAME), np.array([hands.get(seat, 0) for seat in range(SEATS)], np.int64)
        said |= self._read.said
        found = sights.fill(self.view, self.rules.record, self.seat, given, games, *position.workspace(), said)
        position.refuse(found, self.rules)
        games["rng"] = self._read.stream
        return games

    def game(self, hands: Mapping[int, int] = {}, *, skip_forced: bool = True) -> Game:
        """The game of record(hands), without playing forced actions."""
        return unchecked_game(self.record(hands)[0], self.rules, skip_forced=skip_forced)


def _count(number: Any, where: str) -> int:
    if isinstance(number, list):
        raise ValueError(f"{where}: the view's seat cannot see these cards; give their number")
    return int_in(number, where, 0, CARDS)


def texts(data: Any) -> set[str]:
    """Every string in nested data: the names of its cards."""
    if isinstance(data, str):
        return {data}
    inner = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return {text for each in inner for text in texts(each)}


# --- the next view ---------------------------------------------------------------------------------------------------

# What the app may have to tell about an action: cards dealt to its seat; cards uncovered on piles; the owner of the
# new build (null: not declared yet); whether a capture takes the build at once; layout and leader of a new deal. The
# values say of which kind each is; with a question mark it may be null.
TOLD = {
    "dealt": "cards",
    "tops": "cards",
    "owner": "seat?",
    "take_build": "bool?",
    "layout": "cards",
    "leader": "seat?",
}
REFUSALS = {
    "no hand": "{action} is illegal for seat {seat}: no hand that it can have allows it",
    "take_build": "take_build: seat {seat} may hold another card for its build; say whether this capture takes the "
    "build at once (true or false)",
    "owner": "owner: seat {seat} may build for itself or for its partner; say who owns the new build (null: not "
    "declared yet)",
    "no owner": "owner: {owner}; that seat cannot own the build of {value}",
    "twice": "{key}: a card is listed twice",
    "wrong top": "tops: {card} is not on top of pile {pile}; {top} is",
    "which top": "tops: a card of pile {pile} has been taken; say which of its cards is on top now",
    "no pile": "tops: {card} is in no pile",
    "layout": "layout: a new deal begins with {count} cards on the table; list them in the order dealt",
    "drawn": "leader: the leader of the new deal is drawn; give its seat",
    "leads": "leader: {leader}; seat {seat} leads the new deal",
    "dealt": "dealt: seat {seat} gets {cards} with this action, not {count}; list them",
    "in sight": "dealt: {card} is already in sight",
    "forgotten": "piles: the deal is over, and its points depend on cards that this view does not list; go on with a "
    "new view",
    "no view": "told: {error}",
}


class ToldError(ValueError):
    """Something that only the dealer knows about an action is missing or impossible."""


def _told_error(why: str, **words: Any) -> ToldError:
    return ToldError(REFUSALS[why].format(**words))


class Step(NamedTuple):
    view: Data
    seat: int  # who decides next
    over: bool
    legal: list[int]  # of the viewing seat; empty if another seat decides
    game: Game | None  # for the known points; None if the seat forgets piles


def next_view(view: Any, action: str, told: Any = None) -> Step:
    """The view of the same seat after one action, its own or another seat's. Forced actions are not played, because a
    view does not know what others are forced to do. Raise IllegalActionError if no cards that the seat may hold allow
    the action, ToldError if something of TOLD is missing or impossible, another ValueError if the view is wrong."""
    sight, number = Sight(view), parse_action(action)
    told = _read_told(told, sight.rules.players)
    game = _allowing(sight, number, told)
    before, others_sort = game.records.copy(), game.seat != sight.seat and game.record["mode"] == SORTING
    game.apply(number)
    while others_sort and game.record["mode"] == SORTING:  # a sorter's choices are not seen one by one
        game.apply(game.legal()[0])
    _say_owner(game, sight.seat, before[0], told)
    next_deal = bool(game.record["deals"] != before[0]["deals"]) and not game.over
    if sight.memory == "none" and (next_deal or game.over):
        raise _told_error("forgotten")
    after = view_of(game, sight.seat, sight.memory)
    if next_deal:
        _new_deal(after, game.rules, told)
    else:
        _uncover(after, sight, told)
    kept = 0 if next_deal else int(before[0]["hands"][sight.seat])
    _deal(after, sight.seat, int(game.record["hands"][sight.seat]), kept, told)
    legal: list[int] = []
    if not game.over and (game.seat == sight.seat or told.get("dealt")):
        legal = _dealt_game(after).legal()
    mine = legal if game.seat == sight.seat else []
    return Step(after, int(after.get("turn", {}).get("actor", after["to_move"])), game.over, mine,
                game if sight.memory == "perfect" else None)  # fmt: skip


def _dealt_game(after: Data) -> Game:
    try:
        return game_of(after)[0]
    except ValueError as error:
        raise _told_error("no view", error=error) from None


@checks_objects
def told_of(before: Game, after: Game, seat: int) -> Data:
    """What the dealer tells a seat about the one action that leads from `before` to `after`."""
    was, now, told = before.record, after.record, Data()
    next_deal = was["deals"] != now["deals"] and not after.over
    got = int(now["hands"][seat]) & ~(0 if next_deal else int(was["hands"][seat]))
    if got:
        told["dealt"] = position.card_names(cards_of(got))
    if next_deal:
        told |= {"layout": after.to_json()["layout"], "leader": int(now["leader"])}
        return told
    value = int(was["open_value"])
    rules, piles = before.rules, range(before.rules.players)
    told["tops"] = [
        position.card_names([int(now["pile_top"][pile])])[0]
        for pile in piles
        if rules.stacking == "secret"
        and now["pile_top"][pile] >= 0
        and int(was["pile_top"][pile]) not in chain(now, int(now["pile_top"][pile]))
    ]
    if value and now["mode"] != OWNER:
        owners = [other for other in piles if int(now["owned"][other]) >> value & 1]
        told |= {"owner": owners[0]} if owners and not any(int(was["owned"][o]) >> value & 1 for o in piles) else {}
    elif now["mode"] == OWNER:
        told["owner"] = None
    if now["turns"] == was["turns"]:
        told["take_build"] = bool(now["take_build"]) or sum(map(int, was["owned"])) > sum(map(int, now["owned"]))
    return told


# --- a game in which the deciding seat can play the action ---


def _allowing(sight: Sight, action: int, told: Data) -> Game:
    records = sight.record(said=UNPROVEN)
    seat = int(records["actor"][0])
    if seat == sight.seat:
        return sight.game(skip_forced=False)
    took = told.get("take_build")
    said = np.array([took if isinstance(took, bool) else UNSAID, 0 if "owner" in told else UNSAID], np.int64)
    why, hand = allowing_hand(sight.view, sight.rules.record, sight.seat, action, said, records, *position.workspace())
    if why == NO_HAND:
        raise IllegalActionError(REFUSALS["no hand"].format(action=action_text(action), seat=seat))
    if why == REFUSED:
        position.validate_record(records, sight.rules, 2)
    if why:
        raise _told_error("take_build" if why == SAY_TAKE_BUILD else "owner", seat=seat)
    return sight.game({seat: hand}, skip_forced=False)


# --- what the dealer tells ---


def _read_told(told: Any, players: int) -> Data:
    if told is None:
        return {}
    try:
        known_keys(of_kind(told, "told", dict), tuple(TOLD), "told")
        for key, value in told.items():
            _check_told(value, key, players)
    except ValueError as error:
        raise ToldError(str(error)) from None
    return dict(told)


def _check_told(value: Any, key: str, players: int) -> None:
    """Raise ValueError unless a value is of the kind that its key has in TOLD, whether or not it is needed."""
    if value is None and TOLD[key].endswith("?"):
        return
    if TOLD[key].startswith("seat"):
        int_in(value, key, 0, players - 1)
    elif TOLD[key].startswith("bool"):
        of_kind(value, key, bool)
    else:
        for card in of_kind(value, key, list):
            parse_card(of_kind(card, key, str))
        if len(set(value)) < len(value):
            raise _told_error("twice", key=key)


def _say_owner(game: Game, looks: int, before: Any, told: Data) -> None:
    """Apply the owner that the mover declared while completing the build."""
    owner, mover, value = told.get("owner"), int(before["to_move"]), int(before["open_value"])
    if owner is None or mover == looks or not value:
        return
    if game.record["mode"] == OWNER and owner in (mover, (mover + 2) % 4):
        game.apply(YES if owner == mover else NO)
    if not game.record["owned"][owner] >> value & 1:
        raise _told_error("no owner", owner=owner, value=value)


def _uncover(after: Data, sight: Sight, told: Data) -> None:
    """Put the card on top that a stolen top has uncovered. The order in which others sort their piles is hidden, so the
    dealer says which card it is."""
    tops = list(told.get("tops", []))
    for number, (was, now) in enumerate(zip(sight.piles, after["piles"], strict=True)):
        if not (isinstance(now, list) and isinstance(was, list) and now):
            continue
        mine = [card for card in tops if card in now]
        tops = [card for card in tops if card not in now]
        own = number == sight.seat and not sight.rules.shared_pile
        hidden = sight.rules.stacking == "secret" and not own and was and was[-1] not in now and now[-1] in was
        if not (hidden and len(now) > 1):
            wrong = [card for card in mine if card != now[-1]]
            if wrong:
                raise _told_error("wrong top", card=wrong[0], pile=number, top=now[-1])
        elif len(mine) != 1 or mine[0] not in was:
            raise _told_error("which top", pile=number)
        else:
            now.remove(mine[0])
            now.append(mine[0])
    if tops:
        raise _told_error("no pile", card=tops[0])


def _new_deal(after: Data, rules: Rules, told: Data) -> None:
    """Begin the next deal of a match: cards on the table, and the leader if it is drawn by lot."""
    layout = told.get("layout", [])
    if len(layout) != rules.table_cards:
        raise _told_error("layout", count=rules.table_cards)
    leader = told.get("leader")
    if leader is None:
        if rules.next_leader == "drawn":
            raise _told_error("drawn")
        leader = after["to_move"]
    if rules.next_leader != "drawn" and leader != after["to_move"]:
        raise _told_error("leads", leader=leader, seat=after["to_move"])
    after.pop("leader", None)
    after |= {"layout": list(layout), "to_move": leader} | ({"leader": leader} if leader else {})


def _deal(after: Data, seat: int, hand: int, kept: int, told: Data) -> None:
    """Give the seat the cards dealt with this action. hand: its hand in the game, which dealt other cards."""
    count, cards = (hand & ~kept).bit_count(), list(told.get("dealt", []))
    stays = position.card_names(cards_of(hand & kept))
    if len(cards) != count:
        gets = "1 card" if count == 1 else f"{count} cards"
        raise _told_error("dealt", seat=seat, cards=gets, count=len(cards))
    seen = texts([stays, after["layout"], after["builds"], after["piles"]])
    for card in cards:
        if card in seen:
            raise _told_error("in sight", card=card)
    after["hands"][seat] = position.card_names(cards_of(mask_of([parse_card(name) for name in [*stays, *cards]])))
