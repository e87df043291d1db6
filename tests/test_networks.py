"""Networks in torch: the same as the kernels where there are kernels, legal and blind like every agent elsewhere."""

import json

import numpy as np
import pytest
import torch

from agents.policy.agent import Policy, save_policy, value_outputs
from agents.policy.mlp import Shape, initial
from agents.policy.network import CardShape, NetworkMind, initial_weights, make_network
from agents.registry import AgentError, make_agent
from casino_env import Game, make_rules
from casino_env.envs.vector import Batch, Options
from casino_env.knowledge.segments import make_layout
from casino_env.observed import observe
from tests.resuming import goes_on_bit_for_bit
from train.algorithms.ppo import Ppo
from train.algorithms.registry import make_algorithm
from train.config import ConfigError, load_config, make_config
from train.games.rollout import Opponents, Rollout
from train.games.torch_rollout import TorchRollout
from train.learner.autograd import TorchLearner
from train.learner.critic import Critic
from train.learner.mlp import MlpLearner, new_stats
from train.run import Run

CPU = torch.device("cpu")
GAMES = [("south-african", 2), ("swazi", 3)]


def middle(rules, games=64):
    """Arguments of act_many in the middle of random games."""
    batch = Batch(rules, games, Options())
    batch.reset(1)
    for _ in range(15):
        batch.act(batch.sample())
    return rules, batch.views(), batch.actor, batch.words


def shapes(rules):
    layout, values = make_layout(rules), value_outputs(rules)
    cards = [CardShape(layout, 16, 1, heads, values) for heads in (0, 2)]
    return [Shape(layout.size, (24, 20), values), *cards]


# --- as agents -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("variant", "players"), GAMES)
def test_the_network_in_torch_plays_as_the_kernels_do(variant, players):
    rules = make_rules(variant, players)
    shape = shapes(rules)[0]
    policy = Policy.of(rules, make_layout(rules), shape, initial(shape, np.random.default_rng(0)) * 3)
    arguments = middle(rules)
    plain = policy.act_many(*arguments)
    policy._network = NetworkMind(shape, policy.theta)
    assert np.array_equal(plain, policy.act_many(*arguments))


@pytest.mark.parametrize(("variant", "players"), [*GAMES, ("mini", 2)])
@pytest.mark.parametrize("heads", [0, 2])
def test_a_card_network_plays_whole_games_and_many_as_one(variant, players, heads):
    rules = make_rules(variant, players)
    shape = CardShape(make_layout(rules), 16, 1, heads, value_outputs(rules))
    policy = Policy.of(rules, make_layout(rules), shape, initial_weights(shape, np.random.default_rng(0)))
    game = Game(rules, seed=3)
    policy.reset(0, np.random.default_rng(0))
    while not game.over:
        game.apply(policy.act(observe(game)))
    _, views, seats, words = middle(rules, 8)
    many = policy.act_many(rules, views, seats, words)
    ones = [policy.act_many(rules, views[i : i + 1], seats[i : i + 1], words[i : i + 1])[0] for i in range(8)]
    assert many.tolist() == ones


def test_a_pointer_follows_its_card():
    """Exchanging two cards of a rank, and their marks, exchanges the chances of their actions and no others."""
    layout = make_layout(make_rules("south-african", 2))
    shape = CardShape(layout, 16, 2, 2, 1)
    network = make_network(shape, torch.from_numpy(initial_weights(shape, np.random.default_rng(0))))
    dict(network.named_parameters())["suit"].data.zero_()  # what tells them apart
    x = (torch.rand(1, layout.size) < 0.1).float()
    swapped = x.clone()
    for segment in layout.segments:
        if segment.name in ("place", "build", "marks", "depth"):
            rows = swapped[0, segment.offset : segment.offset + segment.size].view(segment.shape)
            rows[[20, 21]] = rows[[21, 20]].clone()
    one, other = network(x)[0][0], network(swapped)[0][0]
    order = np.arange(192)
    for kind in (0, 52, 104):
        order[[kind + 20, kind + 21]] = order[[kind + 21, kind + 20]]
    assert torch.allclose(one, other[order], atol=1e-5)
    assert (one - other).abs().max() > 1e-4


def test_files_hold_the_kind_and_come_back(tmp_path):
    rules = make_rules("south-african", 2)
    shape = shapes(rules)[2]
    theta = initial_weights(shape, np.random.default_rng(0))
    save_policy(tmp_path / "p.safetensors", shape, theta, rules, {})
    about = json.loads((tmp_path / "p.json").read_text())
    assert (about["network"], about["width"], about["heads"]) == ("cards", 16, 2)
    loaded = make_agent(f"policy:{tmp_path / 'p.safetensors'}")
    assert np.array_equal(loaded.theta, theta)
    observation = observe(Game(rules, seed=1))
    same = Policy.of(rules, make_layout(rules), shape, theta).probabilities(observation)
    assert np.array_equal(loaded.probabilities(observation), same)
    for change, said in (
        ({"width": 32}, "weights rank"), ({"network": "tree"}, "unknown network 'tree'"), ({"layers": None}, "layers"),
        ({"heads": 3}, "heads"),
    ):  # fmt: skip
        (tmp_path / "p.json").write_text(json.dumps(about | change))
        with pytest.raises(AgentError, match=said) as caught:
            make_agent(f"policy:{tmp_path / 'p.safetensors'}")
        assert "\n" not in str(caught.value)


def test_search_refuses_what_no_kernel_can_run(tmp_path):
    rules = make_rules("mini", 2)
    shape = CardShape(make_layout(rules), 16, 1, 0, 1)
    theta = initial_weights(shape, np.random.default_rng(0))
    save_policy(tmp_path / "p.safetensors", shape, theta, rules, {})
    search = make_agent(f"search:sims=8,rollout=policy:{tmp_path / 'p.safetensors'}")
    search.reset(0, np.random.default_rng(0))
    with pytest.raises(ValueError, match="network of kind 'cards'; search plays with 'mlp' only"):
        search.act(observe(Game(rules, seed=1)))


def test_a_best_response_to_a_card_network_is_one(tmp_path):
    config = tiny(run={"name": "target", "decisions": 128}, opponents={"frozen": 0.0})
    Run.start(config, tmp_path).train(quiet=True)
    agent = f"policy:{tmp_path / 'target'}"
    best = {"run": {"algorithm": "best-response"}, "target": {"agent": agent}, "opponents": {"bots": {}}}
    algorithm = make_algorithm(tiny(**best))
    algorithm.learn(0.0)
    assert (algorithm.rollout.control == 1).any(axis=1).all()  # the target sits in every game
    with pytest.raises(ConfigError, match="must be like it"):
        make_algorithm(tiny(**best, network={"kind": "mlp"}))


def test_weights_of_a_network_lie_in_its_flat_array():
    for shape in shapes(make_rules("swazi", 3)):
        flat = torch.from_numpy(initial_weights(shape, np.random.default_rng(0)))
        network = make_network(shape, flat)
        assert [name for name, _ in network.named_parameters()] == list(shape.parts)
        flat.zero_()
        assert all(not part.any() for part in network.parameters())


# --- learning --------------------------------------------------------------------------------------------------------


def rows_of(shape, rules, kind=Rollout, **keywords):
    opponents = Opponents(shape, {"greedy": 0.2}, 0.3, 2)
    opponents.freeze("1", initial_weights(shape, np.random.default_rng(9)), np.zeros((0, rules.players), np.int64))
    rollout = kind(rules, Options(), shape, opponents, games=8, horizon=16, seed=1, **keywords)
    rows = rollout.rows()
    for _ in range(2):
        rollout.collect(initial_weights(shape, np.random.default_rng(0)), rows)
    return rollout, rows


@pytest.mark.parametrize("critic", ["shared", "privileged"])
def test_both_rollouts_of_the_fast_network_write_the_same_rows(critic):
    rules = make_rules("swazi", 3)
    shape = shapes(rules)[0]
    (one, first), (two, second) = (
        rows_of(shape, rules, Rollout, critic=critic), rows_of(shape, rules, TorchRollout, critic=critic, device=CPU)
    )  # fmt: skip
    lists = {"indices": first.counts, "critic_indices": first.critic_counts}
    for name, array in first._asdict().items():
        other = getattr(second, name)
        if name in lists:
            within = np.arange(array.shape[1]) < lists[name][:, None]
            array, other = np.where(within, array, 0), np.where(within, other, 0)
        assert other == pytest.approx(array, abs=1e-5), name
    assert np.array_equal(one.opponents.results, two.opponents.results)
    assert one.opponents.results[1:3, 0].all()  # the bot and the one frozen network


@pytest.mark.parametrize(("variant", "players"), GAMES)
def test_both_learners_of_the_fast_network_make_the_same_steps(variant, players):
    rules = make_rules(variant, players)
    shape = shapes(rules)[0]
    theta = initial(shape, np.random.default_rng(0))
    _, rows = rows_of(shape, rules)
    rng = np.random.default_rng(1)
    gains = rng.standard_normal(128).astype(np.float32)
    targets = rng.standard_normal((128, rules.sides)).astype(np.float32)
    learners = MlpLearner(shape, theta.copy(), 64, 0.9, 0.5), TorchLearner(shape, theta, 0.9, 0.5)
    seen = []
    for learner in learners:
        stats, norms = new_stats(), []
        for step in range(4):
            chosen = np.random.default_rng(step).permutation(128)[:64]
            settings = np.array([0.2, 0.3, 0.5, 0.7])
            norms.append(
                learner.step(rows, chosen, gains, np.full(128, 0.1, np.float32), targets, settings, 1e-3, stats)
            )
            if step == 1:
                learner.move_magnet()
        seen.append((stats, norms))
    assert seen[1][0] == pytest.approx(seen[0][0], rel=1e-4, abs=1e-4)
    assert seen[1][1] == pytest.approx(seen[0][1], rel=1e-4)
    fast, other = (learner.state() for learner in learners)
    assert fast.keys() == other.keys()
    for name, array in fast.items():
        assert other[name] == pytest.approx(array, abs=2e-5), name
    assert learners[1].steps == learners[0].steps == 4


TINY = {
    "network": {"kind": "cards", "width": 16, "layers": 1, "heads": 0, "hidden": [16]},
    "ppo": {"games": 8, "horizon": 16, "minibatch": 32},
    "opponents": {"bots": {"greedy": 0.25}, "frozen": 0.25, "pool": 2, "every": 200},
    "run": {"decisions": 128 * 6, "deals": 10, "panel": ["random"]},
}


def tiny(**sections):
    return make_config({key: TINY.get(key, {}) | sections.get(key, {}) for key in TINY | sections})


@pytest.mark.parametrize(
    "settings",
    [
        {"machine": {"overlap": True}},
        {"machine": {"overlap": False}, "ppo": {"magnet": "snapshot", "magnet_every": 3, "critic": "separate"}},
        {"network": {"kind": "mlp"}, "ppo": {"critic": "privileged"}},
    ],
)
def test_a_resumed_run_is_the_same_run_bit_for_bit(tmp_path, settings):
    whole, half = (Run.start(tiny(run={"name": name}, **settings), tmp_path) for name in ("whole", "half"))
    goes_on_bit_for_bit(whole, half, iterations=3)
    make_agent(f"policy:{tmp_path / 'half'}")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("network.kind=card", "network.kind = 'card': Input should be 'mlp' or 'cards'"),
        ("network.heads=5", "width = 64: 5 heads cannot share it"),
        ("ppo.critic=privilege", "ppo.critic = 'privilege'"),
        ("machine.device=tpu", "machine.device = 'tpu'"),
        (["run.algorithm=dmc", "network.kind=cards"], "needs network.kind = 'mlp'"),
        (["run.algorithm=nfsp", "ppo.critic=separate"], "has no critic"),
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
        Ppo(tiny(machine={"device": "cuda"}))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("kind", ["mlp", "cards"])
def test_a_gpu_plays_and_learns_as_the_processor_does(kind):
    """Up to the precision of its products: the same games to begin with, and weights that move alike."""
    moved = []
    for device in ("cpu", "cuda"):
        algorithm = Ppo(tiny(network={"kind": kind}, machine={"device": device, "overlap": False}))
        before = algorithm.learner.weights.flat.copy()
        report = algorithm.learn(0.0)
        assert np.isfinite(list(report.values())).all()
        moved.append(algorithm.learner.weights.flat - before)
    alike = np.dot(*moved) / np.linalg.norm(moved[0]) / np.linalg.norm(moved[1])
    assert alike > 0.3
    algorithm.restore(*algorithm.state(), [])


# --- critics ---------------------------------------------------------------------------------------------------------


def test_a_privileged_critic_sees_what_the_seat_knows_and_then_the_truth():
    rules = make_rules("south-african", 2)
    layout = make_layout(rules)
    rollout, rows = rows_of(shapes(rules)[0], rules, critic="privileged")
    assert not rows.open.all()
    for row in range(len(rows.counts)):
        seen = rows.indices[row, : rows.counts[row]]
        listed = rows.critic_indices[row, : rows.critic_counts[row]]
        assert np.array_equal(listed[: len(seen)], seen)
        truth = set((listed[len(seen) :] - layout.size).tolist())
        assert all(0 <= index < layout.size for index in truth)
        assert rows.open[row] or truth - set(seen.tolist())  # cards in the opponent's hand
    assert np.array_equal(rows.critic_sides[: len(rows.side)], rows.side)
    # the position after the last row of a game, as it stands on the table now
    dense = rollout.batch.truth(rollout.batch.games["actor"].astype(np.int64))
    for game in range(8):
        at = len(rows.counts) + game
        listed = rows.critic_indices[at, : rows.critic_counts[at]]
        assert np.array_equal(np.sort(listed[listed >= layout.size]) - layout.size, np.flatnonzero(dense[game]))


@pytest.mark.parametrize(("variant", "players"), GAMES)
def test_a_critic_learns_the_values_of_every_side(variant, players):
    """Targets that depend on the side alone are soon known, from whichever side one looks."""
    rules = make_rules(variant, players)
    _, rows = rows_of(shapes(rules)[0], rules, critic="separate")
    ends = [2.0, -2.0] if rules.sides == 2 else [3.0, -1.0, -2.0]
    targets = np.tile(np.array(ends, np.float32), (128, 1))
    rng = np.random.default_rng(0)
    critic = Critic(make_layout(rules), "separate", (32,), value_outputs(rules), rng, minibatch=64, norm=10.0)
    for _ in range(150):
        critic.step(rows, rng.permutation(128)[:64], targets, 6e-3)
    critic.judge(rows)
    assert np.abs(rows.values - targets).mean() < 0.5


def test_the_advantages_rest_on_the_critic():
    algorithm = Ppo(tiny(network={"kind": "mlp"}, ppo={"critic": "privileged"}, machine={"overlap": False}))
    assert algorithm.critic
    before = algorithm.critic.learner.weights.flat.copy()
    report = algorithm.learn(0.0)
    rows = algorithm.arenas[0].rows
    algorithm.critic.judge(rows)
    assert not np.array_equal(before, algorithm.critic.learner.weights.flat)
    untouched = algorithm.critic.learner.weights.parts
    assert np.array_equal(untouched["policy.bias"], np.zeros_like(untouched["policy.bias"]))
    assert np.isfinite(report["explained"])
