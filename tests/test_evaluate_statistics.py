"""Coverage and error rates of intervals, the sequential test and ratings."""

import numpy as np
import pytest

from casino_env.evaluate import match
from casino_env.evaluate.matches.deals import PlayedDeals
from casino_env.evaluate.matches.intervals import _FEW as FEW
from casino_env.evaluate.matches.intervals import SequentialTest, controlled, interval, ratios
from casino_env.evaluate.ratings import ELO, bradley_terry, rate

# --- intervals -------------------------------------------------------------------------------------------------------


def test_an_interval_by_hand():
    mean, low, high = interval(np.array([1.0, 2.0, 3.0, 4.0]))
    assert (mean, high - mean, mean - low) == pytest.approx((2.5, 2.0542, 2.0542), abs=1e-4)


def test_one_deal_has_no_bounds():
    assert interval(np.array([3.0])) == (3.0, -np.inf, np.inf)
    with pytest.raises(ValueError, match="no deals"):
        interval(np.array([]))


def test_a_control_that_goes_the_other_way_is_hardly_used():
    """Each half has few deals, so half of the share is taken for granted."""
    values, control = np.array([2.0, 2.0, 0.0, 0.0]), np.array([0.0, 0.0, 2.0, 2.0])
    for way, share in ((1, FEW / 2 / (2 + FEW)), (-1, (2 + FEW / 2) / (2 + FEW))):
        assert controlled(values, way * control) == pytest.approx(values - share * way * control)


@pytest.mark.slow
def test_coverage_over_matches():
    """Intervals of 200 short matches, each with its own deals, cover the difference found in a long match."""
    known = match("greedy", "random", "mini", deals=40_000, seed=1).diff
    short = [match("greedy", "random", "mini", deals=60, seed=1000 + number) for number in range(200)]
    covered = sum(result.low <= known <= result.high for result in short)
    assert 0.92 <= covered / 200 <= 0.98
    assert len({result.diff for result in short}) > 100, "the matches are not independent"


# --- the sequential test ---------------------------------------------------------------------------------------------

TEST = SequentialTest(0.0, 0.5)
RESULTS = np.array([-8, -5, -3, -1, -0.5, 0, 0.5, 1, 2, 4, 6, 10])  # uneven and lumpy, as deals are
CHANCES = np.array([4, 8, 12, 14, 8, 10, 8, 12, 10, 7, 5, 2]) / 100


def verdicts(test, mean, runs=2000, deals=4000):
    """Return the shares of runs that end with "better", with "worse", and at all."""
    drawn = np.random.default_rng(5).choice(RESULTS, p=CHANCES, size=(runs, deals)) - RESULTS @ CHANCES + mean
    ratio, (low, high) = ratios(drawn, test.worse, test.better), test.bounds
    ended = (ratio <= low) | (ratio >= high)
    ended[:, : test.least - 1] = False
    last = ratio[np.arange(runs), ended.argmax(axis=1)]
    return (last >= high).mean(), (last <= low).mean(), ended.any(axis=1).mean()


@pytest.mark.slow
@pytest.mark.parametrize("test", [TEST, SequentialTest(0.0, 0.5, alpha=0.01, beta=0.2)])
def test_error_rates_are_within_their_bounds(test):
    better, worse, ended = verdicts(test, test.worse)
    assert better <= at_most(test.alpha) and worse + better == 1 and ended == 1
    better, worse, ended = verdicts(test, test.better)
    assert worse <= at_most(test.beta) and worse + better == 1 and ended == 1


def at_most(rate, runs=2000):
    """Return the rate plus three standard errors."""
    return rate + 3 * (rate * (1 - rate) / runs) ** 0.5


def test_a_verdict_needs_some_deals():
    assert TEST.verdict(np.full(49, 3.0)) == "open"
    assert TEST.verdict(np.full(50, 3.0)) == "better"
    assert TEST.verdict(np.full(50, -3.0)) == "worse"
    assert TEST.verdict(np.full(50, 0.25)) == "open", "right in the middle"
    assert TEST.verdict(np.array([])) == "open"


def test_a_ratio_by_hand():
    """Two deals with mean 2 and variance 1: how much likelier 0.5 is than 0."""
    assert ratios(np.array([[1.0, 3.0]]), 0.0, 0.5)[0].tolist() == [np.inf, pytest.approx((2**2 - 1.5**2) / 1)]


def test_senseless_bounds_are_refused():
    with pytest.raises(ValueError, match="below the second"):
        SequentialTest(1, 1)
    with pytest.raises(ValueError, match="alpha"):
        SequentialTest(0, 1, alpha=0)


def test_a_match_stops_when_it_is_clear():
    result = match("greedy", "random", deals=5000, seed=3, sprt=SequentialTest(0, 2))
    assert result.deals == 250 and result.low > 2


# --- ratings ---------------------------------------------------------------------------------------------------------


def test_two_agents_by_hand():
    """75.5 to 25.5 includes the drawn deal that is added to each pair."""
    high, low = bradley_terry(np.array([[0, 75.5], [25.5, 0]]))
    assert high - low == pytest.approx(ELO * np.log(75.5 / 25.5)) and high + low == pytest.approx(0)


def test_points_of_two_agents_by_hand():
    played = {("a", "b"): PlayedDeals(np.array([1.0, 1.0, 4.0]), np.array([1.0, 1.0, 1.0]), np.zeros(3))}
    assert [row.points for row in rate(("a", "b"), played)] == pytest.approx([1.0, -1.0])


def pool(strengths, deals, rng, *, spread=3.0):
    """Draw deals between agents of known strength in points; the sign of the difference decides who wins."""
    names = tuple(strengths)
    played = {}
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            diff = rng.normal(strengths[a] - strengths[b], spread, deals)
            played[a, b] = PlayedDeals(diff, (np.sign(diff) + 1) / 2, np.zeros(deals))
    return names, played


@pytest.mark.slow
def test_points_recover_known_strengths():
    strengths = dict(a=-2.0, b=-0.5, c=0.0, d=2.5)
    hits = 0
    for seed in range(30):
        names, played = pool(strengths, 300, np.random.default_rng(seed))
        rows = rate(names, played, samples=100)
        assert (rows[0].agent, rows[-1].agent) == ("d", "a")
        hits += sum(row.points_low <= strengths[row.agent] <= row.points_high for row in rows)
    assert 0.88 <= hits / 120 <= 0.99


def test_who_wins_everything_has_a_finite_rating():
    names, played = pool(dict(a=0.0, b=50.0), 40, np.random.default_rng(0))
    best, last = rate(names, played)
    assert best.agent == "b" and 300 < best.elo - last.elo < 2000


def test_a_pair_that_has_hardly_begun_is_rated():
    """A bootstrap sample may hold none of a pair's 2 deals beside 2,000; then the pair's own deals are sampled."""
    names, played = pool(dict(a=0.0, b=1.0), 2000, np.random.default_rng(0))
    late = pool(dict(b=1.0, c=5.0), 2, np.random.default_rng(1))[1]
    rows = {row.agent: row for row in rate((*names, "c"), {**played, **late})}
    assert rows["a"].points_low <= rows["a"].points <= rows["a"].points_high
    assert all(np.isfinite([row.elo_low, row.elo_high, row.points_low, row.points_high]).all() for row in rows.values())
    assert rows["c"].points_high - rows["c"].points_low > 0


def test_only_who_is_linked_is_rated():
    names, all_pairs = pool(dict(a=0.0, b=1.0, c=2.0, d=3.0, e=4.0), 20, np.random.default_rng(0))
    played = {pair: all_pairs[pair] for pair in (("a", "b"), ("b", "c"), ("d", "e"))}
    assert {row.agent for row in rate(names, played)} == {"a", "b", "c"}
    assert rate(names, {}) == []


def test_ratings_are_repeatable():
    names, played = pool(dict(a=0.0, b=1.0, c=2.0), 50, np.random.default_rng(0))
    assert rate(names, played, seed=3) == rate(names, played, seed=3)
