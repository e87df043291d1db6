"""The training algorithms: exploration, learning, resuming, and opponents."""

from typing import Any

import numpy as np
import pytest

from casino_env import Game, make_rules, observe
from casino_env.agents.policy.mlp import initial
from casino_env.agents.policy.policy_agent import Policy, make_policy
from casino_env.agents.policy.policy_files import Weights
from casino_env.engine.action_set import actions_of
from casino_env.evaluate import match
from casino_env.train.algorithms import ALGORITHMS, make_algorithm
from casino_env.train.algorithms.algorithm import Algorithm
from casino_env.train.config import ConfigError
from casino_env.train.learner import Aims, PpoLoss, new_sums
from casino_env.train.rollouts.selfplay import AS_LIKELY, LEARNER, Sampling
from casino_env.train.run import Run
from tests.refusals import refused
from tests.trainings import action_rollouts, goes_on_bit_for_bit, small


def played(sampling):
    rollouts = action_rollouts()
    rollouts.play(initial(rollouts.shape, np.random.default_rng(0)), sampling)
    return rollouts.take()


def test_exploration_takes_any_legal_action():
    buffer = played(Sampling(0.0, 1.0))
    many = [len(actions_of(legal)) for legal in buffer.legal]
    assert buffer.log_prob == pytest.approx(-np.log(many), abs=1e-6)


def test_greedy_play_is_certain_but_for_its_share_of_exploration():
    buffer = played(Sampling(0.0, 0.25))
    many = np.array([len(actions_of(legal)) for legal in buffer.legal])
    best = np.isclose(np.exp(buffer.log_prob), 0.75 + 0.25 / many)
    other = np.isclose(np.exp(buffer.log_prob), 0.25 / many)
    assert (best | other).all()
    assert 0.7 < best.mean() < 1.0


# --- they learn, and resume ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernels", [True, False])
def test_what_the_value_explains_at_a_table_of_three(kernels):
    """With three sides each row has three targets; explained variance is over all of them."""
    config = small(game={"variant": "swazi", "players": 3}, run={"algorithm": "ppo"}, machine={"kernels": kernels})
    algorithm = make_algorithm(config)
    rows, values = np.arange(32), algorithm.shape.values
    buffer = algorithm.collect(AS_LIKELY)
    targets = np.random.default_rng(0).normal(3.0, 2.0, (128, 3)).astype(np.float32)
    aims, sums = Aims(np.zeros(128, np.float32), np.zeros(128, np.float32), targets), new_sums()
    norm = algorithm.learner.ppo_step(buffer, rows, aims, PpoLoss(0.2, 0.0, 0.5), 0.0, sums)
    found = algorithm.finish(32, sums, [norm])
    seen = targets[rows]
    assert values == 3
    error = 2.0 * found["value_loss"] / values  # mean squared error over rows and sides
    assert found["explained_variance"] == pytest.approx(1.0 - error / seen.var(), rel=1e-4)


@pytest.mark.parametrize(("name", "own", "rival", "least"), [
    ("dmc", {"selfplay": {"games": 64, "minibatch": 128}}, "random", 0.5),
    ("afterstates", {"afterstates": {"deals": 64, "minibatch": 128}, "opponents": {"bots": {}}}, "greedy", 0.0),
])  # fmt: skip
def test_it_learns_to_beat_a_bot_on_mini(name, own, rival, least):
    a = make_algorithm(small(run={"algorithm": name}, game={"variant": "mini"}, network={"hidden": [32]}, **own))
    for iteration in range(60):
        a.learn(iteration / 60)
    policy = Policy(Weights(a.rules, a.layout, a.shape, a.best, a.value_scale))
    found = match(policy, rival, a.rules, deals=600, seed=5)
    assert found.low > least


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


ALONE, TORCH = {"machine": {"overlap": False}}, {"machine": {"kernels": False}}
OF_TURNS: dict[str, dict[str, Any]] = {"run": {"algorithm": "afterstates", "decisions": 2048}}
OWN = {"afterstates": OF_TURNS, "best-response": {"target": {"agent": "greedy"}}}  # settings needed besides their name
SEVERAL: dict[str, dict[str, Any]] = {
    "game": {"layout": "universal", "others": [{"variant": "khasino", "players": 3}]},
    "selfplay": {"games": 4, "horizon": 16, "minibatch": 32},
}
RUNS: dict[str, dict[str, dict[str, Any]]] = {
    **{name: {"run": {"algorithm": name}} | OWN.get(name, {}) for name in ALGORITHMS},
    "ppo, alone": ALONE, "afterstates, alone": OF_TURNS | ALONE,
    "torch": TORCH, "torch, alone": {"machine": {"kernels": False, "overlap": False}},
    "several games": SEVERAL, "several games, alone": SEVERAL | ALONE,
    "several games, afterstates": SEVERAL | OF_TURNS, "several games, afterstates, alone": SEVERAL | OF_TURNS | ALONE,
}  # fmt: skip


@pytest.mark.parametrize("sections", RUNS.values(), ids=RUNS)
def test_a_resumed_run_is_the_same_run_bit_for_bit(tmp_path, sections):
    whole, half = (
        Run.start(small(**sections | {"run": sections.get("run", {}) | {"name": name}}), tmp_path)
        for name in ("whole", "half")
    )
    goes_on_bit_for_bit(whole, half, iterations=5)


class Reinforce(Algorithm):
    """REINFORCE with a baseline (Williams 1992): PPO's first step, where the ratio is 1, without clipping."""

    def learn(self, progress):
        own, games = self.config.selfplay, self.games()
        buffer = self.collect(AS_LIKELY)
        advantages, targets = games.advantages(buffer, 1.0, 1.0)
        rows, sums = len(buffer.counts), new_sums()
        aims, loss = Aims(advantages, np.zeros(rows, np.float32), targets), PpoLoss(1e9, 0.0, own.value_coef)
        grad_norms = [
            self.learner.ppo_step(buffer, chosen, aims, loss, own.rate(progress), sums)
            for chosen in self.minibatches(np.arange(rows), own)
        ]
        return self.finish(rows, sums, grad_norms)


def test_an_algorithm_is_a_class_and_a_row(tmp_path, monkeypatch):
    """A new algorithm gets games, opponents, checkpoints, resuming and the command without further code."""
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
    """Train a tiny run and return its folder."""
    run = Run.start(small(run={"name": "target", "decisions": 256, "algorithm": request.param}), tmp_path)
    run.train(quiet=True)
    return tmp_path / "target"


def respond(agent, **sections):
    return make_algorithm(small(run={"algorithm": "best-response"}, target={"agent": agent}, **sections))


def test_a_response_meets_its_target_in_every_game(target):
    algorithm = respond(f"policy:{target},temperature=0.5", network={"hidden": [16, 12], "start": str(target)})
    theta = Weights.load(str(target)).theta
    weights, sampling = algorithm.opponents.target
    assert np.array_equal(weights, theta)
    assert np.array_equal(algorithm.learner.weights.flat, theta)
    assert sampling == Sampling(0.5, 0.0)
    for _ in range(10):
        algorithm.learn(0.0)
    algorithm.wait()
    control = algorithm.games().seats.control
    assert ((control == LEARNER).sum(axis=1) == 1).all() and (control <= 1).all()
    assert np.array_equal(weights, theta)  # the target does not learn


@pytest.mark.parametrize(
    ("agent", "said"),
    [
        ("gredy", "'gredy': it must be policy:PATH or a bot (did you mean 'greedy'?)"),
        ("search", "it must be policy:PATH or a bot"),
        ("policy:nowhere", "nowhere: no weights found"),
    ],
)
def test_other_targets_are_refused(agent, said):
    with refused(said):
        respond(agent)


def test_a_target_of_another_size_or_game_is_refused(target):
    with pytest.raises(ConfigError, match=r"network: hidden \[8\].*; .* has \[16, 12\]"):
        respond(f"policy:{target}", network={"hidden": [8]})
    with pytest.raises(ValueError, match="plays south-african with 2 players"):
        respond(f"policy:{target}", game={"variant": "mini"})


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


# --- one network that learns several games by turns ------------------------------------------------------------------


GAMES: list[tuple[str, int, dict[str, Any]]] = [
    ("south-african", 2, {}),
    ("khasino", 3, {}),
    ("khasino", 4, {}),
    ("swazi", 2, {"pile_order": "ask"}),
]
FIRST, *OTHERS = [{"variant": name, "players": players, "rules": changes} for name, players, changes in GAMES]
OF_ALL: dict[str, dict[str, Any]] = {
    "game": FIRST | {"layout": "universal", "others": OTHERS},
    "run": {"deals": 4},
    "selfplay": {"games": 4, "horizon": 8, "minibatch": 16},
}


def test_each_iteration_is_one_kind_of_game(tmp_path):
    algorithm = Run.start(small(**OF_ALL), tmp_path).algorithm
    assert [games.rules for games in algorithm.rollouts] == [make_rules(n, p, **changes) for n, p, changes in GAMES]
    assert algorithm.shape.values == 3  # as many as the game with the most sides has
    for number in range(8):
        games = algorithm.games()
        assert games is algorithm.rollouts[number % 4]
        algorithm.learn(number / 10)
        buffer = games.buffer
        assert buffer.values.shape == (32, games.rules.sides)
        assert (buffer.counts > 0).all() and buffer.indices.max() < algorithm.layout.size
        algorithm.wait()


def test_the_policy_plays_them_all_and_others_too(tmp_path):
    run = Run.start(small(**OF_ALL), tmp_path)
    run.save()
    policy = make_policy(str(run.folder))
    for name, players, changes in [*GAMES, ("cassino", 2, {})]:
        game = Game(make_rules(name, players, **changes), seed=1)
        assert policy.act(observe(game)) in game.legal()
    with pytest.raises(ValueError, match="plays south-african with 2 players"):  # four sides, three values
        policy.act(observe(Game("south-african", 4, seed=1)))
    assert list(run.strength()) == ["random in south-african 2", "random in khasino 3",
                                    "random in khasino 4 partners", "random in swazi 2"]  # fmt: skip
