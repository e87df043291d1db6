"""Studies of both kinds: judged by matches, kept on disk, gone on with, refused in one line where the file is wrong."""

import json

import numpy as np
import pytest

pytest.importorskip("optuna")

from casino_env.agents.files import read_journal, write_journal
from casino_env.evaluate.matches.intervals import interval
from casino_env.train.cli import main
from casino_env.train.commands.ablate import Ablation, as_text
from casino_env.train.commands.studies import load_study
from casino_env.train.commands.tune import Range, Search, Tuning

TINY = """[settings.network]
hidden = [8]
[settings.selfplay]
games = 4
horizon = 16
minibatch = 32
"""
FILE = f"""
trials = 3
minutes = 0.02
pieces = 2
reference = "random"
deals = 4
[search]
"selfplay.learning_rate" = {{ low = 1e-3, high = 1e-2, log = true }}
"selfplay.horizon" = [16, 32]
"network.hidden" = [[8], [12, 8]]
{TINY}"""


def test_a_search_goes_on_where_it_was_cut_off(tmp_path, capsys):
    path = tmp_path / "small.toml"
    path.write_text(FILE)
    assert main(["tune", str(path), "--runs", str(tmp_path), "--json"]) == 0
    first = json.loads(capsys.readouterr().out)
    rows = first["rows"]
    assert len(rows) == 3
    assert [row["diff"] for row in rows] == sorted((row["diff"] for row in rows), reverse=True)
    plain = [row for row in rows if row["as_configured"]]
    own = {"selfplay.learning_rate": 2e-3, "selfplay.horizon": 16, "network.hidden": [8]}
    assert [row["settings"] for row in plain] == [own]
    assert (tmp_path / "small/trial-0000/policy.safetensors").exists()

    path.write_text(FILE.replace("trials = 3", "trials = 4"))
    search = Search(load_study(Tuning, str(path), []), tmp_path / "small", print)
    lost = search.ask()  # cut off in the middle of a trial
    search.log.close()
    assert main(["tune", str(path), "--runs", str(tmp_path), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert {row["trial"] for row in rows} == {0, 1, 2, lost.number + 1}
    again = next(row for row in rows if row["trial"] == lost.number + 1)
    assert again["settings"]["selfplay.learning_rate"] == lost.params["selfplay.learning_rate"]
    assert main(["tune", str(path), "--runs", str(tmp_path)]) == 0
    assert "--set selfplay.learning_rate=" in capsys.readouterr().out

    path.write_text(FILE.replace("deals = 4", "deals = 6"))
    assert main(["tune", str(path), "--runs", str(tmp_path)]) == 2
    assert "holds another search: deals" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('learning_rate"', 'learning_rat"', "selfplay: unknown key 'learning_rat' (did you mean 'learning_rate'?)"),
        ("low = 1e-3", "low = -1e-3", "low must be below high, and above 0"),
        ("[16, 32]", "[]", "nothing to choose from"),
        ("[16, 32]", "{ low = 32.0, high = 64.0 }", "selfplay.horizon"),
        ("[16, 32]", "[4, 32]", "a minibatch of 32 is more than an iteration"),
        ("pieces = 2", f"pieces = {'9' * 400}", "pieces = 9999"),
        ("high = 1e-2", 'high = "x"', "search.selfplay.learning_rate.high = 'x'"),
        ("trials = 3", "trails = 3", "unknown key 'trails' (did you mean 'trials'?)"),
        ("games = 4", "games = 0", "selfplay.games = 0"),
        ("[search]", "[search", "not TOML"),
        ("[search]", "[searched]", "search is missing (did you mean 'searched'?)"),
        ("[search]", "[changes]", "a table [changes] is for casino train ablate"),
    ],
)
def test_wrong_files_are_refused(tmp_path, casino, old, new, said):
    path = tmp_path / "wrong.toml"
    path.write_text(FILE.replace(old, new))
    code, _, error = casino("train", "tune", path, "--runs", tmp_path)
    assert code == 2 and said in error and error.count("\n") == 1
    assert not (tmp_path / "wrong").exists()


def test_choices_need_not_hold_what_is_configured(tmp_path):
    path = tmp_path / "other.toml"
    path.write_text(FILE.replace("[16, 32]", "[32, 64]"))
    search = Search(load_study(Tuning, str(path), []), tmp_path / "other", print)
    assert not search.study.trials
    search.log.close()


@pytest.mark.parametrize("config", [2, None, [], {"deals": 6}])
def test_a_log_that_says_something_else_of_its_search_is_refused(tmp_path, config):
    write_journal(tmp_path / "journal.jsonl", [{"format": "casino-tuning 1", "config": config}])
    (tmp_path / "small.toml").write_text(FILE)
    with pytest.raises(ValueError, match=r"holds another search: .*deals"):
        Search(load_study(Tuning, str(tmp_path / "small.toml"), []), tmp_path, print)


@pytest.mark.parametrize(
    "change", [{"user_attr": 5}, {"op_code": 1}, {"user_attr": {"interval": ["a", "b"]}}, {"user_attr": {"done": True}}]
)
def test_a_log_of_something_else_is_refused(tmp_path, casino, change):
    """Its checksums fit; optuna stumbles over it, or takes it."""
    path, folder = tmp_path / "small.toml", tmp_path / "small"
    path.write_text(FILE)
    search = Search(load_study(Tuning, str(path), []), folder, print)
    trial = search.ask()
    trial.set_user_attr("interval", [0.0, 2.0])
    search.study.tell(trial, 1.0)
    search.log.close()
    rows = [row | change if "user_attr" in row and "interval" in row["user_attr"] else row
            for row in read_journal(folder / "journal.jsonl")]  # fmt: skip
    write_journal(folder / "journal.jsonl", rows)
    code, _, error = casino("train", "tune", path, "--runs", tmp_path)
    assert "journal.jsonl: not of this search (" in error and "--name" in error and (code, error.count("\n")) == (1, 1)


def test_ranges_of_whole_numbers_stay_whole():
    assert Range(low=1, high=4).model_dump()["low"] == 1
    assert isinstance(Range(low=1, high=4).high, int)


ABLATION = f"""
seeds = 2
decisions = 64
deals = 6
reference = "random"
[changes]
"no entropy" = {{ "ppo.entropy_coef" = 0, "ppo.entropy_floor" = 0 }}
{TINY}"""


def test_what_a_setting_is_worth(tmp_path, capsys):
    """Each row is trained with every seed and meets the default of the same seed; nothing is trained twice."""
    path = tmp_path / "worth.toml"
    path.write_text(ABLATION)
    words = ["ablate", str(path), "--runs", str(tmp_path)]
    assert main([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [row["changed"] for row in found["rows"]] == ["default", "no entropy"]
    assert found["rows"][0]["default"] is None
    assert [len(row["reference"]["seeds"]) for row in found["rows"]] == [2, 2]
    assert len(found["rows"][1]["default"]["seeds"]) == 2
    for pooled in (found["rows"][0]["reference"], found["rows"][1]["default"]):  # over seeds, not over their deals
        assert (pooled["diff"], pooled["low"], pooled["high"]) == pytest.approx(interval(np.array(pooled["seeds"])))
    folder = tmp_path / "worth"
    config = json.loads((folder / "no-entropy-seed1" / "config.json").read_text())["config"]
    assert (config["ppo"]["entropy_coef"], config["run"]["seed"]) == (0.0, 1)
    assert not any(row.get("vs") for row in read_journal(folder / "default-seed0" / "progress.jsonl"))  # on the way
    before = (folder / "default-seed0" / "progress.jsonl").read_bytes()
    assert main(words) == 0
    assert "| no entropy | " in capsys.readouterr().out
    assert (folder / "default-seed0" / "progress.jsonl").read_bytes() == before
    assert main([*words, "--set", "decisions=128"]) == 1
    assert "trained with other settings" in capsys.readouterr().err


def test_it_is_said_what_an_interval_is_over(tmp_path):
    path = tmp_path / "worth.toml"
    found: dict[str, list] = {"rows": []}
    path.write_text(ABLATION)
    assert "intervals over 2 seeds" in as_text(load_study(Ablation, str(path), []), found)
    alone = load_study(Ablation, str(path), ["seeds=1"])
    assert "intervals over the 6 deals of one seed, not over seeds" in as_text(alone, found)


def test_wrong_changes_are_refused(tmp_path, capsys):
    path = tmp_path / "worth.toml"
    path.write_text(ABLATION.replace("ppo.entropy_coef", "ppo.entropy_coeff"))
    assert main(["ablate", str(path), "--runs", str(tmp_path)]) == 2
    assert "ppo: unknown key 'entropy_coeff' (did you mean 'entropy_coef'?)" in capsys.readouterr().err
    path.write_text(ABLATION.replace('"random"', '"policy:swazi-3"'))
    assert main(["ablate", str(path), "--runs", str(tmp_path)]) == 2
    assert "reference: " in capsys.readouterr().err
    assert not (tmp_path / "worth" / "default-seed0").exists()


def test_a_search_is_judged_in_one_game(tmp_path, capsys):
    path = tmp_path / "many.toml"
    path.write_text('[search]\n"selfplay.minibatch" = [32, 64]\n[settings.game]\nlayout = "universal"\n'
                    '[[settings.game.others]]\nvariant = "swazi"\n')  # fmt: skip
    assert main(["tune", str(path), "--runs", str(tmp_path)]) == 2
    assert "a search is judged in one game" in capsys.readouterr().err


def test_the_example_searches_what_its_learner_reads():
    config = load_study(Tuning, "examples/tune.toml", [])
    assert {name.split(".")[0] for name in config.search} == {config.configs()[0].run.algorithm, "selfplay"}
