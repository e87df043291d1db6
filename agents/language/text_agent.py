"""An agent by text: a model gets a prompt for each turn, and its replies are parsed as turns.

A reply that is no legal turn is refused with a one-line reason, and the model is asked again. After `tries` refusals in
a row the seat forfeits: the last legal turn is played, or the deal is lost.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol, get_args

import numpy as np

from casino_env.agents.base import ForfeitError
from casino_env.observed import Observed, actions_text, moment
from casino_env.rules import Rules
from casino_env.text import Vocabulary, introduction, moved, parse, situation
from casino_env.turns import turn_text
from casino_env.validate import int_in, of_kind, one_of

Message = dict[str, str]  # role and content
Forfeit = Literal["plays", "loses"]


class Answer(NamedTuple):
    """A model's answer to messages."""

    text: str
    why: str = ""  # why it is refused whatever its text: too slow, empty, cut off
    about: dict[str, Any] = {}  # noqa: RUF012 - read-only; tokens, time and cost, for the transcript


class Model(Protocol):
    name: str

    def answer(self, messages: list[Message]) -> Answer: ...


@dataclass
class Counts:
    """Counts over all copies of an agent in this process."""

    replies: int = 0
    refused: int = 0
    forfeits: int = 0

    def __deepcopy__(self, _: Any) -> Counts:
        return self  # shared: one thread plays all copies of a deal


@dataclass(frozen=True)
class HowAsked:
    """Settings of a game by text (see casino_env.text.TextGame)."""

    tries: int = 2
    forfeit: Forfeit = "plays"
    listed: bool = False
    words: int | None = None
    transcripts: str = ""  # folder with a file per game; "": none

    def __post_init__(self) -> None:
        int_in(self.tries, "tries", 1, 100)
        of_kind(self.listed, "listed", bool)
        of_kind(self.transcripts, "transcripts", str)
        one_of(self.forfeit, "forfeit", get_args(Forfeit))

    @property
    def vocabulary(self) -> Vocabulary | None:
        return None if self.words is None else Vocabulary(int_in(self.words, "words", 0, 2**64 - 1))


@dataclass
class _Dialogue:
    """The state of one game on one seat."""

    before: Observed | None = None  # the seat's observation when it was last asked
    planned: list[int] = field(default_factory=list)  # actions left of its last reply
    file: Path | None = None


class TextAgent:
    def __init__(self, model: Model, how: HowAsked | None = None) -> None:
        self.model, self.counts, self._how = model, Counts(), how or HowAsked()
        self._vocabulary, self._now = self._how.vocabulary, _Dialogue()

    @property
    def name(self) -> str:
        return self.model.name

    def reset(self, seat: int, rng: np.random.Generator) -> None:
        self._now = _Dialogue()

    def act(self, observation: Observed) -> int:
        now = self._now
        same = now.before is not None and moment(now.before.view) == moment(observation.view)
        while same and now.planned:
            action = now.planned.pop(0)
            if observation.mask[action]:  # else the game has played it as a forced action
                return action
        now.planned = self._asked(observation)
        now.before = observation
        return now.planned.pop(0)

    def _asked(self, observed: Observed) -> list[int]:
        """Ask the model; return the actions of its turn, the first of them legal."""
        how: dict[str, Any] = {"listed": self._how.listed, "vocabulary": self._vocabulary}
        done = moved(self._now.before, observed) if self._now.before else []
        introduced = introduction(observed.rules, observed.seat, vocabulary=self._vocabulary)
        messages = [
            {"role": "system", "content": introduced},
            {"role": "user", "content": situation(observed, done, **how)},
        ]
        for _ in range(self._how.tries):
            reply = self.model.answer(messages)
            actions, why = ([], reply.why) if reply.why else parse(reply.text, observed, **how)
            self.counts.replies += 1
            self.counts.refused += bool(why)
            self._note(observed, messages, reply, why, actions)
            if not why:
                return _decisions(observed, actions)
            messages += [
                {"role": "assistant", "content": reply.text[-_KEPT:] or "(nothing)"},
                {"role": "user", "content": f"That was refused: {why}\nAnswer again."},
            ]
        self.counts.forfeits += 1
        if self._how.forfeit == "loses":
            raise ForfeitError(f"{self._how.tries} replies without a legal turn; the last: {why}")
        return _decisions(observed, observed.turns[-1].actions)

    def _note(self, observed: Observed, messages: list[Message], reply: Answer, why: str, actions: list[int]) -> None:
        """Add a reply to the transcript of the game."""
        if not self._how.transcripts:
            return
        if self._now.file is None:
            self._now.file = _new_file(Path(self._how.transcripts))
            _add(self._now.file, _head(self.name, observed.rules, observed.seat) | {"system": messages[0]["content"]})
        did = turn_text(observed.view, observed.rules.record, actions) or actions_text(actions)
        row = {"asked": messages[-1]["content"], "reply": reply.text, "why": why, "did": did}
        _add(self._now.file, row | reply.about)


_KEPT = 4_000  # last characters of a refused reply that are sent back with the refusal


def _decisions(observed: Observed, actions: list[int]) -> list[int]:
    """The actions that are not forced; games play forced ones themselves."""
    game, chosen = observed.as_game(), list[int]()
    for action in actions:
        legal = [] if game.over else game.legal()
        if action not in legal:
            break
        if len(legal) > 1:
            chosen.append(action)
        game.apply(action)
    return chosen


# --- transcripts -----------------------------------------------------------------------------------------------------


def _head(agent: str, rules: Rules, seat: int) -> dict[str, Any]:
    game = {"variant": rules.name, "players": rules.players, "rules": rules.differences()}
    return {"agent": agent, "game": game, "seat": seat}


def _new_file(folder: Path) -> Path:
    """Create a file with a number of its own, even if others write into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    number = sum(1 for _ in folder.glob("*.jsonl"))
    while True:
        number += 1
        path = folder / f"{number:06}.jsonl"
        try:
            path.open("x", encoding="utf-8").close()
        except FileExistsError:
            continue
        return path


def _add(path: Path, row: dict[str, Any]) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")
