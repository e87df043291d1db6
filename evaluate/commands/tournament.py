"""casino evaluate tournament: everybody against everybody, with ratings."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from casino_env.agents.files import write_file
from casino_env.evaluate.commands.options import add_game, add_workers, deals_of, rules_of
from casino_env.evaluate.matches.books import make_book
from casino_env.evaluate.matches.cluster import Cluster
from casino_env.evaluate.matches.tournament import (
    Failure,
    Settings,
    Tournament,
    load_tournament,
    planned,
    play_tournament,
)
from casino_env.evaluate.matches.workers import Processes
from casino_env.evaluate.progress import progress
from casino_env.evaluate.ratings.standings import as_text, standings


def add_parser(commands: Any) -> None:
    parser = commands.add_parser("tournament", help="round robin with ratings; goes on from what its folder holds")
    parser.add_argument("agents", nargs="*", metavar="AGENT", help="none: look at what the folder holds")
    add_game(parser)
    parser.add_argument("--out", metavar="DIR", required=True, help="where everything is kept")
    parser.add_argument("--trust", action="store_true", help="the folder may name agents with code of their own")
    add_workers(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    folder = Path(args.out)
    interrupted = False
    if args.agents:
        interrupted = _play(args, folder)
    tournament = load_tournament(folder)
    found = standings(tournament)
    write_file(folder / "standings.json", (json.dumps(found, indent=1) + "\n").encode())
    print(json.dumps(found) if args.json else as_text(found))
    if not args.agents:
        _say(tournament)
    if interrupted:
        print("evaluate: interrupted; the same command goes on from here", file=sys.stderr)
    return 1 if interrupted or tournament.failures else 0


def _play(args: argparse.Namespace, folder: Path) -> bool:
    """Whether it was interrupted."""
    rules = rules_of(args)
    deals = deals_of(args)
    make_book(rules, deals, args.seed or 0)  # what is refused leaves nothing behind
    wanted = Settings(tuple(args.agents), rules.name, rules.players, rules.differences(), args.seed or 0, deals)
    settings = planned(folder, wanted, trust=args.trust)

    def watch(done: int, failure: Failure | None) -> None:
        show(done, "")
        if failure:
            print(f"evaluate: {failure}", file=sys.stderr, flush=True)

    try:
        workers = Cluster(args.ray, args.limit) if args.ray else Processes(args.threads, args.limit)
        with workers, progress("deals", len(settings.pairs()) * deals) as show:
            play_tournament(folder, wanted, workers, watch, trust=args.trust)
    except KeyboardInterrupt:
        return True
    return False


def _say(tournament: Tournament) -> None:
    for failure in tournament.failures:
        print(f"evaluate: {failure}", file=sys.stderr)
