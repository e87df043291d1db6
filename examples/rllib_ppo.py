"""RLlib's PPO (the new API stack): a network plays both seats (PettingZoo), or one seat against a bot (Gymnasium).

    pip install 'ray[rllib]' -e .
    python examples/rllib_ppo.py --minutes 2
    python examples/rllib_ppo.py --minutes 2 --api Gymnasium

Its action masking module, from RLlib's examples, needs the vector as "observations" and a float32 mask. RLlib checks an
environment by a random action, legal or not: `env` ends the game at an illegal one, `raw_env` would raise.
"""

import argparse
import logging
from typing import Any

import gymnasium as gym
import numpy as np
import ray
import torch
from measured import ID, Clock, likeliest, measured, options
from pettingzoo.utils.wrappers import BaseWrapper
from ray.rllib.algorithms.algorithm import Algorithm
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core import DEFAULT_MODULE_ID
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune.registry import register_env

import casino_env

NETWORK = {"fcnet_hiddens": [128, 128], "fcnet_activation": "relu", "head_fcnet_hiddens": [], "vf_share_layers": True}


def renamed_space(space: Any) -> gym.spaces.Dict:
    """Return the observation space that RLlib's module needs."""
    mask = gym.spaces.Box(0, 1, space["action_mask"].shape, np.float32)
    return gym.spaces.Dict({"observations": space["observation"], "action_mask": mask})


def renamed(seen: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {"observations": seen["observation"], "action_mask": seen["action_mask"].astype(np.float32)}


class Seats(BaseWrapper):
    def observation_space(self, agent: str) -> gym.Space:
        return renamed_space(self.env.observation_space(agent))

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        return renamed(self.env.observe(agent))


class OneSeat(gym.ObservationWrapper):
    def __init__(self, env: gym.Env) -> None:
        super().__init__(env)
        self.observation_space = renamed_space(env.observation_space)

    def observation(self, observation: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        return renamed(observation)


APIS = {
    "PettingZoo": lambda _: PettingZooEnv(Seats(casino_env.env("south-african", 2, dtype="float32"))),
    "Gymnasium": lambda _: OneSeat(gym.make(ID, players=2, opponents="greedy", dtype="float32")),
}


def make_algorithm(args: argparse.Namespace) -> Algorithm:
    register_env("casino", APIS[args.api])
    module = RLModuleSpec(module_class=ActionMaskingTorchRLModule, model_config=NETWORK)
    config = PPOConfig().environment("casino").debugging(seed=args.seed)
    config.env_runners(num_env_runners=0, num_envs_per_env_runner=1 if args.api == "PettingZoo" else 16)
    config.training(
        train_batch_size_per_learner=args.batch, minibatch_size=min(args.batch, 256), num_epochs=6, lr=1e-3, gamma=1.0,
        entropy_coeff=0.01, vf_loss_coeff=0.005, vf_clip_param=1000.0, grad_clip=0.5,
    )  # fmt: skip
    if args.api == "PettingZoo":
        config.multi_agent(policies={"both"}, policy_mapping_fn=lambda *_, **__: "both")
        config.rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"both": module}))
    else:
        config.rl_module(rl_module_spec=module)
    return config.build_algo()


def train(algorithm: Algorithm, minutes: float) -> int:
    clock, result = Clock(minutes), dict[str, Any]()
    while not clock.over():
        result = algorithm.train()
    return int(result["num_env_steps_sampled_lifetime"])


def main() -> None:
    args = options(__doc__, batch=2000, api="PettingZoo")
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    algorithm = make_algorithm(args)
    name = "both" if args.api == "PettingZoo" else DEFAULT_MODULE_ID

    def logits(seen: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        obs = {"observations": seen, "action_mask": mask.float()}
        return algorithm.get_module(name).forward_inference({"obs": obs})["action_dist_inputs"]

    with measured(likeliest(logits), args):
        decisions = train(algorithm, args.minutes)
    print(f"{decisions} decisions")


if __name__ == "__main__":
    main()
