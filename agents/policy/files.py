"""Files of policies: weights as safetensors, and beside them a JSON file that says for which rules and observation."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from casino_env.agents.files import checksum, read_file, write_file
from casino_env.agents.policy.description import describe, games, is_level, layout_of, proven_weights, read_description
from casino_env.agents.policy.mlp import KINDS, Shape, value_outputs
from casino_env.agents.policy.packed import unpack
from casino_env.agents.policy.shipped import every_name, shipped_path
from casino_env.knowledge.layout import OBSERVATION_VERSION, Layout
from casino_env.rules import RULES_VERSION, Rules, closest

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Play:
    """How a policy plays unless it is told otherwise."""

    temperature: float = 0.0  # in points; 0: always what it likes best
    turns: int = 1  # that it looks ahead where all cards are known, its own included
    width: int = 4  # turns of each that it follows
    exact: int = 0  # two sides with so many cards in all hands together, or fewer: the solver plays


@dataclass(frozen=True, eq=False)
class Weights:
    """The weights of a network, and what they are for."""

    rules: Rules
    layout: Layout  # of the observation that it reads
    shape: Shape
    theta: Array  # flat
    unit: float = 1.0  # points that one unit of its value stands for
    name: str = "these weights"
    play: Play = Play()

    @classmethod
    def load(cls, path: str) -> Weights:
        """The name of a shipped policy, a file or the folder of a run; raises ValueError."""
        place = find_policy(path)
        data = read_description(place)
        rules = games(data, str(place))[0]
        layout = layout_of(rules, data)
        values = data.get("values", value_outputs(rules))
        shape = Shape(layout.size, tuple(data["hidden"]), values, KINDS[data["network"]])
        theta = _as_flat(proven_weights(place, data), shape, place)
        return cls(rules, layout, shape, theta, float(data.get("unit", 1.0)), str(place), Play(**data.get("play", {})))

    @property
    def digest(self) -> str:
        """The same path may hold other weights tomorrow, or say that they play otherwise."""
        return hashlib.sha256(self.theta.tobytes() + repr((self.unit, self.play)).encode()).hexdigest()[:16]


# --- writing ---------------------------------------------------------------------------------------------------------


def save_policy(path: Path, shape: Shape, theta: Array, rules: Rules, about: dict[str, Any]) -> None:
    """Write the weights to path (.safetensors) and what they are for to the .json file beside it."""
    data = {
        "network": shape.kind,
        **shape.sizes,
        "values": shape.values,
        "variant": rules.name,
        "players": rules.players,
        "rules": rules.differences(),
        "rules_version": RULES_VERSION,
        "observation_version": OBSERVATION_VERSION,
        "features": layout_of(rules, about).features,
        **about,
    }
    write_policy(path, shape.views(theta), data)


def write_policy(path: Path, parts: dict[str, Array], data: dict[str, Any]) -> None:
    """The parts of the weights and their description.

    Between the two files the description is right for the weights before as well, so a kill leaves a whole policy.
    """
    from safetensors.numpy import save

    weights = save({name: np.ascontiguousarray(part) for name, part in parts.items()})
    before = [checksum(read_file(path))] if path.exists() else []
    describe(path, data, list(dict.fromkeys([checksum(weights), *before])))
    write_file(path, weights)


# --- reading ---------------------------------------------------------------------------------------------------------


def find_policy(path: str) -> Path:
    """The weights that a path means: the name of a shipped policy, a file, or the policy of a run's folder."""
    known = every_name()
    if path in known:
        return shipped_path(path)
    place = Path(path)
    if place.is_dir():
        place = place / "policy.safetensors"
    if not (place.is_file() or is_level(place)):
        raise ValueError(
            f"{path}: no weights there{closest(path, known)}; a policy is one of `casino agents list`, a "
            ".safetensors file or the folder of a run"
        )
    return place


def read_weights(path: Path, shape: Shape) -> Array:
    """The weights of a policy, for a network of this shape; what they were for does not matter."""
    return _as_flat(proven_weights(path, read_description(path)), shape, path)


def _as_flat(data: bytes, shape: Shape, path: Path) -> Array:
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        parts = load(data)
    except (SafetensorError, ValueError, TypeError, KeyError) as error:
        raise ValueError(f"{path}: broken weights ({error})") from None
    try:
        theta = shape.flat(unpack(shape, parts))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    if not np.isfinite(theta).all():
        raise ValueError(f"{path}: broken weights (some are no numbers)")
    return theta
