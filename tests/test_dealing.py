"""Dealing as the rules describe it: random numbers, hands, layouts that are dealt again, the stock, small presets."""

import numpy as np
import pytest

from casino_env.cards import cards_of, mask_of, parse_card
from casino_env.engine.deal import needs_recut
from casino_env.engine.state import rules_record
from casino_env.game import Game
from casino_env.rng import episode_seed, nth_word, random_below, stream_of, uniform
from casino_env.rules import make_rules
from tests.random_play import played_out
from tests.situations import cards


def test_chance_is_that_of_splitmix64() -> None:
    """The first published numbers, drawn by index and in sequence."""
    words = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    assert [nth_word(np.uint64(0), n) for n in (1, 2, 3)] == words
    stream = np.zeros(1, np.uint64)
    assert [random_below(stream, 52) for _ in words] == [(word >> 32) * 52 >> 32 for word in words]
    stream[0] = 0
    assert [uniform(stream) for _ in words] == [(word >> 11) / 2**53 for word in words]
    assert [stream_of(np.zeros(many, np.uint64), 1) for many in (1, 2)] == [0, 1]  # shared, or its own


def test_seeds_of_later_episodes() -> None:
    """Episode 0 has the seed itself; later seeds are mixed, as Python's integers compute."""
    for seed, episode in ((3, 1), (3, 2), (2**64 - 1, 7)):
        z = (seed + episode * 0xD1342543DE82EF95) % 2**64
        for _ in range(2):
            z = (z ^ z >> 32) * 0xDABA0B6EB09322E3 % 2**64
        assert episode_seed(np.uint64(seed), episode) == z ^ z >> 32
        assert episode_seed(np.uint64(seed), 0) == seed


@pytest.mark.parametrize(
    ("layout", "again"),
    [
        ("TD AS 5C 7H", True),  # 2 + 1 points
        ("JS QH KD 4C", True),  # three pictures
        ("AS AH 2S 6D", True),  # 1 + 1 + 1
        ("TD 9S 4C 7H", False),
        ("QS JD TD 8C", False),
        ("AS QC JC 5D", False),  # an ace is no picture
        ("TS AS 5C 7H", False),  # only the ten of diamonds scores
    ],
)
def test_recut(layout: str, again: bool) -> None:
    record = rules_record(make_rules("swazi", 3))[0]
    assert needs_recut(record, mask_of([parse_card(card) for card in cards(layout)])) == again


def test_recut_deals_never_begin_with_three_points_or_pictures() -> None:
    record = rules_record(make_rules("swazi", 3))[0]
    for seed in range(300):
        game = Game("swazi", 3, seed=seed, skip_forced=False)
        assert not needs_recut(record, int(game.record["layout"]))
    layouts = [int(Game("african", 3, seed=seed, skip_forced=False).record["layout"]) for seed in range(300)]
    assert any(needs_recut(record, layout) for layout in layouts)  # this preset's rules have no recut


@pytest.mark.parametrize(
    ("variant", "players", "hand", "table", "rounds"),
    [
        ("swazi", 2, 12, 4, 2), ("swazi", 3, 16, 4, 1), ("swazi", 4, 12, 4, 1), ("swazi-crazy", 2, 8, 4, 1),
        ("south-african", 2, 10, 0, 2), ("south-african", 3, 13, 1, 1), ("south-african", 4, 10, 0, 1),
        ("khasino", 2, 10, 0, 2), ("khasino", 3, 13, 1, 1), ("khasino", 4, 10, 0, 1),
        ("kasa", 2, 10, 0, 2), ("kasa", 3, 13, 1, 1), ("kasa", 4, 10, 0, 1),
        ("cassino", 2, 4, 4, 6), ("cassino", 3, 4, 4, 4), ("cassino", 4, 4, 4, 3), ("california", 6, 4, 4, 2),
        ("draw", 2, 4, 4, 1), ("african", 2, 12, 4, 2), ("stealing-bundles", 3, 4, 4, 4),
    ],
)  # fmt: skip
def test_hands(variant: str, players: int, hand: int, table: int, rounds: int) -> None:
    game = Game(variant, players, seed=3, skip_forced=False)
    data = game.to_json()
    assert [len(held) for held in data["hands"]] == [hand] * players
    assert len(data["layout"]) == table
    assert game.rules.rounds == rounds
    total = hand * players + table + len(data["stock"])
    assert total == game.rules.deck


def test_sotho_with_forty_cards() -> None:
    assert make_rules("sotho", 3, deck=40).hand_size == 12
    assert make_rules("sotho", 2, deck=40).hand_size == 9


@pytest.mark.parametrize("variant", ["swazi", "kasa"])
def test_second_deal_keeps_the_layout_and_the_leader(variant: str) -> None:  # R82, C05
    game = Game(variant, 2, seed=5, skip_forced=False)
    leader = game.seat
    while game.record["round"] == 1:
        layout = game.to_json()["layout"]
        game.apply(game.legal()[0])
    assert game.seat == leader
    assert game.to_json()["layout"] == layout != [] and not game.to_json()["builds"]


def mechanisms(variant, deals):
    """Return the mechanisms that occur in random play, found by comparing records before and after each action."""
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
    """Six cards are too few for a steal into a build: every card that could be stolen is in the build or backs it."""
    assert mechanisms(variant, 4000) >= expected


@pytest.mark.parametrize(("variant", "points"), [("mini", 5), ("mini-7", 5)])
def test_points_of_a_deal(variant, points):
    """Two for most cards, one for each of two aces, one for the two of spades; three cards each give one each."""
    assert max(sum(played_out(Game(variant, 2, seed), seed).scores()) for seed in range(300)) == points
