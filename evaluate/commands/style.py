"""casino evaluate style: how an agent plays."""

from __future__ import annotations

import argparse
from typing import Any

from casino_env.evaluate.commands.options import add_rules, rules_of
from casino_env.evaluate.matches.books import make_book
from casino_env.evaluate.results import as_json
from casino_env.evaluate.style import style


def add_parser(commands: Any) -> None:
    parser = commands.add_parser("style", help="how an agent plays: its plays, builds, points and steals")
    parser.add_argument("agent", metavar="AGENT")
    parser.add_argument("--against", metavar="AGENT", help="who plays the other side; without it the agent itself")
    add_rules(parser)
    parser.add_argument("--deals", type=int, default=1000, help="how many are played, the seats taken by turns (1000)")
    parser.add_argument("--seed", type=int, default=0, help="fixes the deals and all that agents draw (0)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    found = style(make_book(rules_of(args), args.deals, args.seed), args.agent, args.against)
    print(as_json(found) if args.json else as_text(found))
    return 0


_TITLES = {
    "turns": "share of turns with",
    "times": "times a deal",
    "builds": "builds (a deal; mean value; then shares of them)",
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
