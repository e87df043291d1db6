"""One network that learns several games by turns."""

from typing import Any

import pytest

from casino_env import Game, make_rules, observe
from casino_env.agents.policy.policy_agent import make_policy
from casino_env.train.run import Run
from casino_env.train.settings import ConfigError
from tests.trainings import small

GAMES: list[tuple[str, int, dict[str, Any]]] = [
    ("south-african", 2, {}),
    ("khasino", 3, {}),
    ("khasino", 4, {}),
    ("swazi", 2, {"pile_order": "ask"}),
]
FIRST, *OTHERS = [{"variant": name, "players": players, "rules": changes} for name, players, changes in GAMES]


def several(game=(), run=()):
    """A config for all of them."""
    return small(
        game=FIRST | {"layout": "universal", "others": OTHERS} | dict(game), run={"deals": 4, **dict(run)},
        selfplay={"games": 4, "horizon": 8, "minibatch": 16}, opponents={"every": 64},
    )  # fmt: skip


def test_each_iteration_is_one_kind_of_game(tmp_path):
    algorithm = Run.start(several(), tmp_path).algorithm
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


def test_the_policy_plays_them_all_and_others_too(tmp_path):
    run = Run.start(several(), tmp_path)
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
        several(**changes)
