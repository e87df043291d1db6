"""The table as a picture: a list of shapes, painted as SVG or pixels; and render() of environments."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from html import escape
from typing import Any, NamedTuple

import numpy as np

from casino_env.arrays import Array
from casino_env.cards import RANKS, SUITS
from casino_env.drawing.scene import Build, Scene, Seat, make_scene, table_text
from casino_env.extras import install_command
from casino_env.rules import Recorded, Rules
from casino_env.validate import int_in, one_of

WIDTH, HEIGHT = 1000, 700
FELT, FELT_EDGE, PANEL, PANEL_ON = "#1f6b4a", "#17523a", "#185a3e", "#c9962f"
PAPER, EDGE, BACK, BACK_EDGE = "#fdfcf7", "#9aa39e", "#2f4a7d", "#dfe6f2"
LIGHT, DIM, GOLD, RED, BLACK = "#f4f1e4", "#b9d3c5", "#ffcf5a", "#c1272d", "#1c2127"
SEATS = ("#e07a5f", "#5fa8d3", "#f2cc8f", "#9d8cd6", "#81b29a", "#e58fb1")  # one per seat


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
    x: float  # of the middle, left or right end, by anchor
    y: float  # of the vertical middle
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


# --- hands and piles -------------------------------------------------------------------------------------------------

_SIZES = (84.0, 76.0, 68.0, 60.0, 52.0, 44.0, 38.0, 32.0, 26.0, 20.0)  # card widths to try on the table


def _fan(seat: Seat, picked: set[int], x: float, y: float, w: float, room: float) -> list[Shape]:
    """A hand side by side, overlapping if room is short; hidden cards as backs."""
    count = len(seat.hand) + seat.hidden
    if not count:
        return []
    step = min(w * 1.06, (room - w) / max(1, count - 1))
    left = x + (room - w - step * (count - 1)) / 2
    shapes: list[Shape] = []
    for k, held in enumerate(seat.hand):
        up = 0.16 * w if held in picked else 0
        shapes += card(held, left + k * step, y - up, w, held in picked)
    for k in range(len(seat.hand), count):
        shapes += back(left + k * step, y, w)
    return shapes


def _pile(seat: Seat, picked: set[int], x: float, y: float, w: float) -> list[Shape]:
    if not seat.pile:
        return [Rect(x, y, w, 1.4 * w, w / 9, FELT_EDGE, DIM)]
    shapes = back(x, y, w) if seat.top is None else card(seat.top, x, y, w, seat.top in picked)
    return shapes + badge(x + w, y + 1.12 * w, 0.24 * w + 3, str(seat.pile), LIGHT)


# --- the table -----------------------------------------------------------------------------------------------------


def _label(seat: Seat) -> str:
    partner = f", with {seat.partner}" if seat.partner is not None else ""
    last = ", took last" if seat.captured_last else ""
    return f"seat {seat.number}{partner}{last}"


def _panel(seat: Seat, x: float, y: float, w: float, h: float) -> list[Shape]:
    edge = PANEL_ON if seat.decides else FELT_EDGE
    return [
        Rect(x, y, w, h, 12, PANEL, edge, 4 if seat.decides else 1.5),
        Poly(tuple(circle(x + 18, y + 18, 7)), SEATS[seat.number]),
        Text(x + 32, y + 18, 15, _label(seat), LIGHT, "start", bold=seat.decides),
        Text(x + w - 12, y + 18, 15, f"{seat.points} pt", LIGHT, "end"),
    ]


def _others(scene: Scene, bottom: int) -> list[Shape]:
    """The other seats in a row above the table, in turn order."""
    n = len(scene.seats)
    width = min(480.0, (WIDTH - 20) / (n - 1) - 10)
    left = (WIDTH - (n - 1) * (width + 10) + 10) / 2
    wide = 40.0 if n <= 4 else 34.0
    shapes: list[Shape] = []
    for k in range(1, n):
        seat = scene.seats[(bottom + k) % n]
        x, y = left + (k - 1) * (width + 10), 46.0
        shapes += _panel(seat, x, y, width, 112)
        shapes += _fan(seat, scene.picked, x + 12, y + 44, wide, width - 2 * wide - 34)
        shapes += _pile(seat, scene.picked, x + width - wide - 22, y + 44, wide)
    return shapes


def _own(scene: Scene, bottom: int) -> list[Shape]:
    seat = scene.seats[bottom]
    shapes = _panel(seat, 10, 528, WIDTH - 20, 162)
    shapes += _fan(seat, scene.picked, 30, 572, 74, WIDTH - 240)
    return shapes + _pile(seat, scene.picked, WIDTH - 120, 572, 74)


# --- builds and loose cards ----------------------------------------------------------------------------------------

Item = Build | int  # a build, or a loose card


def _places(build: Build, w: float) -> list[float]:
    """The left edge of each card of a build: cards of a set overlap, sets stand apart."""
    places: list[float] = []
    for cards in build.sets:
        begin = places[-1] + 1.16 * w if places else 0.16 * w
        places += [begin + 0.5 * w * k for k in range(len(cards))]
    return places


def _wide(item: Item, w: float) -> float:
    """The width of an item, with the space to the next one."""
    return _places(item, w)[-1] + 1.4 * w if isinstance(item, Build) else 1.14 * w


def _draw_build(build: Build, picked: set[int], x: float, y: float, w: float) -> list[Shape]:
    """A build in a frame of its owner's colour, with the value above and the owner's name below."""
    colour, wide = SEATS[build.owner], _places(build, w)[-1] + 1.16 * w
    shapes: list[Shape] = [Rect(x, y - 0.1 * w, wide, 1.86 * w, w / 8, FELT_EDGE, colour, 2.5)]
    for number, at in zip(itertools.chain.from_iterable(build.sets), _places(build, w), strict=True):
        shapes += card(number, x + at, y, w, number in picked)
    shapes += badge(x + 0.1 * w, y - 0.02 * w, 0.26 * w, str(build.value), colour)
    return [*shapes, Text(x + wide / 2, y + 1.58 * w, min(15.0, 0.26 * w), f"seat {build.owner}", LIGHT)]


def _rows(scene: Scene, w: float, width: float) -> list[list[Item]]:
    """Break builds, then loose cards, into rows that fit at this card width."""
    items: list[Item] = [*scene.builds, *scene.loose]
    rows: list[list[Item]] = []
    room = 0.0
    for item in items:
        if _wide(item, w) > room:
            rows.append([])
            room = width
        rows[-1].append(item)
        room -= _wide(item, w)
    return rows


def _high(row: list[Item], w: float) -> float:
    return 2.2 * w if isinstance(row[0], Build) else 1.54 * w  # builds come first


def _draw(item: Item, picked: set[int], x: float, y: float, w: float) -> list[Shape]:
    if isinstance(item, Build):
        return _draw_build(item, picked, x + 0.12 * w, y, w)
    return card(item, x + 0.07 * w, y, w, item in picked)


def _draw_row(row: list[Item], picked: set[int], x: float, y: float, w: float) -> list[Shape]:
    """A row of items. x: its middle; y: its upper edge."""
    at, shapes = x - sum(_wide(item, w) for item in row) / 2, list[Shape]()
    below = 0.28 * w if isinstance(row[0], Build) else 0.07 * w
    for item in row:
        shapes += _draw(item, picked, at, y + below, w)
        at += _wide(item, w)
    return shapes


def _middle(scene: Scene) -> list[Shape]:
    """The layout, centred, with cards as large as fit."""
    left, top, height = 40.0, 170.0, 318.0
    width = WIDTH - 2 * left - (100.0 if scene.stock else 0.0)
    for w in _SIZES:
        rows = _rows(scene, w, width)
        total = sum(_high(row, w) for row in rows)
        if total <= height:
            break
    shapes: list[Shape] = []
    y = top + max(0.0, height - total) / 2
    for row in rows:
        shapes += _draw_row(row, scene.picked, left + width / 2, y, w)
        y += _high(row, w)
    return shapes


# --- around them ---------------------------------------------------------------------------------------------------


def _stock(scene: Scene) -> list[Shape]:
    if not scene.stock:
        return []
    return [*back(WIDTH - 120, 240, 74), Text(WIDTH - 83, 362, 15, f"stock {scene.stock}", DIM)]


def _result(scene: Scene) -> list[Shape]:
    """After the deal: the winner, and the points by category with their sum."""
    if not scene.breakdown:
        return []
    columns = len(scene.seats)
    table = [("", [f"seat {seat.number}" for seat in scene.seats])]
    table += [(name, [str(points) for points in row]) for name, row in scene.breakdown.items()]
    x, y, w, h = 230.0, 178.0, 540.0, 26.0 * len(table) + 46
    shapes: list[Shape] = [
        Rect(x, y, w, h, 12, PANEL, PANEL_ON, 2),
        Text(x + w / 2, y + 20, 18, scene.status, GOLD, bold=True),
        Rect(x + 16, y + h - 35, w - 32, 1.5, 0, DIM),
    ]
    for k, (name, row) in enumerate(table):
        line, last = y + 48 + 26 * k, k == len(table) - 1
        shapes.append(Text(x + 20, line, 15, name, LIGHT, "start", last))
        for column, value in enumerate(row):
            shapes.append(Text(x + w - 30 - 62 * (columns - 1 - column), line, 15, value, LIGHT, bold=last))
    return shapes


def picture(scene: Scene, bottom: int = 0) -> list[Shape]:
    """All shapes of the picture, from back to front."""
    return [
        Rect(0, 0, WIDTH, HEIGHT, 0, FELT_EDGE),
        Rect(5, 5, WIDTH - 10, HEIGHT - 10, 22, FELT),
        Text(20, 25, 17, scene.title, LIGHT, "start", bold=True),
        Text(WIDTH - 20, 25, 16, scene.status, LIGHT, "end"),
        *_others(scene, bottom),
        *_middle(scene),
        *_stock(scene),
        *_result(scene),
        Text(WIDTH / 2, 506, 18, scene.open_set, GOLD, bold=True),
        *_own(scene, bottom),
    ]


# --- painters ------------------------------------------------------------------------------------------------------


def _svg(shape: Shape) -> str:
    if isinstance(shape, Rect):
        edge = f' stroke="{shape.edge}" stroke-width="{shape.line:g}"' if shape.edge else ""
        size = f'x="{shape.x:.1f}" y="{shape.y:.1f}" width="{shape.w:.1f}" height="{shape.h:.1f}"'
        return f'<rect {size} rx="{shape.round:.1f}" fill="{shape.fill}"{edge}/>'
    if isinstance(shape, Poly):
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in shape.points)
        return f'<polygon points="{points}" fill="{shape.fill}"/>'
    weight = ' font-weight="bold"' if shape.bold else ""
    place = f'x="{shape.x:.1f}" y="{shape.y + 0.35 * shape.size:.1f}" font-size="{shape.size:.1f}"'
    return f'<text {place} fill="{shape.fill}" text-anchor="{shape.anchor}"{weight}>{escape(shape.text)}</text>'


def table_svg(game: Recorded, seat: int | None = None) -> str:
    """The table as an SVG document, as the seat sees it (None: all hands open)."""
    shapes = picture(make_scene(game, seat), seat or 0)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif">'
    return "\n".join([head, *(_svg(shape) for shape in shapes if not isinstance(shape, Text) or shape.text), "</svg>"])


_ANCHORS = {"start": "lm", "middle": "mm", "end": "rm"}


def table_rgb(game: Recorded, seat: int | None = None, width: int = 800) -> Array:
    """The table as pixels: uint8, height x width x 3."""
    try:
        from PIL import Image, ImageDraw, ImageFont
    except ImportError:
        raise ImportError(f"render_mode 'rgb_array' needs Pillow: {install_command('render')}") from None
    scale = 2 * width / WIDTH  # drawn at twice the size, then reduced, for smooth edges
    image = Image.new("RGB", (2 * width, round(HEIGHT * scale)))
    draw = ImageDraw.Draw(image)
    for shape in picture(make_scene(game, seat), seat or 0):
        if isinstance(shape, Rect):
            box = [shape.x * scale, shape.y * scale, (shape.x + shape.w) * scale, (shape.y + shape.h) * scale]
            line = max(1, round(shape.line * scale)) if shape.edge else 0
            draw.rounded_rectangle(box, shape.round * scale, shape.fill, shape.edge or None, line)
        elif isinstance(shape, Poly):
            draw.polygon([(x * scale, y * scale) for x, y in shape.points], shape.fill)
        elif shape.text:
            font = ImageFont.load_default(shape.size * scale)
            bold = round(0.02 * shape.size * scale) if shape.bold else 0
            at = (shape.x * scale, shape.y * scale)
            draw.text(at, shape.text, shape.fill, font, _ANCHORS[shape.anchor], stroke_width=bold)
    return np.asarray(image.resize((width, round(HEIGHT * scale / 2)), Image.Resampling.LANCZOS))


# --- render() of environments ----------------------------------------------------------------------------------------

RENDER_MODES = ["ansi", "human", "svg", "rgb_array"]


class _Shown(NamedTuple):
    records: Array
    rules: Rules


class Show:
    """Draws a game, with all hands open or as one seat sees it."""

    def __init__(self, rules: Rules, mode: str | None, seat: int | None = None) -> None:
        if mode is not None:
            one_of(mode, "render_mode", RENDER_MODES)
        if seat is not None:
            seat = int_in(seat, "render_seat", 0, rules.players - 1)
        self.rules, self.mode, self.seat = rules, mode, seat

    def draw(self, records: Array) -> Any:
        if self.mode is None:
            return None
        game = _Shown(records[:1], self.rules)
        if self.mode == "svg":
            return table_svg(game, self.seat)
        if self.mode == "rgb_array":
            return table_rgb(game, self.seat)
        text = table_text(game, self.seat)
        if self.mode == "ansi":
            return text
        print(text)  # human
        return None
