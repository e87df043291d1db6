"""Folders of runs; what is accepted learns for an iteration."""

from __future__ import annotations

import tempfile
from pathlib import Path
from random import Random
from typing import Any

from casino_env.agents.files import checksum
from casino_env.train.algorithms.algorithm import TrainingError
from casino_env.train.config import make_config
from casino_env.train.run import Run
from casino_env.train.run_log import RunLog
from tests.hostile.folders import Folder, packed, sealed_again, unpacked
from tests.hostile.folders import spoil as spoil_folder
from tests.hostile.kind import Kind, RefusedError

_SMALL: dict[str, dict[str, Any]] = {
    "network": {"hidden": [16]},
    "selfplay": {"games": 4, "horizon": 16, "minibatch": 32},
    "opponents": {"bots": {"greedy": 0.25}, "earlier_selves": 0.5, "pool": 2, "every": 60},
    "run": {"name": "r", "panel": ["random"], "deals": 2, "decisions": 10_000},
}
_KINDS: tuple[dict[str, dict[str, Any]], ...] = (
    {},
    {"game": {"variant": "swazi", "players": 3}, "machine": {"overlap": False}},
    {"run": {"algorithm": "ppo"}},
)


def seeds(_: Random) -> list[Folder]:
    found = []
    for sections in _KINDS:
        names = _SMALL | sections
        data = {name: _SMALL.get(name, {}) | sections.get(name, {}) for name in names}
        with tempfile.TemporaryDirectory() as place:
            run = Run.start(make_config(data), Path(place))
            for _step in range(3):
                metrics = run.algorithm.learn(0.0)
                run.save()
            with RunLog(run.folder, "", 0, {}, quiet=True) as log:
                match = {"random": {"diff": 1.0, "low": 0.0, "high": 2.0, "won": 0.5}}
                log.evaluation(match, metrics | {"decisions_per_second": 1.0}, 5, 1.0)
            run.close()
            found.append(packed(run.folder))
    return found


def spoil(folder: Folder, rng: Random) -> Folder:
    """Mostly so that the checksums of the arrays fit: then what they hold has to be looked at."""
    folder = spoil_folder(folder, rng)
    if rng.random() < 0.8:
        for name in [name for name in folder if name.endswith("state.json")]:
            arrays = folder.get(name.replace(".json", ".safetensors"), b"")
            folder[name] = sealed_again(folder[name], arrays=checksum(arrays))
    return folder


def use(folder: Folder, _: Random) -> None:
    with unpacked(folder) as place:
        run = Run.resume(place)
        try:
            for _step in range(2):
                run.algorithm.learn(0.5)
            run.algorithm.wait()
            with RunLog(run.folder, "", run.algorithm.decisions, {}, quiet=True):
                pass
        except TrainingError as error:  # of numbers that are numbers, but too large to learn from
            raise RefusedError(str(error)) from None
        finally:
            run.close()


KIND = Kind("checkpoints", 2_000, seeds, spoil, use)
