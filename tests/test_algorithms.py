"""The algorithms beside PPO: their gradients, what they remember, whom they meet, and that all of them resume."""

import re

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from casino_env import make_rules
from casino_env.actions import ACTIONS
from casino_env.agents.policy.mlp import Shape, initial, value_outputs
from casino_env.agents.policy.policy_agent import Policy
from casino_env.agents.policy.policy_files import Weights
from casino_env.engine.action_set import actions_of
from casino_env.envs.options import Options
from casino_env.envs.vector import Batch
from casino_env.evaluate import match
from casino_env.knowledge.layout import make_layout
from casino_env.train.algorithms import ALGORITHMS, make_algorithm
from casino_env.train.algorithms.afterstates import Afterstates
from casino_env.train.algorithms.algorithm import Algorithm
from casino_env.train.config import make_config
from casino_env.train.learner import losses
from casino_env.train.learner.fast import Aims, FastLearner, PpoLoss, new_sums, q_gradient
from casino_env.train.rollouts.by_actions import ActionRollouts
from casino_env.train.rollouts.selfplay import AS_LIKELY, LEARNER, OpponentPool, Sampling
from casino_env.train.run import Run
from casino_env.train.settings import ConfigError
from tests.resuming import goes_on_bit_for_bit

SMALL = {
    "network": {"hidden": [16, 12]},
    "selfplay": {"games": 8, "horizon": 16, "minibatch": 32},
    "opponents": {"bots": {"greedy": 0.25}, "earlier_selves": 0.25, "pool": 2, "every": 200},
    "afterstates": {"deals": 8, "minibatch": 32},
    "run": {"decisions": 128 * 8, "deals": 10, "panel": ["random"]},
}


def small(**sections):
    return make_config({name: SMALL.get(name, {}) | sections.get(name, {}) for name in SMALL | sections})


def played(variant="south-african", players=2, sampling=AS_LIKELY, games=8, horizon=16):
    """(shape, weights, buffer of self-play)"""
    rules = make_rules(variant, players)
    shape = Shape(make_layout(rules).size, (24, 20), value_outputs(rules))
    theta = initial(shape, np.random.default_rng(0))
    opponents = OpponentPool(shape, {})
    rollouts = ActionRollouts(Batch(rules, games, Options()), shape, opponents, horizon=horizon, seed=1)
    rollouts.play(theta, sampling)
    return shape, theta, rollouts.take()


# --- how logits become play ----------------------------------------------------------------------------------------


def test_exploration_takes_any_legal_action():
    _, _, buffer = played(sampling=Sampling(0.0, 1.0))
    many = [len(actions_of(legal)) for legal in buffer.legal]
    assert buffer.log_prob == pytest.approx(-np.log(many), abs=1e-6)


def test_greedy_play_is_certain_but_for_its_share_of_exploration():
    _, _, buffer = played(sampling=Sampling(0.0, 0.25))
    many = np.array([len(actions_of(legal)) for legal in buffer.legal])
    best = np.isclose(np.exp(buffer.log_prob), 0.75 + 0.25 / many)
    other = np.isclose(np.exp(buffer.log_prob), 0.25 / many)
    assert (best | other).all()
    assert 0.7 < best.mean() < 1.0


# --- gradients -------------------------------------------------------------------------------------------------------


def in_torch(learner, rows, chosen):
    """(weights that take gradients, logits of legal actions, values, the action that was played by row)"""
    x = torch.zeros(len(chosen), learner.shape.features)
    legal = torch.zeros(len(chosen), ACTIONS, dtype=torch.bool)
    taken = []
    for n, row in enumerate(chosen):
        x[n, rows.indices[row, : rows.counts[row]].astype(np.int64)] = 1
        listed = actions_of(rows.legal[row])
        legal[n, listed] = True
        taken.append(listed[rows.chosen[row]])
    w = {name: torch.tensor(part.copy(), requires_grad=True) for name, part in learner.weights.parts.items()}
    h = x
    for n in range(len(learner.shape.hidden)):
        h = torch.relu(h @ w[f"layer{n}.weight"] + w[f"layer{n}.bias"])
    logits = (h @ w["policy.weight"].t() + w["policy.bias"]).masked_fill(~legal, -float("inf"))
    return w, logits, h @ w["value.weight"].t() + w["value.bias"], torch.tensor(taken)[:, None]


def mine_first(targets, rows, chosen, outputs):
    sides = targets.shape[1]
    return torch.tensor(np.array([[targets[r, (rows.side[r] + k) % sides] for k in range(outputs)] for r in chosen]))


def assert_same_gradient(learner, weights):
    for name, part in weights.items():
        assert part.grad is not None
        assert learner.gradient.parts[name] == pytest.approx(part.grad.numpy(), abs=2e-6), name


@pytest.mark.parametrize(("variant", "players"), [("south-african", 2), ("swazi", 3)])
def test_the_gradient_of_deep_monte_carlo_is_that_of_autograd(variant, players):
    shape, theta, buffer = played(variant, players)
    rng = np.random.default_rng(1)
    returns, chosen = rng.standard_normal(buffer.values.shape).astype(np.float32), rng.permutation(128)[:64]
    learner = FastLearner(shape, theta, 64, 0.9, 1e9)
    learner.descend(
        buffer, chosen, 0.0, lambda last, chosen: q_gradient(last, buffer, chosen, returns, 0.5, new_sums())
    )
    weights, q, values, taken = in_torch(learner, buffer, chosen)
    own = torch.tensor(returns[chosen, buffer.side[chosen]])
    wanted = mine_first(returns, buffer, chosen, values.shape[1])
    (0.5 * (q.gather(1, taken).squeeze(1) - own) ** 2 + 0.5 * losses.value_loss(values, wanted)).mean().backward()
    assert_same_gradient(learner, weights)


# --- they learn, and resume ------------------------------------------------------------------------------------------


def test_dmc_learns_to_beat_random_play():
    config = small(
        game={"variant": "mini"},
        run={"algorithm": "dmc"},
        selfplay={"games": 64, "minibatch": 128},
        network={"hidden": [32]},
    )
    algorithm = make_algorithm(config)
    for iteration in range(60):
        algorithm.learn(iteration / 60)
    policy = Policy(Weights(algorithm.rules, algorithm.layout, algorithm.shape, algorithm.best))
    found = match(policy, "random", algorithm.rules, deals=400, seed=5)
    assert found.low is not None
    assert found.low > 0.5


@pytest.mark.parametrize("name", ["ppo", "afterstates", "dmc"])
def test_what_a_network_goes_without_has_no_weight(name):
    without = ("threats", "steals")
    algorithm = make_algorithm(small(run={"algorithm": name}, network={"without": without}))
    for _ in range(2):
        algorithm.learn(0.0)
    for weights in (algorithm.learner.weights.flat, algorithm.best):
        parts = algorithm.layout.split(algorithm.shape.views(weights)["layer0.weight"].T)
        assert not any(parts[segment].any() for segment in without)
        assert parts["place"].any()


@pytest.mark.parametrize(
    ("sections", "said"),
    [
        ({"network": {"without": ["threat"]}}, "did you mean 'threats'"),
        ({"network": {"without": ["threats"]}, "machine": {"kernels": False}}, "needs the kernels"),
    ],
)
def test_what_it_cannot_go_without_is_refused(sections, said):
    with pytest.raises(ValueError, match=said):
        make_algorithm(small(run={"algorithm": "ppo"}, **sections))


def test_every_algorithm_of_the_settings_is_known():
    for name in ALGORITHMS:
        target = {"agent": "random"} if name == "best-response" else {}
        algorithm = make_algorithm(small(run={"algorithm": name}, target=target))
        kind = Afterstates if name == "best-response" else ALGORITHMS[name]
        assert type(algorithm) is kind


@pytest.mark.parametrize("name", [name for name in ALGORITHMS if name != "ppo"])
def test_a_resumed_run_is_the_same_run_bit_for_bit(tmp_path, name):
    sections = {"target": {"agent": "greedy"}} if name == "best-response" else {}
    whole = Run.start(small(run={"algorithm": name, "name": "whole"}, **sections), tmp_path)
    whole.train(quiet=True)
    parts = Run.start(small(run={"algorithm": name, "name": "parts"}, **sections), tmp_path)
    for _ in range(4):
        parts.algorithm.learn(parts.progress())
    parts.save()
    parts.close()
    Run.resume(tmp_path / "parts").train(quiet=True)
    one, two = (load_file(tmp_path / run / "policy.safetensors") for run in ("whole", "parts"))
    assert all(np.array_equal(one[part], two[part]) for part in one)


class Reinforce(Algorithm):
    """With a baseline (Williams 1992): PPO's first step, its ratio being 1, and nothing to hold it back."""

    def learn(self, progress):
        own, games = self.config.selfplay, self.games()
        buffer = self.collect(AS_LIKELY)
        advantages, targets = games.advantages(buffer, 1.0, 1.0)
        rows, sums = len(buffer.counts), new_sums()
        aims, loss = Aims(advantages, np.zeros(rows, np.float32), targets), PpoLoss(1e9, 0.0, own.value_coef)
        grad_norms = [
            self.learner.ppo_step(buffer, chosen, aims, loss, own.rate(progress), sums)
            for chosen in self.minibatches(np.arange(rows), own, rows)
        ]
        return self.finish(rows, sums, grad_norms)


def test_an_algorithm_is_a_class_and_a_row(tmp_path, monkeypatch):
    """Games, opponents, checkpoints, going on and the command come with it."""
    monkeypatch.setitem(ALGORITHMS, "reinforce", Reinforce)
    whole, half = (Run.start(small(run={"algorithm": "reinforce", "name": name}), tmp_path) for name in ("w", "h"))
    goes_on_bit_for_bit(whole, half, iterations=3)
    with pytest.raises(ConfigError, match=r"'reinforse': unknown algorithm \(did you mean 'reinforce'\?\)"):
        small(run={"algorithm": "reinforse"})
    with pytest.raises(ConfigError, match="'reinforce' needs"):
        small(run={"algorithm": "reinforce"}, machine={"kernels": False})


# --- best responses --------------------------------------------------------------------------------------------------


@pytest.fixture(params=["ppo", "afterstates"])
def target(request, tmp_path):
    """A run of next to nothing."""
    run = Run.start(small(run={"name": "target", "decisions": 256, "algorithm": request.param}), tmp_path)
    run.train(quiet=True)
    return tmp_path / "target"


def respond(agent, **sections):
    return make_algorithm(small(run={"algorithm": "best-response"}, target={"agent": agent}, **sections))


def test_a_response_meets_its_target_in_every_game(target):
    algorithm = respond(f"policy:{target},temperature=0.5", network={"hidden": [16, 12], "start": str(target)})
    theta = Weights.load(str(target)).theta
    assert np.array_equal(algorithm.opponents.networks[0], theta)
    assert np.array_equal(algorithm.learner.weights.flat, theta)
    assert algorithm.opponents.sampling == Sampling(0.5, 0.0)
    for _ in range(10):
        algorithm.learn(0.0)
    algorithm.wait()
    control = algorithm.games().seats.control
    assert ((control == LEARNER).sum(axis=1) == 1).all() and (control <= 1).all()
    assert np.array_equal(algorithm.opponents.networks[0], theta)  # it stays as it is


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


def test_decisions_per_game_are_those_of_games_that_ended():
    algorithm = make_algorithm(small(run={"algorithm": "ppo"}, machine={"overlap": False}))
    in_ended = ended = 0.0
    for iteration in range(1, 9):
        seen = algorithm.learn(0.0)
        assert np.isnan(seen["decisions_per_game"]) == (seen["games"] == 0)
        in_ended += seen["games"] and seen["games"] * seen["decisions_per_game"]
        ended += seen["games"]
        assert not seen["decisions_per_game"] > 16 * iteration
        assert in_ended + algorithm.games().begun.sum() == pytest.approx(128 * iteration)
    assert ended > 8
