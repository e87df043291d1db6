"""Sets of cards and maximal captures: equal to brute force, and fast on the fullest table."""

import random
import time
from functools import cache
from typing import Any

import numpy as np
import pytest

from casino_env.arrays import Array
from casino_env.cards import CARDS, card_name, mask_of
from casino_env.compiler.jit import kernel
from casino_env.engine.maximal_captures import is_most, most_captures, useful_cards
from casino_env.engine.sets import SINGLE, first_cards, has_set
from casino_env.engine.state import MAXIMAL, rules_record
from casino_env.game import Game
from casino_env.rules import make_rules
from tests.random_play import GAMES, act

Cards = frozenset[int]


@cache
def groups(cards: Cards, value: int) -> list[Cards]:
    """Return every set of these cards that is worth value and contains the highest card."""
    top = max(cards)
    found = [frozenset({top})] if value == 14 and top < 4 else []

    def more(group: list[int], rest: list[int], left: int) -> None:
        if left == 0:
            found.append(frozenset(group))
        for number, card in enumerate(rest):
            if card // 4 + 1 <= left:
                more([*group, card], rest[number + 1 :], left - card // 4 - 1)

    more([top], sorted(cards - {top}), value - top // 4 - 1)
    return found


@cache
def unions(cards: Cards, value: int) -> frozenset[Cards]:
    """Return every union of disjoint groups of these cards, the empty one included."""
    if not cards:
        return frozenset({frozenset()})
    found = set(unions(cards - {max(cards)}, value))
    for group in groups(cards, value):
        found |= {group | more for more in unions(cards - group, value)}
    return frozenset(found)


def largest(cards: Cards, value: int) -> list[Cards]:
    every = unions(cards, value)
    return [some for some in every if some and not any(some < other for other in every)]


def asked(rules: Any, value: int, pool: Cards, picked: Cards, **more: Any) -> Game:
    """Return a game in the middle of a capture."""
    game = Game(rules, seed=1, skip_forced=False)
    game.record["layout"] = mask_of(sorted(pool))
    game.record["owned"] = 0
    game.record["mode"], game.record["open_value"] = MAXIMAL, value
    game.record["picked"] = mask_of(sorted(picked))
    for name, number in more.items():
        game.record[name] = number
    return game


def test_it_finds_what_trying_out_everything_finds() -> None:
    rng = random.Random(3)
    rules = make_rules("swazi", 2)
    for _ in range(1500):
        value = rng.randint(1, 14)
        ranks = [rng.randint(1, min(value, 13)) for _ in range(rng.randint(2, 4))]
        deck = [card for card in range(CARDS) if card // 4 + 1 in ranks or rng.random() < 0.1]
        pool = frozenset(rng.sample(deck, min(len(deck), rng.randint(2, 10))))
        best = largest(pool, value)
        useful = frozenset().union(*unions(pool, value))
        assert int(useful_cards(mask_of(sorted(pool)), value)) == mask_of(sorted(useful))
        if not best:
            continue
        goal = rng.choice(best)
        last = rng.choice([CARDS, *sorted(pool)])
        picked = frozenset(card for card in goal if card >= last)
        required = frozenset(rng.sample(sorted(goal), rng.choice((0, 0, 1))))
        fitting = [some for some in best if {card for card in some if card >= last} == picked and required <= some]
        game = asked(rules, value, pool, picked, open_last=last, required=mask_of(sorted(required)))
        first, several, picks = most_captures(game.record, game.rules_record[0])
        assert bool(several) == (len(fitting) > 1)
        if several:
            assert int(picks) == mask_of(sorted({max(some - picked) for some in fitting if some - picked}))
        else:
            assert int(first) == mask_of(sorted(fitting[0]))
        some = rng.choice(sorted(unions(pool, value), key=sorted))
        if value > 1 and (value < 14 or any(card > 3 for card in some)):
            game = asked(rules.__class__(ace_high=True, courts="value"), value, pool, some)
            assert bool(is_most(game.record, game.rules_record[0])) == (some in best)


def crowded(number: int, deck: int, rng: random.Random) -> tuple[list[str], list[str]]:
    """Return a table of this many cards, and the rest of the deck as a hand."""
    cards = [card_name(card) for card in rng.sample(range(deck), deck)]
    return cards[:number], cards[number:]


INSISTED = [{}, *({"insist_capture": how, "insist_augment": how} for how in ("never", "ask", "always"))]


def crowded_games(number: int, seed: int) -> Any:
    rng = random.Random(seed)
    for name, players in (game for game in GAMES if "mini" not in game[0]):
        for changes in INSISTED:
            rules = make_rules(name, players, **changes)
            layout, rest = crowded(number, rules.deck, rng)
            hands: list[list[str]] = [[] for _ in range(players)]
            hands[0] = rest[: max(1, len(rest) // 2)]
            piles = [rest[len(hands[0]) :], *([] for _ in range(players - 1))]
            rounds = {} if rules.draw_hand else {"round": rules.rounds}
            data = {"variant": name, "players": players, "rules": rules.differences(), "to_move": 0}
            yield Game.from_json(data | rounds | {"hands": hands, "layout": layout, "piles": piles}, skip_forced=False)


def slowest(game: Game, rng: random.Random) -> float:
    """Return the CPU seconds of the slowest answer in a turn. Wall time would count other processes."""
    most = 0.0
    for _ in range(60):
        game._legal = None
        began = time.process_time()
        legal = game.legal()
        most = max(most, time.process_time() - began)
        if not legal or (game.record["turns"] and not game.record["acted"]):
            break
        began = time.process_time()
        act(game.records.copy(), game.rules_record, legal[0])
        most = max(most, time.process_time() - began)
        captures = [action for action in legal if 104 <= action < 160 or action < 52]
        game.apply(rng.choice(captures or legal))
    return most


@pytest.mark.slow
def test_the_fullest_tables_are_answered_at_once() -> None:
    rng = random.Random(5)
    for game in crowded_games(10, 1):  # warm up: some things are made or loaded once
        slowest(game, rng)
    for game in crowded_games(34, 6):
        began = game.clone()
        assert min(slowest(began.clone(), random.Random(n)) for n in (1, 2)) < 0.05, game.to_json()


# --- has_set: called more often than first_cards, and faster ---------------------------------------------------------


@kernel
def _compared(rules, asked):  # type: ignore[no-untyped-def]
    """Return (the first row in which has_set and first_cards disagree, else -1; the number of rows with a set).
    A row is (loose, hand, top, flags, value, source)."""
    many = 0
    for i in range(asked.shape[0]):
        loose, hand, top, flags, value, source = asked[i]
        there_is = has_set(rules[0], loose, hand, top, flags, value, source)
        if there_is != (first_cards(rules[0], loose, hand, top, flags, value, source) != 0):
            return i, many
        many += there_is
    return -1, many


def _questions(many: int) -> Array:
    """Return random rows (loose, hand, top, flags, value, source). The source, the last card taken, is sometimes a
    pile's top, else -1."""
    draw, rows = random.Random(5), []
    for _ in range(many):
        cards = [1 << card for card in draw.sample(range(52), draw.randint(1, 12))]
        pools = [0, 0, 0]
        for card in cards:
            pools[draw.choice((0, 0, 1, 2))] |= card
        flags = draw.randrange(SINGLE) | SINGLE
        source = pools[2].bit_length() - 1 if pools[2] and draw.random() < 0.5 else -1
        rows.append([*pools, flags, draw.randint(1, 14), source])
    return np.array(rows, np.int64)


@pytest.mark.parametrize("no_return", [False, True])
def test_there_is_a_set_wherever_a_card_may_begin_one(no_return: bool) -> None:
    asked, rules = _questions(20_000), rules_record(make_rules("swazi", 2, no_return=no_return))
    differs, many = _compared(rules, asked)
    assert differs == -1 and 2_000 < many < 18_000
