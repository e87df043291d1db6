"""Gradients by hand-written kernels against those of autograd."""

import numpy as np
import pytest
import torch

from casino_env import make_rules
from casino_env.actions import ACTIONS
from casino_env.agents.policy.mlp import Shape, initial, value_outputs
from casino_env.engine.action_set import actions_of
from casino_env.envs.options import Options
from casino_env.envs.vector import Batch
from casino_env.knowledge.layout import make_layout
from casino_env.train.learner import losses
from casino_env.train.learner.fast import Aims, FastLearner, PpoLoss, new_scratch, new_sums, ppo_gradient
from casino_env.train.rollouts.by_actions import ActionRollouts
from casino_env.train.rollouts.selfplay import AS_LIKELY, OpponentPool


def grad_of(tensor):
    assert tensor.grad is not None
    return tensor.grad.numpy()


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
    rollouts = ActionRollouts(Batch(rules, 8, Options()), shape, OpponentPool(shape, {}), horizon=16, seed=1)
    rollouts.play(theta, AS_LIKELY)
    buffer = rollouts.take()
    buffer.log_prob[::2] = old
    rng = np.random.default_rng(1)
    gains = rng.standard_normal(128).astype(np.float32)
    gains[::2] = advantage
    targets = rng.standard_normal((128, rules.sides)).astype(np.float32)
    learner, chosen = FastLearner(shape, theta, 64, 0.9, 1e9), rng.permutation(128)[:64]
    aims, loss = Aims(gains, np.full(128, 0.1, np.float32), targets), PpoLoss(0.2, 0.3, 0.5)
    learner.descend(
        buffer,
        chosen,
        0.0,
        lambda last, chosen: ppo_gradient(last, buffer, chosen, aims, loss, new_scratch(), new_sums()),
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
