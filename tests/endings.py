"""Endings for the solver, reached by random and greedy play."""

from __future__ import annotations

import random
from collections.abc import Iterator

from casino_env.engine.reading import SPADES
from casino_env.engine.scoring import card_points
from casino_env.engine.state import IDLE
from casino_env.game import Game
from casino_env.rules import Rules

_CARELESS = 0.15  # share of random actions in greedy play, so that games differ
_ATTEMPTS = 1000


def endings(rules: Rules, cards: int, count: int, seed: int) -> Iterator[Game]:
    """Yield `count` endings, alternately after random and after greedy play."""
    rng = random.Random(seed)
    for number in range(count):
        yield ending(rules, cards, rng, greedy=number % 2 == 1)


def ending(rules: Rules, cards: int, rng: random.Random, *, greedy: bool) -> Game:
    """Return a start of a turn with nothing left to deal, in which the fullest hand has `cards` cards."""
    if not 1 <= cards <= rules.hand_size:
        raise ValueError(f"endings of {rules.name} have 1 to {rules.hand_size} cards a hand, not {cards}")
    for _ in range(_ATTEMPTS):
        game = Game(rules, seed=rng.getrandbits(64))
        while not game.over and _cards_to_come(game) > cards:
            game.apply(_choose(game, rng, greedy))
        if not game.over and _cards_to_come(game) == cards:
            return game
    raise ValueError(f"{rules.name} did not come to {cards} cards a hand in {_ATTEMPTS} deals")


def _cards_to_come(game: Game) -> int:
    """Count the cards of the fullest hand; before the last deal or inside a turn, return the size of the deck."""
    record = game.record
    if record["stock_top"] >= 0 or record["mode"] != IDLE or record["acted"]:
        return game.rules.deck
    return max(int(hand).bit_count() for hand in record["hands"])


def _choose(game: Game, rng: random.Random, greedy: bool) -> int:
    legal = game.legal()
    if not greedy or rng.random() < _CARELESS:
        return rng.choice(legal)
    return max(legal, key=lambda action: (_gain(game, action), rng.random()))


def _gain(game: Game, action: int) -> int:
    """Score the cards that the mover has won once its turn is over: 10 a point, 3 a spade, 1 a card."""
    seat, before = game.seat, game.record["piles"].copy()
    twin = game.clone()
    twin.apply(action)
    while not twin.over and twin.seat == seat and twin.record["acted"]:
        twin.apply(twin.legal()[0])  # take the next card rather than end the choice
    pile = seat % 2 if game.rules.shared_pile else seat
    won = int(twin.record["piles"][pile] & ~before[pile])
    return 10 * int(card_points(twin.rules_record[0], won)) + 3 * (won & SPADES).bit_count() + won.bit_count()
