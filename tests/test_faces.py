"""All environments show the same game: equal cards, points, rewards and observations."""

from typing import Any

import numpy as np
import pytest
import torch

import casino_env
from casino_env import Game, env, make_rules, raw_env
from casino_env.envs.gymnasium import SingleEnv, SingleVectorEnv
from casino_env.envs.vector import FORMS
from tests.environments import GAMES, GYM_ID, ids, legal_choice, make_many, make_one


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


def test_every_face_gives_its_game_and_what_its_seat_may_know():
    plain = Game("swazi", 2, seed=4)
    aec, single = env("swazi", 2), SingleEnv("swazi", 2)
    batch = SingleVectorEnv(2, "swazi", 2)
    for face in (aec, single, batch):
        face.reset(seed=4)
    vec = casino_env.make_vec("swazi", 2, 2, seed=4)
    games = [aec.game(), single.game(), batch.game(0), vec.game()]
    assert games == [plain] * 4
    seen = [aec.observed(), single.observed(), batch.observed(0), vec.observed(0)]
    for each in seen:
        assert each.view.tobytes() == casino_env.observe(plain).view.tobytes()
        assert each.legal() == plain.legal()
    games[0].apply(games[0].legal()[0])
    assert aec.game() == plain  # game() returned a copy
    assert not aec.observed("player_1").legal()


# --- rewards: points, differences, wins, shaping, matches ------------------------------------------------------------


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


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_match_of_games_pays_points_and_its_winner(players):
    """kasa, best of three: points add up over the games; who has won two games wins the match."""
    environment = raw_env("kasa", players, match=True, match_games=3, reward="win")
    for seed in range(6):
        wins = total_rewards(environment, seed)
        record, sides = environment._batch.records[0], environment._batch.rules.sides
        assert record["deals"] >= 2 and sorted(record["match_score"][:sides])[-1] == 2
        winner = int(record["winner"])
        assert record["match_score"][winner] == 2
        assert wins == pytest.approx([1.0 if seat % sides == winner else -1 / (sides - 1) for seat in range(players)])
        points = total_rewards(raw_env("kasa", players, match=True, match_games=3, reward="points"), seed)
        assert sum(points[:sides]) == record["deals"] * (7 if sides > 2 else 11)


def test_a_level_game_is_won_by_the_ten_of_diamonds():
    played = 0
    for seed in range(60):
        points = total_rewards(raw_env("kasa", 3, reward="points"), seed)
        wins = total_rewards(raw_env("kasa", 3, reward="win"), seed)
        best = [seat for seat in range(3) if points[seat] == max(points)]
        assert sorted(wins) == pytest.approx([-0.5, -0.5, 1.0]) and wins.index(max(wins)) in best
        played += len(best) > 1
    assert played > 1


def test_a_match_goes_on_to_its_target():
    environment = raw_env("cassino", 2, match=True, reward="points")
    totals = total_rewards(environment, 3)
    assert max(totals) >= 21
    assert environment._batch.records["deals"][0] > 1


@pytest.mark.parametrize("mode", ["same_step", "next_step"])
def test_what_others_gain_before_the_first_decision_is_paid(mode):
    """Otherwise shaped returns would differ from the deal's: the potential of these points is subtracted later."""
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


# --- batches: threads, the forms of an observation, copied or shared arrays ---------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_threads_change_nothing(form):
    batches = [casino_env.make_vec("swazi", 4, 101, seed=5, threads=t, obs=form, history=5) for t in (1, 2, 3)]
    for _ in range(150):
        results = [vec.step(vec.sample()) for vec in batches]
        for other in results[1:]:
            assert all(a.tobytes() == b.tobytes() for a, b in zip(results[0], other, strict=True))
    histories = {vec.history().tobytes() for vec in batches}
    assert len(histories) == 1


def test_the_forms_of_an_observation_agree():
    dense, listed, packed = (casino_env.make_vec("sotho", 4, 64, seed=5, obs=form) for form in FORMS)
    size = dense.layout.size
    for _ in range(60):
        ours, theirs = dense.step(dense.sample())[0], listed.step(listed.sample())[0]
        again = np.zeros((64, size + 1), np.int8)
        np.put_along_axis(again, theirs.astype(np.int64), 1, axis=1)
        assert (again[:, :size] == ours).all()
        assert (np.sort(theirs, axis=1)[:, -1] <= size).all()
        bits = packed.step(packed.sample())[0]
        assert dense.layout.unpack(bits).tobytes() == ours.tobytes()
        assert dense.layout.unpack(torch.from_numpy(bits)).numpy().tobytes() == ours.tobytes()


def test_copied_or_shared_arrays():
    fresh = casino_env.make_vec(num_envs=4, seed=1)
    shared = casino_env.make_vec(num_envs=4, seed=1, copy=False)
    first, again = fresh.step(fresh.sample()), fresh.step(fresh.sample())
    assert not any(np.shares_memory(a, b) for a, b in zip(first, again, strict=True))
    first, again = shared.step(shared.sample()), shared.step(shared.sample())
    assert all(np.shares_memory(a, b) for a, b in zip(first, again, strict=True))
