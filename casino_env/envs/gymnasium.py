"""Gymnasium environments: one seat learns, opponents of your choice play the others.

SingleEnv plays one game, SingleVectorEnv a batch.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any, Self

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from casino_env.actions import ACTIONS
from casino_env.arrays import Array
from casino_env.drawing.picture import RENDER_MODES, Show
from casino_env.engine.state import OVER
from casino_env.envs.batch import MOST_DEALS, WAIT, draw_actions, seed_draws
from casino_env.envs.options import (
    ILLEGAL_REWARD,
    MOST_REWARD,
    ActionSpace,
    check_reset_options,
    deal_until_a_choice,
    generator,
    nothing_to_decide,
    observation_space,
    seeds_of,
    split_options,
)
from casino_env.envs.vector import Batch
from casino_env.game import Game, IllegalActionError, seed_number
from casino_env.observed import Observed
from casino_env.rules import Rules, make_rules
from casino_env.validate import float_in, int_in, one_of, short_repr

ON_ILLEGAL = ("end", "raise")


class _OneSeat:
    """The base of both environments: the seat, checks of arguments, and observations."""

    def _set_up(
        self, batch: Batch, seat: Any, on_illegal: Any, illegal_reward: Any, render: tuple[Any, Any], dtype: str
    ) -> gymnasium.spaces.Dict:
        """Check the arguments; return the observation space of one game. render: mode and seat."""
        rules, options = batch.rules, batch.options
        self.rules, self.seat = rules, int_in(seat, "seat", 0, rules.players - 1)
        self.on_illegal = one_of(on_illegal, "on_illegal", ON_ILLEGAL)
        self.illegal_reward = ILLEGAL_REWARD[options.reward]
        if illegal_reward is not None:
            self.illegal_reward = float_in(illegal_reward, "illegal_reward", -MOST_REWARD, MOST_REWARD)
        self.render_mode, looks = render
        self._show = Show(rules, self.render_mode, self.seat if looks is None else looks)
        self._batch, self._seats = batch, np.full(batch.num_envs, self.seat, np.int64)
        space = observation_space(batch.layout.size, rules.players, options.history, dtype)
        self._dtype = np.dtype(dtype)
        return space

    def observed(self, index: int = 0) -> Observed:
        """The observation of the seat in one game, in the form that the project's agents take."""
        return self._batch.observed(self.seat, index)

    def game(self, index: int = 0) -> Game:
        """An independent copy of one game, hidden cards included."""
        return self._batch.game(index)

    def clone(self) -> Self:
        """An independent copy."""
        return copy.deepcopy(self)


# === Opponents of one game: `random`, agents, functions or names of agents ============================================


class RandomOpponent:
    """Plays a uniformly random legal action."""

    def reset(self, seat: int, rng: np.random.Generator) -> None:
        self._rng = rng

    def act(self, observation: Observed) -> int:
        legal = observation.legal()
        return legal[int(self._rng.integers(len(legal)))]


class _FunctionOpponent:
    def __init__(self, function: Callable[[Observed], int]) -> None:
        self._function = function

    def reset(self, seat: int, rng: np.random.Generator) -> None:
        pass

    def act(self, observation: Observed) -> int:
        return self._function(observation)


def make_opponent(spec: Any) -> Any:
    """Make an opponent with reset(seat, rng) and act(observation) from a name, an agent or a function."""
    if isinstance(spec, str) and spec == "random":
        return RandomOpponent()
    if isinstance(spec, str):
        return import_module("casino_env.agents").make_agent(spec)  # imported on demand
    if isinstance(spec, type):
        raise ValueError(f"opponents = {spec.__name__}: this is a class; give an agent, {spec.__name__}(...)")
    if hasattr(spec, "act") and hasattr(spec, "reset"):
        return spec
    if callable(spec):
        return _FunctionOpponent(spec)
    raise ValueError(f"opponents = {short_repr(spec)}: give a name, an agent with reset and act, or a function")


def make_opponents(specs: Any, rules: Rules, seat: int) -> dict[int, Any]:
    """Opponents by seat, from one specification for all or a list with one per other seat in turn order.

    An agent given for several seats is copied, so that each seat has its own.
    """
    others = [(seat + i) % rules.players for i in range(1, rules.players)]
    listed = list(specs) if isinstance(specs, list | tuple) else [specs] * len(others)
    if len(listed) != len(others):
        raise ValueError(f"opponents: {len(listed)} given, but there are {len(others)} other seats")
    made: dict[int, Any] = {}
    for position, (other, spec) in enumerate(zip(others, listed, strict=True)):
        known = any(spec is earlier for earlier in listed[:position])
        made[other] = make_opponent(copy.deepcopy(spec) if known else spec)
        if hasattr(made[other], "check"):
            made[other].check(rules)  # refuses a policy of another game
    return made


def let_watch(opponents: dict[int, Any], decides: int, observed: Callable[[int], Observed]) -> None:
    """Show the table to opponents with `watch` before another seat decides."""
    for seat, opponent in opponents.items():
        if seat != decides and hasattr(opponent, "watch"):
            opponent.watch(observed(seat))


def begin_episode(opponents: dict[int, Any], seed: int, episode: int) -> None:
    """Reset all opponents for a new game; their random draws depend only on its seed, its number and the seat."""
    for seat, opponent in opponents.items():
        opponent.reset(seat, generator(seed, episode, seat))


# === Opponents of a batch: each game has its own, reset at each episode ===============================================


class RandomOpponents:
    """Play uniformly random legal actions, drawn in one kernel from a random stream per game."""

    def __init__(self, games: Batch) -> None:
        self._batch = games
        self._draws = np.zeros(games.num_envs, np.uint64)

    def begin(self, which: Array) -> None:
        """Begin the marked games, which have been dealt."""
        games = self._batch.games
        seed_draws(games.seeds, games.episodes, which, self._draws)

    def watch(self, going_on: Array) -> None:
        """No-op."""

    def actions(self, waiting: Array) -> Array:
        """Choose an action in each waiting game; WAIT in the others."""
        actions = np.empty(len(waiting), np.int64)
        draw_actions(self._batch.games.legal, waiting, self._draws, actions)
        return actions


class VectorOpponents:
    """Agents or functions. An agent with `act_each` plays its seat in all games at once; other agents are copied for
    each game."""

    def __init__(self, games: Batch, first: dict[int, Any]) -> None:
        """first: the opponents of one game, by seat."""
        self._batch = games
        many = {seat: opponent for seat, opponent in first.items() if hasattr(opponent, "act_each")}
        rest = {seat: opponent for seat, opponent in first.items() if seat not in many}
        self.opponents = [copy.deepcopy(rest) for _ in range(games.num_envs)]
        self._crowds = {seat: Crowd(games, seat, opponent) for seat, opponent in many.items()}
        self._watched = any(hasattr(opponent, "watch") for opponent in rest.values())

    def begin(self, which: Array) -> None:
        """Begin the marked games, which have been dealt."""
        games = self._batch.games
        for i in np.flatnonzero(which):
            seed, episode = int(games.seeds[i]), int(games.episodes[i])
            begin_episode(self.opponents[i], seed, episode)
            for seat, crowd in self._crowds.items():
                crowd.begin(int(i), generator(seed, episode, seat))

    def watch(self, going_on: Array) -> None:
        """Show the table of these games to opponents with `watch`, before another seat decides."""
        for i in np.flatnonzero(going_on).tolist() if self._watched else ():
            let_watch(self.opponents[i], int(self._batch.actor[i]), partial(self._batch.observed, index=i))

    def actions(self, waiting: Array) -> Array:
        """Choose an action in each waiting game; WAIT in the others."""
        actions, single = np.full(len(waiting), WAIT, np.int64), waiting.copy()
        for seat, crowd in self._crowds.items():
            asked = waiting & (self._batch.actor == seat)
            crowd.decide(asked, actions)
            single &= ~asked
        for i in np.flatnonzero(single):
            seat = int(self._batch.actor[i])
            action = self.opponents[i][seat].act(self._batch.observed(seat, int(i)))
            actions[i] = self._batch.legal_number(action, int(i))  # refuses WAIT, which would loop for ever
        return actions


class Crowd:
    """One agent on one seat of all games, with a copy per thread."""

    def __init__(self, games: Batch, seat: int, agent: Any) -> None:
        self._batch, self._seat = games, seat
        self._agents = [agent, *(copy.deepcopy(agent) for _ in range(games.threads - 1))]
        self._streams = np.zeros(games.num_envs, np.uint64)

    def begin(self, index: int, rng: np.random.Generator) -> None:
        """Begin a game that has been dealt."""
        self._streams[index] = self._agents[0].stream(rng)

    def decide(self, asked: Array, actions: Array) -> None:
        """Write its actions in the marked games, in which this seat decides."""
        which = np.flatnonzero(asked)
        self._batch.share(which, lambda slot, some: self._decide(self._agents[slot], some, actions))

    def _decide(self, agent: Any, some: Array, actions: Array) -> None:
        seats, streams = np.full(len(some), self._seat, np.int64), self._streams[some]
        legal = self._batch.games.legal[some]
        actions[some] = agent.act_each(self._batch.rules, self._batch.views_of(some, seats), seats, legal, streams)
        self._streams[some] = streams


# === One game =========================================================================================================


class SingleEnv(_OneSeat, gymnasium.Env[Any, Any]):
    """An environment of one game for one seat. Opponents play between its decisions.

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
        options, changes = split_options(keywords, type(self))
        batch = Batch(make_rules(variant, players, **changes), 1, options, redeal=False)
        render = (render_mode, render_seat)
        self.observation_space = self._set_up(batch, seat, on_illegal, illegal_reward, render, dtype)
        self.action_space = ActionSpace()
        self.opponents = make_opponents(opponents, self.rules, self.seat)
        self._watched = any(hasattr(opponent, "watch") for opponent in self.opponents.values())
        self._ended = True
        self._carried = 0.0  # gained before the first decision, paid with the first reward

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start the game of the seed, or without one the next game of the current stream. No options exist."""
        check_reset_options(options)
        given = None if seed is None else seed_number(seed)
        super().reset(seed=given)
        self._ended = True
        deal_until_a_choice(self._begin, self._batch.over, given, f"seat {self.seat}")
        self._ended = False
        return self._seen()

    def _begin(self, seed: int | None) -> None:
        self._batch.deal(seed)
        games = self._batch.games
        begin_episode(self.opponents, int(games.seeds[0]), int(games.episodes[0]))
        self._carried = float(self._batch.rewards[0, self.seat])
        if not self._batch.over():
            self._carried += self._play_others()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        if self._ended:
            raise ResetNeeded("no episode has begun: call reset() before step()")
        try:
            self._batch.act_one(action)
        except IllegalActionError:
            if self.on_illegal == "raise":
                raise
            self._ended = True
            observation, info = self._seen()
            return observation, self.illegal_reward, True, False, info | {"illegal_action": int(action)}
        reward = self._carried + float(self._batch.rewards[0, self.seat])
        self._ended = True  # in case an opponent raises while another seat decides
        reward += self._play_others()
        self._carried = 0.0
        self._ended = bool(self._batch.done[0])
        observation, info = self._seen()
        return observation, reward, self._ended, False, info

    def _play_others(self) -> float:
        """Let the opponents play until this seat decides or the game is over; return the reward gained meanwhile."""
        batch, gained = self._batch, 0.0
        while not batch.done[0]:
            who = int(batch.actor[0])
            if self._watched:
                let_watch(self.opponents, who, batch.known_to)
            if who == self.seat:
                break
            batch.act_one(self.opponents[who].act(batch.known_to(who)))
            gained += float(batch.rewards[0, self.seat])
        return gained

    def action_masks(self) -> Array:
        """The legal actions as booleans, as MaskablePPO needs them."""
        return np.ones(ACTIONS, np.bool_) if self._ended else self._batch.mask()[0].astype(bool)

    def _seen(self) -> tuple[dict[str, Array], dict[str, Any]]:
        """The observation and info.

        After the episode the mask is all ones, because an empty mask breaks softmaxes.
        """
        observation = self._batch.look(self.seat, self._dtype)
        if self._ended:
            observation["action_mask"][:] = 1
        return observation, {"action_mask": observation["action_mask"].copy()}

    def state(self) -> Array:
        """The whole state, hidden cards included, encoded for this seat: for critics."""
        self._batch.check_begun()
        return np.asarray(self._batch.truth(self._seats)[0], self._dtype)

    def render(self) -> Any:
        self._batch.check_begun()
        return self._show.draw(self._batch.records)


# === A batch, in which every game waits for the same seat =============================================================

_BY_NAME = {mode.name.lower(): mode for mode in AutoresetMode}


def autoreset_of(mode: Any) -> AutoresetMode:
    """The autoreset mode of a name, such as next_step or NextStep."""
    try:
        return AutoresetMode(mode)
    except ValueError:
        return _BY_NAME[one_of(mode, "autoreset_mode", _BY_NAME)]


def mask_of_reset(options: dict[str, Any] | None, games: int) -> Array:
    """The games to reset: those of options["reset_mask"], or all."""
    if not options or "reset_mask" not in options:
        return np.ones(games, np.bool_)
    mask = np.asarray(options["reset_mask"])
    if mask.shape != (games,) or mask.dtype != np.bool_ or not mask.any():
        raise ValueError(
            f"reset_mask must be {games} truth values, at least one of them true, not {short_repr(str(mask)[:60])}"
        )
    return mask.copy()


class SingleVectorEnv(_OneSeat, gymnasium.vector.VectorEnv[Any, Any, Any]):
    """An environment of many games for one seat.

    autoreset_mode: a finished game is dealt anew in the same step (same_step), in the next one, which ignores its
    action (next_step), or only by reset(options={"reset_mask": ...}) (disabled).
    """

    metadata = {"render_modes": RENDER_MODES, "render_fps": 2, "autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012

    def __init__(
        self,
        num_envs: int = 1,
        variant: str | Rules = "south-african",
        players: int = 2,
        *,
        seat: int = 0,
        opponents: Any = "random",
        on_illegal: str = "end",
        illegal_reward: float | None = None,
        max_episode_steps: int | None = None,
        autoreset_mode: str | AutoresetMode = AutoresetMode.SAME_STEP,
        render_mode: str | None = None,
        render_seat: int | None = None,
        threads: int = 1,
        dtype: str = "int8",
        **keywords: Any,
    ) -> None:
        options, changes = split_options(keywords, type(self))
        batch = Batch(make_rules(variant, players, **changes), num_envs, options, threads=threads, redeal=False)
        render = (render_mode, render_seat)
        self.single_observation_space = self._set_up(batch, seat, on_illegal, illegal_reward, render, dtype)
        self.single_action_space = ActionSpace()
        num_envs = self.num_envs = batch.num_envs
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.autoreset_mode = autoreset_of(autoreset_mode)
        self.metadata = type(self).metadata | {"autoreset_mode": self.autoreset_mode}
        self._crowd: RandomOpponents | VectorOpponents = RandomOpponents(batch)
        if not isinstance(opponents, str) or opponents != "random":
            self._crowd = VectorOpponents(batch, make_opponents(opponents, self.rules, self.seat))
        most = np.iinfo(np.int64).max if max_episode_steps is None else max_episode_steps
        self._most_steps = int_in(most, "max_episode_steps", 1)
        self._steps = np.zeros(num_envs, np.int64)  # in the episode
        self._ended = np.zeros(num_envs, np.bool_)  # finished and not yet reset
        self._terminated = np.zeros(num_envs, np.bool_)  # finished other than by truncation
        self._carried = np.zeros(num_envs)  # gained before the first decision, paid with the first reward
        self._begun = False

    # --- playing ---

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start all games, or those of options["reset_mask"]. seed: a number, or one (or None) per game."""
        check_reset_options(options, ("reset_mask",))
        which = mask_of_reset(options, self.num_envs)
        seeds = seeds_of(seed, self.num_envs)
        if not self._begun and not which.all():
            raise ResetNeeded("some games have not begun: reset() all of them first")
        self._begun = False
        super().reset(seed=next((each for each in seeds if each is not None), None))
        self._batch.deal(seed, None if which.all() else which)
        self._begin(which)
        self._begun = True
        return self._observations(), self._info()

    def step(self, actions: Any) -> tuple[Any, Array, Array, Array, dict[str, Any]]:
        due = self._due()
        chosen = self._batch.whole_numbers(actions)
        illegal = self._illegal(chosen) & ~due
        self._batch.act(np.where(illegal | due, WAIT, chosen))
        rewards = self._carried + self._batch.rewards[:, self.seat]
        self._carried[:] = 0.0
        self._begun = False  # in case an opponent raises while other seats decide
        self._play_others(rewards, held=illegal | due)
        self._begun = True
        rewards[illegal] = self.illegal_reward
        self._steps[~due] += 1
        terminated = (self._over() & ~due) | illegal
        truncated = (self._steps >= self._most_steps) & ~due
        self._terminated, self._ended = terminated.copy(), terminated | truncated
        self._deal_again(due)
        info = self._closing_info(np.where(illegal, chosen, WAIT), illegal)
        return self._observations(), rewards, terminated, truncated, self._info() | info

    def _due(self) -> Array:
        """The finished games, which this step deals anew (next_step)."""
        if not self._begun:
            raise ResetNeeded("no game has begun: call reset() before step()")
        if self.autoreset_mode is AutoresetMode.DISABLED and self._ended.any():
            first = int(np.flatnonzero(self._ended)[0])
            raise ResetNeeded(f"game {first} is over: start it again with reset(options={{'reset_mask': ...}})")
        return self._ended

    def _illegal(self, actions: Array) -> Array:
        """The games whose action is illegal; with on_illegal="raise" raise IllegalActionError for the first of them."""
        known = (actions >= 0) & (actions < ACTIONS)
        wrong = ~known | (self._batch.mask()[np.arange(self.num_envs), np.where(known, actions, 0)] == 0)
        if self.on_illegal == "raise" and (wrong & ~self._ended).any():
            first = int(np.flatnonzero(wrong & ~self._ended)[0])
            raise IllegalActionError(self._batch.complaint(first, int(actions[first])))
        return np.asarray(wrong)

    def _over(self) -> Array:
        return np.asarray(self._batch.records["mode"] == OVER)

    def _deal_again(self, which: Array) -> None:
        """Start the next episodes of these games."""
        if which.any():
            self._batch.games.episodes[which] += 1
            self._batch.start(which)
            self._begin(which)

    def _begin(self, which: Array) -> None:
        """Play games that have just been dealt until this seat decides in each."""
        self._steps[which] = 0
        self._ended &= ~which
        self._terminated &= ~which
        for _ in range(MOST_DEALS):
            self._crowd.begin(which)
            self._carried[which] = self._batch.rewards[which, self.seat]
            self._play_others(self._carried, held=~which)
            which = which & self._over()  # the whole deal had no decision for this seat
            if not which.any():
                return
            self._batch.games.episodes[which] += 1
            self._batch.start(which)
        raise nothing_to_decide(f"seat {self.seat}")

    def _play_others(self, rewards: Array, held: Array) -> None:
        """Let opponents play until each game, except held ones, waits for this seat or is over; add its rewards."""
        while True:
            going_on = ~self._over() & ~held
            waiting = going_on & (self._batch.actor != self.seat)
            self._crowd.watch(waiting if waiting.any() else going_on)
            if not waiting.any():
                return
            self._batch.act(self._crowd.actions(waiting))
            rewards += self._batch.rewards[:, self.seat]

    # --- observations ---

    def _masks(self) -> Array:
        """The action masks; all ones in terminated games, because an empty mask breaks softmaxes."""
        mask = self._batch.mask()
        mask[self._terminated] = 1
        return mask

    def _observations(self) -> dict[str, Array]:
        """The observations, a row per game."""
        return self._batch.observations(self._seats, self._masks(), self._dtype)

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._masks(), "_action_mask": np.ones(self.num_envs, np.bool_)}

    def _closing_info(self, chosen: Array, illegal: Array) -> dict[str, Any]:
        """The info of games that have just ended; in the mode same_step, deal them anew."""
        said = {"illegal_action": chosen, "_illegal_action": illegal} if illegal.any() else {}
        if self.autoreset_mode is not AutoresetMode.SAME_STEP or not self._ended.any():
            return said
        ended, observation = self._ended.copy(), self._observations()
        last = np.full(self.num_envs, None, dtype=object)
        for index in np.flatnonzero(ended):
            last[index] = {key: value[index].copy() for key, value in observation.items()}
        final_info = {"action_mask": observation["action_mask"], "_action_mask": ended.copy()} | said
        self._deal_again(ended)
        return {"final_obs": last, "_final_obs": ended, "final_info": final_info, "_final_info": ended.copy()}

    def action_masks(self) -> Array:
        """The legal actions of each game as booleans."""
        return self._masks().astype(bool)

    def state(self) -> Array:
        """The whole state, hidden cards included, encoded for this seat: for critics."""
        self._batch.check_begun()
        return np.asarray(self._batch.truth(self._seats), self._dtype)

    def render(self) -> tuple[Any, ...] | None:
        """The table of each game, as render_mode says."""
        if self.render_mode is None:
            return None
        self._batch.check_begun()
        return tuple(self._show.draw(self._batch.records[i : i + 1]) for i in range(self.num_envs))
