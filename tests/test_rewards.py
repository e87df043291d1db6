"""What a seat is paid: points, differences, wins, shaping, matches."""

import numpy as np
import pytest

from casino_env import make_rules, raw_env
from tests.environments import ids, legal_choice


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
    """kasa, the best of three: points add up over the games, the win goes to who has won two of them."""
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
