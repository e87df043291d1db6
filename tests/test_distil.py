"""Distillation: a student over actions learns to play like a teacher that judges afterstates."""

import json
import time
from pathlib import Path

import numpy as np
import pytest

from casino_env import make_rules
from casino_env.actions import ACTIONS
from casino_env.agents.policy.mlp import Shape, value_outputs
from casino_env.agents.policy.policy_agent import Policy, make_policy
from casino_env.engine.action_set import actions_of
from casino_env.envs.options import Options
from casino_env.envs.vector import Batch
from casino_env.train.cli import main
from casino_env.train.commands import distil
from casino_env.train.commands.distil import Distillation, ReplayBuffer, collect_teacher
from casino_env.train.learner import Positions
from tests.trainings import teacher_rows
from tests.untrained import saved, untrained

GAMES = [("south-african", 2), ("swazi", 3), ("khasino", 4)]


def a_teacher(variant="south-african", players=2, **play):
    """Return a policy that judges afterstates with random but fixed weights."""
    return Policy(untrained(make_rules(variant, players), logits=0, scale=5.0, seed=5), **play)


def a_file(folder, logits=0, **about):
    layout = {"universal": "layout" in about, "match": about.get("match", False)}
    weights = untrained(make_rules("south-african", 2), logits=logits, scale=5.0, seed=5, **layout)
    return f"policy:{saved(weights, folder, **about)}"


@pytest.mark.parametrize(("variant", "players"), GAMES)
def test_what_is_collected_is_what_the_teacher_would_play(variant, players):
    """Ask the teacher again in the first positions of the deals, before any play, and compare."""
    teacher = a_teacher(variant, players, temperature=0.5)
    rows = teacher_rows(teacher)
    games = Batch(teacher.weights.rules, 4, Options(), redeal=False)
    games.deal(3)
    probs = teacher.probabilities_of_many(games.rules, games.views(), games.actor, games.games.legal)
    assert np.allclose(rows.probs[:4], probs) and (probs.max(axis=1) < 1.0).any()
    dense = games.dense()
    for row in range(4):
        assert list(np.flatnonzero(dense[row])) == sorted(rows.indices[row, : rows.counts[row]])
    assert rows.targets.shape == (len(rows.counts), value_outputs(games.rules))
    assert np.allclose(rows.probs.sum(axis=1), 1.0)


def test_the_teacher_plays_what_is_legal():
    rows = teacher_rows(a_teacher(temperature=0.5))
    for legal, probs in zip(rows.legal, rows.probs, strict=True):
        assert set(np.flatnonzero(probs)) <= set(actions_of(legal)) and len(actions_of(legal)) > 1


@pytest.mark.parametrize(("variant", "players"), GAMES)
def test_the_targets_are_how_the_deals_end(variant, players):
    """Each row has the final results by side, beginning with the side that decides, scaled by 1/5."""
    teacher = a_teacher(variant, players)
    rows, sides = teacher_rows(teacher, deals=1), teacher.weights.rules.sides
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
        indices, legal, probs, targets = (np.zeros((len(numbers), width)) for width in (3, 4, ACTIONS, 1))
        return Positions(indices, np.array(numbers), legal, probs, targets)

    buffer.add(rows([1, 2, 3]))
    assert len(buffer) == 3
    buffer.add(rows([4, 5, 6]))
    assert len(buffer) == 5 and sorted(buffer.rows.counts) == [2, 3, 4, 5, 6]


# --- learning --------------------------------------------------------------------------------------------------------


def test_a_student_comes_to_agree_with_its_teacher():
    teacher = a_teacher()
    pupil = Distillation(teacher, [teacher.weights.rules], (32,), "perfect", seed=0, deals=32)
    accuracy = [pupil.learn(0.0)["accuracy"] for _ in range(12)]
    assert accuracy[-1] > accuracy[0] + 0.1


def test_the_same_seed_gives_the_same_weights():
    """The reported statistics are the same too, although positions are collected in the background."""
    teacher = a_teacher()

    def taught(seed):
        pupil = Distillation(teacher, [teacher.weights.rules], (8,), "perfect", seed, deals=4)
        seen = [pupil.learn(progress) for progress in (0.0, 0.5, 0.9)]
        return pupil.weights.theta, seen

    (first, said), (again, said_again), (other, _) = taught(1), taught(1), taught(2)
    assert np.array_equal(first, again) and said == said_again
    assert not np.array_equal(first, other)


def test_several_games_are_taught_by_turns(monkeypatch):
    """A teacher with the universal layout may teach games with different numbers of sides."""
    rules = [make_rules("swazi", 3), make_rules("south-african", 2)]
    teacher = Policy(untrained(rules[0], (8,), 0, scale=5.0, seed=5, universal=True))
    taught = []

    def noted(games, *rest):
        taught.append(games.rules)
        return collect_teacher(games, *rest)

    monkeypatch.setattr(distil, "collect_teacher", noted)
    pupil = Distillation(teacher, rules, (8,), "perfect", seed=0, deals=2)
    for _ in range(3):
        pupil.learn(0.0)
    pupil._next.result()  # the rows prepared for the next iteration
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
    for teacher in (tmp_path, tmp_path / "policy.safetensors"):
        assert main(["distil", str(teacher), "--to", str(again), *words[3:]]) == 0
        assert np.array_equal(make_policy(str(again)).weights.theta, policy.weights.theta)


def test_its_minutes_are_minutes_of_learning(tmp_path, monkeypatch, capsys):
    """Compilation does not count: here the first lesson takes long, as if kernels were compiled in it."""
    learn, lessons = Distillation.learn, []

    def slow_at_first(student, progress):
        lessons.append(student)
        time.sleep(3.0 if len(lessons) == 1 else 0.0)
        return learn(student, progress)

    monkeypatch.setattr(Distillation, "learn", slow_at_first)
    words = [a_file(tmp_path), "--to", str(tmp_path / "x.safetensors"), "--minutes", "0.001", "--hidden", "8"]
    assert main(["distil", *words, "--deals", "2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["seconds"] < 3.0


def test_one_for_all_games_is_distilled_as_well(tmp_path):
    spec, file = a_file(tmp_path, layout="universal"), tmp_path / "student.safetensors"
    assert main(["distil", spec, "--to", str(file), "--decisions", "300", "--hidden", "8", "--deals", "4"]) == 0
    assert make_policy(str(file)).weights.layout.universal


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("--to student.pt", "must end in .safetensors"),
        ("--to nowhere/student.safetensors", "no folder nowhere"),
        pytest.param(
            "--to /proc/x.safetensors",
            "cannot be written",
            marks=pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs a folder in which nobody can write"),
        ),
        ("--to policy.safetensors", "is the teacher's file"),
        ("--to x.safetensors --minutes 0", "--minutes 0.0: must be 0.001 or more"),
        ("--to x.safetensors --minutes nan", "--minutes nan: must be 0.001 or more"),
        ("--to x.safetensors --decisions 0", "--decisions 0: must be 1 or more"),
        ("--to x.safetensors --minutes 1 --decisions 9", "give --minutes or --decisions, not both"),
        ("--to x.safetensors --hidden 0", "--hidden: must be 1 to 16 widths"),
        ("--to x.safetensors --deals 1", "--deals 1: must be 2 to 10000000"),
        ("--to x.safetensors --seed -1", "--seed -1: must be 0 or more"),
    ],
)
def test_what_cannot_be_is_said_in_a_line(words, says, tmp_path, monkeypatch, casino):
    a_file(tmp_path)
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    code, _, said = casino("train", "distil", "policy:.", *words.split())
    assert code == 2 and says in said and said.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(("spec", "says"), [
    ("counter", "only a policy can be distilled"), ("policy:nowhere", "no weights found"),
    ("policy:over-actions", "judges actions already"), ("policy:for-matches", "plays whole matches"),
])  # fmt: skip
def test_who_cannot_teach_is_said_in_a_line(spec, says, tmp_path, monkeypatch, casino):
    (tmp_path / "over-actions").mkdir()
    a_file(tmp_path / "over-actions", logits=ACTIONS)
    (tmp_path / "for-matches").mkdir()
    a_file(tmp_path / "for-matches", match=True)
    monkeypatch.chdir(tmp_path)
    code, _, said = casino("train", "distil", spec, "--to", "x.safetensors")
    assert code == 2 and says in said and said.count("\n") == 1
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
