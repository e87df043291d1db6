"""python -m train: learn to play a game by self-play."""

from __future__ import annotations

import argparse
import json
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from casino_env.guarded import guarded
from train.config import Config, ConfigError, load_config

_FINAL = ("random", "greedy", "counter")


def main(arguments: list[str] | None = None) -> int:
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # being told to stop is the same as Ctrl-C
    words = sys.argv[1:] if arguments is None else arguments
    for name, command in (("exploit", _exploit), ("opponents", _opponents), ("sweep", _sweep)):
        if words[:1] == [name]:
            return _guarded(command, words[1:])
    parser = _parser()
    args = parser.parse_args(words)
    if args.resume and (args.config or args.set or args.minutes):
        parser.error("--resume goes on with the settings of the run; leave the others out")
    return _guarded(_train, args)


def _exploit(words: list[str]) -> int:
    from train.commands import exploit

    return exploit.main(words)


def _opponents(words: list[str]) -> int:
    from train.commands import opponents

    return opponents.main(words)


def _guarded(command: Callable[[Any], int], arguments: Any) -> int:
    return guarded(
        "train",
        lambda: command(arguments),
        misuse=(ConfigError,),
        failures=(RuntimeError,),
        interrupted="interrupted; what was learnt is kept",
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m train",
        description=__doc__,
        epilog="more commands: python -m train exploit|opponents|sweep --help",
    )
    parser.add_argument("config", nargs="?", help="TOML file of settings that differ from the defaults")
    parser.add_argument("--set", action="append", default=[], metavar="SECTION.SETTING=VALUE", help="one setting more")
    parser.add_argument("--minutes", type=float, help="stop after so long (instead of run.decisions)")
    parser.add_argument("--resume", type=Path, metavar="RUN", help="go on with the run in this folder")
    parser.add_argument("--runs", type=Path, default=Path("runs"), help="where the folders of runs are (runs)")
    parser.add_argument("--deals", type=int, default=2000, help="of each match at the end (2000)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _train(args: argparse.Namespace) -> int:
    config = None if args.resume else _config(args)
    from train.processes import join, leave  # torch is loaded once the settings are known to be right
    from train.run import Run

    peers = join()
    run = Run.resume(args.resume, peers) if config is None else Run.start(config, args.runs, peers)
    if peers.first:
        print(f"training {run.config.name} in {run.folder}", file=sys.stderr)
    run.train(quiet=args.json)
    leave()
    return _finish(run, args) if peers.first else 0


def _sweep(arguments: list[str]) -> int:
    from train.commands.sweep import main

    return main(arguments)


def _config(args: argparse.Namespace) -> Config:
    changes = [*args.set, *([f"run.minutes={args.minutes}"] if args.minutes is not None else [])]
    return load_config(args.config, changes)


def _finish(run: "Run", args: argparse.Namespace) -> int:  # type: ignore[name-defined] # noqa: F821, UP037
    """What came of it: matches against the bots, where it lies, how to play against it."""
    from evaluate import match

    game = run.config.game
    rows = [match(run.policy(), name, run.algorithm.rules, deals=args.deals, seed=2, threads=2) for name in _FINAL]
    if args.json:
        data = {"run": str(run.folder), "decisions": run.algorithm.decisions, "seconds": round(run.seconds, 1)}
        print(json.dumps(data | {"matches": [row.to_json() | {"a": f"policy:{run.folder}"} for row in rows]}))
        return 0
    print(f"\n{run.algorithm.decisions:,} decisions in {run.seconds:.0f} s. Points a deal more than the opponent, with "
          f"95 % intervals,\nover {args.deals:,} deals that both played from every seat:\n")  # fmt: skip
    for row in rows:
        print(f"  {row.b:<10} {row.diff:+6.2f}   {row.low:+.2f} to {row.high:+.2f}")
    print(f"\nThe run lies in {run.folder}. Use it, judge it, play against it:\n"
          f"  python -m agents move policy:{run.folder} POSITION.json\n"
          f"  python -m evaluate match policy:{run.folder} counter --variant {game.variant} --players {game.players}\n"
          f"  python -m play --variant {game.variant} --opponents policy:{run.folder}")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
