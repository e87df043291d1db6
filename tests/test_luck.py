"""The luck with cards that are dealt later: zero on average, the same for the same game, worth some deals."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from casino_env.agents.search.other_cards import deal_again
from casino_env.agents.search.rollouts import Rollouts
from casino_env.cards import CARDS, mask_of
from casino_env.compiler.types import allocate
from casino_env.engine.state import chain, rules_record
from casino_env.evaluate import match
from casino_env.evaluate.matches.deals import make_book
from casino_env.evaluate.matches.duplicate import play_duplicate, seatings
from casino_env.evaluate.matches.intervals import controlled
from casino_env.evaluate.matches.luck import Luck, chosen_judge
from casino_env.evaluate.matches.match import Contest
from casino_env.evaluate.matches.pairing import Pairing
from casino_env.evaluate.matches.workers import Processes
from casino_env.game import Game
from casino_env.observed import observe
from casino_env.rules import Rules, make_rules
from tests.kept_deals import rows_of
from tests.random_play import label

DEALT_AGAIN = [make_rules(*game) for game in (("cassino", 2), ("draw", 3), ("south-african", 2), ("partnership", 4))]


def before_and_after_a_deal(rules: Rules, seed: int) -> tuple[np.ndarray, np.ndarray]:
    game, rng = Game(rules, seed=seed, skip_forced=False), np.random.default_rng(seed)
    while True:
        before = game.records.copy()
        game.apply(int(rng.choice(np.flatnonzero(observe(game).mask))))
        if game.records["stock_top"][0] != before["stock_top"][0]:
            return before, game.records


# --- other cards that could have been dealt ------------------------------------------------------------------------


@pytest.mark.parametrize("rules", DEALT_AGAIN, ids=label)
def test_other_cards_of_the_stock_come(rules: Rules) -> None:
    before, after = before_and_after_a_deal(rules, 3)
    stock, left = (chain(games[0], int(games[0]["stock_top"])) for games in (before, after))
    dealt = mask_of(stock) & ~mask_of(left)
    games = allocate(Rollouts, games=2000)
    row, cards = rules_record(rules)[0], np.zeros(CARDS, np.int64)
    deal_again(games, before[0], after[0], row, 500, cards, np.array([7], np.uint64))
    first = np.zeros(CARDS)
    for number, game in enumerate(games.games):
        rest = chain(game, int(game["stock_top"]))
        assert len(rest) == len(left)
        assert (game["hands"] & ~mask_of(stock) == after["hands"][0] & ~dealt).all()
        assert sum(int(hand) for hand in game["hands"] & mask_of(stock)) | mask_of(rest) == mask_of(stock)
        assert [int(hand).bit_count() for hand in game["hands"]] == [int(h).bit_count() for h in after["hands"][0]]
        if number < 500:
            assert (game["hands"] == after["hands"][0]).all() and set(rest) == set(left)
        else:
            first += [int(game["hands"][0]) >> card & 1 for card in range(CARDS)]
    share = first[stock] / 1500
    expected = (int(after["hands"][0][0]) & dealt).bit_count() / len(stock)
    assert np.abs(share - expected).max() < 4.5 * np.sqrt(expected * (1 - expected) / 1500) + 1e-9


# --- luck ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", DEALT_AGAIN, ids=label)
def test_an_agent_against_itself_has_no_luck(rules: Rules) -> None:
    deals = match("random", "random", rules, deals=6, seed=2, judge="auto").by_deal
    assert deals.luck is not None
    assert not deals.diff.any() and np.abs(deals.luck).max() < 1e-12
    assert Luck(rules, "bot:greedy").of(5, decisions(rules, 5), 0).any()


def decisions(rules: Rules, seed: int) -> list[int]:
    game, rng, done = Game(rules, seed=seed), np.random.default_rng(seed), []
    while not game.over:
        done.append(int(rng.choice(np.flatnonzero(observe(game).mask))))
        game.apply(done[-1])
    return done


@pytest.mark.parametrize("judge", ["auto", "bot:greedy"])
def test_it_is_nothing_on_average(judge: str) -> None:
    """Take single games of random play, where luck is largest: no duplicate cancels it."""
    rules, luck = make_rules("cassino"), []
    judging = Luck(rules, chosen_judge(rules, judge))
    for seed in range(150):
        luck.append(judging.of(seed, decisions(rules, seed), 1)[0])
    assert abs(np.mean(luck)) < 4 * np.std(luck) / len(luck) ** 0.5
    assert np.std(luck) > 0.5, "it says something"


def test_what_is_taken_from_the_points_has_no_bias() -> None:
    """The controlled mean is unbiased and varies less than the plain mean; without luck the points stay as they are."""
    rng = np.random.default_rng(0)
    errors, plain = [], []
    for _ in range(4000):
        luck = rng.normal(0, 2, 12)  # so few deals that the estimated share is rough
        points = 1.0 + 0.6 * luck + rng.normal(0, 1, 12) + 0.1 * (luck**2 - 4)
        errors.append(controlled(points, luck).mean() - 1.0)
        plain.append(points.mean() - 1.0)
    assert abs(np.mean(errors)) < 4 * np.std(errors) / len(errors) ** 0.5
    assert np.std(errors) < 0.85 * np.std(plain)
    points = rng.choice([-1, 1], 400) * 3.0
    assert controlled(points, np.zeros(400)).tolist() == points.tolist(), "no luck, nothing taken"


def test_fewer_deals_tell_as_much() -> None:
    pair, book = ("policy:cassino-2", "counter"), make_book(make_rules("cassino"), 300, 4)
    plain, judged = match(*pair, book=book), match(*pair, book=book, judge="auto")
    assert judged.judge == "policy:cassino-2" and judged.plain.mean == plain.diff
    assert abs(judged.diff - plain.diff) < plain.high - plain.diff
    assert judged.worth > 1.15 and judged.high - judged.low < 0.95 * (plain.high - plain.low)
    row = judged.to_json()["control"]
    assert (row["judge"], row["plain"]["mean"], row["worth"]) == ("policy:cassino-2", plain.diff, judged.worth)


# --- matches -------------------------------------------------------------------------------------------------------


def test_luck_is_kept_beside_the_deals(tmp_path: Path) -> None:
    rules, path = make_rules("cassino"), tmp_path / "deals.sqlite"
    wanted = match("counter", "greedy", rules, deals=6, judge="bot:counter")
    for deals in (2, 6):
        with Contest(("counter", "greedy"), make_book(rules, deals, 0), out=path, judge="bot:counter") as contest:
            for _ in contest.play(contest.workers(1)):
                pass
    assert contest.result().diff == wanted.diff
    assert wanted.by_deal.luck is not None
    assert [row[-1] for row in rows_of(path)[1]] == wanted.by_deal.luck.tolist()
    with pytest.raises(ValueError, match='was played with judge = "bot:counter", not ""'):
        Contest(("counter", "greedy"), make_book(rules, 6, 0), out=path)


def test_processes_find_the_same() -> None:
    rules = make_rules("cassino")
    contest = Contest(("counter", "greedy"), make_book(rules, 3, 0), judge="auto")
    with Processes(2) as workers:
        for _ in contest.play(workers):
            pass
    assert not [thread for thread in threading.enumerate() if "Manager" in type(thread).__name__]  # no manager process
    assert contest.result().diff == match("counter", "greedy", rules, deals=3, judge="auto").diff


@pytest.mark.parametrize(
    ("judge", "said"),
    [
        ("policy:khasino-2", "plays khasino with 2 players, not cassino with 2"),
        ("policy:nobody", "judge = nobody: no weights found"),
        ("bot:conter", "judge = 'conter' .did you mean 'counter'"),
    ],
)
def test_judges_that_there_are_not(judge: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        match("random", "random", "cassino", deals=1, judge=judge)


def test_before_each_game_is_judged_it_can_be_stopped() -> None:
    rules, asked = make_rules("mini", 2), list[int]()
    for judge in ("", "bot:greedy"):
        pairing = Pairing.of(rules, ("greedy", "random"), seatings(rules), judge=judge)
        pairing.asked = asked.append
        before = len(asked)
        play_duplicate(pairing, [1, 2, 3])
    assert len(asked) - before == before + 6
