"""The next view of a seat after an action, for an app that knows one hand and does not deal.

The action is done in a game that the view may be of, in which the seat that decides has cards that allow it. What comes
to light then is told by whoever deals (TOLD).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from casino_env import position
from casino_env.actions import NO, YES, action_text, parse_action
from casino_env.arrays import Array
from casino_env.cards import RANKS, cards_of, mask_of, parse_card
from casino_env.engine import action_set, entrypoints
from casino_env.engine.state import OWNER, SORTING, chain
from casino_env.game import Game, IllegalActionError
from casino_env.knowledge.sights import may_hold, needs_of
from casino_env.rules import Rules
from casino_env.validate import known_keys, of_kind, short_repr
from casino_env.views import Data, Sight, game_of, texts, view_of

# What an app may have to be told of an action: cards dealt to its seat; cards that have come to light on piles; whose
# the new build is (null: it has not been said yet); whether a capture takes the build at once; how a new deal begins.
TOLD = ("dealt", "tops", "owner", "take_build", "layout", "leader")


class ToldError(ValueError):
    """What the house alone knows of an action is missing, or cannot be."""


class Step(NamedTuple):
    view: Data
    seat: int  # who decides next
    over: bool
    legal: list[int]  # of the seat that looks, if it is the one
    game: Game | None  # what is known of points; None if the view forgets piles


def next_view(view: Any, action: str, told: Any = None) -> Step:
    """The view of the same seat after one action, its own or another seat's; nothing is played on, since a view does
    not know what others are forced to. IllegalActionError: no cards that the seat may have allow it; ToldError:
    something of TOLD is missing, or cannot be; other ValueErrors: no such view."""
    told = _read_told(told)
    sight, number = Sight(view), parse_action(action)
    game = _allowing(sight, number, told)
    before, others_sort = game.records.copy(), game.seat != sight.seat and game.record["mode"] == SORTING
    game.apply(number)
    while others_sort and game.record["mode"] == SORTING:  # who looks on does not see one by one
        game.apply(game.legal()[0])
    _say_owner(game, sight.seat, before[0], told)
    next_deal = bool(game.record["deals"] != before[0]["deals"]) and not game.over
    if sight.memory == "none" and (next_deal or game.over):
        raise ToldError("piles: the deal is over, and its points follow from cards that this view does not name: go on "
                        "with a new view")  # fmt: skip
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
        raise ToldError(f"told: {error}") from None


def told_of(before: Game, after: Game, seat: int) -> Data:
    """What a house tells a seat of an action that made the one game of the other; nothing was played on."""
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


# --- a game in which the seat that decides has cards for the action ---


class _Outcome(NamedTuple):
    """What follows from an action and shows, although it depends on the rest of the hand."""

    asked: bool  # whose the new build is
    took: bool  # a capture takes the build at once, since it is the last card for it
    owned: bytes


def _allowing(sight: Sight, action: int, told: Data) -> Game:
    record = sight.record(said=position.UNPROVEN)
    seat = int(record["actor"][0])
    if sight.size(seat) is None:
        return sight.game(skip_forced=False)
    worlds = _Hands(sight, record, seat, action).worlds()
    if not worlds:
        raise IllegalActionError(
            f"{action_text(action)} is illegal for seat {seat}: no cards that it may have allow it"
        )
    one, other = next(iter(worlds)), next(reversed(worlds))
    if one.took != other.took:
        if not isinstance(took := told.get("take_build"), bool):
            raise ToldError(f"take_build: seat {seat} may have another card for its build or not; say whether this "
                            "capture takes the build at once (true or false)")  # fmt: skip
        one = one if one.took == took else other
    elif one != other:
        if "owner" not in told:
            raise ToldError(
                f"owner: seat {seat} may build for itself or for its partner; say whose the new build is, or null as "
                "long as it has not said"
            )
        one = one if one.asked else other
    return sight.game({seat: worlds[one]}, skip_forced=False)


class _Hands:
    """The cards that the seat that decides may have, as bits: all that are not in sight, but for those that others must
    have. The more of them the more it may do, so the action is tried with all of them, and with as few as it takes."""

    def __init__(self, sight: Sight, records: Array, seat: int, action: int) -> None:
        self._records, self._rules, self._row = records, sight.rules, sight.rules.record
        self._seat, self._action, self._size = seat, action, sight.size(seat) or 0
        self._all = may_hold(sight.view, self._row, sight.seat, seat, action)
        self._shown, self._needs = int(sight.view["hands"][0, seat]), np.zeros(len(RANKS) + 1, np.int64)
        needs_of(sight.view, self._row, seat, self._needs)
        self._records["stock_top"], self._records["hidden_stock"] = -1, sight.stock
        position.prove_action(self._with(self._all), self._rules)

    def _with(self, hand: int) -> Array:
        self._records["hands"][0, self._seat] = hand
        return self._records

    def worlds(self) -> dict[_Outcome, int]:
        """A hand for each outcome that there may be."""
        if not self._allows(self._all):
            return {}
        starts = {self._outcome(hand): hand for hand in (self._least(self._all, self._allows), self._all)}
        found = {outcome: self._hand(hand, outcome) for outcome, hand in starts.items()}
        return {outcome: hand for outcome, hand in found.items() if hand is not None}

    def _hand(self, start: int, outcome: _Outcome) -> int | None:
        """One of the right size with which this follows."""
        hand = self._least(start, lambda cards: self._allows(cards) and self._outcome(cards) == outcome)
        for card in cards_of(self._all & ~hand):
            more = hand | 1 << card
            if hand.bit_count() < self._size and self._outcome(more) == outcome:
                hand = more
        return hand if hand.bit_count() == self._size else None

    def _least(self, hand: int, fits: Callable[[int], bool]) -> int:
        """Without any card that could be missing: first whole ranks."""
        for part in [*(15 << 4 * rank for rank in range(len(RANKS))), *(1 << card for card in cards_of(hand))]:
            if hand & part and fits(hand & ~part):
                hand &= ~part
        return hand

    def _allows(self, hand: int) -> bool:
        beside = hand & ~self._shown
        fewer = ((beside >> 4 * rank & 15).bit_count() < self._needs[rank + 1] for rank in range(len(RANKS)))
        if self._shown & ~hand or any(fewer):
            return False
        if not action_set.allows(entrypoints.legal(self._with(hand), self._row), self._action):
            return False
        try:
            position.prove_action(self._records, self._rules)
        except ValueError:
            return False
        return True

    def _outcome(self, hand: int) -> _Outcome:
        after = self._with(hand).copy()
        entrypoints.act(after, self._row, self._action)
        now, was = after[0], self._records[0]
        if now["turns"] != was["turns"]:
            return _Outcome(False, False, b"")
        fewer = (
            int(np.bitwise_or.reduce(now["owned"])).bit_count() < int(np.bitwise_or.reduce(was["owned"])).bit_count()
        )
        return _Outcome(bool(now["mode"] == OWNER), bool(now["take_build"]) or fewer, now["owned"].tobytes())


# --- what the house tells ---


def _read_told(told: Any) -> Data:
    if told is None:
        return {}
    try:
        known_keys(of_kind(told, "told", dict), TOLD, "told")
        for key in ("dealt", "tops", "layout"):
            cards = of_kind(told.get(key, []), key, list)
            for card in cards:
                parse_card(of_kind(card, key, str))
            if len(set(cards)) < len(cards):
                raise ValueError(f"{key}: a card is named twice")
    except ValueError as error:
        raise ToldError(str(error)) from None
    return dict(told)


def _say_owner(game: Game, looks: int, before: Any, told: Data) -> None:
    """The mover has said whose the build is in one go with completing it."""
    owner, mover, value = told.get("owner"), int(before["to_move"]), int(before["open_value"])
    if owner is None or mover == looks or not value:
        return
    if game.record["mode"] == OWNER and owner in (mover, (mover + 2) % 4):
        game.apply(YES if owner == mover else NO)
    if type(owner) is not int or not 0 <= owner < game.rules.players or not game.record["owned"][owner] >> value & 1:
        raise ToldError(f"owner: {short_repr(owner)}; the build of {value} cannot be of that seat")


def _uncover(after: Data, sight: Sight, told: Data) -> None:
    """What lay under stolen tops has come to light. In which order others have laid their cards is not known, so the
    house says which card it is."""
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
                raise ToldError(f"tops: {wrong[0]} does not lie on top of pile {number}; {now[-1]} does")
        elif len(mine) != 1 or mine[0] not in was:
            raise ToldError(f"tops: a card of pile {number} has been taken; say which one of it lies on top now")
        else:
            now.remove(mine[0])
            now.append(mine[0])
    if tops:
        raise ToldError(f"tops: {tops[0]} lies in no pile")


def _new_deal(after: Data, rules: Rules, told: Data) -> None:
    """The next deal of a match: the cards on the table, and who leads where that is drawn."""
    layout = told.get("layout", [])
    if len(layout) != rules.table_cards:
        raise ToldError(
            f"layout: a new deal begins with {rules.table_cards} cards on the table; say which, the first first"
        )
    leader = told.get("leader", None if rules.next_leader == "drawn" else after["to_move"])
    if type(leader) is not int or not 0 <= leader < rules.players:
        raise ToldError(f"leader: {short_repr(leader)}; the leader of the new deal is drawn: say its seat")
    if rules.next_leader != "drawn" and leader != after["to_move"]:
        raise ToldError(f"leader: {leader}; seat {after['to_move']} leads the new deal")
    after.pop("leader", None)
    after |= {"layout": list(layout), "to_move": leader} | ({"leader": leader} if leader else {})


def _deal(after: Data, seat: int, hand: int, kept: int, told: Data) -> None:
    """The cards that the seat gets with this action. hand: of the game, in which others have been dealt."""
    count, cards = (hand & ~kept).bit_count(), list(told.get("dealt", []))
    stays = position.card_names(cards_of(hand & kept))
    if len(cards) != count:
        raise ToldError(
            f"dealt: seat {seat} gets {count} card{'s' * (count != 1)} with this, not {len(cards)}; say which"
        )
    seen = texts([stays, after["layout"], after["builds"], after["piles"]])
    for card in cards:
        if card in seen:
            raise ToldError(f"dealt: {card} lies in sight already")
    after["hands"][seat] = position.card_names(cards_of(mask_of([parse_card(name) for name in [*stays, *cards]])))
