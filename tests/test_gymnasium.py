"""Gymnasium's own test kit, and what it leaves out: copies, opponents of every kind, the vector environment."""

import copy
import pickle
import warnings

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

from casino_env import IllegalActionError
from casino_env.envs.registration import env_id
from tests.environments import GAMES, GYM_ID, ids, legal_choice


@pytest.mark.parametrize("game", GAMES, ids=ids)
def test_gymnasium_kit(game):
    """check_env plays any action, legal or not, so a flaw shows only now and then."""
    name, players = game
    runs = 100 if game == ("south-african", 2) else 4
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(runs):
            check_env(gym.make("casino_env:" + env_id(name), players=players).unwrapped, skip_render_check=True)


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e)), lambda e: e.unwrapped.clone()]
)
def test_a_copy_of_the_gymnasium_face(copied):
    environment = gym.make(GYM_ID, history=4)
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


class Lowest:
    """An agent of one's own."""

    def reset(self, seat, rng):
        self.seat = seat

    def act(self, observation):
        assert observation.seat == self.seat
        return observation.legal()[0]


@pytest.mark.parametrize("opponents", ["random", Lowest(), lambda o: o.legal()[-1], [Lowest(), "random"]])
def test_opponents_of_every_kind(opponents):
    players = 3
    environment = gym.make("casino_env:CasinoEnv/Swazi-v0", players=players, seat=2, opponents=opponents)
    rewards = []
    for seed in range(3):
        observation, info = environment.reset(seed=seed)
        over = False
        rng = np.random.default_rng(seed)
        while not over:
            masks = environment.get_wrapper_attr("action_masks")()
            assert masks.dtype == bool
            assert (
                masks.tolist()
                == observation["action_mask"].astype(bool).tolist()
                == info["action_mask"].astype(bool).tolist()
            )
            observation, reward, over, truncated, info = environment.step(legal_choice(observation, rng))
            assert truncated is False
        rewards.append(reward)
    assert any(rewards)


def test_wrong_opponents(monkeypatch):
    monkeypatch.setattr("casino_env.envs.opponents.resolvers", [])  # as if agents had not been imported
    for wrong, message in (("gready", "import agents"), ([1, 2, 3], "3 given"), (7, "give a name")):
        with pytest.raises(ValueError, match=message):
            gym.make(GYM_ID, opponents=wrong)
    with pytest.raises(ValueError, match="seat = 2"):
        gym.make(GYM_ID, seat=2)


def test_raise_instead_of_ending():
    environment = gym.make(GYM_ID, on_illegal="raise")
    observation, _ = environment.reset(seed=0)
    with pytest.raises(IllegalActionError):
        environment.step(int(np.flatnonzero(observation["action_mask"] == 0)[0]))
    environment.step(int(np.flatnonzero(observation["action_mask"])[0]))


def test_vector_face():
    vec = gym.make_vec(GYM_ID, num_envs=12, players=2)
    assert vec.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    observation, info = vec.reset(seed=1)
    rng, ended = np.random.default_rng(0), 0
    for _ in range(120):
        assert observation["observation"] in vec.observation_space["observation"]  # type: ignore[index]
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in info["action_mask"]])
        observation, reward, over, truncated, info = vec.step(actions)
        assert not truncated.any()
        assert (observation["action_mask"].sum(1) > 0).all()
        assert ((reward != 0) <= over).all()
        if over.any():
            assert (info["_final_obs"] == over).all()
            assert all((last is not None) == done for last, done in zip(info["final_obs"], over, strict=True))
        ended += int(over.sum())
    assert ended > 20
    observation, reward, over, _, info = vec.step(np.full(12, 191))
    assert over.all()
    assert (reward == -11).all()


def test_vector_face_plays_the_games_of_the_single_one():
    """Same seeds and the same opponents: game i of a batch is the single game of seed + i."""
    last = lambda o: o.legal()[-1]  # noqa: E731
    vec = gym.make_vec(GYM_ID, num_envs=4, opponents=last)
    singles = [gym.make(GYM_ID, opponents=last) for _ in range(4)]
    batch, _ = vec.reset(seed=9)
    ones = [single.reset(seed=9 + i)[0] for i, single in enumerate(singles)]
    for _ in range(8):
        for i, one in enumerate(ones):
            assert one["observation"].tobytes() == batch["observation"][i].tobytes()
        actions = [int(np.flatnonzero(one["action_mask"])[0]) for one in ones]
        batch, rewards, over, _, _ = vec.step(np.array(actions))
        results = [single.step(action) for single, action in zip(singles, actions, strict=True)]
        assert [r[1] for r in results] == rewards.tolist()
        if over.any():
            return
        ones = [r[0] for r in results]
