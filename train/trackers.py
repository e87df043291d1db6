"""Where a run's numbers go besides progress.jsonl: to TensorBoard always, to Weights & Biases or MLflow if asked."""

from __future__ import annotations

import json
import math
import re
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

from torch.utils.tensorboard import SummaryWriter

_PROJECT = "casino-env"
_EVERY = 1.0  # seconds between two points of a curve
_LONGEST = 500  # characters of a parameter that MLflow takes


class Tracker:
    """Scalars over decisions, and the settings. It never stops a training: after an error nothing more is written."""

    lost = ""  # what is said then
    errors: ClassVar[tuple[type[Exception], ...]] = (Exception,)  # of a network, a server, a library of somebody else's

    def __init__(self, run: Path, step: int, config: dict[str, Any]) -> None:
        """A run that is taken up repeats what came after this step."""
        self.error, self._last, self._writes = "", -math.inf, True
        with self._kept_going():
            self._start(run, step, config)

    def scalars(self, values: dict[str, float], step: int, *, always: bool = False) -> None:
        if self._writes and (always or time.monotonic() - self._last >= _EVERY):
            self._last = time.monotonic()
            with self._kept_going():
                self._write({name: value for name, value in values.items() if math.isfinite(value)}, step)

    def close(self) -> None:
        if self._writes:
            with self._kept_going():
                self._end()

    @contextmanager
    def _kept_going(self) -> Iterator[None]:
        try:
            yield
        except self.errors as error:
            said = getattr(error, "strerror", None) or str(error) or type(error).__name__
            self.error, self._writes = " ".join(said.split()), False

    def _start(self, run: Path, step: int, config: dict[str, Any]) -> None:
        raise NotImplementedError

    def _write(self, values: dict[str, float], step: int) -> None:
        raise NotImplementedError

    def _end(self) -> None:
        raise NotImplementedError


class TensorBoard(Tracker):
    lost, errors = "TensorBoard's file is not whole", (OSError,)

    def _start(self, run: Path, step: int, config: dict[str, Any]) -> None:
        self._hook, threading.excepthook = threading.excepthook, self._thread_failed
        self._writer = SummaryWriter(str(run / "tensorboard"), purge_step=step)
        text = "\n".join(f"    {line}" for line in json.dumps(config, indent=2).splitlines())
        self._writer.add_text("config", text, step)  # Markdown

    def _write(self, values: dict[str, float], step: int) -> None:
        for tag, value in values.items():
            self._writer.add_scalar(tag, value, step)

    def _end(self) -> None:
        self._writer.close()

    def close(self) -> None:
        super().close()
        threading.excepthook = self._hook

    def _thread_failed(self, failed: threading.ExceptHookArgs) -> None:
        """The writer's thread; its error is raised by the next call as well, so nobody needs the traceback."""
        if not isinstance(failed.exc_value, OSError):
            self._hook(failed)


class Wandb(Tracker):
    """Online or not as its own settings say (WANDB_MODE)."""

    lost = "Weights & Biases has not got all"

    def _start(self, run: Path, step: int, config: dict[str, Any]) -> None:
        import wandb

        kept = run / "wandb.id"
        if not kept.exists():
            kept.write_text(secrets.token_hex(4))
        found = {"project": _PROJECT, "name": run.name, "id": kept.read_text(), "resume": "allow"}
        self._run = wandb.init(dir=str(run), config=config, **found)

    def _write(self, values: dict[str, float], step: int) -> None:
        self._run.log(values, step=step)

    def _end(self) -> None:
        self._run.finish()


class Mlflow(Tracker):
    """In the store that its own settings name (MLFLOW_TRACKING_URI)."""

    lost = "MLflow has not got all"

    def _start(self, run: Path, step: int, config: dict[str, Any]) -> None:
        import mlflow

        self._metric = mlflow.entities.Metric
        self._client, kept = mlflow.MlflowClient(), run / "mlflow.id"
        if kept.exists():
            self._id = kept.read_text()
            return
        found = self._client.get_experiment_by_name(_PROJECT)
        experiment = found.experiment_id if found else self._client.create_experiment(_PROJECT)
        self._id = self._client.create_run(experiment, run_name=run.name).info.run_id
        kept.write_text(self._id)
        settings = {f"{section}.{name}": value for section, part in config.items() for name, value in part.items()}
        params = [mlflow.entities.Param(name, str(value)[:_LONGEST]) for name, value in settings.items()]
        self._client.log_batch(self._id, params=params)

    def _write(self, values: dict[str, float], step: int) -> None:
        now = int(1000 * time.time())
        names = {name: re.sub(r"[^\w./ -]", "_", name) for name in values}  # it takes no others
        self._client.log_batch(self._id, [self._metric(names[name], values[name], now, step) for name in values])

    def _end(self) -> None:
        self._client.set_terminated(self._id)


TRACKERS: dict[str, type[Tracker]] = {"wandb": Wandb, "mlflow": Mlflow}


def start_trackers(run: Path, step: int, config: dict[str, Any], logger: str) -> list[Tracker]:
    """TensorBoard, and the one that is asked for."""
    kinds: list[type[Tracker]] = [TensorBoard, *([TRACKERS[logger]] if logger else [])]
    return [kind(run, step, config) for kind in kinds]
