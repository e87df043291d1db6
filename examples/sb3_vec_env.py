"""A Stable-Baselines3 VecEnv over our vector environment.

make_vec_env makes a process or a wrapper for each game, which costs several times as much as the games. Here they are
played in one batch, and MaskablePPO gets all masks at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from stable_baselines3.common.vec_env.base_vec_env import VecEnv

from casino_env.arrays import Array
from casino_env.envs.gymnasium import SingleVectorEnv
from casino_env.rules import Rules


class Sb3VecEnv(VecEnv):  # type: ignore[misc]
    """A batch of games with vectors as observations; action_masks() has the masks. keywords: those of gym.make_vec."""

    def __init__(
        self,
        num_envs: int,
        variant: str | Rules = "south-african",
        players: int = 2,
        *,
        dtype: str = "float32",
        **keywords: Any,
    ) -> None:
        self.games = SingleVectorEnv(num_envs, variant, players, dtype=dtype, autoreset_mode="same_step", **keywords)
        self._actions: Any = None
        seen: Any = self.games.single_observation_space
        super().__init__(self.games.num_envs, seen["observation"], self.games.single_action_space)

    def reset(self) -> Array:
        seen, _ = self.games.reset(seed=self._seeds)
        self._reset_seeds()
        self._reset_options()
        return np.asarray(seen["observation"])

    def step_async(self, actions: Any) -> None:
        self._actions = actions

    def step_wait(self) -> tuple[Array, Array, Array, list[dict[str, Any]]]:
        seen, rewards, terminated, truncated, info = self.games.step(self._actions)
        done, told = terminated | truncated, [dict[str, Any]() for _ in range(self.num_envs)]
        for index in np.flatnonzero(done):
            told[index] = {
                "terminal_observation": info["final_obs"][index]["observation"],
                "TimeLimit.truncated": bool(truncated[index] and not terminated[index]),
            }
        return seen["observation"], rewards.astype(np.float32), done, told

    def action_masks(self) -> Array:
        """Return the legal actions of each game as booleans."""
        return self.games.action_masks()

    def close(self) -> None:
        self.games.close()

    # --- SB3's access to single environments: all games of a batch have the same settings ---

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self.games, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise AttributeError(f"{attr_name} cannot be set: the games of a batch share settings; make another batch")

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **keywords: Any) -> list[Any]:
        """Call action_masks or render, the only methods with a result for each game."""
        if method_name not in ("action_masks", "render"):
            raise AttributeError(f"{method_name}: single games of a batch have only action_masks and render")
        rows = getattr(self.games, method_name)(*args, **keywords)
        return [None if rows is None else rows[index] for index in self._get_indices(indices)]

    def get_images(self) -> list[Any]:
        return list(self.games.render() or [])

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False for _ in self._get_indices(indices)]
