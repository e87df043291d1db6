"""Position JSON, and from what is accepted a game is played on."""

from __future__ import annotations

from random import Random
from typing import Any

from casino_env.cards import card_name
from casino_env.game import Game
from casino_env.position import _TURN_CARDS, _TURN_FIELDS, _TURN_SETS
from tests.hostile.games import moments, play_on
from tests.hostile.kind import Kind
from tests.hostile.spoiling import spoil_json


def seeds(rng: Random) -> list[Any]:
    return [game.to_json() for game in moments(rng)]


def spoil(data: Any, rng: Random) -> Any:
    """As any JSON, or with other fields of the turn and cards in other places, which looks right at first sight."""
    if rng.random() < 0.4:
        return spoil_json(data, rng)
    data = spoil_json(data, rng) if rng.random() < 0.1 else dict(data)
    if not isinstance(data, dict):
        return data
    turn = dict(data["turn"]) if isinstance(data.get("turn"), dict) else {"acted": 1}
    cards = _cards(data) or ["AS"]
    for _ in range(rng.randint(1, 3)):
        name = rng.choice((*_TURN_FIELDS, *_TURN_CARDS, *_TURN_SETS, "open_cards", "-"))
        if name == "-":
            turn.pop(rng.choice(list(turn) or ["-"]), None)
        elif name in _TURN_FIELDS:
            turn[name] = rng.randint(0, 14)
        elif name in _TURN_CARDS:
            turn[name] = rng.choice(cards)
        else:
            turn[name] = rng.sample(cards, min(len(cards), rng.randint(0, 4)))
    return data | {"turn": turn}


def _cards(data: dict[str, Any]) -> list[str]:
    """Those that the position names anywhere."""
    text = repr(data)
    return [card_name(card) for card in range(52) if repr(card_name(card)) in text]


def use(data: Any, rng: Random) -> None:
    play_on(Game.from_json(data, skip_forced=rng.random() < 0.5), rng)


KIND = Kind("positions", 100_000, seeds, spoil, use)
