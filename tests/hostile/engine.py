"""Inputs of the engine: positions, saved bytes, records and lines of `casino env turns`."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from casino_env.cards import card_name
from casino_env.engine.state import GAME
from casino_env.env_commands import turns_of_line
from casino_env.game import Game
from casino_env.position import _TURN_CARDS, _TURN_NUMBERS, _TURN_SETS
from casino_env.record import replay, write_record
from casino_env.rules import Rules
from tests.hostile.games import all_rules, moments, play_on, step
from tests.hostile.kind import Kind
from tests.hostile.spoiling import spoil_bytes, spoil_json, spoil_json_text, spoil_text

# --- position JSON: accepted positions are played on -----------------------------------------------------------------


def seeds_position(rng: Random) -> list[Any]:
    return [game.to_json() for game in moments(rng)]


def spoil_position(data: Any, rng: Random) -> Any:
    """Corrupt a position like any JSON, or plausibly: change fields and cards of the turn."""
    if rng.random() < 0.4:
        return spoil_json(data, rng)
    data = spoil_json(data, rng) if rng.random() < 0.1 else dict(data)
    if not isinstance(data, dict):
        return data
    turn = dict(data["turn"]) if isinstance(data.get("turn"), dict) else {"acted": 1}
    cards = _cards(data) or ["AS"]
    for _ in range(rng.randint(1, 3)):
        name = rng.choice((*_TURN_NUMBERS, *_TURN_CARDS, *_TURN_SETS, "-"))
        if name == "-":
            turn.pop(rng.choice(list(turn) or ["-"]), None)
        elif name in _TURN_NUMBERS:
            turn[name] = rng.randint(0, 14)
        elif name in _TURN_CARDS:
            turn[name] = rng.choice(cards)
        else:
            turn[name] = rng.sample(cards, min(len(cards), rng.randint(0, 4)))
    return data | {"turn": turn}


def _cards(data: dict[str, Any]) -> list[str]:
    """Return the cards that a position names anywhere."""
    text = repr(data)
    return [card_name(card) for card in range(52) if repr(card_name(card)) in text]


def use_position(data: Any, rng: Random) -> None:
    play_on(Game.from_json(data, skip_forced=rng.random() < 0.5), rng)


# --- the bytes of a game: accepted games are played on ---------------------------------------------------------------


Saved = tuple[bytes, Rules]


def seeds_bytes(rng: Random) -> list[Saved]:
    return [(game.to_bytes(), game.rules) for game in moments(rng)]


def spoil_saved(saved: Saved, rng: Random) -> Saved:
    """Change random bytes anywhere or in one field: few changes, so that some inputs are accepted."""
    data, rules = saved
    if rng.random() < 0.4:
        return spoil_bytes(data, rng, 3), rules
    out = bytearray(data)
    name = rng.choice(GAME.names or ())
    kind, at = dict(GAME.fields or {})[name][:2]
    for _ in range(rng.randint(1, 2)):
        place = at + rng.randrange(max(kind.itemsize, 1))
        out[min(place, len(out) - 1)] = rng.choice((0, 1, 2, 13, 51, 52, 255, rng.randrange(256)))
    return bytes(out), rules


def use_bytes(saved: Saved, rng: Random) -> None:
    play_on(Game.from_bytes(*saved, skip_forced=rng.random() < 0.5), rng)


# --- game records of deals, of matches and from positions: they are replayed -----------------------------------------


def seeds_record(rng: Random) -> list[str]:
    found = []
    for rules in all_rules():
        game = Game(rules, seed=7, match=bool(rules.target) and rng.random() < 0.5, skip_forced=False)
        step(game, rng, rng.randrange(200))
        found.append(write_record(7, game))
    for start in moments(rng, 1):
        game = start.clone()
        game.log.clear()
        step(game, rng, 30)
        found.append(write_record(start, game))
    return found


def spoil_record(text: str, rng: Random) -> str:
    for _ in range(rng.randint(1, 3)):
        text = spoil_text(text, rng)
    return text


def use_record(text: str, _: Random) -> None:
    replay(text)


# --- lines of `casino env turns` -------------------------------------------------------------------------------------


def seeds_turns(rng: Random) -> list[bytes]:
    """Positions with few legal actions, so that there are few turns."""
    return [json.dumps(game.to_json()).encode() for game in moments(rng, 12) if len(game.legal()) < 8]


def spoil_turns(line: bytes, rng: Random) -> bytes:
    data = json.loads(line)
    return spoil_json_text(spoil_position(data, rng) if rng.random() < 0.5 else data, rng)


def use_turns(line: bytes, _: Random) -> None:
    turns_of_line(line)


KINDS = (
    Kind("positions", 100_000, seeds_position, spoil_position, use_position),
    Kind("bytes", 100_000, seeds_bytes, spoil_saved, use_bytes),
    Kind("records", 100_000, seeds_record, spoil_record, use_record),
    Kind("turns", 100_000, seeds_turns, spoil_turns, use_turns),
)
