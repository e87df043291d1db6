"""The network in torch equals the one in kernels: weights, rollouts and learning steps."""

import numpy as np
import pytest
import torch

from casino_env import make_rules
from casino_env.agents.policy.mlp import initial
from casino_env.agents.policy.network import make_network
from casino_env.train.algorithms import make_algorithm
from casino_env.train.learner import Aims, FastLearner, PpoLoss, new_sums
from casino_env.train.rollouts.selfplay import AS_LIKELY, pack_rows
from casino_env.train.torch_twin import TorchLearner, TorchRollouts
from tests.trainings import action_rollouts, small
from tests.untrained import shape_of

CPU = torch.device("cpu")
GAMES = [("south-african", 2), ("swazi", 3)]


def test_weights_of_a_network_lie_in_its_flat_array():
    shape = shape_of(make_rules("swazi", 3))
    flat = torch.from_numpy(initial(shape, np.random.default_rng(0)))
    network = make_network(shape, flat)
    assert [name for name, _ in network.named_parameters()] == list(shape.parts)
    flat.zero_()
    assert all(not part.any() for part in network.parameters())


def second_buffer(rollout):
    """Play two buffers, check that the learner, the bot and the target all decided, and return the second."""
    met = set(rollout.seats.control.ravel().tolist())
    for _ in range(2):
        rollout.play(initial(rollout.shape, np.random.default_rng(0)), AS_LIKELY)
        buffer = rollout.take()
        met |= set(rollout.seats.control.ravel().tolist())
    assert met == {0, 1, 2}
    return buffer


def test_both_rollouts_write_the_same_rows():
    some = {"bots": {"greedy": 0.4}, "target": True}
    one, two = action_rollouts("swazi", 3, **some), action_rollouts("swazi", 3, **some, kind=TorchRollouts, device=CPU)
    first, second = second_buffer(one), second_buffer(two)
    theirs = pack_rows(second._asdict())
    for name, array in pack_rows(first._asdict()).items():
        assert theirs[name] == pytest.approx(array, abs=1e-5), name
    for name, array in one.state(ahead=False).items():
        assert np.array_equal(array, two.state(ahead=False)[name]), name


@pytest.mark.parametrize(("variant", "players"), GAMES)
def test_both_learners_make_the_same_steps(variant, players):
    rollout = action_rollouts(variant, players)
    shape, theta = rollout.shape, initial(rollout.shape, np.random.default_rng(0))
    rollout.play(theta, AS_LIKELY)
    buffer = rollout.take()
    rng = np.random.default_rng(1)
    targets = rng.standard_normal((128, rollout.rules.sides)).astype(np.float32)
    aims = Aims(rng.standard_normal(128).astype(np.float32), np.full(128, 0.1, np.float32), targets)
    learners = FastLearner(shape, theta.copy(), 64, 0.9, 0.5), TorchLearner(shape, theta, 0.9, 0.5)
    seen = []
    for learner in learners:
        sums, norms = new_sums(), []
        for number in range(4):
            chosen = np.random.default_rng(number).permutation(128)[:64]
            norms.append(learner.ppo_step(buffer, chosen, aims, PpoLoss(0.2, 0.3, 0.5), 1e-3, sums))
        seen.append((np.array(sums[0].tolist()), norms))
    assert seen[1][0] == pytest.approx(seen[0][0], rel=1e-4, abs=1e-4)
    assert seen[1][1] == pytest.approx(seen[0][1], rel=1e-4)
    fast, other = (learner.state() for learner in learners)
    assert fast.keys() == other.keys()
    for name, array in fast.items():
        assert other[name] == pytest.approx(array, abs=2e-5), name
    assert learners[1].steps == learners[0].steps == 4


def test_a_gpu_that_is_not_there_is_refused():
    if torch.cuda.is_available():
        pytest.skip("there is one")
    with pytest.raises(ValueError, match="no GPU"):
        make_algorithm(small(machine={"kernels": False, "device": "cuda"}))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_a_gpu_plays_and_learns_as_the_processor_does():
    """Up to the precision of products: the same first games, and weights that move in a similar direction."""
    moved = []
    for device in ("cpu", "cuda"):
        algorithm = make_algorithm(small(machine={"kernels": False, "device": device, "overlap": False}))
        before = algorithm.learner.weights.flat.copy()
        report = algorithm.learn(0.0)
        assert np.isfinite(list(report.values())).all()
        moved.append(algorithm.learner.weights.flat - before)
    alike = np.dot(*moved) / np.linalg.norm(moved[0]) / np.linalg.norm(moved[1])
    assert alike > 0.3
    algorithm.restore(*algorithm.state())
