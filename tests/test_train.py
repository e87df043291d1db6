"""Training: hand-worked advantages, gradients against autograd, rows whatever the threads, runs that resume."""

import json
import tomllib
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from agents.policy.agent import value_outputs
from agents.policy.mlp import Shape, initial
from casino_env import make_rules
from casino_env.actions import ACTIONS
from casino_env.envs.vector import Options
from casino_env.knowledge.segments import make_layout
from tests.kills import kills
from tests.resuming import goes_on_bit_for_bit
from train.__main__ import main
from train.algorithms.ppo import Ppo
from train.checkpoint import CheckpointError, checkpoints
from train.config import Config, ConfigError, load_config, make_config
from train.games.advantages import estimate
from train.games.rollout import Opponents, Rollout
from train.learner import losses
from train.learner.gradient import policy_slope
from train.learner.mlp import MlpLearner, new_stats
from train.run import Run

SMALL = {
    "network": {"hidden": [16, 12]},
    "ppo": {"games": 8, "horizon": 16, "minibatch": 32},
    "opponents": {"bots": {"greedy": 0.25}, "frozen": 0.25, "pool": 2, "every": 200},
    "run": {"decisions": 128 * 8, "deals": 10, "panel": ["random"]},
}


def small(**sections):
    data = {section: SMALL.get(section, {}) | sections.get(section, {}) for section in SMALL | sections}
    return make_config(data)


# --- advantages ----------------------------------------------------------------------------------------------------


def grad_of(tensor):
    assert tensor.grad is not None
    return tensor.grad.numpy()


def advantages(rewards, values, last, done, side, decay=1.0, value_decay=1.0):
    """Of one game; returns what each row's decider gains, and the targets."""
    horizon, sides = len(rewards), len(last)
    gains = np.zeros((1, horizon), np.float32)
    targets = np.zeros((1, horizon, sides), np.float32)
    floats = [np.array([part], np.float32) for part in (rewards, values, last)]
    estimate(*floats, np.array([done]), np.array([side]), decay, value_decay, gains, targets)
    return gains[0].tolist(), targets[0].tolist()


def test_two_sides_by_hand():
    """Three decisions (two by side 0, one by side 1), then the game ends with 4 to 0; then a new game goes on."""
    rewards = [[0, 0], [0, 0], [4, -4], [0, 0]]
    values = [[1, -1], [2, -2], [3, -3], [5, -5]]
    gains, targets = advantages(rewards, values, [6, -6], [False, False, True, False], [0, 0, 1, 0], 0.5, 1.0)
    # the last first: row 3 leads on to 6: 6 - 5 = 1; row 2 ends: -4 + 3 = -1 for side 1
    # row 1, side 0: 3 - 2 + 0.5 * (4 - 3) = 1.5; row 0: 2 - 1 + 0.5 * 1.5 = 1.75
    assert gains == [1.75, 1.5, -1.0, 1.0]
    assert targets == [[4, -4], [4, -4], [4, -4], [6, -6]]


def test_three_sides_by_hand():
    """Each side has a value of its own; nothing is the negative of anything."""
    rewards = [[0, 0, 0], [6, -3, -3]]
    values = [[1, 2, -3], [0, 1, -1]]
    gains, targets = advantages(rewards, values, [9, 9, 9], [False, True], [2, 1])
    assert gains == [-3 - -3, -3 - 1]
    assert targets == [[6, -3, -3], [6, -3, -3]]


# --- gradients -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("advantage", [1.5, -1.5])
@pytest.mark.parametrize("old", [-2.5, -1.0, -0.4])
def test_the_slope_of_one_row_is_that_of_the_loss(advantage, old):
    logits = torch.tensor([[0.3, -1.0, 1.2]], requires_grad=True)
    loss = losses.policy_loss(
        logits, torch.tensor([1]), torch.tensor([old]), torch.tensor([advantage]), torch.tensor([0.1]), 0.2, 0.3
    )
    loss.sum().backward()
    slopes, chances = np.zeros(3), np.zeros(3)
    plain = logits.detach().numpy()[0]
    settings = np.array([0.2, 0.3, 0.5])
    policy_slope(plain, chances, 3, 1, np.float32(old), np.float32(advantage), 0.1, settings, slopes, new_stats())
    assert slopes == pytest.approx(grad_of(logits)[0], abs=1e-6)


def test_illegal_actions_add_nothing_to_the_entropy():
    logits = torch.tensor([[0.0, -float("inf"), 0.0]], requires_grad=True)
    entropy = losses.entropy(losses.log_chances(logits))
    assert entropy.item() == pytest.approx(np.log(2))
    entropy.backward()
    assert np.isfinite(grad_of(logits)).all()


@pytest.mark.parametrize(("variant", "players"), [("south-african", 2), ("swazi", 3)])
def test_the_gradient_of_a_minibatch_is_that_of_autograd(variant, players):
    rules = make_rules(variant, players)
    layout = make_layout(rules)
    shape = Shape(layout.size, (24, 20), value_outputs(rules))
    theta = initial(shape, np.random.default_rng(0))
    rollout = Rollout(rules, Options(), shape, Opponents(shape, {}, 0.0, 0), games=8, horizon=16, seed=1)
    rows = rollout.rows()
    rollout.collect(theta, rows)
    rng = np.random.default_rng(1)
    gains = rng.standard_normal(128).astype(np.float32)
    targets = rng.standard_normal((128, rules.sides)).astype(np.float32)
    warmth = np.full(128, 0.1, np.float32)
    learner = MlpLearner(shape, theta, 64, 0.9, 1e9)
    chosen = rng.permutation(128)[:64]
    settings = np.array([0.2, 0.3, 0.5])
    learner.step(rows, chosen, gains, warmth, targets, settings, 0.0, new_stats())

    x, legal, action = torch.zeros(64, layout.size), torch.zeros(64, ACTIONS, dtype=torch.bool), []
    for n, row in enumerate(chosen):
        x[n, rows.indices[row, : rows.counts[row]].astype(np.int64)] = 1
        listed = [word * 52 + bit for word in range(4) for bit in range(52) if rows.words[row, word] >> bit & 1]
        legal[n, listed] = True
        action.append(listed[rows.chosen[row]])
    parts = {name: torch.tensor(part.copy(), requires_grad=True) for name, part in learner.weights.parts.items()}

    def logits_and_values(w):
        h = x
        for n in range(2):
            h = torch.relu(h @ w[f"layer{n}.weight"] + w[f"layer{n}.bias"])
        logits = (h @ w["policy.weight"].t() + w["policy.bias"]).masked_fill(~legal, -float("inf"))
        return logits, h @ w["value.weight"].t() + w["value.bias"]

    logits, values = logits_and_values(parts)
    outputs = values.shape[1]
    wanted = torch.tensor(
        np.array([[targets[r, (rows.side[r] + k) % rules.sides] for k in range(outputs)] for r in chosen])
    )
    old, gain = torch.tensor(rows.log_chance[chosen]), torch.tensor(gains[chosen])
    policy = losses.policy_loss(logits, torch.tensor(action), old, gain, torch.full((64,), 0.1), 0.2, 0.3)
    (policy.mean() + 0.5 * losses.value_loss(values, wanted).mean()).backward()
    for name, part in parts.items():
        assert learner.gradient.parts[name] == pytest.approx(grad_of(part), abs=2e-6), name


# --- games ---------------------------------------------------------------------------------------------------------


def collected(threads, *, bots, frozen, variant="khasino", players=4):
    rules = make_rules(variant, players)
    shape = Shape(make_layout(rules).size, (16,), value_outputs(rules))
    theta = initial(shape, np.random.default_rng(0))
    opponents = Opponents(shape, bots, frozen, 2)
    opponents.freeze("1", initial(shape, np.random.default_rng(9)), np.zeros((0, players), np.int64))
    rollout = Rollout(rules, Options(), shape, opponents, games=12, horizon=60, seed=3, threads=threads)
    rows = rollout.rows()
    for _ in range(2):
        rollout.collect(theta, rows)
    return rollout, rows


def test_rows_do_not_depend_on_threads():
    (one, first), (two, second) = (collected(k, bots={"greedy": 0.3}, frozen=0.3) for k in (1, 2))
    for name, array in first._asdict().items():
        assert np.array_equal(array, second._asdict()[name]), name
    assert np.array_equal(one.opponents.results, two.opponents.results)


def test_opponents_stay_for_a_whole_game_and_only_the_learner_is_written_down():
    rollout, rows = collected(1, bots={"greedy": 0.5}, frozen=0.3, variant="south-african", players=2)
    sides = rows.side.reshape(12, 60)
    done = rows.done.reshape(12, 60)
    for game, (who, ended) in enumerate(zip(sides, done, strict=True)):
        last = np.flatnonzero(ended)
        if len(last) > 1:  # a whole game lies between two ends
            part = who[last[0] + 1 : last[1] + 1]
            assert len(part) > 0, game
    assert rollout.opponents.results[1:, 0].sum() > 0
    assert rollout.opponents.results[0].sum() == 0
    alone = [set(part) for part in sides if len(set(part)) == 1]
    assert alone, "against an opponent the learner decides on one side only"


def test_rewards_of_a_game_add_up_to_its_result():
    """Every point that is won in an episode stands in exactly one row of it, for both sides with opposite signs."""
    _, rows = collected(1, bots={}, frozen=0.0, variant="south-african", players=2)
    rewards, done = rows.rewards.reshape(12, 60, 2), rows.done.reshape(12, 60)
    assert np.array_equal(rewards[..., 0], -rewards[..., 1])
    assert (np.abs(rewards[done]).sum(axis=1) > 0).any()
    assert not rewards[~done].any()  # nothing is paid before the end


# --- settings ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("ppo.rat=0.1", "ppo.rat: there is no such setting (did you mean 'rate'?)"),
        ("pppo.rate=0.1", "pppo: there is no such setting (did you mean 'ppo'?)"),
        ("ppo.rate=-1", "ppo.rate = -1: Input should be greater than 0"),
        ("ppo.rate=fast", "ppo.rate = 'fast': Input should be a valid number"),
        ("game.variant=swasi", "unknown variant 'swasi' (did you mean 'swazi'?)"),
        ("game.rules.steel=1", "steel"),
        ("opponents.bots.conter=0.1", "unknown bot 'conter' (did you mean 'counter'?)"),
        ("opponents.frozen=0.9", ""),
        ("ppo.minibatch=100000", "a minibatch of 100000 is more than an iteration"),
        ("run.name=../../etc", "run.name = '../../etc'"),
        ("x", "--set x: write section.setting=value"),
    ],
)
def test_wrong_settings_are_refused_with_what_would_be_right(change, said):
    changes = [change, "opponents.bots.greedy=0.5"] if "frozen" in change else [change]
    with pytest.raises(ConfigError) as caught:
        load_config(None, changes)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_hold_differences(tmp_path):
    path = tmp_path / "c.toml"
    path.write_text('[game]\nvariant = "swazi"\nplayers = 3\n[game.rules]\nteams = 0\n')
    with pytest.raises(ConfigError, match="teams"):
        load_config(str(path), [])
    path.write_text('[game]\nvariant = "swazi"\nplayers = 3\n')
    config = load_config(str(path), ["ppo.rate=0.001", "run.panel=['random']"])
    assert (config.game.players, config.ppo.rate, config.run.panel) == (3, 0.001, ("random",))
    assert config.ppo.clip == Config().ppo.clip


def test_every_config_of_the_repository_is_right():
    for path in Path(__file__).parents[1].glob("configs/**/*.toml"):
        if path.name == "ablations.toml":
            for changes in tomllib.loads(path.read_text()).values():
                load_config(None, changes)
        else:
            load_config(str(path), [])


# --- runs ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("overlap", [True, False])
def test_a_resumed_run_is_the_same_run_bit_for_bit(tmp_path, overlap):
    whole, half = (
        Run.start(small(run={"name": name}, machine={"overlap": overlap}), tmp_path) for name in ("whole", "half")
    )
    goes_on_bit_for_bit(whole, half, iterations=5)


def test_learning_changes_the_weights_and_the_policy_follows():
    algorithm = Ppo(small())
    before = algorithm.learner.weights.flat.copy()
    algorithm.learn(0.0)
    assert not np.array_equal(before, algorithm.learner.weights.flat)
    assert 0 < np.abs(algorithm.learner.average - before).max() < np.abs(algorithm.learner.weights.flat - before).max()


def test_a_gradient_that_is_not_a_number_stops_the_run_and_keeps_the_weights():
    algorithm = Ppo(small())
    algorithm.learn(0.0)
    algorithm.learner.weights.parts["value.bias"][:] = np.nan
    with pytest.raises(RuntimeError, match="not a number"):
        algorithm.learn(0.0)


def test_checkpoints_that_do_not_fit_are_refused(tmp_path):
    run = Run.start(small(run={"name": "r"}), tmp_path)
    run.algorithm.learn(0.0)
    run.save()
    with pytest.raises(CheckpointError, match="holds a run already"):
        Run.start(small(run={"name": "r"}), tmp_path)
    folder = checkpoints(tmp_path / "r")[-1]
    head = json.loads((folder / "state.json").read_text())
    for change, said in (({"rules_version": 0}, "rules_version is 0"), ({"format": "x"}, "format is 'x'")):
        (folder / "state.json").write_text(json.dumps(head | change))
        with pytest.raises(CheckpointError, match=said):
            Run.resume(tmp_path / "r")
    (folder / "state.json").write_text(json.dumps(head))
    (folder / "state.safetensors").write_bytes(b"\x80\x04N.")
    with pytest.raises(CheckpointError, match="broken"):
        Run.resume(tmp_path / "r")
    with pytest.raises(CheckpointError, match="no checkpoint there"):
        Run.resume(tmp_path / "nowhere")


def test_an_unfinished_checkpoint_is_not_one(tmp_path):
    run = Run.start(small(run={"name": "r"}), tmp_path)
    run.algorithm.learn(0.0)
    run.save()
    (tmp_path / "r/checkpoints/000000999999.unfinished").mkdir()
    assert Run.resume(tmp_path / "r").algorithm.decisions == 128


# --- the command ---------------------------------------------------------------------------------------------------


def test_the_command_trains_and_says_what_came_of_it(tmp_path, capsys):
    path = tmp_path / "small.toml"
    path.write_text(
        "[network]\nhidden = [16]\n[ppo]\ngames = 8\nhorizon = 16\nminibatch = 64\n[run]\ndecisions = 500\n"
    )
    assert main([str(path), "--runs", str(tmp_path), "--set", "run.deals=10", "--deals", "20", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["decisions"] == 512
    assert [row["b"] for row in data["matches"]] == ["random", "greedy", "counter"]
    folder = Path(data["run"])
    assert {"config.json", "policy.json", "policy.safetensors", "progress.jsonl", "tensorboard"} <= {
        each.name for each in folder.iterdir()
    }
    assert "layer0.weight" in load_file(folder / "policy.safetensors")
    about = json.loads((folder / "policy.json").read_text())
    assert about["config"]["ppo"]["games"] == 8
    assert main([str(path), "--runs", str(tmp_path), "--deals", "10"]) == 0
    assert f"The run lies in {folder}-2" in capsys.readouterr().out
    assert main([str(path), "--runs", str(tmp_path), "--set", f"run.name={folder.name}"]) == 1
    assert "holds a run already" in capsys.readouterr().err
    assert main(["--resume", str(folder), "--deals", "10"]) == 0
    assert "The run lies in" in capsys.readouterr().out


def test_the_command_refuses_in_one_line(tmp_path, capsys):
    assert main([str(tmp_path / "none.toml")]) == 2
    assert main(["--set", "ppo.rate=0"]) == 2
    assert main(["--resume", str(tmp_path)]) == 1
    assert len(capsys.readouterr().err.splitlines()) == 3


@pytest.mark.slow
def test_a_run_survives_kill_9():
    seen = kills(2, seed=1)
    assert seen == sorted(set(seen))
