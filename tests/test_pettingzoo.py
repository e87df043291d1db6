"""PettingZoo's own test kit, and what it leaves out: seeds, copies, wrong keywords, illegal actions."""

import copy
import pickle
import warnings

import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, seed_test
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from casino_env import IllegalActionError, env, raw_env
from tests.environments import GAMES, ids, play
from tests.refusals import refused


@pytest.mark.parametrize("game", GAMES, ids=ids)
def test_pettingzoo_kit(game, capsys):
    name, players = game
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it does not know our names for the parts of an observation
        api_test(env(name, players), num_cycles=200)
        seed_test(lambda: env(name, players))
        parallel_api_test(turn_based_aec_to_parallel(env(name, players)), num_cycles=100)


@pytest.mark.parametrize("seed", [0, 1, 5, 2**64 - 1])
def test_same_seed_same_games_and_the_stream_goes_on(seed):
    """Several games after one seed, without seeding again: the same in two environments, and no two alike."""
    twins = [env("swazi", 3), env("swazi", 3)]
    rngs = [np.random.default_rng(1), np.random.default_rng(1)]
    played = []
    for number in range(3):
        runs = []
        for environment, rng in zip(twins, rngs, strict=True):
            environment.reset(seed=seed if number == 0 else None)
            runs.append(play(environment, rng))
        assert runs[0] == runs[1]
        played.append(runs[0])
    assert played[0] != played[1] != played[2] != played[0]


def test_unseeded_resets_deal_different_games():
    environment = raw_env("south-african", 2)
    environment.reset(seed=1)
    hands = set()
    for _ in range(5):
        hands.add(environment.observe("player_0")["observation"].tobytes())
        environment.reset()
    assert len(hands) == 5


def test_reset_in_mid_game_begins_anew():
    environment = env("khasino", 2)
    rng = np.random.default_rng(0)
    environment.reset(seed=3)
    before = play(environment, rng, 1)
    play(environment, rng, 7)
    environment.reset(seed=3)
    assert play(environment, np.random.default_rng(0), 1) == before


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e)), lambda e: e.clone()])
@pytest.mark.parametrize("make", [env, raw_env])
def test_a_copy_goes_on_from_the_same_moment(make, copied):
    environment = make("swazi", 4, history=6)
    environment.reset(seed=2)
    play(environment, np.random.default_rng(0), 11)
    twin = copied(environment)
    rest = play(environment, np.random.default_rng(1))
    assert len(rest) > 10
    assert play(twin, np.random.default_rng(1)) == rest


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"variant": "swazy"}, "did you mean 'swazi'"),
        ({"players": 7}, "players, not 7"),
        ({"reward": "money"}, "diff, points, win"),
        ({"render_mode": "3d"}, "ansi, human, svg, rgb_array"),
        ({"layout": "flat"}, "own, universal"),
        ({"memory": "bad"}, "perfect, none"),
        ({"history": -1}, "0 to 1000"),
        ({"dtype": "int32"}, "int8, float32"),
        ({"insist_capture": "maybe"}, "never, always, ask"),
        ({"render_seat": 5}, "render_seat = 5"),
    ],
)
def test_wrong_keywords(keywords, message):
    with refused(message):
        raw_env(**({"variant": "south-african", "players": 2} | keywords))


def test_an_illegal_action_raises_in_raw_env_and_changes_nothing():
    environment = raw_env("south-african", 2)
    environment.reset(seed=1)
    before = environment.last()[0]["observation"].tobytes()
    illegal = int(np.flatnonzero(environment.last()[0]["action_mask"] == 0)[0])
    for action in (illegal, 192, -1, -5):
        with pytest.raises(IllegalActionError, match="is illegal for seat"):
            environment.step(action)
    assert environment.last()[0]["observation"].tobytes() == before


def test_an_illegal_action_ends_the_wrapped_game_with_a_penalty():
    environment = env("south-african", 2)
    environment.reset(seed=1)
    offender = environment.agent_selection
    environment.step(int(np.flatnonzero(environment.last()[0]["action_mask"] == 0)[0]))
    assert environment.terminations[offender]
    assert environment.rewards[offender] == -11


def test_pettingzoo_registry():
    registration = pytest.importorskip("pettingzoo.env_registry.registration")
    environment = registration.make("aec", "CasinoEnv/Khasino-v0", players=4)
    environment.reset(seed=1)
    assert environment.num_agents == 4
