"""The charts of a report, drawn by matplotlib: means with intervals, and curves with bands. The page has them as SVG in
its own colours; files are SVG, PNG or PDF."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from casino_env.agents.files import write_file

FORMATS = ("svg", "png", "pdf")
_SERIES = ("#4477aa", "#ee6677", "#228833", "#ccaa22", "#66aacc", "#aa3377", "#888888", "#dd8833")
# Colours of text, dim text, grid lines and bars in files, and the CSS variables that replace them on the page, so that
# charts follow its light or dark theme.
_INK, _DIM, _LINE, _BAR = _COLOURS = "#1c2127", "#667069", "#dfe3dc", "#3f8f6b"
_ON_THE_PAGE = ("var(--ink)", "var(--dim)", "var(--line)", "var(--bar)")
_STYLE: Any = {
    "font.family": "sans-serif", "font.sans-serif": ["DejaVu Sans", "Helvetica", "Arial"], "font.size": 9,
    "text.color": _INK, "text.parse_math": False,
    "axes.facecolor": "none", "axes.edgecolor": _DIM, "axes.labelcolor": _DIM, "axes.titlesize": 9,
    "axes.titlelocation": "left", "axes.spines.top": False, "axes.spines.right": False, "axes.axisbelow": True,
    "axes.grid": True, "grid.color": _LINE, "grid.linewidth": 0.8,
    "xtick.color": _DIM, "ytick.color": _DIM, "xtick.labelsize": 8, "ytick.labelsize": 8,
    "xtick.major.size": 3, "ytick.major.size": 0, "legend.frameon": False, "legend.fontsize": 8,
    "svg.fonttype": "none", "svg.hashsalt": "casino", "pdf.fonttype": 42,
}  # fmt: skip
_WIDE, _HALF = 11.2, 5.5  # width in inches: the whole page, and half of it
_ROW = 0.27  # height of an agent's row, in inches
_LONGEST = 44  # most letters of a name in a chart of half a page

_MORE = "points a deal more"

Row = dict[str, Any]


class Point(NamedTuple):
    x: float
    y: float
    low: float | None = None
    high: float | None = None


class Curve(NamedTuple):
    name: str
    points: list[Point]


class Column(NamedTuple):
    """A panel of numbers: its title, their format, and {mean, low, high} for each row."""

    title: str
    form: str
    means: list[Row]


class Chart(NamedTuple):
    title: str
    figure: Any


Charts = dict[str, list[Chart]]


def charts(report: dict[str, Any]) -> Charts:
    """Draw the charts of a report, by section of the page."""
    runs, matches = report["runs"], report["matches"]
    found = {f"tournament{k}": _standings(cup["ratings"]) for k, cup in enumerate(report["tournaments"])}
    found |= {f"run{k}": _run(run) for k, run in enumerate(runs)}
    found["curves"] = _compared(runs) if len(runs) > 1 else []
    over = Column("Points a deal", "{:+.2f}", [row | {"mean": row["diff"]} for row in matches])
    names = [f"{row['a']} over {row['b']}" for row in matches]
    return found | {"matches": [Chart("", intervals(names, [over]))] if matches else []}


def _standings(ratings: list[Row]) -> list[Chart]:
    columns = []
    for title, key, form in (("Elo", "elo", "{:+.0f}"), ("Points a deal", "points", "{:+.2f}")):
        ends = {"mean": key, "low": f"{key}_low", "high": f"{key}_high"}
        columns.append(Column(title, form, [{end: row[name] for end, name in ends.items()} for row in ratings]))
    names = [row["agent"] for row in ratings]
    return [Chart("Elo and points a deal", intervals(names, columns))] if names else []


# --- training runs -------------------------------------------------------------------------------------------------


def _across(point: Row, label: str) -> float:
    return float(point["seconds"] / 60 if label == "minutes" else point["decisions"])


def _labels(runs: list[Row]) -> tuple[str, ...]:
    timed = all(point.get("seconds") is not None for run in runs for point in run["points"])
    return ("decisions", "minutes") if timed else ("decisions",)


def _strength(run: Row, rival: str, label: str) -> list[Point]:
    met = [(point, point["vs"][rival]) for point in run["points"] if rival in (point.get("vs") or {})]
    return [Point(_across(point, label), row["diff"], row.get("low"), row.get("high")) for point, row in met]


def _rivals(runs: list[Row]) -> list[str]:
    return list(dict.fromkeys(name for run in runs for point in run["points"] for name in point.get("vs") or {}))


def _run(run: Row) -> list[Chart]:
    """The strength of a run and its other metrics, without those that are always 0: its algorithm does not set them."""
    found, noted = list[Chart](), dict[str, list[Point]]()
    for label in _labels([run]) if _rivals([run]) else ():
        met = [Curve(f"against {name}", _strength(run, name, label)) for name in _rivals([run])]
        found.append(Chart(f"Strength by {label}", curves([("", met)], label, _MORE)))
    for point in run["points"]:
        for name, value in point.items():
            if name not in ("decisions", "seconds", "cpu_seconds") and isinstance(value, int | float):
                noted.setdefault(name, []).append(Point(_across(point, "decisions"), float(value)))
    panels = [(name, [Curve("", points)]) for name, points in noted.items() if any(point.y for point in points)]
    return [*found, Chart("What it noted beside, by decisions", curves(panels, height=1.75))] if panels else found


def _compared(runs: list[Row]) -> list[Chart]:
    """The strength of all runs together, a panel for each rival."""
    label, panels = _labels(runs)[-1], []
    for rival in _rivals(runs):
        met = [Curve(run["name"], _strength(run, rival, label)) for run in runs]
        panels.append((f"against {rival}", [curve for curve in met if curve.points]))
    return [Chart("", curves(panels, label, _MORE, height=3.2))] if panels else []


# --- figures -------------------------------------------------------------------------------------------------------


def _styled(draw: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a function to draw in the style of all charts; it imports matplotlib at the first call."""

    def styled(*given: Any, **more: Any) -> Any:
        import matplotlib

        with matplotlib.rc_context(_STYLE), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # letters missing from the font are drawn as boxes
            return draw(*given, **more)

    return styled


def _axes(rows: int, columns: int, width: float, height: float, *, sharey: bool = False) -> tuple[Any, list[Any]]:
    from matplotlib.figure import Figure

    figure = Figure((width, height), layout="constrained")
    return figure, figure.subplots(rows, columns, sharey=sharey, squeeze=False).flatten().tolist()


def _short(name: str, longest: int = _LONGEST) -> str:
    """Shorten a long name: keep the end of a path, the beginning of any other name."""
    if len(name) <= longest:
        return name
    return f"…{name[1 - longest :]}" if "/" in name else f"{name[: longest - 1]}…"


@_styled
def intervals(names: list[str], columns: list[Column]) -> Any:
    """Draw a row for each name and a panel for each column: a dot with its interval and its number."""
    from matplotlib.ticker import MaxNLocator

    wide, at = len(columns) > 1 or max(map(len, names)) > 0.6 * _LONGEST, range(len(names))
    shown = [_short(name, _LONGEST if len(columns) > 1 else 2 * _LONGEST) for name in names]
    figure, all_axes = _axes(1, len(columns), _WIDE if wide else _HALF, 0.75 + _ROW * len(names), sharey=True)
    for axes, column in zip(all_axes, columns, strict=True):
        means = [row["mean"] for row in column.means]
        for y, row in zip(at, column.means, strict=True):
            if row.get("low") is not None and row.get("high") is not None:
                axes.hlines(y, row["low"], row["high"], color=_INK, linewidth=1.3, zorder=2)
            number = column.form.format(row["mean"])
            axes.text(1.03, y, number, transform=axes.get_yaxis_transform(), va="center", fontsize=8)
        axes.plot(means, at, "o", color=_BAR, markersize=6, zorder=3)
        axes.axvline(0, color=_DIM, linewidth=0.8)
        axes.set_title(column.title)
        axes.grid(visible=False, axis="y")
        axes.spines.left.set_visible(False)
        axes.xaxis.set_major_locator(MaxNLocator(4 if len(columns) < 4 else 3))
        axes.xaxis.set_major_formatter(_written(means, column.form))
        axes.set_yticks(at, shown)
        axes.tick_params(axis="y", labelcolor=_INK)
        axes.set_ylim(len(names) - 0.4, -0.6)
    return figure


@_styled
def curves(
    panels: list[tuple[str, list[Curve]]],
    across: str = "",
    up: str = "",
    *,
    height: float = 3.4,
    form: str = "",
    log: str = "",
) -> Any:
    """Draw lines with bands, in panels with titles, up to three side by side. log: the logarithmic axes, like "xy"."""
    rows, columns = -(-len(panels) // 3), min(len(panels), 3)
    figure, all_axes = _axes(rows, columns, _WIDE, rows * height)
    names = list(dict.fromkeys(curve.name for _, series in panels for curve in series))
    for axes, (title, series) in zip(all_axes, panels, strict=False):
        for curve in series:
            _draw_curve(axes, curve, _SERIES[names.index(curve.name) % len(_SERIES)])
        if up and "y" not in log:
            axes.axhline(0, color=_DIM, linewidth=0.8, zorder=1.2)  # the axis always includes zero
        for name, axis, form_of in (("x", axes.xaxis, ""), ("y", axes.yaxis, form)):
            if name in log:
                axes.set(**{f"{name}scale": "log"})
                axis.set_minor_formatter("")
            numbers = [getattr(point, name) for curve in series for point in curve.points]
            axis.set_major_formatter(_written(numbers, form_of))
        axes.set(xlabel=across, ylabel=up)
        axes.set_title(_short(title))
    for axes in all_axes[len(panels) :]:
        axes.set_visible(False)
    if names != [""]:
        lines = {line.get_label(): line for axes in all_axes for line in axes.lines if line.get_label()[0] != "_"}
        fitting = max(1, int(12 * _WIDE / (6 + max(map(len, lines)))))
        figure.legend(lines.values(), lines, loc="outside lower left", ncols=min(fitting, len(lines)))
    return figure


def _draw_curve(axes: Any, curve: Curve, colour: str) -> None:
    x, y = [point.x for point in curve.points], [point.y for point in curve.points]
    style = {"marker": "o" if len(x) < 60 else "", "markersize": 3.5, "linewidth": 1.6}
    axes.plot(x, y, color=colour, label=_short(curve.name) or "_", **style)
    band = [point for point in curve.points if point.low is not None and point.high is not None]
    across, _, low, high = zip(*band, strict=True) if band else ((), (), (), ())
    if len(band) > 1:
        axes.fill_between(across, low, high, color=colour, alpha=0.16, linewidth=0)
    else:  # a single point has no area to fill
        axes.vlines(across, low, high, color=colour, linewidth=1.3)


def _written(numbers: list[float], form: str = "") -> Any:
    """The formatter of an axis: shares as percent, large numbers with k, M or G."""
    from matplotlib.ticker import EngFormatter, PercentFormatter, ScalarFormatter

    if "%" in form:
        return PercentFormatter(1.0)
    return EngFormatter(sep="") if max(map(abs, numbers)) >= 10_000 else ScalarFormatter(useOffset=False)


# --- files ---------------------------------------------------------------------------------------------------------


@_styled
def drawn(figure: Any, form: str) -> bytes:
    """Render a figure as a file of one of FORMATS, without its date, so that equal figures have equal bytes."""
    if form not in FORMATS:
        raise ValueError(f"unknown chart format {form!r}; known: {', '.join(FORMATS)}")
    file = io.BytesIO()
    nothing = {"svg": ("Date", "Creator", "Format", "Type"), "pdf": ("CreationDate",), "png": ()}[form]
    figure.savefig(file, format=form, dpi=200, facecolor="white", metadata=dict.fromkeys(nothing))
    return file.getvalue()


def inline(figure: Any) -> str:
    """Render a figure as an SVG element in the page's colours."""
    text = drawn(figure, "svg").decode()
    text = re.sub(r'(<g id="patch_1">.*?style="fill: )#ffffff', r"\1none", text, count=1, flags=re.DOTALL)
    for colour, variable in zip(_COLOURS, _ON_THE_PAGE, strict=True):
        text = text.replace(colour, variable)
    return text[text.index("<svg") :]


def is_wide(figure: Any) -> bool:
    """Whether a figure takes the whole width of a page."""
    return bool(figure.get_figwidth() > _HALF)


def write_charts(found: Charts, folder: Path, forms: Iterable[str]) -> list[Path]:
    """Write a file for each chart and format; return their paths."""
    written: list[Path] = []
    for section, listed in found.items():
        for chart in listed:
            name = re.sub(r"\W+", "-", f"{section} {chart.title}".lower()).strip("-")[:100]
            for form in forms:
                written.append(folder / f"{name}.{form}")
                write_file(written[-1], drawn(chart.figure, form))
    return written
