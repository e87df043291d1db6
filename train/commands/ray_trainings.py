"""Trainings on a Ray cluster: each is a task with the cores that it needs, and its folder travels there and back.

No disk is shared: the files of a run come and go as bytes. A machine that is lost costs the trainings that were there
and no others; Ray begins them again elsewhere, from what they were sent with.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from casino_env.agents.files import UNFINISHED, locked, read_file, sync_folder, write_file
from casino_env.evaluate.matches.cluster import AGAIN, Connection, first_line
from casino_env.train.checkpoint import checkpoints, remove_checkpoint, unfinished_of
from casino_env.train.config import make_config
from casino_env.train.run import Run
from casino_env.train.settings import Config

Files = dict[str, bytes]  # of a run, by their paths below its folder
Matches = dict[str, dict[str, float]]  # with the panel
Say = Callable[[str], None]

_CHECKPOINTS = "checkpoints/"


def add_ray(parser: argparse.ArgumentParser) -> None:
    known = "train on this Ray cluster (auto: the one that is running here)"
    parser.add_argument("--ray", default="", metavar="ADDRESS", help=known)


def tell(line: str) -> None:
    sys.stderr.write(f"{line}\n")


class Trainings:
    """On the cluster of an address; close it."""

    def __init__(self, address: str) -> None:
        self._far = Connection(address)
        nodes = [int(node["Resources"].get("CPU", 0)) for node in self._far.ray.nodes() if node["Alive"]]
        self._nodes = [cores for cores in nodes if cores] or [1]
        self._task = self._far.ray.remote(max_retries=AGAIN)(_train)

    def begin(self, config: Config, files: Files, *, to_match: bool = False) -> Any:
        """A training that goes on from these files: to its end, or to its next match with the panel."""
        task = self._task.options(num_cpus=self._cores(config), name=config.name)
        return task.remote(config.model_dump(mode="json"), files, to_match)

    def first(self, tasks: Sequence[Any]) -> Any:
        """The one that is over first."""
        return self._far.ray.wait(list(tasks), num_returns=1)[0][0]

    def outcome(self, task: Any, name: str) -> tuple[Files, Matches, float]:
        """What a task has come to: the files, the matches if there were any, how much of the run is done.

        Raises what the training raised, and ValueError for one that the cluster has lost for good.
        """
        try:
            files, matches, progress = self._far.get(task)
        except self._far.ray.exceptions.RayError as error:
            raise ValueError(f"{name}: lost on the cluster: {first_line(error)}") from None
        return files, matches, progress

    def capacity(self, config: Config) -> int:
        """How many of its size are trained at once."""
        return max(1, sum(cores // self._cores(config) for cores in self._nodes))

    def _cores(self, config: Config) -> int:
        """One plays while another learns, or so many play by turns with learning; no more than some machine has."""
        return min(2 if config.machine.overlap else config.machine.threads, max(self._nodes))

    def close(self) -> None:
        self._far.close()


def bring(configs: list[Config], root: Path, address: str, say: Say) -> None:
    """Train on a cluster what is not finished in these folders yet; each is here as soon as it is over.

    One that fails is told at the end, when the others are here.
    """
    missing = [config for config in configs if _missing(config, root)]
    if not missing:
        return
    with closing(Trainings(address)) as far:
        going = {far.begin(config, read_run(root / config.name)): config.name for config in missing}
        say(f"{len(going)} trainings on the cluster")
        failures = []
        while going:
            task = far.first(list(going))
            name = going.pop(task)
            try:
                write_run(far.outcome(task, name)[0], root / name)
                say(f"{name} is trained, {len(going)} to go")
            except (RuntimeError, ValueError) as error:
                failures.append(error)
                say(f"{name}: {error}")
    if failures:
        raise failures[0]


def _missing(config: Config, root: Path) -> bool:
    """Whether it has to be trained. Run.finished refuses what was trained with other settings."""
    if not checkpoints(root / config.name):
        return True
    run = Run.resume(root / config.name, trust=True)
    run.close()
    return run.config == config and run.progress() < 1.0


# --- the folder of a run as bytes -------------------------------------------------------------------------------------


def read_run(folder: Path) -> Files:
    """All its files, without locks and what was left unfinished; none if it has no checkpoint to go on from."""
    if not checkpoints(folder):
        return {}
    paths = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()}
    return {name: read_file(path) for name, path in paths.items() if not (name[0] == "." or UNFINISHED in name)}


def write_run(files: Files, folder: Path) -> None:
    """Checkpoints come last and each is there whole or not at all, as in a run: without one there is no run to find."""
    with locked(folder, "run"):
        for name in [name for name in files if not name.startswith(_CHECKPOINTS)]:
            _write(folder / name, files[name])
        found = sorted({name.split("/")[1] for name in files if name.startswith(_CHECKPOINTS)})
        for checkpoint in [name for name in found if not (folder / _CHECKPOINTS / name).exists()]:
            _write_checkpoint(files, folder, checkpoint)
        for old in [path for path in checkpoints(folder) if path.name not in found]:
            remove_checkpoint(old)


def _write_checkpoint(files: Files, folder: Path, checkpoint: str) -> None:
    place = folder / _CHECKPOINTS / checkpoint
    beside = unfinished_of(place)
    remove_checkpoint(beside)
    for name, data in files.items():
        if name.startswith(f"{_CHECKPOINTS}{checkpoint}/"):
            _write(beside / Path(name).name, data)
    beside.rename(place)
    sync_folder(place.parent)


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, data)


# --- in a process of the cluster --------------------------------------------------------------------------------------


class _SeenError(Exception):
    """The matches of a look: the training waits for what is said to them."""


def _train(settings: dict[str, Any], files: Files, to_match: bool) -> tuple[Files, Matches, float]:
    config = make_config(settings)
    with TemporaryDirectory(prefix="casino-env-") as root:
        folder = Path(root) / config.name
        if files:
            write_run(files, folder)
        run = Run.resume(folder, trust=True) if files else Run.start(config, Path(root))
        matches: Matches = {}
        try:
            run.train(quiet=True, judge=_stop if to_match else None)
        except _SeenError as seen:
            (matches,) = seen.args
            run.save()
        return read_run(folder), matches, run.progress()


def _stop(matches: Matches) -> None:
    raise _SeenError(matches)
