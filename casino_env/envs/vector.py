"""Many games at once as arrays: Batch, the base of every environment, and VectorGames, the fast environment."""

from __future__ import annotations

import copy as copying
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from casino_env.actions import ACTIONS
from casino_env.arrays import Array
from casino_env.compiler.library import pin
from casino_env.engine import action_set
from casino_env.engine.state import GAME, OVER
from casino_env.envs import batch
from casino_env.envs.batch import REWARDS, WAIT, Games, step_and_encode
from casino_env.envs.options import Options, check_seats, nothing_to_decide, seeds_of
from casino_env.game import Game, IllegalActionError, action_number, complaint, random_seed, unchecked_game
from casino_env.knowledge import encode
from casino_env.knowledge.encode import ObserverBuffers
from casino_env.knowledge.layout import Layout, make_layout
from casino_env.knowledge.view import MEMORIES
from casino_env.observed import Observed
from casino_env.rules import Rules
from casino_env.validate import int_in, one_of, short_repr

# === Threads that share the games of a batch; results do not depend on which thread plays a game ======================


class ThreadPool:
    """A fixed number of threads for a number of games; the calling thread is one of them."""

    def __init__(self, threads: int, games: int) -> None:
        self.threads, self.games = min(threads, games), games
        # Rows of workspace: every other one is used, so that no two threads write to one cache line.
        self.rows = 2 * self.threads
        self._edges = [games * k // self.threads for k in range(self.threads + 1)]  # bounds of the parts
        self._pool: ThreadPoolExecutor | None = None
        self._process = 0  # the process that made the pool: threads do not survive a fork

    def each(self, work: Callable[[int], Any]) -> None:
        """Call work(row of the thread) in all threads at once."""
        if self.threads == 1:
            work(0)
            return
        if self._pool is None or self._process != os.getpid():
            self._pool, self._process = ThreadPoolExecutor(self.threads - 1), os.getpid()
        others = [self._pool.submit(work, row) for row in range(2, self.rows, 2)]
        work(0)
        for done in others:
            done.result()

    def each_part(self, work: Callable[[int, int, int], Any]) -> None:
        """Call work(row of the thread, first game, end of games) in all threads, on equal parts of the games."""
        self.each(lambda row: work(row, self._edges[row // 2], self._edges[row // 2 + 1]))

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy makes its own threads."""
        return ThreadPool, (self.threads, self.games)


# === The batch ========================================================================================================


FORMS = {"dense": "", "indices": "lists", "bits": "words"}  # and their ObserverBuffers field with a row per game
_MOST_THREADS = 1024
_NOT_BEGUN = "no game has begun: call reset() first"
_UNLIKE_SEEDS = np.uint64(0x9E3779B97F4A7C15)  # keeps random actions independent of the deals


class Batch:
    """A batch of games of one variant. Game i of seed s deals what Game(seed=s + i) deals."""

    def __init__(self, rules: Rules, num_envs: int, options: Options, *, threads: int = 1, redeal: bool = True) -> None:
        num_envs = int_in(num_envs, "num_envs", 1)
        threads = int_in(threads, "threads", 1, _MOST_THREADS)
        self.rules, self.options, self.num_envs = rules, options, num_envs
        self.redeal = redeal
        self.layout: Layout = make_layout(rules, universal=options.layout == "universal", match=options.match)
        self._width = self.layout.size
        self._threads = ThreadPool(threads, num_envs)
        self.games = games = self._make_games()
        self.records = games.records  # the games, hidden cards included
        self.actor = games.actor  # the seat that decides in each game
        self.rewards, self.done = (games.rewards, games.done)  # of the last decision; whether it ended the game
        self._buffers = ObserverBuffers(
            self.games.rules,
            self.layout.record,
            MEMORIES.index(options.memory),
            np.zeros(self._threads.rows, GAME),
            np.zeros((self._threads.rows, self.layout.most), np.int16),
            np.zeros((num_envs, 0), np.int64),
        )
        self._pin()
        self._no_dense = np.zeros((num_envs, 0), np.int8)
        self._random = np.zeros(1, np.uint64)
        self._seeded = np.zeros(num_envs, np.bool_)

    def _pin(self) -> None:
        """Pin the arguments that every kernel call takes."""
        self._pinned_games, self._pinned_buffers = pin(self.games), pin(self._buffers)

    def _make_games(self) -> Games:
        n, options = self.num_envs, self.options
        return Games(
            records=np.zeros(n, GAME),  # hidden cards included
            rules=self.rules.record,
            seeds=np.zeros(n, np.uint64),
            episodes=np.zeros(n, np.int64),
            legal=np.zeros((n, action_set.PARTS), np.int64),
            actor=np.zeros(n, np.int64),
            rewards=np.zeros((n, self.rules.players), np.float32),
            done=np.zeros(n, np.bool_),
            logs=np.zeros((n, options.history), np.int16),
            match=int(options.match),
            forced=int(options.skip_forced),
            kind=REWARDS.index(options.reward),
            shaping=float(options.shaping),
            redeal=int(self.redeal),
        )

    # --- playing ---

    def deal(self, seed: Any = None, which: Array | None = None) -> None:
        """Start all games, or the marked ones.

        seed: of the first game, while the others take the next numbers; or a list with one per game. A game without a
        seed goes on with its next episode (of a random seed at first).
        """
        marked = np.ones(self.num_envs, np.bool_) if which is None else which
        self._name_episodes(seed, marked)
        if which is None:
            self._random[0] = self.games.seeds[0] ^ _UNLIKE_SEEDS
        self.start(marked)

    def _name_episodes(self, seed: Any, marked: Array) -> None:
        games, seeds = self.games, seeds_of(seed, self.num_envs)
        if seed is None and not self._seeded.any():
            seeds = seeds_of(random_seed(), self.num_envs)
        for i in np.flatnonzero(marked):
            given = seeds[i]
            if given is None and not self._seeded[i]:
                given = random_seed()
            if given is None:
                games.episodes[i] += 1
            else:
                games.seeds[i], games.episodes[i], self._seeded[i] = given, 0, True

    def start(self, which: Array) -> None:
        """Start the marked games, at the episodes that self.games.episodes names."""
        if batch.start_all(self._pinned_games, which) >= 0:
            raise nothing_to_decide("any seat")

    def act(self, actions: Any) -> None:
        """Apply one decision in each game (-1: none in this game); if any is illegal, apply none."""
        table, checked = self._pinned_games, self._checked(actions)
        self._threads.each_part(lambda _, lo, hi: batch.step_all(table, checked, lo, hi))

    def _checked(self, chosen: Any) -> Array:
        actions = self.whole_numbers(chosen)
        wrong = batch.first_illegal(self.games.legal, actions)
        if wrong >= 0:
            raise IllegalActionError(self.complaint(int(wrong), int(actions[wrong])))
        return actions

    def whole_numbers(self, chosen: Any) -> Array:
        """Convert actions to an array of one integer per game, legal or not; raise ValueError for anything else."""
        try:
            actions: Array = np.asarray(chosen)
        except ValueError:  # lists of different lengths
            actions = np.empty(0, object)
        truths = isinstance(chosen, list | tuple) and any(isinstance(each, bool | np.bool_) for each in chosen)
        if actions.shape != (self.num_envs,) or actions.dtype.kind not in "iu" or truths:
            kind = "truth values" if truths else actions.dtype
            raise ValueError(f"actions must be {self.num_envs} whole numbers, not {kind} of shape {actions.shape}")
        if actions.dtype == np.uint64:
            actions = np.minimum(actions, np.uint64(ACTIONS))  # or the largest would become -1, which is WAIT
        return actions.astype(np.int64, copy=False)

    def act_one(self, action: Any) -> None:
        """Apply a decision in a batch of one game."""
        number = action_number(action)
        if not self.try_one(number):
            raise IllegalActionError(self.complaint(0, number))

    def try_one(self, action: int) -> bool:
        """Apply a decision in a batch of one game; return False, as a no-op, if it is illegal."""
        return 0 <= action < ACTIONS and bool(batch.step_if_legal(self._pinned_games, action))

    def legal_number(self, action: Any, index: int) -> int:
        """Convert an action in any form to its number; raise IllegalActionError if it is illegal, also for WAIT."""
        number = action_number(action)
        if not action_set.allows(self.games.legal[index].tolist(), number):
            raise IllegalActionError(self.complaint(index, number))
        return number

    def complaint(self, index: int, action: int) -> str:
        """The error message for an illegal action."""
        where = f" in game {index}" if self.num_envs > 1 else ""
        why = "the game is over" if self._seeded[index] else _NOT_BEGUN
        return complaint(action, int(self.actor[index]), self.legal_actions(index), why, where)

    def legal_actions(self, index: int = 0) -> list[int]:
        return action_set.actions_of(self.games.legal[index])

    def over(self, index: int = 0) -> bool:
        return bool(self.records["mode"][index] == OVER)

    def sample(self) -> Array:
        """Draw a random legal action in each game."""
        self.check_begun()
        actions = np.empty(self.num_envs, np.int64)
        batch.random_actions(self.games.legal, self._random, actions)
        return actions

    # --- looking ---

    def mask(self, out: Array | None = None) -> Array:
        self.check_begun()
        out = np.empty((self.num_envs, ACTIONS), np.int8) if out is None else out
        self._threads.each_part(lambda _, lo, hi: action_set.as_masks(self.games.legal, out, lo, hi))
        return out

    def dense(self, seats: Array | None = None, out: Array | None = None) -> Array:
        """Observations for the given seats (default: those that decide), one byte per feature."""
        out = np.empty((self.num_envs, self._width), np.int8) if out is None else out
        self._observe(self._looking(seats), self._pinned_buffers, out)
        return out

    def observations(self, seats: Array, masks: Array, dtype: Any) -> dict[str, Array]:
        """The observation dict of environments, with a row per game."""
        seen = {"observation": self.dense(seats).astype(dtype, copy=False), "action_mask": masks}
        if self.options.history:
            seen["history"] = self.history(seats)
        return seen

    def masks_by_seat(self) -> Array:
        """Masks by seat in a batch of one game; those of seats that do not decide are empty."""
        masks = np.empty((self.rules.players, ACTIONS), np.int8)
        batch.masks_by_seat(self._pinned_games, masks)
        return masks

    def look(self, seat: int, dtype: Any) -> dict[str, Array]:
        """`observations` in a batch of one game, without the row axis."""
        dense, mask = np.empty((1, self._width), np.int8), np.empty(ACTIONS, np.int8)
        batch.look(self._pinned_games, self._pinned_buffers, seat, dense, mask)
        seen = {"observation": dense[0].astype(dtype, copy=False), "action_mask": mask}
        if self.options.history:
            seen["history"] = self.history(np.array([seat], np.int64))[0]
        return seen

    def indices(self, seats: Array | None = None, out: Array | None = None) -> Array:
        """Observations as lists of the features that are on, padded with the size of the observation."""
        out = np.empty((self.num_envs, self.layout.most), np.int16) if out is None else out
        self._observe(self._looking(seats), self._buffers._replace(lists=out), self._no_dense)
        return out

    def bits(self, seats: Array | None = None, out: Array | None = None) -> Array:
        """Observations as bits, 64 per word; layout.unpack() turns them into bytes."""
        out = np.empty((self.num_envs, self.layout.words), np.int64) if out is None else out
        self._observe(self._looking(seats), self._buffers._replace(words=out), self._no_dense)
        return out

    def _looking(self, seats: Any) -> Array:
        self.check_begun()
        return self.actor if seats is None else check_seats(seats, self.num_envs, self.rules.players)

    def _place(self, index: Any) -> int:
        """Check the number of a game, and that it has begun."""
        number = int_in(index, "the number of a game")
        if not 0 <= number < self.num_envs:
            raise IndexError(f"no game {short_repr(number)}: games are 0 to {self.num_envs - 1}")
        self.check_begun(number)
        return number

    def check_begun(self, index: int = 0) -> None:
        if not self._seeded[index]:
            raise ValueError(_NOT_BEGUN)

    def _observe(self, seats: Array, buffers: Any, dense: Array) -> None:
        self._threads.each_part(
            lambda slot, lo, hi: encode.encode_games(self.records, seats, buffers, slot, dense, lo, hi)
        )

    def truth(self, seats: Array | None = None) -> Array:
        """Like `dense`, but of the whole game with its hidden cards: for critics, never for a policy."""
        seats = self._looking(seats)
        out = np.empty((self.num_envs, self._width), np.int8)
        encode.encode_views(self.records, self.games.rules, self.layout.record, seats, self._buffers.lists[0], out)
        return out

    def history(self, seats: Array | None = None) -> Array:
        """The last public events as 1 + 192 * seat (0 is the observer) + action; 0 before the first."""
        seats = self._looking(seats)
        out = np.empty_like(self.games.logs)
        batch.relative_history(self.games.logs, seats, self.rules.players, out)
        return out

    def views(self, seats: Array | None = None) -> Array:
        """Views of the given seats (view.py), for scripted players and search."""
        seats = self._looking(seats)
        out = np.empty(self.num_envs, GAME)
        encode.write_views(self.records, self.games.rules, seats, self._buffers.memory, out)
        return out

    def views_of(self, which: Array, seats: Array) -> Array:
        """`views` of some games, given by number, without checks."""
        out = np.empty(len(which), GAME)
        encode.write_views(self.records[which], self.games.rules, seats, self._buffers.memory, out)
        return out

    def share(self, which: Array, work: Callable[[int, Array], Any]) -> None:
        """Call work(thread number, its part of these games) in all threads at once."""
        parts = np.array_split(which, self.threads)
        self._threads.each(lambda row: work(row // 2, parts[row // 2]) if len(parts[row // 2]) else None)

    @property
    def threads(self) -> int:
        return self._threads.threads

    def observed(self, seat: int, index: int = 0) -> Observed:
        """A game as an agent on this seat sees it."""
        return self.known_to(int_in(seat, "seat", 0, self.rules.players - 1), self._place(index))

    def known_to(self, seat: int, index: int = 0) -> Observed:
        """`observed` without checks."""
        view, mask = np.empty(1, GAME), np.empty(ACTIONS, np.int8)
        batch.look_on(self._pinned_games, self._buffers.memory, index, seat, view, mask)
        return Observed(self.rules, seat, view, mask, self.layout)

    def game(self, index: int = 0) -> Game:
        """A copy of one game, hidden cards included, to plan in or to record."""
        return unchecked_game(self.records[self._place(index)], self.rules, skip_forced=bool(self.games.forced))

    # --- copies ---

    _SHARED = ("rules", "options", "layout")  # never written to

    def __deepcopy__(self, memo: dict[int, Any]) -> Batch:
        twin = object.__new__(type(self))
        for key, value in self.__dict__.items():
            if not key.startswith("_pinned"):
                twin.__dict__[key] = value if key in self._SHARED else copying.deepcopy(value, memo)
        twin._pin()
        return twin

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if not key.startswith("_pinned")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._pin()

    def clone(self) -> Batch:
        return copying.deepcopy(self)


class VectorGames(Batch):
    """A batch as an environment of arrays: every game waits for the seat that decides in it."""

    def __init__(
        self, rules: Rules, num_envs: int, options: Options, *, threads: int = 1, obs: str = "dense", copy: bool = True
    ) -> None:
        super().__init__(rules, num_envs, options, threads=threads)
        self.obs, self.copy = one_of(obs, "obs", FORMS), copy
        row = {
            "dense": (self._width, np.int8),
            "indices": (self.layout.most, np.int16),
            "bits": (self.layout.words, np.int64),
        }
        width, kind = row[obs]
        self._observation = np.zeros((num_envs, width), kind)
        self._mask = np.zeros((num_envs, ACTIONS), np.int8)

    def reset(self, seed: Any = None) -> tuple[Array, Array, Array]:
        """Start all games; return observations, action masks and deciding seats. seed: see `deal`."""
        self.deal(seed)
        getattr(self, self.obs)(out=self._observation)
        self.mask(out=self._mask)
        return self._handed_out()

    def step(self, actions: Any) -> tuple[Array, Array, Array, Array, Array]:
        """Apply one decision in each game; return observations, masks, seats, rewards by seat, and which games ended.

        Auto-reset: the next game begins in the step in which one ends. Reward and done belong to the old game, all else
        to the new one.
        """
        checked, taken = self._checked(actions), np.zeros(1, np.int64)
        if checked.min() == WAIT:  # after a reset every game here has a decision
            raise IllegalActionError(self.complaint(int(checked.argmin()), WAIT))
        rows: dict[str, Any] = {FORMS[self.obs]: self._observation} if FORMS[self.obs] else {}
        buffers = self._buffers._replace(**rows) if rows else self._pinned_buffers
        dense = self._no_dense if rows else self._observation
        games, masks = self._pinned_games, self._mask
        self._threads.each(lambda slot: step_and_encode(games, buffers, checked, dense, masks, taken, slot))
        return (*self._handed_out(), self._owned(self.rewards), self._owned(self.done))

    def _handed_out(self) -> tuple[Array, Array, Array]:
        return self._owned(self._observation), self._owned(self._mask), self._owned(self.actor)

    def _owned(self, array: Array) -> Array:
        """The array itself, or a copy that the next step does not overwrite."""
        return array.copy() if self.copy else array
