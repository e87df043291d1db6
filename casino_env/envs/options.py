"""Arguments and spaces of environments: options beside the rules, seeds and seats, all checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from inspect import signature
from typing import Any

import gymnasium
import numpy as np

from casino_env.actions import ACTIONS
from casino_env.arrays import Array
from casino_env.envs.batch import MOST_DEALS, REWARDS, first_beyond
from casino_env.game import seed_number
from casino_env.knowledge.view import MEMORIES
from casino_env.rules import Rules
from casino_env.validate import closest, float_in, int_in, one_of, short_repr, truth

# === Seeds from outside: a number, one per game, or none ==============================================================


def seeds_of(seed: Any, count: int) -> list[int | None]:
    """A seed per game: consecutive ones from a number, or as listed; None for a game without a seed."""
    if seed is None:
        return [None] * count
    if not isinstance(seed, list | tuple) and np.ndim(seed) == 0:
        first = seed_number(seed)
        return [seed_number(first + i) for i in range(count)]
    if np.ndim(seed) != 1 or len(seed) != count:
        raise ValueError(f"{np.size(seed)} seeds for {count} games")
    return [None if each is None else seed_number(each) for each in seed]


def generator(*seed: int) -> np.random.Generator:
    """A random generator for an agent. It hides its seed, because the seed of a deal would give away the cards."""
    known = np.random.SeedSequence(list(seed))
    bits = np.random.PCG64(np.random.SeedSequence(known.generate_state(8).tolist()))  # what spawn() uses
    bits.state = np.random.PCG64(known).state
    return np.random.Generator(bits)


# === Seats from outside, checked because kernels do not check bounds ==================================================


def check_seats(seats: Any, games: int, players: int) -> Array:
    """The seats as an array for kernels; raise ValueError if one is wrong."""
    given = np.asarray(seats)
    if given.shape != (games,) or given.dtype.kind not in "iu":
        raise ValueError(f"seats must be {games} whole numbers, not {given.dtype} of shape {given.shape}")
    checked: Array = np.ascontiguousarray(given, np.int64)
    wrong = first_beyond(checked, players)
    if wrong >= 0:
        raise ValueError(f"seat {given[wrong]} in game {wrong}; it must be 0 to {players - 1}")
    return checked


# === Options beside the rules, and splitting keywords into both =======================================================

LAYOUTS = ("own", "universal")
_MOST_SHAPING = 1000.0


@dataclass(frozen=True)
class Options:
    """Options of environments beside the rules."""

    reward: str = "diff"  # diff (points less the mean of the others), points, or win
    match: bool = False  # an episode is a match to the target instead of one deal
    layout: str = "own"  # of the observation: own (for these rules) or universal (for all rules)
    memory: str = "perfect"  # of face-down piles: perfect or none
    history: int = 0  # number of public events added to an observation
    shaping: float = 0.0  # reward for each point secured ahead of the others, taken back at the end
    skip_forced: bool = True  # the environment plays forced actions

    def __post_init__(self) -> None:
        for name, choices in (("reward", REWARDS), ("layout", LAYOUTS), ("memory", MEMORIES)):
            one_of(getattr(self, name), name, choices)
        object.__setattr__(self, "history", int_in(self.history, "history", 0, 1000))
        float_in(self.shaping, "shaping", -_MOST_SHAPING, _MOST_SHAPING)
        for name in ("match", "skip_forced"):
            object.__setattr__(self, name, truth(getattr(self, name), name))


def deal_until_a_choice(
    begin: Callable[[int | None], None], over: Callable[[], bool], seed: int | None, who: str
) -> None:
    """Begin the game of the seed; while it is over without any decision, begin the next one of the stream."""
    for _ in range(MOST_DEALS):
        begin(seed)
        if not over():
            return
        seed = None
    raise nothing_to_decide(who)


def nothing_to_decide(who: str) -> ValueError:
    """The error for rules that force every action: MOST_DEALS deals in a row had no decision."""
    return ValueError(f"{MOST_DEALS} deals in a row without a decision for {who}: these rules force every action")


def split_options(keywords: dict[str, Any], called: Callable[..., Any]) -> tuple[Options, dict[str, Any]]:
    """Split the keywords of a call of `called` into options and rule fields.

    An unknown keyword raises TypeError in Python's own words, which libraries look for when they probe keywords.
    """
    known = Options.__dataclass_fields__
    mine = {key: value for key, value in keywords.items() if key in known}
    changes = {key: value for key, value in keywords.items() if key not in known}
    for key in changes:
        if key not in Rules.__dataclass_fields__:
            named = [name for name in signature(called).parameters if name != "keywords"]
            near = closest(key, [*known, *Rules.__dataclass_fields__, *named])
            wrong = f"{called.__name__}() got an unexpected keyword argument {short_repr(key)}"
            raise TypeError(f"{wrong}{near}: neither a rule nor an option")
    return Options(**mine), changes


def check_reset_options(options: Any, known: Iterable[str] = ()) -> None:
    """Check reset(options=...): raise ValueError for any key but the known ones."""
    if options is None:
        return
    if not isinstance(options, dict):
        raise ValueError(f"options = {short_repr(options)}; it must be a dictionary or None")
    for key in options:
        if key not in known:
            there = f"known: {', '.join(known) or 'none'}"
            raise ValueError(f"reset() got an unknown option {short_repr(key)}; {there}")


# === Spaces ===========================================================================================================

_DTYPES = ("int8", "float32")

# The reward for an illegal action that ends the episode, by kind of reward: about the worst result of a deal.
ILLEGAL_REWARD = {"diff": -11.0, "points": -11.0, "win": -1.0}
MOST_REWARD = 1e6


class ActionSpace(gymnasium.spaces.Discrete):
    """The actions of the catalogue; sample() also takes boolean masks, as action_masks() returns them."""

    def __init__(self) -> None:
        super().__init__(ACTIONS)

    def sample(self, mask: Any = None, *more: Any, **named: Any) -> np.int64:
        if isinstance(mask, np.ndarray) and mask.dtype == np.bool_:
            mask = mask.astype(np.int8)
        return super().sample(mask, *more, **named)


def observation_space(size: int, players: int, history: int, dtype: str) -> gymnasium.spaces.Dict:
    """The space of observations: vector, mask and, if history > 0, the last public events."""
    spaces: dict[str, Any] = {
        "observation": gymnasium.spaces.Box(0, 1, (size,), np.dtype(one_of(dtype, "dtype", _DTYPES)).type),
        "action_mask": gymnasium.spaces.Box(0, 1, (ACTIONS,), np.int8),
    }
    if history:
        spaces["history"] = gymnasium.spaces.Box(0, players * ACTIONS, (history,), np.int16)
    return gymnasium.spaces.Dict(spaces)
