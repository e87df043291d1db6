"""AgileRL's PPO on the Gymnasium interface, in a batch of games.

    pip install agilerl peft -e .
    python examples/agilerl_ppo.py --minutes 2

AgileRL reads the masks from info["action_mask"] by itself, so its network gets only the observation vector.
"""

from collections.abc import Iterator
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from agilerl.algorithms import PPO
from agilerl.rollouts.on_policy import collect_rollouts
from gymnasium.wrappers.vector import TransformObservation, TransformReward
from measured import ID, Clock, measured, options

GAMES = 64
NETWORK = {"encoder_config": {"hidden_size": [128]}, "head_config": {"hidden_size": [128]}, "latent_dim": 128}


def make_env() -> gym.vector.VectorEnv:
    keywords: dict[str, Any] = {"players": 2, "opponents": "greedy", "dtype": "float32", "autoreset_mode": "next_step"}
    env = gym.make_vec(ID, num_envs=GAMES, **keywords)  # Gymnasium's wrappers need next_step
    many, one = env.observation_space, env.single_observation_space
    assert isinstance(many, gym.spaces.Dict)
    assert isinstance(one, gym.spaces.Dict)
    parts = many["observation"], one["observation"]
    vector_alone = TransformObservation(env, lambda seen: seen["observation"], *parts)
    return TransformReward(vector_alone, lambda reward: reward / 11.0)


def train(agent: PPO, env: gym.vector.VectorEnv, minutes: float) -> Iterator[int]:
    """Train until the time is over; yield the number of decisions of each rollout."""
    clock, now = Clock(minutes), dict[str, Any]()
    env.reset(seed=1)
    while not clock.over():
        _, *rest = collect_rollouts(agent, env, **now)
        now = dict(zip(("last_obs", "last_done", "last_scores", "last_info"), rest, strict=True))
        agent.learn()
        yield agent.learn_step


def main() -> None:
    args = options(__doc__, frames=4096)
    torch.manual_seed(args.seed)
    np.random.seed(args.seed)
    env = make_env()
    agent = PPO(
        env.single_observation_space, env.single_action_space, num_envs=GAMES, learn_step=args.frames, batch_size=512,
        lr=3e-4, gamma=1.0, ent_coef=0.02, update_epochs=4, net_config=NETWORK,
    )  # fmt: skip

    def choose(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        agent.get_action(observations, action_mask=masks)  # its action is sampled; take the most likely one instead
        return agent.actor.head_net.dist.logits.argmax(-1).numpy()

    with measured(choose, args):
        decisions = sum(train(agent, env, args.minutes))
    print(f"{decisions} decisions")


if __name__ == "__main__":
    main()
