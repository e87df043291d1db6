"""One game as a Python object, for scripts, search and tests; kernels (engine/entrypoints.py) decide everything.

Modules that most games never need are imported on demand."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

import numpy as np

from casino_env.actions import ACTIONS, action_text, parse_action
from casino_env.arrays import Array, copied
from casino_env.engine import action_set, entrypoints
from casino_env.engine.entrypoints import breakdown, scores
from casino_env.engine.state import GAME, OVER
from casino_env.rules import Rules, make_rules
from casino_env.validate import int_in, short_repr, truth

MAX_SEED = 2**64 - 1
_ROOM = 16  # most actions that one call of the kernel plays


class IllegalActionError(ValueError):
    """An action that is not in the catalogue or not allowed now; the game is unchanged."""


def action_number(value: Any) -> int:
    """The number of an action from any integer type; refuse 3.0, True and the like."""
    try:
        return int_in(value, "action")
    except ValueError:
        raise ValueError(f"an action must be a whole number from 0 to {ACTIONS - 1}, not {short_repr(value)}") from None


def complaint(action: int, seat: int, legal: list[int], why: str = "", where: str = "") -> str:
    """The message for an illegal action. why: the reason if no action is legal. where: such as " in game 3"."""
    name = action_text(action) if 0 <= action < ACTIONS else f"action {short_repr(action)}"
    if not legal:
        return f"{name} is illegal{where}: {why or f'seat {seat} can do nothing'}"
    return f"{name} is illegal{where} for seat {seat}; legal: {', '.join(map(action_text, legal))}"


def seed_number(seed: Any) -> int:
    return int_in(seed, "seed", 0, MAX_SEED)


def random_seed() -> int:
    """A seed for a game that was given none."""
    return secrets.randbits(48)


class Game:
    """A deal (or a match) of a variant, played by applying actions.

    >>> game = Game("swazi", players=2, seed=7, insist_capture="never")
    >>> while not game.over:
    ...     game.apply(game.legal()[0])
    >>> len(game.scores())
    2

    variant: the name of a preset, or Rules of your own. seed: fixes the cards; without one they differ each time, and
    `game.seed` deals them again. match: play deals until the match is decided. skip_forced: the game itself plays an
    action that is the only legal one. changes: fields of Rules that differ from the preset.
    """

    def __init__(
        self,
        variant: str | Rules = "south-african",
        players: int = 2,
        seed: int | None = None,
        *,
        match: bool = False,
        skip_forced: bool = True,
        **changes: Any,
    ) -> None:
        rules = make_rules(variant, players, **changes)
        seed = random_seed() if seed is None else seed_number(seed)
        self._set_up(rules, skip_forced, seed)
        entrypoints.start(self.records, self.rules_record, np.uint64(seed), int(truth(match, "match")))
        self._settle()

    def _set_up(self, rules: Rules, skip_forced: bool, seed: int | None = None) -> None:
        self.rules = rules
        self.seed = seed  # None if the game was not begun from a seed
        self.skip_forced = truth(skip_forced, "skip_forced")
        self.log: list[tuple[int, int, bool]] = []  # (seat, action, begins a turn), forced actions included
        self.rules_record = rules.record  # the form that kernels read
        self.records = np.zeros(1, GAME)  # the game itself; write to it at your own risk
        self._legal: Sequence[int] | None = None  # in the form of action_set.py: the list is rarely needed
        self._done = np.empty((_ROOM, 3), np.int16)  # output of the kernel: the actions of one call

    # --- state ---

    @property
    def record(self) -> Any:
        """The single record in `records` (fields: engine/state.py)."""
        return self.records[0]

    @property
    def seat(self) -> int:
        """The seat that decides now: another seat than the mover while a question inside a turn is open."""
        return int(self.records["actor"][0])

    @property
    def over(self) -> bool:
        """Whether the game is over: no decision is left."""
        return bool(self.records["mode"][0] == OVER)

    @property
    def winner(self) -> int | None:
        """The side that has won the match (or the deal); None while it is undecided, or if it is shared."""
        winner = int(self.records["winner"][0])
        return winner if winner >= 0 else None

    def legal(self) -> list[int]:
        """The legal actions, ascending; empty when the game is over."""
        return action_set.actions_of(self._choices())

    def _choices(self) -> Sequence[int]:
        if self._legal is None:
            self._legal = entrypoints.legal(self.records, self.rules_record)
        return self._legal

    def mask(self) -> Array:
        """The legal actions as 192 zeros and ones."""
        mask = np.zeros(ACTIONS, np.int8)
        mask[self.legal()] = 1
        return mask

    # --- playing ---

    def apply(self, action: int | str) -> None:
        """Play a legal action, given by number or text, and all forced actions that follow.

        >>> game = Game("south-african", seed=1)
        >>> game.apply("discard 2S")
        >>> game.seat
        0

        Raise IllegalActionError and leave the game unchanged if the action is not in game.legal().
        """
        number = parse_action(action) if isinstance(action, str) else action_number(action)
        if not action_set.allows(self._choices(), number):
            raise IllegalActionError(
                complaint(number, self.seat, self.legal(), "the game is over" if self.over else "")
            )
        self._play(number)

    def _play(self, action: int) -> None:
        count, legal = entrypoints.play(self.records, self.rules_record, action, int(self.skip_forced), self._done)
        self.log += [(seat, did, bool(begins)) for seat, did, begins in self._done[:count].tolist()]
        self._legal = legal if self.skip_forced else None
        if count == _ROOM:
            self._settle()

    def _settle(self) -> None:
        """Play forced actions, as long as only one action is legal."""
        if self.skip_forced and len(forced := self.legal()) == 1:
            self._play(forced[0])

    def turns(self) -> list[dict[str, Any]]:
        """Every legal complete turn from here, one per distinct result: text, actions and the position after it."""
        from casino_env.turns import complete_turns

        return complete_turns(self)

    # --- points ---

    def breakdown(self) -> dict[str, list[int]]:
        """Points by category and seat (partners share theirs): final if the deal is over, else secured so far."""
        return breakdown(self.records, self.rules)

    def scores(self) -> list[int]:
        """Points of the deal by seat; partners have the same points."""
        return scores(self.breakdown(), self.rules)

    # --- copies and texts ---

    def clone(self) -> Game:
        """An independent copy; copy.copy and copy.deepcopy do the same."""
        twin = object.__new__(Game)
        twin.rules, twin.skip_forced, twin.seed = self.rules, self.skip_forced, self.seed
        twin.log = list(self.log)
        twin.rules_record = self.rules_record  # shared: read-only
        twin.records = copied(self.records)
        twin._legal, twin._done = self._legal, np.empty_like(self._done)
        return twin

    def __copy__(self) -> Game:
        return self.clone()

    def __deepcopy__(self, _memo: dict[int, Any]) -> Game:
        return self.clone()

    def to_bytes(self) -> bytes:
        """The exact state as bytes; from_bytes() restores the game from them and its rules."""
        return self.records.tobytes()

    @classmethod
    def from_bytes(cls, data: bytes, rules: Rules, *, skip_forced: bool = True) -> Game:
        """Restore a game from to_bytes(); raise ValueError if play could not go on from these bytes."""
        if not isinstance(data, bytes | bytearray | memoryview):
            raise ValueError("a saved game must be bytes")
        if not isinstance(rules, Rules):
            raise ValueError(f"rules are those of make_rules() or of a game, not {short_repr(rules)}")
        if len(data) != GAME.itemsize:
            raise ValueError(f"a saved game must have {GAME.itemsize} bytes, not {len(data)}")
        records = np.frombuffer(bytearray(data), GAME)  # kernels need writable memory
        from casino_env.position import validate_record

        validate_record(records, rules)
        return unchecked_game(records, rules, skip_forced=skip_forced)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Game) and self.rules == other.rules and self.to_bytes() == other.to_bytes()

    def __hash__(self) -> int:
        return hash(self.to_bytes())

    def to_json(self) -> dict[str, Any]:
        """The position as plain data, with all hands; from_json() reads it."""
        from casino_env.position import to_json

        return to_json(self.record, self.rules)

    @classmethod
    def from_json(cls, data: dict[str, Any], *, skip_forced: bool = True) -> Game:
        """The game of a Position JSON. No action is played yet, even a forced one."""
        from casino_env.position import from_json

        record, rules = from_json(data)
        return unchecked_game(record, rules, skip_forced=skip_forced)

    def __str__(self) -> str:
        from casino_env.drawing.scene import table_text

        return table_text(self)

    def _repr_svg_(self) -> str:
        """The table for a notebook, with all hands open."""
        from casino_env.drawing.picture import table_svg

        return table_svg(self)

    def __repr__(self) -> str:
        return f"Game({self.rules.name!r}, players={self.rules.players}, seat={self.seat}, over={self.over})"


def unchecked_game(record: Any, rules: Rules, *, skip_forced: bool = True) -> Game:
    """A game around a copy of a record that a kernel has made; a view works as well.

    Nothing is checked, because search makes thousands of games. Use Game.from_bytes or Game.from_json for data from
    outside.
    """
    game = object.__new__(Game)
    game._set_up(rules, skip_forced)
    game.records[0] = record
    return game
