"""OpenSpiel's policy gradient agent learns our game, in self-play through its rl_environment.

    pip install -e '.[eval,spiel]' torch
    python examples/openspiel_policy_gradient.py --minutes 2

The game's states are in Python, so a decision takes about a millisecond. The information state tensor is the
environments' own observation.
"""

import argparse

import numpy as np
import torch
from measured import Clock, likeliest, measured, options
from open_spiel.python import rl_environment
from open_spiel.python.pytorch.policy_gradient import PolicyGradient

from casino_env.actions import ACTIONS
from casino_env.evaluate import openspiel


def make_agents(size: int) -> list[PolicyGradient]:
    """Make an agent for each seat; OpenSpiel's agents share no networks."""
    return [
        PolicyGradient(
            seat, size, ACTIONS, loss_str="a2c", hidden_layers_sizes=(128, 128), batch_size=512, optimizer_str="adam",
            critic_learning_rate=1e-3, pi_learning_rate=1e-3, num_critic_before_pi=2, entropy_cost=0.05,
            max_global_gradient_norm=1.0,
        )
        for seat in (0, 1)
    ]  # fmt: skip


def train(env: rl_environment.Environment, agents: list[PolicyGradient], args: argparse.Namespace) -> int:
    clock, decisions = Clock(args.minutes), 0
    while not clock.over():
        now = env.reset()
        while not now.last():
            seat = now.observations["current_player"]
            now = env.step([agents[seat].step(now).action])
            decisions += 1
        for agent in agents:  # each needs the final step
            agent.step(now)
    return decisions


def main() -> None:
    args = options(__doc__)
    torch.manual_seed(args.seed)
    np.random.seed(args.seed)  # OpenSpiel's agents sample from NumPy's global generator
    game = openspiel.load("south-african", 2)
    env = rl_environment.Environment(game)
    env.seed(args.seed)
    agents = make_agents(game.layout.size)

    with measured(likeliest(lambda seen, _: agents[0]._pi_network(seen)), args):
        decisions = train(env, agents, args)
    print(f"{decisions} decisions")


if __name__ == "__main__":
    main()
