"""A record as a time line: every step with what was done, and the table at any of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from casino_env.actions import END
from casino_env.game import Game
from casino_env.notation import turn_text
from casino_env.record import RecordError, read_record
from play.moves import at_rest
from play.seen import result, scene_data


@dataclass(frozen=True)
class Step:
    seat: int
    text: str
    deal: int
    before: Game


@dataclass(frozen=True)
class Line:
    """The moves of a record, and the game after the last of them."""

    steps: list[Step]
    end: Game

    def game(self, number: int) -> Game:
        """Before step `number`; after the last one if there is no such step."""
        return self.steps[number].before if number < len(self.steps) else self.end


def time_line(record: str) -> Line:
    """Every move (a set, a capture, a discard, an answer) is a step; an end without alternative is none."""
    game, actions = read_record(record)
    steps: list[Step] = []
    before = game.clone()
    pending: list[int] = []
    for line, text in actions:
        try:
            game.apply(text)
        except ValueError as error:
            raise RecordError(f"line {line}: {error}") from None
        pending.append(game.log[-1][1])
        if at_rest(game):
            only_end = pending == [END] and len(before.legal()) == 1
            words = turn_text(before.records, before.rules_record, pending)
            if not (only_end and steps):
                steps.append(Step(before.seat, words or text, int(before.record["deals"]), before))
            elif words:  # the end of the deal, with what it brings
                steps[-1] = replace(steps[-1], text=f"{steps[-1].text}; {words}")
            before, pending = game.clone(), []
    return Line(steps, game)


def replay_data(line: Line, number: int, seat: int | None) -> dict[str, Any]:
    """The time line, and the table at one of its steps as the seat (None: everybody) sees it."""
    game = line.game(number)
    return {
        "steps": [{"seat": step.seat, "text": step.text, "deal": step.deal} for step in line.steps],
        "step": min(number, len(line.steps)),
        "players": game.rules.players,
        "scene": scene_data(game, seat),
        "position": game.to_json(),
        "result": result(game) if game.over else None,
    }
