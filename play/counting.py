"""What a deal came to: points by category, the captured cards and spades counted, and who has won."""

from __future__ import annotations

from typing import Any

from casino_env.cards import cards_of
from casino_env.engine import entrypoints
from casino_env.game import Game
from casino_env.play.words import unswept
from casino_env.position import card_names

_SPADES = sum(1 << 4 * rank for rank in range(13))


def result(game: Game) -> dict[str, Any]:
    """By seat: partners have the same. sides: who counts together."""
    rules, winner = game.rules, game.winner
    sides = [rules.side(seat) for seat in range(rules.players)]
    points = game.breakdown()
    return {
        "breakdown": points,
        "counts": _counts(game, sides),
        "scores": game.scores(),
        "sides": [[seat for seat, side in enumerate(sides) if side == each] for each in range(rules.sides)],
        "winners": [] if winner is None else [seat for seat, side in enumerate(sides) if side == winner],
    }


def _counts(game: Game, sides: list[int]) -> dict[str, list[int]]:
    piles = [0] * game.rules.sides
    for seat, side in enumerate(sides):
        piles[side] |= int(game.record["piles"][seat])
    counts = {"cards": [piles[side].bit_count() for side in sides]}
    if not game.rules.bundles:
        counts["spades"] = [(piles[side] & _SPADES).bit_count() for side in sides]
    return counts


def ended_deal(before: Game, actions: list[int]) -> dict[str, Any]:
    """The result of the deal that these actions end: in a match the next one has been dealt since."""
    last = before.clone()
    last.records["match"] = 0
    for action in actions:
        entrypoints.act(last.records, last.rules_record, action)
    found = {name: value for name, value in result(last).items() if name != "winners"}
    return found | {"left": _left(before, actions, last)}


def _left(before: Game, actions: list[int], last: Game) -> dict[str, Any] | None:
    """Who gets what was left on the table after these actions, and which cards."""
    record = unswept(before.records, before.rules_record, actions)[0]
    for seat, pile in enumerate(last.record["piles"]):
        if swept := int(pile) & ~int(record["piles"][seat]):
            return {"seat": seat, "cards": card_names(cards_of(swept))}
    return None
