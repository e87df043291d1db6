"""The table as text, for terminals and logs."""

from __future__ import annotations

from collections.abc import Callable

from casino_env.cards import card_name
from casino_env.drawing.scene import Build, Scene, Seat, make_scene
from casino_env.rules import Recorded

Show = Callable[[int], str]  # how a card is written

_RED, _BOLD, _PLAIN = "\033[31m", "\033[1m", "\033[0m"


def table_text(game: Recorded, seat: int | None = None, *, colour: bool = False) -> str:
    """The table as the seat sees it; None: all hands open."""
    scene = make_scene(game, seat)
    show = _colour_name if colour else card_name
    lines = [f"{scene.title} - {scene.status}"]
    if scene.open_set:
        lines.append(f"  {scene.open_set}: {_cards(sorted(scene.picked), show)}".rstrip(": "))
    lines += [f"  build {_build(build, show)}" for build in scene.builds]
    lines.append(f"  loose: {_cards(scene.loose, show) or '-'}")
    if scene.stock:
        lines.append(f"  stock: {scene.stock} cards")
    width = max(len(_hand(seat, card_name)) for seat in scene.seats)
    lines += [_seat(seat, width, show) for seat in scene.seats]
    return "\n".join(lines + _points(scene))


def _colour_name(card: int) -> str:
    name = card_name(card)
    return f"{_RED}{name}{_PLAIN}" if name[1] in "HD" else f"{_BOLD}{name}{_PLAIN}"


def _cards(cards: list[int], show: Show) -> str:
    return " ".join(show(card) for card in cards)


def _build(build: Build, show: Show) -> str:
    kind = "single" if len(build.sets) == 1 else "augmented"
    sets = " | ".join(_cards(cards, show) for cards in build.sets)
    return f"{build.value:>2} of seat {build.owner} ({kind}): {sets}"


def _hand(seat: Seat, show: Show) -> str:
    hidden = f"{seat.hidden} hidden" if seat.hidden else ""
    return " ".join(filter(None, (_cards(seat.hand, show), hidden))) or "-"


def _seat(seat: Seat, width: int, show: Show) -> str:
    mark = ">" if seat.decides else " "
    hand = _hand(seat, show) + " " * (width - len(_hand(seat, card_name)))
    pile = f"{seat.pile:>2} cards" if seat.pile else "empty"
    if seat.top is not None:
        pile += f", top {show(seat.top)}"
    extra = ", took last" if seat.captured_last else ""
    partner = f" (with {seat.partner})" if seat.partner is not None else ""
    return f"{mark} seat {seat.number}{partner}: {hand}  pile: {pile}{extra}; points {seat.points}"


def _points(scene: Scene) -> list[str]:
    return [f"  {name:<16}" + "".join(f"{number:>4}" for number in row) for name, row in scene.breakdown.items()]
