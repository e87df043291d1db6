"""The rules that are said in words: facts of dealing, scoring and flow, and what must be refused.

Test names and comments follow the paragraphs of docs/rules.md and the ruling numbers R01 to R111.
"""

import json
from typing import Any

import numpy as np
import pytest

from casino_env.cards import mask_of, parse_card
from casino_env.engine.deal import needs_recut
from casino_env.engine.jit import kernel
from casino_env.engine.state import rules_record
from casino_env.game import Game
from casino_env.rules import Rules, make_rules, player_counts, preset, variants


def cards(text: str) -> list[str]:
    return text.split()


def position(variant: str, hands: list[str], **more: Any) -> dict[str, Any]:
    data: dict[str, Any] = {"variant": variant, "players": len(hands), "hands": [cards(hand) for hand in hands]}
    data["layout"] = cards(more.pop("layout", ""))
    if "piles" in more:
        data["piles"] = [cards(pile) for pile in more.pop("piles")]
    if "stock" in more:
        data["stock"] = cards(more.pop("stock"))
    data["builds"] = [
        {"value": value, "owner": owner, "sets": [cards(items) for items in sets]}
        for value, owner, *sets in more.pop("builds", [])
    ]
    return data | more


def results(data: dict[str, Any]) -> list[dict[str, Any]]:
    return [turn["after"] for turn in Game.from_json(data).turns()]


def build_values(after: dict[str, Any]) -> list[int]:
    return [build["value"] for build in after["builds"]]


def actions(data: dict[str, Any]) -> list[str]:
    return [text for turn in Game.from_json(data).turns() for text in turn["actions"]]


def scores(variant: str, piles: list[str], **more: Any) -> dict[str, list[int]]:
    """The breakdown of a deal that ended with these piles."""
    data = position(variant, ["" for _ in piles], piles=piles, **more)
    return Game.from_json(data).breakdown()


@kernel
def recut(rules, layout):  # type: ignore[no-untyped-def]
    return needs_recut(rules[0], layout)


# --- dealing -----------------------------------------------------------------------------------------------------


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


def test_second_deal_keeps_the_layout_and_the_leader() -> None:  # R82
    game = Game("swazi", 2, seed=5, skip_forced=False)
    leader = game.seat
    while game.record["round"] == 1:
        layout = game.to_json()["layout"]
        game.apply(game.legal()[0])
    assert game.seat == leader
    assert len(game.to_json()["layout"]) in (len(layout), len(layout) + 1) or game.to_json()["layout"]
    assert not game.to_json()["builds"]


# --- what must be refused ----------------------------------------------------------------------------------------


def test_an_ace_of_14_takes_no_build_sums() -> None:  # R22
    data = position("swazi", ["AC 6H JD", "AS AH", "AD 2S"], layout="6D", builds=[(8, 1, "5H 3C"), (6, 2, "4S 2D")],
                    rules={"insist_capture": "never", "insist_augment": "never"})  # fmt: skip
    assert not any(text.startswith("capture AC") for text in actions(data))


def test_no_build_above_the_highest_card() -> None:
    data = position("swazi", ["2S JD 8H", "AS AH", "AD AC"], builds=[(9, 1, "6C 3D")])
    assert all(value <= 14 for after in results(data) for value in build_values(after))
    assert all(build_values(after) in ([9], [11]) for after in results(data))


def test_augmented_builds_are_fixed() -> None:
    data = position("swazi", ["2S JD 9S", "AS AH", "AD AC"], builds=[(9, 1, "6C 3D", "9H")])
    assert "raise 9" not in actions(data)


def test_tops_come_off_in_order() -> None:  # SW17, SW23
    data = position("swazi", ["9D 4C", "AS AH", "AD AC"], builds=[(9, 0, "6C 3D")], piles=["", "2D 9H 9S", "KH"],
                    rules={"insist_capture": "never", "insist_augment": "never"})  # fmt: skip
    for after in results(data):
        pile = after["piles"][1]
        assert pile in (["2D", "9H", "9S"], ["2D", "9H"], ["2D"], [])


def test_one_hand_card_a_turn() -> None:  # SW19
    data = position("swazi", ["9D 5H", "AS AH", "AD AC"], layout="4S", builds=[(9, 1, "6C 3D")])
    assert all(len(after["hands"][0]) == 1 for after in results(data))


def test_an_ace_has_one_value_a_play() -> None:  # R01
    data = position("swazi", ["AD 5C", "2S 2H", "2D 2C"], layout="KD AC", builds=[(1, 1, "AH", "AS")],
                    rules={"insist_capture": "never"})  # fmt: skip
    taken = [after for after in results(data) if "AD" in after["piles"][0]]
    assert taken
    assert not any(not after["builds"] and "KD" not in after["layout"] for after in taken)


def test_an_ace_in_a_build_keeps_its_value() -> None:  # SW33
    data = position("swazi", ["2S 8D", "AS AH", "AD 2H"], builds=[(6, 1, "5H AC")])
    assert {value for after in results(data) for value in build_values(after)} <= {6, 8}


def test_builds_are_never_broken_or_combined() -> None:  # SW45
    data = position("swazi", ["6H KS", "AS AH", "AD AC"], builds=[(9, 1, "6C 3D"), (4, 2, "2H 2C")])
    assert all(build_values(after) == [4, 9] for after in results(data))


def test_no_14_in_sotho() -> None:
    data = position("sotho", ["AS 3H", "AH AC", "2S 2H"], layout="8H 5C AD")
    assert "capture AS as 14" not in actions(data)


def test_sotho_pictures_take_pictures_only() -> None:  # R06, R71
    data = position("sotho", ["JS 3H", "AH AC", "2S 2H"], layout="JD JH 8C 3C", piles=["QS QH 5D 4C", "", ""])
    taken = [after for after in results(data) if "JS" in after["piles"][0]]
    assert [after["piles"][0] for after in taken] == [["QS", "QH", "JD", "JH", "JS", "5D", "4C"]]


def test_south_african_steal_needs_a_hand_card() -> None:  # R43
    data = position("south-african", ["7S 8H 8C", "AS AH"], layout="7D", builds=[(8, 0, "5C 3H")], piles=["", "6S AC"])
    for after in results(data):
        stolen = any("AC" in cards_ for build in after["builds"] for cards_ in build["sets"])
        assert not stolen or len([c for b in after["builds"] for s in b["sets"] for c in s if c in ("7S", "8H", "8C")])


def test_south_african_takes_the_tops_of_the_moment_only() -> None:  # R24
    data = position("south-african", ["8H", "AS AH"], layout="7D", builds=[(8, 0, "5C 3H")], piles=["", "6S 2H AC"])
    assert all("2H" not in after["piles"][0] for after in results(data))


def test_south_african_owner_has_one_build() -> None:  # R47
    data = position("south-african", ["8H TC 4C", "AS AH"], layout="6D", builds=[(8, 0, "5C 3H")])
    assert all(len(after["builds"]) <= 1 for after in results(data))


def test_khasino_compound_builds_are_fixed() -> None:
    data = position("khasino", ["AH 8C", "AS AD"], builds=[(7, 1, "5H 2S", "4C 3D")])
    assert "raise 7" not in actions(data)


def test_triple_s_builds_hold_the_played_card() -> None:
    data = position("triple-s", ["6H 2S 4C", "AS AH"], layout="3D AC")
    assert build_sets(data) == {("2S", "3D", "AC")}


def build_sets(data: dict[str, Any]) -> set[tuple[str, ...]]:
    return {tuple(sorted(s)) for after in results(data) for build in after["builds"] for s in build["sets"]}


def test_triple_s_court_cards_are_not_called_and_pair_by_rank() -> None:  # R07, R51
    data = position("triple-s", ["KH KS 2C", "AS AH"], layout="KD QS")
    assert not build_sets(data)
    assert not any("QS" in after["piles"][0] for after in results(data))


def test_triple_s_takes_one_target() -> None:  # R25
    data = position("triple-s", ["8S 2C", "AS AH"], layout="8D 5C 3H 8C")
    assert {frozenset(after["piles"][0]) for after in results(data)} == {
        frozenset(), frozenset({"8S", "8D"}), frozenset({"8S", "8C"})
    }  # fmt: skip


def test_cassino_court_cards_go_by_one_or_three() -> None:  # R08
    two = position("cassino", ["JS 4C", "AS AH"], layout="JD JH")
    three = position("cassino", ["JS 4C", "AS AH"], layout="JD JH JC")
    assert {len(after["piles"][0]) for after in results(two)} == {0, 2}
    assert {len(after["piles"][0]) for after in results(three)} == {0, 2, 4}


def test_draw_checks_backing_before_the_draw() -> None:  # R85
    data = position("draw", ["5H KS", "AS AH"], layout="2C", stock="AD 7C")
    assert not any(after["builds"] for after in results(data))


def test_count_out() -> None:  # R96
    base = position("cassino", ["JS 4C", "AS AH"], layout="JD", piles=["TD 2S AC", "9D"], rules={"count_out": True})
    won = Game.from_json(base | {"match_score": [17, 20]})
    won.apply("count out")
    assert won.over and won.winner == 0
    lost = Game.from_json(base | {"match_score": [16, 3]})
    lost.apply("count out")
    assert lost.over and lost.winner == 1
    assert "count out" not in actions(position("cassino", ["JS 4C", "AS AH"], layout="JD"))


# --- scoring -----------------------------------------------------------------------------------------------------

SPADES = [rank + "S" for rank in "A23456789TJQK"]


def test_last_capture_takes_the_layout() -> None:  # SW59, R87
    data = position("swazi", ["", "", ""], layout="4C QH", piles=["", "9H 9S", ""], last_capture=1)
    assert sorted(Game.from_json(data).to_json()["piles"][1]) == ["4C", "9H", "9S", "QH"]
    nobody = position("swazi", ["", "", ""], layout="4C QH")
    assert Game.from_json(nobody).to_json()["layout"] == ["4C", "QH"]


def test_swazi_points() -> None:
    row = scores("swazi", ["2S TD AS 5C", "AH AD AC", ""])
    assert row["little two"] == [1, 0, 0] and row["big ten"] == [2, 0, 0]
    assert row["ace of spades"] == [1, 0, 0] and row["ace of hearts"] == [0, 1, 0]
    assert row["cards"] == [2, 0, 0] and row["spades"] == [2, 0, 0]


def test_ties_give_one_each() -> None:  # R90
    row = scores("swazi", ["3S 5C", "4S 6C", "5S 7C"])
    assert row["cards"] == [1, 1, 1] and row["spades"] == [1, 1, 1]
    assert scores("swazi", ["3H", "4C", ""])["spades"] == [0, 0, 0]  # all at zero: nobody


def test_khasino_points() -> None:  # KH23, R92
    hearts = " ".join(rank + "H" for rank in "23456789T")
    row = scores("khasino", ["3S 4S 5S 6S 7S 8S " + hearts[:11], "2S 9S TS TC 2C 3C 4C 5C 6C 7C"])
    assert row["cards"] == [1, 1] and row["spades"] == [2, 0]
    assert "cards" not in scores("khasino", ["3S", "", ""])
    assert "cards" not in scores("khasino", ["3S", "", "", ""], rules={"partners": False})
    assert "cards" in scores("khasino", ["3S", "", "", ""], rules={"partners": True})
    assert sum(sum(row) for row in scores("khasino", ["2S TD AS AH AD AC", "", ""]).values()) == 7


def test_south_african_five_spades_for_each() -> None:  # R91
    five = " ".join(SPADES[2:7])
    other = " ".join([*SPADES[7:10], "AS", "2S"])
    assert scores("south-african", [five, other])["five spades"] == [1, 1]
    assert scores("south-african", [five[:-3], other])["five spades"] == [0, 1]


def test_african_big_ten_is_the_spade() -> None:  # R93
    assert scores("african", ["TS", "TD", ""])["big ten"] == [2, 0, 0]
    assert scores("african", ["TS", "TD", ""], rules={"big_ten": "TD"})["big ten"] == [0, 2, 0]


def test_spade_cassino() -> None:  # R94, CA21
    row = scores("spade", ["2S JS AS 5S", "KD"])
    names = ("little two", "jack of spades", "ace of spades", "other spades")
    assert [row[name][0] for name in names] == [2, 2, 2, 1]
    everything = scores("spade", [" ".join([*SPADES, "TD", "AH", "AD", "AC"]), "KD"])
    assert sum(row[0] for row in everything.values()) == 25


def test_cassino_ties_score_nothing() -> None:  # R97, CA19, CA22
    assert scores("cassino", ["3S 4H", "5S 6H"])["cards"] == [0, 0]
    row = scores("cassino", [" ".join(SPADES[:5]), " ".join(SPADES[5:10]), " ".join(SPADES[10:])])
    assert row["spades"] == [0, 0, 0]


def test_sweeps() -> None:  # R95
    data = position("cassino", ["8S 2C", "AS AH"], layout="5C 3H", rules={"sweeps": True}, piles=["", ""])
    swept = [after for after in results(data) if "8S" in after["piles"][0]]
    assert swept[0]["sweeps"] == [1, 0]
    data = position("cassino", ["8S", ""], layout="5C 3H KD", rules={"sweeps": True}, last_capture=0)
    assert all("sweeps" not in after for after in results(data))  # taking what is left is no sweep


@pytest.mark.parametrize("variant", ["swazi", "sotho", "south-african", "khasino", "triple-s", "california"])
def test_sweeps_are_ruled_out(variant: str) -> None:
    with pytest.raises(ValueError, match="sweeps"):
        make_rules(variant, 2, sweeps=True)


def finish(variant: str, piles: list[str], score: list[int], **rules: Any) -> Game:
    """A match whose deal ends with the next card."""
    data = position(variant, ["3C", *["" for _ in piles[1:]]], piles=piles, match_score=score, rules=rules)
    game = Game.from_json(data, skip_forced=False)
    game.record["match"] = 1
    while game.record["deals"] == 0:
        game.apply(game.legal()[0])
    return game


def test_counting_order_decides() -> None:  # R96, CA19
    game = finish("cassino", ["KD KH KC QD QH", "3S TD KS"], [18, 19])
    assert game.winner == 0  # cards come before spades and the big ten, although 22 beats 21
    assert list(game.record["match_score"][:2]) == [21, 22]


def test_african_counts_the_two_before_the_ten() -> None:
    piles = ["2S KD", "TS QD", "JD"]
    assert finish("african", piles, [8, 8, 0]).winner == 0  # 9 and 9 with cards, 10 and 10 with spades, then the 2
    assert finish("cassino", ["2S KD", "TD QS"], [20, 19]).winner == 1


def test_a_tie_at_the_target_plays_on() -> None:
    game = finish("triple-s", ["2S KD AH", "AS AD QD"], [20, 19], cards_points=0, spades_points=0)
    assert game.record["match_score"][0] == 22 and game.winner == 0
    game = finish("triple-s", ["2S KD AH", "AS AD QD"], [20, 20], cards_points=0, spades_points=0)
    assert not game.over and game.record["deals"] == 1


def test_california_ends_after_two_deals_each() -> None:  # R86
    game = Game("california", 2, seed=1, match=True)
    rng = np.random.default_rng(0)
    while not game.over:
        game.apply(int(rng.choice(game.legal())))
    assert game.record["deals"] == 4


def test_the_loser_leads_in_south_african() -> None:  # R83
    for seed in range(12):
        game = Game("south-african", 3, seed=seed, match=True, target=100)
        leader = int(game.record["leader"])
        rng = np.random.default_rng(seed)
        while game.record["deals"] == 0:
            game.apply(int(rng.choice(game.legal())))
        points = list(game.record["deal_points"][:3])
        losers = [seat for seat in range(3) if points[seat] == min(points)]
        expected = losers[0] if len(losers) == 1 else (leader + 1) % 3
        assert game.record["leader"] == expected


def test_all_points_are_dealt_out() -> None:
    """Random deals of every game: the single cards' points go to somebody, majorities to the leaders."""
    rng = np.random.default_rng(1)
    for name in variants():
        for players in player_counts(name):
            game = Game(name, players, seed=players)
            while not game.over:
                game.apply(int(rng.choice(game.legal())))
            check_points(game)


def check_points(game: Game) -> None:
    rules: Rules = game.rules
    row = game.breakdown()
    piles = game.to_json()["piles"]
    sides = [[card for seat in range(rules.players) if rules.side(seat) == side for card in piles[seat]]
             for side in range(rules.sides)]  # fmt: skip
    for name, counts in (("cards", [len(s) for s in sides]), ("spades", [sum(c[1] == "S" for c in s) for s in sides])):
        points = getattr(rules, f"{name}_points")
        if not points:
            assert name not in row
            continue
        leaders = [side for side, count in enumerate(counts) if count == max(counts) and count > 0]
        each = points if len(leaders) == 1 else (1 if rules.ties == "one_each" else 0)
        assert row[name][: rules.sides] == [each if side in leaders else 0 for side in range(rules.sides)]
    for category, card in (("big ten", rules.big_ten), ("little two", "2S"), ("ace of clubs", "AC")):
        for side, held in enumerate(sides):
            if category in row and card not in held:
                assert row[category][side] == 0
    assert game.scores() == [sum(points[seat] for points in row.values()) for seat in range(rules.players)]


# --- presets -----------------------------------------------------------------------------------------------------


def test_unknown_names_are_refused_with_the_nearest() -> None:
    with pytest.raises(ValueError, match="did you mean 'swazi'"):
        preset("swasi", 2)
    with pytest.raises(ValueError, match="did you mean 'insist_capture'"):
        make_rules("swazi", 2, insist_captures="always")
    with pytest.raises(ValueError, match="is played by 2, 3, 4 players, not 5"):
        preset("swazi", 5)


@pytest.mark.parametrize(
    "changes",
    [
        {"deck": 51}, {"partners": True}, {"insist_capture": "sometimes"}, {"build_limit": -1}, {"recut": 1},
        {"shared_pile": True}, {"no_return": True, "steal": "no"}, {"pile_order": "ask", "stacking": "face_down"},
        {"keep_backing": False}, {"count_out": True}, {"table_cards": 5}, {"equal_builds": "join"},
    ],
)  # fmt: skip
def test_nonsense_is_refused_in_one_line(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError) as error:
        make_rules("swazi", 2, **changes)
    assert "\n" not in str(error.value) and str(error.value)


def test_differences_make_the_same_rules_again() -> None:
    for name in variants():
        for players in player_counts(name):
            for changes in ({}, {"insist_capture": "ask"}, {"keep_backing": True, "big_ten": "TS"}):
                rules = make_rules(name, players, **changes)
                again = make_rules(name, players, **json.loads(json.dumps(rules.differences())))
                assert rules == again
    singles = make_rules("khasino", 4, partners=False)
    assert make_rules("khasino", 4, **singles.differences()) == singles
