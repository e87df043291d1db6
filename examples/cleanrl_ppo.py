"""PPO with action masks in one file, in the order of the paper: every seat learns from its own decisions.

    pip install torch -e '.[eval]'
    python examples/cleanrl_ppo.py --minutes 2
    python examples/cleanrl_ppo.py --cpu-minutes 3 --variant swazi --players 3 --keep    # as a run: kept_run.py
    python examples/cleanrl_ppo.py --device cuda --games 16384   # games and network on a GPU (docs/gpu.md)

Each game of a batch waits for a different seat, so the decisions of a seat are scattered over the steps. They are
separated by game and seat: the successor of a decision is the next one of the same seat. Prints points a deal against
random and greedy before and after, with 95 % intervals.
"""

import argparse
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from kept_run import KeptRun, linear, options
from measured import Clock, likeliest, say
from torch import Tensor, nn

import casino_env

STEPS, EPOCHS, MINIBATCHES = 64, 3, 8
GAMMA, LAMBDA, CLIP, ENTROPY, RATE = 1.0, 0.95, 0.2, 0.02, 1e-3


Watch = Callable[[int], bool]


class Agent(nn.Module):
    def __init__(self, size: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(size, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU())
        self.actor, self.critic = nn.Linear(128, 192), nn.Linear(128, 1)

    def forward(self, seen: torch.Tensor, mask: torch.Tensor) -> tuple[torch.distributions.Categorical, torch.Tensor]:
        hidden = self.body(seen.float())
        logits = self.actor(hidden).masked_fill(mask == 0, -1e9)
        return torch.distributions.Categorical(logits=logits), self.critic(hidden).squeeze(-1)

    def logits(self, seen: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Of all actions, on the processor, wherever the network lies."""
        device = self.critic.weight.device
        return self(seen.to(device), mask.to(device))[0].logits.cpu()

    def layers(self) -> list[tuple[np.ndarray, np.ndarray]]:
        return linear((*self.body, self.actor))


def rollout(vec: Any, agent: Agent, now: Sequence[Any]) -> tuple[list[Tensor], Sequence[Any]]:
    """Return STEPS decisions of each game, and the observations after them: arrays, or tensors on the GPU."""
    rows = []
    for _ in range(STEPS):
        seen, mask, seat = (torch.as_tensor(part) for part in now)
        with torch.no_grad():
            likes, value = agent(seen, mask)
        action = likes.sample()
        *now, reward, done = vec.step(action.numpy() if isinstance(now[0], np.ndarray) else action)
        points, over = torch.as_tensor(reward) / 11.0, torch.as_tensor(done).bool()
        rows.append((seen, mask, seat, action, likes.log_prob(action), value, points, over))
    return [torch.stack([row[part] for row in rows]) for part in range(8)], now


def advantages(seat: Tensor, value: Tensor, reward: Tensor, done: Tensor) -> tuple[Tensor, Tensor]:
    """Return GAE along the decisions of each seat, computed backwards, and which decisions have a known successor.

    All seats get rewards when a deal ends, whichever decided last: they are credited to the seat's previous decision.
    """
    games = torch.arange(seat.shape[1], device=seat.device)
    gain, use = torch.zeros_like(value), torch.zeros_like(done)
    known = torch.zeros_like(
        reward[0], dtype=torch.bool
    )  # the seat decides again, or its deal ends, later in this rollout
    ahead, after, paid = (torch.zeros_like(reward[0]) for _ in range(3))
    for t in reversed(range(STEPS)):
        over = done[t]
        known[over], ahead[over], after[over], paid[over] = True, 0.0, 0.0, 0.0
        paid += reward[t]
        me = games, seat[t]
        use[t] = known[me]
        error = paid[me] + GAMMA * after[me] - value[t]
        gain[t] = error + GAMMA * LAMBDA * ahead[me]
        known[me], ahead[me], after[me], paid[me] = True, gain[t], value[t], 0.0
    return gain, use


def update(
    agent: Agent, optimiser: torch.optim.Optimizer, seen: Tensor, mask: Tensor, action: Tensor, old: Tensor,
    gain: Tensor, target: Tensor,
) -> None:  # fmt: skip
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(action), device=action.device).chunk(MINIBATCHES):
            likes, value = agent(seen[rows], mask[rows])
            ratio = (likes.log_prob(action[rows]) - old[rows]).exp()
            better = (gain[rows] - gain[rows].mean()) / (gain[rows].std() + 1e-8)
            policy_loss = -torch.min(ratio * better, ratio.clamp(1 - CLIP, 1 + CLIP) * better).mean()
            value_loss = 0.5 * (value - target[rows]).pow(2).mean()
            loss = policy_loss + value_loss - ENTROPY * likes.entropy().mean()
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimiser.step()


def train(vec: Any, agent: Agent, optimiser: torch.optim.Optimizer, watch: Watch, seed: int) -> int:
    """Train as long as watch(decisions) is true; return the number of decisions."""
    now: Sequence[Any] = vec.reset(seed)
    decisions = 0
    while watch(decisions):
        (seen, mask, seat, action, old, value, reward, done), now = rollout(vec, agent, now)
        gain, use = advantages(seat, value, reward, done)
        update(agent, optimiser, *(x[use] for x in (seen, mask, action, old, gain, gain + value)))
        decisions += int(use.sum())
    return decisions


def keep(vec: Any, agent: Agent, optimiser: torch.optim.Optimizer, args: argparse.Namespace) -> None:
    """Train as a kept run, to be compared with those of other learners."""
    torch.set_num_threads(1)  # more threads are slower for a network of this size
    run = KeptRun(args, "cleanrl", games=args.games, rate=RATE)

    def watch(decisions: int) -> bool:
        run.look(decisions, agent.layers)
        return not run.over()

    run.end(train(vec, agent, optimiser, watch, args.seed), agent.layers)


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--keep", action="store_true", help="a run with matches, instead of points before and after")
    parser.add_argument("--device", default="cpu", help="of games and network: cpu or cuda (%(default)s)")
    parser.add_argument("--games", type=int, default=128, help="side by side (%(default)s)")
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    vec = casino_env.make_vec(args.variant, args.players, args.games, device=args.device)
    agent = Agent(vec.layout.size).to(args.device)
    optimiser = torch.optim.Adam(agent.parameters(), RATE, eps=1e-5)
    if args.keep:
        keep(vec, agent, optimiser, args)
        return
    say("before", likeliest(agent.logits), args)
    clock = Clock(args.minutes)
    decisions = train(vec, agent, optimiser, lambda _: not clock.over(), args.seed)
    say("after", likeliest(agent.logits), args)
    print(f"{decisions} decisions")


if __name__ == "__main__":
    main()
