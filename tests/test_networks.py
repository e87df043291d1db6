"""The network in torch: weight for weight the one in kernels, and the same games, gradients and steps."""

import numpy as np
import pytest
import torch

from casino_env import make_rules
from casino_env.agents.policy.mlp import Shape, initial, value_outputs
from casino_env.agents.policy.network import make_network
from casino_env.agents.registry import make_agent
from casino_env.envs.options import Options
from casino_env.envs.vector import Batch
from casino_env.knowledge.layout import make_layout
from casino_env.train.algorithms import make_algorithm
from casino_env.train.checked import pack_rows
from casino_env.train.config import load_config, make_config
from casino_env.train.learner.fast import Aims, FastLearner, PpoLoss, new_sums
from casino_env.train.learner.torch_twin import TorchLearner, TorchRollouts
from casino_env.train.rollouts.by_actions import ActionRollouts
from casino_env.train.rollouts.selfplay import AS_LIKELY, OpponentPool
from casino_env.train.run import Run
from casino_env.train.settings import ConfigError
from tests.resuming import goes_on_bit_for_bit

CPU = torch.device("cpu")
GAMES = [("south-african", 2), ("swazi", 3)]


def shape_for(rules):
    return Shape(make_layout(rules).size, (24, 20), value_outputs(rules))


def test_weights_of_a_network_lie_in_its_flat_array():
    shape = shape_for(make_rules("swazi", 3))
    flat = torch.from_numpy(initial(shape, np.random.default_rng(0)))
    network = make_network(shape, flat)
    assert [name for name, _ in network.named_parameters()] == list(shape.parts)
    flat.zero_()
    assert all(not part.any() for part in network.parameters())


# --- learning --------------------------------------------------------------------------------------------------------


def played(kind, **keywords):
    """A rollout and the second buffer that it fills."""
    rules = make_rules("swazi", 3)
    shape = shape_for(rules)
    opponents = OpponentPool(shape, {"greedy": 0.2}, 0.3, 2)
    opponents.add(1, initial(shape, np.random.default_rng(9)))
    rollout = kind(Batch(rules, 8, Options()), shape, opponents, horizon=16, seed=1, **keywords)
    met = set(rollout.seats.control.ravel().tolist())
    for _ in range(2):
        rollout.play(initial(shape, np.random.default_rng(0)), AS_LIKELY)
        buffer = rollout.take()
        met |= set(rollout.seats.control.ravel().tolist())
    assert met == {0, 1, 2}  # the learner, the bot and the earlier self
    return rollout, buffer


def test_both_rollouts_write_the_same_rows():
    (one, first), (two, second) = played(ActionRollouts), played(TorchRollouts, device=CPU)
    theirs = pack_rows(second._asdict())
    for name, array in pack_rows(first._asdict()).items():
        assert theirs[name] == pytest.approx(array, abs=1e-5), name
    for name, array in one.state(ahead=False).items():
        assert np.array_equal(array, two.state(ahead=False)[name]), name


@pytest.mark.parametrize(("variant", "players"), GAMES)
def test_both_learners_make_the_same_steps(variant, players):
    rules = make_rules(variant, players)
    shape = shape_for(rules)
    theta = initial(shape, np.random.default_rng(0))
    rollout = ActionRollouts(Batch(rules, 8, Options()), shape, OpponentPool(shape, {}), horizon=16, seed=1)
    rollout.play(theta, AS_LIKELY)
    buffer = rollout.take()
    rng = np.random.default_rng(1)
    targets = rng.standard_normal((128, rules.sides)).astype(np.float32)
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


TINY = {
    "network": {"hidden": [16]},
    "machine": {"kernels": False},
    "selfplay": {"games": 8, "horizon": 16, "minibatch": 32},
    "opponents": {"bots": {"greedy": 0.25}, "earlier_selves": 0.25, "pool": 2, "every": 200},
    "run": {"algorithm": "ppo", "decisions": 128 * 6, "deals": 10, "panel": ["random"]},
}


def tiny(**sections):
    return make_config({key: TINY.get(key, {}) | sections.get(key, {}) for key in TINY | sections})


@pytest.mark.parametrize(
    "settings",
    [
        {"machine": {"overlap": True}},
        {"machine": {"overlap": False}},
    ],
)
def test_a_resumed_run_is_the_same_run_bit_for_bit(tmp_path, settings):
    whole, half = (Run.start(tiny(run={"name": name}, **settings), tmp_path) for name in ("whole", "half"))
    goes_on_bit_for_bit(whole, half, iterations=3)
    make_agent(f"policy:{tmp_path / 'half'}")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("machine.device=tpu", "machine.device = 'tpu'"),
        (["run.algorithm=dmc", "machine.kernels=false"], "needs machine.kernels = true"),
    ],
)
def test_wrong_settings_are_refused(change, said):
    with pytest.raises(ConfigError) as caught:
        load_config(None, [change] if isinstance(change, str) else change)
    assert said in str(caught.value)


def test_a_gpu_that_is_not_there_is_refused():
    if torch.cuda.is_available():
        pytest.skip("there is one")
    with pytest.raises(ValueError, match="no GPU"):
        make_algorithm(tiny(machine={"device": "cuda"}))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_a_gpu_plays_and_learns_as_the_processor_does():
    """Up to the precision of its products: the same games to begin with, and weights that move alike."""
    moved = []
    for device in ("cpu", "cuda"):
        algorithm = make_algorithm(tiny(machine={"device": device, "overlap": False}))
        before = algorithm.learner.weights.flat.copy()
        report = algorithm.learn(0.0)
        assert np.isfinite(list(report.values())).all()
        moved.append(algorithm.learner.weights.flat - before)
    alike = np.dot(*moved) / np.linalg.norm(moved[0]) / np.linalg.norm(moved[1])
    assert alike > 0.3
    algorithm.restore(*algorithm.state(), [])
