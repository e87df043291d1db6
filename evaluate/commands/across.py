"""casino evaluate seeds: what runs of several seeds come to, as numbers with intervals and as figures."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from casino_env.evaluate.commands.options import add_command, keep_table
from casino_env.evaluate.report.charts import FORMATS, Chart, Column, Curve, Point, curves, intervals, write_charts
from casino_env.evaluate.report.contents import read_all
from casino_env.evaluate.seeds import STATISTICS, Setting, bootstrap, profile, settings_of

_MARKS = 200  # of a profile


def add_parsers(commands: Any) -> None:
    seeds = add_command(
        commands, "seeds", run_seeds, "trainings with several seeds: interquartile means, learning curves, profiles"
    )
    seeds.add_argument("paths", nargs="+", metavar="PATH", help="folders of runs, or folders of those")
    seeds.add_argument("--against", default="counter", metavar="AGENT", help="of run.panel: points over it (counter)")
    seeds.add_argument("--out", type=Path, metavar="FOLDER", help="draw them as well, into this folder")
    seeds.add_argument("--charts", nargs="+", choices=FORMATS, default=["svg"], metavar="FORMAT",
                       help=f"of the figures: {', '.join(FORMATS)} (svg)")  # fmt: skip


def run_seeds(args: argparse.Namespace) -> int:
    settings = settings_of(read_all(args.paths)["runs"], args.against)
    rows = [row_of(setting, args.against) for setting in settings]
    keep_table(args, rows)
    print(json.dumps(rows) if args.json else "\n".join(map(_text, rows)))
    if args.out:
        args.out.mkdir(parents=True, exist_ok=True)
        for path in write_charts({"seeds": figures(settings, rows, args.against)}, args.out, args.charts):
            print("" if args.json else f"{path}\n", end="")
    return 0


def row_of(setting: Setting, rival: str) -> dict[str, Any]:
    row = {"setting": setting.name, "against": rival, "games": len(setting.tasks), "runs": sum(map(len, setting.final))}
    return row | {name: bootstrap(setting.final, each)[0]._asdict() for name, each in STATISTICS.items()}


def _text(row: dict[str, Any]) -> str:
    found = [
        f"{name} {row[name]['mean']:+.2f} ({row[name]['low']:+.2f} to {row[name]['high']:+.2f})" for name in STATISTICS
    ]
    games = f", {row['games']} games" if row["games"] > 1 else ""
    return f"{row['setting']} over {row['against']}, {row['runs']} runs{games}: {', '.join(found)}"


def figures(settings: list[Setting], rows: list[dict[str, Any]], rival: str) -> list[Chart]:
    over = f"points a deal over {rival}"
    learnt = [Curve(one.name, [Point(x, *y) for x, y in one.curve()]) for one in settings]
    scores = np.concatenate([task for one in settings for task in one.final])
    room = 0.1 * float(np.ptp(scores)) or 0.1
    marks = np.linspace(scores.min() - room, scores.max() + room, _MARKS)
    shares = [
        Curve(one.name, [Point(x, *y) for x, y in zip(marks, profile(one.final, marks), strict=True)])
        for one in settings
    ]
    columns = [Column(name, "{:+.2f}", [row[name] for row in rows]) for name in STATISTICS]
    return [
        Chart("learning curves", curves([("", learnt)], "decisions", f"IQM of {over}")),
        Chart("performance profiles", curves([("", shares)], over, "share of runs above", form="{:.0%}")),
        Chart("at the end", intervals([one.name for one in settings], columns, dots=True)),
    ]
