"""casino evaluate profile: how the policies of the project play, what they lose, what can be won from them; kept
beside their weights."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from casino_env.agents.files import parse, read_text
from casino_env.agents.policy.policy_files import change_description, shipped_path
from casino_env.agents.policy.shipped import best, description, learnt
from casino_env.evaluate.commands.strength import SEED, chosen
from casino_env.evaluate.matches.books import make_book
from casino_env.evaluate.regret import regret
from casino_env.evaluate.shapes import MEAN, NUMBER, TEXT, check_shape
from casino_env.evaluate.style import style
from casino_env.rules import Rules

_EXPLOIT = {"agent": TEXT, "seconds": NUMBER, "exploited": MEAN}


def add_parser(commands: Any) -> None:
    parser = commands.add_parser("profile", help="style, regret and exploitability of the policies of the project")
    parser.add_argument("names", nargs="*", metavar="NAME", help="which policies (the best of each training)")
    parser.add_argument("--deals", type=int, default=2000, help="in which style is counted (2000)")
    parser.add_argument("--endings", type=int, default=500, help="that the solver judges, with two players (500)")
    parser.add_argument(
        "--exploits",
        nargs="+",
        type=Path,
        default=[],
        metavar="FILE",
        help="JSON of `train exploit`, to be kept, too",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    found, exploited = {}, exploits(args.exploits)
    for name in chosen(args.names or best()):
        data = description(name)
        if len(learnt(data)) > 1:
            continue  # of many games: none is the one to look at
        counted = profile(f"policy:{name}", learnt(data)[0], args) | exploited.get(f"policy:{name}", {})
        data = description(name)  # anew: counting is long, and others write there, too
        data["profile"] = data.get("profile", {}) | counted
        change_description(shipped_path(name), data)
        found[name] = data["profile"]
        if not args.json:
            print(as_text(name, data["profile"]), flush=True)
    if args.json:
        print(json.dumps(found))
    return 0


def profile(agent: str, rules: Rules, args: argparse.Namespace) -> dict[str, Any]:
    book = make_book(rules, args.deals, SEED)
    found: dict[str, Any] = {"style": style(book, agent, "counter"), "counter": style(book, "counter", agent)}
    if rules.players == 2:
        found["regret"] = regret(rules, agent, args.endings, cards=4, seed=SEED, worst=0)
        found["regret of counter"] = regret(rules, "counter", args.endings, cards=4, seed=SEED, worst=0)
    return found


def exploits(paths: list[Path]) -> dict[str, dict[str, Any]]:
    """What `casino train exploit AGENT --json` has printed into these files, by agent."""
    found = {}
    for path in paths:
        row = parse(read_text(path), str(path))
        try:
            check_shape(row, _EXPLOIT, str(path))
        except ValueError as error:
            raise ValueError(f"{path}: not what `casino train exploit --json` prints ({error})") from None
        kept = {key: row[key] for key in row if key != "responses"}
        found[row["agent"]] = {"exploit": kept | {"minutes": round(row["seconds"] / 60, 1)}}
    return found


def as_text(name: str, found: dict[str, Any]) -> str:
    builds, steals = found["style"]["builds"], found["style"]["steals"]["stolen cards"]
    words = [f"{name}: {builds['made']['mean']:.2f} builds of {builds['value']['mean']:.1f} a deal"]
    words += [f"{steals['mean']:.2f} cards stolen"]
    if "regret" in found:
        words.append(f"{found['regret']['lost a deal']['mean']:.2f} points lost an ending")
    if "exploit" in found:
        words.append(f"exploited for {found['exploit']['exploited']['mean']:+.2f} a deal")
    return ", ".join(words)
