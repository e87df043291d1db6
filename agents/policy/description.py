"""The JSON file beside the weights of a policy: what they are for, sealed, and proven before anything is made of it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from casino_env.agents.files import (
    DamagedFileError,
    checksum,
    is_sealed,
    parse,
    read_file,
    read_text,
    seal,
    unseal,
    write_file,
)
from casino_env.agents.policy.mlp import KINDS
from casino_env.engine.afterstates import MOST
from casino_env.knowledge.layout import OBSERVATION_VERSION, Layout, make_layout
from casino_env.rules import RULES_VERSION, Rules, rules_of

FORMAT = "casino-policy 2"
_UNSEALED = "casino-policy 1"  # files of older versions, which have no checksum
MOST_LAYERS, MOST_WIDTH = 16, 4096  # more of them are no network of ours
MOST_TURNS, MOST_CARDS, MOST_WARMTH = 8, 12, 100.0  # of how a policy plays
_WAY_BACK = "take the files of the policy from where they came, or let its run go on (train --resume)"


class OutdatedError(ValueError):
    """A policy of other rules or features than this program has: all that helps is to train it again."""


def _is_whole(value: Any, low: int, high: int) -> bool:
    return type(value) is int and low <= value <= high


def _are_widths(value: Any) -> bool:
    return (
        isinstance(value, list)
        and 0 < len(value) <= MOST_LAYERS
        and all(_is_whole(one, 1, MOST_WIDTH) for one in value)
    )


def _is_play(value: Any) -> bool:
    """How it plays unless it is told otherwise."""
    known: dict[str, Callable[[Any], bool]] = {
        "temperature": lambda number: type(number) in (int, float) and 0 <= number <= MOST_WARMTH,
        "turns": lambda number: _is_whole(number, 1, MOST_TURNS),
        "width": lambda number: _is_whole(number, 1, MOST),
        "exact": lambda number: _is_whole(number, 0, MOST_CARDS),
    }
    return isinstance(value, dict) and all(key in known and known[key](number) for key, number in value.items())


def _are_features(value: Any) -> bool:
    """What Layout.features says of the layout that the weights were trained with."""
    kinds = {"size": int, "digest": str, "rule_rows": int}
    return isinstance(value, dict) and {key: type(one) for key, one in value.items()} == kinds


def _is_neighbour(value: Any) -> bool:
    """A file in the same folder."""
    return isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}\.safetensors", value) is not None


# Key -> what it must be, whether it may be missing, and the words for it.
_KEYS: dict[str, tuple[Callable[[Any], bool], bool, str]] = {
    "network": (lambda value: value in tuple(KINDS), False, " or ".join(map(repr, KINDS))),
    "hidden": (_are_widths, False, f"a list of 1 to {MOST_LAYERS} widths, each from 1 to {MOST_WIDTH}"),
    "values": (lambda value: _is_whole(value, 1, 6), True, "a whole number from 1 to 6"),
    "variant": (lambda value: isinstance(value, str), False, "the name of a preset"),
    "players": (lambda value: _is_whole(value, 2, 6), False, "a whole number from 2 to 6"),
    "rules": (lambda value: isinstance(value, dict), False, "a table of switches"),
    "features": (_are_features, False, "a table of size, digest and rule_rows"),
    "layout": (lambda value: value in ("own", "universal"), True, "'own' or 'universal'"),
    "match": (lambda value: type(value) is bool, True, "true or false"),
    "unit": (lambda value: type(value) in (int, float) and 0 < value < math.inf, True, "a number above 0"),
    "file": (_is_neighbour, True, "the name of a .safetensors file beside it"),
    "play": (_is_play, True, f"a table of temperature, turns (1 to {MOST_TURNS}), width (1 to {MOST}), exact"),
    "weights": (lambda value: isinstance(value, list), True, "a list of checksums"),
    "config": (lambda value: isinstance(value, dict), True, "a table"),
    "strength": (lambda value: isinstance(value, list), True, "a list"),
    "profile": (lambda value: isinstance(value, dict), True, "a table"),
}


def beside(weights: Path) -> Path:
    return weights.with_suffix(".json")


def is_level(weights: Path) -> bool:
    """There is only a description: of other weights beside it, played with less care."""
    return weights.suffix == ".safetensors" and beside(weights).is_file() and "file" in read_description(weights)


# --- writing ---------------------------------------------------------------------------------------------------------


def file_of(weights: Path, data: dict[str, Any]) -> Path:
    """Where the weights lie: a level of a policy has a description of its own, not weights."""
    return weights.with_name(data.get("file", weights.name))


def describe(weights: Path, data: dict[str, Any], digests: list[str]) -> None:
    """Write what a file of weights is for. digests: the checksums that the weights may have."""
    kept = {key: value for key, value in data.items() if key not in ("format", "weights")}
    whole = {"format": FORMAT, **kept, "weights": digests}
    write_file(beside(weights), (seal(whole, indent=2) + "\n").encode())


def change_description(weights: Path, data: dict[str, Any]) -> None:
    """Write another description of weights that stay as they are."""
    describe(weights, data, [checksum(read_file(file_of(weights, data)))])


# --- reading ---------------------------------------------------------------------------------------------------------


def read_description(weights: Path) -> dict[str, Any]:
    """What a file of weights is for; raises ValueError if it is damaged or this program cannot use it."""
    file = beside(weights)
    try:
        text = read_text(file)
        data = unseal(text, str(file)) if is_sealed(text) else parse(text, str(file))
    except FileNotFoundError:
        raise ValueError(f"{weights}: {file.name} is missing beside it, which says what the weights are for") from None
    except DamagedFileError as error:
        raise ValueError(f"{error}; {_WAY_BACK}") from None
    found = data.get("format") if isinstance(data, dict) else type(data).__name__
    if found != (FORMAT if is_sealed(text) else _UNSEALED):
        raise ValueError(f"{file}: format {found!r}; this program reads {FORMAT!r}; {_WAY_BACK}")
    _prove(data, file)
    return dict(data)


def _prove(data: dict[str, Any], file: Path) -> None:
    for key, ours in (("rules_version", RULES_VERSION), ("observation_version", OBSERVATION_VERSION)):
        if data.get(key) != ours:
            raise OutdatedError(f"{file}: made with {key} {data.get(key)!r}; this program has {ours}; train it again")
    for key, (right, may_be_missing, words) in _KEYS.items():
        if key not in data and not may_be_missing:
            raise ValueError(f"{file}: {key} is missing; it must be {words}")
        if key in data and not right(data[key]):
            raise ValueError(f"{file}: {key} = {_short(data[key])}; it must be {words}")
    layout = layout_of(games(data, str(file))[0], data)
    if not layout.fits(data["features"]):
        size, ours = data["features"]["size"], layout.size
        raise OutdatedError(f"{file}: its {size} features do not stand where the {ours} of today stand; train it again")


def layout_of(rules: Rules, data: dict[str, Any]) -> Layout:
    """The layout of the observation that a policy reads."""
    return make_layout(rules, universal=data.get("layout") == "universal", match=data.get("match", False))


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:60]}..."


def proven_weights(weights: Path, data: dict[str, Any]) -> bytes:
    """The bytes of a file of weights, if they are those that its description was written for."""
    try:
        found = read_file(file_of(weights, data))
    except FileNotFoundError:
        raise ValueError(f"{file_of(weights, data)} is missing, which has the weights of {beside(weights)}") from None
    if data["format"] == FORMAT and checksum(found) not in data.get("weights", ()):
        raise ValueError(
            f"{file_of(weights, data)}: damaged: not the weights that {beside(weights).name} was written for; "
            f"{_WAY_BACK}"
        )
    return found


# --- games -----------------------------------------------------------------------------------------------------------


def games(data: dict[str, Any], name: str) -> list[Rules]:
    """The games that a policy was trained in: the first is the one that it is for."""
    try:
        others = data.get("config", {}).get("game", {}).get("others", [])
        return [_rules(one) for one in (data, *others)]
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{name}: no game of ours: {error}") from None


def _rules(one: dict[str, Any]) -> Rules:
    return rules_of(one["variant"], one["players"], one["rules"])
