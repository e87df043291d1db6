"""Train Stable-Baselines3's MaskablePPO with a network of our shape and save it as a policy of ours.

    python examples/sb3_as_policy.py --minutes 5 --out runs/sb3
    casino evaluate match policy:runs/sb3 counter --variant south-african --players 2

So its strength can be measured by duplicate matches like that of any other agent, and five minutes of it against five
minutes of our PPO:

    casino train --minutes 5 --set run.algorithm=ppo --set "network.hidden=[128,128]" --set run.name=ours
    casino evaluate match policy:runs/ours policy:runs/sb3 --deals 2000
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from sb3_maskable_ppo import VectorOnly
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.env_util import make_vec_env

from casino_env import make_rules
from casino_env.agents.policy.mlp import Shape
from casino_env.agents.policy.policy_files import save_policy
from casino_env.envs.gymnasium import SingleEnv


class StopByClock(BaseCallback):
    """model.learn() counts steps; this looks at the clock."""

    def __init__(self, minutes: float) -> None:
        super().__init__()
        self.end = time.perf_counter() + 60 * minutes

    def _on_step(self) -> bool:
        return time.perf_counter() < self.end


def train(args: argparse.Namespace) -> tuple[MaskablePPO, float]:
    def make() -> VectorOnly:
        return VectorOnly(
            SingleEnv(args.variant, args.players, opponents=args.opponent, on_illegal="raise", dtype="float32")
        )

    networks = {"pi": list(args.hidden), "vf": list(args.hidden)}
    model = MaskablePPO(
        "MlpPolicy", make_vec_env(make, n_envs=args.envs, seed=args.seed), n_steps=2048 // args.envs, batch_size=512,
        gamma=1.0, gae_lambda=0.9, ent_coef=0.02, seed=args.seed,
        policy_kwargs={"net_arch": networks, "activation_fn": torch.nn.ReLU},
    )  # fmt: skip
    began = time.perf_counter()
    model.learn(10**12, callback=StopByClock(args.minutes))
    return model, model.num_timesteps / (time.perf_counter() - began)


def weights(model: MaskablePPO, shape: Shape) -> np.ndarray:
    """MaskablePPO's layers under our names; its value network is another one, so the value is left at zero."""
    state = {name: tensor.detach().cpu().numpy() for name, tensor in model.policy.state_dict().items()}
    parts = {name: np.zeros(part, np.float32) for name, part in shape.parts.items()}
    for n in range(len(shape.hidden)):
        parts[f"layer{n}.weight"] = state[f"mlp_extractor.policy_net.{2 * n}.weight"].T
        parts[f"layer{n}.bias"] = state[f"mlp_extractor.policy_net.{2 * n}.bias"]
    parts["policy.weight"], parts["policy.bias"] = state["action_net.weight"], state["action_net.bias"]
    return shape.flat(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--variant", default="south-african")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--opponent", default="greedy", help="who plays the other seats")
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--hidden", type=int, nargs="+", default=[128, 128])
    parser.add_argument("--envs", type=int, default=16)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("runs/sb3"))
    args = parser.parse_args()
    rules = make_rules(args.variant, args.players)
    model, speed = train(args)
    shape = Shape(model.observation_space.shape[0], tuple(args.hidden), 1)
    args.out.mkdir(parents=True, exist_ok=True)
    about = {"trainer": "sb3-contrib MaskablePPO", "opponent": args.opponent, "decisions": model.num_timesteps}
    save_policy(args.out / "policy.safetensors", shape, weights(model, shape), rules, about)
    print(json.dumps({"decisions": model.num_timesteps, "decisions_per_second": round(speed), "out": str(args.out)}))


if __name__ == "__main__":
    main()
