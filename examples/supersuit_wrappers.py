"""SuperSuit's wrappers on the PettingZoo interface, and self-play that learns through them.

    pip install supersuit -e '.[eval]'
    python examples/supersuit_wrappers.py --minutes 2

Most of SuperSuit's wrappers need array observations, not dictionaries: observation_lambda_v0 joins mask and vector into
one array, and then all wrappers fit. The learner is that of cleanrl_ppo.py.
"""

import argparse
from typing import Any

import gymnasium as gym
import numpy as np
import supersuit
import torch
from cleanrl_ppo import Agent, update
from measured import Clock, likeliest, measured, options

import casino_env
from casino_env.actions import ACTIONS

DEALS = 64  # deals between two updates


def make_env() -> Any:
    """Make an environment whose observation is mask and vector in one float32 array, with rewards divided by 11."""
    env = supersuit.observation_lambda_v0(casino_env.env("south-african", 2), _flat, _flat_space)
    return supersuit.reward_lambda_v0(supersuit.dtype_v0(env, np.float32), lambda reward: reward / 11.0)


def _flat(seen: dict[str, np.ndarray], _space: gym.Space) -> np.ndarray:
    return np.concatenate([seen["action_mask"], seen["observation"]])


def _flat_space(space: Any) -> gym.Space:
    return gym.spaces.Box(0, 1, (ACTIONS + space["observation"].shape[0],), np.dtype(np.int8).type)


class Rollout:
    """Plays deals in parallel, each by PettingZoo's own loop, and collects the decisions with their results."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._envs = [make_env() for _ in range(DEALS)]

    def play(self, seed: int) -> tuple[torch.Tensor, ...]:
        """Return observations, masks, actions, log-probabilities, values, and the result for the deciding seat."""
        going = list(enumerate(self._envs))
        for number, env in going:
            env.reset(seed=seed + number)
        decided, results = [], np.zeros((DEALS, 2), np.float32)
        while going := [(number, env) for number, env in going if self._goes_on(number, env, results)]:
            seen = torch.from_numpy(np.stack([env.last()[0] for _, env in going]))
            vector, mask = seen[:, ACTIONS:], seen[:, :ACTIONS]
            with torch.no_grad():
                likes, value = self._agent(vector, mask)
            action = likes.sample()
            who = np.array([(number, env.possible_agents.index(env.agent_selection)) for number, env in going])
            decided.append((vector, mask, action, likes.log_prob(action), value, who))
            for (_, env), chosen in zip(going, action.tolist(), strict=True):
                env.step(chosen)
        *parts, whose = zip(*decided, strict=True)
        number, seat = np.concatenate(whose).T
        return *(torch.cat(part) for part in parts), torch.from_numpy(results[number, seat])

    @staticmethod
    def _goes_on(number: int, env: Any, results: np.ndarray) -> bool:
        """Return whether a decision is due; at the end of a deal, note the reward of every agent and let it leave."""
        while env.agents and any(env.last(observe=False)[2:4]):
            results[number, env.possible_agents.index(env.agent_selection)] = env.last(observe=False)[1]
            env.step(None)
        return bool(env.agents)


def train(agent: Agent, args: argparse.Namespace) -> int:
    rollout, optimiser = Rollout(agent), torch.optim.Adam(agent.parameters(), 1e-3)
    clock, decisions, seed = Clock(args.minutes), 0, args.seed
    while not clock.over():
        seen, mask, action, old, value, result = rollout.play(seed)
        update(agent, optimiser, seen, mask, action, old, result - value, result)
        decisions, seed = decisions + len(action), seed + DEALS
    return decisions


def main() -> None:
    args = options(__doc__)
    torch.manual_seed(args.seed)
    agent = Agent(make_env().observation_space("player_0").shape[0] - ACTIONS)

    with measured(likeliest(agent.logits), args):
        decisions = train(agent, args)
    print(f"{decisions} decisions")


if __name__ == "__main__":
    main()
