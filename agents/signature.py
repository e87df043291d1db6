"""The signature of behaviour: one number over what the project plays and shows, as chess engines have their bench.

It is made of random deals of every table (casino_env/golden.py), of what every scripted bot chooses in random positions
of them, and of what the ready policies choose in their games. The same commit has the same number on every machine: a
network's sums differ in their last bits from one processor to another, so only what it plainly prefers counts.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from casino_env import golden
from casino_env.agents.policy.policy_agent import make_policy
from casino_env.agents.policy.shipped import best
from casino_env.agents.registry import ladder, make_agent
from casino_env.extras import require
from casino_env.game import Game
from casino_env.observed import Observed, observe
from casino_env.rules import Rules

_DEALS, _MOMENTS, _POLICY_MOMENTS = 20, 8, 32  # of a table
_HAIR, _PLAIN = 1e-3, 5e-3  # in points: how coolly a policy is asked, and by how much it has to prefer an action


def signature() -> dict[str, str]:
    """The parts of it, and the number of all: `signature`."""
    require("safetensors")
    deals = [row.split() for _, row in sorted(golden.digests(_DEALS).items())]
    positions, turns, observations, points = (_digest(column) for column in zip(*deals, strict=True))
    parts = {
        "positions": positions, "turns": turns, "observations": observations, "points": points,
        "bots": _digest(_choices_of_bots()), "policies": _digest(_choices_of_policies()),
    }  # fmt: skip
    return parts | {"signature": _digest(parts.items())}


def _digest(parts: Iterable[Any]) -> str:
    return hashlib.sha256(json.dumps(list(parts)).encode()).hexdigest()[:16]


def _moments(rules: Rules, seed: int, count: int) -> Iterator[Observed]:
    """What is seen where somebody decides, of so many games that are stopped at random."""
    rng = np.random.default_rng(seed)
    for number in range(count):
        game = Game(rules, seed=seed + number)
        seen = observe(game)
        for _ in range(int(rng.integers(rules.deck))):
            game.apply(int(rng.choice(game.legal())))
            if game.over:
                break
            seen = observe(game)
        yield seen


def _choices_of_bots() -> Iterator[tuple[str, str, list[int]]]:
    for table, rules in sorted(golden.tables().items()):
        seed = golden.seed_of(table)
        moments = list(_moments(rules, seed, _MOMENTS))
        for name in ladder(rules):
            agent = make_agent(name)
            agent.reset(0, np.random.default_rng(seed))
            yield table, name, [int(agent.act(moment)) for moment in moments]


def _choices_of_policies() -> Iterator[tuple[str, list[int]]]:
    for name in best():
        policy = make_policy(name, temperature=_HAIR)
        moments = _moments(policy.weights.rules, golden.seed_of(name), _POLICY_MOMENTS)
        yield name, [_preferred(policy.probabilities(moment)) for moment in moments]


def _preferred(chances: Any) -> int:
    """The action that it likes best; -1 if another is worth about the same."""
    second, first = np.sort(chances)[-2:]
    return -1 if second > first * math.exp(-_PLAIN / _HAIR) else int(np.argmax(chances))
