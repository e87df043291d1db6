"""What self-play by actions and by turns share: seats, opponents, threads, buffers, arrays of checkpoints.

Every game has a random stream of its own, so results depend neither on the order in which games are played nor on the
number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from casino_env.actions import ACTIONS
from casino_env.agents.deciding import Player, Workspace
from casino_env.agents.policy.judging import Judge
from casino_env.agents.policy.mlp import Shape
from casino_env.agents.scripted.bots import BOTS, NO_BOT, BotRows, bot_record
from casino_env.arrays import Array
from casino_env.cards import CARDS
from casino_env.compiler.jit import entry, kernel
from casino_env.compiler.types import F32, F64, I64x2, U64x2, allocate
from casino_env.engine.reading import side_of
from casino_env.envs.batch import Games
from casino_env.knowledge.layout import Layout
from casino_env.rng import uniform
from casino_env.rules import Rules

Arrays = Mapping[str, Array]
Bounds = Mapping[str, tuple[int, int]]  # minimum and maximum of an integer array
LEARNER = 0  # player of a seat; 1.. are the bots, the next number is the target network


class Seats(NamedTuple):
    """Who sits where in a batch of games."""

    control: I64x2  # [game, seat]: LEARNER or the number of an opponent
    random: U64x2  # [game, 1]: state of the game's random stream


class Sampling(NamedTuple):
    """How actions are drawn from a network's logits."""

    temperature: float  # 1: by the softmax of the logits; 0: always the best action
    epsilon: float  # share of the decisions in which a random legal action is played


AS_LIKELY = Sampling(1.0, 0.0)


class OpponentMix(NamedTuple):
    """The opponents that the learner meets."""

    shares: F64  # of the games: [0] the learner against itself, then each opponent; adds up to 1
    bots: BotRows
    target: F32  # weights of a fixed network; empty: there is none
    sampling: Sampling  # of the target


_NO_TARGET = np.zeros(0, np.float32), AS_LIKELY


# --- kernels ---------------------------------------------------------------------------------------------------------


@kernel
def seat_players(games, seats, mix, i):
    """Draw who plays the next game: the learner on all seats, or on one side against an opponent on the others."""
    point, opponent = uniform(seats.random[i]), 0
    while opponent < mix.shares.shape[0] - 1 and point >= mix.shares[opponent]:
        point -= mix.shares[opponent]
        opponent += 1
    r = games.rules[0]
    side = np.int64(uniform(seats.random[i]) * r.sides)
    for seat in range(r.players):
        seats.control[i, seat] = LEARNER if side_of(r, seat) == side else opponent


@entry
def seat_all(games: Games, seats: Seats, mix: OpponentMix) -> None:
    for i in range(seats.control.shape[0]):
        seat_players(games, seats, mix, i)


@kernel
def player_of(who, learner, mix):
    """Return the learner or an opponent, which remembers face-down piles as well as the learner."""
    if who == LEARNER:
        return learner
    judge, bots, sampling = learner.judge, mix.bots.shape[0], mix.sampling
    theta = mix.target if who > bots else judge.theta[:0]
    judge = Judge(judge.layout, theta, judge.shape, judge.value_scale)
    temperature, epsilon = sampling.temperature, sampling.epsilon
    return Player(mix.bots[who - 1 : who], judge, learner.memory, temperature, epsilon, learner.tried)


# --- opponents -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Opponents:
    """The opponents of a run, the same for all games that it learns: bots, and a fixed network (the target)."""

    bots: dict[str, float]  # their shares of the games
    target: tuple[Array, Sampling] | None = None  # weights of a network for all other games, and how it plays

    @property
    def count(self) -> int:
        return len(self.bots) + (self.target is not None)

    def mix(self, rules: Rules) -> OpponentMix:
        """Return the opponents as kernels take them."""
        shares = np.array(list(self.bots.values()))
        rest = 1.0 - shares.sum()
        shares = np.array([rest, *shares] if self.target is None else [0.0, *shares, rest])
        records = [bot_record(BOTS[name], rules) for name in self.bots]
        return OpponentMix(shares, np.concatenate([NO_BOT, *records]), *(self.target or _NO_TARGET))


# --- rollouts --------------------------------------------------------------------------------------------------------


class Rollouts:
    """A batch of games of one kind; it plays into one buffer while the learner learns from the other."""

    def __init__(
        self, buffer: type[Any], rules: Rules, layout: Layout, shape: Shape, opponents: Opponents,
        kept: dict[str, Array], *, count: int, rows: int, seed: int, threads: int,
    ) -> None:  # fmt: skip
        """kept: the arrays of the games that a checkpoint keeps; rows: of each game in a buffer of this type."""
        self.rules, self.layout, self.shape, self.opponents = rules, layout, shape, opponents
        self.works = [allocate(Workspace, features=layout.most, **shape.sizes) for _ in range(threads)]
        sizes = {"games": count, "rows": count * rows, "features": layout.most, "sides": rules.sides}
        self.buffer, self._next = allocate(buffer, **sizes), allocate(buffer, **sizes)
        streams = np.random.default_rng(seed).integers(2**63, size=(count, 1)).astype(np.uint64)
        self.seats = Seats(np.zeros((count, rules.players), np.int64), streams)
        self._kept = kept | self.seats._asdict()
        self._threads = ThreadPoolExecutor(threads)

    def take(self) -> Any:
        """Swap the buffers and return the one played last; it is valid until the next call."""
        self.buffer, self._next = self._next, self.buffer
        return self.buffer

    def in_threads(self, kernel: Callable[..., None], *about: Any) -> None:
        """Run the kernel in all threads, each with its workspace and its range of games, into the next buffer."""
        edges = [len(self.seats.random) * k // len(self.works) for k in range(len(self.works) + 1)]
        jobs = [
            self._threads.submit(kernel, *about, work, self._next, lo, hi)
            for work, lo, hi in zip(self.works, edges[:-1], edges[1:], strict=True)
        ]
        for job in jobs:
            job.result()

    def state(self, *, ahead: bool) -> dict[str, Array]:
        """Return the arrays of a checkpoint. ahead: the next buffer has already been played."""
        packed = pack_rows(self._next._asdict()) if ahead else {}
        return self._kept | {f"buffer.{name}": array for name, array in packed.items()}

    def restore(self, arrays: Arrays, *, ahead: bool) -> None:
        """Restore a checkpoint; raise ValueError for games that cannot go on. ahead: as in state."""
        bounds = {"control": (LEARNER, self.opponents.count), "episodes": (0, 2**62)}
        copy_checked(self._kept, arrays, bounds | {"begun": (0, 2**40), "logs": (0, self.rules.players * ACTIONS)})
        if ahead:
            rows = len(self._next.counts) // len(self.seats.random)
            bounds = {"seat": (0, self.rules.players - 1), "side": (0, self.rules.sides - 1), "used": (0, rows)}
            buffer = by_prefix(arrays).get("buffer", {})
            unpack_rows(buffer, self._next._asdict(), self.shape.features, bounds)


# --- arrays of checkpoints: checked before they replace a run's own, so that no bad number reaches a kernel ----------


def by_prefix(arrays: Arrays) -> dict[str, dict[str, Array]]:
    """Return {"a.b": x} as {"a": {"b": x}}."""
    parts: dict[str, dict[str, Array]] = {}
    for name, array in arrays.items():
        prefix, _, rest = name.partition(".")
        parts.setdefault(prefix, {})[rest] = array
    return parts


def copy_checked(mine: Arrays, theirs: Arrays, bounds: Bounds | None = None) -> None:
    """Copy theirs into mine in place; if they do not fit, raise ValueError and change nothing."""
    check_arrays(mine, theirs, bounds)
    for name, place in mine.items():
        place[...] = theirs[name]


def check_arrays(mine: Arrays, theirs: Arrays, bounds: Bounds | None = None) -> None:
    """Raise ValueError unless theirs have the names, shapes and types of mine, and finite numbers within bounds."""
    for name, place in mine.items():
        if name not in theirs:
            raise ValueError(f"{name} is missing")
        found = theirs[name]
        if (found.shape, found.dtype) != (place.shape, place.dtype):
            raise ValueError(f"{name}: {found.dtype} of {found.shape}, not {place.dtype} of {place.shape}")
        if found.dtype.kind == "f" and not np.isfinite(found).all():
            raise ValueError(f"{name}: has NaN or infinite values")
        if found.dtype.kind == "b" and (found.view(np.uint8) > 1).any():
            raise ValueError(f"{name}: must be true or false")
        if bounds and name in bounds:
            _check_bounds(name, found, *bounds[name])


def _check_bounds(name: str, found: Array, low: int, high: int) -> None:
    if found.size and not low <= int(found.min()) <= int(found.max()) <= high:
        raise ValueError(f"{name}: from {found.min()} to {found.max()}, not within {low} to {high}")


def check_legal(legal: Array) -> Array:
    """Return how many actions are legal in each row (action_set.py); raise ValueError for bits that are no actions."""
    for part in range(legal.shape[1]):
        _check_bounds("legal", legal[:, part], 0, 2 ** min(CARDS, ACTIONS - CARDS * part) - 1)
    bits = np.unpackbits(np.ascontiguousarray(legal).view(np.uint8).reshape(len(legal), -1), axis=1)
    counts: Array = bits.sum(axis=1, dtype=np.int64)
    return counts


def pack_rows(buffer: Arrays) -> dict[str, Array]:
    """Pack a buffer for a checkpoint: cut feature lists to the longest one, and write zeros beyond the end of each list
    and in unused rows, so that equal runs give equal bytes."""
    if "used" in buffer:
        rows = len(buffer["counts"]) // len(buffer["used"])
        used = np.arange(len(buffer["counts"])) % rows < np.repeat(buffer["used"], rows)
        buffer = {
            name: np.where(used, array.T, array.dtype.type(0)).T if len(array) == len(used) else array
            for name, array in buffer.items()
        }
    length = np.arange(buffer["counts"].max(initial=0))
    within = length < buffer["counts"][:, None]
    return {**buffer, "indices": np.where(within, buffer["indices"][:, : len(length)], np.int16(0))}


def unpack_rows(arrays: Arrays, buffer: Arrays, features: int, bounds: Bounds) -> None:
    """Unpack the arrays of pack_rows; raise ValueError for values that no games give. features: of an observation."""
    lists = arrays.get("indices")
    if lists is None or lists.ndim != 2 or lists.shape[1] > buffer["indices"].shape[1]:
        raise ValueError("indices: not lists of features")
    mine = {**buffer, "indices": buffer["indices"][:, : lists.shape[1]]}
    check_arrays(mine, arrays, {**bounds, "indices": (0, features - 1), "counts": (0, lists.shape[1])})
    if "legal" in mine:
        chosen, many = arrays["chosen"], check_legal(arrays["legal"])
        if (chosen < 0).any() or (chosen >= many).any():
            raise ValueError("chosen: not among the legal actions")
    copy_checked(mine, arrays)
