"""The policies that come with the project: `policy:south-african-2` needs no path.

Weights are quantized. The description beside them says what they are for, how they were trained, how lower levels play
and, after `python -m benchmarks strength`, how strong they are.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from casino_env.agents.policy import policy_files
from casino_env.agents.policy.policy_files import (
    OutdatedError,
    learnt,
    level_description,
    read_description,
    shipped_path,
)
from casino_env.rules import Rules


def _descriptions() -> dict[str, dict[str, Any] | OutdatedError]:
    """Descriptions of all shipped policies and their lower levels, by name."""
    found: dict[str, dict[str, Any] | OutdatedError] = {}
    for file in policy_files.SHIPPED.glob("*.json") if find_spec("safetensors") else ():  # else only bots play
        found[file.stem] = data = _read(file, file.stat().st_mtime_ns)
        if isinstance(data, dict):
            found |= {f"{file.stem}-{level}": level_description(data, level) for level in data.get("levels", {})}
    return dict(sorted(found.items()))


@cache
def _read(file: Path, _written: int) -> dict[str, Any] | OutdatedError:
    try:
        return read_description(file)
    except OutdatedError as error:
        return error


def usable() -> dict[str, dict[str, Any]]:
    """Descriptions of the policies that this program can use, by name."""
    return {name: data for name, data in _descriptions().items() if isinstance(data, dict)}


def shipped() -> list[str]:
    """Names of the policies that this program can use."""
    return list(usable())


def absent() -> dict[str, str]:
    """Why each other policy cannot be used, by name."""
    return {name: str(data) for name, data in _descriptions().items() if not isinstance(data, dict)}


def description(name: str) -> dict[str, Any]:
    return read_description(shipped_path(name))


def best() -> list[str]:
    """Names of the usable policies without their lower levels."""
    return [name for name, data in usable().items() if "level" not in data]


def lower_levels(name: str) -> dict[str, dict[str, Any]]:
    """Descriptions of the lower levels of a policy by name, strongest first."""
    data = description(name)
    return {f"{name}-{level}": level_description(data, level) for level in data.get("levels", {})}


def trained() -> dict[str, dict[str, Any]]:
    """Usable policies by spec, for programs that offer them: the level and the games of each."""
    rows = {}
    for name, data in usable().items():
        games = [{"variant": each.name, "players": each.players, "rules": each.differences()} for each in learnt(data)]
        rows[f"policy:{name}"] = {"level": data.get("level", "best"), "games": games}
    return rows


def learners() -> dict[Rules, list[str]]:
    """Specs of the policies that have learnt each game: full strength first, then by fewest games."""
    known = usable()
    found: dict[Rules, list[str]] = {}
    for name in sorted(known, key=lambda name: ("level" in known[name], len(learnt(known[name])))):
        for rules in learnt(known[name]):
            found.setdefault(rules, []).append(f"policy:{name}")
    return found


@cache
def strongest_policy(rules: Rules) -> str | None:
    """The name of the best policy for a game; one trained for this game alone comes first."""
    return next((spec.partition(":")[2] for spec in learners().get(rules, [])), None)


def title(rules: Rules) -> str:
    """A game in a few words, such as "khasino 4 partners"."""
    sides = ["partners" if rules.partners else "singles"] if rules.players == 4 else []
    return " ".join([rules.name, str(rules.players), *sides])
