"""Plots: painted from their drawing, with names that are whole and numbers that can be told apart."""

import io
from xml.etree import ElementTree

from PIL import Image

from casino_env.evaluate.report.pixels import SCALE, as_png
from casino_env.evaluate.report.plots import Bars, compact, fixed, labels, percent, ticks


def test_a_chart_is_painted_from_its_drawing():
    """What lies where in the SVG has its colour in the PNG."""
    image = Image.open(io.BytesIO(as_png(Bars([("one", {"mean": 1.0}), ("two", {"mean": -1.0})], fixed()).svg())))
    assert image.size == (520 * SCALE, 80 * SCALE)
    middle = (150 + 458) / 2  # where zero is: the names end at 150, the numbers begin at 458
    for y, side in ((17.5, 1), (44.5, -1)):
        assert image.getpixel((round((middle + 40 * side) * SCALE), round(y * SCALE))) == (63, 143, 107)  # a bar
        assert image.getpixel((round((middle - 40 * side) * SCALE), round(y * SCALE))) == (255, 255, 255)


def test_ticks_are_round():
    assert ticks(0, 1, 5) == [0, 0.2, 0.4, 0.6, 0.8, 1] and ticks(-3, 11, 4) == [0, 5, 10]
    assert ticks(99_000, 102_000, 3) == [99_000, 100_000, 101_000, 102_000] and ticks(2, 2, 4)


def test_long_names_are_whole():
    names = [f"policy:south-african-2-{level}" for level in ("easy", "medium", "strong")]
    rows = [(name, {"mean": 1.0, "low": 0.5, "high": 1.5}) for name in names]
    for plot in (Bars(rows, fixed()), Bars(rows, fixed(), width=360, names=118)):
        shown = [each.text for each in ElementTree.fromstring(plot.svg()).iter("{http://www.w3.org/2000/svg}text")]
        assert set(names) <= set(shown)


def test_axes_tell_their_numbers_apart():
    assert labels([33_401.0, 33_402.0, 33_403.0], compact) == ["33.401k", "33.402k", "33.403k"]
    assert labels([0.0, 0.2, 0.4], percent) == ["0%", "20%", "40%"]
