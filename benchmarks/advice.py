"""Measure how often the judge of hints and reviews (agents/advise.py) wrongly calls a turn a mistake.

In endings its verdicts, made without the solver, are compared with the solver's. In positions with hidden cards they
are compared with ten times as many play-outs of twice the length. The positions come from games of the medium level of
each game, or of a bot if no policy has learnt it. Every turn that the judge has tried counts.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import count, islice
from typing import Any, Literal

import numpy as np
from scipy.stats import binomtest

from casino_env.agents.advise import advise
from casino_env.agents.base import Agent
from casino_env.agents.policy.shipped import strongest_policy, usable
from casino_env.agents.registry import make_agent
from casino_env.agents.search.verdicts import GAMES, MISTAKE, PRECISION, ROUNDS
from casino_env.engine.state import IDLE
from casino_env.evaluate.progress import interruptible, progress
from casino_env.game import Game
from casino_env.observed import Observed, observe
from casino_env.presets import PRESETS
from casino_env.rules import Rules, make_rules, player_counts
from casino_env.validate import check_least

Kind = Literal["endings", "hidden"]
Row = dict[str, Any]
TIMES = 10  # factor of play-outs for the reference verdicts
_CARDS = (3, 7)  # cards of the fullest hand in an ending
_LONG = 600.0  # time limit in seconds; the number of play-outs ends it earlier
_TO_SOLVE = 60.0  # time limit of the solver, in seconds
_NOISE = 3  # decimals to which points are rounded, against numerical noise


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks advice", description=__doc__)
    parser.add_argument("--endings", type=int, default=300, help="beside the exact solver; 0: none (300)")
    parser.add_argument("--hidden", type=int, default=200, help="beside ten times the play-outs; 0: none (200)")
    parser.add_argument("--playouts", type=int, default=256, help="of the judge, at most (256)")
    parser.add_argument("--seed", type=int, default=0, help="of the positions (0)")
    parser.add_argument("--json", action="store_true", help="print JSON, a line for each kind of position")
    args = parser.parse_args(arguments)
    wanted: list[tuple[Kind, int]] = [("endings", args.endings), ("hidden", args.hidden)]
    for kind, positions in wanted:
        if positions:
            row = false_blames(kind, positions, games=args.playouts, seed=args.seed)
            print(json.dumps(row) if args.json else _text(row), flush=True)
    return 0


def _text(row: Row) -> str:
    rows = {
        "mistakes told of turns that lose no mistake": f"{_percent(row['false'])} of {row['harmless']}",
        "of turns that may lose nothing at all": f"{_percent(row['open blamed'])} of {row['open']}",
        "of all mistakes told": f"{_percent(row['false of blamed'])} of {row['blamed']}",
        "turns that lose a point or more found": _percent(row["found"]),
        "intervals that hold the loss": f"{_percent(row['covered'])} of {row['turns']}",
        "error of a loss, points (root mean square)": f"{row['error']:.2f}",
    }
    head = "{kind}: {positions} positions of seed {seed}, {games} play-outs at most".format(**row)
    return "\n".join([head, *(f"  {name:<43} {value}" for name, value in rows.items())])


def _percent(share: dict[str, float]) -> str:
    return f"{100 * share['mean']:.2f} % ({100 * share['low']:.2f} to {100 * share['high']:.2f})"


def false_blames(kind: Kind, positions: int, *, games: int = GAMES, seed: int = 0) -> Row:
    """Return the results for one kind of position, as plain data. Ctrl-C ends it and keeps the positions so far."""
    check_least(kind, positions, 2)
    found: list[list[list[float]]] = []
    with progress(f"blames in {kind}", positions) as show, interruptible(lambda: len(found)):
        for turns in islice(_judged(kind, games, seed), positions):
            found.append(turns)
            show(len(found), "")
    return {"kind": kind, "games": games, "seed": seed, "positions": len(found), **_numbers(found)}


def _judged(kind: Kind, games: int, seed: int) -> Iterator[list[list[float]]]:
    """Yield for each position the true and the judged losses of its turns."""
    for number in count():
        observed = _position(kind, seed, number)
        turns = _compare(kind, observed, games) if observed else []
        if turns:
            yield turns


def _compare(kind: Kind, observed: Observed, games: int) -> list[list[float]]:
    """Return [true loss, its lower bound, the judge's loss, low and high of its interval] of each turn tried."""
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


def _position(kind: Kind, seed: int, number: int) -> Observed | None:
    """Return the beginning of a turn with a choice from this deal, if it has one."""
    rng = np.random.default_rng([seed, number])
    games = [(name, seats) for name in PRESETS for seats in player_counts(name) if kind == "hidden" or seats == 2]
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
        return None
    return found[0] if kind == "endings" else found[int(rng.integers(len(found)))]


@cache
def _player(rules: Rules) -> Agent:
    name = f"{strongest_policy(rules)}-medium"
    agent: Agent = make_agent(f"policy:{name}" if name in usable() else "counter")
    return agent


# --- numbers ---------------------------------------------------------------------------------------------------------


def _numbers(positions: Sequence[list[list[float]]]) -> Row:
    """Return the error rates. harmless: turns that lose less than a mistake; open: turns that may lose nothing."""
    turns = np.array([turn for turns in positions for turn in turns]).reshape(-1, 5)
    loss, sure, told, low, high = turns.T
    blamed, harmless, open_ = low > MISTAKE, loss < MISTAKE, sure <= 0.0
    covered = (low <= loss) & (loss <= high)
    return {
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
    """Return a share with Wilson's 95 % interval."""
    if not whole:
        return {"mean": 0.0, "low": 0.0, "high": 1.0}
    interval = binomtest(part, whole).proportion_ci(method="wilson")
    return {
        "mean": round(part / whole, 5),
        "low": round(float(interval.low), 5),
        "high": round(float(interval.high), 5),
    }
