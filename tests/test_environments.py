"""PettingZoo's and Gymnasium's own test kits, and what they leave out: seeds, copies, errors."""

import copy
import pickle
import warnings

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from pettingzoo.test import api_test, parallel_api_test, seed_test
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

import casino_env
from casino_env import Game, IllegalActionError, env, make_rules, player_counts, raw_env, variants
from casino_env.envs.registration import env_id

GAMES = [(name, players) for name in variants() for players in player_counts(name)]
GYM_ID = "casino_env:CasinoEnv/SouthAfrican-v0"


def ids(game):
    return f"{game[0]}-{game[1]}"


def legal_choice(observation, rng) -> int:
    legal = np.flatnonzero(observation["action_mask"])
    return int(legal[rng.integers(len(legal))])


def play(environment, rng, steps=10_000) -> list[tuple]:
    """Random play to the end (or for so many steps); everything that the agents were given."""
    seen = []
    for _ in range(steps):
        if not environment.agents:
            break
        agent = environment.agent_selection
        observation, reward, over, _, info = environment.last()
        seen.append((agent, observation["observation"].tobytes(), observation["action_mask"].tobytes(), reward, over))
        assert info["action_mask"].tobytes() == observation["action_mask"].tobytes() or over
        environment.step(None if over else legal_choice(observation, rng))
    return seen


# --- the kits ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES, ids=ids)
def test_pettingzoo_kit(game, capsys):
    name, players = game
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it does not know our names for the parts of an observation
        api_test(env(name, players), num_cycles=200)
        seed_test(lambda: env(name, players))
        parallel_api_test(turn_based_aec_to_parallel(env(name, players)), num_cycles=100)


@pytest.mark.parametrize("game", GAMES, ids=ids)
def test_gymnasium_kit(game):
    """check_env plays any action, legal or not, so a flaw shows only now and then."""
    name, players = game
    runs = 100 if game == ("south-african", 2) else 4
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(runs):
            check_env(gym.make("casino_env:" + env_id(name), players=players).unwrapped, skip_render_check=True)


@pytest.mark.parametrize("options", [{"dtype": "float32"}, {"history": 8}, {"layout": "universal"}, {"match": True}])
def test_kits_with_options(options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        api_test(env("khasino", 4, **options), num_cycles=200)
        check_env(gym.make(GYM_ID, **options).unwrapped, skip_render_check=True)


# --- seeds ---------------------------------------------------------------------------------------------------------


def test_same_seed_same_games_and_the_stream_goes_on():
    """Several games after one seed, without seeding again."""
    twins = [env("swazi", 3), env("swazi", 3)]
    rngs = [np.random.default_rng(1), np.random.default_rng(1)]
    for number in range(3):
        runs = []
        for environment, rng in zip(twins, rngs, strict=True):
            environment.reset(seed=5 if number == 0 else None)
            runs.append(play(environment, rng))
        assert runs[0] == runs[1]
        first = runs[0][0] if number == 0 else None
        assert first is None or len(runs[0]) > 10


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


# --- copies --------------------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda v: pickle.loads(pickle.dumps(v)), lambda v: v.clone()])
def test_a_copy_of_a_batch(copied):
    vec = casino_env.make_vec("khasino", 4, num_envs=16, seed=3, threads=2)
    for _ in range(9):
        vec.step(vec.sample())
    twin = copied(vec)
    for _ in range(40):
        ours, theirs = vec.step(vec.sample()), twin.step(twin.sample())
        assert all(a.tobytes() == b.tobytes() for a, b in zip(ours, theirs, strict=True))


# --- rewards -------------------------------------------------------------------------------------------------------


def total_rewards(environment, seed) -> list[float]:
    environment.reset(seed=seed)
    rng = np.random.default_rng(seed)
    totals = dict.fromkeys(environment.possible_agents, 0.0)
    while not all(environment.terminations[agent] for agent in environment.agents):
        observation = environment.last()[0]
        environment.step(legal_choice(observation, rng))
        for agent in environment.agents:
            totals[agent] += environment.rewards[agent]
    return list(totals.values())


@pytest.mark.parametrize("game", [("south-african", 2), ("swazi", 3), ("khasino", 4), ("california", 6)], ids=ids)
def test_rewards(game):
    name, players = game
    rules = make_rules(name, players)
    points = np.array(total_rewards(raw_env(name, players, reward="points"), 7))
    by_side = points[: rules.sides]
    spread = [by_side[s] - (by_side.sum() - by_side[s]) / (rules.sides - 1) for s in range(rules.sides)]
    assert points.sum() > 0
    assert total_rewards(raw_env(name, players, reward="diff"), 7) == pytest.approx(
        np.resize(spread, players), abs=1e-5
    )
    wins = total_rewards(raw_env(name, players, reward="win"), 7)
    best = [seat for seat in range(rules.sides) if by_side[seat] == by_side.max()]
    assert sum(wins) == pytest.approx(0, abs=1e-6)
    assert wins[best[0]] == max(wins)
    if len(best) == 1:
        assert wins[best[0]] == pytest.approx(1)


@pytest.mark.parametrize("seed", range(5))
def test_shaping_moves_rewards_forward_and_takes_nothing(seed):
    plain = total_rewards(raw_env("swazi", 2), seed)
    shaped = raw_env("swazi", 2, shaping=0.3)
    assert total_rewards(shaped, seed) == pytest.approx(plain, abs=1e-4)
    shaped.reset(seed=seed)
    rng, early = np.random.default_rng(seed), 0
    while not shaped.terminations[shaped.agent_selection]:
        shaped.step(legal_choice(shaped.last()[0], rng))
        early += any(shaped.rewards.values())
    assert early > 2


def test_a_match_goes_on_to_its_target():
    environment = raw_env("cassino", 2, match=True, reward="points")
    totals = total_rewards(environment, 3)
    assert max(totals) >= 21
    assert environment._batch.records["deals"][0] > 1


# --- mistakes ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"variant": "swazy"}, "did you mean 'swazi'"),
        ({"players": 7}, "players, not 7"),
        ({"rewards": "win"}, "unknown keyword 'rewards' .did you mean 'reward'"),
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
    with pytest.raises(ValueError, match=message) as error:
        raw_env(**({"variant": "south-african", "players": 2} | keywords))
    assert "\n" not in str(error.value)


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


def test_a_step_after_the_end():
    environment = raw_env("south-african", 2)
    with pytest.raises(IllegalActionError, match="reset"):
        environment.step(0)
    environment.reset(seed=1)
    with pytest.raises(IllegalActionError, match="has to choose"):
        environment.step(None)
    play(environment, np.random.default_rng(0))
    with pytest.raises(IllegalActionError, match="reset"):
        environment.step(0)
    single = gym.make(GYM_ID).unwrapped
    with pytest.raises(gym.error.ResetNeeded, match="reset"):
        single.step(0)
    vec = casino_env.make_vec(num_envs=2, seed=1)
    with pytest.raises(IllegalActionError, match="in game 1 "):
        vec.step([int(vec.sample()[0]), 191])
    with pytest.raises(ValueError, match="2 whole numbers"):
        vec.step([1.5, 2.5])


# --- Gymnasium -----------------------------------------------------------------------------------------------------


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


def test_pettingzoo_registry():
    registration = pytest.importorskip("pettingzoo.env_registry.registration")
    environment = registration.make("aec", "CasinoEnv/Khasino-v0", players=4)
    environment.reset(seed=1)
    assert environment.num_agents == 4


# --- one game, four faces -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES, ids=ids)
def test_every_face_deals_and_scores_alike(game):
    name, players = game
    for seed in range(3):
        plain = Game(name, players, seed)
        aec = raw_env(name, players, reward="points")
        aec.reset(seed=seed)
        vecs = [casino_env.make_vec(name, players, 3, seed=seed, threads=t, reward="points") for t in (1, 2)]
        rng = np.random.default_rng(seed)
        while not plain.over:
            legal = plain.legal()
            mask = aec.last()[0]["action_mask"]
            assert np.flatnonzero(mask).tolist() == legal
            assert aec.agent_selection == f"player_{plain.seat}"
            action = legal[int(rng.integers(len(legal)))]
            plain.apply(action)
            aec.step(action)
            for vec in vecs:
                assert np.flatnonzero(vec.mask()[0]).tolist() == legal
                others = vec.sample()
                others[0] = action
                result = vec.step(others)
        assert [aec.rewards[agent] for agent in aec.possible_agents] == plain.scores()
        for vec in vecs:
            assert vec.done[0]
            assert vec.rewards[0].tolist() == plain.scores()
        assert result[3].tobytes() == vecs[0].rewards.tobytes()


@pytest.mark.parametrize("form", ["dense", "indices"])
def test_threads_change_nothing(form):
    batches = [casino_env.make_vec("swazi", 4, 101, seed=5, threads=t, obs=form, history=5) for t in (1, 2, 3)]
    for _ in range(150):
        results = [vec.step(vec.sample()) for vec in batches]
        for other in results[1:]:
            assert all(a.tobytes() == b.tobytes() for a, b in zip(results[0], other, strict=True))
    histories = {vec.history().tobytes() for vec in batches}
    assert len(histories) == 1


def test_both_forms_of_an_observation_agree():
    dense = casino_env.make_vec("sotho", 4, 64, seed=5)
    listed = casino_env.make_vec("sotho", 4, 64, seed=5, obs="indices")
    size = dense.layout.size
    for _ in range(60):
        ours, theirs = dense.step(dense.sample())[0], listed.step(listed.sample())[0]
        again = np.zeros((64, size + 1), np.int8)
        np.put_along_axis(again, theirs.astype(np.int64), 1, axis=1)
        assert (again[:, :size] == ours).all()
        assert (np.sort(theirs, axis=1)[:, -1] <= size).all()


def test_copied_or_shared_arrays():
    fresh = casino_env.make_vec(num_envs=4, seed=1)
    shared = casino_env.make_vec(num_envs=4, seed=1, copy=False)
    first, again = fresh.step(fresh.sample()), fresh.step(fresh.sample())
    assert not any(np.shares_memory(a, b) for a, b in zip(first, again, strict=True))
    first, again = shared.step(shared.sample()), shared.step(shared.sample())
    assert all(np.shares_memory(a, b) for a, b in zip(first, again, strict=True))
