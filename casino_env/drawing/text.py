"""The table as text, for terminals and logs."""

from __future__ import annotations

from casino_env.cards import card_name
from casino_env.drawing.scene import Build, Scene, Seat, make_scene
from casino_env.rules import Recorded


def table_text(game: Recorded, seat: int | None = None) -> str:
    """The table as the seat sees it; None: all hands open."""
    scene = make_scene(game, seat)
    lines = [f"{scene.title} - {scene.status}"]
    if scene.open_set:
        lines.append(f"  {scene.open_set}: {_cards(sorted(scene.picked))}".rstrip(": "))
    lines += [f"  build {_build(build)}" for build in scene.builds]
    lines.append(f"  loose: {_cards(scene.loose) or '-'}")
    if scene.stock:
        lines.append(f"  stock: {scene.stock} cards")
    width = max(len(_hand(seat)) for seat in scene.seats)
    lines += [_seat(seat, width) for seat in scene.seats]
    return "\n".join(lines + _points(scene))


def _cards(cards: list[int]) -> str:
    return " ".join(card_name(card) for card in cards)


def _build(build: Build) -> str:
    kind = "single" if len(build.sets) == 1 else "augmented"
    sets = " | ".join(_cards(cards) for cards in build.sets)
    return f"{build.value:>2} of seat {build.owner} ({kind}): {sets}"


def _hand(seat: Seat) -> str:
    hidden = f"{seat.hidden} hidden" if seat.hidden else ""
    return " ".join(filter(None, (_cards(seat.hand), hidden))) or "-"


def _seat(seat: Seat, width: int) -> str:
    mark = ">" if seat.decides else " "
    hand = _hand(seat) + " " * (width - len(_hand(seat)))
    pile = f"{seat.pile:>2} cards" if seat.pile else "empty"
    if seat.top is not None:
        pile += f", top {card_name(seat.top)}"
    extra = ", took last" if seat.captured_last else ""
    partner = f" (with {seat.partner})" if seat.partner is not None else ""
    return f"{mark} seat {seat.number}{partner}: {hand}  pile: {pile}{extra}; points {seat.points}"


def _points(scene: Scene) -> list[str]:
    return [f"  {name:<16}" + "".join(f"{number:>4}" for number in row) for name, row in scene.breakdown.items()]
