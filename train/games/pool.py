"""Whom the learner meets besides itself: bots by name with their shares of the games, and a pool of frozen networks."""

from __future__ import annotations

from typing import Any

import numpy as np

from casino_env.agents.policy.mlp import Shape
from casino_env.agents.scripted.bots import BOTS, bot_record
from casino_env.rules import Rules
from casino_env.train.games.restoring import put
from casino_env.train.games.selfplay import OpponentMix, Sampling

Array = np.ndarray[Any, Any]

AS_LIKELY = Sampling(1.0, 0.0)  # as a policy says


class OpponentPool:
    """The opponents of a run, the same for all games that it learns."""

    def __init__(self, shape: Shape, bots: dict[str, float], frozen: float, room_for: int) -> None:
        self.bots = bots
        self.frozen = frozen  # share of the games against networks
        self.networks = np.zeros((room_for if frozen else 0, shape.size), np.float32)
        self.names: list[str] = []  # of the places that are filled
        self.sampling = AS_LIKELY  # of the networks

    def mix(self, rules: Rules) -> OpponentMix:
        """As the kernels need it."""
        frozen = np.zeros(len(self.networks))
        frozen[: len(self.names)] = self.frozen / max(1, len(self.names))
        bots = np.array(list(self.bots.values()))
        shares = np.concatenate([[1.0 - bots.sum() - frozen.sum()], bots, frozen])
        records = [bot_record(BOTS[name], rules) for name in self.bots]
        none = bot_record(BOTS["random"], rules)[:0]
        return OpponentMix(shares, np.concatenate([none, *records]), self.networks, self.sampling)

    def freeze(self, name: str, theta: Array) -> None:
        """Keep these weights as an opponent: in a free place, else in that of the oldest. Games that it is in the
        middle of go on with the new one: so all processes of a run have the same opponents, whatever games they play.
        """
        if not len(self.networks):
            return
        place = len(self.names)
        if place < len(self.networks):
            self.names.append(name)
        else:
            place = min(range(place), key=lambda k: int(self.names[k]))
            self.names[place] = name
        self.networks[place] = theta

    def restore(self, names: list[str], networks: list[Array]) -> None:
        """Raises ValueError for more of them than there are places, and for other networks than these."""
        if len(names) > len(self.networks) or len(names) != len(networks):
            raise ValueError(f"frozen: {len(names)} opponents for {len(self.networks)} places")
        for place, network in enumerate(networks):
            put({"theta": self.networks[place]}, {"theta": network})
        self.names = list(names)
