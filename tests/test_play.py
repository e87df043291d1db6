"""`casino play` before a card is dealt: wrong calls, the rules in words."""

import pytest

from casino_env.play.cli import main
from casino_env.play.rules_text import rules_text
from casino_env.presets import PRESETS
from casino_env.rules import make_rules, player_counts


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--variant", "swaz"], 2, "did you mean"),
        (["--variant", "swazi", "--opponents", "nobody"], 2, "unknown agent"),
        (["--variant", "swazi", "--seat", "5"], 2, "seats are 0 to 1"),
        (["--seat", "9"], 2, "seats are 0 to 5"),
        (["--seat", "-1"], 2, "seats are 0 to 5"),
        (["--players", "3"], 2, "needs --variant"),
        (["--variant", "swazi", "--seed", "-1"], 2, "seed = -1"),
        (["--variant", "swazi", "--players", "9"], 2, "not 9"),
        (["--pace", "nan"], 2, "--pace nan"),
        (["--web", "--patience", "inf"], 2, "--patience inf"),
        (["--web", "--drop-after", "0"], 2, "--drop-after 0"),
        (["--variant", "swazi", "--opponents", "greedy", "greedy"], 2, "1 other seats"),
        (["--web", "--port", "99999"], 2, "port"),
        (["--nonsense"], 2, "unrecognized"),
    ],
)
def test_wrong_calls_are_one_line(arguments, code, said, tmp_path, capsys):
    done: object
    try:
        done = main([*arguments, "--games", str(tmp_path)])
    except SystemExit as stop:
        done = stop.code
    error = capsys.readouterr().err
    assert done == code
    assert said in error
    assert "Traceback" not in error


def test_rules_in_words_for_every_game():
    for name in PRESETS:
        for players in player_counts(name):
            sections = dict(rules_text(make_rules(name, players)))
            assert {"Cards", "Taking", "Points"} <= set(sections)
    assert rules_text(make_rules("swazi", 2)) != rules_text(make_rules("sotho", 2))


def test_a_switch_changes_the_words():
    insisting = rules_text(make_rules("swazi", 2))
    assert rules_text(make_rules("swazi", 2, insist_capture="never")) != insisting
