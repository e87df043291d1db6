"""Exams: positions with a judged loss for every complete turn, to measure how much the turns of an agent lose.

`python -m benchmarks exam` makes the papers, one file for each game. Deals with even numbers are public; those with odd
numbers are held out from training.
"""

from __future__ import annotations

import gzip
import json
import time
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from casino_env.actions import ACTIONS_VERSION
from casino_env.agents.base import Watcher, planned_turn
from casino_env.arrays import Array
from casino_env.compiler.types import allocate
from casino_env.engine.afterstates import DEPTH, Afterstates
from casino_env.engine.complete_turns import follow_turn
from casino_env.envs.options import generator
from casino_env.evaluate.matches.deals import make_book
from casino_env.evaluate.matches.intervals import Interval, interval
from casino_env.evaluate.matches.pairing import blamed, entrant
from casino_env.evaluate.progress import interruptible, progress
from casino_env.game import Game
from casino_env.observed import observe
from casino_env.rules import RULES_VERSION, Rules, rules_of
from casino_env.validate import check_least, closest

PAPERS = Path(__file__).parent / "papers"
FORMAT = "casino-exam 1"
PHASES = ("opening", "middle", "ending")  # thirds of the turns of a deal
PARTS = ("public", "held-out", "all")
UNIT = 100  # losses are integers in hundredths of a point


@dataclass(frozen=True)
class Question:
    """A position at the beginning of a turn, as a row of the file."""

    deal: int  # number of the deal in the book of the exam's seed
    phase: int  # index in PHASES
    played: list[int]  # the decisions since the deal
    by: str  # the judge: the solver, lookahead or play-outs
    playouts: int  # most play-outs of a turn
    turns: list[list[int]]  # for every turn, best first: loss, half of its 95 % interval, then its actions


@dataclass
class Paper:
    """All questions of a game, with the head of the file."""

    name: str
    head: dict[str, Any]
    questions: list[Question] = field(default_factory=list)

    @cached_property
    def rules(self) -> Rules:
        return rules_of(self.head["variant"], self.head["players"], self.head["rules"])

    def start(self, question: Question) -> Game:
        return Game(self.rules, seed=make_book(self.rules, question.deal + 1, self.head["seed"]).seeds[-1])

    def position(self, question: Question) -> Game:
        game = self.start(question)
        for action in question.played:
            game.apply(action)
        return game

    def encoded(self) -> bytes:
        """The bytes of the file, a line for each question; equal papers give equal bytes."""
        rows = [self.head, *([q.deal, q.phase, q.played, q.by, q.playouts, q.turns] for q in self.questions)]
        text = "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)
        return gzip.compress(text.encode(), mtime=0)


def new_paper(name: str, rules: Rules, seed: int, judge: dict[str, Any]) -> Paper:
    return Paper(
        name,
        {
            "format": FORMAT,
            "variant": rules.name,
            "players": rules.players,
            "rules": rules.differences(),
            "rules_version": RULES_VERSION,
            "actions_version": ACTIONS_VERSION,
            "seed": seed,
            "judge": judge,
        },
    )


def papers() -> list[str]:
    return sorted(file.name.removesuffix(".json.gz") for file in PAPERS.glob("*.json.gz"))


def read_paper(name: str) -> Paper:
    if name not in papers():
        raise ValueError(f"unknown exam {name!r}{closest(name, papers())}; known: {', '.join(papers()) or 'none'}")
    head, *rows = map(json.loads, gzip.decompress((PAPERS / f"{name}.json.gz").read_bytes()).splitlines())
    made = tuple(head.get(key) for key in ("format", "rules_version", "actions_version"))
    if made != (FORMAT, RULES_VERSION, ACTIONS_VERSION):
        raise ValueError(f"exam {name} was made for other rules; delete it and run python -m benchmarks exam")
    return Paper(name, head, [Question(*row) for row in rows])


# --- taking an exam --------------------------------------------------------------------------------------------------


class Marker:
    """Looks up the loss of a turn in a question."""

    def __init__(self) -> None:
        self._afterstates, self._path = allocate(Afterstates), np.zeros(DEPTH + 1, np.int16)

    def loss(self, game: Game, question: Question, turn: list[int]) -> float:
        """Return the loss in points; NaN if no turn of the question has the same afterstate."""
        view = observe(game).view
        wanted = self.key(view, game, turn)
        found = (loss for loss, _, *actions in question.turns if self.key(view, game, actions) == wanted)
        return next(found, np.nan) / UNIT

    def key(self, view: Array, game: Game, turn: list[int]) -> int:
        """Return a key that is equal for turns with the same afterstate."""
        row = np.full(DEPTH + 1, -1, np.int16)
        row[: len(turn)] = turn[: DEPTH + 1]
        return int(follow_turn(view, game.rules_record, self._afterstates, row, self._path)[1])


def answer(agent: Any, paper: Paper, question: Question, seed: int) -> tuple[Game, list[int]]:
    """Return the position and the turn that the agent plays there, after it has watched the deal from its seat."""
    game = paper.position(question)
    agent.reset(game.seat, generator(seed, question.deal, game.seat))
    if isinstance(agent, Watcher):
        before = paper.start(question)
        for action in question.played:
            agent.watch(observe(before, game.seat))
            before.apply(action)
    return game, planned_turn(agent, game, whole=True)


@dataclass(frozen=True)
class Marks:
    """How many points the turns of an agent lose, in the order of the questions; NaN where a turn is unknown."""

    agent: str
    paper: str
    part: str
    lost: Array
    phases: Array
    seconds: float
    ended: dict[str, Any]  # by Ctrl-C

    def to_json(self) -> dict[str, Any]:
        by_phase = {name: _numbers(self.lost[self.phases == number]) for number, name in enumerate(PHASES)}
        head = {"agent": self.agent, "game": self.paper, "part": self.part}
        return {**head, **_numbers(self.lost), **by_phase, "seconds": round(self.seconds, 3), **self.ended}

    def more_than(self, other: Marks) -> Interval:
        """How many points a turn it loses more than the other, on the questions that both have answered."""
        many = min(len(self.lost), len(other.lost))
        gaps = self.lost[:many] - other.lost[:many]
        return interval(gaps[~np.isnan(gaps)])


def sit(agent: Any, paper: Paper, *, part: str = "all", most: int | None = None, seed: int = 0) -> Marks:
    """Let an agent take an exam. most: number of questions. Ctrl-C ends it and keeps the answers so far."""
    who = entrant(agent)
    asked = [each for each in paper.questions if part == "all" or PARTS[each.deal % 2] == part]
    many = len(asked) if most is None else min(most, len(asked))
    check_least("positions", many, 2)
    check_least("seed", seed, 0)
    marker, began, lost = Marker(), time.perf_counter(), list[float]()
    with progress(f"{who.name}: {paper.name}", many) as show, interruptible(lambda: len(lost)) as ended:
        for question in asked[:many]:
            with blamed(who.name):
                game, turn = answer(who.agent, paper, question, seed)
            lost.append(marker.loss(game, question, turn))
            show(len(lost), "")
    phases = np.array([each.phase for each in asked[: len(lost)]])
    return Marks(who.name, paper.name, part, np.array(lost), phases, time.perf_counter() - began, ended)


def _numbers(lost: Array) -> dict[str, Any]:
    """The mean loss of the known turns, with its interval. best: the share of them that lose nothing."""
    known = lost[~np.isnan(lost)]
    found = interval(known)._asdict() if len(known) > 1 else dict.fromkeys(Interval._fields)
    best = float(np.mean(known <= 0)) if len(known) else None
    return {"positions": len(lost), "unknown": len(lost) - len(known), **found, "best": best}
