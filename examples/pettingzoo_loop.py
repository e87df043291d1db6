"""Play an episode through PettingZoo and print every value of last(): `python examples/pettingzoo_loop.py`."""

import numpy as np

import casino_env
from casino_env.actions import action_text


def main() -> None:
    env = casino_env.env("south-african", players=2)
    env.reset(seed=1)
    rng = np.random.default_rng(1)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        legal = np.flatnonzero(observation["action_mask"])
        assert (info["action_mask"] == observation["action_mask"]).all()
        action = None if terminated or truncated else int(rng.choice(legal))
        doing = "has finished" if action is None else f"{len(legal)} legal, does: {action_text(action)}"
        print(f"{agent}  reward {reward:+.1f}  terminated {terminated!s:<5}  truncated {truncated!s:<5}  {doing}")
        env.step(action)
    env.close()


if __name__ == "__main__":
    main()
