"""Match each scripted bot with the next weaker one, by game: a table in Markdown."""

from __future__ import annotations

import argparse
import itertools
import json
from typing import Any

from benchmarks.horizon import line
from casino_env.agents.registry import ladder
from casino_env.agents.which_game import chosen_rules, names_game
from casino_env.evaluate.commands.options import add_game, add_threads
from casino_env.evaluate.matches.deals import make_book
from casino_env.evaluate.matches.match import match
from casino_env.rules import Rules, make_rules

Row = dict[str, Any]

GAMES = (
    *(
        (name, 2)
        for name in ("south-african", "khasino", "kasa", "swazi", "sotho", "african", "cassino", "royal", "triple-s")
    ),
    ("stealing-bundles", 2),
    *((name, 3) for name in ("south-african", "khasino", "kasa", "swazi", "cassino")),
    *(
        (name, 4)
        for name in ("south-african", "cassino", "khasino", "kasa", "swazi", "sotho", "african", "partnership")
    ),
    ("california", 6),
)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks ladder", description=__doc__)
    add_game(parser, deals=2000)
    add_threads(parser)
    parser.add_argument("--json", action="store_true", help="print JSON, a line for each row")
    args = parser.parse_args(arguments)
    games = [chosen_rules(args)] if names_game(args) else [make_rules(*game) for game in GAMES]
    steps = list(dict.fromkeys(_step(*pair) for rules in games for pair in itertools.pairwise(ladder(rules))))
    if not args.json:
        print(f"{line('game', *steps)}\n{line(*['---'] * (1 + len(steps)))}")
    for rules in games:
        row = _climb(rules, args)
        print(json.dumps(row) if args.json else _text(row, steps), flush=True)
    return 0


def _text(row: Row, steps: list[str]) -> str:
    found = {_step(one["b"], one["a"]): f"{one['diff']:.2f} ± {one['diff'] - one['low']:.2f}" for one in row["steps"]}
    return line(row["game"], *(found.get(step, "") for step in steps))


def _step(worse: str, better: str) -> str:
    return f"{better} over {worse}"


def _climb(rules: Rules, args: argparse.Namespace) -> Row:
    book = make_book(rules, args.deals, args.seed)
    steps = itertools.pairwise(ladder(rules))
    rows = [match(b, a, seed=book.seed, threads=args.threads, book=book).to_json() for a, b in steps]
    return {"game": f"{rules.name} {rules.players}{', partners' * rules.partners}", "steps": rows}
