"""Inputs: policies (weights and the file beside them); accepted ones play."""

from __future__ import annotations

import tempfile
from pathlib import Path
from random import Random

import numpy as np

from casino_env import Game, make_rules, observe
from casino_env.agents.files import checksum
from casino_env.agents.registry import make_agent
from tests.hostile.folders import Folder, packed, sealed_again, unpacked
from tests.hostile.folders import spoil as spoil_folder
from tests.hostile.kind import Kind
from tests.untrained import saved, untrained

_ABOUT = {"layout": "own", "value_scale": 2.5, "config": {"game": {"others": []}, "run": {"name": "x"}}}


def seeds(_: Random) -> list[Folder]:
    found = []
    for variant, players in (("swazi", 3), ("south-african", 2), ("khasino", 4)):
        with tempfile.TemporaryDirectory() as place:
            saved(untrained(make_rules(variant, players), (24, 8)), Path(place), **_ABOUT)
            found.append(packed(Path(place)))
    return found


def spoil(folder: Folder, rng: Random) -> Folder:
    """Corrupt a policy, mostly with valid checksums, so that its content must be checked."""
    folder = spoil_folder(folder, rng)
    if rng.random() < 0.8 and {"policy.json", "policy.safetensors"} <= folder.keys():
        folder["policy.json"] = sealed_again(folder["policy.json"], weights=[checksum(folder["policy.safetensors"])])
    return folder


def use(folder: Folder, rng: Random) -> None:
    with unpacked(folder) as place:
        agent = make_agent(f"policy:{place},temperature={rng.choice((0, 1))}")
    game = Game(agent.weights.rules, seed=5)
    agent.reset(game.seat, np.random.default_rng(1))
    for _ in range(4):
        game.apply(agent.act(observe(game)))


KINDS = (Kind("policies", 10_000, seeds, spoil, use),)
