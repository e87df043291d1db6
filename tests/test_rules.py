"""Moves that the rules forbid.

Test names and comments follow docs/rules.md, the numbers of its rulings (R22), and those of docs/kasa.md (C34).
"""

from typing import Any

from casino_env.cards import card_name, cards_of
from casino_env.game import Game
from tests.situations import actions, build_values, position, results


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


def test_tops_come_off_in_order() -> None:
    data = position("swazi", ["9D 4C", "AS AH", "AD AC"], builds=[(9, 0, "6C 3D")], piles=["", "2D 9H 9S", "KH"],
                    rules={"insist_capture": "never", "insist_augment": "never"})  # fmt: skip
    for after in results(data):
        pile = after["piles"][1]
        assert pile in (["2D", "9H", "9S"], ["2D", "9H"], ["2D"], [])


def test_one_hand_card_a_turn() -> None:
    data = position("swazi", ["9D 5H", "AS AH", "AD AC"], layout="4S", builds=[(9, 1, "6C 3D")])
    assert all(len(after["hands"][0]) == 1 for after in results(data))


def test_an_ace_has_one_value_a_play() -> None:  # R01
    data = position("swazi", ["AD 5C", "2S 2H", "2D 2C"], layout="KD AC", builds=[(1, 1, "AH", "AS")],
                    rules={"insist_capture": "never"})  # fmt: skip
    taken = [after for after in results(data) if "AD" in after["piles"][0]]
    assert taken
    assert not any(not after["builds"] and "KD" not in after["layout"] for after in taken)


def test_an_ace_in_a_build_keeps_its_value() -> None:
    data = position("swazi", ["2S 8D", "AS AH", "AD 2H"], builds=[(6, 1, "5H AC")])
    assert {value for after in results(data) for value in build_values(after)} <= {6, 8}


def test_builds_are_never_broken_or_combined() -> None:
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


def test_a_raised_set_is_laid_anew_in_kasa() -> None:  # C34
    data = position("kasa", ["5S 9C 2H", "AS AD"], builds=[(4, 1, "3D AC")])
    raised = {tuple(build["sets"][0]) for after in results(data) for build in after["builds"] if build["value"] == 9}
    assert raised == {("5S", "3D", "AC")}
    (khasino,) = (
        build["sets"] for after in results(data | {"variant": "khasino"}) for build in after["builds"]
        if build["value"] == 9
    )  # fmt: skip
    assert khasino == [["3D", "AC", "5S"]]


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


def test_who_sorts_a_pile_lays_one_batch() -> None:
    data = position("swazi", ["9D KC", "AD 2S"], layout="5S 4H", piles=["7C", "8C"], rules={"pile_order": "ask"})
    game = Game.from_json(data, skip_forced=False)
    game.apply("capture 9D")
    game.apply("card 4H")
    assert [game.to_json()["turn"][name] for name in ("picked", "required", "hand_card")] == [["4H"], ["5S"], "9D"]
    game.apply("card 5S")
    assert game.to_json()["piles"][0] == ["7C", "4H", "5S", "9D"] and "picked" not in game.to_json()["turn"]
    assert [card_name(card) for card in cards_of(int(game.record["starts"]))] == ["4H", "7C", "8C"]


def test_a_bound_hand_card_that_joins_its_build_owes_nothing() -> None:  # C29
    data = position("kasa", ["8H 8C", "AS"], layout="2D", builds=[(8, 0, "5C 3D")], piles=["", "6C"])
    game = Game.from_json(data, skip_forced=False)
    for action in ("build 8", "card 6C", "card 2D"):
        game.apply(action)
    assert game.to_json()["turn"]["debt"] == 8
    for action in ("build 8", "card 8H"):
        game.apply(action)
    assert game.to_json()["turn"]["joined"] == 8 and "debt" not in game.to_json()["turn"]
