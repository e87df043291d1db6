"""Drawing a game as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from casino_env import position
from casino_env.cards import cards_of

if TYPE_CHECKING:
    from casino_env.game import Game


def table_text(game: Game) -> str:
    """The table with all hands open."""
    data = game.to_json()
    lines = [_head(game, data)]
    for build in data["builds"]:
        sets = " | ".join(" ".join(cards) for cards in build["sets"])
        lines.append(f"  build {build['value']:>2} of seat {build['owner']}: {sets}")
    lines.append(f"  loose: {' '.join(data['layout']) or '-'}")
    for seat in range(game.rules.players):
        mark = ">" if seat == game.seat and not game.over else " "
        pile = data["piles"][seat]
        shown = f"{len(pile)} cards, top {pile[-1]}" if pile else "empty"
        if game.rules.stacking == "face_down" and pile:
            shown = f"{len(pile)} cards"
        lines.append(f"{mark} seat {seat}: {' '.join(data['hands'][seat]) or '-':<38} pile: {shown}")
    return "\n".join(lines)


def _head(game: Game, data: dict[str, Any]) -> str:
    name = f"{game.rules.name}, {game.rules.players} players, round {data['round']}"
    if game.over:
        return f"{name}: over, points {game.scores()}"
    picked = position.names(cards_of(int(game.record["picked"])))
    opened = f", open: {' '.join(picked)}" if picked else ""
    return f"{name}, seat {game.seat} to decide{opened}, {len(data['stock'])} cards in stock"
