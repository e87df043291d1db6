"""Print a digest of what each shipped policy plays in random positions: python -m tests.choices."""

from __future__ import annotations

import argparse
import hashlib
import json

import numpy as np

from casino_env import Rules, observe
from casino_env.agents.policy.policy_files import learnt
from casino_env.agents.policy.shipped import usable
from casino_env.agents.registry import make_agent
from tests.random_play import random_moments

OWN = Rules(name="ours", players=3, deck=40, table_cards=1, target=30, sweeps=True)


def choices(name: str, rules: Rules, count: int) -> str:
    """Return a digest of the actions that a policy chooses in `count` random positions of a game."""
    agent = make_agent(f"policy:{name}")
    agent.reset(0, np.random.default_rng(0))
    played = [agent.act(observe(game)) for game in random_moments(rules, count, seed=1) if not game.over]
    return hashlib.sha256(json.dumps(played).encode()).hexdigest()[:16]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.choices", description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="positions of each policy (1000)")
    args = parser.parse_args()
    found = {name: choices(name, learnt(data)[0], args.count) for name, data in usable().items()}
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
