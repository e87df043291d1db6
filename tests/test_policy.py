"""Files of weights: written, found, read again, and refused with one line when they do not fit."""

import json
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from agents.policy import Policy, Weights
from agents.policy.files import save_policy
from agents.policy.mlp import Shape, initial, value_outputs
from agents.registry import AgentError, make_agent
from casino_env import Game, make_rules, observe
from casino_env.knowledge.segments import make_layout


@pytest.fixture
def saved(tmp_path):
    """A policy for three-handed Swazi, with its rules and weights."""
    rules = make_rules("swazi", 3)
    shape = Shape(make_layout(rules).size, (24, 8), value_outputs(rules))
    theta = initial(shape, np.random.default_rng(0))
    save_policy(tmp_path / "policy.safetensors", shape, theta, rules, {"training": {"decisions": 0}})
    return tmp_path, rules, shape, theta


def test_a_file_plays_as_the_weights_that_were_saved(saved):
    folder, rules, shape, theta = saved
    seen = observe(Game(rules, seed=5))
    ours = Policy(Weights(rules, make_layout(rules), shape, theta), temperature=1.0)
    for spec in (f"policy:{folder},temperature=1", f"policy:{folder}/policy.safetensors,temperature=1"):
        assert np.array_equal(make_agent(spec).probabilities(seen), ours.probabilities(seen))
        assert make_agent(spec).analyse(seen).value == ours.analyse(seen).value


def test_the_network_is_what_its_weights_say(saved):
    """The kernels against plain matrix products."""
    folder, rules, _, _ = saved
    parts = load_file(folder / "policy.safetensors")
    game = Game(rules, seed=5)
    seen = observe(game)
    x = seen.vector.astype(np.float64)
    for n in range(2):
        x = np.maximum(x @ parts[f"layer{n}.weight"] + parts[f"layer{n}.bias"], 0)
    logits = (parts["policy.weight"] @ x + parts["policy.bias"])[seen.legal()]
    chances = np.exp(logits) / np.exp(logits).sum()
    agent = make_agent(f"policy:{folder},temperature=1")
    assert agent.probabilities(seen)[seen.legal()] == pytest.approx(chances, rel=1e-4)
    assert agent.analyse(seen).value == pytest.approx((parts["value.weight"] @ x + parts["value.bias"])[0], rel=1e-4)


def test_temperature_zero_plays_the_best(saved):
    folder, rules, *_ = saved
    seen = observe(Game(rules, seed=5))
    likely = make_agent(f"policy:{folder},temperature=1").probabilities(seen)
    assert make_agent(f"policy:{folder}").act(seen) == likely.argmax()


def test_other_games_are_refused(saved):
    folder, *_ = saved
    with pytest.raises(ValueError, match="plays swazi with 3 players, not south-african with 2"):
        make_agent(f"policy:{folder}").act(observe(Game("south-african", 2, seed=1)))


def test_broken_files_are_refused_in_one_line(saved):
    folder, *_ = saved
    weights, beside = folder / "policy.safetensors", folder / "policy.json"
    good, about = weights.read_bytes(), json.loads(beside.read_text())
    cases = [
        (b"\x80\x04]", None, "broken weights"),
        (good[:1000], None, "broken weights"),
        (None, {"rules_version": 99}, "made with rules_version 99; this program has 1"),
        (None, {"observation_version": 0}, "made with observation_version 0"),
        (None, {"format": "pickle"}, "format 'pickle'; this program reads"),
        (None, {"hidden": [24, 9]}, "weights layer1.weight"),
    ]
    for data, change, said in cases:
        weights.write_bytes(data or good)
        beside.write_text(json.dumps(about | (change or {})))
        with pytest.raises(AgentError, match=said) as caught:
            make_agent(f"policy:{folder}")
        assert "\n" not in str(caught.value)
    beside.unlink()
    with pytest.raises(AgentError, match=r"policy\.json is missing"):
        make_agent(f"policy:{folder}")
    with pytest.raises(AgentError, match="no weights there"):
        make_agent(f"policy:{folder}/nowhere")


def test_a_missing_part_is_named(saved):
    folder, *_ = saved
    parts = load_file(folder / "policy.safetensors")
    del parts["value.bias"]
    save_file(parts, folder / "policy.safetensors")
    with pytest.raises(AgentError, match=r"value\.bias: nothing"):
        make_agent(f"policy:{folder}")


@pytest.mark.parametrize("name", ["south-african-2", "khasino-3"])
def test_its_value_is_in_points(name):
    """What a network expects is what the deals then bring, point for point: in other units it would be off by a factor.

    Networks are trained on rewards in units of their spread, which is 2.6 points in one of these games and 5.6 in the
    other.
    """
    agent = Policy(Weights.load(name))
    rules, said, came = agent.weights.rules, list[Any](), list[Any]()
    for deal in range(40):
        game, expected = Game(rules, seed=deal), []
        while not game.over:
            found = agent.analyse(observe(game))
            expected.append((game.seat, found.value))
            game.apply(found.action)
        scores = game.scores()
        for seat, value in expected:
            said.append(value)
            came.append(scores[seat] - np.mean([scores[other] for other in range(rules.players) if other != seat]))
    assert agent.weights.unit > 2
    assert 0.85 < np.polyfit(said, came, 1)[0] < 1.15
