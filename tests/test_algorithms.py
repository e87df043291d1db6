"""The algorithms beside PPO: their gradients, what they remember, whom they meet, and that all of them resume."""

import json
import re
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from agents.policy.agent import Policy, value_outputs
from agents.policy.mlp import Shape, initial
from agents.solver.solver import solve
from casino_env import make_rules
from casino_env.actions import ACTIONS
from casino_env.envs.vector import Options
from casino_env.knowledge.segments import make_layout
from evaluate import match
from train.__main__ import main
from train.algorithms.dmc import q_heads
from train.algorithms.imitation import Memory, imitate, imitation_stats, remember
from train.algorithms.registry import ALGORITHMS, make_algorithm
from train.config import ConfigError, make_config
from train.games.play import LEARNER, Manner
from train.games.rollout import AS_LIKELY, Opponents, Rollout
from train.learner import losses
from train.learner.mlp import MlpLearner, new_stats
from train.run import Run

SMALL = {
    "network": {"hidden": [16, 12]},
    "ppo": {"games": 8, "horizon": 16, "minibatch": 32},
    "opponents": {"bots": {"greedy": 0.25}, "frozen": 0.25, "pool": 2, "every": 200},
    "nfsp": {"memory": 300},
    "expert": {"cards": 2, "kept": 64},
    "run": {"decisions": 128 * 8, "deals": 10, "panel": ["random"]},
}


def small(**sections):
    return make_config({name: SMALL.get(name, {}) | sections.get(name, {}) for name in SMALL | sections})


def played(variant="south-african", players=2, manner=AS_LIKELY, games=8, horizon=16):
    """(shape, weights, rows of self-play)"""
    rules = make_rules(variant, players)
    shape = Shape(make_layout(rules).size, (24, 20), value_outputs(rules))
    theta = initial(shape, np.random.default_rng(0))
    rollout = Rollout(rules, Options(), shape, Opponents(shape, {}, 0.0, 0), games=games, horizon=horizon, seed=1)
    rows = rollout.rows()
    rollout.collect(theta, rows, manner)
    return shape, theta, rows


# --- how logits become play ----------------------------------------------------------------------------------------


def test_careless_play_takes_any_legal_action():
    _, _, rows = played(manner=Manner(0.0, 1.0))
    many = [sum(int(word).bit_count() for word in words) for words in rows.words]
    assert rows.log_chance == pytest.approx(-np.log(many), abs=1e-6)


def test_greedy_play_is_certain_but_for_its_share_of_carelessness():
    _, _, rows = played(manner=Manner(0.0, 0.25))
    many = np.array([sum(int(word).bit_count() for word in words) for words in rows.words])
    best = np.isclose(np.exp(rows.log_chance), 0.75 + 0.25 / many)
    other = np.isclose(np.exp(rows.log_chance), 0.25 / many)
    assert (best | other).all()
    assert 0.7 < best.mean() < 1.0


# --- gradients -------------------------------------------------------------------------------------------------------


def in_torch(learner, rows, chosen):
    """(weights that take gradients, logits of legal actions, values, legal actions by row)"""
    x = torch.zeros(len(chosen), learner.shape.features)
    legal = torch.zeros(len(chosen), ACTIONS, dtype=torch.bool)
    listed = []
    for n, row in enumerate(chosen):
        x[n, rows.indices[row, : rows.counts[row]].astype(np.int64)] = 1
        listed.append([word * 52 + bit for word in range(4) for bit in range(52) if rows.words[row, word] >> bit & 1])
        legal[n, listed[-1]] = True
    w = {name: torch.tensor(part.copy(), requires_grad=True) for name, part in learner.weights.parts.items()}
    h = x
    for n in range(len(learner.shape.hidden)):
        h = torch.relu(h @ w[f"layer{n}.weight"] + w[f"layer{n}.bias"])
    logits = (h @ w["policy.weight"].t() + w["policy.bias"]).masked_fill(~legal, -float("inf"))
    return w, logits, h @ w["value.weight"].t() + w["value.bias"], listed


def mine_first(targets, rows, chosen, outputs):
    sides = targets.shape[1]
    return torch.tensor(np.array([[targets[r, (rows.side[r] + k) % sides] for k in range(outputs)] for r in chosen]))


def assert_same_gradient(learner, weights):
    for name, part in weights.items():
        assert part.grad is not None
        assert learner.gradient.parts[name] == pytest.approx(part.grad.numpy(), abs=2e-6), name


@pytest.mark.parametrize(("variant", "players"), [("south-african", 2), ("swazi", 3)])
def test_the_gradient_of_deep_monte_carlo_is_that_of_autograd(variant, players):
    shape, theta, rows = played(variant, players)
    rng = np.random.default_rng(1)
    returns, chosen = rng.standard_normal(rows.values.shape).astype(np.float32), rng.permutation(128)[:64]
    learner = MlpLearner(shape, theta, 64, 0.9, 1e9)
    learner.descend(
        rows, chosen, 0.0,
        lambda last, upstream: q_heads(
            last, rows.words, chosen, rows.chosen, rows.log_chance, returns, rows.side, 0.5, learner.weights.heads,
            learner.gradient.heads, upstream, learner.room, new_stats(),
        ),
    )  # fmt: skip
    weights, q, values, listed = in_torch(learner, rows, chosen)
    taken = torch.tensor([actions[rows.chosen[row]] for actions, row in zip(listed, chosen, strict=True)])
    q_taken = q.gather(1, taken[:, None]).squeeze(1)
    own = torch.tensor(returns[chosen, rows.side[chosen]])
    wanted = mine_first(returns, rows, chosen, values.shape[1])
    (0.5 * (q_taken - own) ** 2 + 0.5 * losses.value_loss(values, wanted)).mean().backward()
    assert_same_gradient(learner, weights)


def test_the_gradient_of_imitation_is_that_of_autograd():
    shape, theta, rows = played()
    memory, rng = remembered(rows), np.random.default_rng(1)
    memory.wanted |= memory.words & rng.integers(0, 2**52, size=memory.words.shape)  # more than one right answer
    memory.side[:] = rows.side
    memory.targets[:] = rng.standard_normal(memory.targets.shape)
    learner, chosen = MlpLearner(shape, theta, 64, 0.9, 1e9), rng.permutation(128)[:64]
    imitate(learner, memory, chosen, 0.0, 0.3, imitation_stats())
    weights, logits, values, listed = in_torch(learner, rows, chosen)
    right = torch.zeros(64, ACTIONS)
    for n, row in enumerate(chosen):
        right[n, [a for a in listed[n] if memory.wanted[row, a // 52] >> (a % 52) & 1]] = 1
    right /= right.sum(1, keepdim=True)
    surprise = -(right * losses.log_chances(logits).masked_fill(right == 0, 0.0)).sum(1)
    (surprise + 0.3 * losses.value_loss(values, mine_first(memory.targets, rows, chosen, 1))).mean().backward()
    assert_same_gradient(learner, weights)


# --- what is remembered ----------------------------------------------------------------------------------------------


def remembered(rows):
    memory = Memory(len(rows.counts), rows.indices.shape[1], 2)
    places = memory.places(len(rows.counts), np.random.default_rng(0))
    remember(
        (memory.indices, memory.counts, memory.words, memory.wanted),
        (rows.indices, rows.counts, rows.words, rows.chosen), places,
    )  # fmt: skip
    return memory


def test_the_memory_holds_each_decision_ever_shown_with_the_same_chance():
    """1,000 decisions through 100 places, 300 times over: each tenth of them is kept as often as the others."""
    kept = np.zeros(1000)
    for seed in range(300):
        memory, rng, content = Memory(100, 1, 2), np.random.default_rng(seed), np.full(100, -1)
        for piece in np.split(np.arange(1000), 10):
            places = memory.places(len(piece), rng)
            for number, place in zip(piece, places, strict=True):
                content[place] = number if place >= 0 else content[place]
        kept[content] += 1
    assert kept.sum() == 300 * 100
    tenths = kept.reshape(10, 100).sum(axis=1)
    assert np.abs(tenths - 3000).max() < 5 * np.sqrt(3000 * 0.9)


def test_recent_memory_holds_the_last_ones():
    memory, rng = Memory(4, 1, 2, recent=True), np.random.default_rng(0)
    assert [memory.places(1, rng)[0] for _ in range(6)] == [0, 1, 2, 3, 0, 1]
    assert len(memory) == 4


def test_the_remembered_action_is_the_one_that_was_played():
    _, _, rows = played()
    memory = remembered(rows)
    for n in range(len(rows.counts)):
        listed = [word * 52 + bit for word in range(4) for bit in range(52) if rows.words[n, word] >> bit & 1]
        action = listed[rows.chosen[n]]
        assert [int(word) for word in memory.wanted[n]] == [
            1 << (action % 52) if k == action // 52 else 0 for k in range(4)
        ]


# --- whom they meet --------------------------------------------------------------------------------------------------


def test_fictitious_play_meets_the_mean_and_the_mean_follows_its_best_response():
    algorithm = make_algorithm(small(run={"algorithm": "nfsp"}, nfsp={"anticipation": 0.0}))
    for _ in range(3):
        algorithm.learn(0.0)
    assert (algorithm.rollout.control != LEARNER).any(axis=1).all()  # every game is against the mean
    assert np.array_equal(algorithm.opponents.pool[0], algorithm.best)
    assert not np.array_equal(algorithm.best, algorithm.learner.average)


def test_the_solver_teaches_what_is_best():
    algorithm: Any = make_algorithm(small(run={"algorithm": "expert"}, expert={"cards": 3}))
    games: list[Any] = []
    while len(games) < 5:
        algorithm.wait()
        games += algorithm._endings()
        algorithm.arenas[0].play(algorithm.learner.weights.flat, algorithm.manner)
    for number, game in enumerate(games):
        assert algorithm._solve(game)
        found, memory, mine = solve(game), algorithm.memory, game.rules.side(game.seat)
        wanted = [a for a in range(ACTIONS) if memory.wanted[number, a // 52] >> (a % 52) & 1]
        assert wanted == found.best
        assert memory.targets[number, mine] == pytest.approx(found.value * algorithm.scale)
        assert memory.targets[number, 1 - mine] == pytest.approx(-found.value * algorithm.scale)


def test_a_policy_learns_its_lessons():
    algorithm: Any = make_algorithm(small(run={"algorithm": "expert"}, expert={"cards": 3, "steps": 40}))
    while len(algorithm.memory) < 20:
        algorithm.learn(0.0)
    before = algorithm._study(0.01)["solver_agreement"]
    for _ in range(3):
        after = algorithm._study(0.01)["solver_agreement"]
    assert after > max(0.95, before)


# --- they learn, and resume ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["dmc", "nfsp"])
def test_it_learns_to_beat_random_play(name):
    config = small(
        game={"variant": "mini"}, run={"algorithm": name}, ppo={"games": 64, "minibatch": 128}, nfsp={"steps": 20},
        network={"hidden": [32]},
    )  # fmt: skip
    algorithm = make_algorithm(config)
    for iteration in range(60):
        algorithm.learn(iteration / 60)
    policy = Policy.of(algorithm.rules, algorithm.layout, algorithm.shape, algorithm.best)
    found = match(policy, "random", algorithm.rules, deals=400, seed=5)
    assert found.low is not None
    assert found.low > 0.5


def test_every_algorithm_of_the_settings_is_known():
    for name in ALGORITHMS:
        target = {"agent": "random"} if name == "best-response" else {}
        assert type(make_algorithm(small(run={"algorithm": name}, target=target))) is ALGORITHMS[name]


@pytest.mark.parametrize("name", [name for name in ALGORITHMS if name != "ppo"])
def test_a_resumed_run_is_the_same_run_bit_for_bit(tmp_path, name):
    sections = {"target": {"agent": "greedy"}} if name == "best-response" else {}
    whole = Run.start(small(run={"algorithm": name, "name": "whole"}, **sections), tmp_path)
    whole.train(quiet=True)
    parts = Run.start(small(run={"algorithm": name, "name": "parts"}, **sections), tmp_path)
    for _ in range(4):
        parts.algorithm.learn(parts.progress())
    parts.save()
    Run.resume(tmp_path / "parts").train(quiet=True)
    one, two = (load_file(tmp_path / run / "policy.safetensors") for run in ("whole", "parts"))
    assert all(np.array_equal(one[part], two[part]) for part in one)


# --- best responses --------------------------------------------------------------------------------------------------


@pytest.fixture
def target(tmp_path):
    """A run of next to nothing."""
    run = Run.start(small(run={"name": "target", "decisions": 256}), tmp_path)
    run.train(quiet=True)
    return tmp_path / "target"


def respond(agent, **sections):
    return make_algorithm(small(run={"algorithm": "best-response"}, target={"agent": agent}, **sections))


def test_a_response_meets_its_target_in_every_game(target):
    algorithm = respond(f"policy:{target},temperature=0.5", network={"hidden": [16, 12], "start": str(target)})
    policy = Policy(str(target))
    assert np.array_equal(algorithm.opponents.pool[0], policy.theta)
    assert np.array_equal(algorithm.learner.weights.flat, policy.theta)
    assert algorithm.opponents.manner == Manner(0.5, 0.0)
    for _ in range(10):
        algorithm.learn(0.0)
    algorithm.wait()
    assert ((algorithm.rollout.control == LEARNER).sum(axis=1) == 1).all()
    assert np.array_equal(algorithm.opponents.pool[0], policy.theta)  # it stays as it is
    assert algorithm.opponents.results[1, 0] > 0


@pytest.mark.parametrize(
    ("agent", "said"),
    [
        (
            "gredy",
            "target.agent = 'gredy': a best response is trained against policy:PATH or a bot (did you mean 'greedy'?)",
        ),
        ("search", "trained against policy:PATH or a bot"),
        ("policy:nowhere", "nowhere: no weights there"),
    ],
)
def test_other_targets_are_refused(agent, said):
    with pytest.raises(ValueError, match=re.escape(said)) as caught:
        respond(agent)
    assert "\n" not in str(caught.value)


def test_a_target_of_another_size_or_game_is_refused(target):
    with pytest.raises(ConfigError, match=r"network: hidden \[8\].*; .* has \[16, 12\]"):
        respond(f"policy:{target}", network={"hidden": [8]})
    with pytest.raises(ValueError, match="plays south-african with 2 players"):
        respond(f"policy:{target}", game={"variant": "mini"})
    with pytest.raises(ConfigError, match=r"target.agent belongs to run.algorithm = 'best-response'"):
        small(target={"agent": "greedy"})


def test_the_solver_teaches_two_players_only():
    with pytest.raises(ConfigError, match="the solver teaches games of two players"):
        make_algorithm(small(run={"algorithm": "expert"}, game={"variant": "swazi", "players": 3}))


def test_exploit_trains_both_ways_and_goes_on_where_it_was(tmp_path, target, capsys):
    words = ["exploit", f"policy:{target}", "--decisions", "10240", "--deals", "20", "--json"]
    words += ["--out", str(tmp_path / "responses")]
    assert main(words) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["method"] == "train"
    assert set(found["responses"]) == {"warm", "cold"}
    assert found["best"] in found["responses"]
    assert found["exploited"]["low"] <= found["exploited"]["mean"] <= found["exploited"]["high"]
    assert main(words) == 0  # nothing is left to be trained: the same result
    again = json.loads(capsys.readouterr().out)
    assert {**again, "seconds": 0} == {**found, "seconds": 0}
    assert main([*words, "--seed", "1"]) == 1
    assert "trained with other settings" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["gredy"], "did you mean 'greedy'"),
        (["greedy", "--minutes", "0"], "--minutes 0: must be more than 0"),
        (["greedy", "--deals", "1"], "--deals 1: must be 2 or more"),
        (["greedy", "--variant", "swasi"], "swasi"),
        (["greedy", "--start", "nowhere"], "nowhere: no weights there"),
    ],
)
def test_exploit_refuses_in_one_line(words, said, capsys, tmp_path):
    assert main(["exploit", *words, "--out", str(tmp_path / "out")]) in (1, 2)
    error = capsys.readouterr().err.strip().splitlines()
    assert said in error[-1]
    assert "Traceback" not in "\n".join(error)
