"""Gymnasium's own test kit, and what it leaves out: copies, opponents of every kind, seeds, the mask at the end."""

import copy
import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from casino_env import IllegalActionError, env, make_vec, raw_env
from casino_env.envs.registration import env_id
from tests.environments import GAMES, GYM_ID, ids, legal_choice, make_many, make_one
from tests.players import Drawing, Lowest
from tests.refusals import refused


@pytest.mark.parametrize("game", GAMES, ids=ids)
def test_gymnasium_kit(game):
    """check_env plays any action, legal or not, so a flaw shows only now and then."""
    name, players = game
    runs = 40 if game == ("south-african", 2) else 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(runs):
            check_env(make_one("casino_env:" + env_id(name), players=players).unwrapped, skip_render_check=True)


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e)), lambda e: e.unwrapped.clone()]
)
def test_a_copy_of_the_gymnasium_face(copied):
    environment = make_one(GYM_ID, history=4)
    observation, _ = environment.reset(seed=4)
    rng = np.random.default_rng(0)
    for _ in range(4):
        observation = environment.step(legal_choice(observation, rng))[0]
    twin = copied(environment)
    for _ in range(30):
        action = legal_choice(observation, rng)
        ours, theirs = environment.step(action), twin.step(action)
        assert all(ours[0][key].tobytes() == theirs[0][key].tobytes() for key in ours[0])
        assert ours[1:4] == theirs[1:4]
        if ours[2]:
            return
        observation = ours[0]
    pytest.fail("a deal has fewer decisions")


@pytest.mark.parametrize("opponents", ["random", Lowest(), lambda o: o.legal()[-1], [Lowest(), "random"]])
def test_opponents_of_every_kind(opponents):
    players = 3
    environment = make_one("casino_env:CasinoEnv/Swazi-v0", players=players, seat=2, opponents=opponents)
    rewards = []
    for seed in range(3):
        observation, info = environment.reset(seed=seed)
        over = False
        rng = np.random.default_rng(seed)
        while not over:
            masks = environment.get_wrapper_attr("action_masks")()
            assert masks.dtype == bool
            assert all((masks == each["action_mask"].astype(bool)).all() for each in (observation, info))
            observation, reward, over, truncated, info = environment.step(legal_choice(observation, rng))
            assert truncated is False
        rewards.append(reward)
    assert any(rewards)


def test_wrong_opponents():
    for wrong, message in (("gready", "did you mean 'greedy'"), ([1, 2, 3], "3 given"), (7, "give a name")):
        with pytest.raises(ValueError, match=message):
            make_one(GYM_ID, opponents=wrong)
    with pytest.raises(ValueError, match="seat = 2"):
        make_one(GYM_ID, seat=2)


def test_raise_instead_of_ending():
    environment = make_one(GYM_ID, on_illegal="raise")
    observation, _ = environment.reset(seed=0)
    with pytest.raises(IllegalActionError):
        environment.step(int(np.flatnonzero(observation["action_mask"] == 0)[0]))
    environment.step(int(np.flatnonzero(observation["action_mask"])[0]))


@pytest.mark.parametrize("opponents", ["random", "counter", Drawing()])
@pytest.mark.parametrize("seed", [np.int64(3), np.uint8(3), 3])
def test_any_kind_of_seed_repeats(opponents, seed):
    environment = make_one(GYM_ID, opponents=opponents)
    assert lowest_play(environment, seed) == lowest_play(make_one(GYM_ID, opponents=opponents), 3)
    assert lowest_play(environment, None) != lowest_play(environment, None)  # the next games of the stream


def lowest_play(environment, seed):
    """What the lowest legal actions meet with."""
    observation, _ = environment.reset(seed=seed)
    seen, over = [], False
    while not over:
        seen.append(observation["observation"].tobytes())
        observation, reward, over, _, _ = environment.step(np.int16(observation["action_mask"].argmax()))
    return [*seen, reward]


def test_the_mask_at_the_end_is_all_ones():
    environment = make_one(GYM_ID)
    observation, _ = environment.reset(seed=1)
    over = False
    while not over:
        action = environment.action_space.sample(environment.get_wrapper_attr("action_masks")())
        assert observation["action_mask"][action] == 1
        observation, _, over, _, info = environment.step(action)
    assert observation["action_mask"].all() and info["action_mask"].all()
    environment.reset(seed=1)
    observation, _, over, _, info = environment.step(191)
    assert over and observation["action_mask"].all() and info["illegal_action"] == 191


@pytest.mark.parametrize("action", [3.0, 3.7, np.float32(3), True, np.True_, "3", None, [3], np.array([3, 4]), 1j])
def test_what_is_no_action(action):
    for environment in (make_one(GYM_ID), make_one(GYM_ID, on_illegal="raise")):
        environment.reset(seed=1)
        with refused("an action is a whole number from 0 to 191, not"):
            environment.unwrapped.step(action)


@pytest.mark.parametrize("kind", [int, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint64, np.array])
def test_whole_numbers_of_every_kind_are_actions(kind):
    environment = make_one(GYM_ID, on_illegal="raise").unwrapped
    observation, _ = environment.reset(seed=1)
    environment.step(kind(int(observation["action_mask"].argmax())))


@pytest.mark.parametrize(
    ("seed", "said"),
    [(-1, "from 0 to 2.64"), (2**64, "from 0 to 2.64"), (1.0, "whole number"), ("7", "whole number"), (True, "whole")],
)
def test_seeds_that_cannot_be(seed, said):
    with pytest.raises(ValueError, match=said):
        make_one(GYM_ID).unwrapped.reset(seed=seed)
    with pytest.raises(ValueError, match=said):
        make_many(GYM_ID, num_envs=2).reset(seed=[1, seed])
    with pytest.raises(ValueError, match=said):
        raw_env().reset(seed=seed)
    with pytest.raises(ValueError, match=said):
        make_vec(num_envs=2, seed=seed)


def test_options_of_reset():
    made: list[Any] = [make_one(GYM_ID), make_many(GYM_ID, num_envs=2), raw_env(), env()]
    for environment in made:
        environment.reset(seed=1, options=None)
        environment.reset(seed=1, options={})
        with pytest.raises(ValueError, match="unknown option 'colour'"):
            environment.reset(seed=1, options={"colour": "red"})
        with pytest.raises(ValueError, match="it must be a dictionary or None"):
            environment.reset(seed=1, options=["colour"])


@pytest.mark.parametrize(
    ("make", "keyword", "near"),
    [
        (env, "rewards", "reward"),
        (raw_env, "render_mod", "render_mode"),
        (make_vec, "num_env", "num_envs"),
        (lambda **k: make_one(GYM_ID, **k), "opponent", "opponents"),
        (lambda **k: make_many(GYM_ID, num_envs=2, **k), "autoreset", "autoreset_mode"),
        (lambda **k: make_many(GYM_ID, num_envs=2, vectorization_mode="sync", **k), "opponent", "opponents"),
    ],
)
def test_unknown_keywords(make, keyword, near):
    """Libraries try keywords out and look for Python's own words."""
    with pytest.raises(
        TypeError, match=f"got an unexpected keyword argument '{keyword}' .did you mean '{near}'"
    ) as error:
        make(**{keyword: 1})
    assert "\n" not in str(error.value)
    with pytest.raises(TypeError, match="got an unexpected keyword argument 'frameskip'"):
        make(frameskip=1)


@pytest.mark.parametrize("make", [env, raw_env, lambda **k: make_one(GYM_ID, **k), lambda **k: make_many(GYM_ID, **k)])
def test_values_that_cannot_be_are_told_in_a_short_line(make):
    wrong = [10**400, np.zeros((9, 9)), "x" * 999, b"x", [[[[[]]]]], object(), float("nan"), 1.5]
    for key in ("reward", "match", "history", "shaping", "dtype", "render_seat"):
        for value in wrong:
            if key != "shaping" or value is not wrong[-1]:
                with refused(f"{key} = .*; it must be", most=300):
                    make(**{key: value})


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), 10**400, "1", True])
def test_penalties_that_cannot_be(wrong):
    with pytest.raises(ValueError, match="illegal_reward = "):
        make_one(GYM_ID, illegal_reward=wrong)
    with pytest.raises(ValueError, match="illegal_reward = "):
        make_many(GYM_ID, num_envs=2, illegal_reward=wrong)


def test_what_a_copy_and_a_critic_need_is_reached_through_the_wrappers():
    environment = make_one(GYM_ID)
    environment.reset(seed=1)
    for reached in (environment.get_wrapper_attr, lambda name: getattr(environment.unwrapped, name)):
        assert reached("action_masks")().dtype == bool
        assert reached("state")().shape == environment.observation_space["observation"].shape
        assert reached("clone")().step(191)[2]


def test_opponents_that_do_not_fit():
    with pytest.raises(ValueError, match="plays swazi with 2 players, not south-african with 2"):
        make_one(GYM_ID, opponents="policy:swazi-2")
    with pytest.raises(ValueError, match="that is a class; give an agent"):
        make_one(GYM_ID, opponents=Lowest)
    fool = make_one(GYM_ID, players=2, seat=0, opponents=lambda o: float(o.legal()[0]))
    with pytest.raises(ValueError, match="an action is a whole number"):
        fool.reset(seed=1)


def test_the_same_agent_on_two_seats_is_two():
    agent = Lowest()
    for given in (agent, [agent, agent]):
        made = make_one("casino_env:CasinoEnv/Swazi-v0", players=3, opponents=given).unwrapped.opponents
        assert made[1] is not made[2]
