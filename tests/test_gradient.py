"""Hand-written gradients against those of autograd, for every learner."""

import numpy as np
import pytest
import torch

from casino_env import make_rules
from casino_env.agents.policy.mlp import initial
from casino_env.agents.policy.policy_agent import Policy
from casino_env.engine.action_set import actions_of
from casino_env.train import learner as fast
from casino_env.train import torch_twin as losses
from casino_env.train.rollouts.by_turns import filled
from casino_env.train.rollouts.selfplay import AS_LIKELY
from tests.trainings import action_rollouts, teacher_rows, turn_rollouts
from tests.untrained import shape_of, untrained

GAMES = [("south-african", 2), ("swazi", 3), ("khasino", 4)]


def descended(learner, rows, chosen, gradient):
    """Take a step of length 0 in kernels, which leaves the gradient. Return from torch the weights that require
    gradients, the logits of legal actions and the values of the chosen rows."""
    learner.descend(rows, chosen, 0.0, gradient)
    x = torch.zeros(len(chosen), learner.shape.features)
    legal = torch.zeros(len(chosen), learner.shape.logits, dtype=torch.bool)
    for n, row in enumerate(chosen):
        x[n, rows.indices[row, : rows.counts[row]].astype(np.int64)] = 1
        if learner.shape.judges_actions:
            legal[n, actions_of(rows.legal[row])] = True
    w = {name: torch.tensor(part.copy(), requires_grad=True) for name, part in learner.weights.parts.items()}
    for n in range(len(learner.shape.hidden)):
        x = torch.relu(x @ w[f"layer{n}.weight"] + w[f"layer{n}.bias"])
    logits = (x @ w["policy.weight"].t() + w["policy.bias"]).masked_fill(~legal, -float("inf"))
    return w, logits, x @ w["value.weight"].t() + w["value.bias"]


def taken(rows, chosen):
    """The actions that were played in the chosen rows."""
    return torch.tensor([actions_of(rows.legal[row])[rows.chosen[row]] for row in chosen])


def mine_first(targets, rows, chosen, outputs):
    """The targets of a network's values: the side that decides comes first."""
    sides = targets.shape[1]
    return torch.tensor(np.array([[targets[r, (rows.side[r] + k) % sides] for k in range(outputs)] for r in chosen]))


def assert_same_gradient(learner, loss, weights, least=0.0):
    """least: a lower bound of the gradient's largest absolute component."""
    loss.backward()
    for name, part in weights.items():
        if part.numel():
            assert part.grad is not None
            assert learner.gradient.parts[name] == pytest.approx(part.grad.numpy(), abs=2e-6, rel=1e-4), name
    assert np.abs(learner.gradient.flat).max() > least


def of_actions(variant, players):
    """Return (played decisions, a learner, 64 chosen rows, random targets for each row and side)."""
    rollouts = action_rollouts(variant, players)
    theta = initial(rollouts.shape, np.random.default_rng(0))
    rollouts.play(theta, AS_LIKELY)
    buffer, rng = rollouts.take(), np.random.default_rng(1)
    targets = rng.standard_normal((128, rollouts.rules.sides)).astype(np.float32)
    return buffer, fast.FastLearner(rollouts.shape, theta, 64, 0.9, 1e9), rng.permutation(128)[:64], targets


def test_illegal_actions_add_nothing_to_the_entropy():
    logits = torch.tensor([[0.0, -float("inf"), 0.0]], requires_grad=True)
    entropy = losses.entropy(losses.log_probs(logits))
    assert entropy.item() == pytest.approx(np.log(2))
    entropy.backward()
    assert logits.grad is not None and np.isfinite(logits.grad.numpy()).all()


@pytest.mark.parametrize("advantage", [1.5, -1.5])
@pytest.mark.parametrize("old", [-4.5, -3.0, -0.4])
@pytest.mark.parametrize(("variant", "players"), GAMES[:2])
def test_ppo(variant, players, old, advantage):
    """Test both sides of the clip and both signs of the advantage."""
    buffer, learner, chosen, targets = of_actions(variant, players)
    buffer.log_prob[::2] = old
    gains = np.random.default_rng(2).standard_normal(128).astype(np.float32)
    gains[::2] = advantage
    aims, loss = fast.Aims(gains, np.full(128, 0.1, np.float32), targets), fast.PpoLoss(0.2, 0.3, 0.5)
    weights, logits, values = descended(
        learner, buffer, chosen,
        lambda last, rows: fast.ppo_gradient(last, buffer, rows, aims, loss, learner.scratch, fast.new_sums()),
    )  # fmt: skip
    before, gain = torch.tensor(buffer.log_prob[chosen]), torch.tensor(gains[chosen])
    policy = losses.policy_loss(logits, taken(buffer, chosen), before, gain, torch.full((64,), 0.1), 0.2, 0.3)
    value = losses.value_loss(values, mine_first(targets, buffer, chosen, values.shape[1]))
    assert_same_gradient(learner, policy.mean() + 0.5 * value.mean(), weights)


@pytest.mark.parametrize(("variant", "players"), GAMES[:2])
def test_deep_monte_carlo(variant, players):
    buffer, learner, chosen, returns = of_actions(variant, players)
    weights, q, values = descended(
        learner, buffer, chosen, lambda last, rows: fast.q_gradient(last, buffer, rows, returns, 0.5, fast.new_sums())
    )
    own = torch.tensor(returns[chosen, buffer.side[chosen]])
    mine = q.gather(1, taken(buffer, chosen)[:, None]).squeeze(1)
    value = losses.value_loss(values, mine_first(returns, buffer, chosen, values.shape[1]))
    assert_same_gradient(learner, (0.5 * (mine - own) ** 2 + 0.5 * value).mean(), weights)


@pytest.mark.parametrize(("variant", "players"), GAMES)
def test_afterstates(variant, players):
    rollouts = turn_rollouts(variant, players)
    buffer, theta = rollouts.take(), initial(rollouts.shape, np.random.default_rng(0))
    learner, chosen = fast.FastLearner(rollouts.shape, theta, 64, 0.9, 1e9), np.flatnonzero(filled(buffer))[:64]
    weights, _, values = descended(
        learner, buffer, chosen,
        lambda last, rows: fast.value_gradient(last, buffer.targets, buffer.side, rows, fast.new_sums()),
    )  # fmt: skip
    wanted = mine_first(buffer.targets, buffer, chosen, values.shape[1])
    assert_same_gradient(learner, (0.5 * (values - wanted) ** 2).sum(dim=1).mean(), weights)


@pytest.mark.parametrize(("variant", "players"), GAMES)
def test_distillation(variant, players):
    rules = make_rules(variant, players)
    teacher = Policy(untrained(rules, logits=0, scale=5.0, seed=5), temperature=0.5)
    rows, shape = teacher_rows(teacher), shape_of(rules, (8,))
    chosen = np.random.default_rng(2).permutation(len(rows.counts))[:32]
    learner = fast.FastLearner(shape, 3 * initial(shape, np.random.default_rng(4)), 32, 0.9, 1e9)
    weights, logits, values = descended(
        learner, rows, chosen,
        lambda last, few: fast.distillation_gradient(last, rows, few, 0.25, learner.scratch, fast.new_sums()),
    )  # fmt: skip
    log_probs = torch.log_softmax(logits, -1).masked_fill(logits.isinf(), 0.0)
    cross = -(torch.from_numpy(rows.probs[chosen]) * log_probs).sum(1)
    squares = 0.5 * (values - torch.from_numpy(rows.targets[chosen])).square().sum(1)
    assert_same_gradient(learner, (cross + 0.25 * squares).mean(), weights, least=1e-3)
