"""What the policies that come with the project choose in random positions, as a digest each: python -m tests.choices.

`--kept FOLDER` also reads what an earlier version may have left there (keep()).
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path

import numpy as np

from casino_env import Game, Rules, make_rules, observe
from casino_env.agents import make_agent
from casino_env.agents.policy.shipped import learnt, usable
from casino_env.record import read_record, write_record
from tests.random_play import random_moments

OWN = Rules(name="ours", players=3, deck=40, table_cards=1, target=30, sweeps=True)


def choices(name: str, rules: Rules, count: int) -> str:
    """A digest of what a policy plays in so many random positions of a game."""
    agent = make_agent(f"policy:{name}")
    agent.reset(0, np.random.default_rng(0))
    played = [agent.act(observe(game)) for game in random_moments(rules, count, seed=1) if not game.over]
    return hashlib.sha256(json.dumps(played).encode()).hexdigest()[:16]


def keep(folder: Path) -> None:
    """One file of each kind that names rules."""
    game = Game(OWN, seed=3)
    (folder / "position.json").write_text(json.dumps(game.to_json()))
    (folder / "record.txt").write_text(write_record(3, game))
    (folder / "preset.json").write_text(json.dumps(Game("cassino", seed=3, sweeps=True).to_json()))


def read(folder: Path) -> None:
    """All that keep() has written, as it was meant."""
    assert Game.from_json(json.loads((folder / "position.json").read_text())).rules == OWN
    assert read_record((folder / "record.txt").read_text())[0].rules == OWN
    preset = Game.from_json(json.loads((folder / "preset.json").read_text()))
    assert preset.rules == make_rules("cassino", 2, sweeps=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.choices", description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="positions of each policy (1000)")
    parser.add_argument("--kept", type=Path, metavar="FOLDER")
    args = parser.parse_args()
    if args.kept:
        read(args.kept)
    found = {name: choices(name, learnt(data)[0], args.count) for name, data in usable().items()}
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
