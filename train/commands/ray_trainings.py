"""Trainings on a Ray cluster: each is a task with the cores that it needs, and its folder travels there and back.

The machines share no disk: the files of a run are sent as bytes. If a machine is lost, Ray restarts its trainings
elsewhere from the files that they were sent with; others are not affected.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from casino_env.agents.files import UNFINISHED, locked, read_file, write_file
from casino_env.evaluate.matches.cluster import AGAIN, Connection, first_line
from casino_env.train.checkpoint import checkpoints, remove_checkpoint, write_checkpoint
from casino_env.train.config import Config, make_config
from casino_env.train.run import Run

Files = dict[str, bytes]  # the files of a run, by their paths below its folder

_CHECKPOINTS = "checkpoints/"


def add_ray(parser: argparse.ArgumentParser) -> None:
    known = "train on this Ray cluster (auto: the one that is running here)"
    parser.add_argument("--ray", default="", metavar="ADDRESS", help=known)


def tell(line: str) -> None:
    sys.stderr.write(f"{line}\n")


def bring(configs: list[Config], root: Path, address: str) -> None:
    """Train on a cluster all runs that are not finished in root; write each one there as soon as it is done.

    If one fails, the others go on, and the first error is raised at the end.
    """
    missing = [config for config in configs if _missing(config, root)]
    if not missing:
        return
    with closing(Connection(address)) as far:
        most = max(1, *(int(node["Resources"].get("CPU", 0)) for node in far.ray.nodes() if node["Alive"]))
        task = far.ray.remote(max_retries=AGAIN)(_train)
        going: dict[Any, str] = {}
        failures: list[Exception] = []
        for config in missing:
            cores = 2 if config.machine.overlap else config.machine.threads  # overlap: one plays, one learns
            placed = task.options(num_cpus=min(cores, most), name=config.name)
            going[placed.remote(config.model_dump(mode="json"), read_run(root / config.name))] = config.name
        tell(f"{len(going)} trainings on the cluster")
        while going:
            (done,), _ = far.ray.wait(list(going), num_returns=1)
            name = going.pop(done)
            try:
                write_run(far.get(done), root / name)
                tell(f"{name} is trained, {len(going)} to go")
            except far.ray.exceptions.RayError as error:
                failures.append(ValueError(f"{name}: lost on the cluster: {first_line(error)}"))
                tell(str(failures[-1]))
            except (RuntimeError, ValueError) as error:
                failures.append(error)
                tell(f"{name}: {error}")
    if failures:
        raise failures[0]


def _missing(config: Config, root: Path) -> bool:
    """Whether a run has to be trained. One with other settings does not: Run.finished rejects it later."""
    if not checkpoints(root / config.name):
        return True
    run = Run.resume(root / config.name, trust=True)
    run.close()
    return run.config == config and not run.over()


# --- the folder of a run as bytes -------------------------------------------------------------------------------------


def read_run(folder: Path) -> Files:
    """Return the files of a run without locks and unfinished files; none if it has no checkpoint."""
    if not checkpoints(folder):
        return {}
    paths = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()}
    return {name: read_file(path) for name, path in paths.items() if not (name[0] == "." or UNFINISHED in name)}


def write_run(files: Files, folder: Path) -> None:
    """Write the files of a run, checkpoints last and each atomically: a folder without checkpoints is no run."""
    with locked(folder, "run"):
        for name in [name for name in files if not name.startswith(_CHECKPOINTS)]:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            write_file(folder / name, files[name])
        found = sorted({name.split("/")[1] for name in files if name.startswith(_CHECKPOINTS)})
        for checkpoint in [name for name in found if not (folder / _CHECKPOINTS / name).exists()]:
            prefix = f"{_CHECKPOINTS}{checkpoint}/"
            whole = {name.removeprefix(prefix): data for name, data in files.items() if name.startswith(prefix)}
            write_checkpoint(folder / prefix, whole)
        for old in [path for path in checkpoints(folder) if path.name not in found]:
            remove_checkpoint(old)


# --- in a process of the cluster --------------------------------------------------------------------------------------


def _train(settings: dict[str, Any], files: Files) -> Files:
    """Train a run from these files to its end; return its files."""
    config = make_config(settings)
    with TemporaryDirectory(prefix="casino-env-") as root:
        folder = Path(root) / config.name
        if files:
            write_run(files, folder)
        Run.finished(config, Path(root), quiet=True)
        return read_run(folder)
