"""A trained network as an agent: `policy:PATH`, where PATH is a name of shipped.py, a file or the folder of a run.

Weights are a safetensors file; the JSON file of the same name beside it says for which rules and which observation.
They need no torch (mlp.py).
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from agents.base import NO_ROWS, InBatches, as_batch
from agents.files import write_file
from agents.policy.mlp import Shape, draw, list_actions, softmax, think
from agents.policy.shipped import rules_of_policy, shipped, shipped_path
from agents.scripted.choosing import uniform
from casino_env.actions import ACTIONS
from casino_env.engine.jit import kernel
from casino_env.engine.state import rules_record
from casino_env.knowledge.observation import write
from casino_env.knowledge.segments import OBSERVATION_VERSION, Layout, make_layout
from casino_env.observed import Observed
from casino_env.rules import RULES_VERSION, Rules, closest

Array = np.ndarray[Any, Any]

FORMAT = "casino-policy 1"


def value_outputs(rules: Rules) -> int:
    """Of two sides the one value says all; of more, each has its own."""
    return 1 if rules.sides == 2 else rules.sides


# --- files -----------------------------------------------------------------------------------------------------------


def save_policy(path: Path, shape: Any, theta: Array, rules: Rules, about: dict[str, Any]) -> None:
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
        if data["network"] != Shape.kind:
            raise ValueError(f"{beside}: unknown network {data['network']!r}; this program has {Shape.kind!r}")
        return Shape(layout.size, tuple(data["hidden"]), values)
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


# --- the agent -------------------------------------------------------------------------------------------------------


class Policy(InBatches):
    """Plays as the network of a file says; temperature 0 plays what it likes best, 1 as it was trained."""

    def __init__(self, path: str, temperature: float = 0.0) -> None:
        if not 0.0 <= temperature < 100.0:
            raise ValueError(f"temperature = {temperature:g}; it must be 0 or more")
        place = find_policy(path)
        data = read_description(place)
        rules = rules_of_policy(data)
        universal = data.get("layout") == "universal"
        layout = make_layout(rules, universal=universal, match=bool(data.get("match")))
        shape = read_shape(place, data, layout, data.get("values", value_outputs(rules)))
        self._begin(rules, layout, shape, read_weights(place, shape), temperature)
        self._name, self.unit = place, float(data.get("unit", 1.0))

    @classmethod
    def of(cls, rules: Rules, layout: Layout, shape: Any, theta: Array, temperature: float = 0.0) -> Policy:
        """From weights in memory."""
        policy = cls.__new__(cls)
        policy._begin(rules, layout, shape, theta, temperature)
        policy._name = Path("these weights")
        return policy

    def _begin(self, rules: Rules, layout: Layout, shape: Any, theta: Array, temperature: float) -> None:
        self.rules, self.layout, self.shape, self.theta = rules, layout, shape, theta
        self.temperature = temperature
        self._rng = np.zeros(1, np.uint64)
        self._known: dict[Rules, tuple[Array, Layout]] = {}
        self.unit = 1.0  # points that one unit of the network's value stands for
        self._values = np.zeros(shape.values, np.float32)

    def check(self, rules: Rules) -> None:
        """Raises ValueError if it cannot play these rules."""
        self._fit(rules)

    @property
    def digest(self) -> str:
        """Of the weights: the same path may hold others tomorrow."""
        return hashlib.sha256(self.theta.tobytes()).hexdigest()[:16]

    def reset(self, seat: int, rng: np.random.Generator) -> None:
        self._rng = np.array([rng.integers(2**63)], np.uint64)

    def value(self, observation: Observed) -> float:
        """What the network expects for the seat that looks, in points more than the others."""
        self._decide(*as_batch(observation), np.zeros((1, ACTIONS)))
        return float(self._values[0]) * self.unit

    def _decide(self, rules: Rules, views: Array, seats: Array, words: Array, liked: Array = NO_ROWS) -> Array:
        record, layout = self._fit(rules)
        actions = np.empty(len(views), np.int64)
        indices, work = np.zeros(layout.most, np.int16), np.zeros(sum(self.shape.hidden), np.float32)
        decide_many(
            views, words, record, seats, layout.record, self.theta, self.shape.record, self.temperature, self._rng,
            self._values, liked, actions, indices, work,
        )  # fmt: skip
        return actions

    def network(self, rules: Rules) -> tuple[Layout, Shape, Array]:
        """What a kernel needs to play as this policy; raises ValueError if it cannot play these rules."""
        return self._fit(rules)[1], self.shape, self.theta

    def _fit(self, rules: Rules) -> tuple[Array, Layout]:
        """The rules' record and the layout of their observation, if the network can read it."""
        if rules not in self._known:
            layout = make_layout(rules, universal=self.layout.universal, match=self.layout.match)
            same = [(s.name, s.shape) for s in layout.segments] == [(s.name, s.shape) for s in self.layout.segments]
            if not same or value_outputs(rules) > self.shape.values:
                raise ValueError(
                    f"{self._name} plays {self.rules.name} with {self.rules.players} players, "
                    f"not {rules.name} with {rules.players}"
                )
            self._known[rules] = rules_record(rules), layout
        return self._known[rules]


@kernel
def decide_many(
    views, words, rules, seats, plan, theta, shape, temperature, rng, values, liked, actions, indices, work
):
    """An action for each view, -1 where none is legal; where liked has a row: the chance of each action instead."""
    legal, logits, chances = np.empty(ACTIONS, np.int64), np.empty(ACTIONS, np.float32), np.empty(ACTIONS)
    for i in range(views.shape[0]):
        many = list_actions(words[i], legal)
        if many:
            count = write(views[i], rules[0], plan[0], seats[i], indices)
            think(theta, shape, indices, count, legal, many, work, logits, values)
        choose(logits, legal, many, temperature, rng, chances, liked, actions, i)


@kernel
def choose(logits, legal, many, temperature, rng, chances, liked, actions, i):
    """The action of view i from the logits of its legal actions."""
    actions[i] = -1
    if many == 0:
        return
    softmax(logits, many, temperature, chances)
    if i < liked.shape[0]:
        for k in range(many):
            liked[i, legal[k]] = chances[k]
    else:
        actions[i] = legal[draw(chances, many, uniform(rng) if many > 1 else 0.0)]
