"""Train Stable-Baselines3's MaskablePPO in any game, and keep it as a policy and a run of this project.

    python examples/sb3_as_policy.py --minutes 5 --out runs/sb3
    casino evaluate match policy:runs/sb3 counter --like policy:runs/sb3
    casino agents pack policy:runs/sb3 sb3.policy

Compare five minutes of it with five minutes of our PPO:

    casino train --minutes 5 --set run.algorithm=ppo --set "network.hidden=[128,128]" --set run.name=ours
    casino evaluate match policy:runs/ours policy:runs/sb3 --deals 2000
"""

import numpy as np
import torch
from kept_run import KeptRun, linear, options
from sb3_contrib import MaskablePPO
from sb3_vec_env import Sb3VecEnv
from stable_baselines3.common.callbacks import BaseCallback
from torch import nn


class Watch(BaseCallback):
    """Stop model.learn() by the clock, as it counts steps itself, and play the run's matches."""

    def __init__(self, run: KeptRun) -> None:
        super().__init__()
        self.run = run

    def _on_step(self) -> bool:
        return not self.run.over()

    def _on_rollout_start(self) -> None:
        self.run.look(self.num_timesteps, lambda: layers(self.model))


def layers(model: MaskablePPO) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the layers of the policy network; the value has its own network, which our policies do not need."""
    return linear((*model.policy.mlp_extractor.policy_net, model.policy.action_net))


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--opponent", default="greedy", help="who plays the other seats (%(default)s)")
    parser.add_argument("--hidden", type=int, nargs="+", default=[128, 128])
    parser.add_argument("--envs", type=int, default=64)
    args = parser.parse_args()
    torch.set_num_threads(1)  # more threads are slower for a network of this size
    env = Sb3VecEnv(args.envs, args.variant, args.players, opponents=args.opponent, on_illegal="raise")
    networks = {"pi": args.hidden, "vf": args.hidden}
    model = MaskablePPO(
        "MlpPolicy", env, learning_rate=1e-3, n_steps=64, batch_size=512, n_epochs=5, gamma=1.0, ent_coef=0.02,
        policy_kwargs={"net_arch": networks, "activation_fn": nn.ReLU}, seed=args.seed,
    )  # fmt: skip
    run = KeptRun(args, "sb3", hidden=args.hidden, opponent=args.opponent)
    model.learn(10**12, callback=Watch(run))
    run.end(model.num_timesteps, lambda: layers(model))


if __name__ == "__main__":
    main()
