"""Smoke test of an installed package with only its three dependencies, run by `tests/smoke.sh`.

This is a plain script because the environment contains no pytest.
"""

import platform
import sys
import warnings
from importlib.metadata import version
from pathlib import Path

import gymnasium as gym
import numpy as np
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test

import casino_env
from casino_env.envs.make import env_id

GAMES = (("south-african", 2), ("swazi", 3), ("khasino", 4))
NEEDED = ("numpy", "gymnasium", "pettingzoo")


def play_game(variant: str, players: int) -> None:
    """Play a deal with the engine alone; convert the position to JSON and back after each action."""
    game = casino_env.Game(variant, players, seed=1)
    while not game.over:
        game.apply(game.legal()[-1])
        game = casino_env.Game.from_json(game.to_json())
    assert len(game.scores()) == players


def play_pettingzoo(variant: str, players: int) -> None:
    api_test(casino_env.env(variant, players), num_cycles=100)


def play_gymnasium(variant: str, players: int) -> None:
    """Play one seat, in a single environment and in a batch."""
    name = f"casino_env:{env_id(variant)}"
    check_env(gym.make(name, players=players).unwrapped, skip_render_check=True)
    batch = gym.make_vec(name, num_envs=4, players=players)
    observation, _ = batch.reset(seed=1)
    for _ in range(30):
        observation, *_ = batch.step(observation["action_mask"].argmax(axis=1))


def play_batch(variant: str, players: int) -> None:
    """Play every seat of 64 games on two threads, until some deals are over."""
    vec = casino_env.make_vec(variant, players=players, num_envs=64, seed=1, threads=2)
    vec.reset(1)
    over = np.zeros(64, np.bool_)
    for _ in range(200):
        _, mask, _, _, done = vec.step(vec.sample())
        assert mask.any(axis=1).all()
        over |= done
    assert over.any()


def smoke() -> int:
    """Play all games; return how many."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checkers warn about our names for the parts of an observation
        for variant, players in GAMES:
            for play in (play_game, play_pettingzoo, play_gymnasium, play_batch):
                play(variant, players)
    return len(GAMES)


def main() -> int:
    if Path(casino_env.__file__).parents[1] == Path(__file__).parents[1]:
        print("smoke: this is the casino_env of the checkout; `tests/smoke.sh` installs it", file=sys.stderr)
        return 1
    games = smoke()
    versions = ", ".join(f"{name} {version(name)}" for name in NEEDED)
    print(f"smoke: {games} games play on Python {platform.python_version()} with {versions}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
