"""Stable-Baselines3's MaskablePPO on the Gymnasium face.

    pip install -e '.[interop-sb3]'
    python examples/sb3_maskable_ppo.py --minutes 2

MaskablePPO asks the environment for action_masks() by itself; the mask inside the observation is left out of what the
network sees.
"""

from typing import Any

import gymnasium as gym
import numpy as np
from measured import ID, Clock, measured, options
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.env_util import make_vec_env


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


class StopByClock(BaseCallback):
    """model.learn() counts steps; this looks at the clock."""

    def __init__(self, minutes: float) -> None:
        super().__init__()
        self._clock = Clock(minutes)

    def _on_step(self) -> bool:
        return not self._clock.over()


def main() -> None:
    args = options(__doc__, opponent="greedy")
    keywords = {"players": 2, "opponents": args.opponent, "on_illegal": "raise", "dtype": "float32"}
    env = make_vec_env(ID, n_envs=16, seed=args.seed, env_kwargs=keywords, wrapper_class=VectorOnly)
    model = MaskablePPO(
        "MlpPolicy", env, learning_rate=1e-3, n_steps=128, batch_size=512, n_epochs=5, gamma=1.0, ent_coef=0.02,
        policy_kwargs={"net_arch": [128, 128]}, seed=args.seed,
    )  # fmt: skip

    def choose(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        return model.predict(observations, action_masks=masks, deterministic=True)[0]

    with measured(choose, args):
        model.learn(10**12, callback=StopByClock(args.minutes))
    print(f"{model.num_timesteps} decisions")


if __name__ == "__main__":
    main()
