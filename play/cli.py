"""casino play: sit down against agents, in the terminal or (--web) in the browser."""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path

from casino_env.agents.registry import AgentError, make_agent
from casino_env.cli import run_command
from casino_env.play.arguments import MisuseError, check


def main(arguments: list[str] | None = None) -> int:
    args = _parser().parse_args(arguments)
    return run_command("play", lambda: _play(args), misuse=(AgentError, MisuseError))


def _play(args: argparse.Namespace) -> int:
    check(args)
    for spec in filter(None, [*args.opponents, *args.agent, args.hints]):
        make_agent(spec)  # a wrong one shows before anything begins
    try:
        return _web(args) if args.web else _terminal(args)
    except KeyboardInterrupt:  # the usual way to end it
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="casino play", description=__doc__)
    parser.add_argument("--variant", help="name of a preset; without it a menu asks")
    parser.add_argument("--players", type=int, help="number of seats (the fewest that the preset has)")
    parser.add_argument(
        "--opponents", nargs="+", default=[], metavar="SPEC", help="one agent, or one for each other seat"
    )
    parser.add_argument("--seat", type=int, default=0, help="yours (0)")
    parser.add_argument("--seed", type=int, default=None, help="of the deal (a fresh one)")
    parser.add_argument("--match", action="store_true", help="play a match rather than one deal")
    parser.add_argument("--games", type=Path, default=Path("runs/play"), help="folder of saved games (runs/play)")
    parser.add_argument("--hints", default="", metavar="SPEC", help="an agent that gives hints (the judge of reviews)")
    parser.add_argument("--pace", type=float, default=0.7, metavar="SECONDS", help="of an agent's move, at least (0.7)")
    web = parser.add_argument_group("in the browser")
    web.add_argument("--web", action="store_true", help="serve a page instead of playing in the terminal")
    web.add_argument("--host", default="127.0.0.1", help="address to listen on (127.0.0.1: this machine only)")
    web.add_argument("--port", type=int, default=8000, help="(8000)")
    web.add_argument("--agent", action="append", default=[], metavar="SPEC", help="offer this opponent, too")
    web.add_argument("--drop-after", type=float, default=168.0, metavar="HOURS", help="drop games left alone (168)")
    web.add_argument("--patience", type=float, default=30.0, metavar="SECONDS", help="an agent may think at most (30)")
    return parser


def _web(args: argparse.Namespace) -> int:
    from casino_env.agents.files import locked
    from casino_env.play.store import Store
    from casino_env.play.web.app import OPPONENTS, make_app
    from casino_env.play.web.desk import Desk
    from casino_env.play.web.serving import bound_socket, serve

    agents = tuple(dict.fromkeys((*OPPONENTS, *args.agent, *filter(None, [args.hints]))))
    desk = Desk(named=(*args.agent, *filter(None, [args.hints])), patience=args.patience)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # so that the workers are ended, too
    with bound_socket(args.host, args.port) as listening, locked(args.games, "folder of games"):
        try:
            desk.open()
            desk.rehearse([*args.agent, *filter(None, [args.hints])])
            store = Store(args.games, idle=3600 * args.drop_after)
            app = make_app(store, desk, host=args.host, agents=agents, hints=args.hints)
            print(f"http://{args.host}:{args.port}/ - end with Ctrl-C", flush=True)
            serve(app, listening)
        finally:
            desk.close()
    return 0


def _terminal(args: argparse.Namespace) -> int:
    from casino_env.play.terminal.app import run

    return run(args)
