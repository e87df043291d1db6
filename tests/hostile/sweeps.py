"""Sweeps: the file that says what is tried, and the folder of one that was begun."""

from __future__ import annotations

import tempfile
from pathlib import Path
from random import Random

from casino_env.train.commands import search
from casino_env.train.commands.sweep import load_sweep
from tests.hostile.configs import spoil as spoil_config
from tests.hostile.folders import Folder, packed, unpacked
from tests.hostile.folders import spoil as spoil_folder
from tests.hostile.kind import Kind

_SEARCH = """
trials = 3
minutes = 0.01
deals = 20
pieces = 2
reference = "greedy"
[search]
"selfplay.learning_rate" = { low = 1e-3, high = 1e-2, log = true }
"selfplay.horizon" = [16, 32]
"network.hidden" = [[8], [16]]
[settings.selfplay]
games = 8
minibatch = 32
[settings.game]
variant = "south-african"
"""
_CHANGES = """
seeds = 1
decisions = 1000
deals = 20
reference = "greedy"
[changes]
"no entropy" = { "ppo.entropy_coef" = 0, "ppo.entropy_floor" = 0 }
[settings.game]
variant = "swazi"
"""


def seeds(_: Random) -> list[Folder]:
    with tempfile.TemporaryDirectory() as place:
        (Path(place) / "s.toml").write_text(_SEARCH)
        sweep = search.Sweep(load_sweep(f"{place}/s.toml", [])[1], Path(place) / "sweep", lambda _: None)
        for value in (0.5, 1.5):
            trial = sweep.study.ask(sweep._distributions())
            trial.set_user_attr("done", True)
            trial.set_user_attr("interval", [0.0, 2.0])
            sweep.study.tell(trial, value)
        sweep.study.ask(sweep._distributions())  # cut off
        sweep.log.close()
        return [packed(Path(place)), {"s.toml": _SEARCH.encode()}, {"s.toml": _CHANGES.encode()}]


def spoil(folder: Folder, rng: Random) -> Folder:
    if len(folder) > 1 and rng.random() < 0.8:
        return {"s.toml": folder["s.toml"]} | spoil_folder({k: v for k, v in folder.items() if k != "s.toml"}, rng)
    return folder | {"s.toml": spoil_config(folder["s.toml"], rng)}


def use(folder: Folder, _: Random) -> None:
    with unpacked(folder) as place:
        kind, config = load_sweep(f"{place}/s.toml", [])
        if kind is search:
            sweep = search.Sweep(config, place / "sweep", lambda _: None)
            try:
                found = {"rows": sweep.ranking(), "folder": "f"}
                search.as_text(config, found)
                sweep.study.ask(sweep._distributions())
            finally:
                sweep.log.close()


KIND = Kind("sweeps", 2_000, seeds, spoil, use)
