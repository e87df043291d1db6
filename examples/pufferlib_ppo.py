"""PufferLib's emulation and vectors on the Gymnasium face, with the PPO of cleanrl_ppo.py.

    python examples/pufferlib_ppo.py --minutes 2

PufferLib makes one row of bytes of an observation; a view by its `obs_dtype` has the parts again, the mask among them.
How it is installed without what its games need is told in docs/adapters.md.
"""

import gymnasium as gym
import numpy as np
import pufferlib.emulation
import pufferlib.vector
import torch
from cleanrl_ppo import RATE, Agent, train
from measured import ID, Clock, likeliest, measured, options

GAMES = 128  # side by side
KEYWORDS = {"players": 2, "opponents": "greedy", "dtype": "float32"}


def one_game(buf: dict[str, np.ndarray] | None = None, seed: int = 0) -> pufferlib.emulation.GymnasiumPufferEnv:
    return pufferlib.emulation.GymnasiumPufferEnv(
        env_creator=gym.make, env_args=[ID], env_kwargs=KEYWORDS, buf=buf, seed=seed
    )


class Batch:
    """As `casino_env.make_vec` gives it, where seat 0 decides always.

    The step after the last of a deal deals anew, whatever the action is: it is worth what the new deal is.
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
