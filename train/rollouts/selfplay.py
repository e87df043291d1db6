"""What self-play by actions and by turns share: who sits where, bots, the pool of earlier selves, threads and buffers.

Every game has a stream of its own for what is drawn in it, so the result depends neither on the order in which games
are played nor on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from casino_env.actions import ACTIONS
from casino_env.agents.policy.mlp import Shape
from casino_env.agents.scripted.bots import BOTS, bot_record
from casino_env.agents.scripted.choosing import favourites, pick
from casino_env.compiler.jit import entry, kernel
from casino_env.engine.reading import side_of
from casino_env.knowledge.view import make_view
from casino_env.rng import uniform
from casino_env.rules import Rules
from casino_env.train.checked import Array, Arrays, by_prefix, copy_checked, pack_rows, unpack_rows

LEARNER = 0  # who decides on a seat; 1.. are the bots, after them the networks of the pool


class Seats(NamedTuple):
    """Who sits where in games side by side."""

    control: Array  # [game, seat]: LEARNER or the number of an opponent
    random: Array  # [game, 1]: state of the stream of each game


class Sampling(NamedTuple):
    """How a network's logits become play."""

    temperature: float  # 1: as likely as they say; 0: the best one
    epsilon: float  # share of the decisions in which any legal action will do


AS_LIKELY, GREEDY = Sampling(1.0, 0.0), Sampling(0.0, 0.0)


class OpponentMix(NamedTuple):
    """Whom the learner meets."""

    shares: Array  # of the games: [0] the learner against itself, then each opponent; adds up to 1
    bots: Array
    pool: Array  # [network, weights]
    sampling: Sampling  # of the networks of the pool


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
def seat_all(games, seats, mix):
    for i in range(seats.control.shape[0]):
        seat_players(games, seats, mix, i)


@kernel
def bot_action(g, r, bot, memory, legal, work, rng):
    """What a scripted bot plays on the seat that decides. legal: its actions; work: what bots work with."""
    seat = np.int64(g.actor)
    work.stack[0] = g
    if not bot.blind:
        make_view(g, r, seat, memory, work.stack[0])
    return pick(favourites(work, r, bot, seat, legal), rng)


# --- opponents -------------------------------------------------------------------------------------------------------


class OpponentPool:
    """The opponents of a run, the same for all games that it learns: bots, and earlier selves.

    sampling: how earlier selves play; places: how many are kept; every: decisions between two of them.
    """

    def __init__(
        self, shape: Shape, bots: dict[str, float], earlier: float = 0.0, places: int = 0, every: int = 1,
        sampling: Sampling = AS_LIKELY,
    ) -> None:  # fmt: skip
        """bots, earlier: shares of the games."""
        self.bots, self.sampling = bots, sampling
        self._earlier, self._every = earlier, every
        self.networks = np.zeros((places if earlier else 0, shape.size), np.float32)
        self.names: list[str] = []  # of the places that are filled: after how many decisions

    def mix(self, rules: Rules) -> OpponentMix:
        """As the kernels need it."""
        earlier = np.zeros(len(self.networks))
        earlier[: len(self.names)] = self._earlier / max(1, len(self.names))
        bots = np.array(list(self.bots.values()))
        shares = np.concatenate([[1.0 - bots.sum() - earlier.sum()], bots, earlier])
        records = [bot_record(BOTS[name], rules) for name in self.bots]
        none = bot_record(BOTS["random"], rules)[:0]
        return OpponentMix(shares, np.concatenate([none, *records]), self.networks, self.sampling)

    def due(self, decisions: int) -> bool:
        """It is time for another earlier self."""
        return len(self.networks) > 0 and decisions - max(map(int, self.names), default=0) >= self._every

    def add(self, decisions: int, theta: Array) -> None:
        """Keep these weights: in a free place, else in that of the oldest. Games that it is in the middle of go on with
        the new one: so all processes of a run have the same opponents, whatever games they play."""
        if not len(self.networks):
            return
        place = len(self.names)
        if place == len(self.networks):
            place = min(range(place), key=lambda k: int(self.names[k]))
        self.names[place : place + 1] = [str(decisions)]
        self.networks[place] = theta

    def restore(self, names: list[str], networks: list[Array]) -> None:
        """Raises ValueError for more of them than there are places, and for other networks than these."""
        if len(names) > len(self.networks) or len(names) != len(networks):
            raise ValueError(f"{len(names)} earlier selves for {len(self.networks)} places")
        for place, network in enumerate(networks):
            copy_checked({"theta": self.networks[place]}, {"theta": network})
        self.names = list(names)


# --- rollouts --------------------------------------------------------------------------------------------------------


class Rollouts:
    """Games of one kind side by side, played into one buffer while the other is learnt from."""

    def __init__(
        self, rules: Rules, shape: Shape, opponents: OpponentPool, works: Sequence[Any], buffers: tuple[Any, Any],
        kept: dict[str, Array], *, count: int, seed: int, first: int,
    ) -> None:  # fmt: skip
        """works: a workspace for each thread; kept: the arrays of the games that a checkpoint keeps; first: so many of
        the games of this seed belong to other processes."""
        self.rules, self.shape, self.opponents, self.works = rules, shape, opponents, works
        self.buffer, self._next = buffers
        streams = np.random.default_rng(seed).integers(2**63, size=(first + count, 1))[first:].astype(np.uint64)
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
        bounds = {"control": (LEARNER, len(self.opponents.bots) + len(self.opponents.names)), "episodes": (0, 2**62)}
        copy_checked(self._kept, arrays, bounds | {"begun": (0, 2**40), "logs": (0, self.rules.players * ACTIONS)})
        if ahead:
            rows = len(self._next.counts) // len(self.seats.random)
            bounds = {"seat": (0, self.rules.players - 1), "side": (0, self.rules.sides - 1), "used": (0, rows)}
            buffer = by_prefix(arrays).get("buffer", {})
            unpack_rows(buffer, self._next._asdict(), self.shape.features, bounds)
