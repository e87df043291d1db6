"""casino train: learn to play a game by self-play.

casino train CONFIG.toml ...     train, then play matches against the bots
casino train exploit ...         train an opponent against an agent and measure how much it wins
casino train ablate ...          measure the effect of each setting, one changed at a time
casino train opponents ...       train the policies that come with the project
casino train distil ...          train a network over actions to play like a policy that judges afterstates
"""

from __future__ import annotations

import argparse
import importlib
import json
import shlex
import sys
from pathlib import Path

from casino_env.agents.registry import AgentError
from casino_env.agents.which_game import add_rules_file, rules_of_file, settings_of, words_of
from casino_env.cli import run_command
from casino_env.evaluate.matches.pairing import AgentFailedError
from casino_env.train.config import ConfigError, load_config
from casino_env.train.run import Run, add_closing, check_closing, closing_matches, closing_text

# The module of each command. To train with a settings file named like a command, give its path: ./ablate.
_COMMANDS = {name: f"casino_env.train.commands.{name}" for name in ("distil", "exploit", "opponents", "ablate")}
_FINAL = ("random", "greedy", "counter")  # opponents in the matches at the end


def main(arguments: list[str] | None = None) -> int:
    given = sys.argv[1:] if arguments is None else arguments
    named = given[0] in _COMMANDS if given else False

    def run() -> int:
        try:
            return int(importlib.import_module(_COMMANDS[given[0]]).main(given[1:])) if named else train(given)
        except KeyboardInterrupt as stopped:  # the message says whether anything was kept
            if str(stopped):
                raise RuntimeError(str(stopped)) from None
            raise

    return run_command("train", run, misuse=(ConfigError, AgentError), failures=(RuntimeError, AgentFailedError))


def train(arguments: list[str]) -> int:
    parser = _parser()
    args = parser.parse_args(arguments)
    if args.resume and (args.config or args.set or args.rules or args.like or args.minutes is not None):
        parser.error("--resume uses the settings of the run; leave the other options out")
    check_closing(args)
    rules = rules_of_file(args)
    changes = [
        *(settings_of(rules) if rules else []),
        *args.set,
        *([f"run.minutes={args.minutes}"] if args.minutes is not None else []),
    ]
    config = None if args.resume else load_config(args.config, changes, trust=args.trust)
    run = Run.start(config, args.runs) if config else Run.resume(args.resume, trust=args.trust)
    print(f"training {run.config.name} in {run.folder}", file=sys.stderr)
    run.train(quiet=args.json)
    _tell(run, args)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="casino train",
        description="Learn to play a game by self-play, then meet the bots.",
        epilog=f"more commands: casino train {'|'.join(_COMMANDS)} --help",
    )
    parser.add_argument("config", nargs="?", help="TOML file of settings that differ from the defaults")
    parser.add_argument("--set", action="append", default=[], metavar="SECTION.SETTING=VALUE", help="change a setting")
    add_rules_file(parser)
    parser.add_argument("--minutes", type=float, help="minutes of learning (instead of run.decisions)")
    parser.add_argument("--resume", type=Path, metavar="RUN", help="resume the run in this folder")
    parser.add_argument("--runs", type=Path, default=Path("runs"), help="folder that holds the runs (runs)")
    add_closing(parser)
    parser.add_argument("--trust", action="store_true", help="allow files that name agents from outside the project")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _tell(run: Run, args: argparse.Namespace) -> None:
    """Print the matches against the bots, the folder of the run and how to use the policy."""
    kept = f"what was learnt is kept: casino train --resume {run.folder} plays these matches"
    rows = closing_matches(run.policy(), _FINAL, run.algorithm.rules, args, kept)
    if args.json:
        data = {"run": str(run.folder), "decisions": run.algorithm.decisions, "seconds": round(run.seconds, 1)}
        print(json.dumps(data | {"matches": [row.to_json() | {"a": f"policy:{run.folder}"} for row in rows]}))
        return
    policy, game = shlex.quote(f"policy:{run.folder}"), words_of(run.algorithm.rules)
    print(closing_text(f"{run.algorithm.decisions:,} decisions", run.seconds, rows))
    print(f"""\
The run is in {run.folder}. Use it, judge it, play against it:
  casino agents move {policy} POSITION.json
  casino evaluate match {policy} counter {game}
  casino play {game} --opponents {policy}""")
