"""Games and positions as pictures in a page: each shape once, and frames that list the shapes they show."""

from __future__ import annotations

from typing import Any

from casino_env.actions import action_text
from casino_env.drawing.picture import HEIGHT, WIDTH, picture
from casino_env.drawing.scene import make_scene
from casino_env.drawing.shapes import Poly, Rect, Shape
from casino_env.game import Game
from casino_env.notation import turn_text
from casino_env.record import RecordError, read_record

SIZE = (WIDTH, HEIGHT)


class Reel:
    """The shapes of all pictures of a page. Most are the same from frame to frame; outlines differ in place only."""

    def __init__(self) -> None:
        self._shapes: dict[tuple[Any, ...], int] = {}
        self._outlines: dict[str, int] = {}
        self._seen: dict[Shape, int] = {}

    def to_json(self) -> dict[str, Any]:
        return {"size": SIZE, "shapes": list(self._shapes), "outlines": list(self._outlines)}

    def frame(self, game: Game) -> list[int]:
        """The table with all hands open."""
        return [self._number(shape) for shape in picture(make_scene(game))]

    def _number(self, shape: Shape) -> int:
        if shape not in self._seen:
            self._seen[shape] = self._shapes.setdefault(self._plain(shape), len(self._shapes))
        return self._seen[shape]

    def _plain(self, shape: Shape) -> tuple[Any, ...]:
        """A shape as the page draws it (page.js): its kind and its numbers."""
        if isinstance(shape, Rect):
            place = (_short(shape.x), _short(shape.y), _short(shape.w), _short(shape.h), _short(shape.round))
            return ("r", *place, shape.fill, shape.edge, shape.line if shape.edge else 0)
        if isinstance(shape, Poly):
            return ("p", *self._outline(shape), shape.fill)
        return (
            "t",
            _short(shape.x),
            _short(shape.y),
            _short(shape.size),
            shape.text,
            shape.fill,
            shape.anchor,
            int(shape.bold),
        )

    def _outline(self, shape: Poly) -> tuple[Any, ...]:
        """(number of the outline, place, size): outlines are one wide, from the corner of their box."""
        left, top = min(x for x, _ in shape.points), min(y for _, y in shape.points)
        size = max(x for x, _ in shape.points) - left
        path = " ".join(f"{(x - left) / size:.3f},{(y - top) / size:.3f}" for x, y in shape.points)
        number = self._outlines.setdefault(path, len(self._outlines))
        return number, _short(left), _short(top), _short(size)


def _short(number: float) -> float | int:
    rounded = round(float(number), 1)
    return int(rounded) if rounded.is_integer() else rounded


def film(reel: Reel, record: str, title: str, players: list[str]) -> dict[str, Any]:
    """A game record as frames: the table before every action, with what is done, and at last the end."""
    game, actions = read_record(record)
    frames, turns = [], []
    before, moves = game.clone(), list[int]()
    for line, text in actions:
        if not game.record["acted"] and moves:
            turns.append(_turn(before, moves))
            before, moves = game.clone(), []
        frames.append({"shapes": reel.frame(game), "seat": game.seat, "text": text, "turn": len(turns)})
        game.log.clear()
        try:
            game.apply(text)
        except ValueError as error:
            raise RecordError(f"line {line}: {error}") from None
        moves += [action for _, action, _ in game.log]
    if moves:
        turns.append(_turn(before, moves))
    frames.append({"shapes": reel.frame(game), "seat": -1, "text": "the end of the deal", "turn": len(turns) - 1})
    return {
        "title": title,
        "players": players,
        "variant": game.rules.name,
        "scores": game.scores(),
        "turns": turns,
        "frames": frames,
        "record": record,
    }


def _turn(before: Game, moves: list[int]) -> dict[str, Any]:
    words = turn_text(before.records, before.rules_record, moves)
    return {"seat": before.seat, "text": words or "; ".join(action_text(move) for move in moves)}
