"""Whoever deals, for tests of apps that see one hand."""

from typing import Any

from casino_env.cards import cards_of
from casino_env.engine.state import OWNER, chain
from casino_env.game import Game
from casino_env.position import card_names

Data = dict[str, Any]


def told_of(before: Game, after: Game, seat: int) -> Data:
    """What a house tells of an action: everything that one seat may need."""
    was, now, told = before.record, after.record, Data()
    next_deal = was["deals"] != now["deals"] and not after.over
    got = int(now["hands"][seat]) & ~(0 if next_deal else int(was["hands"][seat]))
    if got:
        told["dealt"] = card_names(cards_of(got))
    if next_deal:
        told |= {"layout": after.to_json()["layout"], "leader": int(now["leader"])}
        return told
    value = int(was["open_value"])
    rules, piles = before.rules, range(before.rules.players)
    told["tops"] = [
        card_names([int(now["pile_top"][pile])])[0]
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
