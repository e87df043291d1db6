"""Which charts a report has: by section of the page a list of titled plots."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

from casino_env.agents.files import write_file
from casino_env.evaluate.report.pixels import as_png
from casino_env.evaluate.report.plots import Bars, Form, Lines, Point, Row, as_file, compact, fixed, percent

# Part of a style -> its numbers, or all that there are; what comes before their names, and their form.
_STYLE: dict[str, tuple[tuple[tuple[str, ...], str, Form], ...]] = {
    "turns": (((), "turns with:", percent),),
    "builds": (
        (("made",), "builds a deal:", fixed()),
        (("cashed", "lost", "left"), "builds, share that was", percent),
    ),
    "steals": ((("stolen cards", "robbed cards"), "a deal:", fixed()),),
    "points": (((), "points a deal:", fixed()),),
}
_REGRET = {
    "lost a deal": ("points lost a deal", fixed()),
    "lost a decision": ("points lost a decision", fixed(3)),
    "mistakes": ("share of decisions that lose points", percent),
}


class Chart(NamedTuple):
    title: str
    plot: Bars | Lines


Charts = dict[str, list[Chart]]


def charts(report: dict[str, Any], styles: list[Row]) -> Charts:
    """styles: groups of those that may be compared. A run has its charts twice: by decisions, and by minutes."""
    found = {f"tournament{k}": _standings(row["ratings"]) for k, row in enumerate(report["tournaments"])}
    for k, run in enumerate(report["runs"]):
        found |= {f"run{k}": _run(run, "decisions"), f"run{k}minutes": _run(run, "minutes") if _timed(run) else []}
    found["curves"] = _compared(report["runs"]) if len(report["runs"]) > 1 else []
    matches = [(f"{row['a']} over {row['b']}", row | {"mean": row["diff"]}) for row in report["matches"]]
    found["matches"] = [Chart("", Bars(matches, fixed(2, "+"), dots=True))] if matches else []
    exploits = [(row["agent"], row["exploited"]) for row in report["exploits"]]
    found["exploits"] = [Chart("", Bars(exploits, fixed(), dots=True))] if exploits else []
    regrets = report["regrets"]
    found["regret"] = [_small(regrets, key, *how) for key, how in _REGRET.items()] if regrets else []
    return found | {f"style{k}": _style(group["rows"]) for k, group in enumerate(styles)}


def _standings(ratings: list[Row]) -> list[Chart]:
    found = []
    for title, key, digits in (("Elo", "elo", 0), ("Points a deal", "points", 2)):
        ends = {"mean": key, "low": f"{key}_low", "high": f"{key}_high"}
        rows = [(row["agent"], {end: row[name] for end, name in ends.items()}) for row in ratings]
        found.append(Chart(title, Bars(rows, fixed(digits, "+"), dots=True)))
    return found if ratings else []


def _small(rows: list[Row], key: str, title: str, form: Form) -> Chart:
    """A number of each agent."""
    nothing = {"mean": 0.0}
    return Chart(title, Bars([(row["agent"], row.get(key, nothing)) for row in rows], form, False, 360, 118))


def _style(rows: list[Row]) -> list[Chart]:
    found = []
    for part, kinds in _STYLE.items():
        parts = [row[part] | {"agent": row["agent"]} for row in rows]
        everything = tuple(dict.fromkeys(name for row in rows for name in row[part]))
        for names, title, form in kinds:
            met = [name for name in names or everything if any(row.get(name, {}).get("mean", 0) > 0 for row in parts)]
            found += [_small(parts, name, f"{title} {name}", form) for name in met]
    when = [(row["agent"], [Point(k, share) for k, share in enumerate(row["captures by turn"], 1)]) for row in rows]
    if any(shares for _, shares in when):
        title = "When it captures: share of its captures by its turn in the deal"
        found.append(Chart(title, Lines(when, percent, "turn of the seat", 1100, 260)))
    return found


# --- training runs -------------------------------------------------------------------------------------------------


def _timed(run: Row) -> bool:
    return all(point.get("seconds") is not None for point in run["points"])


def _across(point: Row, label: str) -> float:
    return float(point["seconds"] / 60 if label == "minutes" else point["decisions"])


def _curve(run: Row, rival: str, label: str) -> list[Point]:
    met = [(point, point["vs"][rival]) for point in run["points"] if rival in (point.get("vs") or {})]
    return [Point(_across(point, label), row["diff"], row.get("low"), row.get("high")) for point, row in met]


def _rivals(runs: list[Row]) -> list[str]:
    return list(dict.fromkeys(name for run in runs for point in run["points"] for name in point.get("vs") or {}))


def _run(run: Row, label: str) -> list[Chart]:
    """Its strength, and all the numbers that it noted beside; those that stay 0 are none of its algorithm."""
    curves = [(f"against {name}", _curve(run, name, label)) for name in _rivals([run])]
    found = (
        [Chart("Strength: points a deal more than the opponent", Lines(curves, compact, label, 1100, 340))]
        if curves
        else []
    )
    names = dict.fromkeys(name for point in run["points"] for name in point)
    for name in [name for name in names if name not in ("decisions", "seconds")]:
        known = [(point, point[name]) for point in run["points"] if isinstance(point.get(name), int | float)]
        points = [Point(_across(point, label), float(value)) for point, value in known]
        found += (
            [Chart(name, Lines([("", points)], compact, "", 360, 170, zero=False))] if any(p.y for p in points) else []
        )
    return found


def _compared(runs: list[Row]) -> list[Chart]:
    """All runs together, a plot for each rival."""
    label = "minutes" if all(map(_timed, runs)) else "decisions"
    curves = {name: [(run["name"], _curve(run, name, label)) for run in runs] for name in _rivals(runs)}
    return [
        Chart(f"Points a deal more than {name}", Lines([one for one in met if one[1]], compact, label, 520, 320))
        for name, met in curves.items()
    ]


# --- files ---------------------------------------------------------------------------------------------------------


def write_charts(found: Charts, folder: Path) -> list[Path]:
    """Each as an SVG and as a PNG file."""
    written: list[Path] = []
    for section, listed in found.items():
        for chart in listed:
            name = re.sub(r"\W+", "-", f"{section} {chart.title}".lower()).strip("-")[:100]
            drawn = chart.plot.svg()
            if folder / f"{name}.svg" in written:
                name += f"-{len(written) // 2}"
            written += [folder / f"{name}.svg", folder / f"{name}.png"]
            write_file(written[-2], as_file(drawn).encode())
            write_file(written[-1], as_png(drawn))
    return written
