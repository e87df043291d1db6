"""The words of a command line that name a game (a preset, a file of rules, what a policy has learnt), and back."""

import argparse
import json
import random
import shlex
from contextlib import suppress
from dataclasses import replace

import pytest

from casino_env import Rules, make_rules
from casino_env.agents.which_game import add_rules, chosen_rules, settings_of, words_of
from casino_env.train.config import make_config, read_toml
from casino_env.validate import short_repr
from tests.random_play import every_game
from tests.refusals import refused

MINE = 'variant = "cassino"\nplayers = 2\n{}rules = {{ raise_by = "opponents", sweeps = true }}\n'


def chosen(*words, **usual):
    parser = argparse.ArgumentParser()
    add_rules(parser)
    return chosen_rules(parser.parse_args([str(word) for word in words]), **usual)


def some_games():
    """Yield all presets, some of them with changed switches, and a game that is no preset."""
    draw = random.Random(1)
    for rules in every_game():
        yield rules
        with suppress(ValueError):  # switches that a preset rules out
            yield replace(rules, sweeps=not rules.sweeps, target=draw.randrange(5, 30))
    yield Rules(name="of mine's own", players=2, insist_capture="never")


def test_words_and_settings_name_the_same_game_again():
    for rules in some_games():
        assert chosen(*shlex.split(words_of(rules))) == rules
        assert make_config(read_toml(None, settings_of(rules))).game.make_rules() == rules


@pytest.mark.parametrize("head", ["", "[game]\nlayout = 'own'\n"])
def test_a_file_of_rules(tmp_path, head):
    """The file holds rules alone, or the settings of a training; --set changes more."""
    path = tmp_path / "mine.toml"
    path.write_text(head + MINE.format(""))
    assert chosen("--rules", path) == make_rules("cassino", 2, raise_by="opponents", sweeps=True)
    assert chosen("--rules", path, "--set", "sweeps=no") == make_rules("cassino", 2, raise_by="opponents")


def test_the_game_that_a_policy_has_learnt():
    assert chosen("--like", "policy:swazi-3") == chosen("--like", "swazi-3-easy") == make_rules("swazi", 3)
    assert chosen("--variant", "partnership", players=None).players == 4


@pytest.mark.parametrize(
    ("text", "words", "said"),
    [
        (MINE.format(""), ["--players", 2], "--players: --rules gives it"),
        (MINE.format(""), ["--like", "swazi-3"], "give --rules or --like, not both"),
        (MINE.format("variants = 1\n"), [], "mine.toml: unknown key 'variants' (did you mean 'variant'?)"),
        ("game = 3", [], "mine.toml: game = 3; it must be"),
        ("rules = { sweep = true }", [], "mine.toml: unknown rule 'sweep' (did you mean 'sweeps'?)"),
        ("rules = 3", [], "mine.toml: rules: must be an object"),
        ("rules", [], "mine.toml: not TOML"),
    ],
)
def test_what_names_no_game(tmp_path, text, words, said):
    (tmp_path / "mine.toml").write_text(text)
    with refused(said):
        chosen("--rules", tmp_path / "mine.toml", *words)


@pytest.mark.parametrize("number", ["--5", "1_6", "\u0663", "9" * 5000])
def test_what_is_no_number_of_a_switch(number):
    with refused(f"rules: rounds = {short_repr(number)}; it must be a whole number", most=300):
        chosen("--set", f"rounds={number}")


def test_commands_take_them(tmp_path, casino):
    (tmp_path / "mine.toml").write_text(MINE.format(""))
    code, out, _ = casino(
        "evaluate", "match", "greedy", "random", "--rules", tmp_path / "mine.toml", "--deals", 4, "--json"
    )
    assert code == 0 and json.loads(out)["rules"] == {"raise_by": "opponents", "sweeps": True}
    code, _, err = casino("play", "--web", "--rules", tmp_path / "mine.toml")
    assert code == 2 and "--rules: choose it on the page" in err
    code, _, err = casino("play", "--like", "nobody")
    assert code == 2 and "no weights found" in err


def test_a_training_says_the_words_of_its_game(tmp_path, casino, monkeypatch):
    """The printed command can be copied: its match is under the rules that were learnt."""
    pytest.importorskip("torch", reason="needs the extra `train`")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text(MINE.format(""))
    words = "--set run.decisions=200 --set afterstates.deals=2 --set run.panel=[] --set run.name=r --deals 2"
    code, out, err = casino("train", "--rules", "mine.toml", *words.split())
    assert code == 0, err
    (line,) = (line for line in out.splitlines() if "evaluate match" in line)
    code, out, _ = casino(*shlex.split(line)[1:], "--deals", 2, "--json")
    assert code == 0 and json.loads(out)["rules"] == {"raise_by": "opponents", "sweeps": True}
    assert json.loads((tmp_path / "runs/r/config.json").read_text())["config"]["game"]["variant"] == "cassino"
    assert casino("train", "--like", "policy:runs/r", "--resume", "runs/r").code == 2
