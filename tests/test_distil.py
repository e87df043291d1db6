"""A student over actions learns to play like a policy that judges tables."""

import json

import numpy as np
import pytest
import torch

from casino_env import make_rules
from casino_env.actions import ACTIONS
from casino_env.agents.policy.mlp import Shape, initial, value_outputs
from casino_env.agents.policy.network import make_network
from casino_env.agents.policy.policy_agent import Policy, make_policy
from casino_env.agents.policy.policy_files import Weights, save_policy
from casino_env.engine.action_set import actions_of
from casino_env.envs.options import Options
from casino_env.envs.vector import Batch
from casino_env.knowledge.layout import make_layout
from casino_env.train import distillation
from casino_env.train.cli import main
from casino_env.train.distillation import Distillation, Positions, ReplayBuffer, collect_teacher
from casino_env.train.learner.fast import FastLearner, LastLayer, distillation_gradient, new_sums

GAMES = [("south-african", 2), ("swazi", 3), ("khasino", 4)]


def a_teacher(variant="south-african", players=2, **play):
    """A policy that judges tables with weights at random, which says the same of the same table."""
    rules = make_rules(variant, players)
    layout = make_layout(rules)
    shape = Shape(layout.size, (16,), value_outputs(rules), 0)
    return Policy(Weights(rules, layout, shape, initial(shape, np.random.default_rng(5)), 5.0), **play)


def a_file(folder, choices=0, **about):
    rules, match = make_rules("south-african", 2), about.get("match", False)
    shape = Shape(make_layout(rules, universal="layout" in about, match=match).size, (16,), 1, choices)
    theta = initial(shape, np.random.default_rng(5))
    save_policy(folder / "policy.safetensors", shape, theta, rules, {"value_scale": 5.0, **about})
    return f"policy:{folder}"


def collected(teacher, deals=4, seed=3):
    weights = teacher.weights
    shape = Shape(weights.layout.size, (8,), weights.shape.values)
    pupil = Policy(Weights(weights.rules, weights.layout, shape, initial(shape, np.random.default_rng(1)), 5.0),
                   temperature=1.0)  # fmt: skip
    games = Batch(weights.rules, deals, Options(), redeal=False)
    games.deal(seed)
    return collect_teacher(games, teacher, pupil, np.random.default_rng(0)), shape


# --- what is collected ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("variant", "players"), GAMES)
def test_what_is_collected_is_what_the_teacher_would_play(variant, players):
    """The first positions of the deals, of which nobody has played anything yet, asked for once more."""
    teacher = a_teacher(variant, players, temperature=0.5)
    found, shape = collected(teacher)
    games = Batch(teacher.weights.rules, 4, Options(), redeal=False)
    games.deal(3)
    probs = teacher.probabilities_of_many(games.rules, games.views(), games.actor, games.games.legal)
    assert np.allclose(found.rows.probs[:4], probs) and (probs.max(axis=1) < 1.0).any()
    dense = games.dense()
    for row in range(4):
        assert list(np.flatnonzero(dense[row])) == sorted(found.rows.indices[row, : found.rows.counts[row]])
    assert found.rows.targets.shape == (len(found.rows.counts), shape.values)
    assert np.allclose(found.rows.probs.sum(axis=1), 1.0)


def test_the_teacher_plays_what_is_legal():
    rows = collected(a_teacher(temperature=0.5))[0].rows
    for legal, probs in zip(rows.legal, rows.probs, strict=True):
        assert set(np.flatnonzero(probs)) <= set(actions_of(legal)) and len(actions_of(legal)) > 1


@pytest.mark.parametrize(("variant", "players"), GAMES)
def test_the_targets_are_how_the_deals_end(variant, players):
    """The sides of every row add up to nothing, and the first is the side that decides."""
    teacher = a_teacher(variant, players)
    rows, sides = collected(teacher, deals=1)[0].rows, teacher.weights.rules.sides
    games = Batch(teacher.weights.rules, 1, Options(), redeal=False)
    games.deal(3)
    seats, points = [], np.zeros(players)
    while games.games.legal.any():
        seats.append(int(games.actor[0]))
        games.act(teacher.act_many(games.rules, games.views(), games.actor, games.games.legal))
        points += games.rewards[0]
    assert points.any()
    expected = [[points[(seat + k) % sides] / 5.0 for k in range(rows.targets.shape[1])] for seat in seats]
    assert np.allclose(rows.targets, expected)


def test_the_replay_buffer_forgets_the_oldest():
    shape = Shape(10, (4,), 1)
    buffer = ReplayBuffer(5, 3, shape)

    def rows(numbers):
        n = len(numbers)
        return Positions(
            np.zeros((n, 3)), np.array(numbers), np.zeros((n, 4)), np.zeros((n, ACTIONS)), np.zeros((n, 1))
        )

    buffer.add(rows([1, 2, 3]))
    assert len(buffer) == 3
    buffer.add(rows([4, 5, 6]))
    assert len(buffer) == 5 and sorted(buffer.rows.counts) == [2, 3, 4, 5, 6]


# --- learning --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("variant", "players"), GAMES)
def test_the_gradient_is_that_of_autograd(variant, players):
    found, shape = collected(a_teacher(variant, players, temperature=0.5))
    rows, chosen = found.rows, np.random.default_rng(2).permutation(len(found.rows.counts))[:32]
    learner = FastLearner(shape, 3 * initial(shape, np.random.default_rng(4)), 32, 0.9, 1e9)

    def loss(last: LastLayer, chosen: np.ndarray) -> None:
        distillation_gradient(last, rows, chosen, 0.25, learner.scratch, new_sums())

    flat = torch.tensor(learner.weights.flat, requires_grad=True)
    learner.descend(rows, chosen, 0.0, loss)
    seen, legal = torch.zeros(32, shape.features), torch.zeros(32, ACTIONS, dtype=torch.bool)
    for n, row in enumerate(chosen):
        seen[n, rows.indices[row, : rows.counts[row]].astype(np.int64)] = 1
        legal[n, actions_of(rows.legal[row])] = True
    parts = shape.views(np.arange(shape.size))
    network = make_network(shape, torch.zeros(shape.size))
    weights = {name: flat[torch.from_numpy(where)] for name, where in parts.items()}
    logits, values = torch.func.functional_call(network, weights, (seen,))
    log_probs = torch.log_softmax(logits.masked_fill(~legal, -1e30), -1)
    cross = -(torch.from_numpy(rows.probs[chosen]) * log_probs.masked_fill(~legal, 0.0)).sum(1)
    squares = 0.5 * (values - torch.from_numpy(rows.targets[chosen])).square().sum(1)
    (cross + 0.25 * squares).mean().backward()
    assert flat.grad is not None
    assert np.allclose(learner.gradient.flat, flat.grad.numpy(), atol=1e-5)
    assert np.abs(learner.gradient.flat).max() > 1e-3


def test_a_student_comes_to_agree_with_its_teacher():
    teacher = a_teacher()
    pupil = Distillation(teacher, [teacher.weights.rules], (32,), "perfect", seed=0, deals=32)
    accuracy = [pupil.learn(0.0)["accuracy"] for _ in range(12)]
    assert accuracy[-1] > accuracy[0] + 0.1


def test_the_same_seed_gives_the_same_weights():
    """And says the same of them, whatever is collected meanwhile."""
    teacher = a_teacher()

    def taught(seed):
        pupil = Distillation(teacher, [teacher.weights.rules], (8,), "perfect", seed, deals=4)
        seen = [pupil.learn(progress) for progress in (0.0, 0.5, 0.9)]
        return pupil.weights.theta, seen

    (first, said), (again, said_again), (other, _) = taught(1), taught(1), taught(2)
    assert np.array_equal(first, again) and said == said_again
    assert not np.array_equal(first, other)


def test_several_games_are_taught_by_turns(monkeypatch):
    """A teacher of the universal layout has learnt games with other numbers of sides."""
    rules = [make_rules("swazi", 3), make_rules("south-african", 2)]
    layout = make_layout(rules[0], universal=True)
    shape = Shape(layout.size, (8,), 3, 0)
    teacher = Policy(Weights(rules[0], layout, shape, initial(shape, np.random.default_rng(5)), 5.0))
    taught = []

    def noted(games, *rest):
        taught.append(games.rules)
        return collect_teacher(games, *rest)

    monkeypatch.setattr(distillation, "collect_teacher", noted)
    pupil = Distillation(teacher, rules, (8,), "perfect", seed=0, deals=2)
    for _ in range(3):
        pupil.learn(0.0)
    pupil._next.result()  # what it would learn from next
    assert taught == [rules[0], rules[1], rules[0], rules[1]]
    for each in rules:
        Policy(pupil.weights).check(each)


# --- the command -----------------------------------------------------------------------------------------------------


def test_the_command(tmp_path, capsys):
    spec, file = a_file(tmp_path), tmp_path / "student.safetensors"
    words = [spec, "--to", str(file), "--decisions", "600", "--hidden", "16", "8", "--deals", "4", "--json"]
    assert main(["distil", *words]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [row["b"] for row in found["matches"]] == [spec, "counter"] and found["positions"] >= 600
    policy = make_policy(str(file))
    assert policy.weights.shape == Shape(policy.weights.layout.size, (16, 8), 1) and policy.weights.value_scale == 5.0
    about = json.loads(file.with_suffix(".json").read_text())
    assert about["network"] == "actions" and about["teacher"]["policy"] == spec
    again = tmp_path / "again.safetensors"
    assert main(["distil", spec, "--to", str(again), *words[3:]]) == 0
    assert np.array_equal(make_policy(str(again)).weights.theta, policy.weights.theta)


def test_one_for_all_games_is_distilled_as_well(tmp_path):
    spec, file = a_file(tmp_path, layout="universal"), tmp_path / "student.safetensors"
    assert main(["distil", spec, "--to", str(file), "--decisions", "300", "--hidden", "8", "--deals", "4"]) == 0
    assert make_policy(str(file)).weights.layout.universal


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("--to student.pt", "must end in .safetensors"),
        ("--to nowhere/student.safetensors", "there is no folder nowhere"),
        ("--to policy.safetensors", "the teacher lies there"),
        ("--to x.safetensors --minutes 0", "--minutes 0.0: must be 0.001 or more"),
        ("--to x.safetensors --minutes nan", "--minutes nan: must be 0.001 or more"),
        ("--to x.safetensors --decisions 0", "--decisions 0: must be 1 or more"),
        ("--to x.safetensors --minutes 1 --decisions 9", "leave one of them out"),
        ("--to x.safetensors --hidden 0", "--hidden: 1 to 16 widths"),
        ("--to x.safetensors --deals 1", "--deals 1: must be 2 or more"),
        ("--to x.safetensors --seed -1", "--seed -1: must be 0 or more"),
    ],
)
def test_what_cannot_be_is_said_in_a_line(words, says, tmp_path, monkeypatch, capsys):
    a_file(tmp_path)
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    assert main(["distil", "policy:.", *words.split()]) == 2
    said = capsys.readouterr().err
    assert says in said and said.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(("spec", "says"), [
    ("counter", "only a policy can be distilled"), ("policy:nowhere", "no weights there"),
    ("policy:over-actions", "judges actions already"), ("policy:for-matches", "plays whole matches"),
])  # fmt: skip
def test_who_cannot_teach_is_said_in_a_line(spec, says, tmp_path, monkeypatch, capsys):
    (tmp_path / "over-actions").mkdir()
    a_file(tmp_path / "over-actions", choices=ACTIONS)
    (tmp_path / "for-matches").mkdir()
    a_file(tmp_path / "for-matches", match=True)
    monkeypatch.chdir(tmp_path)
    assert main(["distil", spec, "--to", "x.safetensors"]) in (1, 2)
    said = capsys.readouterr().err
    assert says in said and said.count("\n") == 1
    assert not (tmp_path / "x.safetensors").exists()


def test_an_interrupted_one_leaves_nothing(tmp_path, monkeypatch, capsys):
    def interrupted(*_):
        raise KeyboardInterrupt

    spec = a_file(tmp_path)
    before = sorted(tmp_path.iterdir())
    monkeypatch.setattr(Distillation, "learn", interrupted)
    assert main(["distil", spec, "--to", str(tmp_path / "x.safetensors")]) == 1
    assert "interrupted; nothing was written" in capsys.readouterr().err
    assert sorted(tmp_path.iterdir()) == before
