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


def test_differences_make_the_same_rules_again() -> None:
    for name in variants():
        for players in player_counts(name):
            for changes in ({}, {"insist_capture": "ask"}, {"keep_backing": True, "big_ten": "TS"}):
                rules = make_rules(name, players, **changes)
                again = make_rules(name, players, **json.loads(json.dumps(rules.differences())))
                assert rules == again
    singles = make_rules("khasino", 4, partners=False)
    assert make_rules("khasino", 4, **singles.differences()) == singles
