"""Sets of cards: whether there is any is asked more often than which cards may begin one, and answered faster."""

import random

import numpy as np
import pytest

from casino_env.arrays import Array
from casino_env.compiler.jit import kernel
from casino_env.engine.sets import SINGLE, first_cards, has_set
from casino_env.engine.state import rules_record
from casino_env.rules import make_rules


@kernel
def _differing(rules, asked):  # type: ignore[no-untyped-def]
    """The first row of (loose, hand, top, flags, value, source) that both answer in other ways, else -1."""
    for i in range(asked.shape[0]):
        loose, hand, top, flags, value, source = asked[i]
        first = first_cards(rules[0], loose, hand, top, flags, value, source)
        if (first != 0) != has_set(rules[0], loose, hand, top, flags, value, source):
            return i
    return -1


@kernel
def _there_are(rules, asked):  # type: ignore[no-untyped-def]
    many = 0
    for i in range(asked.shape[0]):
        loose, hand, top, flags, value, source = asked[i]
        many += has_set(rules[0], loose, hand, top, flags, value, source)
    return many


def _questions(many: int) -> Array:
    """Cards of a table, a hand and piles, all that a set may be made of, and its value; sometimes a pile's top is the
    last card that was taken."""
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
    assert _differing(rules, asked) == -1
    assert 2_000 < _there_are(rules, asked) < 18_000
