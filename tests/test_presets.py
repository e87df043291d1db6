"""Rules by name: presets, changed switches, and the ones that make no sense together."""

import json
from typing import Any

import pytest

from casino_env.rules import make_rules, player_counts, preset, variants


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


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"equal_builds": "join", "steal": "no", "add_to_partner": True}, "new_builds = by_hand needs equal_builds"),
        ({"equal_builds": "join", "new_builds": "free", "add_to_partner": True}, "steal needs equal_builds = merge"),
        ({"equal_builds": "never", "steal": "no", "new_builds": "free"}, "add_to_partner off needs equal_builds"),
        ({"keep_backing": False, "build_limit": 0, "owner_discard": "always"}, "steal = bound needs keep_backing"),
        ({"steal": "no", "no_return": True}, "no_return needs steal = augment or bound"),
        ({"capture_tops": False}, "tops_in_sums off needs capture_tops"),
        ({"tops_in_sums": True, "owner_top": False}, "owner_top off needs tops_in_sums off"),
        ({"stacking": "secret"}, "chain = all needs piles whose order everybody knows"),
        ({"request_for": "loose"}, "request_for = loose needs partner_request"),
        ({"big_points": 0}, "tie_break = big_ten needs big_points"),
        ({"match_games": 3, "target": 11}, "by match_games or by target"),
        ({"match_games": 3, "match_rounds": 2}, "by match_games or by match_rounds"),
        ({"match_games": 26}, "match_games = 26; it must be 0 to 25"),
        ({"match_games": 3, "tie_break": "shared", "little_points": 0, "big_points": 0, "ace_points": 0,
          "cards_points": 0, "spades_points": 0}, "match_games needs points"),
    ],
)  # fmt: skip
def test_nonsense_of_kasa_is_refused_by_name(changes: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        make_rules("kasa", 2, **changes)


def test_differences_make_the_same_rules_again() -> None:
    for name in variants():
        for players in player_counts(name):
            for changes in ({}, {"insist_capture": "ask"}, {"keep_backing": True, "big_ten": "TS"}):
                rules = make_rules(name, players, **changes)
                again = make_rules(name, players, **json.loads(json.dumps(rules.differences())))
                assert rules == again
    singles = make_rules("khasino", 4, partners=False)
    assert make_rules("khasino", 4, **singles.differences()) == singles
