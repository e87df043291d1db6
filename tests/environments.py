"""The five environments under one name each, and ways to play in them, for tests that hold for all."""

import copy
import pickle
from typing import Any

import gymnasium as gym
import numpy as np

from casino_env import env, make_vec, raw_env
from tests.random_play import GAMES as GAMES

GYM_ID = "casino_env:CasinoEnv/SouthAfrican-v0"


# Any: Gymnasium's types lack the methods that our environments add.
make_one: Any = gym.make
make_many: Any = gym.make_vec


def single(**keywords: Any) -> Any:
    return make_one(GYM_ID, **keywords)


def many(**keywords: Any) -> Any:
    return make_many(GYM_ID, **{"num_envs": 4} | keywords)


def batch(**keywords: Any) -> Any:
    return make_vec(**{"num_envs": 4, "seed": 1} | keywords)


TURNWISE = [raw_env, env]
GYMNASIUM = [single, many]
FACES: list[Any] = [*TURNWISE, *GYMNASIUM, batch]
COPIES = [
    copy.deepcopy,
    lambda environment: pickle.loads(pickle.dumps(environment)),
    lambda environment: getattr(environment, "unwrapped", environment).clone(),  # type: ignore[union-attr]
]


def ids(game):
    return f"{game[0]}-{game[1]}"


def legal_choice(observation, rng) -> int:
    legal = np.flatnonzero(observation["action_mask"])
    return int(legal[rng.integers(len(legal))])


def an_illegal(environment: Any) -> int:
    return int(np.flatnonzero(environment.last()[0]["action_mask"] == 0)[0])


def play(environment, rng, steps=10_000) -> list[tuple]:
    """Play at random to the end, or for `steps` steps; return all that the agents were given."""
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


def course(environment: Any, steps: int = 60) -> list[Any]:
    """Play the lowest legal actions in any environment and return all it gives; reset it where it has no auto-reset."""
    seen: list[Any] = []
    for _ in range(steps):
        if hasattr(environment, "agent_selection"):
            if not environment.agents:
                environment.reset()
            observation, reward, over, _, _ = environment.last()
            environment.step(None if over else int(observation["action_mask"].argmax()))
            seen.append([environment.agents, observation["observation"].tobytes(), reward, over])
        elif hasattr(environment, "action_space"):
            masks = environment.unwrapped.action_masks()
            observation, *rest, _ = environment.step(masks.argmax(-1))
            seen.append(
                [part.tobytes() for part in observation.values()] + [np.asarray(part).tolist() for part in rest]
            )
            if masks.ndim == 1 and any(rest[1:]):
                seen.append(environment.reset()[0]["observation"].tobytes())
        else:
            seen.append([part.tobytes() for part in environment.step(environment.mask().argmax(1))])
    return seen
