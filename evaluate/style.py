"""How an agent plays: what it does in its turns, what becomes of its builds, where its points come from."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from casino_env.arrays import Array
from casino_env.engine.scoring import CATEGORIES
from casino_env.engine.state import GAME, rules_record
from casino_env.evaluate.matches.deals import Book
from casino_env.evaluate.matches.duplicate import play_deals, seatings
from casino_env.evaluate.matches.pairing import A, Pairing, entrant
from casino_env.evaluate.progress import interruptible, progress
from casino_env.evaluate.tally import COLUMNS, PLAYS, TALLIES, WIDTH, Watched, begin, follow
from casino_env.validate import check_least

_AT_ONCE = 512  # deals in a batch; the same on every machine, so that results are


def style(book: Book, agent: Any, against: Any = None) -> dict[str, Any]:
    """The numbers of the command, as plain data; agents: specs or entrants. Every rate has a 95 % interval, by deal."""
    rules, deals = book.rules, len(book)
    check_least("deals", deals, 2)
    began = time.perf_counter()
    parts: list[Array] = []
    agent, against = entrant(agent), entrant(against) if against else None
    with progress(f"style of {agent.name}", deals) as show, interruptible(lambda: sum(map(len, parts))):
        for counts, mine in counted(book, agent, against):
            parts.append((counts * mine[:, :, None]).sum(axis=1, dtype=np.int64))
            show(sum(map(len, parts)), "")
    by_deal, seats = np.concatenate(parts), rules.players // (rules.sides if against else 1)
    return {
        "agent": agent.name,
        "against": (against or agent).name,
        "variant": rules.name,
        "players": rules.players,
        "deals": len(by_deal),
        "seats": seats,
        "seed": book.seed,
        **_numbers(by_deal, seats),
        "seconds": round(time.perf_counter() - began, 3),
    }


def counted(book: Book, agent: Any, against: Any) -> Iterator[tuple[Array, Array]]:
    """(counts by deal, seat and column, which seats are the agent's) for some deals at a time.

    The agent plays all seats, or one side against another agent, each side in turn.
    """
    rules = book.rules
    rows = seatings(rules) if against else np.full((1, rules.players), A)
    pairing = Pairing.of(rules, (agent, against or agent), rows, book.seed)
    size = _AT_ONCE if pairing.batched() else 1
    for first in range(0, len(book), size):
        deals = list(book.seeds[first : first + size])
        row = np.arange(first, first + len(deals)) % len(rows)
        watched = Watched(
            records=np.zeros(len(deals), GAME), rules=rules_record(rules),
            counts=np.zeros((len(deals), rules.players, WIDTH), np.int16),
            flags=np.zeros((len(deals), 1), np.int64), before=np.zeros(1, GAME),
        )  # fmt: skip
        begin(watched, np.array(deals, np.uint64))
        play_deals(pairing, deals, row, partial(follow, watched))
        yield watched.counts, rows[row] == A


def _numbers(by_deal: Array, seats: int) -> dict[str, Any]:
    """Rates out of the counts of each deal, summed over the agent's seats."""
    part = {name: by_deal[:, start:stop] for name, (start, stop) in COLUMNS.items()}
    tally = {name: part["tallies"][:, i] for i, name in enumerate(TALLIES)}
    deals = np.full(len(by_deal), seats)
    made = part["times"][:, PLAYS.index("build")]
    owned = made + tally["won over"]
    taken = part["when"].sum(axis=0)
    return {
        "turns": {play: ratio(part["turns_with"][:, i], tally["turns"]) for i, play in enumerate(PLAYS)},
        "times": {play: ratio(part["times"][:, i], deals) for i, play in enumerate(PLAYS)},
        "builds": {
            "made": ratio(made, deals),
            "won over": ratio(tally["won over"], deals),
            "drifts": ratio(tally["drifts"], deals),
            "value": ratio(tally["value"], made),
            **{name: ratio(tally[name], owned) for name in ("cashed", "lost", "merged", "left")},
        },
        "points": {
            name: ratio(part["points"][:, i], deals) for i, name in enumerate(CATEGORIES) if part["points"][:, i].any()
        },
        "total": ratio(part["points"].sum(axis=1), deals),
        "steals": {
            name: ratio(tally[name], deals)
            for name in ("stolen cards", "stolen points", "robbed cards", "robbed points")
        },
        "decisions": ratio(tally["decisions"], tally["turns"]),
        "turns a deal": ratio(tally["turns"], deals),
        "captures by turn": [round(float(n) / max(1, taken.sum()), 5) for n in np.trim_zeros(taken, "b")],
    }


def ratio(part: Array, whole: Array) -> dict[str, float]:
    """The sum of part by that of whole, with its 95 % interval: deals are what varies."""
    total = float(whole.sum())
    if not total:
        return {"mean": 0.0, "low": 0.0, "high": 0.0}
    mean = float(part.sum()) / total
    n = len(part)
    error = 1.96 * float(np.sqrt(np.sum((part - mean * whole) ** 2) * n / max(1, n - 1))) / total
    return {"mean": round(mean, 5), "low": round(mean - error, 5), "high": round(mean + error, 5)}
