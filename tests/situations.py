"""Positions written in a few words, and the results of their turns, for tests of the rules."""

from typing import Any

from casino_env.game import Game

# Positions for a build, and for adding to a build with a stolen top.
PICK = {"variant": "khasino", "players": 2, "hands": [["5D", "9C"], ["AS", "2D"]], "layout": ["4S", "3H"]}  # to build
STEAL = {
    "variant": "swazi", "players": 3, "rules": {"insist_capture": "never", "insist_augment": "never"},
    "hands": [["9D", "KC"], ["AS", "AH"], ["AD", "AC"]], "layout": ["4S", "KD"],
    "builds": [{"value": 9, "owner": 0, "sets": [["6H", "3S"]]}], "piles": [[], ["QH", "2D", "5S"], []],
}  # fmt: skip


def cards(text: str) -> list[str]:
    return text.split()


def position(variant: str, hands: list[str], **more: Any) -> dict[str, Any]:
    data: dict[str, Any] = {"variant": variant, "players": len(hands), "hands": [cards(hand) for hand in hands]}
    data["layout"] = cards(more.pop("layout", ""))
    if "piles" in more:
        data["piles"] = [cards(pile) for pile in more.pop("piles")]
    if "stock" in more:
        data["stock"] = cards(more.pop("stock"))
    data["builds"] = [
        {"value": value, "owner": owner, "sets": [cards(items) for items in sets]}
        for value, owner, *sets in more.pop("builds", [])
    ]
    return data | more


def results(data: dict[str, Any]) -> list[dict[str, Any]]:
    return [turn["after"] for turn in Game.from_json(data).turns()]


def build_values(after: dict[str, Any]) -> list[int]:
    return [build["value"] for build in after["builds"]]


def actions(data: dict[str, Any]) -> list[str]:
    return [text for turn in Game.from_json(data).turns() for text in turn["actions"]]


def scores(variant: str, piles: list[str], **more: Any) -> dict[str, list[int]]:
    """Return the points of a deal that ended with these piles, broken down."""
    data = position(variant, ["" for _ in piles], piles=piles, **more)
    return Game.from_json(data).breakdown()
