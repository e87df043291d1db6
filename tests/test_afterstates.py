"""Afterstates: what is written down of a deal, what it is judged by, its gradient, and that it learns."""

import itertools

import numpy as np
import pytest
import torch

from casino_env import make_rules
from casino_env.agents.policy.mlp import Shape, initial, value_outputs
from casino_env.agents.policy.policy_agent import Policy
from casino_env.agents.policy.policy_files import Weights
from casino_env.evaluate import match
from casino_env.knowledge.layout import make_layout
from casino_env.train.algorithms import make_algorithm
from casino_env.train.config import make_config
from casino_env.train.learner.fast import FastLearner, new_sums, value_gradient
from casino_env.train.rollouts.by_turns import TURNS, TurnRollouts
from casino_env.train.rollouts.selfplay import LEARNER, OpponentPool

GAMES = [("south-african", 2), ("swazi", 3), ("khasino", 4), ("sotho", 4), ("california", 6)]
VALUE_SCALE = 2.0


def small(**sections):
    about = {
        "network": {"hidden": [24, 20]}, "afterstates": {"deals": 8, "minibatch": 32},
        "opponents": {"earlier_selves": 0.0}, "run": {"algorithm": "afterstates", "decisions": 10_000},
    }  # fmt: skip
    return make_config({name: about.get(name, {}) | sections.get(name, {}) for name in about | sections})


def collected(variant, players, *, deals=8, bots=None, threads=1, td_lambda=0.3):
    """(rollouts, weights) after a deal in each game"""
    rules = make_rules(variant, players)
    layout = make_layout(rules)
    shape = Shape(layout.size, (24, 20), value_outputs(rules), 0)
    theta = initial(shape, np.random.default_rng(0))
    opponents = OpponentPool(shape, bots or {}, 0.0, 0)
    rollouts = TurnRollouts(
        rules, layout, shape, opponents, deals=deals, td_lambda=td_lambda, memory="perfect", seed=1,
        value_scale=VALUE_SCALE, threads=threads,
    )  # fmt: skip
    rollouts.play(theta, 1.0)
    return rollouts, theta


def rows_of(buffer):
    return np.flatnonzero(np.arange(len(buffer.counts)) % TURNS < np.repeat(buffer.used, TURNS))


# --- what is written down --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("variant", "players"), GAMES)
def test_each_turn_of_the_learner_is_a_row(variant, players):
    """But the last ones of a deal, which leave nothing to judge: the result follows at once."""
    rollouts, _ = collected(variant, players)
    buffer = rollouts.take()
    records = rollouts.deals.records
    assert (records["deals"] == 1).all() and (buffer.used > 0).all()
    assert (buffer.used <= records["turns"]).all()
    assert buffer.used.sum() > 0.5 * records["turns"].sum()
    rules = rollouts.rules
    seats, rows = np.array([rules.side(seat) for seat in range(players)]), rows_of(buffer)
    assert set(buffer.seat[rows]) == set(range(players))
    assert np.array_equal(seats[buffer.seat[rows]], buffer.side[rows])
    points = records["deal_points"][:, : rules.sides].astype(float)
    margins = points - (points.sum(axis=1, keepdims=True) - points) / (rules.sides - 1)
    assert buffer.results == pytest.approx(margins / VALUE_SCALE)


def test_rows_are_those_of_the_learner_alone():
    rollouts, _ = collected("south-african", 3, deals=64, bots={"greedy": 0.9})
    control, buffer = rollouts.seats.control, rollouts.take()
    mixed = (control != LEARNER).any(axis=1)
    assert mixed.any()
    for deal in np.flatnonzero(mixed):
        sides = set(buffer.side[deal * TURNS : deal * TURNS + buffer.used[deal]])
        assert sides <= set(np.flatnonzero(control[deal] == LEARNER))


@pytest.mark.parametrize(("variant", "players"), GAMES[1:])
@pytest.mark.parametrize("td_lambda", [0.0, 0.6, 1.0])
def test_targets_are_the_lambda_returns_of_each_seat(td_lambda, variant, players):
    """By the definition: the mean of all n-step returns, each with its weight (Sutton and Barto 2018, 12.1)."""
    buffer = collected(variant, players, td_lambda=td_lambda)[0].take()
    for deal, seat in itertools.product(range(8), range(players)):
        rows = np.arange(deal * TURNS, deal * TURNS + buffer.used[deal])
        rows = rows[buffer.seat[rows] == seat]
        for t, row in enumerate(rows):
            want = td_lambda ** (len(rows) - 1 - t) * buffer.results[deal]
            for n in range(1, len(rows) - t):
                want = want + (1 - td_lambda) * td_lambda ** (n - 1) * buffer.values[rows[t + n]]
            assert buffer.targets[row] == pytest.approx(want, abs=1e-5)


def test_two_threads_play_what_one_plays():
    one, two = (collected("khasino", 2, threads=threads)[0].take() for threads in (1, 2))
    for name, array in one._asdict().items():
        assert np.array_equal(array, getattr(two, name)), name


# --- what is learnt from it ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("variant", "players"), GAMES[:3])
def test_the_gradient_is_that_of_autograd(variant, players):
    rollouts, theta = collected(variant, players)
    buffer, shape = rollouts.take(), Shape(rollouts.layout.size, (24, 20), value_outputs(rollouts.rules), 0)
    learner, chosen = FastLearner(shape, theta, 64, 0.9, 1e9), rows_of(buffer)[:64]
    learner.descend(
        buffer, chosen, 0.0, lambda last, chosen: value_gradient(last, buffer.targets, buffer.side, chosen, new_sums())
    )
    x = torch.zeros(len(chosen), shape.features)
    for n, row in enumerate(chosen):
        x[n, buffer.indices[row, : buffer.counts[row]].astype(np.int64)] = 1
    w = {name: torch.tensor(part.copy(), requires_grad=True) for name, part in learner.weights.parts.items()}
    for n in range(len(shape.hidden)):
        x = torch.relu(x @ w[f"layer{n}.weight"] + w[f"layer{n}.bias"])
    values = x @ w["value.weight"].t() + w["value.bias"]
    sides = buffer.targets.shape[1]
    mine_first = [[buffer.targets[r, (buffer.side[r] + k) % sides] for k in range(shape.values)] for r in chosen]
    (0.5 * (values - torch.tensor(np.array(mine_first))) ** 2).sum(dim=1).mean().backward()
    for name, part in w.items():
        if part.numel():
            assert part.grad is not None
            assert learner.gradient.parts[name] == pytest.approx(part.grad.numpy(), abs=2e-6), name


def test_it_learns_to_beat_greedy_on_mini():
    algorithm = make_algorithm(
        small(game={"variant": "mini"}, afterstates={"deals": 64, "minibatch": 128}, network={"hidden": [32]})
    )
    for iteration in range(60):
        algorithm.learn(iteration / 60)
    policy = Policy(Weights(algorithm.rules, algorithm.layout, algorithm.shape, algorithm.best, algorithm.value_scale))
    found = match(policy, "greedy", algorithm.rules, deals=600, seed=5)
    assert found.low is not None
    assert found.low > 0.0


def test_the_temperature_falls_to_its_end():
    algorithm = make_algorithm(small(afterstates={"temperature": 0.8, "final_temperature": 0.1}))
    seen = [algorithm.temperature(done) for done in (0.0, 0.4, 0.8, 1.0)]  # type: ignore[attr-defined]
    assert seen == pytest.approx([0.8, 0.8 * (0.1 / 0.8) ** 0.5, 0.1, 0.1])
