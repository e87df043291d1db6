"""PufferLib's emulation and vectorization on the Gymnasium interface, with the PPO of cleanrl_ppo.py.

    python examples/pufferlib_ppo.py --minutes 2

PufferLib flattens an observation into a row of bytes; a view by its `obs_dtype` restores the parts, such as the mask.
docs/adapters.md says how to install it without the requirements of its own games.
"""

import gymnasium as gym
import numpy as np
import pufferlib.emulation
import pufferlib.vector
import torch
from cleanrl_ppo import RATE, Agent, train
from measured import ID, Clock, likeliest, measured, options

GAMES = 128  # games in parallel
KEYWORDS = {"players": 2, "opponents": "greedy", "dtype": "float32"}


def one_game(buf: dict[str, np.ndarray] | None = None, seed: int = 0) -> pufferlib.emulation.GymnasiumPufferEnv:
    return pufferlib.emulation.GymnasiumPufferEnv(
        env_creator=gym.make, env_args=[ID], env_kwargs=KEYWORDS, buf=buf, seed=seed
    )


class Batch:
    """The interface of `casino_env.make_vec`, where seat 0 always decides.

    The step after the end of a deal ignores its action and deals again: the action gets the value of the new deal.
    """

    def __init__(self, games: int) -> None:
        self._vec = pufferlib.vector.make(one_game, backend=pufferlib.vector.Serial, num_envs=games)
        self._parts = self._vec.driver_env.obs_dtype
        self._seat = np.zeros(games, np.int64)

    def reset(self, seed: int) -> tuple[np.ndarray, ...]:
        return self._seen(self._vec.reset(seed=seed)[0])

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, ...]:
        rows, reward, ended, _, _ = self._vec.step(actions)
        return *self._seen(rows), reward[:, None].copy(), ended.copy()

    def _seen(self, rows: np.ndarray) -> tuple[np.ndarray, ...]:
        parts = rows.view(self._parts).reshape(-1)
        return parts["observation"].copy(), parts["action_mask"].copy(), self._seat


def main() -> None:
    args = options(__doc__)
    torch.manual_seed(args.seed)
    batch = Batch(GAMES)
    agent = Agent(batch.reset(args.seed)[0].shape[1])
    optimiser = torch.optim.Adam(agent.parameters(), RATE, eps=1e-5)

    with measured(likeliest(agent.logits), args):
        clock = Clock(args.minutes)
        decisions = train(batch, agent, optimiser, lambda _: not clock.over(), args.seed)
    print(f"{decisions} decisions")


if __name__ == "__main__":
    main()
