"""The games as a Gymnasium environment: one seat learns, the others are played by opponents of your choice."""

from __future__ import annotations

import copy
from typing import Any

import gymnasium
import numpy as np

from casino_env.actions import ACTIONS
from casino_env.arrays import Array
from casino_env.drawing.show import RENDER_MODES, Show
from casino_env.envs.opponents import begin_episode, let_watch, make_opponents
from casino_env.envs.options import (
    Options,
    check_reset_options,
    deal_until_a_choice,
    rules_of,
    seed_number,
    split_options,
)
from casino_env.envs.spaces import ILLEGAL_REWARD, MOST_REWARD, ActionSpace, observation_space
from casino_env.envs.vector import Batch
from casino_env.game import Game, IllegalActionError
from casino_env.observed import Observed
from casino_env.rules import Rules
from casino_env.validate import float_in, int_in, short_repr

ON_ILLEGAL = ("end", "raise")
_KEYWORDS = (
    *("variant", "players", "seat", "opponents", "on_illegal", "illegal_reward"),
    *("render_mode", "render_seat", "dtype"),
)


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
        options, changes = split_options(keywords, type(self).__name__, _KEYWORDS)
        rules = rules_of(variant, players, changes)
        seat = int_in(seat, "seat", 0, rules.players - 1)
        self.rules, self.seat, self.on_illegal = rules, seat, check_on_illegal(on_illegal)
        self.illegal_reward = penalty(illegal_reward, options)
        self.opponents = make_opponents(opponents, rules, seat)
        self.render_mode = render_mode
        self._batch = Batch(rules, 1, options, redeal=False)
        self._show = Show(rules, render_mode, seat if render_seat is None else render_seat)
        self._ended = True
        self._carried = 0.0  # gained before the first decision: it comes with the first reward
        self.observation_space = observation_space(self._batch.layout.size, rules.players, options.history, dtype)
        self._dtype = np.dtype(dtype)
        self.action_space = ActionSpace()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """A fresh game: that of the seed, or the next one of the stream that an earlier seed began. No options."""
        check_reset_options(options)
        given = None if seed is None else seed_number(seed)
        super().reset(seed=given)
        deal_until_a_choice(self._begin, self._batch.over, given, f"seat {self.seat}")
        self._ended = False
        return self._observation(), self._info()

    def _begin(self, seed: int | None) -> None:
        self._batch.deal(seed)
        games = self._batch.games
        begin_episode(self.opponents, int(games.seeds[0]), int(games.episodes[0]))
        self._carried = float(self._batch.rewards[0, self.seat])
        self._carried += self._play_others()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        if self._ended:
            raise gymnasium.error.ResetNeeded("no episode is going on: call reset() before step()")
        try:
            self._batch.act_one(action)
        except IllegalActionError:
            if self.on_illegal == "raise":
                raise
            self._ended = True
            return self._observation(), self.illegal_reward, True, False, self._info() | {"illegal_action": int(action)}
        reward = self._carried + float(self._batch.rewards[0, self.seat])
        reward += self._play_others()
        self._carried = 0.0
        self._ended = self._batch.over()
        return self._observation(), reward, self._ended, False, self._info()

    def _play_others(self) -> float:
        """Until this seat decides or the game is over; returns what it gained meanwhile."""
        gained = 0.0
        while not self._batch.over():
            who = int(self._batch.actor[0])
            let_watch(self.opponents, who, self._batch.observed)
            if who == self.seat:
                break
            self._batch.act_one(self.opponents[who].act(self._batch.observed(who)))
            gained += float(self._batch.rewards[0, self.seat])
        return gained

    def action_masks(self) -> Array:
        """Legal actions as booleans: what MaskablePPO asks for."""
        return self._mask().astype(bool)

    def _mask(self) -> Array:
        """Once the episode is over every action is as good as any other: a mask without a one breaks softmaxes."""
        return np.ones(ACTIONS, np.int8) if self._ended else self._batch.mask()[0]

    def _observation(self) -> dict[str, Array]:
        seats = np.array([self.seat])
        seen = {
            "observation": self._batch.seen_by(seats)[0].astype(self._dtype, copy=False),
            "action_mask": self._mask(),
        }
        if self._batch.options.history:
            seen["history"] = self._batch.history(seats)[0]
        return seen

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._mask()}

    def observed(self) -> Observed:
        """What this seat may know, as our own players get it."""
        return self._batch.observed(self.seat)

    def game(self) -> Game:
        """A copy of the game with all its cards, that goes its own way."""
        return self._batch.game()

    def state(self) -> Array:
        """Everything, hidden cards too, from this seat's side: for critics."""
        return np.asarray(self._batch.truth(np.array([self.seat]))[0], self._dtype)

    def render(self) -> Any:
        return self._show.draw(self._batch.records)

    def clone(self) -> SingleEnv:
        return copy.deepcopy(self)


def check_on_illegal(on_illegal: Any) -> str:
    if not isinstance(on_illegal, str) or on_illegal not in ON_ILLEGAL:
        raise ValueError(f"on_illegal = {short_repr(on_illegal)}; it must be one of {', '.join(ON_ILLEGAL)}")
    return on_illegal


def penalty(given: float | None, options: Options) -> float:
    """What an illegal action costs."""
    if given is None:
        return ILLEGAL_REWARD[options.reward]
    float_in(given, "illegal_reward", -MOST_REWARD, MOST_REWARD)
    return float(given)
