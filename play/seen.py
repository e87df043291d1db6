"""What leaves the table for the person: plain data, made from what the person's seat may know."""

from __future__ import annotations

from typing import Any

from casino_env.cards import card_name
from casino_env.drawing.scene import Seat, make_scene
from casino_env.game import Game
from casino_env.play.about import title
from casino_env.play.counting import result
from casino_env.play.questions import question
from casino_env.play.table import Table
from casino_env.position import card_names

Data = dict[str, Any]


def seen(table: Table, since: int = 0) -> Data:
    """The table as the person sees it, with the events from number `since` on."""
    game = table.game
    return {
        "version": table.version,
        "person": table.person,
        "seats": list(table.setup.seats),
        "names": list(table.names.called),
        "variant": table.rules.name,
        "title": title_of(game),
        "question": question(game.record, table.names) if table.mine else "",
        "match": bool(game.record["match"]),
        "over": game.over,
        "mine": table.mine,
        "undo": table.can_undo,
        "scene": scene_data(game, table.person),
        "moves": [dict(vars(move)) for move in table.moves()],
        "events": [dict(vars(event)) for event in table.events[since:]],
        "count": len(table.events),
        "result": result(game) if game.over else None,
        "match_score": _match_score(game),
    }


def seen_before(table: Table, step: int) -> Data:
    """The table as the person saw it before event `step`: no more than was shown then."""
    game = table.before(step)
    return {"step": min(step, len(table.events)), "title": title_of(game), "scene": scene_data(game, table.person)}


def scene_data(game: Game, seat: int | None) -> Data:
    """scene.make_scene as JSON, with cards by name; seat None: all hands open."""
    scene = make_scene(game, seat)
    return {
        "title": scene.title,
        "status": scene.status,
        "open_set": scene.open_set,
        "stock": scene.stock,
        "shared": game.rules.shared_pile,
        "loose": card_names(scene.loose),
        "picked": sorted(map(card_name, scene.picked)),
        "builds": [
            {"value": build.value, "owner": build.owner, "sets": [card_names(cards) for cards in build.sets]}
            for build in scene.builds
        ],
        "seats": [_seat_data(seat) for seat in scene.seats],
    }


def _seat_data(seat: Seat) -> Data:
    named = {name: card_names(getattr(seat, name)) for name in ("hand", "cards", "unsure")}
    return vars(seat) | named | {"top": None if seat.top is None else card_name(seat.top)}


def title_of(game: Game) -> str:
    """The game, and which of its deals this is."""
    rules, parts = game.rules, [title(game.rules.name)]
    if bool(game.record["match"]):
        parts.append(f"deal {int(game.record['deals']) + (not game.over)}")
    if rules.rounds > 1 and not rules.draw_hand:
        parts.append(f"hand {int(game.record['round'])} of {rules.rounds}")
    return ", ".join(parts)


def _match_score(game: Game) -> list[int]:
    """By seat."""
    return [int(game.record["match_score"][game.rules.side(seat)]) for seat in range(game.rules.players)]
