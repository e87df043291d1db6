"""Tianshou's PettingZooEnv on the turn-based environment, random policies playing each other.

    pip install -e '.[interop-tianshou]'
    python examples/tianshou_pettingzoo.py --deals 20

Tianshou hands out {"agent_id", "obs", "mask"} for the agent on turn, the mask as a list of booleans, and rewards as a
list by agent.
"""

import argparse

import numpy as np
from tianshou.env.pettingzoo_env import PettingZooEnv

import casino_env


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--variant", default="south-african")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--deals", type=int, default=20)
    args = parser.parse_args()
    env = PettingZooEnv(casino_env.env(args.variant, args.players))
    print(env.agents)
    rng = np.random.default_rng(0)
    totals, decisions = np.zeros(args.players), 0
    for deal in range(args.deals):
        observation, _ = env.reset(seed=deal)
        over = False
        while not over:
            legal = np.flatnonzero(observation["mask"])
            observation, rewards, over, _, _ = env.step(int(rng.choice(legal)))
            totals += rewards
            decisions += 1
    print(f"{args.deals} deals, {decisions} decisions; points more than the others by agent: {totals / args.deals}")


if __name__ == "__main__":
    main()
