"""Draw the icons of the page (`play/web/page/icons`): the pattern on its card backs (`.card.back` in table.css)."""

from __future__ import annotations

from pathlib import Path

from PIL import Image, ImageDraw

from casino_env.drawing.picture import Poly, Rect

FOLDER = Path(__file__).parents[1] / "play/web/page/icons"
SIZE = 512.0
RED, GOLD, CREAM, BLACK = "#701c28", "#e3a92f", "#f6edd8", "#1c191b"
TEETH = 4  # triangles in a row


def icon(*, whole: bool) -> list[Rect | Poly]:
    """Return the shapes of the icon. whole: fill the square and keep the pattern central, for masks of any shape."""
    ground = Rect(0, 0, SIZE, SIZE, 0 if whole else 110, RED)
    top, unit, edge = (96.0, 5.7, 0.0) if whole else (30.0, 8.1, 12.0)  # edge: inset of bands beside round corners

    def y(row: float) -> float:
        return top + unit * row

    def band(first: float, last: float, fill: str, edge: float = 0) -> Rect:
        return Rect(edge, y(first), SIZE - 2 * edge, y(last) - y(first), 0, fill)

    shapes: list[Rect | Poly] = [
        ground,
        band(4, 6.5, GOLD, edge),
        band(49.5, 52, GOLD, edge),
        band(18, 20, BLACK),
        band(36, 38, BLACK),
    ]
    half = SIZE / TEETH / 2
    for tooth in range(TEETH):
        x = half * (2 * tooth + 1)
        shapes += [
            Poly(((x - half, y(18)), (x, y(9)), (x + half, y(18))), CREAM),
            Poly(((x - half, y(38)), (x, y(47)), (x + half, y(38))), CREAM),
            *(diamond(x, y(28), half * part, unit * 7 * part, fill) for part, fill in ((1, GOLD), (0.45, BLACK))),
        ]
    return shapes


def diamond(x: float, y: float, wide: float, high: float, fill: str) -> Poly:
    return Poly(((x - wide, y), (x, y - high), (x + wide, y), (x, y + high)), fill)


def svg(shapes: list[Rect | Poly]) -> str:
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE:g} {SIZE:g}">']
    for shape in shapes:
        if isinstance(shape, Rect):
            size = f'x="{shape.x:.0f}" y="{shape.y:.0f}" width="{shape.w:.0f}" height="{shape.h:.0f}"'
            lines.append(f'<rect {size} rx="{shape.round:.0f}" fill="{shape.fill}"/>')
        else:
            points = " ".join(f"{x:.0f},{y:.0f}" for x, y in shape.points)
            lines.append(f'<polygon points="{points}" fill="{shape.fill}"/>')
    return "\n".join([*lines, "</svg>"]) + "\n"


def png(shapes: list[Rect | Poly], pixels: int) -> Image.Image:
    """Draw at twice the size and scale down, which smooths the edges."""
    scale = 2 * pixels / SIZE
    image = Image.new("RGBA", (2 * pixels, 2 * pixels))
    draw = ImageDraw.Draw(image)
    for shape in shapes:
        if isinstance(shape, Rect):
            box = [each * scale for each in (shape.x, shape.y, shape.x + shape.w, shape.y + shape.h)]
            draw.rounded_rectangle(box, shape.round * scale, shape.fill)
        else:
            draw.polygon([(x * scale, y * scale) for x, y in shape.points], shape.fill)
    return image.resize((pixels, pixels), Image.Resampling.LANCZOS).quantize(64)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / "icon.svg").write_text(svg(icon(whole=False)), "utf-8")
    for pixels in (192, 512):
        png(icon(whole=False), pixels).save(FOLDER / f"icon-{pixels}.png", optimize=True)
    png(icon(whole=True), 512).save(FOLDER / "icon-maskable.png", optimize=True)
