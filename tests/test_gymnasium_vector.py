"""The batched Gymnasium environment: the same games as the single one, autoreset modes, seeds, refusals."""

import copy
import os
import signal
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import vector as wrappers

import casino_env
from casino_env import agents
from casino_env.envs.gymnasium import autoreset_of
from tests.environments import GYM_ID, make_many, make_one
from tests.players import Drawing

MODES = ["same_step", "next_step", "disabled"]


class Noting(Drawing):
    """Record (id of the agent, seat) each time a game begins."""

    begun: list[tuple[int, int]] = []  # noqa: RUF012

    def reset(self, seat, rng):
        super().reset(seat, rng)
        Noting.begun.append((id(self), seat))


def lowest(mask):
    return mask.argmax(1)


# --- autoreset and reset_mask ---------------------------------------------------------------------------------------


POLICY = "policy:south-african-2,temperature=0.5"  # draws from each game's own random stream


@pytest.mark.parametrize("opponents", ["random", "counter", POLICY, Drawing(), lambda o: o.legal()[-1]])
@pytest.mark.parametrize(
    ("mode", "twin"), [("same_step", "SameStep"), ("next_step", AutoresetMode.NEXT_STEP), ("NextStep", "next_step")]
)
def test_the_vector_face_is_many_single_ones(opponents, mode, twin):
    """Gymnasium's SyncVectorEnv of single environments shows the same at every step, with autoreset in both modes."""
    if opponents == "random":
        opponents = Drawing()  # random opponents of a batch draw in one kernel
    ours = make_many(GYM_ID, num_envs=3, opponents=opponents, autoreset_mode=mode, max_episode_steps=9, threads=2)
    assert ours.autoreset_mode is ours.metadata["autoreset_mode"]
    assert make_many(GYM_ID, num_envs=1).autoreset_mode is AutoresetMode.SAME_STEP
    theirs: Any = gym.vector.SyncVectorEnv(
        [lambda: make_one(GYM_ID, opponents=copy.deepcopy(opponents), max_episode_steps=9)] * 3,
        autoreset_mode=autoreset_of(twin),
    )
    first, second = ours.reset(seed=4), theirs.reset(seed=4)
    for k in range(60):
        for key in first[0]:
            assert first[0][key].tobytes() == second[0][key].tobytes(), (k, key)
        assert (first[0]["action_mask"].sum(1) > 0).all() and first[0] in ours.observation_space
        actions = lowest(first[0]["action_mask"])
        if k % 7 == 3:
            actions[k % 3] = 191
        first, second = ours.step(actions), theirs.step(actions)
        for mine, their in zip(first[1:4], second[1:4], strict=True):
            assert mine.tolist() == their.tolist()
        if mode == "same_step" and (first[2] | first[3]).any():
            for i in np.flatnonzero(first[2] | first[3]):
                for key, value in second[4]["final_obs"][i].items():
                    assert first[4]["final_obs"][i][key].tobytes() == value.tobytes()
        assert np.all(first[4].get("_illegal_action", False) == second[4].get("_illegal_action", False))


def test_disabled_waits_for_reset():
    vec = make_many(GYM_ID, num_envs=3, autoreset_mode="disabled")
    observation, _ = vec.reset(seed=1)
    over = np.zeros(3, bool)
    while not over.any():
        observation, _, over, _, info = vec.step(lowest(observation["action_mask"]))
    assert observation["action_mask"][over].all() and info["action_mask"][over].all()
    before = observation["observation"].copy()
    with pytest.raises(gym.error.ResetNeeded, match="reset_mask"):
        vec.step(lowest(observation["action_mask"]))
    observation, _ = vec.reset(options={"reset_mask": over})
    assert (observation["observation"][~over] == before[~over]).all()
    assert (observation["observation"][over] != before[over]).any(1).all()
    vec.step(lowest(observation["action_mask"]))


@pytest.mark.parametrize("mode", MODES)
def test_reset_mask_begins_only_those(mode):
    vec = make_many(GYM_ID, num_envs=4, autoreset_mode=mode, opponents="greedy")
    with pytest.raises(gym.error.ResetNeeded, match="not begun"):
        vec.reset(options={"reset_mask": np.array([True, False, False, False])})
    begun, _ = vec.reset(seed=1)
    later = vec.step(lowest(begun["action_mask"]))[0]
    which = np.array([True, False, True, False])
    again, _ = vec.reset(seed=1, options={"reset_mask": which})
    assert (again["observation"][which] == begun["observation"][which]).all()
    assert (again["observation"][~which] == later["observation"][~which]).all()
    for wrong in (np.zeros(4, bool), np.ones(3, bool), np.ones(4), [0, 1, 0, 1], None):
        with pytest.raises(ValueError, match="reset_mask must be 4 truth values"):
            vec.reset(options={"reset_mask": wrong})


@pytest.mark.parametrize("mode", ["next_step", "disabled"])
def test_wrappers_of_gymnasium_work_in_next_step(mode):
    make = lambda: make_many(GYM_ID, num_envs=3, autoreset_mode=mode)  # noqa: E731
    flat = wrappers.FlattenObservation(make())
    chosen = wrappers.FilterObservation(make(), ["observation"])
    single = wrappers.DtypeObservation(wrappers.FlattenObservation(make()), np.float32)
    made: list[Any] = [flat, single, chosen]
    for vec in made:
        vec.reset(seed=1)
        for _ in range(3):
            vec.step(lowest(vec.unwrapped.action_masks()))
    wrappers.RecordEpisodeStatistics(make()).reset(seed=1)


# --- opponents and seeds --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("opponents", ["random", "counter", POLICY, Drawing()])
def test_a_game_does_not_depend_on_those_beside_it(opponents):
    one = make_many(GYM_ID, num_envs=1, opponents=opponents)
    many = make_many(GYM_ID, num_envs=5, opponents=opponents)
    alone, among = one.reset(seed=12)[0], many.reset(seed=10)[0]
    for _ in range(80):
        assert alone["observation"][0].tobytes() == among["observation"][2].tobytes()
        alone = one.step(lowest(alone["action_mask"]))[0]
        among = many.step(lowest(among["action_mask"]))[0]


def test_seeds_of_some_games():
    vec = make_many(GYM_ID, num_envs=2, opponents="greedy")
    first, _ = vec.reset(seed=[1, 2])
    mixed, _ = vec.reset(seed=[1, None])  # the second game begins its next episode
    assert (mixed["observation"][0] == first["observation"][0]).all()
    assert (mixed["observation"][1] != first["observation"][1]).any()
    make_many(GYM_ID, num_envs=2).reset(seed=[None, 5])
    for wrong in ([1], [1, 2, 3], [[1], [2]], np.array([1.0, 2.0]), "12"):
        with pytest.raises(ValueError, match="seed"):
            vec.reset(seed=wrong)


def test_each_game_has_its_own_opponents_who_begin_with_each_episode():
    vec = make_many("casino_env:CasinoEnv/Swazi-v0", num_envs=3, players=3, opponents=Noting())
    Noting.begun.clear()
    observation, _ = vec.reset(seed=1)
    assert len(Noting.begun) == len({who for who, _ in Noting.begun}) == 6
    begun, ended = 6, 0
    for _ in range(100):
        observation, _, over, _, _ = vec.step(lowest(observation["action_mask"]))
        ended += int(over.sum())
    assert ended > 3
    assert len(Noting.begun) >= begun + 2 * ended
    assert len({who for who, _ in Noting.begun}) == 6


def test_copies_of_agents_share_weights_and_nothing_that_changes():
    agent: Any = agents.make_agent("search:policy=khasino-2,sims=8")
    policy: Any = agents.make_agent("policy:khasino-2")
    assert copy.deepcopy(policy).weights is policy.weights
    game = casino_env.Game("khasino", 2, seed=3)
    agent.reset(0, np.random.default_rng(1))
    twin = copy.deepcopy(agent)
    seen = casino_env.observe(game)
    assert twin.analyse(seen) is not None and twin.opened is not agent.opened
    assert twin.probabilities(seen).tobytes() == agent.probabilities(seen).tobytes()


# --- rendering, forks -----------------------------------------------------------------------------------------------


def test_drawings_of_every_game():
    assert make_many(GYM_ID, num_envs=2).render() is None
    vec = make_many(GYM_ID, num_envs=2, render_mode="ansi", render_seat=0)
    vec.reset(seed=1)
    first, second = vec.render()
    assert "\n" in first and first != second


def test_threads_survive_a_fork():
    """A forked child has none of the batch's threads: it has to start its own."""
    vec = casino_env.make_vec(num_envs=64, seed=1, threads=2)
    for _ in range(3):
        vec.step(vec.sample())
    child = os.fork()
    if child == 0:
        signal.alarm(20)  # ends a child that hangs
        vec.step(vec.sample())
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    vec.step(vec.sample())
