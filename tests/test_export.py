"""Exported ONNX files play as the policies over actions that they were made from."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from casino_env import make_rules, observe
from casino_env.actions import ACTIONS
from casino_env.agents.cli import main as agents
from casino_env.agents.policy.policy_agent import make_policy
from casino_env.knowledge.layout import OBSERVATION_VERSION
from casino_env.train.cli import main as train
from tests.random_play import random_moments
from tests.untrained import saved, untrained

onnxruntime = pytest.importorskip("onnxruntime", reason="pip install '.[onnx]'")

pytestmark = pytest.mark.slow  # writing an ONNX file takes seconds

ROOT = Path(__file__).parent.parent
GAMES: list[tuple[str, int, dict[str, Any]]] = [
    ("khasino", 4, {"partners": False}), ("south-african", 2, {}), ("swazi", 3, {}),
]  # fmt: skip


def session_of(policy, folder):
    """Export the policy to ONNX and return an inference session of the file."""
    assert agents(["export", str(policy), str(folder / "player.onnx")]) == 0
    return onnxruntime.InferenceSession(folder / "player.onnx", providers=["CPUExecutionProvider"])


@pytest.fixture(params=GAMES, ids=lambda row: f"{row[0]}-{row[1]}")
def exported(request, tmp_path):
    """Return a policy with random weights and a session of its ONNX file."""
    variant, players, changes = request.param
    weights = untrained(make_rules(variant, players, **changes), (24, 8), scale=3.5, seed=3)
    weights.theta[:] *= 5
    saved(weights, tmp_path)
    return make_policy(str(tmp_path), temperature=1.0), session_of(tmp_path, tmp_path)


def test_it_plays_as_the_policy_on_random_states(exported):
    policy, session = exported
    chances = compared(policy, session, moments=200)
    assert chances.max(1).std() > 0.01  # the weights do matter


@pytest.mark.parametrize("name", ["south-african-2", "swazi-3"])
def test_students_of_policies_that_come_with_the_project(name, tmp_path):
    """Export students that have had one lesson."""
    student = tmp_path / "student.safetensors"
    assert train(["distil", f"policy:{name}", "--to", str(student), "--decisions", "1", "--deals", "2"]) == 0
    compared(make_policy(str(student), temperature=1.0), session_of(student, tmp_path), moments=40)


@pytest.mark.parametrize("name", ["universal", "swazi-3-easy"])
def test_one_that_judges_tables_has_to_be_distilled_first(name, tmp_path, capsys):
    file = tmp_path / "player.onnx"
    assert agents(["export", f"policy:{name}", str(file)]) == 1
    said = capsys.readouterr().err
    assert f"casino train distil policy:{name} --to {file.with_suffix('.safetensors')}" in said
    assert said.count("\n") == 1 and not list(tmp_path.iterdir())


def compared(policy, session, moments):
    """Check that policy and ONNX session agree on random moments; return the probabilities."""
    seen = [observe(game) for game in random_moments(policy.weights.rules, moments) if not game.over]
    inputs = {
        "observation": np.array([each.encode(policy.weights.layout) for each in seen], np.float32),
        "mask": np.array([each["action_mask"] for each in seen], np.float32),
    }
    logits, chances, values = session.run(["logits", "probabilities", "value"], inputs)
    assert np.abs(chances - [policy.probabilities(each) for each in seen]).max() < 1e-4
    expected = np.array([policy.analyse(each).value for each in seen])
    rounding = 1e-6 * np.abs(expected).max()  # random weights expect hundreds of points, so that float32 rounds more
    assert np.allclose(values, expected, rtol=1e-4, atol=1e-4 + rounding)
    assert (logits[inputs["mask"] == 0] < -1e8).all() and (chances[inputs["mask"] == 0] == 0).all()
    return chances


def test_a_file_says_what_it_is_for(exported):
    policy, session = exported
    about = session.get_modelmeta().custom_metadata_map
    rules = make_rules(about["casino.variant"], int(about["casino.players"]), **json.loads(about["casino.rules"]))
    assert rules == policy.weights.rules and int(about["casino.observation_version"]) == OBSERVATION_VERSION
    assert session.get_inputs()[1].shape == ["rows", ACTIONS]


def test_no_export_is_called_like_another_file(tmp_path, capsys):
    """Otherwise an export could overwrite a policy's description beside its weights."""
    about = tmp_path / "policy.json"
    about.write_text("{}", "utf-8")
    assert agents(["export", "khasino-2", str(about)]) == 1 and about.read_text("utf-8") == "{}"
    assert capsys.readouterr().err == f"agents: {about}: must end in .casino or .onnx\n"


def test_what_cannot_be_exported_is_said_in_a_line(tmp_path, capsys):
    assert agents(["export", "nowhere", str(tmp_path / "x.onnx")]) == 1
    assert capsys.readouterr().err.startswith("agents: nowhere: no weights found")
    assert not list(tmp_path.iterdir())


def test_the_player_without_torch(tmp_path):
    """Run the player in a process that cannot import torch."""
    saved(untrained(make_rules("khasino", 4), (24, 8), seed=3), tmp_path)
    assert agents(["export", str(tmp_path), str(tmp_path / "player.onnx")]) == 0
    code = "import sys; sys.modules['torch'] = None; sys.argv[1:] = [r'%s']; " % (tmp_path / "player.onnx")
    code += "from examples.onnx_player import main; main()"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("player_3  expects") >= 8


def test_all_that_is_missing_is_named_at_once(tmp_path, monkeypatch, casino):
    monkeypatch.setattr("casino_env.extras.find_spec", lambda name: None)
    done = casino("agents", "export", "swazi-2", tmp_path / "x.onnx")
    assert done.code == 1 and "missing: torch, onnx, onnxscript; pip install -e '.[train]' and " in done.err
