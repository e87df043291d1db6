"""Training: hand-worked advantages, gradients against autograd, rows whatever the threads, runs that resume."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from agents.policy.mlp import Shape, initial, value_outputs
from casino_env import make_rules
from casino_env.actions import ACTIONS
from casino_env.engine.choices import actions_of
from casino_env.engine.reading import side_of
from casino_env.engine.state import rules_record
from casino_env.envs.options import Options
from casino_env.knowledge.segments import make_layout
from tests.kills import kills
from tests.resuming import goes_on_bit_for_bit
from train.__main__ import main
from train.algorithms.ppo import Ppo
from train.checkpoint import CheckpointError, checkpoints
from train.commands.sweep import load_sweep
from train.config import Config, ConfigError, load_config, make_config
from train.games.gae import Trajectories, estimate_advantages
from train.games.pool import OpponentPool
from train.games.rollout import Rollout
from train.games.selfplay import LEARNER
from train.learner import losses
from train.learner.fast import FastLearner
from train.learner.gradient import Aims, PpoLoss, new_room, new_sums, ppo_gradient
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


def advantages(rewards, values, last, done, side, gae_lambda=1.0, value_lambda=1.0):
    """Of one game; returns what each row's decider gains, and the targets."""
    horizon, sides = len(rewards), len(last)
    gains = np.zeros((1, horizon), np.float32)
    targets = np.zeros((1, horizon, sides), np.float32)
    paid, expected, after = (np.array([part], np.float32) for part in (rewards, values, last))
    paths = Trajectories(paid, expected, after, np.array([done]), np.array([side]))
    estimate_advantages(paths, gae_lambda, value_lambda, gains, targets)
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


def test_illegal_actions_add_nothing_to_the_entropy():
    logits = torch.tensor([[0.0, -float("inf"), 0.0]], requires_grad=True)
    entropy = losses.entropy(losses.log_probs(logits))
    assert entropy.item() == pytest.approx(np.log(2))
    entropy.backward()
    assert np.isfinite(grad_of(logits)).all()


@pytest.mark.parametrize("advantage", [1.5, -1.5])
@pytest.mark.parametrize("old", [-4.5, -3.0, -0.4])
@pytest.mark.parametrize(("variant", "players"), [("south-african", 2), ("swazi", 3)])
def test_the_gradient_of_a_minibatch_is_that_of_autograd(variant, players, old, advantage):
    """On both sides of the clip, for both signs of the advantage."""
    rules = make_rules(variant, players)
    shape = Shape(make_layout(rules).size, (24, 20), value_outputs(rules))
    theta = initial(shape, np.random.default_rng(0))
    rollout = Rollout(rules, Options(), shape, OpponentPool(shape, {}, 0.0, 0), games=8, horizon=16, seed=1)
    buffer = rollout.new_buffer()
    rollout.collect(theta, buffer)
    buffer.log_prob[::2] = old
    rng = np.random.default_rng(1)
    gains = rng.standard_normal(128).astype(np.float32)
    gains[::2] = advantage
    targets = rng.standard_normal((128, rules.sides)).astype(np.float32)
    learner, chosen = FastLearner(shape, theta, 64, 0.9, 1e9), rng.permutation(128)[:64]
    aims, loss = Aims(gains, np.full(128, 0.1, np.float32), targets), PpoLoss(0.2, 0.3, 0.5)
    learner.descend(
        buffer, chosen, 0.0, lambda last: ppo_gradient(last, buffer, chosen, aims, loss, new_room(), new_sums())
    )

    x, legal, action = torch.zeros(64, shape.features), torch.zeros(64, ACTIONS, dtype=torch.bool), []
    for n, row in enumerate(chosen):
        x[n, buffer.indices[row, : buffer.counts[row]].astype(np.int64)] = 1
        listed = actions_of(buffer.legal[row])
        legal[n, listed] = True
        action.append(listed[buffer.chosen[row]])
    w = {name: torch.tensor(part.copy(), requires_grad=True) for name, part in learner.weights.parts.items()}
    for n in range(2):
        x = torch.relu(x @ w[f"layer{n}.weight"] + w[f"layer{n}.bias"])
    logits = (x @ w["policy.weight"].t() + w["policy.bias"]).masked_fill(~legal, -float("inf"))
    values = x @ w["value.weight"].t() + w["value.bias"]
    wanted = torch.tensor(
        np.array([[targets[r, (buffer.side[r] + k) % rules.sides] for k in range(shape.values)] for r in chosen])
    )
    before, gain = torch.tensor(buffer.log_prob[chosen]), torch.tensor(gains[chosen])
    policy = losses.policy_loss(logits, torch.tensor(action), before, gain, torch.full((64,), 0.1), 0.2, 0.3)
    (policy.mean() + 0.5 * losses.value_loss(values, wanted).mean()).backward()
    for name, part in w.items():
        assert learner.gradient.parts[name] == pytest.approx(grad_of(part), abs=2e-6, rel=1e-4), name


# --- games ---------------------------------------------------------------------------------------------------------


def rollout_of(*, bots, frozen, variant="khasino", players=4, horizon=60, threads=1):
    rules = make_rules(variant, players)
    shape = Shape(make_layout(rules).size, (16,), value_outputs(rules))
    opponents = OpponentPool(shape, bots, frozen, 2)
    opponents.freeze("1", initial(shape, np.random.default_rng(9)), np.zeros((0, players), np.int64))
    return Rollout(rules, Options(), shape, opponents, games=12, horizon=horizon, seed=3, threads=threads)


def collected(rollout):
    """The second buffer that it fills."""
    theta, buffer = initial(rollout.shape, np.random.default_rng(0)), rollout.new_buffer()
    for _ in range(2):
        rollout.collect(theta, buffer)
    return buffer


def test_rows_do_not_depend_on_threads():
    one, two = (rollout_of(bots={"greedy": 0.3}, frozen=0.3, threads=threads) for threads in (1, 2))
    first, second = collected(one), collected(two)
    for name, array in first._asdict().items():
        assert np.array_equal(array, getattr(second, name)), name
    for name, array in one.state().items():
        assert np.array_equal(array, two.state()[name]), name


def test_opponents_stay_for_a_whole_game_and_only_the_learner_is_written_down():
    """One decision of the learner at a time: seats change between two games and never within one."""
    rollout = rollout_of(bots={"greedy": 0.5}, frozen=0.3, variant="south-african", players=2, horizon=1)
    theta, buffer, r = (
        initial(rollout.shape, np.random.default_rng(0)),
        rollout.new_buffer(),
        rules_record(rollout.rules)[0],
    )
    rollout.collect(theta, buffer)
    changed, met = 0, set()
    for _ in range(120):
        control, episodes = rollout.seats.control.copy(), rollout.games.episodes.copy()
        rollout.collect(theta, buffer)
        for game in range(12):
            who, side = control[game], buffer.side[game]
            met |= set(who.tolist())
            assert LEARNER in [who[seat] for seat in range(2) if side_of(r, seat) == side]
            if episodes[game] == rollout.games.episodes[game]:
                assert np.array_equal(who, rollout.seats.control[game])
            else:
                changed += not np.array_equal(who, rollout.seats.control[game])
    assert changed > 10
    assert met == {LEARNER, 1, 2}  # itself, greedy and the one frozen network


def test_rewards_of_a_game_add_up_to_its_result():
    """Every point that is won in an episode stands in exactly one row of it, for both sides with opposite signs."""
    buffer = collected(rollout_of(bots={}, frozen=0.0, variant="south-african", players=2))
    rewards, done = buffer.rewards.reshape(12, 60, 2), buffer.done.reshape(12, 60)
    assert np.array_equal(rewards[..., 0], -rewards[..., 1])
    assert (np.abs(rewards[done]).sum(axis=1) > 0).any()
    assert not rewards[~done].any()  # nothing is paid before the end


# --- settings ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("ppo.learning_rat=0.1", "ppo.learning_rat: there is no such setting (did you mean 'learning_rate'?)"),
        ("pppo.learning_rate=0.1", "pppo: there is no such setting (did you mean 'ppo'?)"),
        ("ppo.learning_rate=-1", "ppo.learning_rate = -1: Input should be greater than 0"),
        ("ppo.learning_rate=fast", "ppo.learning_rate = 'fast': Input should be a valid number"),
        ("game.variant=swasi", "unknown variant 'swasi' (did you mean 'swazi'?)"),
        ("game.rules.steel=1", "steel"),
        ("opponents.bots.conter=0.1", "unknown bot 'conter' (did you mean 'counter'?)"),
        ("opponents.frozen=0.9", ""),
        ("ppo.minibatch=100000", "a minibatch of 100000 is more than an iteration"),
        ("run.name=../../etc", "run.name = '../../etc'"),
        ("x", "--set x: write section.setting=value"),
        ("ppo.near=0.05", "ppo.near: this setting is called ppo.kl_coef now"),
        ("dmc.careless=0.1", "dmc.careless: this setting is called dmc.epsilon now"),
        ("ppo.critic=privileged", "ppo.critic: there is no such setting"),
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
    config = load_config(str(path), ["ppo.learning_rate=0.001", "run.panel=['random']"])
    assert (config.game.players, config.ppo.learning_rate, config.run.panel) == (3, 0.001, ("random",))
    assert config.ppo.clip == Config().ppo.clip


def test_every_config_of_the_repository_is_right():
    for path in Path(__file__).parents[1].glob("configs/**/*.toml"):
        if path.name == "ablations.toml":
            load_sweep(str(path), [])
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
    before = {name: array.copy() for name, array in algorithm.learner.state().items()}
    steps = algorithm.learner.steps
    with pytest.raises(RuntimeError, match="not a number"):
        algorithm.learn(0.0)
    assert algorithm.learner.steps == steps
    for name, array in algorithm.learner.state().items():
        assert np.array_equal(array, before[name], equal_nan=True), name
        assert np.isnan(array).sum() <= 1, name  # the one that was put there


def test_checkpoints_that_do_not_fit_are_refused(tmp_path):
    run = Run.start(small(run={"name": "r"}), tmp_path)
    run.algorithm.learn(0.0)
    run.save()
    with pytest.raises(CheckpointError, match="holds a run already"):
        Run.start(small(run={"name": "r"}), tmp_path)
    folder = checkpoints(tmp_path / "r")[-1]
    head = json.loads((folder / "state.json").read_text())
    for change, said in (
        ({"rules_version": 0}, "rules_version is 0"),
        ({"format": "casino-checkpoint 2"}, "start a new run"),
    ):
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
    assert main(["--set", "ppo.learning_rate=0"]) == 2
    assert main(["--resume", str(tmp_path)]) == 1
    assert len(capsys.readouterr().err.splitlines()) == 3


def test_a_file_that_is_called_like_a_command_is_trained(tmp_path, capsys, monkeypatch):
    (tmp_path / "sweep").write_text("[ppo]\nclipp = 1\n")
    monkeypatch.chdir(tmp_path)
    assert main(["./sweep"]) == 2
    assert "ppo.clipp: there is no such setting" in capsys.readouterr().err


@pytest.mark.slow
def test_a_run_survives_kill_9():
    seen = kills(2, seed=1)
    assert seen == sorted(set(seen))
