"""The games as a Gymnasium environment: one seat learns, the others are played by opponents of your choice."""

from __future__ import annotations

import copy
from typing import Any

import gymnasium
import numpy as np

from casino_env.actions import ACTIONS
from casino_env.drawing.show import RENDER_MODES, Show
from casino_env.envs.opponents import make_opponents
from casino_env.envs.options import rules_of, split_options
from casino_env.envs.spaces import ILLEGAL_REWARD, observation_space
from casino_env.envs.vector import Batch
from casino_env.game import IllegalActionError
from casino_env.rules import Rules

ON_ILLEGAL = ("end", "raise")


class SingleEnv(gymnasium.Env[Any, Any]):
    """One seat of a game. Between two of its decisions the opponents play.

    An illegal action ends the episode with illegal_reward (on_illegal="end") or raises IllegalActionError ("raise").
    """

    metadata = {"render_modes": RENDER_MODES, "render_fps": 2}  # noqa: RUF012

    def __init__(
        self,
        variant: str | Rules = "south-african",
        players: int = 2,
        *,
        seat: int = 0,
        opponents: Any = "random",
        on_illegal: str = "end",
        illegal_reward: float | None = None,
        render_mode: str | None = None,
        render_seat: int | None = None,
        dtype: str = "int8",
        **keywords: Any,
    ) -> None:
        options, changes = split_options(keywords)
        rules = rules_of(variant, players, changes)
        check_seat(seat, rules)
        if on_illegal not in ON_ILLEGAL:
            raise ValueError(f"on_illegal = {on_illegal!r}; it must be one of {', '.join(ON_ILLEGAL)}")
        self.rules, self.seat, self.on_illegal = rules, seat, on_illegal
        self.illegal_reward = ILLEGAL_REWARD[options.reward] if illegal_reward is None else illegal_reward
        self.opponents = make_opponents(opponents, rules.players, seat)
        self.render_mode = render_mode
        self._batch = Batch(rules, 1, options, redeal=False)
        self._show = Show(rules, render_mode, seat if render_seat is None else render_seat)
        self._dtype = np.dtype(dtype)
        self._ended = True
        self.observation_space = observation_space(self._batch.layout.size, rules.players, options.history, dtype)
        self.action_space = gymnasium.spaces.Discrete(ACTIONS)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self._batch.deal(seed)
        for other, opponent in self.opponents.items():
            opponent.reset(other, np.random.default_rng(self.np_random.integers(2**63)))
        self._play_others()
        while self._batch.over():  # not one decision for this seat in the whole deal
            self._batch.deal()
            self._play_others()
        self._ended = False
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        if self._ended:
            raise gymnasium.error.ResetNeeded("the episode is over: call reset() before step()")
        try:
            self._batch.act_one(action)
        except IllegalActionError:
            if self.on_illegal == "raise":
                raise
            self._ended = True
            return self._observation(), self.illegal_reward, True, False, self._info() | {"illegal_action": int(action)}
        reward = float(self._batch.rewards[0, self.seat]) + self._play_others()
        self._ended = self._batch.over()
        return self._observation(), reward, self._ended, False, self._info()

    def _play_others(self) -> float:
        """Until this seat decides or the game is over; returns what it gained meanwhile."""
        gained = 0.0
        while not self._batch.over() and self._batch.actor[0] != self.seat:
            other = int(self._batch.actor[0])
            action = self.opponents[other].act(self._batch.observed(other))
            self._batch.act_one(action)
            gained += float(self._batch.rewards[0, self.seat])
        return gained

    def action_masks(self) -> np.ndarray[Any, Any]:
        """Legal actions as booleans: what MaskablePPO asks for."""
        return self._mask().astype(bool)

    def _mask(self) -> np.ndarray[Any, Any]:
        return np.zeros(ACTIONS, np.int8) if self._ended else self._batch.mask()[0]

    def _observation(self) -> dict[str, np.ndarray[Any, Any]]:
        seats = np.array([self.seat])
        seen = {
            "observation": self._batch.dense(seats)[0].astype(self._dtype, copy=False),
            "action_mask": self._mask(),
        }
        if self._batch.options.history:
            seen["history"] = self._batch.history(seats)[0]
        return seen

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._mask()}

    def state(self) -> np.ndarray[Any, Any]:
        """Everything, hidden cards too, from this seat's side: for critics."""
        return np.asarray(self._batch.truth(np.array([self.seat]))[0], self._dtype)

    def render(self) -> Any:
        return self._show.draw(self._batch.records)

    def clone(self) -> SingleEnv:
        return copy.deepcopy(self)


def check_seat(seat: int, rules: Rules) -> None:
    if type(seat) is not int or not 0 <= seat < rules.players:
        raise ValueError(f"seat = {seat!r}; it must be 0 to {rules.players - 1}")
