"""A plot as PNG, painted from its SVG: one description, two files."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

from casino_env.extras import install_command

SCALE = 2  # pixels a unit of the plot
_ANCHORS = {"start": "ls", "middle": "ms", "end": "rs"}
# What the style sheet says of each class, for a white ground.
_COLOURS = {"bar": "#3f8f6b", "grid-line": "#dfe3dc", "zero": "#667069", "whisker": "#1c2127", "dim": "#667069"}
_INK = "#1c2127"

Shape = ElementTree.Element


def as_png(svg: str) -> bytes:
    try:
        from PIL import Image, ImageDraw
    except ImportError:
        raise ValueError(f"PNG files of charts need Pillow: {install_command('eval')}") from None
    root = ElementTree.fromstring(svg)
    size = round(float(root.attrib["width"]) * SCALE), round(float(root.attrib["height"]) * SCALE)
    image = Image.new("RGB", size, "white")
    painter = ImageDraw.Draw(image, "RGBA")
    for shape in root.iter():
        paint = _PAINTERS.get(shape.tag.rpartition("}")[2])
        if paint:
            paint(painter, shape)
    file = io.BytesIO()
    image.save(file, "PNG", optimize=True)
    return file.getvalue()


def _at(shape: Shape, *names: str) -> list[float]:
    return [float(shape.get(name, 0.0)) * SCALE for name in names]


def _colour(shape: Shape, name: str) -> str:
    """Its own colour, or that of its class; with how much of it covers what lies below."""
    colour = shape.get(name) or _COLOURS.get(shape.get("class", ""), _INK)
    return f"{colour}{round(255 * float(shape.get('opacity', 1.0))):02x}"


def _pairs(shape: Shape) -> list[float]:
    return [float(number) * SCALE for number in re.findall(r"[-\d.]+", shape.get("points", ""))]


def _text(painter: Any, shape: Shape) -> None:
    from PIL import ImageFont

    font = ImageFont.load_default((11 if shape.get("class") == "dim" else 12) * SCALE)
    anchor = _ANCHORS[shape.get("text-anchor", "start")]
    painter.text(_at(shape, "x", "y"), shape.text or "", _colour(shape, "fill"), font, anchor)


def _rect(painter: Any, shape: Shape) -> None:
    x, y, width, height, radius = _at(shape, "x", "y", "width", "height", "rx")
    painter.rounded_rectangle([x, y, x + width, y + height], radius, _colour(shape, "fill"))


def _line(painter: Any, shape: Shape) -> None:
    painter.line(_at(shape, "x1", "y1", "x2", "y2"), _colour(shape, "stroke"), SCALE)


def _circle(painter: Any, shape: Shape) -> None:
    x, y, radius = _at(shape, "cx", "cy", "r")
    painter.ellipse([x - radius, y - radius, x + radius, y + radius], _colour(shape, "fill"))


def _polygon(painter: Any, shape: Shape) -> None:
    if len(corners := _pairs(shape)) >= 6:
        painter.polygon(corners, _colour(shape, "fill"))


def _polyline(painter: Any, shape: Shape) -> None:
    if len(points := _pairs(shape)) >= 4:
        painter.line(points, _colour(shape, "stroke"), 2 * SCALE, joint="curve")


_PAINTERS: dict[str, Callable[[Any, Shape], None]] = {
    "text": _text,
    "rect": _rect,
    "line": _line,
    "circle": _circle,
    "polygon": _polygon,
    "polyline": _polyline,
}
