"""casino play: sit down against agents, in the terminal or (--web) in the browser."""

from __future__ import annotations

import argparse
import io
import re
import secrets
import shlex
import sys
import time
import webbrowser
from functools import cache
from pathlib import Path
from typing import Any

from casino_env.agents.files import check_file, out_file
from casino_env.agents.policy.shipped import learners
from casino_env.agents.registry import AgentError, ladder
from casino_env.agents.which_game import add_rules, chosen_rules
from casino_env.cli import run_command
from casino_env.game import MAX_SEED, Game
from casino_env.record import read_record, replay
from casino_env.rules import Rules
from casino_env.validate import int_in, parse_json, read_text

LEVELS = ("easy", "medium", "strong", "strongest")  # levels of opponents in every game
_MOMENT, _THINKING = "think=5", "strongest:time=2"
_OF_A_GAME = ("variant", "players", "set", "rules", "like", "seed", "match")  # options that a position or record sets


class MisuseError(ValueError):
    """Options that do not fit together; the message says in one line what would be right."""


def main(arguments: list[str] | None = None) -> int:
    args = _parser().parse_args(arguments)
    return run_command("play", lambda: _play(args), misuse=(AgentError, MisuseError))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="casino play", description=__doc__)
    add_rules(parser, "the fewest that the preset has")
    parser.add_argument(
        "--opponents",
        nargs="+",
        default=["counter"],
        metavar="SPEC",
        help=f"one agent, or one for each other seat: {', '.join(LEVELS)}, or any of casino agents list (counter)",
    )
    parser.add_argument("--seat", type=int, default=0, help="your seat (0)")
    parser.add_argument("--seed", type=int, help="seed of the deal (a new one)")
    parser.add_argument("--match", action="store_true", default=None, help="play a match instead of one deal")
    parser.add_argument("--position", metavar="FILE", help="start from this Position JSON instead of a deal")
    parser.add_argument("--resume", metavar="FILE", help="resume the game of this record")
    parser.add_argument("--record", type=out_file, metavar="FILE", help="record of the game (a new one in runs/play)")
    web = parser.add_argument_group("in the browser, where the page asks for all of that")
    web.add_argument("--web", action="store_true", help="serve the page to this machine and open it")
    web.add_argument("--port", type=int, default=8000, help="port (8000; 0: any free port)")
    web.add_argument("--no-open", action="store_true", help="do not open a browser")
    web.add_argument("--page", type=Path, metavar="FOLDER", help="write the page as a folder for any static host")
    web.add_argument(
        "--stun", default="", metavar="ADDRESS", help="STUN server for live games between two networks (stun:HOST:PORT)"
    )
    web.add_argument(
        "--policy",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="also offer this one (casino agents pack)",
    )
    return parser


def _play(args: argparse.Namespace) -> int:
    if args.stun and not args.page:
        raise MisuseError("--stun needs --page FOLDER")
    if args.policy and not (args.web or args.page):
        raise MisuseError("--policy needs --web or --page; in the terminal use --opponents policy:FILE")
    if not (args.web or args.page):
        return _terminal(args)
    for flag in (*_OF_A_GAME, "position", "resume", "record"):
        if getattr(args, flag) not in (None, []):
            raise MisuseError(f"--{flag}: choose it on the page")
    if args.web:
        return _web(args)
    from casino_env.play.web.page_files import write_page

    print(write_page(args.page, args.stun, guests(args.policy)))
    return 0


def _web(args: argparse.Namespace) -> int:
    from casino_env.play.web.serving import serve_page

    server, address = serve_page(args.port, guests(args.policy))
    try:
        print(f"{address} - stop with Ctrl-C", flush=True)
        if not args.no_open:
            webbrowser.open(address)
        while True:
            time.sleep(1.0)  # an endless wait would ignore Ctrl-C on Windows
    except KeyboardInterrupt:
        server.shutdown()
    return 0


def guests(files: list[Path]) -> dict[Path, dict[str, Any]]:
    """Return packed policies, each with the game that it has learnt."""
    from casino_env.agents.policy.policy_files import PACKED, Weights

    found = {}
    for path in files:
        if not re.fullmatch(rf"[\w-]+{re.escape(PACKED)}", path.name):
            raise MisuseError(f"--policy {path}: must be a file like mine{PACKED} (casino agents pack)")
        rules = Weights.load(str(path)).rules
        found[path] = {"variant": rules.name, "players": rules.players, "rules": rules.differences()}
    return found


def _terminal(args: argparse.Namespace) -> int:
    from casino_env.play.terminal import Terminal

    game, seed, reached = _begin(args)
    called = _called(args, game.rules)
    named = dict(zip(LEVELS, levels(game.rules), strict=True))
    titles = {seat: spec.capitalize() if spec in named else spec for seat, spec in called.items()}
    table = Terminal(game, args.seat, {seat: named.get(spec, spec) for seat, spec in called.items()}, seed, titles)
    if reached:
        table.go_on(reached)
    begun = f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(2)}"  # others may begin in the same second
    fresh = Path("runs/play") / f"{game.rules.name}-{begun}.record"
    path = args.record or (Path(args.resume) if args.resume else fresh)
    try:
        check_file(path)
    except ValueError as error:
        raise MisuseError(f"{error}; name another file by --record") from None
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # what is no text is no command, and not the end of the game
    try:
        table.play()
    except (KeyboardInterrupt, EOFError, AgentError) as stopped:  # an endpoint may fail
        if not isinstance(stopped, AgentError):
            print()
        if table.game.log:
            table.keep(path)
            others = ["--opponents", *args.opponents, *(["--seat", str(args.seat)] if args.seat else [])]
            print(f"To go on: casino play --resume {shlex.join([path.as_posix(), *others])}")
        if isinstance(stopped, EOFError):
            raise ValueError("the input ended before the game was over") from None
        if isinstance(stopped, AgentError):
            raise
        return 0
    table.keep(path)
    print(f"The record is in {path}")
    return 0


def _begin(args: argparse.Namespace) -> tuple[Game, int, Game | None]:
    """Return the game at its start, the random seed, and for a record the game as far as it was played."""
    fresh = secrets.randbelow(MAX_SEED)
    for one in ("position", "resume"):
        if getattr(args, one) == "-":
            raise MisuseError(f"--{one} -: standard input is for your moves; give a file")
        for flag in (*_OF_A_GAME, "position"):
            if getattr(args, one) and flag != one and getattr(args, flag) not in (None, []):
                raise MisuseError(f"--{flag}: the {'record' if one == 'resume' else one} gives it")
    if args.position:
        return Game.from_json(parse_json(read_text(args.position), args.position), skip_forced=False), fresh, None
    if args.resume:
        text = read_text(args.resume)
        game, reached = read_record(text)[0], replay(text)
        if reached.over:
            raise ValueError(f"{args.resume}: this game is over")
        return game, fresh if game.seed is None else game.seed, reached
    try:
        seed = fresh if args.seed is None else int_in(args.seed, "--seed", 0, MAX_SEED)
        rules = chosen_rules(args, players=None)
    except ValueError as error:
        raise MisuseError(str(error)) from None
    return Game(rules, seed=seed, match=bool(args.match) or rules.match_games > 0, skip_forced=False), seed, None


def _called(args: argparse.Namespace, rules: Rules) -> dict[int, str]:
    """Return the specs of the other seats, as given by --opponents."""
    if not 0 <= args.seat < rules.players:
        raise MisuseError(f"--seat {args.seat}: seats are 0 to {rules.players - 1}")
    others = [seat for seat in range(rules.players) if seat != args.seat]
    specs = args.opponents * len(others) if len(args.opponents) == 1 else args.opponents
    if len(specs) != len(others):
        raise MisuseError(f"--opponents: {len(specs)} given, but there are {len(others)} other seats")
    return dict(zip(others, specs, strict=True))


_learners = cache(learners)


def levels(rules: Rules) -> list[str]:
    """Return the specs of the four levels of a game; if it has no lower levels of a policy, bots take their place."""
    last, trained = ladder(rules)[-1], _learners().get(rules)
    if not trained:
        return ["greedy", "builder", last, _THINKING]
    best = trained[0]
    below = [f"{best}-easy", f"{best}-medium"]
    if not set(below) <= set(trained):
        below = ["builder", last]
    return [*below, f"{best},{_MOMENT}", _THINKING]
