"""Write the folder of a run by any learner: settings and progress, as `casino evaluate seeds` and `report` read them.

run = RunFolder("runs/sb3-seed0", "sb3", "swazi", players=3, seed=0, learner={"hidden": [128, 128]})
run.log(model.num_timesteps, loss=0.3)
with run.paused():  # matches do not count as training time
    result = evaluate.match(agent, "counter", "swazi", players=3)
run.log(model.num_timesteps, vs={"counter": result})
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, SupportsFloat, SupportsIndex, SupportsInt

from casino_env.rules import make_rules
from casino_env.validate import short_repr

_MATCH = ("diff", "low", "high")  # fields of a match's result that are logged


class RunFolder:
    """The folder of one run. Wall-clock and processor time (all threads of the process) count from its creation."""

    def __init__(
        self, folder: str | Path, algorithm: str, variant: str, players: SupportsIndex = 2, seed: SupportsInt = 0,
        rules: Mapping[str, Any] | None = None, **settings: Mapping[str, Any],
    ) -> None:  # fmt: skip
        """rules: switches that differ from the preset. settings: tables of any other settings of the run."""
        made = make_rules(variant, _plain(players, "players"), **_plain(rules or {}, "rules"))
        game = {"variant": variant, "players": made.players, "rules": made.differences()}
        self.folder, self._progress = Path(folder), Path(folder) / "progress.jsonl"
        if self._progress.exists():
            raise ValueError(f"{folder} already holds a run; delete it, or choose another folder")
        run = {"algorithm": algorithm, "seed": int(seed)}
        about = {"config": {"game": game, "run": run} | {name: _plain(table, name) for name, table in settings.items()}}
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "config.json").write_text(json.dumps(about, indent=2) + "\n", "utf-8")
        self._progress.touch()
        self._began = _clocks()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Stop both clocks inside the `with` block."""
        stopped = _clocks()
        yield
        self._began = [began + now - then for began, now, then in zip(self._began, _clocks(), stopped, strict=True)]

    @property
    def seconds(self) -> float:
        return _clocks()[0] - self._began[0]

    @property
    def cpu_seconds(self) -> float:
        return _clocks()[1] - self._began[1]

    def log(self, decisions: SupportsInt, vs: Mapping[str, Any] | None = None, **numbers: SupportsFloat) -> None:
        """Write a line: decisions that the learner has seen, results of matches by opponent (vs), and any other
        numbers."""
        row: dict[str, Any] = {"decisions": int(decisions)}
        row |= {"seconds": round(self.seconds, 2), "cpu_seconds": round(self.cpu_seconds, 2)}
        if vs:
            row["vs"] = {name: {key: _number(getattr(one, key)) for key in _MATCH} for name, one in vs.items()}
        with self._progress.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row | {name: _number(value) for name, value in numbers.items()}) + "\n")


def _clocks() -> list[float]:
    return [time.perf_counter(), time.process_time()]


def _plain(value: Any, where: str) -> Any:
    """A setting for JSON, with plain numbers for those of numpy. Raise ValueError for anything else."""
    if isinstance(value, Mapping):
        return {str(key): _plain(one, f"{where}.{key}") for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one, where) for one in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist(), where)
    if isinstance(value, float):
        return _number(value)
    if value is None or isinstance(value, str | int):
        return value
    said = "it must be text, a number, true or false, None, or a list or table of such"
    raise ValueError(f"{where} = {short_repr(value)}; {said}")


def _number(value: SupportsFloat) -> float | None:
    """A number for JSON: a plain float, or None if it is not finite."""
    return number if math.isfinite(number := float(value)) else None
