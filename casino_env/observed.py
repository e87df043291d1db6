"""What a seat knows: one decision as an agent gets it (the vector, the mask and a record of what it may know), games
that agree with it, drawn at random, what its own actions have taught it, and the turns that it can play."""

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
from casino_env.validate import int_in, one_of, short_repr


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
        actions: list[int] = self.mask.nonzero()[0].tolist()
        return actions

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
        seats = np.array([self.seat], np.int64)
        encode_views(self.view, self.rules.record, layout.record, seats, features, dense)
        return np.asarray(dense[0])

    @cached_property
    def turns(self) -> list[SeatTurn]:
        """What the seat can do from here, turn by turn (seat_turns)."""
        return seat_turns(self.as_game()) if self.mask.any() else []

    def as_game(self) -> Game:
        """The view to try actions in: what the seat does not know is not there, and nothing is played on."""
        return unchecked_game(self.view[0], self.rules, skip_forced=False)

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
    view = np.empty(1, GAME)
    write_view(game.records, 0, game.rules_record, seat, MEMORIES.index(one_of(memory, "memory", MEMORIES)), view, 0)
    mask = game.mask() if seat == game.seat else np.zeros_like(game.mask())
    return Observed(game.rules, seat, view, mask)


# --- games that agree with it ---


class NoDeterminizationError(ValueError):
    """Nothing agrees with what the seat knows: the position cannot come from play."""


def sample_determinizations(observed: Observed, count: int, rng: np.random.Generator) -> Array:
    """Records of games that agree with an observation."""
    games = np.empty(int_in(count, "count", 0), GAME)
    seed = int(rng.integers(2**63))
    drawn = complete_many(observed.view, observed.rules.record, observed.seat, np.uint64(seed), games)
    if drawn < count:
        raise NoDeterminizationError(f"no game agrees with what seat {observed.seat} knows")
    return games


def determinize(game: Game, seat: int, rng: np.random.Generator, *, memory: str = "perfect") -> Game:
    """A complete game drawn uniformly from those that agree with all that the seat knows."""
    sample = sample_determinizations(observe(game, seat, memory=memory), 1, rng)
    return unchecked_game(sample[0], game.rules, skip_forced=game.skip_forced)


# --- what has been learnt ---


def done_since(before: Game, after: Game) -> list[int]:
    """The actions that made the one game of the other, those that it played by itself too."""
    return [action for _, action, _ in after.log[len(before.log) :]]


def has_learnt(before: Game, actions: list[int], seat: int) -> bool:
    """Would the seat see something else after these actions, if what it could not see before were otherwise? Among them
    are those that the game plays by itself: in another world it may be another that is without alternative."""
    work, done = np.empty(WORK, GAME), np.array(actions, np.int16)
    return bool(learns(before.records, before.rules_record, seat, done, work))


# --- turns, found without looking at what the seat cannot see: Game.turns() knows every card ---


class SeatTurn(NamedTuple):
    text: str
    actions: list[int]  # without the end of the turn, which can wait


def seat_turns(game: Game) -> list[SeatTurn]:
    """One for each result, those that take most first; the legal actions instead where turns are too many.

    They go on until they may end, somebody else decides, or the seat sees a card that it did not know (then they close
    with three dots).
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
    """The deal, the turn, and who decides."""
    return int(records["deals"][0]), int(records["turns"][0]), int(records["actor"][0])


def turn_words(game: Game, actions: list[int]) -> str:
    """The actions in notation; those that do nothing that can be seen, such as a no, by their names."""
    return turn_text(game.records, game.rules_record, actions) or actions_text(actions)


def actions_text(actions: list[int]) -> str:
    return "; ".join(map(action_text, actions))
