"""Policies shipped with the project: how they are made, found and measured."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks.__main__ import main as benchmarks
from casino_env.agents.policy import Weights, policy_files, shipped
from casino_env.agents.registry import AgentError, make_agent
from casino_env.train.cli import main as train
from casino_env.train.commands import opponents
from tests.refusals import refused

SMALL = """
[game]
variant = "khasino"
players = 3
[network]
hidden = [8]
[afterstates]
deals = 32
minibatch = 64
[run]
decisions = 8000
levels = { half = 0.5 }
panel = []
deals = 2
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Make folders of configs, runs and shipped policies with the command."""
    folder = tmp_path_factory.mktemp("shipped")
    (folder / "configs").mkdir()
    (folder / "configs" / "khasino-3.toml").write_text(SMALL)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(opponents, "CONFIGS", folder / "configs")
        patch.setattr(opponents, "DEALS", 20)
        patch.setattr(policy_files, "SHIPPED", folder / "policies")
        assert train(["opponents", "--runs", str(folder / "runs"), "--to", str(folder / "policies")]) == 0
        yield folder


def again(made):
    return train(["opponents", "khasino-3", "--runs", str(made / "runs"), "--to", str(made / "policies")])


def test_every_level_is_found_by_its_name(made):
    """The levels have the same weights, and are played with less and less care."""
    assert shipped.shipped() == ["khasino-3", "khasino-3-easy", "khasino-3-medium"]
    best, easy, medium = [make_agent(f"policy:{name}") for name in shipped.shipped()]
    assert np.array_equal(best.weights.theta, easy.weights.theta) and np.array_equal(
        best.weights.theta, medium.weights.theta
    )
    assert best.digest != medium.digest  # kept deals of one way to play do not count for another
    assert 0.0 == best.play.temperature < medium.play.temperature <= easy.play.temperature
    assert (made / "policies" / "khasino-3.safetensors").exists()
    assert not (made / "policies" / "khasino-3-easy.safetensors").exists()
    assert shipped.best() == ["khasino-3"]


@pytest.mark.parametrize(
    ("loss", "lost", "turns", "temperature"),
    [
        (0.5, lambda play: play.temperature / 2, 1, 1.0),
        (1.5, lambda play: 2.5 - play.turns / 2 + play.temperature, 3, 0.5),
    ],
    ids=["half a point for each of temperature", "two points without looking ahead"],
)
def test_a_level_loses_what_it_should(made, loss, lost, turns, temperature):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(opponents, "match", lambda _, other, *__, **___: SimpleNamespace(diff=lost(other.play)))
        found = opponents.play_that_loses(loss, Weights.load("khasino-3"))
    assert found.turns == turns
    assert found.temperature == pytest.approx(temperature, abs=opponents.WARMEST / 2**opponents.STEPS)


def test_a_shipped_policy_is_the_trained_one_in_eight_bits(made):
    ours, theirs = Weights.load("khasino-3"), Weights.load(str(made / "runs" / "khasino-3"))
    first = slice(0, theirs.shape.features * 8)
    rows, kept = (one.theta[first].reshape(-1, 8) for one in (theirs, ours))
    error = np.abs(rows - kept) / np.maximum(np.abs(rows).max(axis=1, keepdims=True), 1e-9)
    assert 0 < error.max() < 0.5 / 127 + 1e-6
    assert np.array_equal(ours.theta[first.stop :], theirs.theta[first.stop :].astype(np.float16).astype(np.float32))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"layer0.rows": [3, 2]}, "layer0.rows: must be feature numbers"),
        ({"layer0.rows": [2, 1_000_000]}, "layer0.rows: a feature must be from 0 to"),
        ({"layer0.scales": [1.0]}, "layer0.scales: must be one for each of"),
        ({"layer0.weight": [[1]]}, "layer0.weight: must be"),
    ],
)
def test_what_cannot_be_unpacked_is_refused(made, change, said):
    weights = Weights.load("khasino-3")
    parts = policy_files.quantize(weights.shape, weights.theta)
    parts |= {name: np.array(part, parts[name].dtype) for name, part in change.items()}
    with pytest.raises(ValueError, match=said):
        policy_files.dequantize(weights.shape, parts)


@pytest.mark.parametrize(("scale", "said"), [(1e30, "so large"), (1e38, "some are not numbers")])
def test_scales_that_overflow_are_refused_without_a_warning(made, tmp_path, recwarn, scale, said):
    weights, path = Weights.load("khasino-3"), tmp_path / "policy.safetensors"
    parts = policy_files.quantize(weights.shape, weights.theta)
    parts["layer0.scales"] = np.full_like(parts["layer0.scales"], scale)
    policy_files.write_policy(path, parts, shipped.description("khasino-3"))
    with pytest.raises(ValueError, match=rf"policy\.safetensors: broken weights \({said}"):
        Weights.load(str(path))
    assert not recwarn.list


def test_features_that_were_never_seen_are_left_out(made):
    weights = Weights.load(str(made / "runs" / "khasino-3"))
    assert len(policy_files.quantize(weights.shape, weights.theta)["layer0.rows"]) < weights.shape.features


def test_strength_lies_beside_the_weights_and_goes_on_where_it_was(made, capsys):
    words = ["strength", "khasino-3", "--deals", "8", "--runs", str(made / "strength"), "--threads", "1"]
    assert benchmarks(words) == 0
    rows = {row["against"]: row for row in shipped.description("khasino-3")["strength"]}
    assert list(rows)[:4] == ["random", "greedy", "builder", "counter"]
    assert set(list(rows)[4:]) == {"policy:khasino-3-medium", "policy:khasino-3-easy"}
    assert benchmarks([*words, "--against", "counter", "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1]) == {"policy": "khasino-3", **rows["counter"]}
    assert again(made) == 0  # the weights are the same, so their results stay
    assert len(shipped.description("khasino-3")["strength"]) == 6


def test_deals_of_a_level_that_plays_otherwise_now_are_played_anew(made):
    words = ["strength", "khasino-3-easy", "--deals", "4", "--runs", str(made / "anew"), "--threads", "1"]
    words += ["--against", "greedy"]
    assert benchmarks(words) == 0 == benchmarks(words)
    assert len(list((made / "anew").iterdir())) == 1
    place, play = policy_files.shipped_path("khasino-3-easy"), shipped.description("khasino-3-easy")["play"]
    policy_files.change_description(place, play=play | {"temperature": 9.0})
    assert benchmarks(words) == 0
    assert len(list((made / "anew").iterdir())) == 2
    policy_files.change_description(place, play=play)


def test_levels_that_were_not_made_before_a_kill_are_made_then(made):
    before = shipped.description("khasino-3")["levels"]
    policy_files.change_description(policy_files.shipped_path("khasino-3"), levels={})
    with refused("khasino-3-easy: no weights found", AgentError):
        make_agent("policy:khasino-3-easy")
    assert again(made) == 0
    assert {name: row["play"] for name, row in shipped.description("khasino-3")["levels"].items()} == {
        name: row["play"] for name, row in before.items()
    }


def test_a_finished_training_is_not_repeated(made):
    before = (made / "runs" / "khasino-3" / "progress.jsonl").read_bytes()
    assert again(made) == 0
    assert (made / "runs" / "khasino-3" / "progress.jsonl").read_bytes() == before


def test_a_run_with_other_settings_is_not_taken_for_it(made, capsys):
    config = made / "configs" / "khasino-3.toml"
    config.write_text(SMALL.replace("8000", "9000"))
    assert again(made) == 1
    assert "trained with other settings" in capsys.readouterr().err
    config.write_text(SMALL)


@pytest.mark.parametrize("command", ["train", "benchmarks"])
def test_an_unknown_name_is_refused_with_the_nearest(made, capsys, command):
    code = train(["opponents", "kasino-3"]) if command == "train" else benchmarks(["strength", "kasino-3"])
    assert code in (1, 2)
    assert "did you mean 'khasino-3'" in capsys.readouterr().err


def test_a_level_that_cannot_be_a_file_is_refused(tmp_path, capsys):
    assert train(["--set", "run.levels={ policy = 0.5 }", "--runs", str(tmp_path)]) == 2
    assert "cannot be the name of a file" in capsys.readouterr().err
    assert train(["--set", "run.levels={ easy = 1.5 }", "--runs", str(tmp_path)]) == 2
    assert "it must be between 0 and 1" in capsys.readouterr().err


def test_a_strength_without_interval_is_refused(made, capsys):
    before = shipped.description("khasino-3-easy")
    assert benchmarks(["strength", "khasino-3-easy", "--deals", "1", "--runs", str(made / "strength")]) == 1
    assert "--deals 1: must be 2 or more" in capsys.readouterr().err
    assert shipped.description("khasino-3-easy") == before


def test_a_level_in_another_folder_is_a_policy_like_any(made, tmp_path):
    """The levels that `train opponents --to FOLDER` writes."""
    for name in ("khasino-3.safetensors", "khasino-3.json"):
        (tmp_path / name).write_bytes((made / "policies" / name).read_bytes())
    easy = make_agent(f"policy:{tmp_path / 'khasino-3-easy.safetensors'}")
    assert easy.digest == make_agent("policy:khasino-3-easy").digest
    (tmp_path / "khasino-3.safetensors").unlink()
    for name in ("khasino-3-easy", "khasino-3-hard", "khasino-3"):
        with pytest.raises(AgentError, match="no weights found"):
            make_agent(f"policy:{tmp_path / name}.safetensors")


def test_what_cannot_be_read_any_more_is_made_again(made, tmp_path):
    """A damaged policy is made again, as is one of an earlier observation."""
    for file in (made / "policies").iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "khasino-3.json").write_text('{"format": "none of ours"}')
    assert train(["opponents", "khasino-3", "--runs", str(made / "runs"), "--to", str(tmp_path)]) == 0
    for name in ("khasino-3", "khasino-3-easy"):
        assert make_agent(f"policy:{tmp_path / name}.safetensors").digest == make_agent(f"policy:{name}").digest


def test_a_folder_that_cannot_be_written_is_refused_before_the_training(made, capsys):
    assert train(["opponents", "khasino-3", "--runs", str(made / "new"), "--to", "/dev/null/x"]) == 1
    assert capsys.readouterr().err == "train: '/dev/null/x' cannot be written: '/dev/null' is not a writable folder\n"
    assert not (made / "new").exists()
