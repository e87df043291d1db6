"""The kernels and the slow reference engine reach the same results (make fuzz compares more).

Both also play worked positions. Each turn in positions.json (kasa_positions.json for kasa) gives the mover's hand, the
layout, the builds and the piles after it; it is legal if some complete turn leads exactly there. A list in a pile is a
batch in any order. `rule` names what decides: the ruling, the place in the source document, or the clause of
docs/kasa.md.
"""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from casino_env.engine import action_set, entrypoints
from casino_env.engine.state import CAPTURING, GAME, OVER
from casino_env.game import Game
from casino_env.rules import make_rules
from tests.comparing import difference, random_switches, random_turn_starts
from tests.random_play import GAMES, act
from tests.reference_engine import reference_turns
from tests.situations import position, results

# Positions in which fuzzing or a change of the code (mutants.py) once made a difference, by name.
FOUND: dict[str, dict[str, Any]] = {
    "a discarded ace becomes the base of a 14": position(
        "african", ["AS AC 4D", "2D 2C", "2H 3S"], layout="4H", piles=["", "2S AD", ""]
    ),
    "three court cards of four end a capture": position("cassino", ["QD 8S", "2H 3C"], layout="QC QS QH"),
    "a card spared for the partner lifts the ban on returning to a pile": position(
        "khasino", ["8C 9H", "AS", "2S 3D 9D", "2D"], layout="9C 4S AD", builds=[(3, 2, "2H AC", "3H")],
        piles=["", "6H 3S 5S 3C 8S", "", ""],
    ),
    "tops follow loose cards where piles keep the order of play": position(
        "sotho", ["6D 6C", "AC", "2S"], layout="QC 3D", piles=["TS", "4D AS", "8H 2H"], rules={"capture_tops": True}
    ),
    "every order of a sorted pile": position(
        "swazi", ["9D KC", "AD 2S"], layout="5S 4H KD", builds=[(9, 0, "6C 3D")], piles=["7C", "8C"],
        rules={"pile_order": "ask"},
    ),
    "two groups together surpass a third": position("khasino", ["TS AS", "AD 2S"], layout="7S 7H 6S 3S 3H 4S"),
    "a higher top follows the loose cards that allow it": position(
        "south-african", ["7D 2C", "AS 3S"], layout="4S 3H", piles=["", "7C"],
        rules={"pile_capture_needs_table_card": True, "new_builds": "by_hand"},
    ),
    "an ace by itself is the set of 14 that brings the hand card": position(
        "swazi", ["AS AH", "3S"], layout="KD AC", rules={"new_builds": "with_hand"},
    ),
    "a build raised to one of the partner's is none more": position(
        "khasino", ["2S 5H 6H", "7S", "8S", "9S"], builds=[(6, 0, "4D 2D"), (3, 1, "2H AC"), (5, 2, "4C AD")],
    ),
    "partners have one pile": position(
        "swazi", ["2S", "3S", "8H 4C", "5S"], layout="8D", piles=["KS", "", "", ""], to_move=2
    ),
    "a pile gives one card a turn": position(
        "swazi", ["5H KC", "AS"], layout="2D 3D", builds=[(5, 0, "4C AC")], piles=["", "2S 3S"], round=2,
        rules={"chain": "no", "insist_capture": "never", "insist_augment": "never"},
    ),
    "who owes a capture makes no build over the limit": position(
        "swazi", ["9H 8H 5H", "8S"], layout="3D 2D 7C AC", builds=[(9, 0, "6C 3C"), (8, 1, "6D 2C")],
        rules={"insist_capture": "never", "insist_augment": "never"},
    ),
    "who holds two cards for a build may leave it": position(
        "swazi", ["9D 9H", "AS"], layout="9S", builds=[(9, 0, "6C 3D")],
        rules={"insist_capture": "never", "insist_augment": "never"},
    ),
    "the build is all that can be taken": position(
        "triple-s", ["8S 2C", "AS"], builds=[(8, 1, "8D", "8C")], rules={"insist_capture": "always"}
    ),
    "loose cards may be asked for beside a build of one more": position(
        "kasa", ["9C 2C", "3S", "9D 4S", "5S"], layout="9H", builds=[(10, 1, "6C 4C")]
    ),
    "loose cards asked for are split into sets": position(
        "kasa", ["9C 2C", "3S", "9D 4S", "5S"], layout="6S 2S AS 5H 4H", rules={"insist_capture": "always"}
    ),
    "one ace of the partner's backs no build of 1 beside one of 14": position(
        "swazi", ["AS 2C", "3S", "AD 5C", "4S"], layout="AH", builds=[(14, 2, "KS AC")], proven=[[], [], [1, 14], []],
        rules={"insist_capture": "never", "insist_augment": "never"},
    ),
    "a set of a hand card and a stolen top": position(
        "kasa", ["8H 2H", "AS"], builds=[(8, 0, "5C 3D")], piles=["", "6C"]
    ),
    "an ace is at the bottom of one pile or on top of the next": position(
        "swazi", ["AD 5C", "", "KS"], layout="AH", piles=["", "9C AS", ""],
        rules={"capture_tops": True, "insist_capture": "never", "insist_augment": "never"},
    ),
    "the owner of a build of 14 holds an ace of either value": position(
        "swazi", ["AS 2C", "AH 5C"], builds=[(14, 1, "KS AC", "AD")]
    ),
    "no stolen top completes a build that nothing binds": position(
        "kasa", ["8H 8C", "AS"], layout="8D 2D", piles=["", "6C"], rules={"new_builds": "free"}
    ),
    "a build stays the partner's": position(
        "swazi", ["8S", "3S", "2H 8H KC", "5S"], layout="6D", builds=[(8, 0, "5C 3D")], to_move=2,
        rules={"insist_capture": "never", "insist_augment": "never"},
    ),
    "without backing nothing is proven": position(
        "african", ["9D 2C", "9H", "KS"], builds=[(9, 1, "6C 3D")], rules={"keep_backing": False}
    ),
    "a build that either partner may own": position(
        "swazi", ["5C 8S KC", "3S", "8C", "5S"], layout="3D", proven=[[], [], [8], []],
        rules={"insist_capture": "never", "insist_augment": "never"},
    ),
    "a base for the partner with a card that backs no build of one's own": position(
        "swazi", ["8H KC", "3S", "8S", "5S"], layout="8D", proven=[[], [], [8], []],
        rules={"insist_capture": "never", "insist_augment": "never"},
    ),
    "who has a build too many captures one": position(
        "swazi", ["9H 5H 7H", "8S"], layout="3D 2D 7C", builds=[(9, 0, "6C 3C")],
        rules={"insist_capture": "never", "insist_augment": "never"},
    ),
    "no raise to a build that stands apart": position(
        "triple-s", ["2S 8H 6S", "3S"], builds=[(6, 1, "4D 2D"), (8, 1, "5C 3D")]
    ),
    "loose cards asked for are split into sets of 14": position(
        "swazi", ["AS 3C", "4S", "AD 5S", "6S"], layout="KD AC QD 2H", rules={"request_for": "any"}
    ),
    "a build raised to the partner's becomes the partner's": position(
        "swazi", ["6S KC", "3S", "2S 6H 5C", "9S"], builds=[(6, 0, "5H AC"), (4, 1, "3D AD")], to_move=2,
        rules={"insist_capture": "never", "insist_augment": "never"},
    ),
    "a base for a partner who owns another build": position(
        "swazi", ["8H KC", "3S", "8S 5D", "5S"], layout="8D", builds=[(5, 2, "4H AC")], proven=[[], [], [8], []],
        rules={"insist_capture": "never", "insist_augment": "never"},
    ),
    "two aces in two sets": position(
        "swazi", ["5S KC", "2S"], layout="AS AD 4H 4D", round=2,
        rules={"insist_capture": "never", "insist_augment": "never"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FOUND)
def test_found_positions(name: str) -> None:
    assert difference(FOUND[name]) is None


@pytest.mark.parametrize(("name", "players"), GAMES)
def test_presets(name: str, players: int) -> None:
    for data in random_turn_starts(make_rules(name, players), 25, random.Random(players)):
        assert difference(data) is None


@pytest.mark.parametrize("seed", range(60))
def test_random_switches(seed: int) -> None:
    rng = random.Random(seed)
    for data in random_turn_starts(random_switches(rng), 4, rng):
        assert difference(data) is None


# What a card may take: a position, and the capture.
TAKEN = [
    (position("kasa", ["5S 2H", "AS AD"], layout="3D 2C 5H", builds=[(5, 1, "4S AH")], piles=["", "5C 5D"]), "5S"),
    (FOUND["a higher top follows the loose cards that allow it"], "7D"),
    (FOUND["two aces in two sets"], "5S"),
]


@pytest.mark.parametrize(("data", "card"), TAKEN)
def test_a_capture_is_picked_in_one_way(data: dict[str, Any], card: str) -> None:
    game = Game.from_json(data, skip_forced=False)
    game.apply(f"capture {card}")
    found = list(picks(game.records, game.rules_record, ()))
    assert len(found) == len(set(map(frozenset, found))) > 2


def picks(record: Any, row: Any, groups: tuple[frozenset[int], ...]) -> Iterator[tuple[frozenset[int], ...]]:
    """Yield the groups picked at each point where a group is complete."""
    is_open = record["open_left"][0] > 0
    if not is_open:
        yield groups
    for action in action_set.actions_of(entrypoints.legal(record, row)):
        after = record.copy()
        act(after, row, action)
        if after["mode"] == CAPTURING:
            more = (*groups[:-1], groups[-1] | {action}) if is_open else (*groups, frozenset({action}))
            yield from picks(after, row, more)


def test_random_deals_are_played_to_their_end() -> None:
    games, rules = np.zeros(1, GAME), make_rules("mini", 2)
    decisions, turns = entrypoints.random_deals(games, rules.record, 5, 3)
    assert games["mode"] == OVER and turns == 3 * rules.deck and decisions == 21


FILES = ("positions.json", "kasa_positions.json")
CASES = [case for name in FILES for case in json.loads((Path(__file__).parent / name).read_text())]
LINES = [(case, turn) for case in CASES for turn in case["turns"]]
NAMES = [f"{case['id']}-{number}" for case in CASES for number, _ in enumerate(case["turns"])]


def with_insist(case: dict[str, Any], turn: dict[str, Any]) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(json.dumps(case["position"]))
    if data["variant"] != "stealing-bundles":
        data["rules"] = data.get("rules", {}) | {"insist_capture": turn["insist"], "insist_augment": turn["insist"]}
    return data


def pile_fits(wanted: list[Any], got: list[str]) -> bool:
    at = 0
    for item in wanted:
        cards = item if isinstance(item, list) else [item]
        if sorted(got[at : at + len(cards)]) != sorted(cards):
            return False
        at += len(cards)
    return at == len(got)


def builds_of(rows: list[Any]) -> list[Any]:
    return sorted(
        (value, owner, sorted(" ".join(sorted(cards.split())) for cards in sets)) for value, owner, sets in rows
    )


def fits(turn: dict[str, Any], after: dict[str, Any], mover: int) -> bool:
    builds = [[b["value"], b["owner"], [" ".join(cards) for cards in b["sets"]]] for b in after["builds"]]
    return (
        sorted(turn["hand"]) == sorted(after["hands"][mover])
        and sorted(turn["layout"]) == sorted(after["layout"])
        and builds_of(turn["builds"]) == builds_of(builds)
        and all(pile_fits(wanted, got) for wanted, got in zip(turn["piles"], after["piles"], strict=False))
    )


def by_reference(data: dict[str, Any]) -> list[dict[str, Any]]:
    return list(reference_turns(data).values())


@pytest.mark.parametrize(("case", "turn"), LINES, ids=NAMES)
@pytest.mark.parametrize("engine", [results, by_reference])
def test_worked_positions(engine: Any, case: dict[str, Any], turn: dict[str, Any]) -> None:
    data = with_insist(case, turn)
    assert any(fits(turn, after, data["to_move"]) for after in engine(data)) == turn["legal"], turn["rule"]
