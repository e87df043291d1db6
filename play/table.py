"""One game between a person and agents: moves, undo, what the person sees. Knows nothing of terminal or web."""

from __future__ import annotations

import hashlib
import itertools
import json
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from casino_env.actions import END, action_text, parse_action
from casino_env.agents.base import Watcher
from casino_env.beliefs import determinize, done_since, has_learnt
from casino_env.cards import card_name, cards_of
from casino_env.engine.state import SORTING
from casino_env.envs.options import generator
from casino_env.game import MAX_SEED, Game
from casino_env.observed import observe
from casino_env.play.counting import ended_deal
from casino_env.play.moves import Move, at_rest, moves, touched
from casino_env.play.names import PERSON, Names, names_of
from casino_env.play.players import Players
from casino_env.play.shapes import MOST_SEATS, SETUP, Kinds, shaped, texts
from casino_env.play.words import move_words
from casino_env.record import write_record
from casino_env.rules import RULES_VERSION, Rules, rules_of
from casino_env.validate import short_repr

FORMAT = "casino-table 2"
_MOST_CHANGES = 10_000  # of a table: a match has some hundred, the rest is moving and taking back
_MOST_ACTIONS = 1_000  # of one change
_ROW: Kinds = {"actions": (list, type(None))}
_MOST_TEXT = 16_384  # characters of a setup that is to be kept


class TableError(ValueError):
    """A wish that cannot be granted; the game is as it was."""


@dataclass(frozen=True)
class Setup:
    """How a game begins; with what is done then, this is all that is saved."""

    variant: str = "south-african"
    players: int = 2
    seats: tuple[str, ...] = (PERSON, "counter")  # the person, or the spec of an agent
    seed: int = 0
    rules: dict[str, Any] = field(default_factory=dict)  # switches that differ from the preset
    match: bool = False
    position: dict[str, Any] | None = None  # begin here rather than with a fresh deal

    def __post_init__(self) -> None:
        if len(self.seats) != self.players:
            raise TableError(f"seats: {len(self.seats)} given for {self.players} players")
        if list(self.seats).count(PERSON) != 1:
            raise TableError(f"seats: exactly one must be {PERSON!r}")
        if type(self.seed) is not int or not 0 <= self.seed <= MAX_SEED:
            raise TableError(f"seed = {short_repr(self.seed)}; it must be a whole number from 0 to 2^64 - 1")
        if len(json.dumps(asdict(self))) > _MOST_TEXT:
            raise TableError(f"a game begins with at most {_MOST_TEXT} characters of rules and position")

    @classmethod
    def from_json(cls, data: Any) -> Setup:
        """From a request or a saved game."""
        data = shaped(data, SETUP, "the beginning of a game")
        seats = texts(data, "seats", MOST_SEATS)
        return cls(**data | {"seats": tuple(seats), "players": data.get("players", len(seats))})

    def begin(self) -> Game:
        if self.position is not None:
            return Game.from_json(self.position, skip_forced=False)
        rules = self.make_rules()
        return Game(rules, seed=self.seed, match=self.match or rules.match_games > 0, skip_forced=False)

    def make_rules(self) -> Rules:
        return rules_of(self.variant, self.players, self.rules)


@dataclass(frozen=True)
class Event:
    """Something that everybody at the table has seen."""

    seat: int
    text: str
    turn: int  # counted from 0; the events of one turn have the same number
    deal: int
    played: tuple[str, ...] = ()  # cards that left the hand
    cards: tuple[str, ...] = ()  # all that it moved
    ended: dict[str, Any] | None = None  # what the deal came to, if one ended with it


class Table:
    """Person and agents around one game. play() and undo() are the person's, advance() is the agents'."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.game = setup.begin()
        if self.game.rules.players != setup.players:
            raise TableError(f"the position has {self.game.rules.players} seats, not {setup.players}")
        self._start = self.game.clone()
        self.person, self.names = setup.seats.index(PERSON), names_of(setup.seats, partners=self.rules.partners)
        self.events: list[Event] = []
        self.changes: list[list[str] | None] = []  # the actions of every step, None where one was taken back
        self._marks: list[tuple[Game, int]] = []  # where the person may go back to: the game, and its number of events

    # --- whose turn ---

    @property
    def rules(self) -> Rules:
        return self.game.rules

    @property
    def version(self) -> int:
        """Another after every change, so that a page can tell whether it is up to date."""
        return len(self.changes)

    @property
    def mine(self) -> bool:
        """The person decides now."""
        return not self.game.over and self.game.seat == self.person

    @property
    def waiting(self) -> bool:
        """An agent decides now: advance() goes on."""
        return not self.game.over and self.game.seat != self.person

    @property
    def decider(self) -> str:
        """The spec of the agent that decides now; empty if none does."""
        return self.setup.seats[self.game.seat] if self.waiting else ""

    @property
    def opponents(self) -> list[str]:
        return [spec for spec in self.setup.seats if spec != PERSON]

    @property
    def can_undo(self) -> bool:
        return bool(self._marks)

    def moves(self) -> list[Move]:
        """What the person can do."""
        return moves(self.game, self.names) if self.mine else []

    # --- playing ---

    def play(self, actions: list[str]) -> None:
        """A move of the person: the actions of one of moves(), or a part of them."""
        ahead = self.game.clone()
        for text in actions:
            if ahead.over:
                raise TableError("the game is over")
            if ahead.seat != self.person:
                raise TableError(f"{text!r}: it is not your turn, {self.names.called[ahead.seat]} decides")
            ahead.apply(parse_action(text))
        while not at_rest(ahead) and len(ahead.legal()) == 1:
            ahead.apply(ahead.legal()[0])
        self._do([action for _, action, _ in ahead.log[len(self.game.log) :]])

    def advance(self, players: Players) -> None:
        """The next move of an agent, up to where something is complete or somebody else decides.

        The agent begins it afresh, and is shown how the game has gone so far, so that the move depends on that alone
        and not on how long somebody has been there.
        """
        if not self.waiting:
            raise TableError("the game is over" if self.game.over else "it is your turn")
        ahead = self.game.clone()
        seat, turns = ahead.seat, _turn_number(ahead)
        agent = players.of(self.setup.seats[seat])
        agent.reset(seat, generator(self.setup.seed, seat, len(ahead.log)))
        self._show_the_past(agent)
        while True:
            legal = ahead.legal()
            ahead.apply(legal[0] if len(legal) == 1 else int(agent.act(observe(ahead))))
            if ahead.over or ahead.seat != seat or _turn_number(ahead) != turns:
                break
            if at_rest(ahead) and ahead.legal() != [END]:
                break
        self._do([action for _, action, _ in ahead.log[len(self.game.log) :]])

    def _show_the_past(self, agent: Any) -> None:
        """To an agent that cares, as its seat has seen it."""
        then = self._start.clone()
        for _, action, _ in self.game.log[len(then.log) :] if isinstance(agent, Watcher) else ():
            agent.watch(observe(then, self.game.seat))
            then.apply(action)

    def undo(self) -> None:
        """Take back the person's last move of the open turn."""
        if not self._marks:
            raise TableError("there is nothing to take back: only moves of your open turn can be")
        self._room()
        self.game, events = self._marks.pop()
        del self.events[events:]
        self.changes.append(None)

    def _room(self) -> None:
        if self.version >= _MOST_CHANGES:
            raise TableError(f"this game has been changed {_MOST_CHANGES:,} times; that is the most")

    def _do(self, actions: list[int]) -> None:
        """One step of whoever decides: it becomes an event, and a moment to come back to if it was the person's."""
        self._room()
        if not actions:
            raise TableError("a move needs at least one action")
        before = self.game
        after = before.clone()
        for action in actions:
            after.apply(action)
        goes_on = not after.over and after.seat == before.seat and _turn_number(after) == _turn_number(before)
        if goes_on and before.seat == self.person and not has_learnt(before, done_since(before, after), self.person):
            self._marks.append((before, len(self.events)))
        else:
            self._marks.clear()
        self.events.append(_event(before, after, actions, self.names))
        self.game = after
        self.changes.append([action_text(action) for action in actions])

    # --- what is shown ---

    def position(self) -> dict[str, Any]:
        """Position JSON. Until the game is over, what the person cannot see is dealt anew, always the same way."""
        if self.game.over:
            return self.game.to_json()
        seen = observe(self.game, self.person).view.tobytes()
        seed = int.from_bytes(hashlib.sha256(seen).digest()[:8], "little")
        return determinize(self.game, self.person, np.random.default_rng(seed)).to_json()

    def record(self) -> str:
        """The game as a record. It says what was dealt, so it is for a game that is over."""
        return write_record(self.setup.seed if self.setup.position is None else self._start, self.game)

    def before(self, number: int) -> Game:
        """The game as it was before event `number`; as it is now if there is none of that number."""
        done: list[list[str]] = []
        for change in self.changes:
            if change is None:
                done.pop()
            else:
                done.append(change)
        game = self._start.clone()
        for text in itertools.chain.from_iterable(done[:number]):
            game.apply(parse_action(text))
        return game

    # --- saving: a head, and a row for each change ---

    def head(self) -> dict[str, Any]:
        setup = asdict(self.setup) | {"seats": list(self.setup.seats)}
        return {"format": FORMAT, "rules_version": RULES_VERSION, "setup": setup}

    def rows(self, first: int = 0) -> list[dict[str, Any]]:
        """The changes from this number on."""
        return [{"actions": change} for change in self.changes[first:]]

    @classmethod
    def from_rows(cls, head: dict[str, Any], rows: list[dict[str, Any]]) -> Table:
        if head.get("format") != FORMAT:
            raise TableError(f"not a saved game: format must be {FORMAT!r}")
        if head.get("rules_version") != RULES_VERSION:
            raise TableError(
                f"saved under rules version {short_repr(head.get('rules_version'))}; this is {RULES_VERSION}"
            )
        table = cls(Setup.from_json(head.get("setup")))
        for number, row in enumerate(rows, 1):
            try:
                table._redo({"actions": []} | shaped(row, _ROW, "a change"))
            except ValueError as error:
                raise TableError(f"change {number}: {error}") from None
        return table

    def _redo(self, row: dict[str, Any]) -> None:
        if row["actions"] is None:
            self.undo()
            return
        actions = [parse_action(text) for text in texts(row, "actions", _MOST_ACTIONS)]
        ahead = self.game.clone()
        for action in actions:
            if ahead.seat != self.game.seat:
                raise TableError(f"{action_text(action)!r}: seat {ahead.seat} decides, and has changes of its own")
            ahead.apply(action)
        self._do(actions)


def _turn_number(game: Game) -> tuple[int, int]:
    return int(game.record["deals"]), int(game.record["turns"])


def _event(before: Game, after: Game, actions: list[int], names: Names) -> Event:
    deal, turn = _turn_number(before)
    over = _turn_number(after)[0] != deal
    return Event(
        seat=before.seat,
        text=move_words(before.records, before.rules_record, actions, names),
        turn=turn,
        deal=deal,
        played=_played(before, actions),
        cards=() if over or before.record["mode"] == SORTING else _moved(before, after, actions),
        ended=ended_deal(before, actions) if over else None,
    )


def _moved(before: Game, after: Game, actions: list[int]) -> tuple[str, ...]:
    return tuple(card_name(card) for card in sorted(touched(before.record, after.record, actions)))


def _played(game: Game, actions: list[int]) -> tuple[str, ...]:
    """Cards that leave the hand, step by step, so that cards drawn at the end of a turn are not taken for them."""
    ahead, seat = game.clone(), game.seat
    gone: list[str] = []
    for action in actions:
        held, turn = int(ahead.record["hands"][seat]), _turn_number(ahead)
        ahead.apply(action)
        if _turn_number(ahead) == turn:
            gone += [card_name(card) for card in cards_of(held & ~int(ahead.record["hands"][seat]))]
    return tuple(gone)
