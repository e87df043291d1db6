"""Policy files: written, found, read again, and refused with one line when they do not fit."""

import copy
import itertools
import json
import pickle
import random
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

from casino_env import Game, make_rules, observe
from casino_env.actions import ACTIONS, END
from casino_env.agents.files import seal
from casino_env.agents.policy import Policy, Weights, policy_files
from casino_env.agents.policy.policy_files import read_description, write_description, write_policy
from casino_env.agents.registry import AgentError, make_agent
from casino_env.compiler.types import allocate
from casino_env.engine.afterstates import LIMIT, Afterstates, afterstates_of
from casino_env.observed import Observed
from tests.refusals import refused
from tests.untrained import saved, untrained

WEIGHTS = untrained(make_rules("swazi", 3), (24, 8))
OTHER = {"variant": "mini", "players": 2, "rules": {}}


@pytest.fixture
def folder(tmp_path):
    """The folder of a policy for three-handed Swazi."""
    saved(WEIGHTS, tmp_path, training={"decisions": 0})
    return tmp_path


@pytest.mark.parametrize("logits", [ACTIONS, 0], ids=["actions", "afterstates"])
def test_a_file_plays_as_the_weights_that_were_saved(tmp_path, logits):
    weights = untrained(make_rules("swazi", 3), (24, 8), logits, scale=3.0)
    seen, ours = observe(Game(weights.rules, seed=5)), Policy(weights, temperature=1.0)
    folder = saved(weights, tmp_path)
    for spec in (f"policy:{folder},temperature=1", f"policy:{folder}/policy.safetensors,temperature=1"):
        assert np.array_equal(make_agent(spec).probabilities(seen), ours.probabilities(seen))
        assert make_agent(spec).analyse(seen).value == ours.analyse(seen).value


# Kernels add up 64 units of a layer at once, and look at 64 inputs at once.
WIDTHS = [(24, 8), (64,), (100, 70), (192, 64, 30)]


def _with_biases(rules, hidden, logits):
    weights = untrained(rules, hidden, logits, scale=3.0)
    for name, part in weights.shape.views(weights.theta).items():
        if name.endswith("bias"):
            part[:] = np.random.default_rng(len(name)).normal(0, 0.5, part.shape)
    return weights


def _last_layer(weights, features):
    """The activations of the last layer by plain matrix products, and the parts of the network."""
    parts, x = weights.shape.views(weights.theta), features.astype(np.float64)
    for n in range(len(weights.shape.hidden)):
        x = np.maximum(x @ parts[f"layer{n}.weight"] + parts[f"layer{n}.bias"], 0)
    return x, parts


@pytest.mark.parametrize("hidden", WIDTHS)
def test_the_network_is_what_its_weights_say(hidden):
    weights = _with_biases(make_rules("swazi", 3), hidden, ACTIONS)
    seen, agent = observe(Game(weights.rules, seed=5)), Policy(weights, temperature=1.0)
    x, parts = _last_layer(weights, seen.vector)
    logits = (parts["policy.weight"] @ x + parts["policy.bias"])[seen.legal()]
    chances = np.exp(logits) / np.exp(logits).sum()
    assert agent.probabilities(seen)[seen.legal()] == pytest.approx(chances, rel=1e-4)
    value = 3.0 * (parts["value.weight"] @ x + parts["value.bias"])[0]
    assert agent.analyse(seen).value == pytest.approx(value, rel=1e-4)


@pytest.mark.parametrize("hidden", WIDTHS)
def test_afterstates_are_worth_what_the_weights_say(hidden):
    """Kernels go from one afterstate to the next by the features that differ; here each is worked out by itself."""
    weights = _with_biases(make_rules("swazi", 2), hidden, 0)
    rules, agent, rng = weights.rules, Policy(weights, temperature=1.0), np.random.default_rng(1)
    afterstates, game, met = allocate(Afterstates), Game(rules, seed=5), 0
    while game.record["turns"] < 20:
        seen, chances = observe(game), np.zeros(ACTIONS)
        many, walk = afterstates_of(seen.view, rules.record, afterstates, LIMIT), afterstates.walk[0]
        last = [
            _last_layer(weights, Observed(rules, seen.seat, afterstates.records[k : k + 1], seen.mask).vector)
            for k in range(many)
        ]
        worth = np.array([3.0 * (parts["value.weight"] @ x + parts["value.bias"])[0] for x, parts in last])
        likely = np.exp(worth - worth.max())
        for k in range(many):
            chances[walk["paths"][k, 0] if walk["lengths"][k] else END] += likely[k] / likely.sum()
        if len(seen.legal()) > 1:
            assert agent.probabilities(seen) == pytest.approx(chances, abs=1e-4)
            met += many > 1
        game.apply(int(rng.choice(seen.legal())))
    assert met > 10


def test_a_copy_of_one_that_has_played_plays_on_as_it_would():
    game, agent = Game("swazi", 3, seed=1), make_agent("policy:swazi-3-easy")
    agent.reset(0, np.random.default_rng(0))
    agent.act(observe(game))
    copies = [copy.deepcopy(agent), pickle.loads(pickle.dumps(agent))]
    chosen = [[each.act(observe(game)) for _ in range(30)] for each in (agent, *copies)]
    assert chosen[0] == chosen[1] == chosen[2] and len(set(chosen[0])) > 1


def test_temperature_zero_plays_the_best(folder):
    seen = observe(Game(WEIGHTS.rules, seed=5))
    likely = make_agent(f"policy:{folder},temperature=1").probabilities(seen)
    assert make_agent(f"policy:{folder}").act(seen) == likely.argmax()


def _refused(folder, said):
    with refused(said, AgentError):
        make_agent(f"policy:{folder}")


def _sealed(folder, about, **changes):
    """Write the description with some changes and a valid checksum, as somebody might who wants to see what happens."""
    write_description(folder / "policy.safetensors", about | changes, about["weights"])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"rules_version": 99}, "made with rules_version 99; this program has 1"),
        ({"observation_version": 0}, "made with observation_version 0"),
        ({"hidden": [24, 9]}, "weights layer1.weight"),
        ({"hidden": [4096] * 16}, "weights layer0.weight"),
        ({"hidden": [4096] * 17}, "hidden = .*; it must be a list of 1 to 16"),
        ({"hidden": [True]}, r"hidden.0 = True; it must be a whole number from 1 to 4096"),
        ({"hidden": 24}, "hidden = 24; it must be a list"),
        ({"network": "gru"}, "network = 'gru'; it must be actions or afterstates"),
        ({"values": 2.0}, "values = 2.0; it must be a whole number"),
        ({"values": 7}, "values = 7; it must be a whole number from 1 to 6"),
        ({"players": 10**30}, "players = 1000.*; it must be"),
        ({"variant": ["swazi"]}, "variant = .*; it must be text"),
        ({"variant": "swasi"}, "not a known game: unknown variant 'swasi'"),
        ({"rules": []}, "rules = .*; it must be an object"),
        ({"rules": {"players": 2}}, "not a known game"),
        ({"rules": {"deck": {}}}, "not a known game"),
        ({"value_scale": 0}, "value_scale = 0; it must be a number from 0.0001 to 1e.06"),
        ({"value_scale": 1e300}, r"value_scale = 1e\+300; it must be a number from 0.0001 to 1e.06"),
        ({"value_scale": "much"}, "value_scale = .*; it must be a number"),
        ({"match": 1}, "match = 1; it must be true or false"),
        ({"layout": "other"}, "layout = .*; it must be own or universal"),
        ({"config": []}, "config = .*; it must be an object"),
        ({"play": {"turns": 99}}, "play.turns = 99; it must be a whole number from 1 to 8"),
        ({"play": {"turn": 2}}, r"play: unknown key 'turn' \(did you mean 'turns'\?\)"),
        ({"features": {"size": 7}}, "features.digest is missing"),
        ({"levels": {"easy": 5}}, "levels.easy = 5; it must be an object"),
        ({"levels": {"easy": {"play": {"exact": -1}}}}, "levels.easy.play.exact = -1; it must be a whole number"),
        ({"config": {"game": 5}}, "config.game = 5; it must be an object"),
        ({"config": {"game": {"others": [5]}}}, "config.game.others.0 = 5; it must be an object"),
        ({"config": {"game": {"others": [{"variant": "mini"}]}}}, "config.game.others.0.players is missing"),
        ({"config": {"game": {"others": [OTHER | {"players": "2"}]}}}, "others.0.players = '2'; it must be a whole"),
        ({"config": {"game": {"others": [OTHER | {"variant": "x"}]}}}, "not a known game: unknown variant 'x'"),
    ],
)
def test_descriptions_that_say_nonsense_are_refused_in_one_line(folder, change, said):
    _sealed(folder, read_description(folder / "policy.safetensors"), **change)
    _refused(folder, said)


def test_weights_whose_sums_overflow_are_refused_in_one_line(folder):
    """Each weight by itself is a finite number."""
    path = folder / "policy.safetensors"
    about = read_description(path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for layer, much in itertools.product(("layer0.weight", "layer1.weight", "value.bias"), (1e30, 1e38)):
            parts = load_file(path)
            parts[layer] = np.full_like(parts[layer], much)
            write_policy(path, parts, about)
            _refused(folder, "so large that the network would overflow")


def test_it_is_said_which_switches_a_policy_has_not_learnt(folder):
    agent, rules = make_agent(f"policy:{folder}"), make_rules("swazi", 3, ace_high=False)
    with refused("plays swazi with 3 players and ace_high = True, not False"):
        agent.check(rules)


@pytest.mark.parametrize("missing", ["hidden", "network", "variant", "players", "rules"])
def test_a_missing_key_is_named(folder, missing):
    about = read_description(folder / "policy.safetensors")
    _sealed(folder, {key: value for key, value in about.items() if key != missing} | {"weights": about["weights"]})
    _refused(folder, f"policy.json: {missing} is missing")


@pytest.mark.parametrize("text", [b"[]", b"5", b"{}", b"[" * 100_000, b'{"format": NaN}', b"\xff", b""])
def test_what_is_no_description_is_refused(folder, text):
    (folder / "policy.json").write_bytes(text)
    _refused(folder, r"policy\.json: ")


def test_a_description_or_weights_that_are_missing(folder):
    (folder / "policy.json").unlink()
    _refused(folder, r"policy\.json is missing")
    _refused(folder / "nowhere", "no weights found")


def _flipped(good, draw):
    """Return the bytes with one random bit flipped."""
    at, bit = draw.randrange(len(good)), draw.randrange(8)
    return good[:at] + bytes([good[at] ^ 1 << bit]) + good[at + 1 :]


def test_a_flipped_bit_anywhere_is_refused_with_the_way_back(folder):
    draw = random.Random(1)
    for name in ("policy.safetensors", "policy.json"):
        good = (folder / name).read_bytes()
        for _ in range(200):
            (folder / name).write_bytes(_flipped(good, draw))
            _refused(folder, rf"{name}: .*; copy the files of the policy again")
        (folder / name).write_bytes(good[:-2])
        _refused(folder, rf"{name}: damaged: .*; copy the files of the policy again")
        (folder / name).write_bytes(good)


def test_a_kill_between_the_two_files_leaves_a_whole_policy(folder, monkeypatch):
    other = replace(WEIGHTS, theta=WEIGHTS.theta + np.float32(1))

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(policy_files, "write_file", killed)
    with pytest.raises(KeyboardInterrupt):
        saved(other, folder)
    assert np.array_equal(make_agent(f"policy:{folder}").weights.theta, WEIGHTS.theta)
    monkeypatch.undo()
    saved(other, folder)
    assert np.array_equal(make_agent(f"policy:{folder}").weights.theta, other.theta)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda parts: parts.pop("value.bias"), r"value\.bias: nothing"),
        (lambda parts: parts.update({"value.bias": np.zeros(3, np.int64)}), r"value\.bias: int64, not floating point"),
        (lambda parts: parts.update({"value.bias": np.full(3, np.nan)}), "broken weights .some are not numbers"),
    ],
)
def test_weights_that_are_none_are_refused(folder, change, said):
    path = folder / "policy.safetensors"
    parts = load_file(path)
    change(parts)
    write_policy(path, parts, read_description(path))
    _refused(folder, said)


@pytest.mark.parametrize("write", [json.dumps, seal])
def test_descriptions_of_other_formats_or_without_a_checksum_are_refused(folder, write):
    about = read_description(folder / "policy.safetensors")
    (folder / "policy.json").write_text(write(about | {"format": "casino-policy 2"}))
    _refused(folder, "format 'casino-policy 2'; this program reads 'casino-policy 3'")
    (folder / "policy.json").write_text(json.dumps(about))
    _refused(folder, "with its checksum")


@pytest.mark.parametrize("name", ["south-african-2", "swazi-3"])
def test_its_value_is_in_points(name):
    """The value predicts the points of the deals one to one: in other units the slope would be off by a factor.

    Networks are trained on rewards in units of their spread: 2.6 points in one of these games, 5.6 in the other.
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
    assert agent.weights.value_scale > 2
    assert 0.8 < np.polyfit(said, came, 1)[0] < 1.25


# --- one file --------------------------------------------------------------------------------------------------------


def test_a_packed_policy_is_small_and_plays_as_its_run(tmp_path, casino):
    """Packing a shipped policy keeps every bit; packing a run rounds its weights. The packed run can be exported."""
    for name in ("khasino-2", "swazi-3-easy"):
        assert casino("agents", "pack", f"policy:{name}", tmp_path / "x.policy").out == f"{tmp_path / 'x.policy'}\n"
        assert Weights.load(str(tmp_path / "x.policy")).digest == Weights.load(name).digest
    weights = untrained(make_rules("khasino", 2, insist_capture="never"), (64, 16), 0, scale=3.0)
    (tmp_path / "run").mkdir()
    run = Path(saved(weights, tmp_path / "run"))
    assert casino("agents", "pack", run, tmp_path / "mine.policy").code == 0
    mine = Weights.load(str(tmp_path / "mine.policy"))
    assert mine.rules == weights.rules and np.abs(mine.theta - weights.theta).max() < 0.02 * np.abs(weights.theta).max()
    assert (tmp_path / "mine.policy").stat().st_size < (run / "policy.safetensors").stat().st_size / 3
    assert casino("agents", "export", tmp_path / "mine.policy", tmp_path / "mine.casino").code == 0
    assert "must end in .policy" in casino("agents", "pack", run, tmp_path / "mine.zip").err


def test_of_a_packed_policy_a_flipped_bit_is_refused(tmp_path):
    path, draw = tmp_path / "x.policy", random.Random(1)
    policy_files.pack("khasino-2", path)
    good = path.read_bytes()
    for _ in range(100):
        path.write_bytes(_flipped(good, draw))
        _refused(path, r"x\.policy: ")
    for length in (0, 10, len(good) - 1):
        path.write_bytes(good[:length])
        _refused(path, r"x\.policy: ")


# --- networks of other learners --------------------------------------------------------------------------------------


def test_a_network_of_any_learner_plays_as_it_does_there(tmp_path):
    """Compare with plain products of its matrices. Three players need no further argument."""
    rules, rng = make_rules("swazi", 3), np.random.default_rng(1)
    seen = observe(Game(rules, seed=5))
    sizes = (len(seen.vector), 32, 16, ACTIONS)
    layers = [(rng.normal(size=(out, into)), rng.normal(size=out)) for into, out in itertools.pairwise(sizes)]
    policy_files.save_network(tmp_path / "deep/theirs.safetensors", layers, rules, {"trainer": "somebody's"})
    x = seen.vector.astype(np.float64)
    for weight, bias in layers[:-1]:
        x = np.maximum(weight @ x + bias, 0)
    logits = (layers[-1][0] @ x + layers[-1][1])[seen.legal()]
    agent = make_agent(f"policy:{tmp_path}/deep/theirs.safetensors")
    assert agent.act(seen) == seen.legal()[int(logits.argmax())] and (agent.values_by_side(seen) == 0).all()
    with refused("a logit for each of 192 actions"):
        policy_files.save_network(tmp_path / "x.safetensors", layers[:-1], rules)


def test_a_network_that_cannot_play_the_game_is_not_saved(tmp_path):
    rules, shape = make_rules("swazi", 3), WEIGHTS.shape
    for other, said in (
        (replace(shape, values=1), "this network has 1 values; swazi with 3 players needs 3, one for each side$"),
        (replace(shape, features=9), "reads 9 features; an observation of swazi with 3 players has 6397$"),
    ):
        with refused(said):
            policy_files.save_policy(tmp_path / "x.safetensors", other, np.zeros(other.size, np.float32), rules, {})
    few = replace(WEIGHTS, shape=replace(shape, values=1), theta=np.zeros(replace(shape, values=1).size, np.float32))
    with refused("plays swazi with 3 players, but has 1 of the 3 values, one for each side, that this needs$"):
        Policy(few).check(rules)
