"""Tianshou's multi-agent DQN on the PettingZoo interface: why it does not learn by default, and how it does.

    pip install tianshou -e .
    python examples/tianshou_pettingzoo.py --minutes 2
    python examples/tianshou_pettingzoo.py --minutes 2 --horizon 1 --explore no

The rows of its buffer are in the order of play. So the next observation is often the other seat's, whose value is the
opponent's, and the deal's reward is only in the row of the seat that decided last. A horizon of more steps than a deal
has uses the deal's result instead. Besides, its seats do not explore by eps_training, because only the policy around
them knows that it is being trained; they use eps_inference.
"""

import argparse
import logging

import numpy as np
import torch
from measured import Clock, likeliest, measured, options
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Batch, Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.env.pettingzoo_env import PettingZooEnv
from tianshou.utils.net.common import Net
from tianshou.utils.torch_utils import policy_within_training_step

import casino_env

GAMES, DEALS, ROWS, UPDATES = 64, 64, 512, 24  # DEALS are played, then UPDATES of ROWS are made
LONGEST = 100  # more than the decisions of both seats in any deal


def make_env() -> PettingZooEnv:
    return PettingZooEnv(casino_env.env("south-african", 2))


def make_learner(args: argparse.Namespace) -> tuple[Net, MultiAgentOffPolicyAlgorithm]:
    """Make one network and learner for both seats."""
    env = make_env()
    size = env.observation_space["observation"].shape
    net = Net(state_shape=size, action_shape=env.action_space.n, hidden_sizes=[128, 128])
    explores = {"eps_inference": 0.1} if args.explore == "yes" else {}
    policy = DiscreteQLearningPolicy(model=net, action_space=env.action_space, eps_training=0.1, **explores)
    dqn = DQN(
        policy=policy, optim=AdamOptimizerFactory(lr=1e-3), gamma=1.0, n_step_return_horizon=args.horizon,
        target_update_freq=100,
    )  # fmt: skip
    return net, MultiAgentOffPolicyAlgorithm(algorithms=[dqn, dqn], env=env)


def demonstrate(args: argparse.Namespace) -> None:
    """Print what its buffer holds, and whether its seats explore, after 20 deals with eps_training = 1."""
    args = argparse.Namespace(**vars(args) | {"explore": "no"})
    _net, learner = make_learner(args)
    seats = learner.policy.policies
    for policy in seats.values():
        policy.set_eps_training(1.0)
    buffer = VectorReplayBuffer(GAMES * 2 * LONGEST, GAMES)
    with policy_within_training_step(learner.policy):
        Collector(learner.policy, DummyVectorEnv([make_env] * GAMES), buffer).collect(
            n_episode=20, reset_before_collect=True
        )
    rows = buffer[:]
    other = rows.obs.agent_id != rows.obs_next.agent_id
    last = rows.done
    best = next(iter(seats.values()))(Batch(obs=rows.obs, info=None)).act
    print(f"{len(rows)} decisions of {last.sum()} deals in Tianshou's buffer:")
    print(f"  {(other & ~last).sum()} of {(~last).sum()} are followed by an observation of the other seat")
    print(f"  {last.sum()} rows have a reward: one a deal, so in each deal one of the two seats gets none")
    print(f"  {(best != rows.act).sum()} are exploration, with eps_training=1")


def train(learner: MultiAgentOffPolicyAlgorithm, args: argparse.Namespace) -> int:
    buffer = VectorReplayBuffer(40_000, GAMES)
    collector = Collector(learner.policy, DummyVectorEnv([make_env] * GAMES), buffer)
    clock, decisions = Clock(args.minutes), 0
    with policy_within_training_step(learner.policy):
        collector.reset()
        while not clock.over():
            decisions += collector.collect(n_episode=DEALS).n_collected_steps
            for _ in range(UPDATES):
                learner.update(buffer, ROWS)
    return decisions


def main() -> None:
    logging.getLogger("tianshou").setLevel(logging.ERROR)
    args = options(__doc__, horizon=LONGEST, explore="yes")
    torch.manual_seed(args.seed)
    np.random.seed(args.seed)  # Tianshou explores by NumPy's global generator
    demonstrate(args)
    net, learner = make_learner(args)

    with measured(likeliest(lambda seen, _: net(seen)[0]), args):
        decisions = train(learner, args)
    print(f"{decisions} decisions")


if __name__ == "__main__":
    main()
