"""A record as a time line: every step with what was done, and the table at any of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from casino_env.actions import END
from casino_env.game import Game
from casino_env.play.counting import result
from casino_env.play.moves import at_rest, turn_words
from casino_env.play.names import Names, names_of, seat_names
from casino_env.play.seen import scene_data, title_of
from casino_env.record import RecordError, read_record


@dataclass(frozen=True)
class Step:
    seat: int
    text: str
    actions: tuple[int, ...]
    before: Game


@dataclass(frozen=True)
class Line:
    """The moves of a record, and the game after the last of them."""

    steps: list[Step]
    end: Game
    names: Names

    def game(self, number: int) -> Game:
        """Before step `number`; after the last one if there is no such step."""
        return self.steps[number].before if number < len(self.steps) else self.end


def time_line(record: str, specs: Sequence[str] = ()) -> Line:
    """Every move (a set, a capture, a discard, an answer) is a step; an end without alternative is none.

    specs: of those who sat there, where that is known.
    """
    game, actions = read_record(record)
    known, rules = len(specs) == game.rules.players, game.rules
    names = names_of(specs, partners=rules.partners) if known else seat_names(rules.players)
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
            if not (only_end and steps):
                words = turn_words(before, pending, names)
                steps.append(Step(before.seat, words, tuple(pending), before))
            before, pending = game.clone(), []
    return Line(steps, game, names)


def turn_at(line: Line, number: int) -> list[int]:
    """The actions from a step to the end of its turn, or to where somebody else decides."""
    found: list[int] = []
    for at, step in enumerate(line.steps[number:], number):
        if at > number and begins(line, at):
            break
        found += step.actions
    return found


def begins(line: Line, number: int) -> bool:
    """A turn, or an answer inside one, begins with this step."""
    if number == 0:
        return True
    one, two = line.steps[number - 1].before, line.steps[number].before
    return one.seat != two.seat or any(one.record[name] != two.record[name] for name in ("turns", "deals"))


def replay_data(line: Line, number: int, seat: int | None) -> dict[str, Any]:
    """The time line, and the table at one of its steps as the seat (None: everybody) sees it."""
    game = line.game(number)
    return {
        "steps": [
            {"seat": step.seat, "text": step.text, "deal": int(step.before.record["deals"]), "begins": begins(line, at)}
            for at, step in enumerate(line.steps)
        ],
        "step": min(number, len(line.steps)),
        "names": list(line.names.called),
        "person": line.names.you,
        "title": title_of(game),
        "scene": scene_data(game, seat),
        "position": game.to_json(),
        "result": result(game) if game.over else None,
    }
