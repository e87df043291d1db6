"""casino evaluate match, tournament and baseline: which agent is better."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from casino_env.agents.base import check_agent
from casino_env.agents.files import write_file
from casino_env.agents.policy.shipped import learners
from casino_env.agents.which_game import add_rules, chosen_rules
from casino_env.cli import printable
from casino_env.evaluate.commands.options import (
    add_command,
    add_game,
    add_threads,
    add_workers,
    check_apart,
    ended,
    keep_table,
    warn_of_other_games,
)
from casino_env.evaluate.matches.cluster import Cluster
from casino_env.evaluate.matches.deals import MOST_DEALS, make_book
from casino_env.evaluate.matches.intervals import SequentialTest
from casino_env.evaluate.matches.match import Contest, play_shown
from casino_env.evaluate.matches.pairing import AgentFailedError, entrant
from casino_env.evaluate.matches.tournament import (
    Failure,
    TournamentSettings,
    load_tournament,
    planned,
    play_tournament,
)
from casino_env.evaluate.matches.workers import Processes
from casino_env.evaluate.progress import interruptible, progress
from casino_env.evaluate.ratings import as_text, standings
from casino_env.evaluate.report import readable
from casino_env.evaluate.tables import Row
from casino_env.rules import RULES_VERSION
from casino_env.validate import check_least

REPORTED = ("random", "greedy", "builder", "counter")  # opponents in a baseline, besides the policy of the game
REPORTED_SEED = 2026  # seed of its deals


def add_parsers(commands: Any) -> None:
    one = add_command(
        commands, "match", run_match, "one agent against others, on the same deals: points a deal with a 95 %% interval"
    )
    one.add_argument("agent", metavar="AGENT", help="the agent that plays each of the others")
    one.add_argument("others", nargs="+", metavar="AGENT")
    add_game(one)
    one.add_argument(
        "--sprt", nargs=2, type=float, metavar=("WORSE", "BETTER"),
        help="stop as soon as it is clear which of these differences (points a deal) is closer to the truth",
    )  # fmt: skip
    one.add_argument(
        "--judge",
        default="",
        metavar="auto|policy:NAME|bot:NAME",
        help="subtract the luck of cards dealt later, as this judge estimates it: fewer deals give the same precision",
    )
    one.add_argument("--out", metavar="FILE", help="keep the deals in this file, and resume from it")
    add_workers(one)

    cup = add_command(
        commands, "tournament", run_tournament, "round robin with ratings; goes on from what its folder holds"
    )
    cup.add_argument("agents", nargs="*", metavar="AGENT", help="agents; none: show what the folder holds")
    add_game(cup)
    cup.add_argument("--out", metavar="DIR", required=True, help="folder that keeps all deals and results")
    cup.add_argument("--trust", action="store_true", help="allow a folder that names agents with their own code")
    add_workers(cup)

    baseline = add_command(
        commands, "baseline", run_baseline, "the numbers to report of an agent: fixed opponents, fixed deals"
    )
    baseline.add_argument("agent", help="name, policy:PATH or a class of your own (package.module:Name)")
    add_rules(baseline)
    baseline.add_argument("--deals", type=int, default=2000, help="fewer make a trial, no baseline (2000)")
    add_threads(baseline)
    baseline.set_defaults(ray="")


# --- match ------------------------------------------------------------------------------------------------------------


def run_match(args: argparse.Namespace) -> int:
    check_apart(args)
    if args.out and len(args.others) > 1:
        raise ValueError("--out needs exactly two agents; `tournament` keeps the deals of more")
    first, *rivals = [entrant(spec) for spec in (args.agent, *args.others)]
    test = SequentialTest(*args.sprt) if args.sprt else None
    book = make_book(chosen_rules(args), args.deals, args.seed)
    warn_of_other_games((first, *rivals), book.rules)

    def row_of(contest: Contest) -> Row | None:
        sprt = {"sprt": test.to_json(contest.deals.fair)} if test else {}
        return contest.result().to_json() | sprt if len(contest.deals) else None

    contests = (Contest((first, rival), book, seed=args.seed, out=args.out or "", judge=args.judge) for rival in rivals)
    return _play_each(args, contests, row_of, _match_text, test, alone=len(rivals) == 1)


def _play_each(
    args: argparse.Namespace,
    contests: Iterable[Contest],
    row_of: Callable[[Contest], Row | None],
    text: Callable[[Row], str],
    test: SequentialTest | None = None,
    *,
    alone: bool = False,
) -> int:
    """Play one contest after the other, print the row of each and keep the table; return the exit code. If an agent
    fails, go on with the next contest; Ctrl-C ends all of them. alone: there is only one, so JSON is its row."""
    rows, failed = list[Row](), False
    with keep_table(args, rows):
        with interruptible(lambda: len(rows), 1) as stopped:
            for contest in contests:
                try:
                    with contest, contest.workers(args.threads, args.ray) as workers:
                        play_shown(contest, workers, test)
                except AgentFailedError as error:
                    print(f"evaluate: {printable(str(error))}", file=sys.stderr)
                    failed = True
                finally:
                    if row := row_of(contest):
                        rows.append(row)
                        print("" if args.json else f"{text(row)}\n", end="", flush=True)
        if args.json and rows:
            print(json.dumps(rows[0] if alone else rows, allow_nan=False))
    return ended(stopped) or int(failed)


def _match_text(row: Row) -> str:
    between = "" if row["low"] is None else f" (95 %: {row['low']:+.3f} to {row['high']:+.3f})"
    lines = [
        f"{row['a']} - {row['b']}: {row['diff']:+.3f} points a deal{between}",
        f"    won {row['win_a']:.1%}, lost {row['win_b']:.1%}, drawn {row['draw']:.1%} of {row['games']:,} games: "
        f"{row['deals']:,} deals of {row['variant']}, {row['players']} players, "
        f"seed {row['seed']}; {row['seconds']:.1f} s",
    ]
    if "control" in row:
        lines.append(f"    {_without_judge(**row['control'])}")
    if "sprt" in row:
        lines.append(f"    {_verdict(**row['sprt'])}")
    return "\n".join(lines)


def _without_judge(judge: str, plain: dict[str, float | None], worth: float) -> str:
    between = "" if plain["low"] is None else f" ({plain['low']:+.3f} to {plain['high']:+.3f})"
    points = f"{plain['mean']:+.3f}{between}"
    return f"less luck, as {judge} judges it; with it {points}: as good as {worth:.2f} times as many deals"


def _verdict(worse: float, better: float, verdict: str, **_: float) -> str:
    said = {"better": f"{better:+g} rather than {worse:+g}", "worse": f"{worse:+g} rather than {better:+g}"}
    return f"sequential test: {said.get(verdict, f'not decided between {worse:+g} and {better:+g}')} points a deal"


# --- baseline ---------------------------------------------------------------------------------------------------------


def run_baseline(args: argparse.Namespace) -> int:
    """Print the baseline as a table in Markdown."""
    rules, agent = chosen_rules(args), entrant(args.agent)
    check_least("deals", args.deals, 2, MOST_DEALS)
    check_agent(agent.agent, rules)
    warn_of_other_games([agent], rules)
    book, game = make_book(rules, args.deals, REPORTED_SEED), f"{rules.name} {rules.players}"
    head = f"{agent.name}: {game}, rules version {RULES_VERSION}, {len(book):,} deals of seed {REPORTED_SEED}"
    said = [f"{head}, points a deal with 95 % interval\n", "| over | points |", "| --- | --: |"]

    def text(row: Row) -> str:
        lines = [*said, f"| {row['b']} | {row['diff']:+.2f} ± {row['diff'] - row['low']:.2f} |"]
        said.clear()
        return "\n".join(lines)

    def row_of(contest: Contest) -> Row | None:
        return contest.result().to_json() if len(contest.deals) == len(book) else None  # fewer would be another number

    others = (*REPORTED, *learners().get(rules, [])[:1])
    return _play_each(args, (Contest((agent, other), book, seed=REPORTED_SEED) for other in others), row_of, text)


# --- tournament -------------------------------------------------------------------------------------------------------


def run_tournament(args: argparse.Namespace) -> int:
    folder = Path(args.out)
    interrupted = bool(args.agents) and _play(args, folder)
    tournament = load_tournament(folder)
    found = standings(tournament)
    with keep_table(args, found["ratings"]), keep_table(args, found["pairs"], "-pairs"):
        print(json.dumps(found) if args.json else as_text(readable(found)))
    if args.agents:
        write_file(folder / "standings.json", (json.dumps(found, indent=1) + "\n").encode())
    for failure in () if args.agents else tournament.failures:
        print(f"evaluate: {printable(str(failure))}", file=sys.stderr)
    if interrupted:
        print("evaluate: interrupted; run the same command to go on", file=sys.stderr)
    return 1 if interrupted or tournament.failures else 0


def _play(args: argparse.Namespace, folder: Path) -> bool:
    """Play the tournament; return whether it was interrupted."""
    rules, deals, seed = chosen_rules(args), args.deals, args.seed
    make_book(rules, deals, seed)  # raises ValueError before anything is written
    warn_of_other_games((entrant(spec) for spec in args.agents if spec.startswith("policy:")), rules)
    wanted = TournamentSettings(tuple(args.agents), rules.name, rules.players, rules.differences(), seed, deals)
    total = len(planned(folder, wanted, trust=args.trust).pairs()) * deals

    def watch(done: int, failure: Failure | None) -> None:
        show(done, "")
        if failure:
            print(f"evaluate: {failure}", file=sys.stderr, flush=True)

    try:
        workers = Cluster(args.ray) if args.ray else Processes(args.threads)
        with workers, progress("deals", total) as show:
            play_tournament(folder, wanted, workers, watch, trust=args.trust)
    except KeyboardInterrupt:
        return True
    return False
