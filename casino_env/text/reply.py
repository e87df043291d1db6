"""Parse a model's reply into actions: find a turn or an action in its text, or refuse it with a one-line message.

Moves in JSON come first, then those after a mark such as `Turn: ...`, then the last line that reads like a move. Words
are only looked up and the engine checks legality, so any text is safe input.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from casino_env.actions import (
    ACTIONS,
    BUILD,
    CAPTURE,
    CAPTURE_HIGH,
    CARD,
    COUNT_OUT,
    DISCARD,
    END,
    NO,
    RAISE,
    YES,
    action_text,
)  # fmt: skip
from casino_env.cards import RANKS, SUITS, card_name, parse_card
from casino_env.engine.state import COMPLETE, IDLE, SET
from casino_env.observed import Observed, actions_text, moment
from casino_env.text.prompt import Unit, choices
from casino_env.text.vocabulary import Vocabulary
from casino_env.validate import checks_objects, of_kind, short_repr

_LONGEST = 8_000  # last characters of a reply that are read
_MOST_LINES = 40  # last lines, marks or JSON objects that are read
_MOST_SHOWN = 12  # most legal turns in a message


class Reply(NamedTuple):
    """A parsed reply."""

    actions: list[int]  # to play in this order; empty if the reply is refused
    why: str = ""  # why it is refused, in one line, with legal moves


@checks_objects
def parse(
    reply: str, observed: Observed, *, unit: Unit = "turn", listed: bool = False, vocabulary: Vocabulary | None = None
) -> Reply:
    """Parse the reply to a prompt that was made with the same settings."""
    reader, reply = _Reader(observed, unit, listed), of_kind(reply, "reply", str)
    for candidate in _candidates(reply, vocabulary):
        if found := reader.read(candidate):
            return Reply(found.actions, vocabulary.said(found.why) if vocabulary else found.why)
    why = f"no {unit} found in {short_repr(reply.strip()[-60:])}; {reader.legal()}"
    return Reply([], vocabulary.said(why) if vocabulary else why)


# --- finding texts that may be a move ---------------------------------------------------------------------------------

_KEYS = r"turn|action|move|answer|play"
_OBJECT = re.compile(r"\{[^{}]{0,2000}\}")  # without nested objects, which are no move
_MARKED = re.compile(
    rf"(?:^|[\s*])(?:final )?(?:{_KEYS})\**\s*[:=]\s*([^\n]+)|<(?:{_KEYS})>([^<]+)<|\\boxed\{{([^{{}}]+)\}}"
    r"|\[([^\[\]\n]+)\]",
    re.IGNORECASE,
)
_MARKS = re.compile(r"^[\s>#•-]+|[`\"'$]|\*\*|(?<=[\w*)\]])[.!\s]+$")


def _candidates(reply: str, vocabulary: Vocabulary | None) -> Iterator[str]:
    """Texts that may be a move, the most likely first."""
    text = unicodedata.normalize("NFKC", reply[-_LONGEST:])[-_LONGEST:]
    for found in reversed([*_OBJECT.finditer(text)][-_MOST_LINES:]):
        yield from (_meant(line, vocabulary) for line in _from_json(found[0]))
    marked = [next(filter(None, found)) for found in _MARKED.findall(text)]
    lines = [line for line in text.splitlines() if line.strip()]
    for line in [*marked[: -_MOST_LINES - 1 : -1], *lines[: -_MOST_LINES - 1 : -1]]:
        yield _meant(line, vocabulary)


def _meant(line: str, vocabulary: Vocabulary | None) -> str:
    return vocabulary.meant(line) if vocabulary else line


def _from_json(text: str) -> Iterator[str]:
    try:
        data: dict[str, Any] = json.loads(text)
    except (ValueError, RecursionError):
        return
    for key, value in data.items():
        parts = value if isinstance(value, list) else [value]
        if key.lower() in _KEYS.split("|") and all(type(part) in (str, int) for part in parts):
            yield "; ".join(str(part)[:_LONGEST] for part in parts)


# --- reading a text as a move ----------------------------------------------------------------------------------------

# Phrases to replace before single words are looked up.
_PHRASES = [
    (re.compile(pattern), said)
    for pattern, said in (
        (r"\*|\.\.\.|\(?(?:of |from )?(?:the )?pile(?: of)?(?: seat)? \d\)?", " "),
        (r"\b(?:make|lay|begin|start|create)s? (?:a |the )?(?:new )?build of (\d+)", r" build \1 "),
        (r"\b(\d+)-build|\bbuild of (\d+)", r" standing\1\2 "),
        (r"\bas (?:14|fourteen)\b|\bhigh\b", " high "),
        (r"\bcount out\b", " claim "),
        (r"\bnot granted\b|\bfor my partner\b", " no "),
        (
            r"\bgranted\b|\bfor me\b|\bthe partner asks for it\b|\ban opponent insists on (?:the capture|adding)",
            " yes ",
        ),
        (r"\blays? (?:down )?", " discard "),
        (r"\b10(?=[shdc]\b)", "t"),
    )
]
_SUITS = str.maketrans("♠♥♦♣♤♡♢♧", "shdcshdc")
_RANKS = "ace two three four five six seven eight nine ten jack queen king"
_NAMES = dict(zip(_RANKS.split(" "), RANKS.lower(), strict=True))
_NAMED = re.compile(rf"\b({'|'.join(_NAMES)}|\d+) of (spade|heart|diamond|club)s?\b")
_TOKEN = re.compile(r"[a2-9tjqk][shdc]\b|standing\d{1,2}|\d+|[^\W\d_]+|\S")
_ACTIONS = {action_text(action).lower(): action for action in range(ACTIONS)}
_CARD = re.compile(r"\b[a2-9tjqk][shdc]\b")
_VERBS = {
    "discard": "discard discards drop drops trail drift",
    "capture": "capture captures capturing take takes taking",
    "build": "build builds building add adds adding",
    "raise": "raise raises raising",
    "card": "card pick use",
    "end": "end pass",
    "yes": "yes",
    "no": "no",
    "claim": "claim",
}
_VERB = {form: verb for verb, forms in _VERBS.items() for form in forms.split()}
_FILLERS = """
the a an i and then with from of to my your in it its on onto set sets worth using play down card cards hand loose table
turn value by also , ; : = + | ( ) . ! -
"""
_PLAIN = {"end": END, "yes": YES, "no": NO, "claim": COUNT_OUT}


@dataclass
class _Clause:
    """A verb with the cards, numbers and standing builds that it names."""

    verb: str
    high: bool = False
    cards: list[int] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    standing: list[int] = field(default_factory=list)


def _clauses(text: str) -> list[_Clause]:
    """Parse a text into clauses; [] if it has anything that belongs to no move."""
    text = text.lower().translate(_SUITS)
    text = _NAMED.sub(lambda found: (_NAMES.get(found[1]) or found[1]) + found[2][0], text)
    for pattern, said in _PHRASES:
        text = pattern.sub(said, text)
    clauses = [_Clause("")]
    for token in _TOKEN.findall(text):
        now = clauses[-1]
        if _CARD.fullmatch(token):
            now.cards.append(parse_card(token.upper()))
        elif token.startswith("standing") and token[8:].isdecimal() and 1 <= int(token[8:]) <= 14:
            now.standing.append(int(token[8:]))
        elif token == "high":
            now.high = True
        elif token.isdecimal() and len(token) <= 2 and 1 <= int(token) <= 14:
            now.numbers.append(int(token))
        elif token in _VERB and not (token == "card" and now.verb not in ("", "card", "end", "yes", "no")):
            if _VERB[token] != "capture" or now.verb != "capture":  # `capture with 9H; taking 5D, 4S`
                clauses += [_Clause(_VERB[token])]
        elif token not in _FILLERS.split():
            return []
    first, *rest = clauses
    if rest:
        rest[0].cards[:0] = first.cards  # `play 9H to take 5D`
    elif first.numbers and "to" in text.split()[:1]:
        rest, first.verb = [first], "build"  # `to 9`, after a raise
    return rest if all(map(_is_whole, rest)) else []


def _is_whole(clause: _Clause) -> bool:
    """Whether the clause names what its verb needs."""
    if clause.verb in ("build", "raise"):
        return bool(clause.numbers)
    return clause.verb in _PLAIN or bool(clause.cards or (clause.verb == "capture" and clause.standing))


# --- trying a move ---------------------------------------------------------------------------------------------------


class _IllegalError(ValueError):
    """The move is illegal: why."""


# Sort keys to try, highest first: by rank, by card (equal ranks in one order), or as named (for a pile).
_ORDERS: tuple[Callable[[int], int], ...] = (lambda card: card >> 2, int, lambda card: 0)


class _Reader:
    """Reads the replies of one seat in one position."""

    def __init__(self, observed: Observed, unit: Unit, listed: bool) -> None:
        self.observed, self.unit, self.listed = observed, unit, listed
        self.texts = choices(observed, unit)

    def legal(self) -> str:
        """The legal moves for a message, at most _MOST_SHOWN."""
        more = len(self.texts) - _MOST_SHOWN
        return f"legal: {' | '.join(self.texts[:_MOST_SHOWN])}" + (f" and {more} more" if more > 0 else "")

    def read(self, text: str) -> Reply | None:
        """Read a candidate; None if it does not read like a move."""
        while text != (text := _MARKS.sub("", text).strip()):
            pass
        number = re.fullmatch(rf"(?:(?:{_KEYS}|option|number|no)\.?\s*)?#?(\d{{1,5}})", text, re.IGNORECASE)
        if number and self.listed:
            return self._numbered(int(number[1]), text)
        known = {_plain(each): at for at, each in enumerate(self.texts)}
        if (at := known.get(_plain(text), -1)) >= 0:
            return self._numbered(at + 1, text)
        if self.unit == "turn" and (actions := self._spelt(text)):
            return Reply(actions)
        clauses = _clauses(text)
        if not clauses:
            return None
        if self.unit == "action":
            named = [action for action in self.observed.legal() if _clauses(action_text(action)) == clauses]
            return Reply(named, "" if named else f"{short_repr(text)} is illegal; {self.legal()}")
        why = ""
        for order in _ORDERS:
            trial = _Trial(self.observed, order)
            try:
                trial.follow(clauses)
                return Reply(trial.done)
            except _IllegalError as error:
                found = self.legal() if not trial.done else f"legal then: {actions_text(trial.game.legal())}"
                why = why or f"{short_repr(text)}: {error}; {found}"
        return Reply([], why)

    def _spelt(self, text: str) -> list[int]:
        """Actions written out in full, if all are legal in this order; else []."""
        names = [" ".join(part.split()) for part in text.lower().strip("; ").split(";")]
        try:
            return _Trial(self.observed).played([_ACTIONS[name] for name in names])
        except (KeyError, ValueError):
            return []

    def _numbered(self, number: int, text: str) -> Reply:
        if not 1 <= number <= len(self.texts):
            return Reply([], f"{text}: numbers are 1 to {len(self.texts)}; {self.legal()}")
        if self.unit == "action":
            return Reply([self.observed.legal()[number - 1]])
        turn = self.observed.turns[number - 1]
        return Reply(_Trial(self.observed).played(turn.actions, ends=not turn.text.endswith("...")))


def _plain(text: str) -> str:
    return " ".join(text.lower().replace("*", "").replace("...", "").split())


class _Trial:
    """Plays actions on a copy of the game as the seat sees it."""

    def __init__(self, observed: Observed, order: Callable[[int], int] = int) -> None:
        self.game, self.seat, self.order = observed.as_game(), observed.seat, order
        self.begun, self.done = moment(self.game.records), list[int]()
        self.side = self.game.rules.side(self.seat)

    def do(self, action: int) -> None:
        if not self.may(action):
            raise _IllegalError(f"{action_text(action)} is illegal{'' if self.mine else ': the turn is over'}")
        self.game.apply(action)
        self.done.append(action)

    def played(self, actions: Iterable[int], ends: bool = True) -> list[int]:
        for action in actions:
            self.do(action)
        if ends:
            self.end()
        return self.done

    @property
    def mine(self) -> bool:
        return not self.game.over and moment(self.game.records) == self.begun

    def may(self, action: int) -> bool:
        return self.mine and action in self.game.legal()

    def end(self) -> None:
        """End the turn if possible: an `end` played before may only have ended a choice of cards."""
        if self.game.record["mode"] == IDLE and self.may(END):
            self.do(END)

    def follow(self, clauses: list[_Clause]) -> None:
        """Play the clauses of a turn and end it; raise _IllegalError if that fails."""
        if not self.may(YES):  # in `for me; build 9 = 5D + 4S` the answer is due after the build
            clauses = sorted(clauses, key=lambda clause: clause.verb in ("yes", "no"))
        for clause in clauses:
            self._follow(clause)
        if not self.done:
            raise _IllegalError("that is already done")
        self.end()

    def _follow(self, clause: _Clause) -> None:
        if clause.verb in _PLAIN:
            if not (clause.verb == "end" and (self.done[-1:] == [END] or not self.mine)):
                self.do(_PLAIN[clause.verb])
        elif clause.verb in ("discard", "card"):
            for card in clause.cards:
                self.do(card + (DISCARD if clause.verb == "discard" else CARD))
        else:
            self._gather(clause)

    def _gather(self, clause: _Clause) -> None:
        """Play a set, a raise or a capture: its first action, then the cards that forced actions have not picked."""
        if self._lacking(clause) or self._standing(clause) or not (clause.cards or clause.standing):
            self._begin(clause)
        for value in clause.standing:
            if self.may(BUILD + value - 1):
                self.do(BUILD + value - 1)
        while (lacking := self._lacking(clause)) and self.mine:
            card = next((card for card in lacking if self.may(CARD + card)), -1)
            if card >= 0:
                self.do(CARD + card)
            elif clause.verb == "build" and self.may(BUILD + clause.numbers[0] - 1):
                self.do(BUILD + clause.numbers[0] - 1)  # begin the next of several sets
            else:
                raise _IllegalError(f"{card_name(lacking[0])} cannot be part of it")
        if self.mine and (standing := self._standing(clause)):
            raise _IllegalError(f"it does not take the {standing[0]}-build")
        took = clause.standing or any(card != self.game.record["hand_card"] for card in clause.cards)
        if clause.verb == "capture" and took and self.game.record["mode"] != IDLE and self.may(END):
            self.do(END)  # capture nothing else

    def _begin(self, clause: _Clause) -> None:
        mode, value = int(self.game.record["mode"]), clause.numbers[-1] if clause.numbers else 0
        if clause.verb == "capture":
            if mode in (IDLE, COMPLETE):
                if not clause.cards:
                    raise _IllegalError("the capturing card is missing")
                plays = [CAPTURE_HIGH + card if clause.high and card < len(SUITS) else CAPTURE + card
                         for card in clause.cards]  # fmt: skip
                self.do(next((play for play in plays if self.may(play)), plays[0]))
        elif clause.verb == "build":
            if not (mode == SET and self.game.record["open_value"] == value):
                self.do(BUILD + value - 1)
        else:
            self.do(RAISE + clause.numbers[0] - 1)
            if clause.numbers[1:]:
                self.do(BUILD + value - 1)
            elif clause.cards:  # raise to the value of the cards
                self.do(next((action for action in self.game.legal() if BUILD <= action < RAISE), END))

    def _standing(self, clause: _Clause) -> list[int]:
        """The builds that the clause takes and that still stand."""
        now = self.game.record
        return [value for value in clause.standing if now["build_top"][value] >= 0 and not now["take_build"]]

    def _lacking(self, clause: _Clause) -> list[int]:
        """The cards of the clause that are not yet where it puts them."""
        now = self.game.record
        there = int(now["picked"]) | (1 << int(now["hand_card"]) if now["hand_card"] >= 0 else 0)
        if clause.verb == "capture":
            mine = [seat for seat in range(self.game.rules.players) if self.game.rules.side(seat) == self.side]
            there |= int(np.bitwise_or.reduce(now["piles"][mine])) | int(now["required"])
        else:
            there |= int(now["build_cards"][clause.numbers[-1]])
        lacking = [card for card in clause.cards if not there >> card & 1]
        return sorted(lacking, key=self.order, reverse=True)
