"""casino evaluate style, regret, exam, report and seeds: how an agent plays, what it loses, a page of all results, and
statistics over seeds."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from casino_env.agents.base import check_agent
from casino_env.agents.files import check_folder, out_file, out_folder, write_file
from casino_env.agents.which_game import chosen_rules
from casino_env.evaluate.charts import FORMATS, charts, write_charts
from casino_env.evaluate.commands.options import add_agent, add_command, add_threads, ended, keep_table, keeping
from casino_env.evaluate.exam import PARTS, PHASES, Marks, Paper, papers, read_paper, sit
from casino_env.evaluate.matches.deals import make_book
from casino_env.evaluate.matches.pairing import Entrant, entrant
from casino_env.evaluate.progress import progress
from casino_env.evaluate.regret import regret
from casino_env.evaluate.report import facts, page, read_all, write_tables
from casino_env.evaluate.seeds import TABLES, Setting, cells, differences, figures, play_anew, row_of, settings_of
from casino_env.evaluate.style import style


def add_parsers(commands: Any) -> None:
    how = add_command(commands, "style", run_style, "how an agent plays: its plays, builds, points and steals")
    add_agent(how, "side")
    how.add_argument("--deals", type=int, default=1000, help="number of deals, with rotating seats (1000)")

    lost = add_command(commands, "regret", run_regret, "points that an agent loses in endings, against exact play")
    add_agent(lost, "seat")
    lost.add_argument("--endings", type=int, default=100, help="number of deals to judge (100)")
    lost.add_argument("--cards", type=int, default=4, help="most cards in a hand (4)")
    lost.add_argument("--worst", type=int, default=10, help="number of worst positions to list (10)")

    exam = add_command(commands, "exam", run_exam, "points that an agent's turns lose, in positions that were judged")
    exam.add_argument("agents", nargs="+", metavar="AGENT", help="agents; the others are compared with the first")
    exam.add_argument("--game", nargs="+", metavar="GAME", help=f"games: {', '.join(papers())} (all that it can play)")
    exam.add_argument("--part", choices=PARTS, default="all", help="held-out: positions that no training sees (all)")
    exam.add_argument("--positions", type=int, metavar="N", help="only so many positions of each game, for slow agents")
    exam.add_argument("--seed", type=int, default=0, help="seed of the agents' random choices (0)")

    report = add_command(
        commands,
        "report",
        run_report,
        "one HTML page of all results, and the same as JSON, CSV and charts",
        table=False,
    )
    report.add_argument("paths", nargs="+", metavar="PATH", help="folders of tournaments and runs, JSON of matches")
    report.add_argument(
        "--out", type=out_file, default="report.html", help="the page (report.html); the rest goes to a folder beside"
    )
    report.add_argument("--title", default="Who plays Casino how well", help="title of the page")
    report.add_argument(
        "--charts", nargs="+", choices=FORMATS, default=["svg"], metavar="FORMAT",
        help=f"formats of the charts: {', '.join(FORMATS)} (svg)",
    )  # fmt: skip

    seeds = add_command(
        commands,
        "seeds",
        run_seeds,
        "trainings with several seeds: means with intervals, differences, curves, profiles",
    )
    seeds.add_argument("paths", nargs="+", metavar="PATH", help="folders of runs, or folders that hold such folders")
    seeds.add_argument(
        "--against", nargs="+", default=["counter"], metavar="AGENT",
        help="the rival; without --deals one of run.panel (counter)",
    )  # fmt: skip
    seeds.add_argument("--by", nargs="+", default=[], metavar="SETTING",
                       help="group runs by settings, such as network.hidden (by name)")  # fmt: skip
    seeds.add_argument("--deals", type=int, help="play the final policies of the runs anew, on this many deals")
    seeds.add_argument("--seed", type=int, default=0, help="seed of these deals (0)")
    add_threads(seeds)
    seeds.add_argument("--table", nargs="+", type=out_file, default=[], metavar="FILE",
                       help="write a table for a paper, groups by games: .tex or .csv")  # fmt: skip
    seeds.add_argument("--out", type=out_folder, metavar="FOLDER", help="draw charts into this folder")
    seeds.add_argument("--charts", nargs="+", choices=FORMATS, default=["svg"], metavar="FORMAT",
                       help=f"formats of the charts: {', '.join(FORMATS)} (svg)")  # fmt: skip


# --- style ------------------------------------------------------------------------------------------------------------

_TITLES = {
    "turns": "share of turns with",
    "times": "times a deal",
    "builds": "builds (a deal; mean value; then shares of them)",
    "points": "points a deal",
    "steals": "steals a deal",
}


def run_style(args: argparse.Namespace) -> int:
    found = style(make_book(chosen_rules(args), args.deals, args.seed), args.agent, args.against)
    with keep_table(args, [found]):
        print(json.dumps(found, allow_nan=False) if args.json else _style_text(found))
    return ended(found)


def _style_text(found: dict[str, Any]) -> str:
    lines = ["{agent} against {against}: {variant}, {players} players, {deals} deals, {seconds:.1f} s".format(**found)]
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


# --- regret -----------------------------------------------------------------------------------------------------------


def run_regret(args: argparse.Namespace) -> int:
    rules = chosen_rules(args)
    found = regret(rules, args.agent, args.endings, args.cards, against=args.against, seed=args.seed, worst=args.worst)
    with keep_table(args, [found]):
        print(json.dumps(found, allow_nan=False) if args.json else _regret_text(found))
    return ended(found)


def _regret_text(found: dict[str, Any]) -> str:
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


# --- exam -------------------------------------------------------------------------------------------------------------


def run_exam(args: argparse.Namespace) -> int:
    rows = list[dict[str, Any]]()
    with keep_table(args, rows):
        with keeping(rows) as stopped:
            for row in _exam_rows(args):
                rows.append(row)
                print("" if args.json else f"{_exam_text(row, rows[0]['agent'])}\n", end="", flush=True)
        if args.json:
            print(json.dumps(rows, allow_nan=False))
    return ended(stopped | rows[-1])


def _exam_rows(args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Of each game and agent, until Ctrl-C."""
    agents = [entrant(spec) for spec in args.agents]
    for paper in _fit_papers(args.game, agents):
        marks = list[Marks]()
        for agent in agents:
            marks.append(sit(agent, paper, part=args.part, most=args.positions, seed=args.seed))
            gap = {"more": marks[-1].more_than(marks[0])._asdict()} if len(marks) > 1 else {}
            yield marks[-1].to_json() | gap
            if marks[-1].ended:
                return


def _fit_papers(names: list[str] | None, agents: list[Entrant]) -> list[Paper]:
    """Return the named papers, or all that every agent can play."""
    fit, why = list[Paper](), ValueError("no exams found; make them with python -m benchmarks exam")
    for paper in map(read_paper, names or papers()):
        try:
            for agent in agents:
                check_agent(agent.agent, paper.rules)
            fit.append(paper)
        except ValueError as error:
            why = error
    if not fit or (names and len(fit) < len(names)):
        raise why
    return fit


def _exam_text(row: dict[str, Any], first: str) -> str:
    lines = ["{agent}: {game}, {part}, {seconds:.1f} s   (points lost a turn; share of best turns)".format(**row)]
    for name, item in {"all": row, **{phase: row[phase] for phase in PHASES}}.items():
        if item["mean"] is not None:
            unknown = f", {item['unknown']} turns unknown" if item["unknown"] else ""
            lines.append(f"{_row(name, item)}   {item['best']:.1%} of {item['positions']}{unknown}")
    return "\n".join([*lines, *([_row("more than", row["more"]) + f"   {first}"] if "more" in row else [])])


# --- report -----------------------------------------------------------------------------------------------------------


def run_report(args: argparse.Namespace) -> int:
    out: Path = args.out
    if out.suffix not in (".html", ".htm"):
        raise ValueError(f"--out {out}: must end in .html")
    check_folder(folder := out.with_suffix(""))
    report = read_all(args.paths)
    drawn = charts(report)
    out.parent.mkdir(parents=True, exist_ok=True)
    write_file(out, page(args.title, report, drawn, facts(args.paths)).encode())
    folder.mkdir(exist_ok=True)
    write_file(folder / "report.json", (json.dumps(report, indent=1) + "\n").encode())
    files = [*write_tables(report, folder), *write_charts(drawn, folder, args.charts)]
    said = [str(out), f"{folder}: report.json and {len(files)} tables and charts"]
    print(json.dumps(report) if args.json else "\n".join(said))
    return 0


# --- seeds ------------------------------------------------------------------------------------------------------------


def run_seeds(args: argparse.Namespace) -> int:
    for path in args.table:
        if path.suffix not in TABLES:
            raise ValueError(f"--table {path}: must end in {' or '.join(TABLES)}")
    runs, stopped = read_all(args.paths)["runs"], dict[str, Any]()
    if args.deals is not None:
        done = list[str]()
        with progress("runs", len(runs)) as show, keeping(done) as stopped:
            for name in play_anew(runs, args.against, args.deals, args.threads, args.seed):
                done.append(name)
                show(len(done), name)
        runs = runs[: len(done)]
    groups = {rival: settings_of(runs, rival, args.by) for rival in args.against}
    rows = {rival: [row_of(setting, rival) for setting in settings] for rival, settings in groups.items()}
    apart = [row for rival, settings in groups.items() for row in differences(settings, rival)]
    every = [row for some in rows.values() for row in some]
    said = [*map(_seeds_text, every), *(["", *map(_difference_text, apart)] if apart else [])]
    with keep_table(args, every), keep_table(args, apart, "-differences"):
        print(json.dumps({"groups": every, "differences": apart}) if args.json else "\n".join(said))
    written = list(_write_seeds(args, groups, rows))
    print("" if args.json else "".join(f"{path}\n" for path in written), end="")
    return ended(stopped)


def _write_seeds(
    args: argparse.Namespace, groups: dict[str, list[Setting]], rows: dict[str, list[dict[str, Any]]]
) -> Iterator[Path]:
    """Write the figures and tables that args ask for; yield their paths."""
    for path in args.table:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, TABLES[path.suffix](cells(groups)).encode())
        yield path
    for rival in args.against if args.out else ():
        folder = args.out / re.sub(r"\W+", "-", rival) if len(args.against) > 1 else args.out
        folder.mkdir(parents=True, exist_ok=True)
        yield from write_charts({"seeds": figures(groups[rival], rows[rival], rival)}, folder, args.charts)


def _seeds_text(row: dict[str, Any]) -> str:
    runs = f"{row['runs']} runs" if row["runs"] > 1 else "one run, which has no interval"
    games = f" of {row['games']} games" if row["games"] > 1 else ""
    more = f"; IQM {row['IQM']['mean']:+.2f} ({_between(row['IQM'])})" if "IQM" in row else ""
    between = "" if row["mean"]["low"] is None else f" ({_between(row['mean'])})"
    took = ", ".join(f"{cost:,.{0 if axis == 'decisions' else 1}f} {axis}" for axis, cost in row["cost"].items())
    each = f"; each {took}" if took else ""
    return f"{row['setting']} over {row['against']}, {runs}{games}: {row['mean']['mean']:+.2f}{between}{more}{each}"


def _difference_text(row: dict[str, Any]) -> str:
    games = f", {row['games']} games" if row["games"] > 1 else ""
    how = f"{'by seed' if row['paired'] else 'not paired'}{games}"
    line = f"{row['a']} - {row['b']} over {row['against']}, {how}: {row['diff']['mean']:+.2f}"
    if row["diff"]["low"] is None:
        return f"{line}, without an interval: a group has one run"
    better = row["better"]
    chances = f"{better['mean']:.0%} ({better['low']:.0%} to {better['high']:.0%})"
    return f"{line} ({_between(row['diff'])}); a run of {row['a']} is better in {chances} of cases"


def _between(item: dict[str, float]) -> str:
    return f"{item['low']:+.2f} to {item['high']:+.2f}"
