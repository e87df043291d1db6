"""The policies that come with the project: `policy:south-african-2` needs no path.

Weights are kept in half precision; the JSON file beside them says what they are for, how they were trained and, since
`python -m evaluate strength`, how strong they are.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from casino_env.rules import Rules, make_rules

FOLDER = Path(__file__).parent.parent / "policies"


def shipped() -> list[str]:
    """Their names: the game, and the level if it is not the best."""
    return sorted(path.stem for path in FOLDER.glob("*.safetensors"))


def shipped_path(name: str) -> Path:
    return FOLDER / f"{name}.safetensors"


def description(name: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(shipped_path(name).with_suffix(".json").read_text())
    return data


def best() -> list[str]:
    """Of these the ends of trainings: what is left without the earlier levels."""
    return [name for name in shipped() if description(name)["config"]["run"]["name"] == name]


def rules_of_policy(data: dict[str, Any]) -> Rules:
    """What a description says that its policy plays."""
    return make_rules(data["variant"], data["players"], **data["rules"])


def fitting(rules: Rules) -> list[str]:
    """The specs of those that have learnt a game."""
    return [f"policy:{name}" for name in shipped() if rules in learnt(description(name))]


def learnt(data: dict[str, Any]) -> list[Rules]:
    """The games that a policy was trained in."""
    others = data.get("config", {}).get("game", {}).get("others", [])
    return [rules_of_policy(data), *(make_rules(one["variant"], one["players"], **one["rules"]) for one in others)]


def title(rules: Rules) -> str:
    """A game in a few words: khasino 4 partners."""
    sides = ["partners" if rules.partners else "singles"] if rules.players == 4 else []
    return " ".join([rules.name, str(rules.players), *sides])
