"""One contract for the five environments: checkers, seeds, copies, actions, options, and one-line refusals."""

import copy
import itertools
import warnings
from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test, seed_test
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from casino_env import IllegalActionError, env, make_vec, raw_env
from casino_env.actions import ACTIONS
from casino_env.envs import batch as batches
from casino_env.envs import gymnasium
from casino_env.envs import options as environment_options
from casino_env.envs.make import env_id
from tests.environments import (
    COPIES,
    FACES,
    GAMES,
    GYMNASIUM,
    TURNWISE,
    an_illegal,
    batch,
    course,
    ids,
    legal_choice,
    make_one,
    many,
    play,
    single,
)  # fmt: skip
from tests.players import Drawing, Lowest
from tests.refusals import refused

# Under these rules some deals leave no choice at all.
FORCED: dict[str, Any] = {"rounds": 20, "table_cards": 0, "insist_capture": "always"}
EMPTY = 85  # index of such a deal in a batch of seed 1
WITH_OPPONENTS = [(face, {"opponents": who}) for face in GYMNASIUM for who in ("random", "counter", Drawing())]
LATE = [(many, {"opponents": who, "autoreset_mode": "next_step"}) for who in ("random", "counter")]
ALL = [*((face, {}) for face in FACES if face not in GYMNASIUM), *WITH_OPPONENTS, *LATE]


# --- checkers of Gymnasium and PettingZoo ---------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES, ids=ids)
def test_kits(game, capsys):
    """check_env plays random actions, legal or not, so that a defect shows only sometimes: repeat it."""
    name, players = game
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PettingZoo warns about our names for the parts of an observation
        api_test(env(name, players), num_cycles=200)
        seed_test(lambda: env(name, players))
        parallel_api_test(turn_based_aec_to_parallel(env(name, players)), num_cycles=100)
        for _ in range(40 if game == ("south-african", 2) else 2):
            check_env(make_one("casino_env:" + env_id(name), players=players).unwrapped, skip_render_check=True)


@pytest.mark.parametrize("given", [{"dtype": "float32"}, {"history": 8}, {"layout": "universal"}, {"match": True}])
def test_kits_with_options(given):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        api_test(env("khasino", 4, **given), num_cycles=200)
        check_env(single(**given).unwrapped, skip_render_check=True)


def test_pettingzoo_registry():
    registration = pytest.importorskip("pettingzoo.env_registry.registration")
    environment = registration.make("aec", "CasinoEnv/Khasino-v0", players=4)
    environment.reset(seed=1)
    assert environment.num_agents == 4


# --- seeds and copies -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("face", "more"), ALL)
@pytest.mark.parametrize("seed", [3, 2**64 - 4])
def test_equal_seeds_are_equal_games_and_the_stream_goes_on(face, more, seed):
    """Equal seeds give equal games, also when reset in mid-game; later resets without a seed give new games."""
    first, second = face(**copy.deepcopy(more)), face(**copy.deepcopy(more))
    played = []
    for environment in (first, second, first):
        environment.reset(seed=seed)
        played.append(course(environment))
    assert played[0] == played[1] == played[2]
    later = []
    for _ in range(2):
        for environment in (first, second):
            environment.reset()
        later.append(course(first))
        assert later[-1] == course(second)
    assert later[0] != later[1] != played[0] != later[0]


@pytest.mark.parametrize(("face", "more"), ALL)
def test_whole_numbers_of_every_kind_are_seeds(face, more):
    environment = face(**more)
    environment.reset(seed=3)
    first = course(environment, 40)
    kinds: list[Any] = [np.int64(3), np.uint8(3)]
    if face in (many, batch):
        kinds += [np.array(3), [3, 4, 5, 6], (3, 4, 5, 6), np.array([3, 4, 5, 6]), [3, np.int8(4), 5, 6]]
    for seed in kinds:
        environment.reset(seed=seed)
        assert course(environment, 40) == first
    environment.reset(seed=4)
    assert course(environment, 40) != first


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize(
    ("seed", "said"),
    [(-1, "from 0 to 2.64"), (2**64, "from 0 to 2.64"), (1.0, "whole number"), ("7", "whole number"), (True, "whole")],
)
def test_seeds_that_cannot_be(face, seed, said):
    with pytest.raises(ValueError, match=said):
        getattr(face(), "unwrapped", face()).reset(seed=[1, 2, 3, seed] if face in (many, batch) else seed)
    with pytest.raises(ValueError, match=said):
        make_vec(num_envs=2, seed=seed)


@pytest.mark.parametrize(("face", "more"), ALL)
@pytest.mark.parametrize("copied", COPIES)
def test_a_copy_goes_on_from_the_same_moment_its_own_way(face, more, copied):
    more = more | {"history": 4} | ({"threads": 2} if face in (many, batch) else {})
    environment = face(**more)
    environment.reset(seed=4)
    course(environment, 9)
    twin = copied(environment)
    assert twin is not environment
    assert course(environment, 40) == course(twin, 40)


# --- actions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("action", [3.0, 3.7, np.float32(3), True, np.True_, "3", None, [3], np.array([3, 4]), 1j])
@pytest.mark.parametrize("more", [{}, {"on_illegal": "raise"}])
def test_what_is_no_action(action, more):
    environment = single(**more)
    environment.reset(seed=1)
    with refused("an action must be a whole number from 0 to 191, not"):
        environment.unwrapped.step(action)


@pytest.mark.parametrize(
    "actions",
    [[1.0, 2.0], [True, False], [True, 1], np.zeros(2, bool), [1], [1, 2, 3], [[1, 2]], 1, None, "12", [[1], [1, 2]]],
)
@pytest.mark.parametrize("face", [many, batch])
def test_what_is_no_actions(actions, face):
    environment = face(num_envs=2)
    environment.reset(seed=1)
    with refused("actions must be 2 whole numbers, not"):
        environment.step(actions)


@pytest.mark.parametrize("kind", [int, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint64, np.array])
def test_whole_numbers_of_every_kind_are_actions(kind):
    environment = single(on_illegal="raise").unwrapped
    observation, _ = environment.reset(seed=1)
    environment.step(kind(int(observation["action_mask"].argmax())))


@pytest.mark.parametrize("action", [191, 192, -1, -5])
@pytest.mark.parametrize(
    ("face", "more"), [(raw_env, {}), (single, {"on_illegal": "raise"}), (many, {"on_illegal": "raise"}), (batch, {})]
)
def test_an_illegal_action_raises_and_changes_nothing(face, more, action):
    environment = face(**more)
    environment.reset(seed=1)
    inner = getattr(environment, "unwrapped", environment)
    held = inner if face is batch else inner._batch
    masks, before = held.mask(), held.records.tobytes()
    several = face in (many, batch)
    with pytest.raises(IllegalActionError, match="in game 1 " if several else "is illegal for seat"):
        environment.step([int(masks[0].argmax()), action, *masks[2:].argmax(1)] if several else action)
    assert held.records.tobytes() == before
    environment.step(masks.argmax(1) if several else int(masks[0].argmax()))


@pytest.mark.parametrize("number", [191, -1, -5, 192, 10**6, np.uint64(2**64 - 1)])
def test_an_illegal_action_ends_the_game_with_a_penalty(number):
    environment = env("south-african", 2)
    environment.reset(seed=1)
    offender = environment.agent_selection
    environment.step(int(min(number, 191)) if number >= 0 else 191)
    assert environment.terminations[offender] and environment.rewards[offender] == -11
    alone, among = single(), many(num_envs=2)
    alone.reset(seed=1)
    observation, reward, over, _, info = alone.step(int(number))
    assert over and reward == -11 and info["illegal_action"] == number and observation["action_mask"].all()
    masks = among.reset(seed=1)[0]["action_mask"]
    kind = type(number) if isinstance(number, np.generic) else np.int64
    actions = np.array([int(masks[0].argmax()), number], kind)
    _, reward, over, _, info = among.step(actions)
    assert over.tolist() == [False, True] and reward[1] == -11
    assert info["final_info"]["_illegal_action"].tolist() == [False, True]
    plain = batch(num_envs=2)
    actions[0] = plain.sample()[0]
    with pytest.raises(IllegalActionError, match="in game 1 "):
        plain.step(actions)


@pytest.mark.parametrize("face", FACES)
def test_steps_that_wait_are_refused(face):
    environment: Any = face() if face is not batch else make_vec(num_envs=4)
    action: Any = np.zeros(4, int) if face in (many, batch) else 0
    with pytest.raises((IllegalActionError, ResetNeeded), match="reset"):
        getattr(environment, "unwrapped", environment).step(action)
    if face is batch:
        for look in ("mask", "dense", "indices", "bits", "truth", "history", "views", "sample", "game"):
            with refused("no game has begun: call reset() first"):
                getattr(environment, look)()
    else:
        for look in ("game", "state"):
            with refused("no game has begun: call reset() first"):
                getattr(face().unwrapped, look)()
    if face is raw_env:
        for look in ("last", "observed", "render"):
            with refused("no game has begun: call reset() first"):
                getattr(environment, look)()
        with refused("no game has begun: call reset() first"):
            environment.observe("player_0")
        environment.reset(seed=1)
        for look in ("observe", "observed"):
            with refused("agent = 'player_9'; it must be one of player_0, player_1"):
                getattr(environment, look)("player_9")
        with pytest.raises(IllegalActionError, match="has to choose"):
            environment.step(None)
        play(environment, np.random.default_rng(0))
        with pytest.raises(IllegalActionError, match="reset"):
            environment.step(0)


# --- masks ----------------------------------------------------------------------------------------------------------


def test_the_mask_at_the_end_is_all_ones():
    environment = single()
    observation, _ = environment.reset(seed=1)
    over = False
    while not over:
        action = environment.action_space.sample(environment.get_wrapper_attr("action_masks")())
        assert observation["action_mask"][action] == 1
        observation, _, over, _, info = environment.step(action)
    assert observation["action_mask"].all() and info["action_mask"].all()


def test_masks_of_agents_that_have_finished_are_empty():
    aec = env("swazi", 3)
    aec.reset(seed=1)
    aec.step(an_illegal(aec))
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


@pytest.mark.parametrize("face", [*TURNWISE, single])
def test_what_was_handed_out_stays_as_it_was(face):
    environment, rng, kept, infos = face(history=3), np.random.default_rng(1), [], []
    observation, info = environment.reset(seed=1) or (environment.last()[0], environment.infos)
    for _ in range(30):
        kept.append((observation, copy.deepcopy(observation)))
        infos.append((info, copy.deepcopy(info)))
        after = environment.step(legal_choice(observation, rng))
        observation, info = (after[0], after[-1]) if after else (environment.last()[0], environment.infos)
        if not observation["action_mask"].any() or (after and after[2]):
            break
    for now, then in kept + infos:
        for (key, here), (_, there) in zip(now.items(), then.items(), strict=True):
            np.testing.assert_equal(here, there, err_msg=key)
    arrays = [array for observation, _ in kept for array in observation.values()]
    assert not any(np.shares_memory(first, second) for first, second in itertools.combinations(arrays, 2))


def test_what_a_copy_and_a_critic_need_is_reached_through_the_wrappers():
    environment = single()
    environment.reset(seed=1)
    for reached in (environment.get_wrapper_attr, lambda name: getattr(environment.unwrapped, name)):
        assert reached("action_masks")().dtype == bool
        assert reached("state")().shape == environment.observation_space["observation"].shape
        assert reached("clone")().step(191)[2]


# --- options and keywords -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("face", [*TURNWISE, *GYMNASIUM])
def test_options_of_reset(face):
    environment = face()
    environment.reset(seed=1, options=None)
    environment.reset(seed=1, options={})
    for wrong, said in (
        ({"colour": "red"}, "unknown option 'colour'"),
        (["colour"], "it must be a dictionary or None"),
    ):
        with pytest.raises(ValueError, match=said):
            environment.reset(seed=1, options=wrong)


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


@pytest.mark.parametrize(
    ("make", "keyword", "near"),
    [
        (env, "rewards", "reward"),
        (raw_env, "render_mod", "render_mode"),
        (make_vec, "num_env", "num_envs"),
        (single, "opponent", "opponents"),
        (many, "autoreset", "autoreset_mode"),
        (lambda **k: many(vectorization_mode="sync", **k), "opponent", "opponents"),
    ],
)
def test_unknown_keywords(make, keyword, near):
    """Libraries try keywords and look for Python's own message."""
    with refused(f"got an unexpected keyword argument '{keyword}' .did you mean '{near}'", TypeError):
        make(**{keyword: 1})
    with pytest.raises(TypeError, match="got an unexpected keyword argument 'frameskip'"):
        make(frameskip=1)


WRONG = [10**400, np.zeros((9, 9)), "x" * 999, b"x", [[[[[]]]]], object(), float("nan"), 1.5]
STEPS, PENALTIES = [0, -1, 1.5, True, "9"], [float("nan"), float("inf"), 10**400, "1", True]


@pytest.mark.parametrize(
    ("faces", "key", "values"),
    [
        *(([*TURNWISE, *GYMNASIUM], key, WRONG) for key in ("reward", "match", "history", "dtype", "render_seat")),
        ([*TURNWISE, *GYMNASIUM], "shaping", WRONG[:-1]),
        (GYMNASIUM, "illegal_reward", PENALTIES),
        ([many], "max_episode_steps", STEPS),
        ([many], "autoreset_mode", ["sometimes", 3, None, ["next_step"]]),
    ],
)
def test_values_that_cannot_be_are_told_in_a_short_line(faces, key, values):
    for face in faces:
        for value in values:
            with refused("next_step, same_step, disabled" if "auto" in key else f"{key} = .*; it must be", most=300):
                face(**{key: value})


@pytest.mark.parametrize("kind", [np.int64, np.uint8, np.array])
def test_whole_numbers_of_every_kind_are_values(kind):
    vec = make_vec("swazi", num_envs=kind(4), threads=kind(2), history=kind(3), seed=1)
    assert vec.history().shape == (4, 3)
    assert type(vec.num_envs) is type(vec.options.history) is int
    single(seat=kind(1)).reset(seed=1)
    assert many(seat=kind(1), max_episode_steps=kind(3)).reset(seed=1)[0]["action_mask"].shape == (4, 192)


# --- opponents ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("opponents", ["random", Lowest(), lambda o: o.legal()[-1], [Lowest(), "random"]])
def test_opponents_of_every_kind(opponents):
    environment = make_one("casino_env:CasinoEnv/Swazi-v0", players=3, seat=2, opponents=opponents)
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


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"opponents": "gready"}, "did you mean 'greedy'"),
        ({"opponents": [1, 2, 3]}, "3 given"),
        ({"opponents": 7}, "give a name"),
        ({"seat": 2}, "seat = 2"),
        ({"opponents": "policy:swazi-2"}, "plays swazi with 2 players, not south-african with 2"),
        ({"opponents": Lowest}, r"this is a class; give an agent, Lowest\(...\)"),
    ],
)
def test_wrong_opponents(more, message):
    with pytest.raises(ValueError, match=message):
        single(**more)


@pytest.mark.parametrize("face", GYMNASIUM)
@pytest.mark.parametrize(
    ("plays", "said"),
    [*((lambda _, a=a: a, "is illegal") for a in (-1, 192, 2**70, -(2**70))), (lambda _: 3.0, "whole number")],
)
def test_an_opponent_with_an_illegal_action(face, plays, said):
    environment = face(opponents=plays, seat=1)
    with refused(said, IllegalActionError if "illegal" in said else ValueError):
        for seed in range(20):
            environment.reset(seed=seed)


@pytest.mark.parametrize("face", GYMNASIUM)
def test_after_an_opponent_has_failed_nothing_goes_on(face):
    """Otherwise the caller would see the opponent's cards and play them."""
    asked = itertools.count(1)
    environment = face(opponents=lambda seen: ACTIONS if next(asked) == 5 else seen.legal()[0])
    _, info = environment.reset(seed=3)
    with refused("is illegal", IllegalActionError):
        while True:
            *_, info = environment.step(np.asarray(info["action_mask"]).argmax(-1))
    with pytest.raises(ResetNeeded):
        environment.step(np.asarray(info["action_mask"]).argmax(-1))
    _, info = environment.reset(seed=3)
    environment.step(np.asarray(info["action_mask"]).argmax(-1))


@pytest.mark.parametrize("listed", [False, True])
def test_the_same_agent_on_two_seats_is_two(listed):
    agent = Lowest()
    given = [agent, agent] if listed else agent
    made = make_one("casino_env:CasinoEnv/Swazi-v0", players=3, opponents=given).unwrapped.opponents
    assert made[1] is not made[2]


# --- which seat, which game -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", [-1, 2, 100, "a", 1.0, True])
def test_seats_that_are_none(seat):
    with pytest.raises(ValueError, match=r"seat = .*from 0 to 1"):
        batch().observed(seat)


@pytest.mark.parametrize("index", [-1, 4, 2**70])
def test_games_that_are_none(index):
    vec, several = batch(), many().unwrapped
    several.reset(seed=1)
    for ask in (vec.game, several.game, several.observed, lambda i: vec.observed(0, i)):
        with pytest.raises(IndexError, match="games are 0 to 3"):
            ask(index)


@pytest.mark.parametrize("look", ["dense", "indices", "bits", "truth", "history", "views"])
def test_seats_of_a_batch(look):
    see = getattr(batch(history=3), look)
    for wrong in (np.zeros(1, int), np.zeros((4, 1), int), np.zeros(4), [0, 1], 0):
        with pytest.raises(ValueError, match="seats must be 4 whole numbers"):
            see(wrong)
    for beyond in ([0, 0, 2, 0], [0, 0, -1, 0], np.array([0, 0, 2**64 - 1, 0], np.uint64)):
        with pytest.raises(ValueError, match="in game 2; it must be 0 to 1"):
            see(beyond)
    assert see([1, 0, 1, 0]).tobytes() == see(np.array([1, 0, 1, 0], np.int8)).tobytes()


# --- deals without a choice -----------------------------------------------------------------------------------------


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
    vec = batch(num_envs=1, seed=1 + EMPTY, **FORCED)
    for make in TURNWISE:
        aec = make(**FORCED)
        aec.reset(seed=1 + EMPTY)
        assert aec.last()[0]["action_mask"].any()
        assert aec.game() == vec.game()
    assert many(num_envs=1, **FORCED).reset(seed=1 + EMPTY)[0]["action_mask"].any()


def test_rules_without_any_choice(monkeypatch):
    """No change of a preset gives such rules, so limit the number of deals tried to one."""
    faces = raw_env(**FORCED), single(**FORCED), many(num_envs=1, **FORCED)
    for module in (environment_options, gymnasium):
        monkeypatch.setattr(module, "MOST_DEALS", 1)
    for face in faces:
        with pytest.raises(ValueError, match="deals in a row without a decision"):
            face.reset(seed=1 + EMPTY)
    monkeypatch.setattr(batches, "start_all", lambda *_: 0)
    with pytest.raises(ValueError, match="without a decision for any seat"):
        make_vec(seed=1)
