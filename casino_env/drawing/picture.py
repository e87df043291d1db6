"""The table as a picture: one list of shapes, painted as SVG or as pixels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from casino_env.cards import RANKS, SUITS
from casino_env.drawing.scene import Build, Scene, Seat, make_scene
from casino_env.engine.state import Recorded

WIDTH, HEIGHT = 1000, 700
_FELT, _FELT_EDGE, _PANEL, _PANEL_ON = "#1f6b4a", "#17523a", "#185a3e", "#c9962f"
_PAPER, _EDGE, _BACK, _BACK_EDGE = "#fdfcf7", "#9aa39e", "#2f4a7d", "#dfe6f2"
_LIGHT, _DIM, _GOLD, _RED, _BLACK = "#f4f1e4", "#b9d3c5", "#ffcf5a", "#c1272d", "#1c2127"
_SEATS = ("#e07a5f", "#5fa8d3", "#f2cc8f", "#9d8cd6", "#81b29a", "#e58fb1")  # one a seat


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


def _circle(x: float, y: float, radius: float) -> list[tuple[float, float]]:
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
    "C": [_circle(0, -0.48, 0.46), _circle(-0.48, 0.2, 0.46), _circle(0.48, 0.2, 0.46), _STEM],
}


def _suit(suit: str, x: float, y: float, size: float, fill: str) -> list[Shape]:
    return [Poly(tuple((x + size * a, y + size * b) for a, b in shape), fill) for shape in _SUIT_SHAPES[suit]]


# --- cards ---------------------------------------------------------------------------------------------------------


def _card(card: int, x: float, y: float, w: float, picked: bool = False) -> list[Shape]:
    h = 1.4 * w
    rank, suit = RANKS[card >> 2], SUITS[card & 3]
    ink = _RED if suit in "HD" else _BLACK
    name = "10" if rank == "T" else rank
    edge, line = (_GOLD, max(2.5, w / 18)) if picked else (_EDGE, 1)
    return [
        Rect(x, y, w, h, w / 9, _PAPER, edge, line),
        Text(x + 0.24 * w, y + 0.24 * w, 0.36 * w, name, ink, bold=True),
        *_suit(suit, x + 0.24 * w, y + 0.58 * w, 0.13 * w, ink),
        *_suit(suit, x + 0.62 * w, y + 0.92 * w, 0.25 * w, ink),
    ]


def _back(x: float, y: float, w: float) -> list[Shape]:
    h = 1.4 * w
    return [
        Rect(x, y, w, h, w / 9, _BACK_EDGE, _EDGE),
        Rect(x + 0.08 * w, y + 0.08 * w, 0.84 * w, h - 0.16 * w, w / 12, _BACK),
        *_suit("D", x + w / 2, y + h / 2, 0.2 * w, "#4a6aa8"),
    ]


def _badge(x: float, y: float, radius: float, text: str, fill: str) -> list[Shape]:
    return [
        Poly(tuple(_circle(x, y, radius)), fill),
        Text(x, y, radius * 1.15, text, _BLACK, bold=True),
    ]


def _fan(seat: Seat, picked: set[int], x: float, y: float, w: float, room: float) -> list[Shape]:
    """A hand side by side, closer together where room is short; hidden cards as backs."""
    count = len(seat.hand) + seat.hidden
    if not count:
        return []
    step = min(w * 1.06, (room - w) / max(1, count - 1))
    left = x + (room - w - step * (count - 1)) / 2
    shapes: list[Shape] = []
    for k, card in enumerate(seat.hand):
        up = 0.16 * w if card in picked else 0
        shapes += _card(card, left + k * step, y - up, w, card in picked)
    for k in range(len(seat.hand), count):
        shapes += _back(left + k * step, y, w)
    return shapes


def _pile(seat: Seat, picked: set[int], x: float, y: float, w: float) -> list[Shape]:
    if not seat.pile:
        return [Rect(x, y, w, 1.4 * w, w / 9, _FELT_EDGE, _DIM)]
    shapes = _back(x, y, w) if seat.top is None else _card(seat.top, x, y, w, seat.top in picked)
    return shapes + _badge(x + w, y + 1.12 * w, 0.24 * w + 3, str(seat.pile), _LIGHT)


# --- the table -----------------------------------------------------------------------------------------------------


def _label(seat: Seat) -> str:
    partner = f", with {seat.partner}" if seat.partner is not None else ""
    last = ", took last" if seat.captured_last else ""
    return f"seat {seat.number}{partner}{last}"


def _panel(seat: Seat, x: float, y: float, w: float, h: float) -> list[Shape]:
    edge = _PANEL_ON if seat.decides else _FELT_EDGE
    return [
        Rect(x, y, w, h, 12, _PANEL, edge, 4 if seat.decides else 1.5),
        Poly(tuple(_circle(x + 18, y + 18, 7)), _SEATS[seat.number]),
        Text(x + 32, y + 18, 15, _label(seat), _LIGHT, "start", bold=seat.decides),
        Text(x + w - 12, y + 18, 15, f"{seat.points} pt", _LIGHT, "end"),
    ]


def _others(scene: Scene, bottom: int) -> list[Shape]:
    """The other seats in a row above the table, in turn order."""
    n = len(scene.seats)
    width = min(480.0, (WIDTH - 20) / (n - 1) - 10)
    left = (WIDTH - (n - 1) * (width + 10) + 10) / 2
    card = 40.0 if n <= 4 else 34.0
    shapes: list[Shape] = []
    for k in range(1, n):
        seat = scene.seats[(bottom + k) % n]
        x, y = left + (k - 1) * (width + 10), 46.0
        shapes += _panel(seat, x, y, width, 112)
        shapes += _fan(seat, scene.picked, x + 12, y + 44, card, width - 2 * card - 34)
        shapes += _pile(seat, scene.picked, x + width - card - 22, y + 44, card)
    return shapes


def _own(scene: Scene, bottom: int) -> list[Shape]:
    seat = scene.seats[bottom]
    shapes = _panel(seat, 10, 528, WIDTH - 20, 162)
    shapes += _fan(seat, scene.picked, 30, 572, 74, WIDTH - 240)
    return shapes + _pile(seat, scene.picked, WIDTH - 120, 572, 74)


def _build_width(build: Build, w: float) -> float:
    cards = sum(map(len, build.sets))
    return w + (cards - 1) * 0.42 * w + (len(build.sets) - 1) * 0.16 * w + 0.5 * w


def _draw_build(build: Build, picked: set[int], x: float, y: float, w: float) -> list[Shape]:
    shapes: list[Shape] = [
        Rect(x, y - 0.1 * w, _build_width(build, w) - 0.16 * w, 1.6 * w, w / 8, _FELT_EDGE, _SEATS[build.owner], 2.5)
    ]
    at = x + 0.16 * w
    for cards in build.sets:
        for card in cards:
            shapes += _card(card, at, y, w, card in picked)
            at += 0.42 * w
        at += 0.16 * w
    shapes += _badge(x + 0.1 * w, y - 0.02 * w, 0.26 * w, str(build.value), _SEATS[build.owner])
    return shapes


def _flow(scene: Scene, w: float, room: tuple[float, float, float, float]) -> list[Shape] | None:
    """Builds, then loose cards, in rows; None if they do not fit at this card width."""
    left, top, width, height = room
    row = 1.4 * w + 0.42 * w
    x, y, shapes = left, top, []
    items: list[Build | int] = [*scene.builds, *scene.loose]
    for item in items:
        wide = _build_width(item, w) if isinstance(item, Build) else w * 1.14
        if x + wide > left + width and x > left:
            x, y = left, y + row
        if y + row > top + height:
            return None
        if isinstance(item, Build):
            shapes += _draw_build(item, scene.picked, x, y + 0.2 * w, w)
        else:
            shapes += _card(item, x, y + 0.2 * w, w, item in scene.picked)
        x += wide
    return shapes


def _middle(scene: Scene) -> list[Shape]:
    """The layout, with cards as large as there is room for."""
    room = (40.0, 178.0, WIDTH - 200.0, 300.0)
    for w in (84.0, 76.0, 68.0, 60.0, 52.0, 44.0, 38.0, 32.0, 26.0):
        shapes = _flow(scene, w, room)
        if shapes is not None:
            return shapes
    return _flow(scene, 20.0, (room[0], room[1], room[2], 10_000.0)) or []


def _stock(scene: Scene) -> list[Shape]:
    if not scene.stock:
        return []
    return [*_back(WIDTH - 120, 240, 74), Text(WIDTH - 83, 362, 15, f"stock {scene.stock}", _DIM)]


def _result(scene: Scene) -> list[Shape]:
    """Points by category once the deal is over."""
    rows = list(scene.breakdown.items())
    if not rows:
        return []
    columns = len(scene.seats)
    x, y, w, h = 230.0, 186.0, 540.0, 26.0 * len(rows) + 34
    shapes: list[Shape] = [Rect(x, y, w, h, 12, _PANEL, _PANEL_ON, 2)]
    table: list[tuple[str, list[str]]] = [("", [f"seat {seat.number}" for seat in scene.seats])]
    table += [(name, [str(points) for points in row]) for name, row in rows]
    for k, (name, row) in enumerate(table):
        line = y + 20 + 26 * k
        shapes.append(Text(x + 20, line, 15, name, _LIGHT, "start"))
        for column, value in enumerate(row):
            shapes.append(Text(x + w - 30 - 62 * (columns - 1 - column), line, 15, value, _LIGHT))
    return shapes


def picture(scene: Scene, bottom: int = 0) -> list[Shape]:
    """All shapes, from the back to the front."""
    note = f" - {scene.open_set}" if scene.open_set else ""
    return [
        Rect(0, 0, WIDTH, HEIGHT, 0, _FELT_EDGE),
        Rect(5, 5, WIDTH - 10, HEIGHT - 10, 22, _FELT),
        Text(20, 25, 17, scene.title, _LIGHT, "start", bold=True),
        Text(WIDTH - 20, 25, 16, scene.status, _LIGHT, "end"),
        *_others(scene, bottom),
        *_middle(scene),
        *_stock(scene),
        *_result(scene),
        Text(WIDTH / 2, 506, 18, note.removeprefix(" - "), _GOLD, bold=True),
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
    return f'<text {place} fill="{shape.fill}" text-anchor="{shape.anchor}"{weight}>{shape.text}</text>'


def table_svg(game: Recorded, seat: int | None = None) -> str:
    """The table as the seat sees it (None: all hands open) as an SVG document."""
    shapes = picture(make_scene(game, seat), seat or 0)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif">'
    return "\n".join([head, *(_svg(shape) for shape in shapes if not isinstance(shape, Text) or shape.text), "</svg>"])


_ANCHORS = {"start": "lm", "middle": "mm", "end": "rm"}


def table_rgb(game: Recorded, seat: int | None = None, width: int = 800) -> np.ndarray[Any, Any]:
    """The same as pixels: uint8, height x width x 3."""
    try:
        from PIL import Image, ImageDraw, ImageFont
    except ImportError:
        raise ImportError("render_mode 'rgb_array' needs Pillow: pip install pillow") from None
    scale = 2 * width / WIDTH  # drawn at twice the size, then made smaller: smooth edges
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
