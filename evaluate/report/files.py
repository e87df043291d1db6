"""The report as files for other programs: a CSV for each table, a PNG for each plot."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

Row = dict[str, Any]
Report = dict[str, Any]


# --- CSV: one row a number, so that every spreadsheet can turn it round -------------------------------------------


def _standings(report: Report) -> Iterator[Row]:
    for tournament in report["tournaments"]:
        nash, alpha = tournament["nash"] or {}, tournament["alpha_rank"] or {}
        for row in tournament["ratings"]:
            weight = nash.get(row["agent"], {}).get("weight")
            yield {"tournament": tournament["name"], **row, "nash": weight, "alpha_rank": alpha.get(row["agent"])}


def _pairs(report: Report) -> Iterator[Row]:
    for tournament in report["tournaments"]:
        for row in tournament["pairs"]:
            yield {"tournament": tournament["name"], **row}


def _matches(report: Report) -> Iterator[Row]:
    for row in report["matches"]:
        yield {key: value for key, value in row.items() if not isinstance(value, dict | list)}


def _curves(report: Report) -> Iterator[Row]:
    for run in report["runs"]:
        for point in run["points"]:
            for name, row in point.get("vs", {}).items():
                place = {"run": run["name"], "decisions": point["decisions"], "seconds": point.get("seconds")}
                yield {**place, "against": name, **{key: row.get(key) for key in ("diff", "low", "high")}}


def _metrics(report: Report) -> Iterator[Row]:
    for run in report["runs"]:
        for point in run["points"]:
            for name, value in point.items():
                if isinstance(value, int | float) and name not in ("decisions", "seconds"):
                    yield {"run": run["name"], "decisions": point["decisions"], "metric": name, "value": value}


def _measures(kind: str, report: Report) -> Iterator[Row]:
    """Every number with an interval, however deep it lies."""
    for row in report[kind]:
        head = {key: row[key] for key in ("agent", "against", "variant", "players") if key in row}
        for name, value in row.items():
            yield from ({**head, **item} for item in _numbers(name, value))


def _numbers(name: str, value: Any) -> Iterator[Row]:
    if isinstance(value, dict) and "mean" in value:
        yield {"measure": name, **value}
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _numbers(f"{name}: {key}", inner)


TABLES = {
    "standings": _standings,
    "pairs": _pairs,
    "matches": _matches,
    "curves": _curves,
    "metrics": _metrics,
    "styles": lambda report: _measures("styles", report),
    "regrets": lambda report: _measures("regrets", report),
    "exploits": lambda report: _measures("exploits", report),
}


def write_tables(report: Report, folder: Path) -> list[Path]:
    written = []
    for name, rows_of in TABLES.items():
        rows = list(rows_of(report))
        if rows:
            fields = list(dict.fromkeys(key for row in rows for key in row))
            written.append(folder / f"{name}.csv")
            with written[-1].open("w", newline="") as file:
                writer = csv.DictWriter(file, fields)
                writer.writeheader()
                writer.writerows(rows)
    return written


# --- PNG -----------------------------------------------------------------------------------------------------------


def write_plots(report: Report, folder: Path) -> list[Path]:
    """Standings, pairs, learning curves and styles, where there are any."""
    import matplotlib

    matplotlib.use("Agg")
    drawn = []
    for number, tournament in enumerate(report["tournaments"]):
        if tournament["ratings"]:
            drawn.append((f"standings{number}", _plot_standings(tournament)))
            drawn.append((f"pairs{number}", _plot_pairs(tournament)))
    drawn += [(f"curve{number}", _plot_curve(run)) for number, run in enumerate(report["runs"]) if _rivals([run])]
    if len(report["runs"]) > 1 and _rivals(report["runs"]):
        drawn.append(("curves", _plot_curves(report["runs"])))
    if report["styles"]:
        drawn.append(("styles", _plot_styles(report["styles"])))
    for name, figure in drawn:
        figure.savefig(folder / f"{name}.png", dpi=150)
    return [folder / f"{name}.png" for name, _ in drawn]


def _figure(width: float, height: float) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _errors(rows: list[Row], mean: str, low: str, high: str) -> list[list[float]]:
    """How far the intervals reach to both sides."""
    return [[row[mean] - row[low] for row in rows], [row[high] - row[mean] for row in rows]]


def _plot_standings(tournament: Row) -> Any:
    rows = tournament["ratings"][::-1]
    figure, axes = _figure(7, 1.2 + 0.35 * len(rows))
    errors = _errors(rows, "elo", "elo_low", "elo_high")
    axes.errorbar([row["elo"] for row in rows], range(len(rows)), xerr=errors, fmt="o", color="#17523a", capsize=3)
    axes.set_yticks(range(len(rows)), [row["agent"] for row in rows])
    axes.axvline(0, color="#999999", linewidth=0.8)
    axes.set_xlabel("Elo, 95 % interval")
    axes.set_title(tournament["name"])
    return figure


def _plot_pairs(tournament: Row) -> Any:
    names = [row["agent"] for row in tournament["ratings"]]
    values = np.full((len(names), len(names)), np.nan)
    for pair in (pair for pair in tournament["pairs"] if {pair["a"], pair["b"]} <= {*names}):
        a, b = names.index(pair["a"]), names.index(pair["b"])
        values[a, b], values[b, a] = pair["diff"], -pair["diff"]
    figure, axes = _figure(2.5 + 0.9 * len(names), 1.5 + 0.7 * len(names))
    most = float(np.nanmax(np.abs(values))) or 1.0
    picture = axes.imshow(values, cmap="RdBu", vmin=-most, vmax=most, aspect="auto")
    axes.set_xticks(range(len(names)), names, rotation=30, ha="right")
    axes.set_yticks(range(len(names)), names)
    for (a, b), value in np.ndenumerate(values):
        if np.isfinite(value):
            axes.text(
                b, a, f"{value:+.2f}", ha="center", va="center", color="white" if abs(value) > 0.7 * most else "black"
            )
    figure.colorbar(picture, label="points a deal of the row over the column")
    return figure


def _rivals(runs: list[Row]) -> list[str]:
    return list(dict.fromkeys(name for run in runs for point in run["points"] for name in point.get("vs", {})))


def _plot_curve(run: Row) -> Any:
    """One run against all its rivals."""
    figure, axes = _figure(8, 4.5)
    for name in _rivals([run]):
        _draw_curve(axes, run, name, f"against {name}")
    _finish_curves(axes, run["name"])
    axes.legend(frameon=False)
    axes.set_ylabel("points a deal")
    return figure


def _plot_curves(runs: list[Row]) -> Any:
    """All runs, a picture for each rival."""
    from matplotlib.figure import Figure

    rivals = _rivals(runs)
    figure = Figure(figsize=(4.5 * len(rivals) + 1.5, 4), layout="constrained")
    several = figure.subplots(1, len(rivals), squeeze=False)[0]
    for axes, name in zip(several, rivals, strict=True):
        axes.spines[["top", "right"]].set_visible(False)
        for run in runs:
            _draw_curve(axes, run, name, run["name"])
        _finish_curves(axes, f"against {name}")
    figure.supylabel("points a deal")
    lines, names = max((axes.get_legend_handles_labels() for axes in several), key=lambda found: len(found[1]))
    figure.legend(lines, names, frameon=False, loc="outside right upper")  # beside the curves: it would hide some
    return figure


def _draw_curve(axes: Any, run: Row, rival: str, label: str) -> None:
    points = [(point["seconds"] / 60, point["vs"][rival]) for point in run["points"] if rival in point.get("vs", {})]
    across = [minutes for minutes, _ in points]
    (line,) = axes.plot(across, [row["diff"] for _, row in points], label=label)
    edges = [np.array([row.get(key, np.nan) for _, row in points], float) for key in ("low", "high")]
    axes.fill_between(across, *edges, color=line.get_color(), alpha=0.15)


def _finish_curves(axes: Any, title: str) -> None:
    axes.axhline(0, color="#999999", linewidth=0.8)
    axes.set_xlabel("minutes of training")
    axes.set_title(title)


def _plot_styles(styles: list[Row]) -> Any:
    plays = list(styles[0]["turns"])
    figure, axes = _figure(9, 4.5)
    wide = 0.8 / len(styles)
    for number, row in enumerate(styles):
        places = np.arange(len(plays)) + (number - (len(styles) - 1) / 2) * wide
        rows = [row["turns"][play] for play in plays]
        axes.bar(
            places,
            [item["mean"] for item in rows],
            wide * 0.95,
            yerr=_errors(rows, "mean", "low", "high"),
            label=f"{row['agent']} ({row['variant']})",
        )
    axes.set_xticks(range(len(plays)), plays)
    axes.set_ylabel("share of turns")
    axes.legend(frameon=False)
    return figure
