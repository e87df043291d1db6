"""What a program may do wrong with the environments: one clear line, never a hang, a crash or a wrong read."""

from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from casino_env import IllegalActionError, env, make_vec, raw_env
from casino_env.envs import batch, gymnasium, options
from tests.environments import GYM_ID, make_many, make_one
from tests.refusals import refused

# Some deals leave no choice at all.
FORCED: dict[str, Any] = {"rounds": 20, "table_cards": 0, "insist_capture": "always"}
EMPTY = 85  # number of such a deal among those of seed 1


@pytest.mark.parametrize("make", [make_one, lambda name, **kw: make_many(name, num_envs=4, **kw)])
@pytest.mark.parametrize("action", [-1, 192, 2**70, -(2**70)])
def test_an_opponent_with_an_illegal_action(make, action):
    environment = make(GYM_ID, opponents=lambda _: action, seat=1)
    with refused("is illegal", IllegalActionError):
        for seed in range(20):
            environment.reset(seed=seed)


@pytest.mark.parametrize("seat", [-1, 2, 100, "a", 1.0, True])
def test_seats_that_are_none(seat):
    with pytest.raises(ValueError, match=r"seat = .*from 0 to 1"):
        make_vec("swazi", num_envs=4, seed=1).observed(seat)


@pytest.mark.parametrize("index", [-1, 4, 2**70])
def test_games_that_are_none(index):
    vec, many = make_vec("swazi", num_envs=4, seed=1), make_many(GYM_ID, num_envs=4).unwrapped
    many.reset(seed=1)
    for ask in (vec.game, many.game, many.observed, lambda i: vec.observed(0, i)):
        with pytest.raises(IndexError, match="they are 0 to 3"):
            ask(index)


@pytest.mark.parametrize("look", ["dense", "indices", "truth", "history", "views"])
def test_seats_of_a_batch(look):
    vec = make_vec("swazi", num_envs=4, seed=1, history=3)
    see = getattr(vec, look)
    for wrong in (np.zeros(1, int), np.zeros((4, 1), int), np.zeros(4), [0, 1], 0):
        with pytest.raises(ValueError, match="seats must be 4 whole numbers"):
            see(wrong)
    for beyond in ([0, 0, 2, 0], [0, 0, -1, 0], np.array([0, 0, 2**64 - 1, 0], np.uint64)):
        with pytest.raises(ValueError, match="in game 2; it must be 0 to 1"):
            see(beyond)
    assert see([1, 0, 1, 0]).tobytes() == see(np.array([1, 0, 1, 0], np.int8)).tobytes()


@pytest.mark.parametrize("threads", [1, 2])
def test_deals_without_a_choice_are_passed_over_and_pay_nothing(threads):
    vec = make_vec("south-african", 2, 1000, threads=threads, reward="points", **FORCED)
    mask = vec.reset(1)[1]
    assert mask.any(axis=1).all()
    assert vec.games.episodes[EMPTY] > 0
    ended = 0
    for _ in range(60):
        _, mask, _, reward, done = vec.step(vec.sample())
        assert mask.any(axis=1).all()
        assert (reward[done].sum(axis=1) <= 11).all()
        ended += int(done.sum())
    assert ended > 1000


def test_a_reset_passes_over_deals_without_a_choice():
    twins: list[Any] = [raw_env("south-african", 2, **FORCED), env("south-african", 2, **FORCED)]
    vec = make_vec("south-african", 2, 1, seed=1 + EMPTY, **FORCED)
    for aec in twins:
        aec.reset(seed=1 + EMPTY)
        assert aec.last()[0]["action_mask"].any()
        assert aec.game() == vec.game()
    many = make_many(GYM_ID, num_envs=1, **FORCED)
    assert many.reset(seed=1 + EMPTY)[0]["action_mask"].any()


def test_rules_without_any_choice(monkeypatch):
    """No preset can be changed into such rules: let the first deal be the last that is tried."""
    faces = raw_env("south-african", 2, **FORCED), make_one(GYM_ID, **FORCED), make_many(GYM_ID, num_envs=1, **FORCED)
    for module in (options, gymnasium):
        monkeypatch.setattr(module, "MOST_DEALS", 1)
    for face in faces:
        with pytest.raises(ValueError, match="deals in a row without a decision"):
            face.reset(seed=1 + EMPTY)
    monkeypatch.setattr(batch, "start_all", lambda *_: 0)
    with pytest.raises(ValueError, match="without a decision for any seat"):
        make_vec(seed=1)


def test_masks_of_agents_that_have_finished_are_empty():
    aec = env("swazi", 3)
    aec.reset(seed=1)
    aec.step(int(np.flatnonzero(aec.last()[0]["action_mask"] == 0)[0]))
    for _ in range(3):
        observation, _, terminated, _, info = aec.last()
        assert terminated
        assert not observation["action_mask"].any()
        assert not info["action_mask"].any()
        aec.step(None)


def test_the_mask_of_an_info_is_the_callers_own():
    aec = raw_env("swazi")
    aec.reset(seed=1)
    agent = aec.agent_selection
    before = aec.observe(agent)["action_mask"]
    aec.infos[agent]["action_mask"][:] = 0
    assert (aec.observe(agent)["action_mask"] == before).all()


def test_steps_that_wait_are_refused():
    vec = make_vec("swazi", num_envs=4)
    with pytest.raises(IllegalActionError, match=r"call reset\(\) first"):
        vec.step(vec.sample())
    with pytest.raises(ResetNeeded, match="call reset"):
        make_many(GYM_ID, num_envs=2).step(np.zeros(2, int))
    vec.reset(1)
    actions = vec.sample()
    actions[2] = -1
    before = vec.records.tobytes()
    with pytest.raises(IllegalActionError, match="action -1 is illegal in game 2 "):
        vec.step(actions)
    assert vec.records.tobytes() == before


@pytest.mark.parametrize("kind", [np.int64, np.uint8, np.array])
def test_numbers_of_every_kind(kind):
    vec = make_vec("swazi", num_envs=kind(4), threads=kind(2), history=kind(3), seed=1)
    assert vec.history().shape == (4, 3)
    assert type(vec.num_envs) is type(vec.options.history) is int
    make_one(GYM_ID, seat=kind(1)).reset(seed=1)
    many = make_many(GYM_ID, num_envs=4, seat=kind(1), max_episode_steps=kind(3))
    assert many.reset(seed=1)[0]["action_mask"].shape == (4, 192)


@pytest.mark.parametrize("mode", ["same_step", "next_step"])
def test_what_others_gain_before_the_first_decision_is_paid(mode):
    """Else a shaped return would not be that of the deal: the potential of those points is taken back later."""
    keywords: dict[str, Any] = {"num_envs": 8, "autoreset_mode": mode, "seat": 1}
    plain, shaped = make_many(GYM_ID, **keywords), make_many(GYM_ID, shaping=1.0, **keywords)
    single, rng, ended = make_one(GYM_ID, shaping=1.0, seat=1), np.random.default_rng(0), 0
    seen, total = plain.reset(seed=1)[0], np.zeros((2, 8))
    shaped.reset(seed=1)
    for _ in range(60):
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in seen["action_mask"]])
        seen, reward, over, _, _ = plain.step(actions)
        total += reward, shaped.step(actions)[1]
        assert total[1, over] == pytest.approx(total[0, over], abs=1e-4)
        total[:, over] = 0.0
        ended += int(over.sum())
    assert ended > 8
    for seed in range(8):
        seen, gained, over = single.reset(seed=seed)[0], 0.0, False
        while not over:
            seen, reward, over, _, _ = single.step(int(rng.choice(np.flatnonzero(seen["action_mask"]))))
            gained += float(reward)
        points = single.unwrapped.game().scores()  # type: ignore[attr-defined]
        assert gained == pytest.approx(points[1] - points[0], abs=1e-4)
