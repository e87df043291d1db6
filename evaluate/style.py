"""How an agent plays: what it does in its turns, what becomes of its builds, where its points come from."""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

import numpy as np

from casino_env.rules import Rules, make_rules
from casino_env.scoring import CATEGORIES
from evaluate.progress import tracked
from evaluate.tally import COLUMNS, PLAYS, TALLIES
from evaluate.watched import watched

Array = np.ndarray[Any, Any]

HELP = "how an agent plays: its plays, builds, points and steals"


def style(rules: Rules, agent: str, deals: int, *, against: str | None = None, seed: int = 0) -> dict[str, Any]:
    """The numbers of the command, as plain data. Every rate has a 95 % interval, by deal."""
    if deals < 2:
        raise ValueError(f"--deals {deals}: must be 2 or more")
    began = time.perf_counter()
    parts = []
    with tracked(f"style of {agent}", deals) as advance:
        for counts, mine in watched(rules, agent, against, deals, seed):
            parts.append((counts * mine[:, :, None]).sum(axis=1, dtype=np.int64))
            advance(len(mine))
    seats = int(mine[0].sum())
    return {
        "agent": agent,
        "against": against or agent,
        "variant": rules.name,
        "players": rules.players,
        "deals": deals,
        "seats": seats,
        "seed": seed,
        **_numbers(rules, np.concatenate(parts), seats),
        "seconds": round(time.perf_counter() - began, 3),
    }


def _numbers(rules: Rules, by_deal: Array, seats: int) -> dict[str, Any]:
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


# --- the command ---------------------------------------------------------------------------------------------------


def add_parser(commands: Any) -> None:
    parser = commands.add_parser("style", help=HELP, description=HELP)
    parser.add_argument("agent", help="name, name:key=value,... or dotted path")
    parser.add_argument("--against", help="who plays the other side; the agent itself plays all seats without it")
    parser.add_argument("--variant", default="south-african", help="name of a preset (south-african)")
    parser.add_argument("--players", type=int, default=2, help="number of seats (2)")
    parser.add_argument("--deals", type=int, default=1000, help="how many are played (1000)")
    parser.add_argument("--seed", type=int, default=0, help="of the first deal (0)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    rules = make_rules(args.variant, args.players)
    found = style(rules, args.agent, args.deals, against=args.against, seed=args.seed)
    print(json.dumps(found) if args.json else as_text(found))
    return 0


_TITLES = {
    "turns": "share of turns with",
    "times": "times a deal",
    "builds": "builds (a deal; then shares of them)",
    "points": "points a deal",
    "steals": "steals a deal",
}


def as_text(found: dict[str, Any]) -> str:
    head = "{agent} against {against}: {variant}, {players} players, {deals} deals, {seconds:.1f} s".format(**found)
    lines = [head]
    for key, title in _TITLES.items():
        lines += ["", title, *(_row(name, item) for name, item in found[key].items())]
    lines += ["", _row("points, all", found["total"]), _row("decisions a turn", found["decisions"])]
    lines += ["", "captures by the seat's turn", *_bars(found["captures by turn"])]
    return "\n".join(lines)


def _row(name: str, item: dict[str, float]) -> str:
    return f"  {name:<16} {item['mean']:8.3f}   {item['low']:7.3f} .. {item['high']:.3f}"


def _bars(shares: list[float]) -> list[str]:
    most = max(shares, default=0.0) or 1.0
    return [
        f"  {turn:>4} {100 * share:5.1f} %  {'#' * round(40 * share / most)}" for turn, share in enumerate(shares, 1)
    ]
