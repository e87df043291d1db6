"""Plots as SVG: bars or dots with intervals, and lines with bands. The page and the files show the same."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from html import escape
from typing import Any, NamedTuple

COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccaa22", "#66aacc", "#aa3377", "#888888", "#dd8833")
# The page has colours of its own, for dark screens too; a file has the second of each pair.
STYLE = """
svg.plot text { font: 12px system-ui, Helvetica, Arial, sans-serif; fill: var(--ink, #1c2127); }
svg.plot text.dim { fill: var(--dim, #667069); font-size: 11px; }
svg.plot .bar { fill: var(--bar, #3f8f6b); }
svg.plot .grid-line { stroke: var(--line, #dfe3dc); }
svg.plot .zero { stroke: var(--dim, #667069); }
svg.plot .whisker { stroke: var(--ink, #1c2127); stroke-width: 1.5; }
"""

_LETTER = 6.6  # how wide one is, about

Row = dict[str, Any]
Form = Callable[[float | None], str]
Scale = Callable[[float], float]


class Point(NamedTuple):
    x: float
    y: float
    low: float | None = None
    high: float | None = None


# --- numbers as text -----------------------------------------------------------------------------------------------


def fixed(digits: int = 2, sign: str = "-") -> Form:
    return lambda number: "-" if number is None else f"{number:{sign}.{digits}f}"


def percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"


def compact(number: float | None, digits: int = 3) -> str:
    if number is None:
        return "-"
    size, unit = next((pair for pair in ((1e9, "G"), (1e6, "M"), (1e3, "k")) if abs(number) >= pair[0]), (1.0, ""))
    return f"{number / size:.{digits}g}{unit}"


def labels(numbers: list[float], form: Form) -> list[str]:
    """Of an axis: shares without decimals where they need none, and as many digits as tell the numbers apart."""
    if form is percent:
        return [f"{label}%" for label in labels([100 * number for number in numbers], compact)]
    if form is not compact:
        return [form(number) for number in numbers]
    written = ([compact(number, digits) for number in numbers] for digits in range(3, 12))
    return next((texts for texts in written if len(set(texts)) == len(numbers)), [compact(n) for n in numbers])


# --- parts of a plot -----------------------------------------------------------------------------------------------


def _tag(name: str, *children: str, **attributes: Any) -> str:
    """class_ is class, and stroke_width stroke-width."""
    words = [name]
    for key, value in attributes.items():
        text = f"{value:.5g}" if isinstance(value, float) else value
        words.append(f'{key.strip("_").replace("_", "-")}="{text}"')
    return f"<{' '.join(words)}>{''.join(children)}</{name}>"


def _text(x: float, y: float, text: str, **attributes: Any) -> str:
    return _tag("text", escape(text), x=float(x), y=float(y), **attributes)


def _plot(width: float, height: float, parts: list[str]) -> str:
    size = {"viewBox": f"0 0 {width:g} {height:g}", "width": f"{width:g}", "height": f"{height:g}"}
    return _tag("svg", *parts, xmlns="http://www.w3.org/2000/svg", class_="plot", **size)


def _legend(names: list[str], width: float, top: float) -> tuple[list[str], float]:
    """Names with their colours, in as many lines as they need; and where that ends."""
    parts, x, y = list[str](), 10.0, top
    for number, name in enumerate(names):
        wide = 34 + _LETTER * len(name)
        if x > 10 and x + wide > width:
            x, y = 10.0, y + 20
        box = _tag("rect", x=x, y=y, width=11, height=11, rx=3, fill=COLOURS[number % len(COLOURS)])
        parts += [box, _text(x + 17, y + 10, name)]
        x += wide
    return parts, y + 22 if names else top


def _scale(low: float, high: float, start: float, end: float) -> Scale:
    return lambda value: start + (value - low) / ((high - low) or 1.0) * (end - start)


def ticks(low: float, high: float, count: float) -> list[float]:
    """Round numbers from low to high, about so many."""
    raw = (high - low) / count
    raw = max(raw, 1e-9 * max(abs(low), abs(high)), 1e-100) if raw else 1.0
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(size * power for size in (1, 2, 5, 10) if size * power >= raw * 0.999)
    return [float(f"{k * step:.12g}") for k in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]


def _fitting(text: str, wide: float) -> str:
    """Into so much room; of a path its end says more."""
    most = int(wide / _LETTER)
    if len(text) <= most:
        return text
    return "…" + text[1 - most :] if "/" in text else text[: most - 1] + "…"


# --- plots ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bars:
    """A line for each (name, {mean, low, high}): a bar, or a dot, with its interval. Long names stand above."""

    rows: list[tuple[str, Row]]
    form: Form
    dots: bool = False
    width: int = 520
    names: int = 150

    def svg(self) -> str:
        above = any(_LETTER * len(name) > self.names - 16 for name, _ in self.rows)
        begin, high_row = (10, 44) if above else (self.names, 27)
        bottom = 4 + high_row * len(self.rows)
        low, high = self._ends()
        x = _scale(low, high, begin, self.width - 62)
        parts = []
        marks = ticks(low, high, 4)
        for tick, label in zip(marks, labels(marks, percent if self.form is percent else compact), strict=True):
            line = "zero" if tick == 0 else "grid-line"
            parts.append(_tag("line", class_=line, x1=x(tick), x2=x(tick), y1=4, y2=bottom))
            parts.append(_text(x(tick), bottom + 16, label, class_="dim", text_anchor="middle"))
        for k, (name, row) in enumerate(self.rows):
            y = high_row * (k + 1) - 9.5
            parts.append(self._name(name, y, above))
            parts.append(self._line(x, y, name, row))
        return _plot(self.width, bottom + 22, parts)

    def _ends(self) -> tuple[float, float]:
        numbers = [row.get(key) for _, row in self.rows for key in ("mean", "low", "high")]
        known = [0.0, *(number for number in numbers if number is not None)]
        low, high = min(known), max(0.001, *known)
        return low - 0.05 * (high - low) * (low < 0), high

    def _name(self, name: str, y: float, above: bool) -> str:
        if above:
            return _text(10, y - 14, _fitting(name, self.width - 20))
        return _text(self.names - 10, y + 4, name, text_anchor="end")

    def _line(self, x: Scale, y: float, name: str, row: Row) -> str:
        mean, low, high = (row.get(key) for key in ("mean", "low", "high"))
        said = f"{name}: {self.form(mean)} ({self.form(low)} to {self.form(high)})"
        left, right = sorted((x(0.0), x(mean or 0.0)))
        parts = [_tag("title", escape(said))]
        if not self.dots:
            parts.append(_tag("rect", class_="bar", x=left, y=y - 8, height=16, rx=3, width=max(1.0, right - left)))
        if low is not None and high is not None:
            parts.append(_tag("line", class_="whisker", x1=x(low), x2=x(high), y1=y, y2=y))
        if self.dots:
            parts.append(_tag("circle", class_="bar", cx=x(mean or 0.0), cy=y, r=5.5))
        return _tag("g", *parts, _text(self.width - 52, y + 4, self.form(mean)))


@dataclass(frozen=True)
class Lines:
    """A line with its band for each (name, points); zero is shown, however far away."""

    series: list[tuple[str, list[Point]]]
    form: Form
    label: str  # of what goes to the right
    width: int
    height: int
    zero: bool = True
    across: Form = compact  # of the numbers to the right

    def svg(self) -> str:
        right, bottom = self.width - 16, self.height - 30
        points = [point for _, points in self.series for point in points]
        ups = [value for point in points for value in point[1:] if value is not None] + [0.0] * self.zero
        spare = 0.5 * (min(ups) == max(ups))
        low, high = min(ups) - spare, max(ups) + spare
        first, last = min(point.x for point in points), max(point.x for point in points)
        x, y = _scale(first, last, 52, right), _scale(low, high, bottom, 10)
        parts = [_text(right, bottom + 36, self.label, class_="dim", text_anchor="end")]
        marks, across = ticks(low, high, 5), ticks(first, last, min(8.0, self.width / 80))
        for tick, label in zip(marks, labels(marks, self.form), strict=True):
            line = "zero" if tick == 0 else "grid-line"
            parts.append(_tag("line", class_=line, x1=52, x2=right, y1=y(tick), y2=y(tick)))
            parts.append(_text(44, y(tick) + 4, label, class_="dim", text_anchor="end"))
        for tick, label in zip(across, labels(across, self.across), strict=True):
            parts.append(_text(x(tick), bottom + 20, label, class_="dim", text_anchor="middle"))
        for number in range(len(self.series)):
            parts += self._line(x, y, number)
        names = [name for name, _ in self.series if name]
        end_of_axis = self.height + 14.0 * bool(self.label)
        legend, end = _legend(names, self.width, end_of_axis + 4.0 * bool(names))
        return _plot(self.width, end, parts + legend)

    def _line(self, x: Scale, y: Scale, number: int) -> Iterable[str]:
        (name, points), colour = self.series[number], COLOURS[number % len(COLOURS)]

        def path(pairs: Iterable[tuple[float, Any]]) -> str:
            return " ".join(f"{x(across):.1f},{y(up):.1f}" for across, up in pairs)

        band = [point for point in points if point.low is not None and point.high is not None]
        if len(band) == 1:  # nothing to be filled
            ends = {"y1": y(band[0].low or 0.0), "y2": y(band[0].high or 0.0)}
            yield _tag("line", class_="whisker", x1=x(band[0].x), x2=x(band[0].x), **ends)
        edge = [(point.x, point.high) for point in band] + [(point.x, point.low) for point in band[::-1]]
        yield _tag("polygon", points=path(edge), fill=colour, opacity=0.16)
        yield _tag("polyline", points=path((p.x, p.y) for p in points), fill="none", stroke=colour, stroke_width=2.2)
        for point in points if len(points) < 60 else []:
            hint = _tag("title", escape(f"{name} {self.form(point.y)} at {self.across(point.x)}".strip()))
            yield _tag("circle", hint, cx=x(point.x), cy=y(point.y), r=3, fill=colour)


def as_file(svg: str) -> str:
    """A plot that stands alone: with its style, and with plain colours for programs that know no others."""
    start, _, rest = svg.partition(">")
    return re.sub(r"var\(--\w+, (#\w+)\)", r"\1", f"{start}><style>{STYLE}</style>{rest}\n")
