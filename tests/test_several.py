"""One network that learns several games by turns."""

from typing import Any

import pytest

from casino_env import Game, make_rules, observe
from casino_env.agents.policy.policy_agent import make_policy
from casino_env.train.config import make_config
from casino_env.train.run import Run
from casino_env.train.settings import ConfigError
from tests.resuming import goes_on_bit_for_bit

GAMES: list[tuple[str, int, dict[str, Any]]] = [
    ("south-african", 2, {}),
    ("khasino", 3, {}),
    ("khasino", 4, {}),
    ("swazi", 2, {"pile_order": "ask"}),
]
FIRST, *OTHERS = [{"variant": name, "players": players, "rules": changes} for name, players, changes in GAMES]
SMALL = {
    "game": FIRST | {"layout": "universal", "others": OTHERS},
    "network": {"hidden": [16]},
    "selfplay": {"games": 4, "horizon": 8, "minibatch": 16},
    "opponents": {"bots": {"greedy": 0.2}, "earlier_selves": 0.3, "pool": 2, "every": 64},
    "machine": {},
    "afterstates": {"deals": 2, "minibatch": 16},
    "run": {"algorithm": "ppo", "decisions": 10 * 32, "panel": ["random"], "deals": 4, "name": "several"},
}


def small(**changes):
    return make_config({name: section | changes.get(name, {}) for name, section in SMALL.items()})


def test_each_iteration_is_one_kind_of_game(tmp_path):
    algorithm = Run.start(small(), tmp_path).algorithm
    assert [games.rules for games in algorithm.rollouts] == [make_rules(n, p, **changes) for n, p, changes in GAMES]
    assert algorithm.shape.values == 3  # of the game with the most sides
    for number in range(8):
        games = algorithm.games()
        assert games is algorithm.rollouts[number % 4]
        algorithm.learn(number / 10)
        buffer = games.buffer
        assert buffer.values.shape == (32, games.rules.sides)
        assert (buffer.counts > 0).all() and buffer.indices.max() < algorithm.layout.size
        algorithm.wait()
    assert len(algorithm.opponents.names) == 2


@pytest.mark.parametrize("algorithm", ["ppo", "afterstates"])
@pytest.mark.parametrize("overlap", [True, False])
def test_it_goes_on_bit_for_bit(tmp_path, overlap, algorithm):
    whole, half = (
        Run.start(small(run={"name": name, "algorithm": algorithm}, machine={"overlap": overlap}), tmp_path)
        for name in ("whole", "half")
    )
    goes_on_bit_for_bit(whole, half, iterations=5)


def test_the_policy_plays_them_all_and_others_too(tmp_path):
    run = Run.start(small(), tmp_path)
    run.save()
    policy = make_policy(str(run.folder))
    for name, players, changes in [*GAMES, ("cassino", 2, {})]:
        game = Game(make_rules(name, players, **changes), seed=1)
        assert policy.act(observe(game)) in game.legal()
    with pytest.raises(ValueError, match="plays south-african with 2 players"):  # four sides, three values
        policy.act(observe(Game("south-african", 4, seed=1)))
    assert list(run.strength()) == ["random in south-african 2", "random in khasino 3",
                                    "random in khasino 4 partners", "random in swazi 2"]  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"game": {"layout": "own"}}, "game.others needs game.layout = 'universal'"),
        ({"run": {"algorithm": "dmc"}}, "game.others needs game.layout = 'universal'"),
        ({"game": {"others": [{"variant": "kasino"}]}}, "unknown variant 'kasino' .did you mean 'khasino'"),
        ({"game": {"others": [{"variants": "khasino"}]}}, "game.others.0.variants: there is no such setting"),
    ],
)
def test_what_does_not_fit_is_refused(changes, problem):
    with pytest.raises(ConfigError, match=problem):
        small(**changes)
