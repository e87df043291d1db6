"""Whole deals of every game by clicks at three sizes: nothing is cut, hidden or unreachable at any moment of them.

The slow tests play each game at one size; `pytest -m "slow or wide" tests/test_play_deals.py` plays all
games at all sizes.
"""

import random

import pytest

from casino_env.presets import PRESETS
from casino_env.rules import player_counts
from tests.browsing import SIZES, SLOW, begin, my_turn, visiting

pytestmark = SLOW[1]

# What sticks out of the window, of all that can be clicked or has to be read.
CUT = """
() => [...document.querySelectorAll('.hand .card, .label strong, .label .number, .plain button, .say')]
  .filter((made) => {
    const box = made.getBoundingClientRect();
    const inside = box.left >= -1 && box.right <= innerWidth + 1 && box.top >= -1 && box.bottom <= innerHeight + 1;
    return box.width && !inside;
  }).map((made) => made.outerHTML.slice(0, 120))
"""


# Slow is one size of each game, the sizes by turns; wide are the others.
DEALS = [
    pytest.param(
        variant,
        size,
        marks=pytest.mark.slow if k % len(SIZES) == j else pytest.mark.wide,
        id=f"{variant} {size[0]}x{size[1]}",
    )
    for k, variant in enumerate(PRESETS)
    for j, size in enumerate(SIZES)
]


@pytest.mark.parametrize(("variant", "size"), DEALS)
def test_a_whole_deal(browser, home, variant, size):
    rng = random.Random(1)
    with visiting(browser, home, *size, has_touch=size[0] < 900) as page:
        begin(page, variant, player_counts(variant)[-1], seed=9)
        while not page.locator("#sheet[open]").count():
            assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
            assert page.evaluate(CUT) == []
            assert page.evaluate("[...document.querySelectorAll('.own .hand .card')].every((c) => c.offsetWidth >= 24)")
            _step(page, rng)
        assert page.locator("#sheet .result").is_visible()


def _step(page, rng):
    """Take what is offered, or else choose any card that lights up."""
    offered, lit = page.locator("#actions [data-do]"), page.locator("#table .lit")
    if lit.count() and (rng.random() < 0.7 or not offered.count()):
        lit.nth(rng.randrange(lit.count())).click()
    if offered.count():
        offered.nth(0).click()
    my_turn(page)
