"""The signature of behaviour: one digest of everything that the project plays and shows, like a chess engine's bench.

It covers random deals of every table (casino_env/golden.py), the choices of every scripted bot in random positions, and
those of the shipped policies in their games. A commit has the same signature on every machine: the last bits of a
network's sums differ between processors, so only its clear preferences count.
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

_DEALS, _MOMENTS, _POLICY_MOMENTS = 20, 8, 32  # per table
_HAIR, _PLAIN = 1e-3, 5e-3  # points: temperature of policies, and least lead of a clear preference


def signature() -> dict[str, str]:
    """The digests of the parts, and that of all as `signature`."""
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
    """Observations of `count` games, each stopped at a random decision."""
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
    """The action that the policy clearly prefers; -1 if another is about as good."""
    second, first = np.sort(chances)[-2:]
    return -1 if second > first * math.exp(-_PLAIN / _HAIR) else int(np.argmax(chances))
