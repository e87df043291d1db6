"""What self-play by actions and by turns share: who sits where, the opponents, threads and buffers.

Every game has a stream of its own for what is drawn in it, so the result depends neither on the order in which games
are played nor on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from casino_env.actions import ACTIONS
from casino_env.agents.deciding import Player, Workspace
from casino_env.agents.policy.judging import Judge
from casino_env.agents.policy.mlp import Shape
from casino_env.agents.scripted.bots import BOTS, NO_BOT, BotRows, bot_record
from casino_env.arrays import Array
from casino_env.compiler.jit import entry, kernel
from casino_env.compiler.types import F32, F64, I64x2, U64x2
from casino_env.engine.reading import side_of
from casino_env.envs.batch import Games
from casino_env.rng import uniform
from casino_env.rules import Rules
from casino_env.train.checked import Arrays, by_prefix, copy_checked, pack_rows, unpack_rows

LEARNER = 0  # who decides on a seat; 1.. are the bots, after them the network that is the target


class Seats(NamedTuple):
    """Who sits where in games side by side."""

    control: I64x2  # [game, seat]: LEARNER or the number of an opponent
    random: U64x2  # [game, 1]: state of the stream of each game


class Sampling(NamedTuple):
    """How a network's logits become play."""

    temperature: float  # 1: as likely as they say; 0: the best one
    epsilon: float  # share of the decisions in which any legal action will do


AS_LIKELY, GREEDY = Sampling(1.0, 0.0), Sampling(0.0, 0.0)


class OpponentMix(NamedTuple):
    """Whom the learner meets."""

    shares: F64  # of the games: [0] the learner against itself, then each opponent; adds up to 1
    bots: BotRows
    target: F32  # weights of a network that stays as it is; none: there is none
    sampling: Sampling  # of the target


_NO_TARGET = np.zeros(0, np.float32), AS_LIKELY


# --- kernels ---------------------------------------------------------------------------------------------------------


@kernel
def seat_players(games, seats, mix, i):
    """Who plays the next game: the learner alone, or the learner on one side and an opponent on the others."""
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
    """The learner, or an opponent, which remembers face-down piles as the learner does."""
    if who == LEARNER:
        return learner
    judge, bots, sampling = learner.judge, mix.bots.shape[0], mix.sampling
    theta = mix.target if who > bots else judge.theta[:0]
    judge = Judge(judge.layout, theta, judge.shape, judge.value_scale)
    temperature, epsilon = sampling.temperature, sampling.epsilon
    return Player(mix.bots[who - 1 : who], judge, learner.memory, temperature, epsilon, learner.tried)


# --- opponents -------------------------------------------------------------------------------------------------------


class Opponents:
    """The opponents of a run, the same for all games that it learns: bots, or a network that stays as it is."""

    def __init__(self, bots: dict[str, float], target: tuple[Array, Sampling] | None = None) -> None:
        """bots: their shares of the games. target: weights, and how they play, in all games that bots leave."""
        self.bots, self.target = bots, target

    @property
    def count(self) -> int:
        return len(self.bots) + (self.target is not None)

    def mix(self, rules: Rules) -> OpponentMix:
        """As the kernels need it."""
        shares = np.array(list(self.bots.values()))
        rest = 1.0 - shares.sum()
        shares = np.array([rest, *shares] if self.target is None else [0.0, *shares, rest])
        records = [bot_record(BOTS[name], rules) for name in self.bots]
        return OpponentMix(shares, np.concatenate([NO_BOT, *records]), *(self.target or _NO_TARGET))


# --- rollouts --------------------------------------------------------------------------------------------------------


class Rollouts:
    """Games of one kind side by side, played into one buffer while the other is learnt from."""

    def __init__(
        self, rules: Rules, shape: Shape, opponents: Opponents, works: Sequence[Workspace], buffers: tuple[Any, Any],
        kept: dict[str, Array], *, count: int, seed: int,
    ) -> None:  # fmt: skip
        """works: a workspace for each thread; kept: the arrays of the games that a checkpoint keeps."""
        self.rules, self.shape, self.opponents, self.works = rules, shape, opponents, works
        self.buffer, self._next = buffers
        streams = np.random.default_rng(seed).integers(2**63, size=(count, 1)).astype(np.uint64)
        self.seats = Seats(np.zeros((count, rules.players), np.int64), streams)
        self._kept = kept | self.seats._asdict()
        self._threads = ThreadPoolExecutor(len(works))

    def take(self) -> Any:
        """What was played last; it stays until the next call."""
        self.buffer, self._next = self._next, self.buffer
        return self.buffer

    def in_threads(self, kernel: Callable[..., None], *about: Any) -> None:
        """The kernel with a workspace, the next buffer and the first and last of the games that it plays."""
        edges = [len(self.seats.random) * k // len(self.works) for k in range(len(self.works) + 1)]
        jobs = [
            self._threads.submit(kernel, *about, work, self._next, lo, hi)
            for work, lo, hi in zip(self.works, edges[:-1], edges[1:], strict=True)
        ]
        for job in jobs:
            job.result()

    def state(self, *, ahead: bool) -> dict[str, Array]:
        """What a checkpoint keeps. ahead: the games that will be learnt from next have been played."""
        packed = pack_rows(self._next._asdict()) if ahead else {}
        return self._kept | {f"buffer.{name}": array for name, array in packed.items()}

    def restore(self, arrays: Arrays, *, ahead: bool) -> None:
        """ahead: as in state. Raises ValueError for games that could not go on."""
        bounds = {"control": (LEARNER, self.opponents.count), "episodes": (0, 2**62)}
        copy_checked(self._kept, arrays, bounds | {"begun": (0, 2**40), "logs": (0, self.rules.players * ACTIONS)})
        if ahead:
            rows = len(self._next.counts) // len(self.seats.random)
            bounds = {"seat": (0, self.rules.players - 1), "side": (0, self.rules.sides - 1), "used": (0, rows)}
            buffer = by_prefix(arrays).get("buffer", {})
            unpack_rows(buffer, self._next._asdict(), self.shape.features, bounds)
