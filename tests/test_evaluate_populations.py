"""Nash averaging and alpha-rank: known cases, and OpenSpiel's values where it is installed."""

import numpy as np
import pytest

pytest.importorskip("scipy", reason="needs the extra eval")

from casino_env.evaluate.ratings import alpha_rank, nash_average

ROCK_PAPER_SCISSORS = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])


def random_table(seed):
    """With an exact copy of one agent where there are more than three."""
    rng = np.random.default_rng(seed)
    count = 2 + seed % 6
    table = rng.normal(size=(count, count)) * rng.choice([0.1, 1, 5])
    table -= table.T
    if count > 3:
        table[1], table[:, 1] = table[0], table[:, 0]
        table[0, 1] = table[1, 0] = 0
    return table


def test_nash_of_a_circle_is_even():
    weights, gains = nash_average(ROCK_PAPER_SCISSORS)
    assert weights == pytest.approx([1 / 3] * 3) and gains == pytest.approx([0] * 3, abs=1e-9)


def test_nash_of_a_ladder_is_its_top():
    weights, gains = nash_average(np.array([[0, 1, 3], [-1, 0, 2], [-3, -2, 0]]))
    assert weights == pytest.approx([1, 0, 0]) and gains == pytest.approx([0, -1, -3])


def test_copies_share_their_weight():
    table = np.zeros((4, 4))
    table[:3, :3] = ROCK_PAPER_SCISSORS
    table[3], table[:, 3] = table[0], table[:, 0]
    table[0, 3] = table[3, 0] = 0
    assert nash_average(table)[0] == pytest.approx([1 / 6, 1 / 3, 1 / 3, 1 / 6], abs=1e-6)


def test_an_unequal_circle():
    """Who beats the strongest counts most: the exact equilibrium is the opposite edge over the sum of all."""
    weights, _ = nash_average(np.array([[0, 2, -3], [-2, 0, 5], [3, -5, 0]]))
    assert weights == pytest.approx([0.5, 0.3, 0.2])


@pytest.mark.parametrize("seed", range(12))
def test_nobody_gains_from_the_nash_average(seed):
    weights, gains = nash_average(random_table(seed))
    assert weights.sum() == pytest.approx(1) and (weights >= 0).all()
    assert gains.max() <= 1e-7 and abs(weights @ gains) < 1e-7


def test_tables_that_are_no_game_are_refused():
    with pytest.raises(ValueError, match="antisymmetric"):
        nash_average(np.ones((2, 2)))


def test_alpha_rank_of_simple_cases():
    assert alpha_rank(ROCK_PAPER_SCISSORS) == pytest.approx([1 / 3] * 3)
    assert alpha_rank(np.array([[0, 1], [-1, 0]])) == pytest.approx([1, 0])
    assert alpha_rank(np.array([[0, 1], [-1, 0]]), alpha=1e-9) == pytest.approx([0.5, 0.5])
    assert alpha_rank(np.zeros((1, 1))) == pytest.approx([1])


# --- OpenSpiel -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(15))  # of some later ones theirs finds no solution
def test_nash_as_openspiel(seed):
    theirs = pytest.importorskip("open_spiel.python.algorithms.nash_averaging", reason="needs the extra spiel")
    table = random_table(seed)
    assert nash_average(table)[0] == pytest.approx(theirs._max_entropy_symmetric_nash(table).ravel(), abs=2e-5)


@pytest.mark.parametrize("alpha", [0.01, 1.0, 3.0])
@pytest.mark.parametrize("seed", range(12))
def test_alpha_rank_as_openspiel(seed, alpha):
    theirs = pytest.importorskip("open_spiel.python.egt.alpharank", reason="needs the extra spiel")
    table = random_table(seed) / 5  # theirs overflows where one gains much
    _, _, expected, _, _ = theirs.compute([table], alpha=alpha)
    assert alpha_rank(table, alpha) == pytest.approx(expected, abs=1e-9)
