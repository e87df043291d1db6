"""The policies that come with the project: `policy:south-african-2` needs no path.

Weights are quantized; the description beside them says what they are for, how they were trained and, since `casino
evaluate measure strength`, how strong they are.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from casino_env.agents.policy.policy_files import (
    OutdatedError,
    beside,
    games,
    read_description,
    shipped_names,
    shipped_path,
)
from casino_env.rules import Rules


def _descriptions() -> dict[str, dict[str, Any] | OutdatedError]:
    if find_spec("pydantic") is None:  # the extra `agents` is not here: bots play all the same
        return {}
    return {name: _read(shipped_path(name), beside(shipped_path(name)).stat().st_mtime_ns) for name in shipped_names()}


@cache
def _read(weights: Path, _written: int) -> dict[str, Any] | OutdatedError:
    try:
        return read_description(weights)
    except OutdatedError as error:
        return error


def usable() -> dict[str, dict[str, Any]]:
    """The descriptions of those that this program can play with, by name."""
    return {name: data for name, data in _descriptions().items() if isinstance(data, dict)}


def shipped() -> list[str]:
    """The names of those that this program can play with."""
    return list(usable())


def absent() -> dict[str, str]:
    """By name why the others cannot be used."""
    return {name: str(data) for name, data in _descriptions().items() if not isinstance(data, dict)}


def description(name: str) -> dict[str, Any]:
    return read_description(shipped_path(name))


def best() -> list[str]:
    """Of these the ends of trainings: what is left without the earlier levels."""
    return [name for name, data in usable().items() if data["config"]["run"]["name"] == name]


def lower_levels(name: str) -> dict[str, dict[str, Any]]:
    """By name the descriptions of the same weights played with less care, the strongest first."""
    levels = {level: data for level, data in usable().items() if data.get("file") == f"{name}.safetensors"}
    return dict(sorted(levels.items(), key=lambda pair: (-pair[1]["play"]["turns"], pair[1]["play"]["temperature"])))


def trained() -> dict[str, dict[str, Any]]:
    """By spec, for programs that offer them: the level, and the games that it is for."""
    rows = {}
    for name, data in usable().items():
        games = [{"variant": each.name, "players": each.players, "rules": each.differences()} for each in learnt(data)]
        level = name.removeprefix(data["config"]["run"]["name"]).removeprefix("-") or "best"
        rows[f"policy:{name}"] = {"level": level, "games": games}
    return rows


def learners() -> dict[Rules, list[str]]:
    """For each game that has been learnt the specs of those who have: ends of trainings first, of fewest games."""
    known = usable()
    order = sorted(known, key=lambda name: (known[name]["config"]["run"]["name"] != name, len(learnt(known[name]))))
    found: dict[Rules, list[str]] = {}
    for name in order:
        for rules in learnt(known[name]):
            found.setdefault(rules, []).append(f"policy:{name}")
    return found


@cache
def strongest_policy(rules: Rules) -> str | None:
    """The name of the best one that has learnt a game: of those for it alone rather than of those for several."""
    return next((spec.partition(":")[2] for spec in learners().get(rules, [])), None)


def learnt(data: dict[str, Any]) -> list[Rules]:
    """The games that a policy was trained in."""
    return games(data, "the description of a policy")


def title(rules: Rules) -> str:
    """A game in a few words: khasino 4 partners."""
    sides = ["partners" if rules.partners else "singles"] if rules.players == 4 else []
    return " ".join([rules.name, str(rules.players), *sides])
