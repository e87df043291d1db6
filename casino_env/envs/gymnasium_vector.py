"""The Gymnasium environment in a batch: every game waits for the same seat, the others are played."""

from __future__ import annotations

import copy
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from casino_env.actions import ACTIONS
from casino_env.drawing.show import RENDER_MODES
from casino_env.engine.state import OVER
from casino_env.envs.batch import WAIT, first_illegal
from casino_env.envs.gymnasium import check_seat
from casino_env.envs.opponents import make_opponents
from casino_env.envs.options import rules_of, split_options
from casino_env.envs.spaces import ILLEGAL_REWARD, observation_space
from casino_env.envs.vector import Batch
from casino_env.rules import Rules

Array = np.ndarray[Any, Any]


class SingleVectorEnv(gymnasium.vector.VectorEnv[Any, Any, Any]):
    """Many games at once for one seat. A finished game is dealt anew in the same step (AutoresetMode.SAME_STEP)."""

    metadata = {"render_modes": RENDER_MODES, "autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012

    def __init__(
        self,
        num_envs: int = 1,
        variant: str | Rules = "south-african",
        players: int = 2,
        *,
        seat: int = 0,
        opponents: Any = "random",
        illegal_reward: float | None = None,
        threads: int = 1,
        dtype: str = "int8",
        **keywords: Any,
    ) -> None:
        options, changes = split_options(keywords)
        rules = rules_of(variant, players, changes)
        check_seat(seat, rules)
        self.rules, self.seat, self.num_envs = rules, seat, num_envs
        self.illegal_reward = ILLEGAL_REWARD[options.reward] if illegal_reward is None else illegal_reward
        self.opponents = make_opponents(opponents, rules.players, seat)
        self._all_random = opponents == "random"
        self._batch = Batch(rules, num_envs, options, threads=threads, redeal=False)
        self._dtype = np.dtype(dtype)
        self._seats = np.full(num_envs, seat)
        self.single_observation_space = observation_space(
            self._batch.layout.size, rules.players, options.history, dtype
        )
        self.single_action_space = gymnasium.spaces.Discrete(ACTIONS)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed if isinstance(seed, int) else None)
        self._batch.deal(seed)
        for other, opponent in self.opponents.items():
            opponent.reset(other, np.random.default_rng(self.np_random.integers(2**63)))
        self._play_others(np.zeros(self.num_envs))
        self._next_episode(self._over())
        return self._observation(), self._info()

    def step(self, actions: Any) -> tuple[Any, Array, Array, Array, dict[str, Any]]:
        chosen = np.asarray(actions).astype(np.int64)
        illegal = self._illegal(chosen)
        rewards = np.zeros(self.num_envs)
        self._batch.act(np.where(illegal, WAIT, chosen))
        rewards += self._batch.rewards[:, self.seat]
        self._play_others(rewards, held=illegal)
        rewards[illegal] = self.illegal_reward
        ended = self._over() | illegal
        info = self._final_info(ended) if ended.any() else {}
        self._next_episode(ended)
        return self._observation(), rewards, ended, np.zeros(self.num_envs, np.bool_), self._info() | info

    def _illegal(self, actions: Array) -> Array:
        wrong = np.zeros(self.num_envs, np.bool_)
        left = actions.copy()
        left[left < 0] = ACTIONS  # WAIT is not for callers
        while (index := first_illegal(self._batch.games.legal, left)) >= 0:
            wrong[index] = True
            left[index] = WAIT
        return wrong

    def _over(self) -> Array:
        return np.asarray(self._batch.records["mode"] == OVER)

    def _next_episode(self, ended: Array) -> None:
        """Deal the finished games again until this seat has something to decide in each."""
        while ended.any():
            self._batch.games.episodes[ended] += 1
            self._batch.start(ended)
            self._play_others(np.zeros(self.num_envs))
            ended = self._over()

    def _play_others(self, rewards: Array, held: Array | None = None) -> None:
        """Until every game (but those held back) waits for this seat or is over; adds what it gains meanwhile."""
        while True:
            waiting = (self._batch.actor != self.seat) & ~self._over()
            if held is not None:
                waiting &= ~held
            if not waiting.any():
                return
            self._batch.act(self._their_actions(waiting))
            rewards += self._batch.rewards[:, self.seat]

    def _their_actions(self, waiting: Array) -> Array:
        if self._all_random:
            return np.where(waiting, self._batch.sample(), WAIT)
        actions = np.full(self.num_envs, WAIT)
        for index in np.flatnonzero(waiting):
            other = int(self._batch.actor[index])
            actions[index] = self.opponents[other].act(self._batch.observed(other, int(index)))
        return actions

    def _observation(self) -> dict[str, Array]:
        seen = {
            "observation": self._batch.dense(self._seats).astype(self._dtype, copy=False),
            "action_mask": self._batch.mask(),
        }
        if self._batch.options.history:
            seen["history"] = self._batch.history(self._seats)
        return seen

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._batch.mask(), "_action_mask": np.ones(self.num_envs, np.bool_)}

    def _final_info(self, ended: Array) -> dict[str, Any]:
        """The last observation of the episodes that have ended: nothing is to be decided in it."""
        observation = self._observation()
        observation["action_mask"][ended] = 0
        last = np.full(self.num_envs, None, dtype=object)
        for index in np.flatnonzero(ended):
            last[index] = {key: value[index].copy() for key, value in observation.items()}
        masks = np.zeros((self.num_envs, ACTIONS), np.int8)
        final_info = {"action_mask": masks, "_action_mask": ended.copy()}
        return {"final_obs": last, "_final_obs": ended.copy(), "final_info": final_info, "_final_info": ended.copy()}

    def action_masks(self) -> Array:
        return self._batch.mask().astype(bool)

    def clone(self) -> SingleVectorEnv:
        return copy.deepcopy(self)
