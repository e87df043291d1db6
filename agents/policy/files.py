"""Files of policies: weights as safetensors, and beside them a JSON file that says for which rules and observation."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from agents.files import write_file
from agents.policy.mlp import Shape, value_outputs
from agents.policy.shipped import rules_of_policy, shipped, shipped_path
from casino_env.actions import ACTIONS
from casino_env.knowledge.segments import OBSERVATION_VERSION, Layout, make_layout
from casino_env.rules import RULES_VERSION, Rules, closest

Array = np.ndarray[Any, Any]

FORMAT = "casino-policy 1"
KINDS = {"mlp": ACTIONS, "tables": 0}  # what a network judges: actions, by so many logits, or tables by their value


@dataclass(frozen=True, eq=False)
class Weights:
    """The weights of a network, and what they are for."""

    rules: Rules
    layout: Layout  # of the observation that it reads
    shape: Shape
    theta: Array  # flat
    unit: float = 1.0  # points that one unit of its value stands for
    name: str = "these weights"

    @classmethod
    def load(cls, path: str) -> Weights:
        """The name of a shipped policy, a file or the folder of a run; raises ValueError."""
        place = find_policy(path)
        data = read_description(place)
        rules = rules_of_policy(data)
        kinds = {name: bool(data.get(name)) for name in ("match", "reach")}
        layout = make_layout(rules, universal=data.get("layout") == "universal", **kinds)
        shape = read_shape(place, data, layout, data.get("values", value_outputs(rules)))
        return cls(rules, layout, shape, read_weights(place, shape), float(data.get("unit", 1.0)), str(place))

    @property
    def digest(self) -> str:
        """The same path may hold other weights tomorrow."""
        return hashlib.sha256(self.theta.tobytes()).hexdigest()[:16]


# --- writing ---------------------------------------------------------------------------------------------------------


def save_policy(path: Path, shape: Shape, theta: Array, rules: Rules, about: dict[str, Any]) -> None:
    """Write the weights to path (.safetensors) and what they are for to the .json file beside it."""
    data = {
        "format": FORMAT,
        "network": shape.kind,
        **shape.sizes,
        "values": shape.values,
        "variant": rules.name,
        "players": rules.players,
        "rules": rules.differences(),
        "rules_version": RULES_VERSION,
        "observation_version": OBSERVATION_VERSION,
        **about,
    }
    write_weights(path, shape.views(theta))
    write_description(path, data)


def write_weights(path: Path, parts: dict[str, Array]) -> None:
    from safetensors.numpy import save

    write_file(path, save({name: np.ascontiguousarray(part) for name, part in parts.items()}))


def write_description(path: Path, data: dict[str, Any]) -> None:
    write_file(path.with_suffix(".json"), (json.dumps(data, indent=2) + "\n").encode())


# --- reading ---------------------------------------------------------------------------------------------------------


def find_policy(path: str) -> Path:
    """The weights that a path means: the name of a shipped policy, a file, or the policy of a run's folder."""
    known = shipped()
    place = shipped_path(path) if path in known else Path(path)
    if place.is_dir():
        place = place / "policy.safetensors"
    if not place.is_file():
        raise ValueError(
            f"{path}: no weights there{closest(path, known)}; a policy is one of `python -m agents list`, a "
            ".safetensors file or the folder of a run"
        )
    return place


def read_description(path: Path) -> dict[str, Any]:
    """The JSON file beside the weights; raises ValueError if this program cannot use them."""
    beside = path.with_suffix(".json")
    try:
        data = json.loads(beside.read_text())
    except OSError:
        raise ValueError(f"{path}: {beside.name} is missing beside it, which says what the weights are for") from None
    except ValueError:
        raise ValueError(f"{beside}: not JSON") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        found = data.get("format") if isinstance(data, dict) else type(data).__name__
        raise ValueError(f"{beside}: format {found!r}; this program reads {FORMAT!r}")
    for key, ours in (("rules_version", RULES_VERSION), ("observation_version", OBSERVATION_VERSION)):
        if data.get(key) != ours:
            raise ValueError(f"{path}: made with {key} {data.get(key)!r}; this program has {ours}; train it again")
    return data


def read_shape(path: Path, data: dict[str, Any], layout: Layout, values: int) -> Shape:
    """The sizes of the network that a description speaks of."""
    beside = path.with_suffix(".json")
    try:
        if data["network"] not in KINDS:
            raise ValueError(f"{beside}: unknown network {data['network']!r}; this program has {', '.join(KINDS)}")
        return Shape(layout.size, tuple(data["hidden"]), values, KINDS[data["network"]])
    except KeyError as error:
        raise ValueError(f"{beside}: {error.args[0]} is missing") from None


def read_weights(path: Path, shape: Shape) -> Array:
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        return shape.flat(load_file(path))
    except (SafetensorError, OSError) as error:
        raise ValueError(f"{path}: broken weights ({error})") from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
