"""Stable-Baselines3's MaskablePPO on a batch of games.

    pip install stable-baselines3 sb3-contrib -e '.[agents]'
    python examples/sb3_maskable_ppo.py --minutes 2

Sb3VecEnv (sb3_vec_env.py) plays the games in one batch and gives MaskablePPO their masks. Stock wrappers around single
environments (make_vec_env of the Gymnasium id) work as well, at a quarter of the speed.
"""

import numpy as np
import torch
from measured import Clock, measured, options
from sb3_contrib import MaskablePPO
from sb3_vec_env import Sb3VecEnv
from stable_baselines3.common.callbacks import BaseCallback


class StopByClock(BaseCallback):
    """Stop model.learn() by the clock, as it counts steps itself."""

    def __init__(self, minutes: float) -> None:
        super().__init__()
        self._clock = Clock(minutes)

    def _on_step(self) -> bool:
        return not self._clock.over()


def main() -> None:
    args = options(__doc__, opponent="greedy")
    torch.set_num_threads(1)  # more threads are slower for a network of this size
    env = Sb3VecEnv(64, "south-african", opponents=args.opponent, on_illegal="raise")
    model = MaskablePPO(
        "MlpPolicy", env, learning_rate=1e-3, n_steps=64, batch_size=512, n_epochs=5, gamma=1.0, ent_coef=0.02,
        policy_kwargs={"net_arch": [128, 128]}, seed=args.seed,
    )  # fmt: skip

    def choose(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        return model.predict(observations, action_masks=masks, deterministic=True)[0]

    with measured(choose, args):
        model.learn(10**12, callback=StopByClock(args.minutes))
    print(f"{model.num_timesteps} decisions")


if __name__ == "__main__":
    main()
