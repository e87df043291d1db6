"""The record of rules: presets and changes, valid values of its fields, and the way into files and back."""

import json
import random
from dataclasses import fields
from typing import Any, get_args

import pytest

from casino_env.engine.playable import NONSENSE, first_nonsense
from casino_env.engine.state import rules_record
from casino_env.rules import Rules, make_rules, player_counts, preset, rules_of, variants
from casino_env.switches import Switches
from tests.refusals import refused


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"target": 10**30}, "0 to 9999"),
        ({"cards_points": 200}, "0 to 127"),
        ({"cards_points": 100, "ace_points": 30}, "the limit is 127"),
        ({"match_rounds": 26}, "0 to 25"),
        ({"build_limit": 99}, "0 to 14"),
        ({"partners": 1}, "true or false"),
        ({"target": True}, "a whole number"),
        ({"target": 3.0}, "a whole number"),
        ({"courts": ["any"]}, "one of"),
        ({"name": "two\nlines"}, "one line"),
        ({"name": ""}, "one line"),
        ({"target": 5, "cards_points": 0, "spades_points": 0, "little_points": 0, "big_points": 0, "ace_points": 0},
         "needs points"),
    ],
)  # fmt: skip
def test_rules_that_do_not_fit_are_refused(changes, said):
    with refused(said):
        Rules(**changes)


@pytest.mark.parametrize("players", ["3", 2.5, True, None, [2], 10**30])
def test_players_are_a_whole_number(players):
    with pytest.raises(ValueError, match=r"players = .* must be a whole number|is played by 2, 3, 4 players, not 1"):
        make_rules("swazi", players)


OWN = [
    Rules(name="mine"),
    Rules(name="a & b <c>", players=3, deck=40, table_cards=1, target=30),
    Rules(name="swazi", players=5, table_cards=2),
]
CHANGES: list[dict[str, Any]] = [{}, {"insist_capture": "ask"}, {"keep_backing": True, "big_ten": "TS"}]
PRESETS = [make_rules(name, players, **changes) for name in variants() for players in player_counts(name)
           for changes in CHANGES]  # fmt: skip
ODD = [make_rules("khasino", 4, partners=False), make_rules("cassino", 3, sweeps=True)]


def test_what_differs_makes_the_same_rules_again():
    for rules in [*OWN, *ODD, *PRESETS]:
        assert rules_of(rules.name, rules.players, json.loads(json.dumps(rules.differences()))) == rules


@pytest.mark.parametrize("changes", [[], "x", {"players": 3}, {"variant": "x"}, {"name": "y"}, {"decks": 40}, {1: 2}])
def test_rules_of_a_file_are_checked(changes):
    with refused("rule"):
        rules_of("swazi", 2, changes)


def test_unknown_names_are_refused_with_the_nearest():
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
def test_nonsense_is_refused_in_one_line(changes):
    with refused(""):
        make_rules("swazi", 2, **changes)


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
        ({"stacking": "secret"}, "chain = all needs piles in a known order"),
        ({"request_for": "loose"}, "request_for = loose needs partner_request"),
        ({"big_points": 0}, "tie_break = big_ten needs big_points"),
        ({"match_games": 3, "target": 11}, "by match_games or by target"),
        ({"match_games": 3, "match_rounds": 2}, "by match_games or by match_rounds"),
        ({"match_games": 26}, "match_games = 26; it must be 0 to 25"),
        ({"match_games": 3, "tie_break": "shared", "little_points": 0, "big_points": 0, "ace_points": 0,
          "cards_points": 0, "spades_points": 0}, "match_games needs points"),
    ],
)  # fmt: skip
def test_nonsense_of_kasa_is_refused_by_name(changes, named):
    with refused(named):
        make_rules("kasa", 2, **changes)


def test_each_row_of_nonsense_decides_for_some_rules():
    rng, seen = random.Random(2), set()
    for _ in range(8000):
        rules = rng.choice(PRESETS)
        values = {field.name: getattr(rules, field.name) for field in fields(rules)}
        for field in rng.sample(fields(rules), rng.choice((1, 2, 3))):
            numbers = (0, 1, 2, 4, 8, 30, 100)
            kinds: dict[Any, tuple[Any, ...]] = {bool: (True, False), int: numbers, str: ("x",)}
            values[field.name] = rng.choice(get_args(field.type) or kinds[field.type])
        seen.add(first_nonsense(rules_record(Switches(**values)))[0])
    together = ("steal = bound needs keep_backing", "a target needs points", "match_games needs points")
    unseen = {NONSENSE[row] for row in NONSENSE.keys() - seen}
    assert 0 in seen and unseen <= {*together}, "those need several switches at once: they are named above"
