"""casino evaluate measure WHAT: the matches and counts of which the documents' tables are made."""

from __future__ import annotations

import argparse
import itertools
import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from casino_env.agents.base import check_agent
from casino_env.agents.policy.policy_files import change_description, shipped_path
from casino_env.agents.policy.shipped import best, description, learners, learnt, lower_levels, shipped, title
from casino_env.agents.registry import ladder
from casino_env.evaluate.commands.options import (
    add_command,
    add_game,
    add_rules,
    add_threads,
    add_workers,
    chosen_deals,
    chosen_rules,
    keep_table,
    names_game,
)
from casino_env.evaluate.matches.books import make_book
from casino_env.evaluate.matches.match import Contest, match, play_shown
from casino_env.evaluate.matches.pairing import Entrant, entrant
from casino_env.rules import RULES_VERSION, Rules, closest, make_rules
from casino_env.validate import check_least

Row = dict[str, Any]

UNTAUGHT = (("sotho", 2), ("african", 2))  # games that no policy has learnt: what a policy of many games makes of them
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
# Of the deals: of policies, which no training sees; of what is reported.
SEED, REPORTED_SEED = 1, 2026
REPORTED = ("random", "greedy", "builder", "counter")  # whom every reported agent meets


def add_parsers(commands: Any) -> None:
    measure = commands.add_parser("measure", help="the tables of the documents: strength, baseline, ladder")
    what = measure.add_subparsers(required=True, metavar="WHAT")

    strength = add_command(
        what, "strength", run_strength, "how strong the policies of the project are; kept beside their weights"
    )
    strength.add_argument("names", nargs="*", metavar="NAME", help="which policies (all)")
    strength.add_argument("--against", nargs="+", metavar="AGENT", help="instead of the bots and its own lower levels")
    strength.add_argument("--deals", type=int, default=4000, help="of each match (4000)")
    strength.add_argument("--runs", type=Path, default=Path("runs/strength"), help="keeps the deals (runs/strength)")
    add_workers(strength)

    baseline = add_command(
        what, "baseline", run_baseline, "the numbers to report of an agent: fixed opponents, fixed deals"
    )
    baseline.add_argument("agent", help="name, policy:PATH or a class of your own (package.module:Name)")
    add_rules(baseline)
    baseline.add_argument("--deals", type=int, default=2000, help="fewer are a trial, nothing to report (2000)")
    add_threads(baseline)

    ladder = add_command(what, "ladder", run_ladder, "each scripted bot against the next weaker one, by game")
    add_game(ladder, deals=2000)
    add_threads(ladder)


def _show(
    rows: Iterable[Row],
    text: Callable[[Row], str],
    args: argparse.Namespace,
    head: str = "",
    rows_of: Callable[[Row], list[Row]] = lambda row: [row],
) -> list[Row]:
    """Each as it comes; as JSON or a table all of them in the end. rows_of: of the table."""
    found = []
    for row in rows:
        if not args.json:
            print(f"{head}{text(row)}", flush=True)
        head = ""
        found.append(row)
    keep_table(args, [one for row in found for one in rows_of(row)])
    if args.json:
        print(json.dumps(found))
    return found


# --- policies of the project ------------------------------------------------------------------------------------------


def run_strength(args: argparse.Namespace) -> int:
    def text(row: Row) -> str:
        return f"{row['policy']:<26} {row['game']:<22} {row['against']:<28} {numbers(row)}"

    _show(_strengths(args), text, args)
    return 0


def _strengths(args: argparse.Namespace) -> Iterator[Row]:
    given = [entrant(spec) for spec in args.against or ()]
    for name in _chosen(args.names, shipped()):
        policy = entrant(f"policy:{name}")
        for rules, rival in _meetings(name, given):
            pair, game = (policy, entrant(rival)), title(rules)
            made = "-".join(str(agent.digest)[:8] for agent in pair)
            kept = re.sub("[^A-Za-z0-9=.,-]+", "-", f"{pair[1].name} {game} {made}")
            row = {"game": game, "against": pair[1].name} | kept_match(pair, rules, SEED, f"{name}--{kept}", args)
            _remember(name, row)
            yield {"policy": name, **row}


def _chosen(names: list[str], known: list[str]) -> list[str]:
    """Those that are named, or all."""
    for name in names:
        if name not in known:
            raise ValueError(f"unknown policy {name!r}{closest(name, known)}; known: {', '.join(known)}")
    return names or known


def _meetings(name: str, given: list[Entrant]) -> Iterator[tuple[Rules, Entrant | str]]:
    """The games and opponents of a policy: those that are given, or the usual ones."""
    games = learnt(description(name))
    if len(games) == 1:
        yield from ((games[0], rival) for rival in given or rivals(name, games[0]))
        return
    for rules in (*games, *(make_rules(variant, players) for variant, players in UNTAUGHT)):
        specialists = [f"policy:{other}" for other in best() if learnt(description(other)) == [rules]]
        yield from ((rules, rival) for rival in given or ("greedy", "counter", *specialists))


def rivals(name: str, rules: Rules) -> list[str]:
    """The bots, and the lower levels of the same policy."""
    return [*ladder(rules), *(f"policy:{level}" for level in lower_levels(name))]


def kept_match(pair: tuple[Entrant, Entrant], rules: Rules, seed: int, name: str, args: argparse.Namespace) -> Row:
    """A match whose deals are kept in a file: it is long, and goes on where it was."""
    check_least("deals", args.deals, 2)
    book = make_book(rules, args.deals, seed)
    args.runs.mkdir(parents=True, exist_ok=True)
    with Contest(pair, book, seed=seed, out=args.runs / f"{name}.sqlite") as contest:
        with contest.workers(args.threads, args.ray) as workers:
            play_shown(contest, workers)
        row = contest.result().to_json()
    return {key: row[key] for key in ("deals", "diff", "low", "high", "win_a", "seed")}


def numbers(row: Row) -> str:
    return f"{row['diff']:+7.3f} ({row['low']:+.3f} to {row['high']:+.3f})"


def _remember(name: str, row: Row) -> None:
    """Beside the weights, one row an opponent and game. Read anew: a match is long, and others write there, too."""
    known = description(name).get("strength", [])
    others = [kept for kept in known if any(kept[key] != row[key] for key in ("game", "against"))]
    change_description(shipped_path(name), strength=[*others, row])


# --- bots, as tables in Markdown --------------------------------------------------------------------------------------


def run_baseline(args: argparse.Namespace) -> int:
    rules, agent = chosen_rules(args), entrant(args.agent)
    check_agent(agent.agent, rules)
    book, others = (make_book(rules, args.deals, REPORTED_SEED), (*REPORTED, *learners().get(rules, [])[:1]))
    game = f"{rules.name} {rules.players}, rules version {RULES_VERSION}"
    head = f"{agent.name}: {game}, {len(book):,} deals of seed {REPORTED_SEED}, points a deal with 95 % interval\n\n"
    head += "| over | points |\n| --- | --: |\n"
    rows = (match(agent, other, seed=REPORTED_SEED, threads=args.threads, book=book).to_json() for other in others)
    _show(rows, lambda row: f"| {row['b']} | {row['diff']:+.2f} ± {row['diff'] - row['low']:.2f} |", args, head)
    return 0


def run_ladder(args: argparse.Namespace) -> int:
    """A row a game."""
    games = [chosen_rules(args)] if names_game(args) else [make_rules(*game) for game in GAMES]
    steps = list(dict.fromkeys(_step(*pair) for rules in games for pair in itertools.pairwise(ladder(rules))))
    head = f"{_line(['game', *steps])}\n{_line(['---'] * (1 + len(steps)))}\n"

    def text(row: Row) -> str:
        found = {
            _step(one["b"], one["a"]): f"{one['diff']:.2f} ± {one['diff'] - one['low']:.2f}" for one in row["steps"]
        }
        return _line([row["game"], *(found.get(step, "") for step in steps)])

    climbs = (_climb(rules, args) for rules in games)
    _show(climbs, text, args, head, lambda row: [{"game": row["game"], **step} for step in row["steps"]])
    return 0


def _step(worse: str, better: str) -> str:
    return f"{better} over {worse}"


def _climb(rules: Rules, args: argparse.Namespace) -> Row:
    book = make_book(rules, chosen_deals(args), args.seed or 0)
    steps = itertools.pairwise(ladder(rules))
    rows = [match(b, a, seed=book.seed, threads=args.threads, book=book).to_json() for a, b in steps]
    return {"game": f"{rules.name} {rules.players}{', partners' * rules.partners}", "steps": rows}


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
