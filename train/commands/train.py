"""casino train CONFIG.toml: learn to play a game by self-play, then meet the bots."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from casino_env.evaluate import match
from casino_env.evaluate.matches.match import MatchResult
from casino_env.train.config import load_config
from casino_env.train.process_group import join, leave
from casino_env.train.run import Run

_FINAL = ("random", "greedy", "counter")


def main(arguments: list[str]) -> int:
    parser = _parser()
    args = parser.parse_args(arguments)
    if args.resume and (args.config or args.set or args.minutes is not None):
        parser.error("--resume goes on with the settings of the run; leave the others out")
    if args.deals < 1:
        parser.error(f"--deals {args.deals}: must be 1 or more")
    changes = [*args.set, *([f"run.minutes={args.minutes}"] if args.minutes is not None else [])]
    config = None if args.resume else load_config(args.config, changes, trust=args.trust)
    group = join()
    run = Run.start(config, args.runs, group) if config else Run.resume(args.resume, group, trust=args.trust)
    if group.first:
        print(f"training {run.config.name} in {run.folder}", file=sys.stderr)
    run.train(quiet=args.json)
    leave()
    if group.first:
        _tell(run, args.deals, as_json=args.json)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="casino train",
        description=__doc__,
        epilog="more commands: casino train distil|exploit|opponents|sweep --help",
    )
    parser.add_argument("config", nargs="?", help="TOML file of settings that differ from the defaults")
    parser.add_argument("--set", action="append", default=[], metavar="SECTION.SETTING=VALUE", help="one setting more")
    parser.add_argument("--minutes", type=float, help="stop after so long (instead of run.decisions)")
    parser.add_argument("--resume", type=Path, metavar="RUN", help="go on with the run in this folder")
    parser.add_argument("--runs", type=Path, default=Path("runs"), help="where the folders of runs are (runs)")
    parser.add_argument("--deals", type=int, default=2000, help="of each match at the end (2000)")
    parser.add_argument("--trust", action="store_true", help="files may name agents that are not the project's own")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _tell(run: Run, deals: int, *, as_json: bool) -> None:
    """What came of it: matches against the bots, where it lies, how to play against it."""
    rows = [match(run.policy(), name, run.algorithm.rules, deals=deals, seed=2, threads=2) for name in _FINAL]
    if as_json:
        data = {"run": str(run.folder), "decisions": run.algorithm.decisions, "seconds": round(run.seconds, 1)}
        print(json.dumps(data | {"matches": [row.to_json() | {"a": f"policy:{run.folder}"} for row in rows]}))
    else:
        print(_as_text(run, deals, rows))


def _as_text(run: Run, deals: int, rows: list[MatchResult]) -> str:
    game = run.config.game
    scores = "\n".join(f"  {row.b:<10} {row.diff:+6.2f}   {row.low:+.2f} to {row.high:+.2f}" for row in rows)
    return f"""
{run.algorithm.decisions:,} decisions in {run.seconds:.0f} s. Points a deal more than the opponent, with 95 % intervals,
over {deals:,} deals that both played from every seat:

{scores}

The run lies in {run.folder}. Use it, judge it, play against it:
  casino agents move policy:{run.folder} POSITION.json
  casino evaluate match policy:{run.folder} counter --variant {game.variant} --players {game.players}
  casino play --variant {game.variant} --opponents policy:{run.folder}"""
