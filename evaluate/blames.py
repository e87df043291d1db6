"""How often the judge (agents/advise.py) calls a turn a mistake that is none.

Turns of endings, which it has to judge without the solver, are held beside the solver; turns of positions with hidden
cards beside ten times as many play-outs that go on twice as far. The positions come from play of the medium level of
each game, or of a bot where no policy has learnt it. Every turn that the judge has tried counts as if it had been
played. What has been found is kept in a file, to go on from.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np

from casino_env.agents.advise import GAMES, MISTAKE, PRECISION, advise
from casino_env.agents.base import Agent
from casino_env.agents.files import Journal, read_journal
from casino_env.agents.policy.shipped import strongest_policy, usable
from casino_env.agents.registry import make_agent
from casino_env.agents.search.measuring import ROUNDS
from casino_env.engine.state import IDLE
from casino_env.evaluate.progress import interruptible, progress
from casino_env.game import Game
from casino_env.observed import Observed, observe
from casino_env.presets import PRESETS
from casino_env.rules import Rules, make_rules, player_counts
from casino_env.validate import check_least

Kind = Literal["endings", "hidden"]
Row = dict[str, Any]
TIMES = 10  # as many play-outs
_CARDS = (3, 7)  # of the fullest hand in an ending
_LONG = 600.0  # seconds: what counts is the number of play-outs
_TO_SOLVE = 60.0
_NOISE = 3  # thousandths of a point that are none


def false_blames(kind: Kind, positions: int, *, games: int = GAMES, seed: int = 0, out: Path | None = None) -> Row:
    """The numbers of the command, as plain data; out: keeps what has been found."""
    check_least(kind, positions, 2)
    head = {"format": "casino-blames 1", "kind": kind, "games": games, "seed": seed}
    kept = read_journal(out) if out and out.exists() else []
    if kept[:1] not in ([], [head]):
        raise ValueError(f"{out}: holds others, {kept[0]}; not {head}")
    rows = kept[1 : positions + 1]
    with progress(f"blames in {kind}", positions, len(rows)) as show, interruptible(lambda: len(rows)):
        journal = Journal(out, head) if out else None
        for row in _judged(kind, games, seed, rows[-1]["number"] + 1 if rows else 0):
            if len(rows) >= positions:
                break
            rows.append(row)
            if journal:
                journal.append(row)
            show(len(rows), "")
        if journal:
            journal.close()
    return {"kind": kind, "games": games, "seed": seed, **_numbers(rows)}


def _judged(kind: Kind, games: int, seed: int, number: int) -> Iterator[Row]:
    """Position after position, from a number on: what each turn is said to lose, and what it loses."""
    while True:
        rules, observed = _position(kind, seed, number)
        found = _compare(kind, observed, games) if observed else []
        if found:
            yield {"number": number, "variant": rules.name, "players": rules.players, "turns": found}
        number += 1


def _compare(kind: Kind, observed: Observed, games: int) -> list[list[float]]:
    """[true loss, what is sure of it, the judge's loss, its interval] of each turn that was tried."""
    if kind == "endings":
        truth = advise(observed, seconds=_TO_SOLVE)
        if truth.by != "solver" or any(turn.low != turn.high for turn in truth.turns):
            return []
    told = advise(observed, seconds=_LONG, games=games, solve=False)
    tried = [turn for turn in told.turns if turn.games or kind == "endings"]
    if kind == "hidden":
        more = {"games": TIMES * games, "precision": PRECISION / math.sqrt(TIMES), "rounds": 2 * ROUNDS}
        turns = [turn.actions for turn in tried]
        truth = advise(observed, seconds=_LONG, seed=1, solve=False, also=turns, **more)  # type: ignore[arg-type]
    true = {turn.key: turn for turn in truth.turns}
    rows = [(true[turn.key], turn) for turn in tried if turn.key in true]
    return [[round(x, _NOISE) for x in (a.loss, a.low, b.loss, b.low, b.high)] for a, b in rows if b.low != b.high]


# --- positions -------------------------------------------------------------------------------------------------------


def _position(kind: Kind, seed: int, number: int) -> tuple[Rules, Observed | None]:
    """The beginning of a turn with a choice, if this deal has one."""
    rng = np.random.default_rng([seed, number])
    games = [(name, count) for name in PRESETS for count in player_counts(name) if kind == "hidden" or count == 2]
    rules = make_rules(*games[number % len(games)])
    agent, game = _player(rules), Game(rules, seed=int(rng.integers(2**63)))
    agent.reset(0, rng)
    most, found = int(rng.integers(_CARDS[0], _CARDS[1] + 1)), list[Observed]()
    while not game.over:
        seen, record = observe(game), game.record
        if record["mode"] == IDLE and not record["acted"] and len(seen.legal()) > 1:
            fits = max(int(hand).bit_count() for hand in record["hands"]) <= most
            if bool(seen.hidden) == (kind == "hidden") and (fits or kind == "hidden"):
                found.append(seen)
        game.apply(int(agent.act(seen)))
    if not found or rules.count_out:
        return rules, None
    return rules, found[0] if kind == "endings" else found[int(rng.integers(len(found)))]


@cache
def _player(rules: Rules) -> Agent:
    name = f"{strongest_policy(rules)}-medium"
    agent: Agent = make_agent(f"policy:{name}" if name in usable() else "counter")
    return agent


# --- numbers ---------------------------------------------------------------------------------------------------------


def _numbers(rows: Sequence[Row]) -> Row:
    """harmless: turns that lose less than a mistake does; open: which may lose nothing, for all that is known."""
    turns = np.array([turn for row in rows for turn in row["turns"]]).reshape(-1, 5)
    loss, sure, told, low, high = turns.T
    blamed, harmless, open_ = low > MISTAKE, loss < MISTAKE, sure <= 0.0
    covered = (low <= loss) & (loss <= high)
    return {
        "positions": len(rows),
        "turns": len(turns),
        "harmless": int(harmless.sum()),
        "blamed": int(blamed.sum()),
        "false": share(int((blamed & harmless).sum()), int(harmless.sum())),
        "open": int(open_.sum()),
        "open blamed": share(int((blamed & open_).sum()), int(open_.sum())),
        "false of blamed": share(int((blamed & harmless).sum()), int(blamed.sum())),
        "found": share(int((blamed & (loss >= 1.0)).sum()), int((loss >= 1.0).sum())),
        "covered": share(int(covered.sum()), len(turns)),
        "error": round(float(np.sqrt(np.mean((told - loss) ** 2))), 3) if len(turns) else 0.0,
    }


def share(part: int, whole: int) -> dict[str, float]:
    """With Wilson's 95 % interval."""
    from scipy.stats import binomtest  # which takes a second, of every command of evaluate

    if not whole:
        return {"mean": 0.0, "low": 0.0, "high": 1.0}
    interval = binomtest(part, whole).proportion_ci(method="wilson")
    return {
        "mean": round(part / whole, 5),
        "low": round(float(interval.low), 5),
        "high": round(float(interval.high), 5),
    }
