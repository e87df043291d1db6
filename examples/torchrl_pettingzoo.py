"""TorchRL's PettingZooWrapper on the turn-based environment, with masks and a few policy-gradient steps.

    pip install torchrl -e .
    python examples/torchrl_pettingzoo.py --steps 400

TorchRL turns "action_mask" into a boolean mask in the agent's group. An agent that is not to move has an empty mask,
from which nothing can be sampled: its logits are left unmasked, and its row is ignored.
"""

import argparse
from collections.abc import Iterator

import torch
from torch.distributions import Categorical
from torchrl.envs import PettingZooWrapper, set_exploration_type
from torchrl.envs.utils import ExplorationType, step_mdp

import casino_env
from casino_env.actions import ACTIONS


def masked(logits: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Set the logits of illegal actions to a large negative number; leave rows without legal actions unchanged."""
    anything = mask.any(-1, keepdim=True)
    return torch.where(mask | ~anything, logits, torch.finfo(logits.dtype).min)


def rollout(
    env: PettingZooWrapper, network: torch.nn.Module, steps: int
) -> Iterator[tuple[torch.Tensor, torch.Tensor, list[int]]]:
    """Play deals; yield for each the log-probabilities, the rewards of all agents, and the agent of each decision."""
    data = env.reset()
    logs, rewards, agents = [], [], []
    for _ in range(steps):
        group = data["player"]
        on_turn = group["mask"].reshape(-1)
        seen = group["observation", "observation"].float()
        choice = Categorical(logits=masked(network(seen), group["action_mask"]))
        action = choice.sample()
        agents.append(int(on_turn.nonzero()[0]))
        logs.append(choice.log_prob(action)[agents[-1]])
        assert bool(group["action_mask"][agents[-1], action[agents[-1]]])
        data["player", "action"] = action
        data = env.step(data)
        rewards.append(data["next", "player", "reward"].reshape(-1))
        over = bool(data["next", "done"].any())
        data = env.reset() if over else step_mdp(data)
        if over:
            yield torch.stack(logs), torch.stack(rewards), agents
            logs, rewards, agents = [], [], []


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--variant", default="south-african")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--steps", type=int, default=400)
    args = parser.parse_args()
    torch.manual_seed(0)
    raw = casino_env.raw_env(args.variant, args.players, dtype="float32")
    env = PettingZooWrapper(raw, use_mask=True, return_state=False, group_map={"player": raw.possible_agents})
    network = torch.nn.Sequential(torch.nn.Linear(raw.layout.size, 64), torch.nn.Tanh(), torch.nn.Linear(64, ACTIONS))
    optimiser = torch.optim.Adam(network.parameters(), 1e-3)
    deals = 0
    with set_exploration_type(ExplorationType.RANDOM):
        for logs, rewards, agents in rollout(env, network, args.steps):
            returns = rewards.sum(0)[agents]  # the deal's result for the agent that decided
            loss = -(logs * returns).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            deals += 1
    print(f"{deals} deals, {args.steps} decisions, last loss {loss.item():+.3f}")


if __name__ == "__main__":
    main()
