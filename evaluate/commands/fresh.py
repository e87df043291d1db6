"""casino evaluate fresh: how well agents play games whose rules nobody has read."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from casino_env.agents.base import check_agent
from casino_env.agents.files import out_file
from casino_env.agents.registry import name_of
from casino_env.evaluate.commands.options import add_command, add_threads, check_apart, ended, keep_table, keeping
from casino_env.evaluate.exam import PARTS
from casino_env.evaluate.fresh.proving import RUNGS
from casino_env.evaluate.fresh.scoring import Row, Score, play, ranked
from casino_env.evaluate.fresh.sets import OURS, FreshSet, make_set, read_set
from casino_env.evaluate.matches.pairing import entrant
from casino_env.evaluate.progress import interruptible, progress
from casino_env.rules import Rules


def add_parsers(commands: Any) -> None:
    one = add_command(
        commands, "fresh", run_fresh, "points over the ladder of bots in games whose rules nobody has read"
    )
    one.add_argument("agents", nargs="*", metavar="AGENT", help="agents to score; none: describe the set")
    one.add_argument("--deals", type=int, default=100, help="each is played against three bots in both seats (100)")
    one.add_argument("--part", choices=PARTS, default=PARTS[0], help="of the set; keep held-out for the end (public)")
    one.add_argument("--set", type=Path, default=OURS, metavar="FILE", help="another set than the project's")
    one.add_argument("--make", type=out_file, metavar="FILE", help="draw a set of your own, or continue this one")
    one.add_argument("--count", type=int, default=40, help="with --make: number of games (40)")
    one.add_argument("--seed", type=int, default=0, help="seed of the deals and of agents; with --make: of the set")
    one.add_argument("--out", type=out_file, metavar="FILE", help="keep the deals of one agent here, and resume them")
    add_threads(one)


def run_fresh(args: argparse.Namespace) -> int:
    if args.make:
        try:
            with progress(f"{args.make}", args.count) as show:
                found = make_set(args.make, args.seed, args.count, args.threads, show)
        except KeyboardInterrupt:
            print("evaluate: interrupted; run the same command to go on", file=sys.stderr)
            return 1
    else:
        found = read_set(args.set)
    games = found.rules("all" if args.make else args.part)
    if not args.agents:
        _tell(args, found, games)
        return 0
    if args.out and len(args.agents) > 1:
        raise ValueError("--out needs exactly one agent")
    check_apart(args)
    played = list[Score]()
    with keeping(played) as stopped:
        for spec in args.agents:
            played.append(_score(args, spec, games))
            if played[-1].ended:
                break
    scores = ranked(played)
    rows = [score.to_json() for score in scores]
    for row, score, better in zip(rows[1:], scores[1:], scores, strict=False):
        row["behind"] = better.over(score).to_json()
    head = {"seed": found.seed, "hash": found.hash, "part": args.part, "games": len(games)}
    with keep_table(args, rows):
        print(json.dumps(head | {"scores": rows}, allow_nan=False) if args.json else _table(head, rows))
    return ended(stopped | played[-1].ended)


def _score(args: argparse.Namespace, spec: str, games: list[Rules]) -> Score:
    who = entrant(spec)
    for rules in games:
        check_agent(who.agent, rules)
    rows = list[Row]()
    with progress(who.name, args.deals) as show, interruptible(lambda: len(rows)) as stopped:
        for row in play(who, games, args.deals, args.seed, args.threads, args.out):
            rows.append(row)
            show(len(rows), "")
    return Score(who.name, rows, stopped)


# --- words -----------------------------------------------------------------------------------------------------------


def _tell(args: argparse.Namespace, found: FreshSet, games: list[Rules]) -> None:
    refused = sum("unfit" in row for row in found.rows)
    head = {"seed": found.seed, "hash": found.hash, "part": args.part, "unfit": refused}
    if args.json:
        print(json.dumps(head | {"games": [rules.choices() for rules in games]}))
        return
    print(f"seed {found.seed}, hash {found.hash}: {len(found.rules())} games, {refused} others were rejected")
    for rules in games:
        changes = ", ".join(
            f"{name}={value}" for name, value in rules.choices().items() if name not in ("name", "players")
        )
        print(f"{rules.name}: {changes}")


def _table(head: dict[str, Any], rows: list[dict[str, Any]]) -> str:
    lines = [
        "set {seed}, {hash}: {games} games, {part}; points a deal over ".format(**head) + ", ".join(RUNGS),
        f"{'agent':<28} {'points':>14} {' '.join(f'{rung:>8}' for rung in RUNGS)}  endings  behind the one above",
    ]
    for row in rows:
        over = " ".join(f"{row['over'][rung]:+8.2f}" for rung in RUNGS)
        behind = _behind(row["behind"]) if "behind" in row else ""
        points, lost = row["points"], row["lost in endings"]["mean"]
        said = (
            f"{name_of(row['agent'])[:28]:<28} {points['mean']:+6.2f} {_half(points):>7} {over}  {lost:7.3f}  {behind}"
        )
        lines.append(said.rstrip())
        if "interrupted" in row:
            lines.append("    interrupted after {deals} deals".format(**row))
        if "replies" in row:
            lines.append("    {replies} replies, {refused} of them refused, {forfeits} turns forfeited".format(**row))
    return "\n".join(lines)


def _behind(found: dict[str, float | None]) -> str:
    unclear = found["low"] is None or found["low"] <= 0
    return f"{found['mean']:.2f} {_half(found)}{', not clear' if unclear else ''}"


def _half(found: dict[str, float | None]) -> str:
    low, mean = found["low"], found["mean"]
    return "" if low is None or mean is None else f"± {mean - low:.2f}"
