"""The next view of a seat after an action, for an app that knows one hand and does not deal.

The action is done in a game that the view may be of, in which the seat that decides has cards that allow it. What comes
to light then is told by whoever deals (TOLD).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from casino_env import position
from casino_env.actions import NO, YES, action_text, parse_action
from casino_env.cards import cards_of, mask_of, parse_card
from casino_env.engine.state import OWNER, SORTING, chain
from casino_env.game import Game, IllegalActionError
from casino_env.knowledge.next_views import NO_HAND, REFUSED, SAY_TAKE_BUILD, UNSAID, allowing_hand
from casino_env.rules import Rules
from casino_env.validate import known_keys, of_kind, short_repr
from casino_env.views import Data, Sight, game_of, texts, view_of

# What an app may have to be told of an action: cards dealt to its seat; cards that have come to light on piles; whose
# the new build is (null: it has not been said yet); whether a capture takes the build at once; how a new deal begins.
TOLD = ("dealt", "tops", "owner", "take_build", "layout", "leader")
REFUSALS = {
    "no hand": "{action} is illegal for seat {seat}: no cards that it may have allow it",
    "take_build": "take_build: seat {seat} may have another card for its build or not; say whether this capture takes "
    "the build at once (true or false)",
    "owner": "owner: seat {seat} may build for itself or for its partner; say whose the new build is, or null as long "
    "as it has not said",
    "no owner": "owner: {owner}; the build of {value} cannot be of that seat",
    "twice": "{key}: a card is named twice",
    "wrong top": "tops: {card} does not lie on top of pile {pile}; {top} does",
    "which top": "tops: a card of pile {pile} has been taken; say which one of it lies on top now",
    "no pile": "tops: {card} lies in no pile",
    "layout": "layout: a new deal begins with {count} cards on the table; say which, the first first",
    "drawn": "leader: {leader}; the leader of the new deal is drawn: say its seat",
    "leads": "leader: {leader}; seat {seat} leads the new deal",
    "dealt": "dealt: seat {seat} gets {cards} with this, not {count}; say which",
    "in sight": "dealt: {card} lies in sight already",
    "forgotten": "piles: the deal is over, and its points follow from cards that this view does not name: go on with a "
    "new view",
    "no view": "told: {error}",
}


class ToldError(ValueError):
    """What the house alone knows of an action is missing, or cannot be."""


def _told_error(why: str, **words: Any) -> ToldError:
    return ToldError(REFUSALS[why].format(**words))


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


def _allowing(sight: Sight, action: int, told: Data) -> Game:
    records = sight.record(said=position.UNPROVEN)
    seat = int(records["actor"][0])
    if seat == sight.seat:
        return sight.game(skip_forced=False)
    took = told.get("take_build")
    said = np.array([took if isinstance(took, bool) else UNSAID, 0 if "owner" in told else UNSAID])
    why, hand = allowing_hand(sight.view, sight.rules.record, sight.seat, action, said, records, *position.workspace())
    if why == NO_HAND:
        raise IllegalActionError(REFUSALS["no hand"].format(action=action_text(action), seat=seat))
    if why == REFUSED:
        position.prove_action(records, sight.rules)
    if why:
        raise _told_error("take_build" if why == SAY_TAKE_BUILD else "owner", seat=seat)
    return sight.game({seat: hand}, skip_forced=False)


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
                raise _told_error("twice", key=key)
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
        raise _told_error("no owner", owner=short_repr(owner), value=value)


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
                raise _told_error("wrong top", card=wrong[0], pile=number, top=now[-1])
        elif len(mine) != 1 or mine[0] not in was:
            raise _told_error("which top", pile=number)
        else:
            now.remove(mine[0])
            now.append(mine[0])
    if tops:
        raise _told_error("no pile", card=tops[0])


def _new_deal(after: Data, rules: Rules, told: Data) -> None:
    """The next deal of a match: the cards on the table, and who leads where that is drawn."""
    layout = told.get("layout", [])
    if len(layout) != rules.table_cards:
        raise _told_error("layout", count=rules.table_cards)
    leader = told.get("leader", None if rules.next_leader == "drawn" else after["to_move"])
    if type(leader) is not int or not 0 <= leader < rules.players:
        raise _told_error("drawn", leader=short_repr(leader))
    if rules.next_leader != "drawn" and leader != after["to_move"]:
        raise _told_error("leads", leader=leader, seat=after["to_move"])
    after.pop("leader", None)
    after |= {"layout": list(layout), "to_move": leader} | ({"leader": leader} if leader else {})


def _deal(after: Data, seat: int, hand: int, kept: int, told: Data) -> None:
    """The cards that the seat gets with this action. hand: of the game, in which others have been dealt."""
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
