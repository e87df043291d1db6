"""The small presets have all that South African has."""

import numpy as np
import pytest

from casino_env import Game
from casino_env.cards import cards_of


def mechanisms(variant, deals):
    """What happens in random play, seen from the records before and after each action."""
    met, rng = set(), np.random.default_rng(0)
    for seed in range(deals):
        game = Game(variant, 2, seed, skip_forced=False)
        while not game.over:
            legal = game.legal()
            before = game.record.copy()
            game.apply(legal[int(rng.integers(len(legal)))])
            met |= set(_what_happened(before, game.record))
    return met


def _what_happened(before, after):
    if max(after["build_sets"]) > max(before["build_sets"]):
        yield "augment" if max(after["build_sets"]) > 1 else "build"
    if before["raising"] and not after["raising"]:
        yield "raise"
    if after["stolen"] and not before["stolen"]:
        yield "steal"
    mover = int(before["to_move"])
    tops = [int(top) for seat, top in enumerate(before["pile_top"]) if seat != mover and top >= 0]
    gained = cards_of(int(after["piles"][mover]) & ~int(before["piles"][mover]))
    if any(top in gained for top in tops):
        yield "capture of a pile top"
    for owner in range(2):
        gone = int(before["owned"][owner]) & ~int(after["owned"][owner])
        if gone and gained and not before["raising"]:
            yield "capture of the own build" if owner == mover else "capture of the opponent's build"


COMMON = {"build", "augment", "raise", "capture of a pile top", "capture of the own build"}


@pytest.mark.slow
@pytest.mark.parametrize(("variant", "expected"), [("mini", COMMON), ("mini-7", COMMON | {"steal"})])
def test_every_mechanism_occurs(variant, expected):
    """Six cards are too few for a steal into a build: whatever could be stolen is in the build or backs it."""
    assert mechanisms(variant, 4000) >= expected


@pytest.mark.parametrize(("variant", "points"), [("mini", 5), ("mini-7", 5)])
def test_points_of_a_deal(variant, points):
    """Two for most cards, one for each of the two aces, one for the little two; three cards each are one each."""
    totals = set()
    rng = np.random.default_rng(0)
    for seed in range(300):
        game = Game(variant, 2, seed)
        while not game.over:
            legal = game.legal()
            game.apply(legal[int(rng.integers(len(legal)))])
        totals.add(sum(game.scores()))
    assert max(totals) == points
