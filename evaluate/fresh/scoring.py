"""The score of an agent in fresh games: points over each rung of the ladder, in both seats of every deal to cancel most
luck; points lost in endings, by the solver; and how many replies of a text agent are refused."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import stdtrit

from casino_env.agents.files import checksum
from casino_env.agents.language.text_agent import Counts, TextAgent
from casino_env.arrays import Array
from casino_env.evaluate.fresh.proving import CARDS, RUNGS
from casino_env.evaluate.matches.deals import DealsFile, Settings, make_book
from casino_env.evaluate.matches.duplicate import play_game, seatings
from casino_env.evaluate.matches.intervals import LEVEL, Interval
from casino_env.evaluate.matches.pairing import A, Entrant, Pairing
from casino_env.evaluate.matches.workers import while_wanted
from casino_env.evaluate.regret import Endings
from casino_env.game import Game
from casino_env.observed import Observed
from casino_env.rules import RULES_VERSION, Rules
from casino_env.validate import check_least

Row = dict[str, Any]  # the results of a deal


# --- playing ---------------------------------------------------------------------------------------------------------


def play(
    who: Entrant, games: list[Rules], deals: int, seed: int, threads: int, out: Path | None = None
) -> Iterator[Row]:
    """Play deals, alternating between the games; yield a row for each. out: a file that keeps and resumes the rows."""
    check_least("deals", deals, 2)
    check_least("threads", threads, 1)
    if not games:
        raise ValueError("this part of the set has no games")
    rows, over = list[Row](), threading.Event()
    with ExitStack() as opened:
        if out:
            file = opened.enter_context(DealsFile(out, write=True))
            pairing = file.take_up((who.name, "fresh games"), _settings(who, games, seed))
            rows = file.fresh_deals(pairing)[:deals]
        yield from rows
        pool = opened.enter_context(ThreadPoolExecutor(threads))
        opened.callback(pool.shutdown, cancel_futures=True)
        opened.callback(over.set)
        missing = range(len(rows), deals)
        for number, row in zip(missing, pool.map(partial(_deal, who, games, seed, over), missing), strict=True):
            if out:
                file.add_fresh(pairing, number, row)
            yield row


def _settings(who: Entrant, games: list[Rules], seed: int) -> Settings:
    rules = checksum(json.dumps([each.choices() for each in games]).encode())
    return {"games": rules, "rules_version": RULES_VERSION, "seed": seed, "weights": who.digest}


def _deal(who: Entrant, games: list[Rules], seed: int, over: threading.Event, number: int) -> Row:
    rules, mine = games[number % len(games)], who.twin()
    deal = make_book(rules, number // len(games) + 1, seed).seeds[-1]
    counts = mine.agent.counts = Counts() if isinstance(mine.agent, TextAgent) else None
    row: Row = {"game": number % len(games), "points": [], "lost": [], "endings": 0, "unsolved": 0}
    for rung in RUNGS:
        pairing = Pairing.of(rules, (mine, rung), seatings(rules), seed)
        pairing.asked = while_wanted(over)
        row["points"].append(sum(_game(pairing, seating, deal, row) for seating in pairing.seatings) / 2)
    return row | ({} if counts is None else vars(counts))


def _game(pairing: Pairing, seating: Array, deal: int, row: Row) -> int:
    """Play a game; return the agent's points less the opponent's, and add its endings to the row."""
    judge = Endings(CARDS, np.random.default_rng([pairing.seed, deal]))

    def watch(game: Game, seen: Observed, chosen: int) -> None:
        if seating[seen.seat] == A:
            judge.watch(game, seen, chosen)

    points = play_game(pairing, seating, deal, watch).points
    solved = [each.lost for each in judge.decisions if each.values is not None]
    row["lost"].append(sum(solved))
    row["endings"] += len(solved)
    row["unsolved"] += len(judge.decisions) - len(solved)
    seat = int(np.flatnonzero(seating == A)[0])
    return points[seat] - points[1 - seat]


# --- the score -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Score:
    agent: str
    rows: list[Row]
    ended: dict[str, Any] = field(default_factory=dict)  # by Ctrl-C

    @property
    def by_deal(self) -> Array:
        """The points of each deal, as the mean over the rungs."""
        found: Array = np.mean([row["points"] for row in self.rows], axis=1)
        return found

    @property
    def points(self) -> Interval:
        return _within(self.by_deal, self._games)

    @property
    def _games(self) -> Array:
        return np.array([row["game"] for row in self.rows])

    @property
    def refused(self) -> int:
        return sum(row.get("refused", 0) for row in self.rows)

    def over(self, other: Score) -> Interval:
        """The difference in points to another score, on the same deals."""
        many = min(len(self.rows), len(other.rows))
        return _within(self.by_deal[:many] - other.by_deal[:many], self._games[:many])

    def to_json(self) -> dict[str, Any]:
        lost = np.array([np.mean(row["lost"]) for row in self.rows])
        found = {
            "agent": self.agent,
            "deals": len(self.rows),
            "points": self.points.to_json(),
            "over": dict(zip(RUNGS, np.mean([row["points"] for row in self.rows], axis=0).tolist(), strict=True)),
            "lost in endings": _within(lost, self._games).to_json(),
            "endings": sum(row["endings"] for row in self.rows),
            "unsolved": sum(row["unsolved"] for row in self.rows),
        }
        if "replies" in self.rows[0]:
            found |= {name: sum(row[name] for row in self.rows) for name in ("replies", "refused", "forfeits")}
        return found | self.ended


def ranked(scores: Iterable[Score]) -> list[Score]:
    """Sort the scores, best first; ties by fewer refused replies."""
    return sorted(scores, key=lambda score: (-score.points.mean, score.refused))


def _within(values: Array, groups: Array) -> Interval:
    """Return Student's interval for the mean over these fixed games: variance between games does not count."""
    _, where, counts = np.unique(groups, return_inverse=True, return_counts=True)
    mean, free = float(values.mean()), len(values) - len(counts)
    if free < 1:
        return Interval(mean, -math.inf, math.inf)
    left = values - (np.bincount(where, values) / counts)[where]
    half = float(stdtrit(free, (1 + LEVEL) / 2) * np.sqrt((left**2).sum() / free / len(values)))
    return Interval(mean, mean - half, mean + half)
