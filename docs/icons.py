"""The icons of the page (`play/web/page/icons`), drawn of the shapes that pictures of tables are made of."""

from __future__ import annotations

from pathlib import Path
from xml.sax.saxutils import escape

from PIL import Image, ImageDraw, ImageFont

from casino_env.cards import parse_card
from casino_env.drawing.picture import FELT, FELT_EDGE, Poly, Rect, Shape, Text, card

FOLDER = Path(__file__).parents[1] / "play/web/page/icons"
SIZE = 512.0
CARDS = ("TD", "9S")  # behind and in front


def icon(*, whole: bool) -> list[Shape]:
    """Two cards on felt; whole: felt up to the edges, and all that matters in the middle, for masks of any shape."""
    scale = 0.74 if whole else 1.0
    w = 250 * scale
    x, y = (SIZE - 1.5 * w) / 2, (SIZE - 1.62 * w) / 2
    ground = Rect(0, 0, SIZE, SIZE, 0 if whole else 110, FELT, "" if whole else FELT_EDGE, 14)
    behind, front = (parse_card(name) for name in CARDS)
    return [ground, *card(behind, x, y, w), *card(front, x + 0.5 * w, y + 0.22 * w, w)]


def svg(shapes: list[Shape]) -> str:
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE:g} {SIZE:g}" font-family="sans-serif">']
    for shape in shapes:
        if isinstance(shape, Rect):
            edge = f' stroke="{shape.edge}" stroke-width="{shape.line:g}"' if shape.edge else ""
            size = f'x="{shape.x:.0f}" y="{shape.y:.0f}" width="{shape.w:.0f}" height="{shape.h:.0f}"'
            lines.append(f'<rect {size} rx="{shape.round:.0f}" fill="{shape.fill}"{edge}/>')
        elif isinstance(shape, Poly):
            points = " ".join(f"{x:.1f},{y:.1f}" for x, y in shape.points)
            lines.append(f'<polygon points="{points}" fill="{shape.fill}"/>')
        else:
            place = f'x="{shape.x:.0f}" y="{shape.y + 0.35 * shape.size:.0f}" font-size="{shape.size:.0f}"'
            lines.append(
                f'<text {place} fill="{shape.fill}" text-anchor="middle" font-weight="bold">{escape(shape.text)}</text>'
            )
    return "\n".join([*lines, "</svg>"]) + "\n"


def png(shapes: list[Shape], pixels: int) -> Image.Image:
    """Drawn at twice the size, then made smaller: smooth edges."""
    scale = 2 * pixels / SIZE
    image = Image.new("RGBA", (2 * pixels, 2 * pixels))
    draw = ImageDraw.Draw(image)
    for shape in shapes:
        if isinstance(shape, Rect):
            box = [each * scale for each in (shape.x, shape.y, shape.x + shape.w, shape.y + shape.h)]
            line = max(1, round(shape.line * scale)) if shape.edge else 0
            draw.rounded_rectangle(box, shape.round * scale, shape.fill, shape.edge or None, line)
        elif isinstance(shape, Poly):
            draw.polygon([(x * scale, y * scale) for x, y in shape.points], shape.fill)
        else:
            assert isinstance(shape, Text)
            font, at = ImageFont.load_default(shape.size * scale), (shape.x * scale, shape.y * scale)
            draw.text(at, shape.text, shape.fill, font, "mm", stroke_width=round(0.02 * shape.size * scale))
    return image.resize((pixels, pixels), Image.Resampling.LANCZOS).quantize(64)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / "icon.svg").write_text(svg(icon(whole=False)), "utf-8")
    for pixels in (192, 512):
        png(icon(whole=False), pixels).save(FOLDER / f"icon-{pixels}.png", optimize=True)
    png(icon(whole=True), 512).save(FOLDER / "icon-maskable.png", optimize=True)
