"""The table as text, for terminals and logs."""

from __future__ import annotations

from casino_env.cards import card_name
from casino_env.drawing.scene import Scene, make_scene
from casino_env.rules import Recorded


def table_text(game: Recorded, seat: int | None = None) -> str:
    """The table as the seat sees it; None: all hands open."""
    scene = make_scene(game, seat)
    names = [f"seat {other.number}" for other in scene.seats]
    points = [f"  {name:<16}" + "".join(f"{number:>4}" for number in row) for name, row in scene.breakdown.items()]
    return "\n".join([f"{scene.title} - {scene.status}", *table_lines(scene, names), *points])


def table_lines(scene: Scene, names: list[str], own: int | None = None) -> list[str]:
    """The cards on the table, and a line per seat with its name. own: a seat whose hand is left out."""
    lines = [f"  {scene.open_set}; {cards_text(sorted(scene.picked))}"] if scene.open_set else []
    for build in scene.builds:
        lines.append(f"  {build.value}-build of {names[build.owner]}: {' | '.join(map(cards_text, build.sets))}")
    lines.append(f"  loose: {cards_text(scene.loose)}" + (f"   stock: {scene.stock}" if scene.stock else ""))
    for seat in scene.seats:
        known = f" ({cards_text(seat.hand)})" if seat.hand and seat.number != own else ""
        parts = [
            f"hand {len(seat.hand) + seat.hidden}{known}",
            f"pile {seat.pile}" + (f" top {card_name(seat.top)}" if seat.top is not None else ""),
            f"points {seat.points}",
            *([f"with {seat.partner}"] if seat.partner is not None else []),
            *(["took last"] if seat.captured_last else []),
        ]
        lines.append(f"{'>' if seat.decides else ' '} {names[seat.number]}: {', '.join(parts)}")
    return lines


def seen_lines(scene: Scene, names: list[str], own: int) -> list[str]:
    """The table for a player: what to decide, the table, and the player's hand on a line of its own."""
    status = f"{scene.title}: {scene.status.partition(': ')[2]}"
    return [status, *table_lines(scene, names, own), f"  your hand: {cards_text(scene.seats[own].hand)}"]


def cards_text(cards: list[int]) -> str:
    return " ".join(map(card_name, cards)) or "-"
