"""Charts: every number is where its axis says, names are whole, and the page has its own colours."""

import io
from xml.etree import ElementTree

import pytest
from PIL import Image

from casino_env.evaluate.report.charts import FORMATS, Column, Curve, Point, curves, drawn, inline, intervals


def texts(figure):
    svg = ElementTree.fromstring(drawn(figure, "svg"))
    return ["".join(each.itertext()).strip() for each in svg.iter("{http://www.w3.org/2000/svg}text")]


def test_bars_begin_at_zero_and_end_at_their_means():
    figure = intervals(["one", "two"], [Column("points", "{:+.1f}", [{"mean": 1.0}, {"mean": -1.0}])])
    (axes,) = figure.axes
    ends = [sorted((bar.get_x(), bar.get_x() + bar.get_width())) for bar in axes.patches]
    assert ends == [[0.0, 1.0], [-1.0, 0.0]]
    assert {"one", "two", "+1.0", "-1.0", "points"} <= set(texts(figure))


def test_whiskers_are_the_intervals():
    rows: list[dict] = [{"mean": 1.0, "low": 0.5, "high": 1.5}, {"mean": 2.0, "low": None, "high": None}, {"mean": 3.0}]
    (axes,) = intervals(["a", "b", "c"], [Column("x", "{:.1f}", rows)], dots=True).axes
    (whisker,), (dots, zero) = axes.collections, axes.lines
    assert whisker.get_segments()[0].tolist() == [[0.5, 0], [1.5, 0]] and list(dots.get_xdata()) == [1.0, 2.0, 3.0]
    assert list(zero.get_xdata()) == [0, 0]


def test_curves_have_bands_where_there_are_intervals():
    points = [Point(1, 2.0, 1.0, 3.0), Point(2, 3.0, 2.5, 3.5), Point(3, 4.0)]
    series = [Curve("a", points), Curve("b", points[:1]), Curve("c", points[2:])]
    figure = curves([("", series)], "decisions", "points")
    (axes,) = figure.axes
    assert [list(line.get_xdata()) for line in axes.lines[:3]] == [[1, 2, 3], [1], [3]]
    band, whisker, nothing = axes.collections
    assert band.get_paths()[0].get_extents().extents.tolist() == [1, 1, 2, 3.5]
    assert whisker.get_segments()[0].tolist() == [[1, 1], [1, 3]] and nothing.get_segments() == []
    assert {"a", "b", "c", "decisions", "points"} <= set(texts(figure))


def test_every_group_of_curves_has_its_panel():
    groups = [(f"number {k}", [Curve("", [Point(0, k), Point(1, k)])]) for k in range(4)]
    shown = [axes for axes in curves(groups).figure.axes if axes.get_visible()]
    assert [axes.get_title(loc="left") for axes in shown] == [f"number {k}" for k in range(4)]


def test_long_names_are_whole():
    names = [f"policy:south-african-2-{level}" for level in ("easy", "medium", "strong")]
    rows = [{"mean": 1.0, "low": 0.5, "high": 1.5}] * 3
    for columns in (1, 3):
        assert set(names) <= set(texts(intervals(names, [Column("x", "{:.2f}", rows)] * columns)))


def test_of_a_name_that_is_too_long_the_part_that_says_more_is_left():
    rows = [{"mean": 1.0}] * 2
    shown = texts(intervals(["x" * 3000, "/a" * 3000 + "/mine"], [Column("x", "{:.2f}", rows)]))
    assert any(text.startswith("xxx") and text.endswith("…") for text in shown)
    assert any(text.startswith("…") and text.endswith("/mine") for text in shown)


def test_axes_tell_their_numbers_apart():
    figure = curves([("", [Curve("", [Point(k, 33_401 + k) for k in range(3)])])])
    ticks = [label for label in texts(figure) if label.startswith("33.4")]
    assert len(ticks) == len(set(ticks))


@pytest.mark.parametrize("form", FORMATS)
def test_a_file_has_a_white_ground(form):
    data = drawn(intervals(["one"], [Column("x", "{:.1f}", [{"mean": 1.0}])]), form)
    if form == "png":
        image = Image.open(io.BytesIO(data)).convert("RGB")
        assert image.getpixel((0, 0)) == (255, 255, 255) and image.width == 1100
    if form == "svg":
        assert b"#ffffff" in data and b"#1c2127" in data


def test_a_chart_of_a_page_has_the_colours_of_the_page():
    text = inline(intervals(["one"], [Column("x", "{:.1f}", [{"mean": 1.0}])]))
    assert text.startswith("<svg") and "#ffffff" not in text and "#1c2127" not in text
    assert all(f"var(--{name})" in text for name in ("ink", "dim", "line", "bar"))


def test_other_formats_are_refused():
    with pytest.raises(ValueError, match="svg, png, pdf; not 'gif'"):
        drawn(curves([("", [Curve("", [Point(0, 1)])])]), "gif")
