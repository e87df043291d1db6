"""casino evaluate regret: what an agent loses in endings, against exact play."""

from __future__ import annotations

import argparse
import json
from typing import Any

from casino_env.evaluate.commands.options import add_rules, rules_of
from casino_env.evaluate.regret import regret
from casino_env.evaluate.results import as_json


def add_parser(commands: Any) -> None:
    parser = commands.add_parser("regret", help="points that an agent loses in endings, against exact play")
    parser.add_argument("agent", metavar="AGENT")
    parser.add_argument("--against", metavar="AGENT", help="who plays the other seat; without it the agent itself")
    add_rules(parser)
    parser.add_argument("--endings", type=int, default=100, help="deals that are judged (100)")
    parser.add_argument("--cards", type=int, default=4, help="most cards in a hand (4)")
    parser.add_argument("--worst", type=int, default=10, help="so many of the worst positions are listed (10)")
    parser.add_argument("--seed", type=int, default=0, help="fixes the deals and all that agents draw (0)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    rules = rules_of(args)
    found = regret(rules, args.agent, args.endings, args.cards, against=args.against, seed=args.seed, worst=args.worst)
    print(as_json(found) if args.json else as_text(found))
    return 0


def as_text(found: dict[str, Any]) -> str:
    lines = [
        "{agent} against {against}: {variant}, {endings} endings, at most {cards} cards a hand".format(**found),
        "{decisions} decisions, {unsolved} more not judged, {seconds:.1f} s".format(**found),
    ]
    for name in ("lost a decision", "lost a deal", "mistakes"):
        item = found[name]
        lines.append(f"  {name:<16} {item['mean']:8.4f}   {item['low']:.4f} .. {item['high']:.4f}")
    for row in found["worst"]:
        lines += ["", f"lost {row['lost']}: {row['chosen']} instead of {' or '.join(row['best'])}"]
        lines.append(json.dumps(row["position"]))
    return "\n".join(lines)
