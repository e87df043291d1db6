"""One decision as an agent gets it: the vector, the mask and a record of what its seat knows."""

from __future__ import annotations

from functools import cached_property, lru_cache

import numpy as np

from casino_env.actions import action_text
from casino_env.arrays import Array
from casino_env.engine.state import GAME, rules_record
from casino_env.game import Game, unchecked_game
from casino_env.knowledge.determinizations import complete_many
from casino_env.knowledge.encode import encode_views, write_view
from casino_env.knowledge.layout import Layout, make_layout
from casino_env.knowledge.view import MEMORIES
from casino_env.rules import Rules
from casino_env.validate import int_in, short_repr

_record = lru_cache(maxsize=64)(rules_record)  # making one takes longer than all the rest of an observation


class Observed:
    """What a seat may know when it decides, and nothing else.

    `view` is an array of one game record (state.GAME) from which the unseen has been taken out; the vector is made
    from it when it is asked for. It can be read like the dictionaries of PettingZoo, too.
    """

    def __init__(self, rules: Rules, seat: int, view: Array, mask: Array, layout: Layout | None = None) -> None:
        self.rules, self.seat, self.view, self.mask = rules, seat, view, mask
        self.layout = layout or make_layout(rules)

    def legal(self) -> list[int]:
        """The actions to choose from, ascending."""
        return [int(action) for action in np.flatnonzero(self.mask)]

    @property
    def hidden(self) -> int:
        """How many cards lie where the seat does not know."""
        view = self.view[0]
        return int(view["hidden_hand"].sum() + view["hidden_pile"].sum() + view["hidden_stock"])

    @cached_property
    def vector(self) -> Array:
        """The observation as zeros and ones, int8, in the layout of this observation."""
        return self.encode(self.layout)

    def encode(self, layout: Layout) -> Array:
        """The observation in any layout of the same rules, int8."""
        dense = np.zeros((1, layout.size), np.int8)
        features = np.zeros(layout.most, np.int16)
        encode_views(self.view, _record(self.rules), layout.record, np.array([self.seat]), features, dense)
        return np.asarray(dense[0])

    def determinizations(self, count: int, rng: np.random.Generator) -> list[Game]:
        """Complete games that agree with all that the seat knows, each as likely: for a search of one's own."""
        return [unchecked_game(record, self.rules) for record in sample_determinizations(self, count, rng)]

    def __getitem__(self, key: str) -> Array:
        """The vector as "observation", the mask as "action_mask"."""
        if key == "observation":
            return self.vector
        if key == "action_mask":
            return self.mask
        raise KeyError(f"{short_repr(key)}: an observation has 'observation' and 'action_mask'")

    def __repr__(self) -> str:
        return (
            f"Observed({short_repr(self.rules.name)}, seat={self.seat}, legal={[action_text(a) for a in self.legal()]})"
        )


def observe(game: Game, seat: int | None = None, *, memory: str = "perfect") -> Observed:
    """What a seat (without one: the one that decides) knows of a game. memory: of face-down piles, perfect or none."""
    seat = game.seat if seat is None else seat
    seat = int_in(seat, "seat", 0, game.rules.players - 1)
    if memory not in MEMORIES:
        raise ValueError(f"memory = {short_repr(memory)}; it must be one of {', '.join(MEMORIES)}")
    view = np.empty(1, GAME)
    write_view(game.records, 0, game.rules_record, seat, MEMORIES.index(memory), view, 0)
    mask = game.mask() if seat == game.seat else np.zeros_like(game.mask())
    return Observed(game.rules, seat, view, mask)


class NoDeterminizationError(ValueError):
    """Nothing agrees with what the seat knows: the position cannot come from play."""


def sample_determinizations(observed: Observed, count: int, rng: np.random.Generator) -> Array:
    """Records of games that agree with an observation."""
    games = np.empty(int_in(count, "count", 0), GAME)
    seed = int(rng.integers(2**63))
    drawn = complete_many(observed.view, _record(observed.rules), observed.seat, np.uint64(seed), games)
    if drawn < count:
        raise NoDeterminizationError(f"no game agrees with what seat {observed.seat} knows")
    return games
