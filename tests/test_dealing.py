"""Dealing as the rules say it in words: hands, layouts that are dealt again, what is left to draw."""

import pytest

from casino_env.cards import mask_of, parse_card
from casino_env.compiler.jit import kernel
from casino_env.engine.deal import needs_recut
from casino_env.engine.state import rules_record
from casino_env.game import Game
from casino_env.rules import make_rules
from tests.situations import cards


@kernel
def recut(rules, layout):  # type: ignore[no-untyped-def]
    return needs_recut(rules[0], layout)


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
    record = rules_record(make_rules("swazi", 3))
    assert recut(record, mask_of([parse_card(card) for card in cards(layout)])) == again


def test_recut_deals_never_begin_with_three_points_or_pictures() -> None:
    record = rules_record(make_rules("swazi", 3))
    for seed in range(300):
        game = Game("swazi", 3, seed=seed, skip_forced=False)
        assert not recut(record, int(game.record["layout"]))
    layouts = [int(Game("african", 3, seed=seed, skip_forced=False).record["layout"]) for seed in range(300)]
    assert any(recut(record, layout) for layout in layouts)  # off in the preset that does not mention it


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


def test_crazy_leaves_32_to_draw() -> None:
    assert len(Game("swazi-crazy", 2, seed=1, skip_forced=False).to_json()["stock"]) == 32


@pytest.mark.parametrize("variant", ["swazi", "kasa"])
def test_second_deal_keeps_the_layout_and_the_leader(variant: str) -> None:  # R82, C05
    game = Game(variant, 2, seed=5, skip_forced=False)
    leader = game.seat
    while game.record["round"] == 1:
        layout = game.to_json()["layout"]
        game.apply(game.legal()[0])
    assert game.seat == leader
    assert len(game.to_json()["layout"]) in (len(layout), len(layout) + 1) or game.to_json()["layout"]
    assert not game.to_json()["builds"]
