"""Rules as a record: what its fields may be, and how it goes into files and comes back."""

import json

import pytest

from casino_env.rules import Rules, make_rules, rules_of


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"target": 10**30}, "0 to 9999"),
        ({"cards_points": 200}, "0 to 127"),
        ({"cards_points": 100, "ace_points": 30}, "127 are the most"),
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
    with pytest.raises(ValueError, match=said) as error:
        Rules(**changes)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("players", ["3", 2.5, True, None, [2], 10**30])
def test_players_are_a_whole_number(players):
    with pytest.raises(ValueError, match=r"players = .* must be a whole number|is played by 2, 3, 4 players, not 1"):
        make_rules("swazi", players)


@pytest.mark.parametrize(
    "rules",
    [
        Rules(name="mine"),
        Rules(name="a & b <c>", players=3, deck=40, table_cards=1, target=30),
        Rules(name="swazi", players=5, table_cards=2),
        Rules(name="swazi", players=2, sweeps=True),
        make_rules("khasino", 4, partners=False),
        make_rules("cassino", 3, sweeps=True),
    ],
    ids=lambda rules: f"{rules.name}-{rules.players}",
)
def test_what_differs_makes_the_same_rules_again(rules):
    assert rules_of(rules.name, rules.players, json.loads(json.dumps(rules.differences()))) == rules


@pytest.mark.parametrize("changes", [[], "x", {"players": 3}, {"variant": "x"}, {"name": "y"}, {"decks": 40}, {1: 2}])
def test_rules_of_a_file_are_checked(changes):
    with pytest.raises(ValueError, match="rule") as error:
        rules_of("swazi", 2, changes)
    assert "\n" not in str(error.value)
