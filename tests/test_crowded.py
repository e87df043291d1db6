"""Crowded tables: listing and counting turns ends, with a list or an error."""

import random
from typing import Any

import pytest

from casino_env.arrays import copied
from casino_env.game import Game
from casino_env.observed import seat_turns
from casino_env.turns import TooManyTurnsError, find_turns, perft
from tests import slowest

# Ten loose cards, which allow 2,214 turns of up to fifteen actions.
CROWDED: dict[str, Any] = {
    "variant": "kasa", "players": 4, "rules": {"partners": False}, "round": 1, "to_move": 1, "leader": 3, "turns": 10,
    "hands": [["2H", "2D", "2C", "4D", "7D", "9C", "TS"], ["AC", "3D", "4S", "6S", "7H", "9H", "TH", "TC"],
              ["AH", "AD", "2S", "3S", "5D", "5C", "7S", "9D"], ["5H", "6H", "6C", "7C", "8S", "8C", "TD"]],
    "layout": ["8H", "6D", "4C", "4H", "5S", "AS", "8D", "9S", "3C", "3H"], "stock": [],
}  # fmt: skip


@pytest.mark.parametrize("listed", [Game.turns, seat_turns])
def test_the_turns_of_a_crowded_table_are_listed(listed: Any) -> None:
    assert len(listed(Game.from_json(CROWDED, skip_forced=False))) > 2000


def test_a_table_with_too_many_turns_is_given_up() -> None:
    crowded = CROWDED | {"layout": [*CROWDED["layout"], "7S", "9D", "2S"]}
    crowded["hands"] = [[card for card in hand if card not in crowded["layout"]] for hand in CROWDED["hands"]]
    game = Game.from_json(crowded, skip_forced=False)
    for give_up in (game.turns, lambda: perft(game, 1, 10_000)):
        with pytest.raises(TooManyTurnsError, match=r"more than 10,000 positions .*; play action by action"):
            give_up()
    with pytest.raises(TooManyTurnsError, match=r"more than 2,000 complete turns .*; play action by action"):
        find_turns(Game.from_json(CROWDED).records, game.rules_record, most_turns=2000)
    assert len(seat_turns(game)) == len(game.legal())


def test_copies_of_records_go_their_own_way() -> None:
    game = Game("swazi", seed=1)
    twin = copied(game.records)
    assert twin.tobytes() == game.records.tobytes() and twin.dtype == game.records.dtype
    twin["turns"] = 99
    assert game.record["turns"] == 0


def test_every_face_is_timed_by_odd_rules() -> None:
    found = slowest.measure(slowest.random_rules(random.Random(3)), 1, random.Random(3))
    assert found.keys() == slowest.FACES.keys() and all(slow.seconds < 10 for slow in found.values())
    rows = slowest.table(slowest.slower(found, {})).splitlines()
    assert len(rows) == 1 + len(found) and all("name=" in row for row in rows[1:])
