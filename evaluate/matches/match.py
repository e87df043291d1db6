"""A match between two agents: duplicate deals until the book or the sequential test ends."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from casino_env.arrays import Array
from casino_env.evaluate.matches.cluster import Cluster
from casino_env.evaluate.matches.deals import Book, DealsFile, PlayedDeals, Settings, make_book, summed_up
from casino_env.evaluate.matches.duplicate import seatings
from casino_env.evaluate.matches.intervals import Interval, SequentialTest, interval
from casino_env.evaluate.matches.luck import chosen_judge
from casino_env.evaluate.matches.pairing import Pairing
from casino_env.evaluate.matches.workers import Processes, Threads, Workers
from casino_env.evaluate.progress import progress
from casino_env.rules import RULES_VERSION, Rules, make_rules

PIECE = 250  # deals that are played in one batch and saved together


@dataclass(frozen=True)
class MatchResult:
    """The result of a match for agent a; low and high are the 95 % interval of diff (infinite for one deal)."""

    a: str
    b: str
    variant: str
    players: int
    deals: int
    games: int
    diff: float
    low: float
    high: float
    win_a: float
    win_b: float
    draw: float
    seed: int
    seconds: float
    rules: dict[str, Any]  # switches that differ from the preset
    by_deal: PlayedDeals = field(repr=False, compare=False)
    judge: str = ""  # the judge of the luck that was subtracted from diff, low and high

    @property
    def plain(self) -> Interval:
        """The difference with its interval before luck was subtracted."""
        return interval(self.by_deal.diff)

    @property
    def worth(self) -> float:
        """The factor of deals that a match without a judge would need for the same precision."""
        left = np.var(self.by_deal.fair)
        return float(np.var(self.by_deal.diff) / left) if left > 0 else 1.0

    def _repr_html_(self) -> str:
        """Show the result in a notebook, like a row of `casino evaluate report`."""
        between = f"{self.low:+.2f} to {self.high:+.2f}" if math.isfinite(self.low) else "-"
        cells = {
            "match": f"{self.a} over {self.b}", "game": f"{self.variant}, {self.players} players",
            "points a deal": f"{self.diff:+.2f}", "95 % interval": between, "wins": f"{self.win_a:.1%}",
            "deals": f"{self.deals:,}",
        }  # fmt: skip
        heads, row = ("".join(f"<{tag}>{escape(text)}</{tag}>" for text in line) for tag, line in
                      (("th", cells), ("td", cells.values())))  # fmt: skip
        return f"<table><thead><tr>{heads}</tr></thead><tbody><tr>{row}</tr></tbody></table>"

    def to_json(self) -> dict[str, Any]:
        row = {key: value for key, value in self.__dict__.items() if key not in ("by_deal", "judge")}
        if self.judge:
            row["control"] = {"judge": self.judge, "plain": self.plain.to_json(), "worth": self.worth}
        _, low, high = Interval(self.diff, self.low, self.high).to_json().values()
        return row | {"low": low, "high": high}


class Contest:
    """A match in progress between two agents: specs, objects or entrants. result() works at any time.

    out: a file that keeps the deals; those that it already holds are not played again. judge: estimates the luck that
    is subtracted from the points ("": none, "auto": the best judge for the game).
    """

    def __init__(
        self, agents: tuple[Any, Any], book: Book, *, seed: int = 0, mirrored: bool = False,
        out: str | Path | DealsFile = "", judge: str = "",
    ) -> None:  # fmt: skip
        self.book, self.mirrored, self.seconds = book, mirrored, 0.0
        judge = chosen_judge(book.rules, judge)
        self.pairing = Pairing.of(book.rules, agents, seatings(book.rules, mirrored), seed, judge)
        self.deals = PlayedDeals.none(judged=bool(judge))
        self._shared = isinstance(out, DealsFile)
        self._file = out if isinstance(out, DealsFile) else DealsFile(out, write=True) if out else None
        if self._file:
            try:
                a, b = self.pairing.agents
                self._number = self._file.take_up((a.name, b.name), self._settings())
                self.deals = self._file.deals(self._number, self._settings()).first(len(book))
            except BaseException:
                self.close()
                raise

    def _settings(self) -> Settings:
        (a, b), rules = self.pairing.agents, self.book.rules
        return {
            "variant": rules.name, "players": rules.players, "rules": rules.differences(),
            "rules_version": RULES_VERSION, "seed": self.pairing.seed, "mirrored": self.mirrored,
            "weights": [a.digest, b.digest], "judge": self.pairing.judge,
        }  # fmt: skip

    def play(self, workers: Workers, test: SequentialTest | None = None) -> Iterator[PlayedDeals]:
        """Play until the book or the test ends; yield all deals so far after each piece."""
        began, before, left = time.perf_counter(), self.seconds, self._results(workers)
        while not test or test.verdict(self.deals.fair) == "open":
            if (results := next(left, None)) is None:
                return
            deals = summed_up(results, self.pairing.seatings)
            if self._file:
                begin = len(self.deals)
                self._file.add(self._number, begin, self.book.seeds[begin : begin + len(deals)], deals)
            self.deals = self.deals.and_then(deals)
            self.seconds = before + time.perf_counter() - began
            yield self.deals

    def _results(self, workers: Workers) -> Iterator[Array]:
        """Yield the results of the remaining deals, [deal, game, column], a piece at a time.

        The random numbers of agents depend on where a piece begins, so an unfinished piece is replayed from its start.
        """
        size = PIECE if self.pairing.batched() else 1
        seeds, done = self.book.seeds, len(self.deals)
        if done == len(seeds):
            return
        begin = done - done % size
        pieces = [list(seeds[low : low + size]) for low in range(begin, len(seeds), size)]
        for results in workers.play(self.pairing, pieces):
            yield results[done - begin :]
            begin = done

    def result(self) -> MatchResult:
        deals, rules, (a, b) = self.deals, self.book.rules, self.pairing.agents
        mean, low, high = interval(deals.fair)
        win, draw = float(deals.win.mean()), float(deals.draw.mean())
        return MatchResult(
            a=a.name, b=b.name, variant=rules.name, players=rules.players,
            deals=len(deals), games=len(deals) * len(self.pairing.seatings),
            diff=mean, low=low, high=high,
            win_a=_share(win - draw / 2), win_b=_share(1 - win - draw / 2), draw=_share(draw),
            seed=self.pairing.seed, seconds=round(self.seconds, 3), rules=rules.differences(), by_deal=deals,
            judge=self.pairing.judge,
        )  # fmt: skip

    def workers(self, threads: int, ray: str = "") -> Workers:
        """Return threads if both agents decide in batches or one is an object of this process, else processes. ray: the
        address of a cluster to use instead."""
        elsewhere = all(agent.by_name for agent in self.pairing.agents) and not self.pairing.batched()
        if ray:
            return Cluster(ray)
        return Processes(threads) if elsewhere else Threads(threads)

    def close(self) -> None:
        if self._file and not self._shared:
            self._file.close()

    def __enter__(self) -> Contest:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def play_shown(
    contest: Contest, workers: Workers, test: SequentialTest | None = None, seconds: float = math.inf
) -> None:
    """Play a match with a progress bar. seconds: a time limit."""
    what = " - ".join(agent.name for agent in contest.pairing.agents)
    with progress(what, len(contest.book), len(contest.deals)) as show:
        for deals in contest.play(workers, test):
            mean, low, high = interval(deals.fair)
            show(len(deals), f"{mean:+.2f} ({low:+.2f} to {high:+.2f})")
            if contest.seconds >= seconds:
                break


def match(
    a: Any,
    b: Any,
    variant: str | Rules = "south-african",
    players: int = 2,
    deals: int = 1000,
    seed: int = 0,
    threads: int = 1,
    *,
    book: Book | None = None,
    sprt: SequentialTest | None = None,
    judge: str = "",
    **rules: Any,
) -> MatchResult:
    """Play duplicate deals between two agents, each a spec or an object with reset and act (faster: act_many).

    >>> from casino_env.evaluate import match
    >>> found = match("greedy", "random", "swazi", players=2, deals=100, seed=1)
    >>> found.games, found.diff, found.low > 0
    (200, 4.82, True)

    rules: changes to the preset. book: your own game and deals instead. sprt: stop early. judge: subtract luck from
    the points ("auto", "policy:NAME", "bot:NAME"). The result does not depend on threads.
    """
    if book and (rules or (variant, players, deals) != ("south-african", 2, 1000)):
        raise ValueError("book: has its own game and deals; leave out variant, players, deals and rules")
    book = book or make_book(make_rules(variant, players, **rules), deals, seed)
    contest = Contest((a, b), book, seed=seed, judge=judge)
    with Threads(1) if threads == 1 else contest.workers(threads) as workers:
        for _ in contest.play(workers, sprt):
            pass
    return contest.result()


def _share(number: float) -> float:
    return round(number, 9) + 0.0  # not -0.0
