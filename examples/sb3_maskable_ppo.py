"""Stable-Baselines3's MaskablePPO on the Gymnasium face.

    pip install -e '.[interop-sb3]'
    python examples/sb3_maskable_ppo.py --steps 20000

MaskablePPO asks the environment for action_masks() by itself; the mask inside the observation is left out of what the
network sees.
"""

import argparse
from typing import Any

import gymnasium as gym
import numpy as np
from sb3_contrib import MaskablePPO

import casino_env  # noqa: F401 - registers the ids


class VectorOnly(gym.ObservationWrapper):
    """The vector alone: the mask reaches the learner by action_masks()."""

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        super().__init__(env)
        assert isinstance(env.observation_space, gym.spaces.Dict)
        self.observation_space = env.observation_space["observation"]

    def observation(self, observation: dict[str, np.ndarray]) -> np.ndarray:
        return observation["observation"]

    def action_masks(self) -> np.ndarray:
        return self.env.get_wrapper_attr("action_masks")()


def make(args: argparse.Namespace) -> VectorOnly:
    return VectorOnly(
        gym.make(args.id, players=args.players, seat=0, opponents="random", on_illegal="raise", dtype="float32")
    )


def evaluate(model: MaskablePPO, args: argparse.Namespace, deals: int) -> tuple[float, float]:
    """Points a deal more than the random opponents, with the 95 % interval."""
    env = make(args)
    results = []
    for deal in range(deals):
        observation, _ = env.reset(seed=1_000_000 + deal)
        over, total = False, 0.0
        while not over:
            action, _ = model.predict(observation, action_masks=env.action_masks(), deterministic=True)
            observation, reward, over, _, _ = env.step(int(action))
            total += float(reward)
        results.append(total)
    return float(np.mean(results)), 1.96 * float(np.std(results, ddof=1)) / len(results) ** 0.5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--id", default="CasinoEnv/SouthAfrican-v0", help="a registered environment")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--deals", type=int, default=200, help="for the evaluation at the end")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    model = MaskablePPO("MlpPolicy", make(args), n_steps=512, batch_size=128, gamma=1.0, seed=args.seed, verbose=0)
    model.learn(args.steps)
    mean, margin = evaluate(model, args, args.deals)
    print(f"{model.num_timesteps} steps; {mean:+.2f} +- {margin:.2f} points a deal against random")


if __name__ == "__main__":
    main()
