"""Make games that differ only in what one seat may not know: swap cards one by one, without the engine's help."""

from typing import Any

import numpy as np

from casino_env.cards import cards_of
from casino_env.engine.state import GAME, SORTING, chain, rules_record
from casino_env.game import Game, unchecked_game
from casino_env.knowledge.encode import encode_views
from casino_env.knowledge.layout import make_layout
from casino_env.rules import Rules

VALUES = range(1, 15)


def rank_mask(value: int) -> int:
    return 15 << (4 * ((value - 1) % 13))


def backs_everything(game, rules: Rules, seat: int, hand: int) -> bool:
    """Return whether the seat, with this hand, holds a card for each of its builds and proven ranks."""
    if not rules.keep_backing:
        return True
    builds = [value for value in VALUES if int(game["owned"][seat]) >> value & 1]
    if seat == game["to_move"] and game["debt"]:
        builds.append(int(game["debt"]))
    proofs = [value for value in VALUES if int(game["proven"][seat]) >> value & 1]
    if not all(hand & rank_mask(value) for value in proofs):
        return False
    if seat == game["to_move"] and game["hand_card"] >= 0 and not game["take_build"]:
        hand &= ~(1 << int(game["hand_card"]))
    aces = [value for value in builds if value in (1, 14)]
    if len(aces) > (hand & 15).bit_count():
        return False
    return all(hand & rank_mask(value) for value in builds)


def declared(game) -> int:
    """Return the bitmask of hand cards that the mover has already shown."""
    cards = int(game["picked"])
    if game["hand_card"] >= 0:
        cards |= 1 << int(game["hand_card"])
    return cards


def stock_of(game) -> list[int]:
    """Return the stock, next card first."""
    return chain(game, int(game["stock_top"]))[::-1]


def set_stock(game, cards: list[int]) -> None:
    for card, under in zip(cards, [*cards, -1][1:], strict=True):
        game["below"][card] = under
    game["stock_top"] = cards[0] if cards else -1


def _swap_once(game, rules: Rules, seat: int, rng: np.random.Generator) -> None:
    stock = stock_of(game)
    hidden: dict[Any, list[int]] = {}
    others: list[Any] = [s for s in range(rules.players) if s != seat]
    for other in others:
        known = declared(game) if other == game["to_move"] else 0
        hidden[other] = cards_of(int(game["hands"][other]) & ~known)
    places = [place for place in [*others, "stock"] if (stock if place == "stock" else hidden[place])]
    if len(places) < 2:
        return
    first, second = rng.choice(len(places), 2, replace=False)
    a, b = places[first], places[second]
    if a == "stock":
        a, b = b, a
    mine = int(rng.choice(hidden[a]))
    theirs = int(rng.choice(stock if b == "stock" else hidden[b]))
    hand_a = int(game["hands"][a]) ^ (1 << mine) ^ (1 << theirs)
    if not backs_everything(game, rules, a, hand_a):
        return
    if b == "stock":
        set_stock(game, [mine if card == theirs else card for card in stock])
        game["below"][theirs] = -1
    else:
        hand_b = int(game["hands"][b]) ^ (1 << mine) ^ (1 << theirs)
        if not backs_everything(game, rules, b, hand_b):
            return
        game["hands"][b] = hand_b
    game["hands"][a] = hand_a


def _shuffle_batches(game, pile: int, seat: int, rng: np.random.Generator) -> None:
    """Shuffle the cards below the top of each batch that another seat captured."""
    if game["mode"] == SORTING:
        return
    card = int(game["pile_top"][pile])
    while card >= 0:
        batch = [card]
        while not int(game["starts"]) >> batch[-1] & 1:
            batch.append(int(game["below"][batch[-1]]))
        under = int(game["below"][batch[-1]])
        if game["laid"][card] != seat and len(batch) > 2:
            rest = [int(c) for c in rng.permutation(batch[1:])]
            cards = [batch[0], *rest]
            for upper, lower in zip(cards, [*cards[1:], under], strict=True):
                game["below"][upper] = lower
            game["starts"] = (int(game["starts"]) & ~(1 << batch[-1])) | 1 << cards[-1]
        card = under


def twin_of(game: Game, seat: int, rng: np.random.Generator, **how: bool) -> Game:
    """Return the game with the cards that the seat cannot see moved elsewhere. how: keywords of unchecked_game."""
    rules, record = game.rules, np.frombuffer(game.to_bytes(), GAME).copy()[0]
    for _ in range(40):
        _swap_once(record, rules, seat, rng)
    stock = stock_of(record)
    rng.shuffle(stock)
    set_stock(record, stock)
    record["rng"] = rng.integers(2**63)
    if rules.stacking == "secret":
        for pile in range(rules.players):
            _shuffle_batches(record, pile, seat, rng)
    return unchecked_game(record, rules, **how)


def encoded(records: Any, rules: Rules, seat: int = 0) -> np.ndarray:
    """Encode all features of a record as it is, with nothing hidden."""
    layout = make_layout(rules)
    dense = np.zeros((1, layout.size), np.int8)
    room = np.zeros(layout.most, np.int16)
    encode_views(records, rules_record(rules), layout.record, np.array([seat]), room, dense)
    return dense.ravel()
