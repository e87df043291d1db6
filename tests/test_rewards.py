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


def test_a_match_goes_on_to_its_target():
    environment = raw_env("cassino", 2, match=True, reward="points")
    totals = total_rewards(environment, 3)
    assert max(totals) >= 21
    assert environment._batch.records["deals"][0] > 1
