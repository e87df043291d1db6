"""Studies: the file that says what is tried, and the folder of a search that was begun."""

from __future__ import annotations

import tempfile
from pathlib import Path
from random import Random

from casino_env.train.commands.ablate import Ablation
from casino_env.train.commands.studies import load_study
from casino_env.train.commands.tune import Search, Tuning, as_text
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
        search = Search(load_study(Tuning, f"{place}/s.toml", []), Path(place) / "search", lambda _: None)
        for value in (0.5, 1.5):
            trial = search.ask()
            trial.set_user_attr("done", True)
            trial.set_user_attr("interval", [0.0, 2.0])
            search.study.tell(trial, value)
        search.ask()  # cut off
        search.log.close()
        return [packed(Path(place)), {"s.toml": _SEARCH.encode()}, {"s.toml": _CHANGES.encode()}]


def spoil(folder: Folder, rng: Random) -> Folder:
    if len(folder) > 1 and rng.random() < 0.8:
        return {"s.toml": folder["s.toml"]} | spoil_folder({k: v for k, v in folder.items() if k != "s.toml"}, rng)
    return folder | {"s.toml": spoil_config(folder["s.toml"], rng)}


def use(folder: Folder, _: Random) -> None:
    with unpacked(folder) as place:
        path = place / "s.toml"
        if b"[changes]" in path.read_bytes():
            load_study(Ablation, str(path), [])
        else:
            config = load_study(Tuning, str(path), [])
            search = Search(config, place / "search", lambda _: None)
            try:
                as_text(config, {"rows": search.ranking(), "folder": "f"})
                search.ask()
            finally:
                search.log.close()


KIND = Kind("studies", 2_000, seeds, spoil, use)
