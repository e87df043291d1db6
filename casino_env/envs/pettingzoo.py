"""PettingZoo (AEC) environments: agents take turns, `agent_selection` names the one that decides."""

from __future__ import annotations

import copy
from typing import Any

import gymnasium
import numpy as np
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper, TerminateIllegalWrapper

from casino_env.actions import ACTIONS
from casino_env.arrays import Array
from casino_env.drawing.picture import RENDER_MODES, Show
from casino_env.envs.options import (
    ILLEGAL_REWARD,
    check_reset_options,
    deal_until_a_choice,
    observation_space,
    split_options,
)
from casino_env.envs.vector import Batch
from casino_env.game import Game, IllegalActionError, action_number, seed_number
from casino_env.observed import Observed
from casino_env.rules import Rules, make_rules
from casino_env.validate import one_of

_ASKED_BY_THE_KIT = ["options"]  # PettingZoo's own test resets with {"options": 1}, which is ignored


class raw_env(AECEnv):  # type: ignore[misc]  # noqa: N801 - PettingZoo's name for it
    """A deal (or match) for 2 to 6 agents, player_0, player_1, ... An illegal action raises IllegalActionError.

    keywords: options (match, reward, history, ...) and fields of Rules.
    """

    metadata = {"name": "casino_v0", "render_modes": RENDER_MODES, "is_parallelizable": False, "render_fps": 2}  # noqa: RUF012

    def __init__(
        self,
        variant: str | Rules = "south-african",
        players: int = 2,
        *,
        render_mode: str | None = None,
        render_seat: int | None = None,
        dtype: str = "int8",
        **keywords: Any,
    ) -> None:
        super().__init__()
        options, changes = split_options(keywords, type(self))
        rules = make_rules(variant, players, **changes)
        self._batch = Batch(rules, 1, options, redeal=False)
        self._show = Show(rules, render_mode, render_seat)
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(rules.players)]
        self.agents: list[str] = []
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        space = observation_space(self._batch.layout.size, rules.players, options.history, dtype)
        self._dtype = np.dtype(dtype)
        self.observation_spaces = {agent: copy.deepcopy(space) for agent in self.possible_agents}
        self.action_spaces = {agent: gymnasium.spaces.Discrete(ACTIONS) for agent in self.possible_agents}
        self.state_space = gymnasium.spaces.Box(0, 1, (self._batch.layout.size,), self._dtype.type)
        self.rules, self.options, self.layout = rules, options, self._batch.layout

    def observation_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start the game of the seed, or without one the next game of the current stream. No options exist."""
        if not isinstance(options, dict) or list(options) != _ASKED_BY_THE_KIT:
            check_reset_options(options)
        given = None if seed is None else seed_number(seed)
        deal_until_a_choice(self._batch.deal, self._batch.over, given, "any seat")
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._turn_to_actor()

    def _turn_to_actor(self) -> None:
        self.agent_selection = self.possible_agents[self._batch.actor[0]]
        masks = self._batch.masks_by_seat()
        self.infos = {agent: {"action_mask": mask} for agent, mask in zip(self.possible_agents, masks, strict=True)}

    def empty_masks(self) -> None:
        """Empty the masks of finished agents, because a wrapper may have ended the game."""
        for agent, info in self.infos.items():
            if self.terminations.get(agent):
                info["action_mask"] = np.zeros(ACTIONS, np.int8)

    def step(self, action: Any) -> None:
        """Apply an action of the agent that decides, and forced actions after it; None for a finished agent."""
        if not self.agents:
            raise IllegalActionError("no game has begun: call reset() before step()")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise IllegalActionError(f"{agent} has to choose an action; None is for agents that have finished")
        self._batch.act_one(action)
        self._pass_on(agent)

    def try_step(self, action: int) -> bool:
        """Apply an action of the agent that decides; return False, as a no-op, if it is illegal."""
        agent = self.agent_selection
        if self.terminations.get(agent, True) or not self._batch.try_one(action):
            return False
        self._pass_on(agent)
        return True

    def _pass_on(self, agent: str) -> None:
        """After a decision of the agent, update rewards, the agent that decides next, and terminations."""
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict(zip(self.possible_agents, self._batch.rewards[0].tolist(), strict=True))
        if self._batch.done[0]:
            self.terminations = dict.fromkeys(self.agents, True)
        self._turn_to_actor()
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> dict[str, Array]:
        """The observation of an agent; its mask is empty unless it decides."""
        seat = self._seat(agent)
        over = self.terminations.get(agent, True)  # a wrapper may have ended the game
        seen = self._batch.look(seat, self._dtype)
        if over:
            seen["action_mask"][:] = 0
        return seen

    def observed(self, agent: str | None = None) -> Observed:
        """The observation of an agent (default: the one that decides), in the form that the project's agents take."""
        return self._batch.observed(self._seat(agent))

    def _seat(self, agent: str | None) -> int:
        """The seat of an agent (default: the one that decides); raise ValueError if there is none, or no game yet."""
        self._batch.check_begun()
        return self._seats[self.agent_selection if agent is None else one_of(agent, "agent", self._seats)]

    def last(self, observe: bool = True) -> Any:
        self._batch.check_begun()
        return super().last(observe)

    def game(self) -> Game:
        """An independent copy of the game, hidden cards included."""
        return self._batch.game()

    def state(self) -> Array:
        """The whole state, hidden cards included, encoded for the seat that decides: for critics."""
        self._batch.check_begun()
        return np.asarray(self._batch.truth()[0], self._dtype)

    def render(self) -> Any:
        """Draw the table as render_mode says: as text, pixels, or printed."""
        self._batch.check_begun()
        return self._show.draw(self._batch.records)

    def clone(self) -> raw_env:
        """An independent copy, also in mid-game."""
        return copy.deepcopy(self)


def _of_raw(name: str) -> Any:
    """A property that reads from the raw environment: going through all wrappers takes longer than a step."""

    def read(self: CasinoEnv) -> Any:
        if not self._has_reset:
            raise AttributeError  # makes Python ask the wrapper, which raises its own error
        return getattr(self._raw, name)

    return property(read)


class CasinoEnv(OrderEnforcingWrapper):  # type: ignore[misc]
    """The environment in PettingZoo's usual wrappers, with a clone() that copies wrappers and game."""

    agents = _of_raw("agents")
    agent_selection = _of_raw("agent_selection")
    rewards = _of_raw("rewards")
    terminations = _of_raw("terminations")
    truncations = _of_raw("truncations")
    infos = _of_raw("infos")
    _cumulative_rewards = _of_raw("_cumulative_rewards")

    def __init__(self, raw: raw_env) -> None:
        self._raw = raw
        penalty = ILLEGAL_REWARD[raw.options.reward]
        super().__init__(AssertOutOfBoundsWrapper(TerminateIllegalWrapper(raw, illegal_reward=penalty)))

    def observe(self, agent: str) -> Any:
        return self._raw.observe(agent) if self._has_reset else super().observe(agent)

    def last(self, observe: bool = True) -> Any:
        return self._raw.last(observe) if self._has_reset else super().last(observe)

    def step(self, action: Any) -> None:
        """Pass a legal action straight to the game, which is faster; the wrappers handle all others."""
        number = None if action is None else action_number(action)
        if number is not None and self._has_reset and self._raw.try_step(number):
            self._has_updated = True
        else:
            super().step(number)
            self._raw.empty_masks()

    def clone(self) -> CasinoEnv:
        return copy.deepcopy(self)


def env(variant: str | Rules = "south-african", players: int = 2, **keywords: Any) -> CasinoEnv:
    """Make a PettingZoo AEC environment in PettingZoo's usual wrappers.

    >>> import casino_env
    >>> env = casino_env.env("swazi", players=3)
    >>> env.reset(seed=1)
    >>> for agent in env.agent_iter():
    ...     observation, reward, terminated, truncated, info = env.last()
    ...     over = terminated or truncated
    ...     env.step(None if over else env.action_space(agent).sample(info["action_mask"]))

    An illegal action ends the game with a penalty for the agent that chose it; raw_env() raises instead. keywords:
    options (match, reward, history, ...), render_mode, and fields of Rules.
    """
    return CasinoEnv(raw_env(variant, players, **keywords))
