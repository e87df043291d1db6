"""Game records: a whole deal or match as text that people can read and the program can replay.

Header lines `key: value`, an empty line, then one line per turn: the seat and its actions, separated by semicolons.
An answer of another seat begins with that seat: `2> yes`. Forced actions are included.
"""

from __future__ import annotations

import json
import re
from typing import Any

from casino_env.actions import action_text
from casino_env.game import Game, seed_number
from casino_env.rules import RULES_VERSION, rules_of
from casino_env.validate import BLANKS, checks_objects, closest, parse_json, short_repr

FORMAT = "casino-record 1"
_KEYS = ("variant", "players", "rules", "rules_version", "match", "seed", "position", "result")


class RecordError(ValueError):
    """A record that cannot be replayed: the message says in which line and why."""


@checks_objects
def write_record(start: Game | int, game: Game) -> str:
    """The record of a game as text. start: the seed of the game, or the Game it began from."""
    lines = [
        FORMAT,
        f"variant: {game.rules.name}",
        f"players: {game.rules.players}",
        f"rules: {json.dumps(game.rules.differences())}",
        f"rules_version: {RULES_VERSION}",
        f"match: {json.dumps(bool(game.record['match']))}",
    ]
    if isinstance(start, Game):
        lines.append(f"position: {json.dumps(start.to_json())}")
    else:
        if game.seed not in (None, seed_number(start)):
            raise ValueError(f"seed = {start}; the game was dealt from seed {game.seed}")
        lines.append(f"seed: {seed_number(start)}")
    if game.over:
        lines.append(f"result: {' '.join(map(str, game.scores()))}")
    return "\n".join([*lines, "", *_turn_lines(game.log)]) + "\n"


def _turn_lines(log: list[tuple[int, int, bool]]) -> list[str]:
    """The lines of the turns."""
    turns: list[list[str]] = []
    for seat, action, begins in log:
        text = action_text(action)
        if begins or not turns:
            mover = seat
            turns.append([f"{seat}: {text}"])
        else:
            turns[-1].append(text if seat == mover else f"{seat}> {text}")
    return ["; ".join(turn) for turn in turns]


def read_record(text: str) -> tuple[Game, list[tuple[int, str]]]:
    """The game at the start of a record, and its actions with their line numbers; raise RecordError if they cannot be
    replayed."""
    start, actions, _ = _read(text)
    return start, actions


def replay(text: str) -> Game:
    """Play a record to its end and return the game; raise RecordError if it cannot be replayed."""
    return _read(text)[2]


def _read(text: str) -> tuple[Game, list[tuple[int, str]], Game]:
    """The game at its start, its actions with their line numbers, and the game at its end."""
    if not isinstance(text, str):
        raise RecordError("a record must be a string")
    rows = re.split("\r\n|[\n\r]", text)
    if rows[0].strip(BLANKS) != FORMAT:
        raise RecordError(f"line 1: must be {FORMAT!r}")
    head: dict[str, Any] = {}
    number = 1
    for number, row in enumerate(rows[1:], 2):
        if not row.strip(BLANKS):
            break
        key, colon, value = row.partition(":")
        if not colon or key not in _KEYS:
            raise RecordError(f"line {number}: unknown key {short_repr(key)}{closest(key, list(_KEYS))}")
        if key in head:
            raise RecordError(f"line {number}: duplicate key {key!r}")
        head[key] = value.strip(BLANKS)
    start, actions = _start(head), []
    end = start.clone()
    for line, row in enumerate(rows[number:], number + 1):
        mover, colon, moves = row.partition(":")
        if row.strip(BLANKS) and not colon:
            raise RecordError(f"line {line}: must be SEAT: ACTION; ACTION ...")
        for move in filter(None, (move.strip(BLANKS) for move in moves.split(";"))):
            other, answers, action = move.rpartition(">")
            _do(end, line, (other if answers else mover).strip(BLANKS), action.strip(BLANKS))
            actions.append((line, action.strip(BLANKS)))
    _check_result(head.get("result"), end)
    return start, actions, end


def _do(game: Game, line: int, seat: str, action: str) -> None:
    """Play an action of a line."""
    if not game.over and seat != str(game.seat):
        raise RecordError(f"line {line}: seat {short_repr(seat)}; seat {game.seat} decides here")
    try:
        game.apply(action)
    except ValueError as error:
        raise RecordError(f"line {line}: {error}") from None


def _check_result(said: str | None, game: Game) -> None:
    scores = " ".join(map(str, game.scores()))
    if said is not None and not game.over:
        raise RecordError(f"result: {short_repr(said)}, but the game is not over")
    if said not in (None, scores):
        raise RecordError(f"result: {short_repr(said)}; the moves give {short_repr(scores)}")


def _start(head: dict[str, Any]) -> Game:
    version = head.get("rules_version")
    if version != str(RULES_VERSION):
        raise RecordError(f"rules_version: {short_repr(version)}; this program plays version {RULES_VERSION}")
    match = head.get("match", "false")
    if match not in ("true", "false"):
        raise RecordError(f"match: {short_repr(match)}; it must be true or false")
    try:
        return _from_position(head) if "position" in head else _from_seed(head, match)
    except KeyError as error:
        raise RecordError(f"header: {error.args[0]} is missing") from None
    except ValueError as error:
        raise RecordError(f"header: {error}") from None


def _from_position(head: dict[str, Any]) -> Game:
    """The game of the position, which the rest of the header may say again."""
    game = Game.from_json(parse_json(head["position"], "position"), skip_forced=False)
    rules = game.rules
    if "seed" in head:
        raise ValueError("a record begins from a seed or from a position, not from both")
    again = {"variant": rules.name, "players": str(rules.players), "match": json.dumps(bool(game.record["match"]))}
    if "rules" in head:
        stated = rules_of(rules.name, rules.players, parse_json(head["rules"], "rules"))
        again["rules"] = head["rules"] if stated == rules else json.dumps(rules.differences())
    for key, value in again.items():
        if head.get(key, value) != value:
            raise ValueError(f"{key}: {short_repr(head[key])}, but the position says {short_repr(value)}")
    return game


def _from_seed(head: dict[str, Any], match: str) -> Game:
    changes = parse_json(head.get("rules", "{}"), "rules")
    rules = rules_of(head["variant"], _digits(head["players"], "players"), changes)
    return Game(rules, seed=_digits(head["seed"], "seed"), match=match == "true", skip_forced=False)


def _digits(text: str, where: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 20:
        raise ValueError(f"{where}: {short_repr(text)}; it must be a whole number")
    return int(text)


def print_replay(text: str, *, as_json: bool) -> None:
    """Print the table before each turn, and the actions."""
    game, actions = read_record(text)
    steps = []
    last_line = 0
    for line, action in actions:
        if not as_json and line != last_line:
            print(f"{game}\n")
        last_line, seat = line, game.seat
        game.apply(action)
        if as_json:
            steps.append({"seat": seat, "action": action, "position": game.to_json()})
        else:
            print(f"  seat {seat}: {action}")
    if as_json:
        print(json.dumps({"steps": steps, "over": game.over, "scores": game.scores(), "breakdown": game.breakdown()}))
        return
    print(f"\n{game}")
    for name, row in game.breakdown().items():
        print(f"  {name:<16} {'  '.join(f'{points:>3}' for points in row)}")
