"""The kernels and the slow reference engine reach the same results (make fuzz does the same at length)."""

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casino_env.rules import make_rules, player_counts, variants
from tests.comparing import difference, random_switches, random_turn_starts

GAMES = [(name, players) for name in variants() for players in player_counts(name)]

# Found by fuzzing, kept by name: what went wrong once.
FOUND = {
    "a discarded ace becomes the base of a 14": (
        '{"variant": "african", "players": 3, "hands": [["AS", "AC", "4D"], ["2D", "2C"], ["2H", "3S"]],'
        ' "layout": ["4H"], "piles": [[], ["2S", "AD"], []]}'
    ),
    "three court cards of four end a capture": (
        '{"variant": "cassino", "players": 2, "hands": [["QD", "8S"], ["2H", "3C"]], "layout": ["QC", "QS", "QH"]}'
    ),
    "a card spared for the partner lifts the ban on returning to a pile": (
        '{"variant": "khasino", "players": 4, "hands": [["8C", "9H"], ["AS"], ["2S", "3D", "9D"], ["2D"]],'
        ' "layout": ["9C", "4S", "AD"], "builds": [{"value": 3, "owner": 2, "sets": [["2H", "AC"], ["3H"]]}],'
        ' "piles": [[], ["6H", "3S", "5S", "3C", "8S"], [], []]}'
    ),
    "tops follow loose cards where piles keep the order of play": (
        '{"variant": "sotho", "players": 3, "rules": {"capture_tops": true}, "hands": [["6D", "6C"], ["AC"], ["2S"]],'
        ' "layout": ["QC", "3D"], "piles": [["TS"], ["4D", "AS"], ["8H", "2H"]]}'
    ),
    "every order of a sorted pile": (
        '{"variant": "swazi", "players": 2, "rules": {"pile_order": "ask"}, "hands": [["9D", "KC"], ["AD", "2S"]],'
        ' "layout": ["5S", "4H", "KD"], "builds": [{"value": 9, "owner": 0, "sets": [["6C", "3D"]]}],'
        ' "piles": [["7C"], ["8C"]]}'
    ),
    "two groups together surpass a third": (
        '{"variant": "khasino", "players": 2, "hands": [["TS", "AS"], ["AD", "2S"]],'
        ' "layout": ["7S", "7H", "6S", "3S", "3H", "4S"]}'
    ),
}


@pytest.mark.parametrize("name", FOUND)
def test_found_by_fuzzing(name: str) -> None:
    assert difference(json.loads(FOUND[name])) is None


@pytest.mark.parametrize(("name", "players"), GAMES)
def test_presets(name: str, players: int) -> None:
    for data in random_turn_starts(make_rules(name, players), 25, random.Random(players)):
        assert difference(data) is None


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_random_switches(seed: int) -> None:
    rng = random.Random(seed)
    for data in random_turn_starts(random_switches(rng), 4, rng):
        assert difference(data) is None
