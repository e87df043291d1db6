"""Random play in the environments, for the tests of each of their faces."""

from typing import Any

import gymnasium as gym
import numpy as np

from casino_env import player_counts, variants

GAMES = [(name, players) for name in variants() for players in player_counts(name)]
GYM_ID = "casino_env:CasinoEnv/SouthAfrican-v0"


def make_one(*args: Any, **keywords: Any) -> Any:
    """gym.make, whose type says nothing of what an environment has beside Gymnasium's methods."""
    return gym.make(*args, **keywords)


def make_many(*args: Any, **keywords: Any) -> Any:
    """gym.make_vec, of which the same is true."""
    return gym.make_vec(*args, **keywords)


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
