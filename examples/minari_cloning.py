"""Record a bot's games as a Minari dataset, and train a network on it by behaviour cloning.

    pip install 'minari[create,hdf5]' pillow torch -e .
    python examples/minari_cloning.py --minutes 2

DataCollector wraps the environment and records its steps. The bot gets `observed()` of the unwrapped environment, which
is all that its seat may know. Half of the time is for recording.
"""

import argparse
import os
import tempfile

import gymnasium as gym
import minari
import numpy as np
import torch
from cleanrl_ppo import Agent
from measured import ID, Clock, likeliest, measured, options

import casino_env
from casino_env.agents import make_agent

NAME, MINIBATCH = "casino/south-african/bot-v0", 256


def record(bot: str, args: argparse.Namespace) -> minari.MinariDataset:
    """Record deals of a bot on seat 0 against the same bot."""
    player = make_agent(bot)
    env = minari.DataCollector(gym.make(ID, players=2, opponents=bot))
    clock, deal = Clock(args.minutes / 2), 0
    while not clock.over() or not deal:
        env.reset(seed=args.seed + deal)
        player.reset(0, np.random.default_rng(args.seed + deal))
        over = False
        while not over:
            _, _, over, _, _ = env.step(player.act(env.unwrapped.observed()))
        deal += 1
    return env.create_dataset(NAME, algorithm_name=bot, description="Casino deals of a bot")


def clone(agent: Agent, dataset: minari.MinariDataset, clock: Clock) -> int:
    """Fit the network to the bot's actions until the time is over; return the number of passes."""
    seen, mask, action = [], [], []
    for episode in dataset.iterate_episodes():  # the last observation has no action
        seen.append(episode.observations["observation"][:-1])
        mask.append(episode.observations["action_mask"][:-1])
        action.append(episode.actions)
    rows = [torch.from_numpy(np.concatenate(part)) for part in (seen, mask, action)]
    optimiser = torch.optim.Adam(agent.parameters(), 5e-4)
    passes = 0
    while not clock.over() or not passes:
        for chosen in torch.randperm(len(rows[0])).split(MINIBATCH):
            likes, _ = agent(rows[0][chosen], rows[1][chosen])
            loss = -likes.log_prob(rows[2][chosen]).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        passes += 1
    return passes


def main() -> None:
    args = options(__doc__, bot="counter")
    torch.manual_seed(args.seed)
    agent = Agent(casino_env.make_vec("south-african", 2, 1).layout.size)

    with tempfile.TemporaryDirectory() as folder, measured(likeliest(agent.logits), args):
        os.environ["MINARI_DATASETS_PATH"] = folder  # instead of the home folder
        record(args.bot, args)
        dataset = minari.load_dataset(NAME)
        passes = clone(agent, dataset, Clock(args.minutes / 2))
        print(f"{dataset.total_episodes} deals, {dataset.total_steps} decisions, read {passes} times")


if __name__ == "__main__":
    main()
