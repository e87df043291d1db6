"""Untrained networks, which have random weights and play all the same, and searches that begin."""

from pathlib import Path
from typing import Any

import numpy as np

from casino_env.actions import ACTIONS
from casino_env.agents.policy.mlp import Shape, initial, value_outputs
from casino_env.agents.policy.policy_files import Weights, save_policy
from casino_env.agents.search.search_agent import Search
from casino_env.knowledge.layout import make_layout
from casino_env.rules import Rules


def shape_of(rules: Rules, hidden: tuple[int, ...] = (16,), logits: int = ACTIONS, **layout: bool) -> Shape:
    """Return the sizes of a network for a game; without logits it judges afterstates."""
    return Shape(make_layout(rules, **layout).size, hidden, value_outputs(rules), logits)


def untrained(
    rules: Rules, hidden: tuple[int, ...] = (16,), logits: int = ACTIONS, *, scale=1.0, seed=0, **layout: bool
) -> Weights:
    """scale: of its value, in points; layout: options of make_layout."""
    shape = shape_of(rules, hidden, logits, **layout)
    return Weights(rules, make_layout(rules, **layout), shape, initial(shape, np.random.default_rng(seed)), scale)


def saved(weights: Weights, folder: Path, **about: Any) -> str:
    """Write the files of a policy with these weights, and return their folder. about: more of its description."""
    about = {"value_scale": weights.value_scale} | about
    save_policy(folder / "policy.safetensors", weights.shape, weights.theta, weights.rules, about)
    return str(folder)


def fresh(**settings: Any) -> Any:
    """Return a search at the beginning of a game, whose insides tests may read."""
    search = Search(**settings)
    search.reset(0, np.random.default_rng(1))
    return search
