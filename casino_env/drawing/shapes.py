"""What pictures are made of: shapes, and the suits, cards and badges that are drawn of them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from casino_env.cards import RANKS, SUITS

FELT, FELT_EDGE, PANEL, PANEL_ON = "#1f6b4a", "#17523a", "#185a3e", "#c9962f"
PAPER, EDGE, BACK, BACK_EDGE = "#fdfcf7", "#9aa39e", "#2f4a7d", "#dfe6f2"
LIGHT, DIM, GOLD, RED, BLACK = "#f4f1e4", "#b9d3c5", "#ffcf5a", "#c1272d", "#1c2127"
SEATS = ("#e07a5f", "#5fa8d3", "#f2cc8f", "#9d8cd6", "#81b29a", "#e58fb1")  # one a seat


@dataclass(frozen=True)
class Rect:
    x: float
    y: float
    w: float
    h: float
    round: float
    fill: str
    edge: str = ""
    line: float = 1


@dataclass(frozen=True)
class Poly:
    points: tuple[tuple[float, float], ...]
    fill: str


@dataclass(frozen=True)
class Text:
    x: float  # of the middle, or of the left or right end
    y: float  # of the middle
    size: float
    text: str
    fill: str
    anchor: str = "middle"  # start, middle, end
    bold: bool = False


Shape = Rect | Poly | Text


# --- suits, in a square from -1 to 1 -----------------------------------------------------------------------------


def circle(x: float, y: float, radius: float) -> list[tuple[float, float]]:
    steps = [2 * math.pi * k / 24 for k in range(24)]
    return [(x + radius * math.cos(a), y + radius * math.sin(a)) for a in steps]


def _heart(flip: float = 1.0, scale: float = 1.0) -> list[tuple[float, float]]:
    points = []
    for k in range(40):
        t = 2 * math.pi * k / 40
        x = 16 * math.sin(t) ** 3 / 17
        y = -(13 * math.cos(t) - 5 * math.cos(2 * t) - 2 * math.cos(3 * t) - math.cos(4 * t)) / 17
        points.append((scale * x, flip * scale * y))
    return points


_STEM = [(-0.08, 0.2), (0.08, 0.2), (0.32, 1.0), (-0.32, 1.0)]
_SUIT_SHAPES = {
    "S": [[(x, y - 0.12) for x, y in _heart(-1.0, 0.9)], _STEM],
    "H": [_heart()],
    "D": [[(0, -1.05), (0.74, 0), (0, 1.05), (-0.74, 0)]],
    "C": [circle(0, -0.48, 0.46), circle(-0.48, 0.2, 0.46), circle(0.48, 0.2, 0.46), _STEM],
}


def suit(kind: str, x: float, y: float, size: float, fill: str) -> list[Shape]:
    return [Poly(tuple((x + size * a, y + size * b) for a, b in shape), fill) for shape in _SUIT_SHAPES[kind]]


# --- cards ---------------------------------------------------------------------------------------------------------


def card(number: int, x: float, y: float, w: float, picked: bool = False) -> list[Shape]:
    h = 1.4 * w
    rank, kind = RANKS[number >> 2], SUITS[number & 3]
    ink = RED if kind in "HD" else BLACK
    name = "10" if rank == "T" else rank
    edge, line = (GOLD, max(2.5, w / 18)) if picked else (EDGE, 1)
    return [
        Rect(x, y, w, h, w / 9, PAPER, edge, line),
        Text(x + 0.24 * w, y + 0.24 * w, 0.36 * w, name, ink, bold=True),
        *suit(kind, x + 0.24 * w, y + 0.58 * w, 0.13 * w, ink),
        *suit(kind, x + 0.62 * w, y + 0.92 * w, 0.25 * w, ink),
    ]


def back(x: float, y: float, w: float) -> list[Shape]:
    h = 1.4 * w
    return [
        Rect(x, y, w, h, w / 9, BACK_EDGE, EDGE),
        Rect(x + 0.08 * w, y + 0.08 * w, 0.84 * w, h - 0.16 * w, w / 12, BACK),
        *suit("D", x + w / 2, y + h / 2, 0.2 * w, "#4a6aa8"),
    ]


def badge(x: float, y: float, radius: float, text: str, fill: str) -> list[Shape]:
    return [Poly(tuple(circle(x, y, radius)), fill), Text(x, y, radius * 1.15, text, BLACK, bold=True)]
