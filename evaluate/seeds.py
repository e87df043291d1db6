"""What several runs of the same settings come to, in the manner of rliable (Agarwal and others 2021, "Deep
reinforcement learning at the edge of the statistical precipice"): interquartile means, bootstrap intervals over seeds,
learning curves with bands, performance profiles.

Scores are points a deal over one rival. They are kept by task, that is by game: a sample draws as many runs of each
task as it has, with replacement, and all of them together are summed up.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import trim_mean

from casino_env.arrays import Array
from casino_env.evaluate.charts import Chart, Column, Curve, Point, curves, intervals
from casino_env.evaluate.matches.intervals import LEVEL, Interval

Scores = list[Array]  # of each task a row of runs: [runs], or at several moments [runs, moments]
Statistic = Callable[[Array], Array]  # over the last axis but one
SAMPLES = 2000
_MOMENTS = 100  # of a curve
_MARKS = 200  # of a profile


def iqm(scores: Array) -> Array:
    """Interquartile mean over the runs [..., runs, moments]: of the middle half. It shrugs off a run that went wrong,
    as a median does, and wastes fewer of the others."""
    return np.asarray(trim_mean(scores, 0.25, axis=-2))


STATISTICS: dict[str, Statistic] = {
    "IQM": iqm,
    "median": lambda scores: np.asarray(np.median(scores, axis=-2)),
    "mean": lambda scores: np.asarray(np.mean(scores, axis=-2)),
}


def bootstrap(scores: Scores, statistic: Statistic, seed: int = 0, samples: int = SAMPLES) -> list[Interval]:
    """The statistic at each moment, with the stratified bootstrap's percentile interval over runs."""
    rows, rng = [np.atleast_2d(task.T).T for task in scores], np.random.default_rng(seed)
    drawn = [task[rng.integers(len(task), size=(samples, len(task)))] for task in rows]
    ends = np.percentile(statistic(np.concatenate(drawn, axis=1)), [50 * (1 - LEVEL), 50 * (1 + LEVEL)], axis=0)
    found = statistic(np.concatenate(rows))
    return [Interval(*map(float, row)) for row in zip(found, *ends, strict=True)]


def profile(scores: Scores, marks: Array, seed: int = 0) -> list[Interval]:
    """The share of runs that score more than each mark."""
    return bootstrap([task[:, None] > marks for task in scores], STATISTICS["mean"], seed)


# --- runs of a report, grouped ---------------------------------------------------------------------------------------


class Setting(NamedTuple):
    """Runs that differ in their seeds, and in the games that they learnt."""

    name: str
    tasks: dict[str, list[list[tuple[float, float]]]]  # by game, of each run: (decisions, points a deal) on the way

    @property
    def final(self) -> Scores:
        return [np.array([run[-1][1] for run in runs]) for runs in self.tasks.values()]

    @property
    def moments(self) -> Array:
        """Decisions that all runs have come to."""
        ends = [(run[0][0], run[-1][0]) for runs in self.tasks.values() for run in runs]
        return np.linspace(max(first for first, _ in ends), max(1.0, min(last for _, last in ends)), _MOMENTS)

    def curve(self) -> list[tuple[float, Interval]]:
        """The interquartile mean on the way, with its band."""
        at = self.moments
        scores = [np.array([np.interp(at, *np.array(run).T) for run in runs]) for runs in self.tasks.values()]
        return list(zip(at.tolist(), bootstrap(scores, iqm), strict=True))


def settings_of(runs: list[dict[str, Any]], rival: str) -> list[Setting]:
    """The runs that met the rival, grouped by their names without seed and game, or by what learnt."""
    found: dict[str, Setting] = {}
    for run in runs:
        met = [
            (point["decisions"], point["vs"][rival]["diff"])
            for point in run["points"]
            if rival in (point.get("vs") or ())
        ]
        if met:
            setting = found.setdefault(_name(run), Setting(_name(run), {}))
            setting.tasks.setdefault(f"{run['variant']} {run['players']}", []).append(met)
    if not found:
        known = dict.fromkeys(name for run in runs for point in run["points"] for name in point.get("vs") or ())
        raise ValueError(f"no run has met {rival!r}; they have met: {', '.join(known) or 'nobody'}")
    return list(found.values())


def _name(run: dict[str, Any]) -> str:
    """`no-entropy-seed3` and `no-entropy-swazi-3-seed0` are two runs of `no-entropy`."""
    bare = re.sub(r"seed[-_]?\d+(-\d+)?$", "", run["name"]).replace(f"{run['variant']}-{run['players']}", "")
    return bare.strip("-_.") or str(run["algorithm"])


# --- as numbers and as figures ---------------------------------------------------------------------------------------


def row_of(setting: Setting, rival: str) -> dict[str, Any]:
    row = {"setting": setting.name, "against": rival, "games": len(setting.tasks), "runs": sum(map(len, setting.final))}
    return row | {name: bootstrap(setting.final, each)[0]._asdict() for name, each in STATISTICS.items()}


def figures(settings: list[Setting], rows: list[dict[str, Any]], rival: str) -> list[Chart]:
    over = f"points a deal over {rival}"
    learnt = [Curve(one.name, [Point(x, *y) for x, y in one.curve()]) for one in settings]
    scores = np.concatenate([task for one in settings for task in one.final])
    room = 0.1 * float(np.ptp(scores)) or 0.1
    marks = np.linspace(scores.min() - room, scores.max() + room, _MARKS)
    shares = [
        Curve(one.name, [Point(x, *y) for x, y in zip(marks, profile(one.final, marks), strict=True)])
        for one in settings
    ]
    columns = [Column(name, "{:+.2f}", [row[name] for row in rows]) for name in STATISTICS]
    return [
        Chart("learning curves", curves([("", learnt)], "decisions", f"IQM of {over}")),
        Chart("performance profiles", curves([("", shares)], over, "share of runs above", form="{:.0%}")),
        Chart("at the end", intervals([one.name for one in settings], columns)),
    ]
