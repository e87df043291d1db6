"""Worked positions: what a turn may and may not lead to.

Each turn of positions.json (of kasa_positions.json for kasa) gives the mover's hand, the layout, the builds and the
piles after it; it is legal if some complete turn leads exactly there. A list inside a pile is a batch whose order is
not fixed. `rule` is the ruling, the place in the source document or the clause (docs/kasa.md) that decides. Both
engines are asked.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from casino_env.game import Game
from tests.reference_engine import reference_turns

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


@pytest.mark.parametrize(("case", "turn"), LINES, ids=NAMES)
def test_kernels(case: dict[str, Any], turn: dict[str, Any]) -> None:
    data = with_insist(case, turn)
    results = [found["after"] for found in Game.from_json(data).turns()]
    assert any(fits(turn, after, data["to_move"]) for after in results) == turn["legal"], turn["rule"]


@pytest.mark.parametrize(("case", "turn"), LINES, ids=NAMES)
def test_reference_engine(case: dict[str, Any], turn: dict[str, Any]) -> None:
    data = with_insist(case, turn)
    results = reference_turns(data).values()
    assert any(fits(turn, after, data["to_move"]) for after in results) == turn["legal"], turn["rule"]
