"""The charts of a report, drawn by matplotlib: means with their intervals, and curves with bands. On the page they are
SVG in its colours; files are SVG, PNG or PDF."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from casino_env.agents.files import write_file
from casino_env.evaluate.report.contents import grouped

FORMATS = ("svg", "png", "pdf")
_SERIES = ("#4477aa", "#ee6677", "#228833", "#ccaa22", "#66aacc", "#aa3377", "#888888", "#dd8833")
# Ink, dim ink, lines and bars of a file, and what the page calls them: there they follow the reader's choice of light
# or dark.
_INK, _DIM, _LINE, _BAR = "#1c2127", "#667069", "#dfe3dc", "#3f8f6b"
_VARIABLES = {_INK: "var(--ink)", _DIM: "var(--dim)", _LINE: "var(--line)", _BAR: "var(--bar)"}
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
_WIDE, _HALF = 11.2, 5.5  # inches: a card of the page over its whole width, and over half of it
_ROW = 0.27  # inches for an agent
_LONGEST = 44  # letters of a name, where half a page has to do

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
    """A number of every row: its title, how it is written, and {mean, low, high} by row."""

    title: str
    form: str
    means: list[Row]


class Chart(NamedTuple):
    title: str
    figure: Any

    @property
    def wide(self) -> bool:
        return bool(self.figure.get_figwidth() > _HALF)


Charts = dict[str, list[Chart]]

# Part of a style -> its numbers, or all that there are; what they are, and how they are written.
_STYLE_PARTS: tuple[tuple[str, tuple[str, ...], str, str], ...] = (
    ("turns", (), "Share of turns with a", "{:.1%}"),
    ("builds", ("made", "won over", "drifts", "value"), "Builds: made, won over, drifts a deal; mean value", "{:.2f}"),
    ("builds", ("cashed", "lost", "left"), "Share of the builds that was", "{:.1%}"),
    ("steals", ("stolen cards", "robbed cards"), "Cards a deal", "{:.2f}"),
    ("points", (), "Points a deal for", "{:.2f}"),
)
_REGRET = (
    ("lost a deal", "points lost a deal", "{:.2f}"),
    ("lost a decision", "points lost a decision", "{:.3f}"),
    ("mistakes", "decisions that lose points", "{:.1%}"),
)


def charts(report: dict[str, Any]) -> Charts:
    """By section of the page."""
    found = {f"tournament{k}": _standings(cup["ratings"]) for k, cup in enumerate(report["tournaments"])}
    found |= {f"run{k}": _run(run) for k, run in enumerate(report["runs"])}
    found["curves"] = _compared(report["runs"]) if len(report["runs"]) > 1 else []
    found["matches"] = _single(
        [f"{row['a']} over {row['b']}" for row in report["matches"]],
        Column("Points a deal", "{:+.2f}", [row | {"mean": row["diff"]} for row in report["matches"]]),
    )
    found["exploits"] = _single(
        [row["agent"] for row in report["exploits"]],
        Column("Points a deal that are won from it", "{:.2f}", [row["exploited"] for row in report["exploits"]]),
    )
    found["regret"] = _regret(report["regrets"])
    return found | {f"style{k}": _style(group["rows"]) for k, group in enumerate(grouped(report["styles"]))}


def _single(names: list[str], column: Column) -> list[Chart]:
    return [Chart("", intervals(names, [column], dots=True))] if names else []


def _standings(ratings: list[Row]) -> list[Chart]:
    names = [row["agent"] for row in ratings]
    columns = []
    for title, key, form in (("Elo", "elo", "{:+.0f}"), ("Points a deal", "points", "{:+.2f}")):
        ends = {"mean": key, "low": f"{key}_low", "high": f"{key}_high"}
        columns.append(Column(title, form, [{end: row[name] for end, name in ends.items()} for row in ratings]))
    return [Chart("Elo and points a deal", intervals(names, columns, dots=True))] if ratings else []


def _regret(rows: list[Row]) -> list[Chart]:
    columns = [Column(title, form, [row[key] for row in rows]) for key, title, form in _REGRET]
    return [Chart("What is lost", intervals([row["agent"] for row in rows], columns))] if rows else []


def _style(rows: list[Row]) -> list[Chart]:
    names, found = [row["agent"] for row in rows], []
    for part, asked, title, form in _STYLE_PARTS:
        parts = [row[part] for row in rows]
        known = asked or tuple(dict.fromkeys(name for numbers in parts for name in numbers))
        met = [name for name in known if any(numbers.get(name, {}).get("mean", 0) > 0 for numbers in parts)]
        columns = [Column(name, form, [numbers.get(name, {"mean": 0.0}) for numbers in parts]) for name in met]
        found += [Chart(title, intervals(names, columns))] if columns else []
    when = [Curve(row["agent"], [Point(k, y) for k, y in enumerate(row["captures by turn"], 1)]) for row in rows]
    if any(curve.points for curve in when):
        figure = curves(when, "turn of the seat", "", form="{:.0%}", height=2.6)
        found.append(Chart("Share of its captures, by its turn in the deal", figure))
    return found


# --- training runs -------------------------------------------------------------------------------------------------


def _timed(run: Row) -> bool:
    return all(point.get("seconds") is not None for point in run["points"])


def _across(point: Row, label: str) -> float:
    return float(point["seconds"] / 60 if label == "minutes" else point["decisions"])


def _strength(run: Row, rival: str, label: str) -> list[Point]:
    met = [(point, point["vs"][rival]) for point in run["points"] if rival in (point.get("vs") or {})]
    return [Point(_across(point, label), row["diff"], row.get("low"), row.get("high")) for point, row in met]


def _rivals(runs: list[Row]) -> list[str]:
    return list(dict.fromkeys(name for run in runs for point in run["points"] for name in point.get("vs") or {}))


def _run(run: Row) -> list[Chart]:
    """Its strength, and all the numbers that it noted beside; those that stay 0 are none of its algorithm."""
    found = []
    for label in ("decisions", "minutes") if _timed(run) else ("decisions",):
        met = [Curve(f"against {name}", _strength(run, name, label)) for name in _rivals([run])]
        if met:
            found.append(Chart(f"Strength by {label}", curves(met, label, _MORE)))
    noted: dict[str, list[Point]] = {}
    for point in run["points"]:
        for name, value in point.items():
            if name not in ("decisions", "seconds") and isinstance(value, int | float):
                noted.setdefault(name, []).append(Point(_across(point, "decisions"), float(value)))
    met = [Curve(name, points) for name, points in noted.items() if any(point.y for point in points)]
    return [*found, Chart("What it noted beside, by decisions", panels(met))] if met else found


def _compared(runs: list[Row]) -> list[Chart]:
    """All runs together, a chart for each rival."""
    label, found = "minutes" if all(map(_timed, runs)) else "decisions", []
    for rival in _rivals(runs):
        met = [Curve(run["name"], _strength(run, rival, label)) for run in runs]
        figure = curves([curve for curve in met if curve.points], label, _MORE, width=_HALF, height=3.2)
        found.append(Chart(f"Against {rival}", figure))
    return found


# --- figures -------------------------------------------------------------------------------------------------------


def _styled(draw: Callable[..., Any]) -> Callable[..., Any]:
    """In the style of all charts; matplotlib is loaded when the first is drawn."""

    def styled(*given: Any, **more: Any) -> Any:
        import matplotlib

        with matplotlib.rc_context(_STYLE), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # letters that its font has not are drawn as boxes
            return draw(*given, **more)

    return styled


def _figure(width: float, height: float) -> Any:
    from matplotlib.figure import Figure

    return Figure((width, height), layout="constrained")


def _short(name: str, longest: int = _LONGEST) -> str:
    """A name of any length; of a path its end says more."""
    if len(name) <= longest:
        return name
    return f"…{name[1 - longest :]}" if "/" in name else f"{name[: longest - 1]}…"


@_styled
def intervals(names: list[str], columns: list[Column], *, dots: bool = False) -> Any:
    """A line for each name, a panel for each column: a bar from zero, or a dot, with its interval and its number."""
    from matplotlib.ticker import MaxNLocator

    wide = len(columns) > 1 or max(map(len, names)) > 0.6 * _LONGEST
    shown = [_short(name, 2 * _LONGEST if wide and len(columns) == 1 else _LONGEST) for name in names]
    figure = _figure(_WIDE if wide else _HALF, 0.75 + _ROW * len(names))
    for axes, column in zip(figure.subplots(1, len(columns), sharey=True, squeeze=False)[0], columns, strict=True):
        means = [row["mean"] for row in column.means]
        for k, row in enumerate(column.means):
            if row.get("low") is not None and row.get("high") is not None:
                axes.plot([row["low"], row["high"]], [k, k], color=_INK, linewidth=1.3, solid_capstyle="butt")
        if dots:
            axes.plot(means, range(len(names)), "o", color=_BAR, markersize=6)
        else:
            axes.barh(range(len(names)), means, height=0.62, color=_BAR, zorder=1.5)
        axes.axvline(0, color=_DIM, linewidth=0.8)
        for k, mean in enumerate(means):
            number = column.form.format(mean)
            axes.text(1.03, k, number, transform=axes.get_yaxis_transform(), va="center", fontsize=8)
        axes.set_title(column.title)
        axes.grid(visible=False, axis="y")
        axes.spines.left.set_visible(False)
        axes.xaxis.set_major_locator(MaxNLocator(4 if len(columns) < 4 else 3))
        axes.xaxis.set_major_formatter(_written(means, column.form))
        axes.set_yticks(range(len(names)), shown)
        axes.tick_params(axis="y", labelcolor=_INK)
        axes.set_ylim(len(names) - 0.4, -0.6)
    return figure


@_styled
def curves(
    series: list[Curve],
    across: str,
    up: str,
    *,
    width: float = _WIDE,
    height: float = 3.4,
    form: str = "",
    log: str = "",
) -> Any:
    """A line with its band for each; zero is shown, however far away. log: the axes (x, y) that are logarithmic."""
    figure = _figure(width, height)
    axes = figure.subplots()
    for number, curve in enumerate(series):
        _draw_curve(axes, curve, _SERIES[number % len(_SERIES)])
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    if "y" in log:
        axes.set_yscale("log")
    else:
        axes.axhline(0, color=_DIM, linewidth=0.8, zorder=1.2)
        axes.yaxis.set_major_formatter(_written([point.y for curve in series for point in curve.points], form))
    if "x" in log:
        axes.set_xscale("log")
    axes.xaxis.set_major_formatter(_written([point.x for curve in series for point in curve.points]))
    names = [curve.name for curve in series if curve.name]
    if names:
        columns = max(1, int(width * 12 / (6 + max(len(_short(name)) for name in names))))
        figure.legend(loc="outside lower left", ncols=min(columns, len(names)))
    return figure


@_styled
def panels(series: list[Curve]) -> Any:
    """Each curve in a panel of its own, three side by side, with its name above."""
    rows = -(-len(series) // 3)
    figure = _figure(_WIDE, 1.75 * rows)
    all_axes = figure.subplots(rows, 3, squeeze=False).flatten()
    for axes, curve in zip(all_axes, series, strict=False):
        _draw_curve(axes, curve._replace(name=""), _SERIES[0])
        axes.set_title(_short(curve.name))
        axes.xaxis.set_major_formatter(_written([point.x for point in curve.points]))
        axes.yaxis.set_major_formatter(_written([point.y for point in curve.points]))
    for axes in all_axes[len(series) :]:
        axes.set_visible(False)
    return figure


def _draw_curve(axes: Any, curve: Curve, colour: str) -> None:
    x, y = [point.x for point in curve.points], [point.y for point in curve.points]
    marker = "o" if len(x) < 60 else ""
    axes.plot(x, y, marker, ls="-", color=colour, linewidth=1.6, markersize=3.5, label=_short(curve.name) or "_")
    band = [point for point in curve.points if point.low is not None and point.high is not None]
    across, _, low, high = zip(*band, strict=True) if band else ((), (), (), ())
    if len(band) > 1:
        axes.fill_between(across, low, high, color=colour, alpha=0.16, linewidth=0)
    else:  # nothing to be filled
        axes.vlines(across, low, high, color=colour, linewidth=1.3)


def _written(numbers: list[float], form: str = "") -> Any:
    """How the numbers of an axis are: shares as percent, large ones with k, M or G."""
    from matplotlib.ticker import EngFormatter, PercentFormatter, ScalarFormatter

    if "%" in form:
        return PercentFormatter(1.0)
    return EngFormatter(sep="") if max(map(abs, numbers)) >= 10_000 else ScalarFormatter(useOffset=False)


# --- files ---------------------------------------------------------------------------------------------------------


@_styled
def drawn(figure: Any, form: str) -> bytes:
    """As a file of one of FORMATS, which says nothing of when it was made."""
    if form not in FORMATS:
        raise ValueError(f"charts are {', '.join(FORMATS)}; not {form!r}")
    file = io.BytesIO()
    nothing = {"svg": ("Date", "Creator", "Format", "Type"), "pdf": ("CreationDate",), "png": ()}[form]
    figure.savefig(file, format=form, dpi=200, facecolor="white", metadata=dict.fromkeys(nothing))
    return file.getvalue()


def inline(figure: Any) -> str:
    """As an element of a page, in the page's colours."""
    text = drawn(figure, "svg").decode()
    text = re.sub(r'(<g id="patch_1">.*?style="fill: )#ffffff', r"\1none", text, count=1, flags=re.DOTALL)
    for colour, variable in _VARIABLES.items():
        text = text.replace(colour, variable)
    return text[text.index("<svg") :]


def write_charts(found: Charts, folder: Path, forms: Iterable[str]) -> list[Path]:
    """A file for each chart and format."""
    written: list[Path] = []
    for section, listed in found.items():
        for chart in listed:
            name = re.sub(r"\W+", "-", f"{section} {chart.title}".lower()).strip("-")[:100]
            if any(path.stem == name for path in written):
                name += f"-{len(written)}"
            for form in forms:
                written.append(folder / f"{name}.{form}")
                write_file(written[-1], drawn(chart.figure, form))
    return written
