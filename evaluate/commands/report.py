"""casino evaluate report: everything that is known about some agents on one page."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from casino_env.agents.files import write_file
from casino_env.evaluate.report.charts import charts, write_charts
from casino_env.evaluate.report.facts import facts
from casino_env.evaluate.report.page import gather, grouped, page
from casino_env.evaluate.report.sentences import sentences
from casino_env.evaluate.report.tables import write_tables


def add_parser(commands: Any) -> None:
    parser = commands.add_parser("report", help="one HTML page of all results, and the same as JSON, CSV, SVG and PNG")
    parser.add_argument("paths", nargs="+", metavar="PATH", help="tournament or run folders, JSON of commands, records")
    parser.add_argument("--out", default="report.html", help="the page (report.html); the rest goes to a folder beside")
    parser.add_argument("--title", default="Who plays Casino how well", help="of the page")
    parser.add_argument(
        "--style", type=int, default=500, help="deals for the style of each agent of a tournament (500)"
    )
    parser.add_argument("--games", type=int, default=3, help="sample games of each tournament (3)")
    parser.add_argument("--trust", action="store_true", help="what is given may name agents with code of their own")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    if args.style < 0 or args.style == 1 or args.games < 0:
        raise ValueError("--style must be 0 or at least 2, and --games at least 0")
    out = Path(args.out)
    if out.suffix not in (".html", ".htm"):
        raise ValueError(f"--out {args.out}: the page must be called something.html")
    report, pictures = gather(args.paths, styled=args.style, games=args.games, trust=args.trust)
    drawn = charts(report, grouped(report["styles"]))
    out.parent.mkdir(parents=True, exist_ok=True)
    write_file(out, page(args.title, report, pictures, drawn, facts(_words(args))).encode())
    folder = out.with_suffix("")
    folder.mkdir(exist_ok=True)
    write_file(folder / "report.json", (json.dumps(report, indent=1) + "\n").encode())
    files = [*write_tables(report, folder), *write_charts(drawn, folder)]
    said = [str(out), f"{folder}: report.json and {len(files)} tables and charts", *sentences(report)]
    print(json.dumps(report) if args.json else "\n".join(said))
    return 0


def _words(args: argparse.Namespace) -> list[str]:
    """Of the command line, as far as the page depends on them."""
    return [*args.paths, "--style", str(args.style), "--games", str(args.games)]
