"""Observations: what a seat knows when it decides, determinizations of it, and the turns that the seat can play."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import NamedTuple

import numpy as np

from casino_env.actions import CAPTURE, DISCARD, END, action_text
from casino_env.arrays import Array, Record
from casino_env.engine.complete_turns import AS_THE_SEAT_SEES
from casino_env.engine.state import GAME
from casino_env.game import Game, unchecked_game
from casino_env.knowledge.determinizations import WORK, complete_many, learns
from casino_env.knowledge.encode import encode_views, write_view
from casino_env.knowledge.layout import Layout, make_layout
from casino_env.knowledge.view import MEMORIES
from casino_env.rules import Rules
from casino_env.turns import TooManyTurnsError, find_turns, turn_text, turn_texts
from casino_env.validate import checks_objects, int_in, one_of, short_repr


class Observed:
    """What a seat may know when it decides, and nothing else.

    `view` is an array of one game record (state.GAME) without the hidden cards; the vector is encoded from it on
    demand. An observation can also be indexed like the dictionaries of PettingZoo.
    """

    def __init__(self, rules: Rules, seat: int, view: Array, mask: Array, layout: Layout | None = None) -> None:
        self.rules, self.seat, self.view, self.mask = rules, seat, view, mask
        self.layout = layout or make_layout(rules)

    def legal(self) -> list[int]:
        """The legal actions, ascending; empty if another seat decides."""
        actions: list[int] = self.mask.nonzero()[0].tolist()
        return actions

    @property
    def hidden(self) -> int:
        """The number of cards whose place the seat does not know."""
        view = self.view[0]
        return int(view["hidden_hand"].sum() + view["hidden_pile"].sum() + view["hidden_stock"])

    @cached_property
    def vector(self) -> Array:
        """The observation as zeros and ones (int8), in its own layout."""
        return self.encode(self.layout)

    @checks_objects
    def encode(self, layout: Layout) -> Array:
        """The observation as zeros and ones (int8), in any layout of the same rules."""
        dense = np.zeros((1, layout.size), np.int8)
        features = np.zeros(layout.most, np.int16)
        seats = np.array([self.seat], np.int64)
        encode_views(self.view, self.rules.record, layout.record, seats, features, dense)
        return np.asarray(dense[0])

    @cached_property
    def turns(self) -> list[SeatTurn]:
        """The turns that the seat can play from here (see seat_turns)."""
        return seat_turns(self.as_game()) if self.mask.any() else []

    def as_game(self) -> Game:
        """The view as a game to try actions in: without the hidden cards, and without playing forced actions."""
        return unchecked_game(self.view[0], self.rules, skip_forced=False)

    def determinizations(self, count: int, rng: np.random.Generator) -> list[Game]:
        """Complete games that agree with everything the seat knows, drawn uniformly: for a search of your own."""
        return [unchecked_game(record, self.rules) for record in sample_determinizations(self, count, rng)]

    def __getitem__(self, key: str) -> Array:
        """The vector for "observation", the mask for "action_mask"."""
        if key == "observation":
            return self.vector
        if key == "action_mask":
            return self.mask
        raise KeyError(f"{short_repr(key)}: an observation has 'observation' and 'action_mask'")

    def __repr__(self) -> str:
        return (
            f"Observed({short_repr(self.rules.name)}, seat={self.seat}, legal={[action_text(a) for a in self.legal()]})"
        )


@checks_objects
def observe(game: Game, seat: int | None = None, *, memory: str = "perfect") -> Observed:
    """The observation of a seat (default: the one that decides). memory: of face-down piles, perfect or none."""
    seat = game.seat if seat is None else seat
    seat = int_in(seat, "seat", 0, game.rules.players - 1)
    view = np.empty(1, GAME)
    write_view(game.records, 0, game.rules_record, seat, MEMORIES.index(one_of(memory, "memory", MEMORIES)), view, 0)
    mask = game.mask() if seat == game.seat else np.zeros_like(game.mask())
    return Observed(game.rules, seat, view, mask)


# --- determinizations ---


class NoDeterminizationError(ValueError):
    """No game agrees with what the seat knows: the position cannot come from play."""


@checks_objects
def sample_determinizations(observed: Observed, count: int, rng: np.random.Generator) -> Array:
    """Draw `count` records of games that agree with an observation."""
    if not isinstance(rng, np.random.Generator):
        raise ValueError(f"rng = {short_repr(rng)}; it must be a generator, such as numpy.random.default_rng(1)")
    games = np.empty(int_in(count, "count", 0), GAME)
    seed = int(rng.integers(2**63))
    drawn = complete_many(observed.view, observed.rules.record, observed.seat, np.uint64(seed), games)
    if drawn < count:
        raise NoDeterminizationError(f"no game is consistent with what seat {observed.seat} knows")
    return games


def determinize(game: Game, seat: int, rng: np.random.Generator, *, memory: str = "perfect") -> Game:
    """Draw a complete game uniformly from those that agree with everything the seat knows."""
    sample = sample_determinizations(observe(game, seat, memory=memory), 1, rng)
    return unchecked_game(sample[0], game.rules, skip_forced=game.skip_forced)


# --- what actions reveal ---


def done_since(before: Game, after: Game) -> list[int]:
    """The actions that lead from `before` to `after`, forced ones included."""
    return [action for _, action, _ in after.log[len(before.log) :]]


def has_learnt(before: Game, actions: list[int], seat: int) -> bool:
    """Whether the seat could learn from these actions: whether it would see anything else if hidden cards were
    different. They include forced ones, because other cards may force another action."""
    work, done = np.empty(WORK, GAME), np.array(actions, np.int16)
    return bool(learns(before.records, before.rules_record, seat, done, work))


# --- turns, found without hidden cards (Game.turns() knows every card) ---


class SeatTurn(NamedTuple):
    text: str
    actions: list[int]  # without the final END, which can be played later


@checks_objects
def seat_turns(game: Game) -> list[SeatTurn]:
    """The turns of the seat that decides, one per result, most captured cards first; if too many, its legal actions.

    A turn goes on until it may end, another seat decides, or the seat sees a new card. In the last two cases its text
    ends with three dots.
    """
    start, row, unsure = game.records, game.rules_record, int(observe(game).view["shuffled"][0])
    try:
        found = find_turns(start, row, AS_THE_SEAT_SEES, unsure=unsure)
    except TooManyTurnsError:
        return [SeatTurn(action_text(action), [action]) for action in game.legal()]
    ends = (found.records["turns"] != start["turns"]) | (found.records["deals"] != start["deals"])
    ways = [
        actions[:-1] if over and actions[-1] == END and actions[1:] else actions
        for over, actions in zip(ends, found.turns, strict=True)
    ]
    turns, words = [], turn_texts(start, row, ways)
    for here, over, rest, word in zip(found.records, ends, ways, words, strict=True):
        text = word or actions_text(rest)
        gained = int(here["piles"][game.seat]).bit_count() - int(start["piles"][0, game.seat]).bit_count()
        rank = (rest == [END], any(DISCARD <= action < CAPTURE for action in rest), -gained, text)
        turns.append((rank, SeatTurn(text if over else f"{text} ...", rest)))
    alike = Counter(turn.text for _, turn in turns)
    return [
        turn if alike[turn.text] == 1 else SeatTurn(f"{turn.text} [{actions_text(turn.actions)}]", turn.actions)
        for _, turn in sorted(turns)
    ]


def moment(records: Record) -> tuple[int, int, int]:
    """The numbers of the deal and the turn, and the seat that decides."""
    return int(records["deals"][0]), int(records["turns"][0]), int(records["actor"][0])


def turn_words(game: Game, actions: list[int]) -> str:
    """The actions as the text of a turn; if they have no visible effect, such as a no, their names."""
    return turn_text(game.records, game.rules_record, actions) or actions_text(actions)


def actions_text(actions: list[int]) -> str:
    return "; ".join(map(action_text, actions))
