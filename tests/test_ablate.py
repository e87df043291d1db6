"""Ablations: they are judged by matches and can be resumed; a wrong file is refused in one line."""

import json

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra `train`")

from casino_env.agents.files import read_journal
from casino_env.evaluate.matches.intervals import interval
from casino_env.train.cli import main
from casino_env.train.commands.ablate import as_text, load_ablation

TINY = """[settings.network]
hidden = [8]
[settings.selfplay]
games = 4
horizon = 16
minibatch = 32
"""
ABLATION = f"""
seeds = 2
decisions = 64
deals = 6
reference = "random"
[changes]
"no entropy" = {{ "ppo.entropy_coef" = 0, "ppo.entropy_floor" = 0 }}
{TINY}"""


def test_what_a_setting_is_worth(tmp_path, capsys):
    """Train each row with every seed and match it against the default of that seed; train nothing twice."""
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
    assert not any(row.get("vs") for row in read_journal(folder / "default-seed0" / "progress.jsonl"))  # while training
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
    assert "intervals over 2 seeds" in as_text(load_ablation(str(path), []), found)
    alone = load_ablation(str(path), ["seeds=1"])
    assert "intervals over the 6 deals of one seed, not over seeds" in as_text(alone, found)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("ppo.entropy_coef", "ppo.entropy_coeff", "ppo: unknown key 'entropy_coeff' (did you mean 'entropy_coef'?)"),
        ('"random"', '"policy:swazi-3"', "reference: "),
        ("seeds = 2", "sedes = 2", "unknown key 'sedes' (did you mean 'seeds'?)"),
        ("deals = 6", f"deals = {'9' * 400}", "deals = 9999"),
        ("[changes]", "[changes", "not TOML"),
        ("horizon = 16", "horizon = 4", "minibatch = 32; it must be at most games x horizon"),
    ],
)
def test_wrong_files_are_refused(tmp_path, casino, old, new, said):
    path = tmp_path / "worth.toml"
    path.write_text(ABLATION.replace(old, new))
    code, _, error = casino("train", "ablate", path, "--runs", tmp_path)
    assert code == 2 and said in error and error.count("\n") == 1
    assert not (tmp_path / "worth" / "default-seed0").exists()
