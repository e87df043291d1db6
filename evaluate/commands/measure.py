"""casino evaluate measure WHAT: the matches and counts of which the documents' tables are made."""

from __future__ import annotations

import argparse
import itertools
import json
import re
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from casino_env.agents.base import Agent, check_agent
from casino_env.agents.files import parse, read_text, write_file
from casino_env.agents.policy.policy_files import change_description, shipped_path
from casino_env.agents.policy.shipped import best, description, learners, learnt, lower_levels, shipped, title
from casino_env.agents.registry import ladder
from casino_env.evaluate.blames import Kind, false_blames
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
from casino_env.evaluate.horizons import scatter
from casino_env.evaluate.matches.books import make_book
from casino_env.evaluate.matches.luck import chosen_judge
from casino_env.evaluate.matches.match import Contest, match, play_shown
from casino_env.evaluate.matches.pairing import Entrant, entrant
from casino_env.evaluate.regret import regret
from casino_env.evaluate.report.charts import Curve, Point, curves, drawn
from casino_env.evaluate.results import Exploit
from casino_env.evaluate.style import style
from casino_env.game import Game
from casino_env.observed import observe
from casino_env.rules import RULES_VERSION, Rules, closest, make_rules, player_counts, variants
from casino_env.validate import check_least, read_model

Row = dict[str, Any]

UNTAUGHT = (("sotho", 2), ("african", 2))  # games that no policy has learnt: what a policy of many games makes of them
STEPS = (0.001, 0.005, 0.02, 0.05, 0.2, 1.0, 5.0)  # seconds for a decision
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
# Of the deals: of policies, which no training sees; of what is reported, whoever plays; of searches.
SEED, REPORTED_SEED, THINKING_SEED = 1, 2026, 2
REPORTED = ("random", "greedy", "builder", "counter")  # whom every reported agent meets
_SAMPLES = 1000  # of deals, for an interval
_TIMED = 2  # deals whose moves are timed, after one that loads kernels


def add_parsers(commands: Any) -> None:
    measure = commands.add_parser("measure", help="the tables of the documents: strength, profile, thinking, ...")
    what = measure.add_subparsers(required=True, metavar="WHAT")

    strength = add_command(
        what, "strength", run_strength, "how strong the policies of the project are; kept beside their weights"
    )
    strength.add_argument("names", nargs="*", metavar="NAME", help="which policies (all)")
    strength.add_argument("--against", nargs="+", metavar="AGENT", help="instead of the bots and its own lower levels")
    strength.add_argument("--deals", type=int, default=4000, help="of each match (4000)")
    strength.add_argument("--runs", type=Path, default=Path("runs/strength"), help="keeps the deals (runs/strength)")
    add_workers(strength)

    profile = add_command(
        what, "profile", run_profile, "style, regret and exploitability of the policies; kept beside their weights"
    )
    profile.add_argument("names", nargs="*", metavar="NAME", help="which policies (the best of each training)")
    profile.add_argument("--deals", type=int, default=2000, help="in which style is counted (2000)")
    profile.add_argument("--endings", type=int, default=500, help="that the solver judges, with two players (500)")
    profile.add_argument(
        "--exploits", nargs="+", type=Path, default=[], metavar="FILE", help="JSON of `train exploit`, to be kept, too"
    )

    thinking = add_command(
        what,
        "thinking",
        run_thinking,
        "what time to think is worth, in points over the policy alone",
    )
    thinking.add_argument("name", metavar="NAME", help="a policy that comes with the project")
    thinking.add_argument("--times", nargs="+", type=float, default=STEPS, metavar="SECONDS", help="for a decision")
    thinking.add_argument("--deals", type=int, default=200, help="of each match (200)")
    thinking.add_argument("--runs", type=Path, default=Path("runs/thinking"), help="keeps the deals (runs/thinking)")
    thinking.add_argument("--picture", type=Path, metavar="FILE", help="draw the curve as well, as SVG, PNG or PDF")
    add_workers(thinking)

    advice = add_command(
        what, "advice", run_advice, "how often the judge of hints and reviews blames what loses nothing"
    )
    advice.add_argument("--endings", type=int, default=300, help="beside the exact solver; 0: none (300)")
    advice.add_argument("--hidden", type=int, default=200, help="beside ten times the play-outs; 0: none (200)")
    advice.add_argument("--playouts", type=int, default=256, help="of the judge, at most (256)")
    advice.add_argument("--seed", type=int, default=0, help="of the positions (0)")
    advice.add_argument("--runs", type=Path, default=Path("runs/advice"), help="keeps what is found (runs/advice)")

    baseline = add_command(
        what, "baseline", run_baseline, "the numbers to report of an agent: fixed opponents, fixed deals"
    )
    baseline.add_argument("agent", help="name, policy:PATH or a class of your own (package.module:Name)")
    add_rules(baseline)
    baseline.add_argument("--deals", type=int, default=2000, help="fewer are a trial, nothing to report (2000)")
    add_threads(baseline)

    horizon = add_command(
        what, "horizon", run_horizon, "what the length of play-outs costs: how much results scatter, by game"
    )
    add_rules(horizon)
    horizon.add_argument("--positions", type=int, default=60, help="of each game (60)")
    horizon.add_argument("--games", type=int, default=200, help="play-outs of each of two turns (200)")
    horizon.add_argument("--seed", type=int, default=0, help="of the positions (0)")

    luck = add_command(
        what, "luck", run_luck, "how many deals a judge of luck saves, by game: the policy (or the best bot) in a match"
    )
    add_game(luck)
    add_threads(luck)

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
        return f"{row['policy']:<26} {row['game']:<22} {row['against']:<28} {_numbers(row)}"

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
            row = {"game": game, "against": pair[1].name} | _kept_match(pair, rules, SEED, f"{name}--{kept}", args)
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


def _kept_match(pair: tuple[Entrant, Entrant], rules: Rules, seed: int, name: str, args: argparse.Namespace) -> Row:
    """A match whose deals are kept in a file: it is long, and goes on where it was."""
    check_least("deals", args.deals, 2)
    book = make_book(rules, args.deals, seed)
    args.runs.mkdir(parents=True, exist_ok=True)
    with Contest(pair, book, seed=seed, out=args.runs / f"{name}.jsonl") as contest:
        with contest.workers(args.threads, args.limit, args.ray) as workers:
            play_shown(contest, workers)
        row = contest.result().to_json()
    return {key: row[key] for key in ("deals", "diff", "low", "high", "win_a", "seed")}


def _numbers(row: Row) -> str:
    return f"{row['diff']:+7.3f} ({row['low']:+.3f} to {row['high']:+.3f})"


def _remember(name: str, row: Row) -> None:
    """Beside the weights, one row an opponent and game. Read anew: a match is long, and others write there, too."""
    known = description(name).get("strength", [])
    others = [kept for kept in known if any(kept[key] != row[key] for key in ("game", "against"))]
    change_description(shipped_path(name), strength=[*others, row])


def run_profile(args: argparse.Namespace) -> int:
    _show(_profiles(args), _profile_text, args)
    return 0


def _profiles(args: argparse.Namespace) -> Iterator[Row]:
    exploited = exploits(args.exploits)
    for name in _chosen(args.names or best(), shipped()):
        rules, *more = learnt(description(name))
        if more:
            continue  # of many games: none is the one to look at
        agent, book = f"policy:{name}", make_book(rules, args.deals, SEED)
        counted: Row = {"style": style(book, agent, "counter"), "counter": style(book, "counter", agent)}
        if rules.players == 2:
            for key, judged in (("regret", agent), ("regret of counter", "counter")):
                counted[key] = regret(rules, judged, args.endings, cards=4, seed=SEED, worst=0)
        data = description(name)  # anew: counting is long, and others write there, too
        data["profile"] = data.get("profile", {}) | counted | exploited.get(agent, {})
        change_description(shipped_path(name), profile=data["profile"])
        yield {"policy": name, **data["profile"]}


def exploits(paths: list[Path]) -> dict[str, Row]:
    """What `casino train exploit AGENT --json` has printed into these files, by agent."""
    found = {}
    for path in paths:
        row = parse(read_text(path), str(path))
        try:
            exploit = read_model(Exploit, row, str(path))
        except ValueError as error:
            raise ValueError(f"{path}: not what `casino train exploit --json` prints ({error})") from None
        kept = {key: row[key] for key in row if key != "responses"}
        found[exploit.agent] = {"exploit": kept | {"minutes": round(exploit.seconds / 60, 1)}}
    return found


def _profile_text(row: Row) -> str:
    builds, steals = row["style"]["builds"], row["style"]["steals"]["stolen cards"]
    words = [f"{row['policy']}: {builds['made']['mean']:.2f} builds of {builds['value']['mean']:.1f} a deal"]
    words += [f"{steals['mean']:.2f} cards stolen"]
    if "regret" in row:
        words.append(f"{row['regret']['lost a deal']['mean']:.2f} points lost an ending")
    if "exploit" in row:
        words.append(f"exploited for {row['exploit']['exploited']['mean']:+.2f} a deal")
    return ", ".join(words)


# --- time to think ----------------------------------------------------------------------------------------------------


def run_thinking(args: argparse.Namespace) -> int:
    def text(row: Row) -> str:
        paces = f"{row['ms']:.1f} ms a move, {row['ms_b']:.2f} of the policy"
        return f"{row['time']:>7g} s   {_numbers(row)}   {paces}   {row['deals']} deals"

    rows = _show(_thought(args), text, args)
    if args.picture:
        points = [Point(row["ms"], row["diff"], row["low"], row["high"]) for row in rows]
        figure = curves([("", [Curve("", points)])], "milliseconds a move", "points a deal more", log="x")
        write_file(args.picture, drawn(figure, args.picture.suffix.removeprefix(".")))
    return 0


def _thought(args: argparse.Namespace) -> Iterator[Row]:
    (name,) = _chosen([args.name], best())
    alone = entrant(f"policy:{name}")
    searches = [entrant(f"search:policy={name},time={seconds:g}") for seconds in args.times]
    for seconds, search in zip(args.times, searches, strict=True):
        rules, kept = alone.agent.weights.rules, search.name.replace(":", "-")
        row = {"time": seconds} | _kept_match((search, alone), rules, THINKING_SEED, kept, args)
        yield row | {"ms": _pace(search.agent, rules), "ms_b": _pace(alone.agent, rules)}


def _pace(agent: Agent, rules: Rules) -> float:
    """Milliseconds a decision, on the mean, of an agent that plays all seats."""
    took = []
    for deal in range(_TIMED + 1):
        game = Game(rules, seed=deal)
        agent.reset(0, np.random.default_rng(deal))
        while not game.over:
            seen, began = observe(game), time.perf_counter()
            action = agent.act(seen)
            took += [time.perf_counter() - began] * (deal > 0)
            game.apply(action)
    return 1e3 * float(np.mean(took))


# --- the judge of hints and reviews -----------------------------------------------------------------------------------


def run_advice(args: argparse.Namespace) -> int:
    def text(row: Row) -> str:
        words = f"{row['kind']}: {row['positions']} positions of seed {row['seed']}, {row['games']} play-outs at most\n"
        rows = {
            "mistakes told of turns that lose no mistake": f"{_share(row['false'])} of {row['harmless']}",
            "of turns that may lose nothing at all": f"{_share(row['open blamed'])} of {row['open']}",
            "of all mistakes told": f"{_share(row['false of blamed'])} of {row['blamed']}",
            "turns that lose a point or more found": _share(row["found"]),
            "intervals that hold the loss": f"{_share(row['covered'])} of {row['turns']}",
            "error of a loss, points (root mean square)": f"{row['error']:.2f}",
        }
        return words + "\n".join(f"  {name:<43} {value}" for name, value in rows.items())

    args.runs.mkdir(parents=True, exist_ok=True)
    wanted: list[tuple[Kind, int]] = [("endings", args.endings), ("hidden", args.hidden)]
    rows = (
        false_blames(
            kind,
            count,
            games=args.playouts,
            seed=args.seed,
            out=args.runs / f"{kind}-{args.playouts}-{args.seed}.jsonl",
        )
        for kind, count in wanted
        if count
    )
    _show(rows, text, args)
    return 0


def _share(share: dict[str, float]) -> str:
    return f"{100 * share['mean']:.2f} % ({100 * share['low']:.2f} to {100 * share['high']:.2f})"


# --- bots, as tables in Markdown --------------------------------------------------------------------------------------


def run_baseline(args: argparse.Namespace) -> int:
    rules, agent = chosen_rules(args), entrant(args.agent)
    check_agent(agent.agent, rules)
    book, others = (
        make_book(rules, args.deals, REPORTED_SEED),
        (*REPORTED, *learners().get(rules, [])[:1]),
    )
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


def run_horizon(args: argparse.Namespace) -> int:
    """A row a game in which hands are dealt more than once."""
    for name, least in (("positions", 1), ("games", 2)):
        check_least(name, getattr(args, name), least)
    games = _dealt_again(args)
    head = ["game", "turns to the deal", "to the end", "scatter at the deal", "at the end", "play-outs for the same"]
    table = f"{_line(head)}\n{_line(['---', *['--:'] * (len(head) - 1)])}\n"

    def text(row: Row) -> str:
        deal, end = row["deal"], row["end"]
        numbers = [deal["turns"], end["turns"], deal["difference"], end["difference"]]
        times = (end["difference"] / deal["difference"]) ** 2 if deal["difference"] else float("inf")
        return _line([row["game"], *(f"{number:.1f}" for number in numbers), f"{times:.1f} times"])

    _show((scatter(rules, args.positions, args.games, args.seed) for rules in games), text, args, table)
    return 0


def _dealt_again(args: argparse.Namespace) -> list[Rules]:
    """The games in which cards are dealt later on, or the one that is named."""
    every = (make_rules(name, players) for name in variants() for players in player_counts(name))
    return [chosen_rules(args)] if names_game(args) else [r for r in every if r.rounds > 1 or r.draw_hand]


def run_luck(args: argparse.Namespace) -> int:
    check_least("deals", chosen_deals(args), 2)
    head = ["game", "match", "points a deal", "less luck", "as good as"]
    table = f"{_line(head)}\n{_line(['---', '---', *['--:'] * 3])}\n"

    def text(row: Row) -> str:
        plain, worth = row["control"]["plain"], row["worth"]
        points = [
            f"{mean:+.2f} ± {mean - low:.2f}"
            for mean, low in ((plain["mean"], plain["low"]), (row["diff"], row["low"]))
        ]
        return _line(
            [
                row["game"],
                f"{row['a']} - {row['b']}",
                *points,
                f"{worth['mean']:.2f} ({worth['low']:.2f} to {worth['high']:.2f}) times the deals",
            ]
        )

    _show((_judged(rules, args) for rules in _dealt_again(args)), text, args, table)
    return 0


def _judged(rules: Rules, args: argparse.Namespace) -> Row:
    """A match with and without a judge; the interval of what it is worth is over deals that are drawn again."""
    rungs, found = ladder(rules), chosen_judge(rules, "auto")
    pair = (found, rungs[-1]) if found.startswith("policy:") else (rungs[-1], rungs[-2])
    book = make_book(rules, chosen_deals(args), args.seed or 0)
    result = match(*pair, seed=book.seed, threads=args.threads, book=book, judge=found)
    plain, fair, rng = result.by_deal.diff, result.by_deal.fair, np.random.default_rng(book.seed)
    again = (rng.integers(len(plain), size=len(plain)) for _ in range(_SAMPLES))
    worths = [float(np.var(plain[drawn])) / (float(np.var(fair[drawn])) or 1.0) for drawn in again]
    low, high = np.quantile(worths, [0.025, 0.975]).tolist()
    return {"game": title(rules), **result.to_json(), "worth": {"mean": result.worth, "low": low, "high": high}}


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
