"""python -m casino_env.play.web: the server that keeps games and plays them itself."""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path

from casino_env.agents.files import locked
from casino_env.cli import run_command
from casino_env.play.store import Store
from casino_env.play.web.app import OPPONENTS, make_app
from casino_env.play.web.desk import Desk
from casino_env.play.web.server import bound_socket, serve


def main() -> int:
    parser = argparse.ArgumentParser(prog="casino_env.play.web", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--games", type=Path, default=Path("runs/play"))
    parser.add_argument("--hints", default="search:time=0.5")
    parser.add_argument("--agent", action="append", default=[])
    parser.add_argument("--drop-after", type=float, default=168.0)
    parser.add_argument("--patience", type=float, default=30.0)
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # so that the workers are ended, too
    return run_command("play", lambda: _serve(args))


def _serve(args: argparse.Namespace) -> int:
    agents = tuple(dict.fromkeys((*OPPONENTS, *args.agent, args.hints)))
    desk = Desk(named=(*args.agent, args.hints), patience=args.patience)
    with bound_socket(args.host, args.port) as listening, locked(args.games, "folder of games"):
        try:
            desk.open()
            desk.rehearse([*args.agent, args.hints])
            store = Store(args.games, idle=3600 * args.drop_after)
            app = make_app(store, desk, host=args.host, agents=agents, hints=args.hints)
            print(f"http://{args.host}:{args.port}/ - end with Ctrl-C", flush=True)  # noqa: T201
            serve(app, listening)
        except KeyboardInterrupt:
            pass
        finally:
            desk.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
