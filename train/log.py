"""The log of a run: progress bar, lines, progress.jsonl, TensorBoard; the schedule of matches; versions and commit."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict
from torch.utils.tensorboard import SummaryWriter

from casino_env.agents.files import DamagedFileError, read_journal, write_journal
from casino_env.evaluate.progress import progress
from casino_env.validate import read_model

_WAY_BACK = "delete it, and the run writes a new one"
_POINTS = 1.0  # seconds between two points of a curve in TensorBoard
# The meaning of every logged scalar; docs/generate.py prints it into docs/metrics.md.
METRICS = {
    "decisions_per_second": "decisions of the learner that were played and learned from, a second of learning",
    "policy_loss": "PPO's clipped loss, without its entropy and kl terms; near 0 by construction",
    "value_loss": "half the squared error of the value, in units of the reward's scale",
    "explained_variance": "share of the variance of the value's targets that the value explains; 1 is best",
    "entropy": "mean entropy of the policy over legal actions, in nats",
    "temperature": "afterstates: of the choice among turns, in points",
    "kl": "divergence of the new policy from the one that played; above 0.05 steps are too large",
    "clip_fraction": "share of decisions in which PPO's clip held the policy back",
    "grad_norm": "length of the gradient before it is cut to max_grad_norm",
    "learning_rate": "of the last iteration",
    "entropy_coef": "weight of the entropy bonus, on average",
    "epsilon": "dmc: share of decisions in which any legal action was played",
    "cpu_seconds": "processor time of learning, all threads of the process together",
    "games": "games that ended in the last iteration",
    "decisions_per_game": "of the learner, in the games that ended in the last iteration",
    "turns_per_game": "afterstates: of all seats",
}


# --- the schedule of matches -----------------------------------------------------------------------------------------


class EvalSchedule:
    """Decide when a run plays matches with its panel: often enough for a curve, seldom enough to cost little."""

    _CURVE = 12  # minimum of rounds in a run, while the matches stay within _SHARE
    _SHARE = 0.2  # largest share of the run's time (learning and matches) for matches; the final round is exempt
    _SHORT = 0.2  # share of the deals that a short round plays; short rounds lie between regular ones

    def __init__(self, regular: float, seconds: float, progress: float, *, over: bool = False) -> None:
        """regular: seconds of learning between two regular rounds of matches. over: the round at the end is played."""
        self._every = regular
        self._began = self._regular = seconds
        self._progress, self._over = progress, over
        self._matched = self._of_all = 0.0  # seconds of all rounds so far; of a full round, estimated from the last one

    def due(self, seconds: float, progress: float) -> float:
        """Return the share of the deals to play now, 0 for no round; 1 once at the end. seconds: of learning."""
        if self._over:
            return 0.0
        regular = seconds - self._regular >= self._every
        if progress >= 1.0 or (regular and self._affords(1.0, seconds)):
            return 1.0
        curve = (regular and not self._of_all) or progress - self._progress >= 1.0 / self._CURVE
        return self._SHORT if curve and self._affords(self._SHORT, seconds) else 0.0

    def _affords(self, share: float, seconds: float) -> bool:
        """Whether a round fits into _SHARE. The first round must be a short one: its time is not known before."""
        if not self._of_all:
            return share == self._SHORT
        return self._matched + share * self._of_all <= (seconds - self._began) * self._SHARE / (1.0 - self._SHARE)

    def played(self, share: float, took: float, seconds: float, progress: float) -> None:
        """Record a round that has been played. took: its seconds."""
        self._regular = seconds if share == 1.0 else self._regular
        self._progress, self._matched, self._of_all = progress, self._matched + took, took / share
        self._over = share == 1.0 and progress >= 1.0


# --- TensorBoard -----------------------------------------------------------------------------------------------------


class TensorBoard:
    """Write scalars by decisions, and the settings. After an I/O error write no more, so that training goes on."""

    def __init__(self, run: Path, step: int, config: dict[str, Any]) -> None:
        """step: the first step; points of an earlier run after it are purged, as a resumed run repeats them."""
        self.error, self._last = "", -math.inf
        self._hook, threading.excepthook = threading.excepthook, self._thread_failed
        text = "\n".join(f"    {line}" for line in json.dumps(config, indent=2).splitlines())
        with self._unless_failed():
            self._writer = SummaryWriter(str(run / "tensorboard"), purge_step=step)
            self._writer.add_text("config", text, step)  # Markdown

    def scalars(self, values: dict[str, float], step: int, *, always: bool = False) -> None:
        if self.error or not (always or time.monotonic() - self._last >= _POINTS):
            return
        self._last = time.monotonic()
        with self._unless_failed():
            for tag, value in values.items():
                if math.isfinite(value):
                    self._writer.add_scalar(tag, value, step)

    def close(self) -> None:
        if not self.error:
            with self._unless_failed():
                self._writer.close()
        threading.excepthook = self._hook

    @contextmanager
    def _unless_failed(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            self.error = f"TensorBoard's file is incomplete: {error.strerror or error}"

    def _thread_failed(self, failed: threading.ExceptHookArgs) -> None:
        """Print no traceback for an OSError in the writer's thread: the next call raises it again."""
        if not isinstance(failed.exc_value, OSError):
            self._hook(failed)


# --- bar, lines and progress.jsonl -----------------------------------------------------------------------------------


class RunLog:
    """Show the progress of a run, and write it to progress.jsonl and TensorBoard."""

    def __init__(self, run: Path, title: str, decisions: int, config: dict[str, Any], *, quiet: bool = False) -> None:
        self._path, self._quiet = run / "progress.jsonl", quiet
        self._rows = _kept_rows(self._path, decisions)
        write_journal(self._path, self._rows)
        self._board = TensorBoard(run, decisions, config)
        self._numbers = {name: value for row in self._rows[-1:] for name, value in row.items() if name in METRICS}
        self._kept = -1  # last percent of the run that has a row in the file
        self._bar = nullcontext(lambda *_: None) if quiet else progress(title, 100)
        self._scores = ""  # scores of the last round of matches
        self._say_lost()

    def __enter__(self) -> RunLog:
        self._show = self._bar.__enter__()
        return self

    def __exit__(self, failed: type[BaseException] | None, *about: Any) -> None:
        self._bar.__exit__(failed, *about)
        self._board.close()
        if failed is None:
            self._say_lost()

    def _say_lost(self) -> None:
        if self._board.error and not self._quiet:
            sys.stderr.write(f"{self._board.error}\n")

    def iteration(self, metrics: dict[str, float], decisions: int, seconds: float, done: float) -> None:
        """Log an iteration. done: the share of the run."""
        self._board.scalars({f"train/{name}": value for name, value in metrics.items()}, decisions)
        self._numbers = {name: value if math.isfinite(value) else None for name, value in metrics.items()}
        self._show(int(100 * done), f"{self._pace(decisions)}{self._scores}")
        if int(100 * done) > self._kept:
            self._kept = int(100 * done)
            self._keep(decisions, seconds)

    def evaluation(self, matches: dict[str, dict[str, float]], decisions: int, seconds: float) -> None:
        """Log a round of matches against the panel, {agent: {diff, low, high, won}}, beside the last iteration."""
        scalars = {f"strength/{name}": match["diff"] for name, match in matches.items()}
        scalars |= {f"won/{name}": match["won"] for name, match in matches.items()}
        self._board.scalars(scalars, decisions, always=True)
        self._keep(decisions, seconds, vs=matches)
        scores = (
            f"{name} {{diff:+.2f}} ({{low:+.2f}} to {{high:+.2f}})".format(**one) for name, one in matches.items()
        )
        self._scores = f"  against {', '.join(scores)}" if matches else ""
        if not self._quiet:
            sys.stderr.write(f"{seconds:6.0f} s  {self._pace(decisions)}{self._scores}\n")

    def _keep(self, decisions: int, seconds: float, **more: Any) -> None:
        """Add a row to progress.jsonl. The file is small: it is rewritten atomically each time."""
        self._rows.append({"decisions": decisions, "seconds": round(seconds, 1), **more, **self._numbers})
        write_journal(self._path, self._rows)

    def _pace(self, decisions: int) -> str:
        rate = self._numbers.get("decisions_per_second") or 0.0  # unknown if the file was lost
        return f"{decisions / 1e6:6.1f} M decisions  {rate / 1e3:4.0f} k/s"


class _Progress(BaseModel):
    """The parts of a row of progress.jsonl that a resumed run needs."""

    model_config = ConfigDict(strict=True)

    decisions: int


def _kept_rows(path: Path, decisions: int) -> list[dict[str, Any]]:
    """Return the rows up to the checkpoint's decisions: a resumed run repeats the later ones."""
    try:
        rows = read_journal(path) if path.exists() else []
        made = [read_model(_Progress, row, f"{path}, line {number}").decisions for number, row in enumerate(rows, 1)]
    except ValueError as error:
        raise DamagedFileError(f"{error}; {_WAY_BACK}") from None
    return [row for row, then in zip(rows, made, strict=True) if then <= decisions]


def has_met(run: Path, decisions: int) -> bool:
    """Whether the panel was met after so many decisions."""
    return any("vs" in row and row["decisions"] == decisions for row in _kept_rows(run / "progress.jsonl", decisions))


# --- versions and commit ---------------------------------------------------------------------------------------------


def versions() -> dict[str, str]:
    return {name: version(name) for name in ("casino-env", "numpy", "torch")}


def commit() -> str:
    """Return the commit of the checkout, with a + if tracked files differ from it."""
    here = Path(__file__).parent

    def git(*words: str) -> str:
        return subprocess.run(
            ["git", *words], cwd=here, capture_output=True, encoding="utf-8", check=True
        ).stdout.strip()

    try:
        return git("rev-parse", "--short=12", "HEAD") + ("+" if git("status", "--porcelain", "-uno") else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
