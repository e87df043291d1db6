"""What a person sees of a run: a live display or lines, TensorBoard, and progress.jsonl for reports."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.table import Table

from casino_env.agents.files import DamagedFileError, Journal, read_journal, write_journal
from casino_env.evaluate.shapes import NUMBER, Each, Maybe, check_shape
from casino_env.train.watching.board import Board

PROGRESS = "casino-progress 1"
_WAY_BACK = "delete it, and the run goes on with a new one"
_MATCHES = {"vs": Maybe(Each(dict.fromkeys(("diff", "low", "high"), NUMBER)))}
_LEVELS, _TREND = "▁▂▃▄▅▆▇█", 24  # of the small line, and how many values it has
# Every scalar that is logged, with what it means; docs/metrics.md is printed from here.
METRICS = {
    "decisions_per_second": "decisions of the learner that were played and learnt from, evaluation included",
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
    "games": "games that ended in the last iteration",
    "decisions_per_game": "of the learner, in the games that ended in the last iteration",
    "turns_per_game": "afterstates: of all seats",
}


class Watch:
    """Shows and keeps what a run reports."""

    def __init__(self, run: Path, title: str, decisions: int, config: dict[str, Any], *, quiet: bool = False) -> None:
        self._file = _progress(run, decisions)
        self._board = Board(run / "tensorboard", decisions)
        self._board.tell("config", _code(json.dumps(config, indent=2)), decisions)
        self._console = Console(stderr=True)
        self._live = self._console.is_terminal and not quiet
        self._quiet, self._title = quiet, title
        self._kept = -1  # hundredths of the run that the file has numbers of
        self._strength = _past(run)
        self._display = Live(console=self._console, auto_refresh=False, transient=True) if self._live else None

    def __enter__(self) -> Watch:
        if self._display:
            self._display.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._display:
            self._display.stop()
        self._file.close()
        self._board.close()

    def iteration(
        self, metrics: dict[str, float], decisions: int, seconds: float, left: float, progress: float
    ) -> None:
        """left: seconds still to go; progress: the share of the run that is done."""
        self._board.add({f"train/{name}": value for name, value in metrics.items()}, decisions)
        if int(100 * progress) > self._kept:
            self._kept = int(100 * progress)
            self._keep(metrics, decisions, seconds)
        if self._display:
            self._display.update(self._table(metrics, decisions, seconds, left), refresh=True)

    def strength(
        self, matches: dict[str, dict[str, float]], metrics: dict[str, float], decisions: int, seconds: float
    ) -> None:
        """Matches against the panel: {agent: {diff, low, high, won}}."""
        for name, match in matches.items():
            self._strength.setdefault(name, []).append(match)
        scalars = {f"strength/{name}": match["diff"] for name, match in matches.items()}
        self._board.add(scalars | {f"won/{name}": match["won"] for name, match in matches.items()}, decisions)
        self._keep(metrics, decisions, seconds, vs=matches)
        if not self._live and not self._quiet:
            scores = ", ".join(f"{name} {_words(match)}" for name, match in matches.items())
            speed = metrics["decisions_per_second"]
            line = f"{seconds:6.0f} s  {decisions / 1e6:6.1f} M decisions  {speed / 1e3:4.0f} k/s"
            line += f"  against {scores}" if scores else ""
            self._console.print(line, highlight=False, soft_wrap=True)

    def _keep(self, metrics: dict[str, float], decisions: int, seconds: float, **more: Any) -> None:
        """For reports."""
        numbers = {name: value if math.isfinite(value) else None for name, value in metrics.items()}
        self._file.append({"decisions": decisions, "seconds": round(seconds, 1), **more, **numbers})

    def _table(self, metrics: dict[str, float], decisions: int, seconds: float, left: float) -> Table:
        table = Table(title=self._title, show_header=False, min_width=60)
        speed = metrics.get("decisions_per_second", 0.0)
        table.add_row("decisions", f"{decisions / 1e6:.2f} M, {speed / 1e3:.0f} k a second")
        table.add_row("time", f"{_clock(seconds)}, {_clock(left)} to go")
        table.add_row("losses", f"policy {metrics['policy_loss']:+.4f}, value {metrics['value_loss']:.4f} "
                      f"(explains {100 * metrics['explained_variance']:.0f} %)")  # fmt: skip
        table.add_row("policy", f"entropy {metrics['entropy']:.3f}, moved by {metrics['kl']:.4f}")
        for name, matches in self._strength.items():
            table.add_row(f"against {name}", f"{_words(matches[-1])} points a deal  {trend(matches)}")
        return table


class Unwatched:
    """What the processes beside the first have."""

    def __enter__(self) -> Unwatched:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def iteration(self, *_: Any) -> None:
        pass

    def strength(self, *_: Any) -> None:
        pass


def _code(text: str) -> str:
    """As Markdown that leaves it as it is."""
    return "\n".join(f"    {line}" for line in text.splitlines())


def _words(match: dict[str, float]) -> str:
    return f"{match['diff']:+.2f} ({match['low']:+.2f} to {match['high']:+.2f})"


def trend(matches: list[dict[str, float]]) -> str:
    """The last values as a small line, from the lowest of them to the highest."""
    last = [match["diff"] for match in matches[-_TREND:]]
    low, high = min(last), max(last)
    unit = (len(_LEVELS) - 1) / ((high - low) or 1.0)
    return "".join(_LEVELS[round((value - low) * unit)] for value in last)


def _past(run: Path) -> dict[str, list[dict[str, float]]]:
    """The matches of a run that is gone on with."""
    found: dict[str, list[dict[str, float]]] = {}
    path = run / "progress.jsonl"
    for number, row in enumerate(read_journal(path)[1:], 2):
        try:
            check_shape(row, _MATCHES, f"{path}, line {number}")
        except ValueError as error:
            raise DamagedFileError(f"{error}; {_WAY_BACK}") from None
        for name, match in row.get("vs", {}).items():
            found.setdefault(name, []).append(match)
    return found


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


def _progress(run: Path, decisions: int) -> Journal:
    """The journal of a run; a resumed one repeats what came after its checkpoint, so that is forgotten."""
    path = run / "progress.jsonl"
    try:
        rows = read_journal(path) if path.exists() else []
    except DamagedFileError as error:
        raise DamagedFileError(f"{error}; {_WAY_BACK}") from None
    kept = [row for row in rows[1:] if isinstance(row.get("decisions"), int) and row["decisions"] <= decisions]
    if len(kept) < len(rows) - 1:
        write_journal(path, [rows[0], *kept])
    return Journal(path, {"format": PROGRESS})
