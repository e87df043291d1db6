"""Statistics over runs with several seeds: means with Student's intervals, differences between groups, probability of
improvement, learning curves, performance profiles, and the table of a paper, in LaTeX or as CSV.

From ten runs on, the mean is joined by the interquartile mean of rliable (Agarwal and others 2021, "Deep reinforcement
learning at the edge of the statistical precipice"); with fewer its bootstrap intervals are too narrow.

Scores are points a deal over one rival. They are kept by task, that is by game: runs are compared within a game, and
then aggregated over games.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, stdtrit
from scipy.stats import trim_mean

from casino_env.agents.policy.policy_files import find_policy, learnt, read_description
from casino_env.arrays import Array
from casino_env.evaluate.charts import Chart, Column, Curve, Point, curves, intervals
from casino_env.evaluate.matches.intervals import LEVEL, Interval
from casino_env.evaluate.matches.match import match
from casino_env.evaluate.tables import csv_text
from casino_env.validate import closest

Scores = list[Array]  # for each task the scores of its runs: [runs], or at several moments [runs, moments]
SAMPLES = 2000  # of the bootstrap
FEWEST = 10  # fewest runs of each game for which bootstrap intervals have their stated coverage
AXES = {"decisions": ("decisions", 1), "minutes": ("seconds", 60), "processor minutes": ("cpu_seconds", 60)}
_MOMENTS = 100  # points of a learning curve
_MARKS = 200  # points of a performance profile
_UPPER = (1 + LEVEL) / 2


# --- intervals -------------------------------------------------------------------------------------------------------


def student(scores: Scores) -> list[Interval]:
    """Return the mean of all runs at each moment, with Student's interval over runs; infinite if a game has one run."""
    total = sum(map(len, scores))
    return _weighted([(len(task) / total, task) for task in scores])


def _weighted(parts: list[tuple[float, Array]]) -> list[Interval]:
    """Return a weighted sum of means of independent runs, with Welch-Satterthwaite degrees of freedom."""
    rows = [(weight, np.atleast_2d(task.T).T) for weight, task in parts]
    found = sum(weight * task.mean(axis=0) for weight, task in rows)
    if min(len(task) for _, task in rows) < 2:
        return [Interval(float(one), -math.inf, math.inf) for one in found]
    spreads = [weight**2 * task.var(axis=0, ddof=1) / len(task) for weight, task in rows]
    spread = sum(spreads)
    small = sum(one**2 / (len(task) - 1) for one, (_, task) in zip(spreads, rows, strict=True))
    freedom = np.where(small > 0, spread**2 / np.where(small > 0, small, 1.0), 1.0)
    half = stdtrit(freedom, _UPPER) * np.sqrt(spread)
    return [Interval(*map(float, row)) for row in zip(found, found - half, found + half, strict=True)]


def iqm(scores: Array) -> Array:
    """Return the interquartile mean, that of the middle half, over the runs [..., runs, moments]. It is as robust
    against a failed run as the median, and uses more of the others."""
    return np.asarray(trim_mean(scores, 0.25, axis=-2))


def share(above: Array) -> Array:
    return np.asarray(np.mean(above, axis=-2))


def enough(scores: Scores) -> bool:
    """Whether there are enough runs for a bootstrap."""
    return min(map(len, scores)) >= FEWEST


def bootstrap(scores: Scores, statistic: Any = iqm, samples: int = SAMPLES) -> list[Interval]:
    """Return the statistic at each moment, with the interval of a stratified bootstrap over runs.

    Percentile intervals of few runs are too narrow, so these are widened to match Student's quantiles (expanded
    percentiles: Hesterberg 2015, "What teachers should know about the bootstrap").
    """
    rows, rng = [np.atleast_2d(task.T).T for task in scores], np.random.default_rng(0)
    drawn = [task[rng.integers(len(task), size=(samples, len(task)))] for task in rows]
    least, freedom = min(map(len, rows)), sum(len(task) - 1 for task in rows)
    out = float(ndtr(stdtrit(freedom, _UPPER) * math.sqrt(least / (least - 1))))
    ends = np.percentile(statistic(np.concatenate(drawn, axis=1)), [100 * (1 - out), 100 * out], axis=0)
    found = statistic(np.concatenate(rows))
    return [Interval(*map(float, row)) for row in zip(found, *ends, strict=True)]


def improvement(a: Scores, b: Scores) -> Interval:
    """Return the probability that a run of a beats a run of b in the same game, ties counting half, with the interval
    of Newcombe (2006, method 5), which has width even at 0 and 1. Infinite for single runs."""
    ahead = [np.mean((x[:, None] > y) + 0.5 * (x[:, None] == y)) for x, y in zip(a, b, strict=True)]
    found, sizes = float(np.mean(ahead)), [(len(x), len(y)) for x, y in zip(a, b, strict=True)]
    if min(map(min, sizes)) < 2:
        return Interval(found, -math.inf, math.inf)
    freedom = sum(m + n - 2 for m, n in sizes)
    far = float(stdtrit(freedom, _UPPER))

    def beyond(truth: float) -> float:
        """Return how far a true value lies outside the interval; 0 at its ends."""
        return abs(found - truth) - far * math.sqrt(sum(_spread(truth, *size) for size in sizes)) / len(sizes)

    inside = min(max(found, 1e-9), 1 - 1e-9)  # at 0 and 1 the variance is 0
    low = 0.0 if found == 0 else brentq(beyond, 0.0, inside)
    return Interval(found, float(low), 1.0 if found == 1 else float(brentq(beyond, inside, 1.0)))


def _spread(truth: float, m: int, n: int) -> float:
    """Return the variance of the share of m * n pairs that are ahead (Hanley and McNeil 1982)."""
    each = (m + n) / 2 - 1
    return truth * (1 - truth) * (1 + each * ((1 - truth) / (2 - truth) + truth / (1 + truth))) / (m * n)


# --- runs of a report, grouped ---------------------------------------------------------------------------------------


class Learnt(NamedTuple):
    """The results of a run against the rival."""

    seed: Any
    final: float  # points a deal at the end
    way: dict[str, list[tuple[float, float]]]  # learning curve (position, points) by axis of AXES, if it was logged


class Setting(NamedTuple):
    """A group of runs that differ only in seed and game."""

    name: str
    tasks: dict[str, list[Learnt]]  # by game

    @property
    def final(self) -> Scores:
        return [self.of(game) for game in self.tasks]

    def of(self, game: str) -> Array:
        return np.array([run.final for run in self.tasks[game]])

    def curve(self, axis: str = "decisions") -> list[tuple[float, Interval]]:
        """Return the mean learning curve with its band, over the range that all runs cover; empty if a run lacks it."""
        ways = [[run.way.get(axis, []) for run in runs] for runs in self.tasks.values()]
        ends = [(way[0][0], way[-1][0]) if way else (0.0, -1.0) for task in ways for way in task]
        first, last = max(first for first, _ in ends), min(last for _, last in ends)
        if last < first:
            return []
        at = np.linspace(first, last, _MOMENTS if last > first else 1)
        scores = [np.array([np.interp(at, *np.array(way).T) for way in task]) for task in ways]
        return list(zip(at.tolist(), student(scores), strict=True))


def settings_of(runs: list[dict[str, Any]], rival: str, by: Sequence[str] = ()) -> list[Setting]:
    """Group the runs that met the rival: by settings, else by name without seed and game, else by algorithm."""
    found: dict[str, Setting] = {}
    for run in runs:
        met = [point for point in run["points"] if rival in (point.get("vs") or ())]
        final = run.get("anew", {}).get(rival, met[-1]["vs"][rival]["diff"] if met else None)
        if final is not None:
            name = _values(run, by) if by else _name(run)
            setting = found.setdefault(name, Setting(name, {}))
            game = " ".join([f"{run['variant']} {run['players']}", *run["switches"]])
            ways = {axis: way for axis in AXES if (way := _way(met, rival, *AXES[axis]))}
            setting.tasks.setdefault(game, []).append(Learnt(run["seed"], final, ways))
    if not found:
        known = dict.fromkeys(name for run in runs for point in run["points"] for name in point.get("vs") or ())
        raise ValueError(f"no run has played {rival!r}; they have played: {', '.join(known) or 'nobody'}")
    return list(found.values())


def _way(met: list[dict[str, Any]], rival: str, key: str, unit: int) -> list[tuple[float, float]]:
    timed = all(point.get(key) is not None for point in met)
    return [(point[key] / unit, point["vs"][rival]["diff"]) for point in met] if timed else []


def _name(run: dict[str, Any]) -> str:
    """Return the name of the group: `no-entropy-seed3` and `no-entropy-swazi-3-seed0` belong to `no-entropy`."""
    bare = re.sub(r"seed[-_]?\d+(-\d+)?$", "", run["name"])
    bare = re.sub(rf"(?<![^-_.]){re.escape(run['variant'])}-{run['players']}(?![^-_.])", "", bare)
    return bare.strip("-_.") or str(run["algorithm"])


def _values(run: dict[str, Any], by: Sequence[str]) -> str:
    """Name a group by its settings: texts stand alone, other values as key=value with the last part of the key."""
    said = []
    for key in by:
        if key not in run["settings"]:
            raise ValueError(f"{run['name']} has no setting {key!r}{closest(key, list(run['settings']))}")
        value = run["settings"][key]
        said.append(value if isinstance(value, str) else f"{key.rpartition('.')[2]}={json.dumps(value)}")
    return ", ".join(said)


def play_anew(runs: list[dict[str, Any]], rivals: Sequence[str], deals: int, threads: int, seed: int) -> Iterator[str]:
    """Play the final policies of the runs against the rivals on the same deals, and use these scores instead of the
    logged ones. Yield the name of each run when it is done."""
    for run in runs:
        rules = learnt(read_description(find_policy(run["folder"])))[0]
        run["anew"] = {
            rival: match(f"policy:{run['folder']}", rival, rules, deals=deals, seed=seed, threads=threads).diff
            for rival in rivals
        }
        yield run["name"]


# --- as numbers and as figures ---------------------------------------------------------------------------------------


def cost_of(runs: list[Learnt]) -> dict[str, float]:
    """Return the mean cost of a run by axis, for the axes that all runs logged."""
    return {
        axis: float(np.mean([run.way[axis][-1][0] for run in runs]))
        for axis in AXES
        if all(axis in run.way for run in runs)
    }


def row_of(setting: Setting, rival: str) -> dict[str, Any]:
    row = {"setting": setting.name, "against": rival, "games": len(setting.tasks), "runs": sum(map(len, setting.final))}
    row["mean"] = student(setting.final)[0].to_json()
    row["cost"] = cost_of([run for runs in setting.tasks.values() for run in runs])
    return row | ({"IQM": bootstrap(setting.final)[0].to_json()} if enough(setting.final) else {})


def differences(settings: list[Setting], rival: str) -> list[dict[str, Any]]:
    """Compare every two groups with games in common: difference in points a deal, and probability of improvement."""
    return [row for a, b in combinations(settings, 2) if (row := _difference(a, b, rival))]


def _difference(a: Setting, b: Setting, rival: str) -> dict[str, Any]:
    games = [game for game in a.tasks if game in b.tasks]
    if not games:
        return {}
    paired = all(_seeds(a.tasks[game]) == _seeds(b.tasks[game]) is not None for game in games)
    if paired:  # the effect of the seed on both cancels out
        gaps = [_by_seed(a.tasks[game]) - _by_seed(b.tasks[game]) for game in games]
        (gap,) = student(gaps)
    else:
        each = 1 / len(games)
        (gap,) = _weighted([part for game in games for part in ((each, a.of(game)), (-each, b.of(game)))])
    better = improvement([a.of(game) for game in games], [b.of(game) for game in games])
    row = {"a": a.name, "b": b.name, "against": rival, "games": len(games), "paired": paired}
    return row | {"diff": gap.to_json(), "better": better.to_json()}


def _seeds(runs: list[Learnt]) -> list[str] | None:
    """Return the sorted seeds; None if one is unknown or occurs twice."""
    seeds = sorted(str(run.seed) for run in runs)
    return None if "?" in seeds or len(set(seeds)) < len(seeds) else seeds


def _by_seed(runs: list[Learnt]) -> Array:
    return np.array([run.final for run in sorted(runs, key=lambda run: str(run.seed))])


def profile(scores: Scores, marks: Array) -> list[Point]:
    """Return the share of runs that score more than each mark; with a band if there are enough runs."""
    above = [task[:, None] > marks for task in scores]
    if enough(scores):
        return [Point(x, *row) for x, row in zip(marks, bootstrap(above, share), strict=True)]
    return [Point(x, y) for x, y in zip(marks, share(np.concatenate(above)).tolist(), strict=True)]


def _point(x: float, found: Interval) -> Point:
    return Point(x, *found) if math.isfinite(found.low) else Point(x, found.mean)


def figures(settings: list[Setting], rows: list[dict[str, Any]], rival: str) -> list[Chart]:
    over, found = f"points a deal over {rival}", list[Chart]()
    for axis in AXES:
        learnt = [Curve(one.name, [_point(x, y) for x, y in one.curve(axis)]) for one in settings]
        if learnt := [curve for curve in learnt if curve.points]:
            found.append(Chart(f"learning curves by {axis}", curves([("", learnt)], axis, over)))
    scores = np.concatenate([task for one in settings for task in one.final])
    room = 0.1 * float(np.ptp(scores)) or 0.1
    marks = np.linspace(scores.min() - room, scores.max() + room, _MARKS)
    shares = [Curve(one.name, profile(one.final, marks)) for one in settings]
    names = [name for name in ("mean", "IQM") if all(name in row for row in rows)]
    columns = [Column(name, "{:+.2f}", [row[name] for row in rows]) for name in names]
    return [
        *found,
        Chart("performance profiles", curves([("", shares)], over, "share of runs above", form="{:.0%}")),
        Chart("at the end", intervals([one.name for one in settings], columns)),
    ]


# --- the table of a paper: a row for each group, a column for each game and opponent ---------------------------------

Cells = dict[str, dict[tuple[str, str], dict[str, Any]]]  # by group, then by game and opponent

_SPECIAL = {letter: f"\\{letter}" for letter in "&%$#_{}"} | {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
}  # fmt: skip


def cells(groups: dict[str, list[Setting]]) -> Cells:
    """Return the cells of the table. groups: the groups of runs, by opponent."""
    found: Cells = {}
    for rival, settings in groups.items():
        for setting in settings:
            for game in setting.tasks:
                scores = setting.of(game)
                about = student([scores])[0].to_json() | {"runs": len(scores)} | cost_of(setting.tasks[game])
                found.setdefault(setting.name, {})[game, rival] = about
    return found


def as_latex(found: Cells) -> str:
    """Return a tabular for booktabs, without a table environment; the best mean of a column is bold."""
    columns = sorted({column for row in found.values() for column in row})
    best = {column: max(row[column]["mean"] for row in found.values() if column in row) for column in columns}
    heads = [f"{_escaped(game)} over {_escaped(rival)}" for game, rival in columns] + ["decisions"]
    lines = [
        f"{_escaped(name)} & {' & '.join([*(_tex(row.get(c), best[c]) for c in columns), _decisions(row)])} \\\\"
        for name, row in found.items()
    ]
    return "\n".join([
        "% points a deal: mean of the runs, half of Student's 95 % interval over them, (how many runs)",
        "% decisions: of a run, on the mean",
        f"\\begin{{tabular}}{{l{'r' * len(heads)}}}", "\\toprule", f" & {' & '.join(heads)} \\\\", "\\midrule",
        *lines, "\\bottomrule", "\\end{tabular}", "",
    ])  # fmt: skip


def _tex(cell: dict[str, Any] | None, best: float) -> str:
    if cell is None:
        return "--"
    mean = f"{cell['mean']:+.2f}"
    mean = f"\\mathbf{{{mean}}}" if cell["mean"] == best else mean
    half = "" if cell["low"] is None else f" \\pm {(cell['high'] - cell['low']) / 2:.2f}"
    return f"${mean}{half}$ ({cell['runs']})"


def _decisions(row: dict[tuple[str, str], dict[str, Any]]) -> str:
    """The decisions of a run, as the mean over the games."""
    by_game = {game: cell["decisions"] for (game, _), cell in row.items() if "decisions" in cell}
    return f"{sum(by_game.values()) / len(by_game):,.0f}" if by_game else "--"


def _escaped(text: str) -> str:
    return "".join(_SPECIAL.get(letter, letter) for letter in text)


def as_csv(found: Cells) -> str:
    """Return the same numbers as CSV, with a column for each number of a cell."""
    return csv_text(
        {"group": name}
        | {f"{game} over {rival}: {part}": one for (game, rival), cell in row.items() for part, one in cell.items()}
        for name, row in found.items()
    )


TABLES: dict[str, Callable[[Cells], str]] = {".tex": as_latex, ".csv": as_csv}
