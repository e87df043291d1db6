"""The Stable-Baselines3 adapter of a batch: its games are ours bit for bit, and training is reproducible."""

import numpy as np
import pytest

pytest.importorskip("stable_baselines3", reason="tests/interop.sh sb3 installs it")

from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import VecMonitor

from casino_env.envs.gymnasium import SingleVectorEnv
from examples.sb3_vec_env import Sb3VecEnv

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("limit", "cut"), [(8, True), (None, False)])
def test_its_games_are_those_of_the_batch(limit, cut):
    keywords = {"opponents": "greedy", "players": 3, "max_episode_steps": limit}
    theirs, ours = Sb3VecEnv(8, "swazi", **keywords), SingleVectorEnv(8, "swazi", dtype="float32", **keywords)
    theirs.seed(5)
    seen, (known, info) = theirs.reset(), ours.reset(seed=list(range(5, 13)))
    rng, ends = np.random.default_rng(1), set()
    for _ in range(60):
        assert np.array_equal(seen, known["observation"]) and seen[0] in theirs.observation_space
        masks = np.stack(theirs.env_method("action_masks"))
        assert np.array_equal(masks, info["action_mask"].astype(bool)) and masks.dtype == bool
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        seen, rewards, done, told = theirs.step(actions)
        known, gained, terminated, truncated, info = ours.step(actions)
        assert np.array_equal(rewards, gained.astype(np.float32)) and np.array_equal(done, terminated | truncated)
        for index, row in enumerate(told):
            assert bool(row) == done[index]
            if row:
                assert np.array_equal(row["terminal_observation"], info["final_obs"][index]["observation"])
                assert row["TimeLimit.truncated"] == (truncated[index] and not terminated[index])
                ends.add(row["TimeLimit.truncated"])
    assert ends == {cut}


def test_what_is_asked_of_single_games():
    env = Sb3VecEnv(4)
    assert env.has_attr("action_masks") and not env.has_attr("nothing")
    assert len(env.get_attr("seat", [0, 2])) == 2 and env.env_is_wrapped(object) == [False] * 4
    env.reset()
    assert len(env.env_method("action_masks", indices=1)) == 1
    for wrong in (lambda: env.set_attr("seat", 1), lambda: env.env_method("clone")):
        with pytest.raises(AttributeError):
            wrong()


def test_the_same_seed_is_the_same_training():
    found = []
    for _ in range(2):
        env = VecMonitor(Sb3VecEnv(8, opponents="greedy"))
        model = MaskablePPO("MlpPolicy", env, n_steps=32, batch_size=64, n_epochs=1, seed=3, device="cpu")
        model.learn(512)
        assert len(model.ep_info_buffer) > 0
        found.append(model.policy.state_dict()["action_net.weight"].numpy())
    assert np.array_equal(*found)
