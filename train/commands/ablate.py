"""python -m train.ablate: what each setting is worth, by matches between policies that differ in nothing else.

Every row of a TOML file (name = list of changes) is trained for the same number of decisions with several seeds and
matched with the default of the same seed. What has been trained and played lies in a folder and is not done again.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from pathlib import Path
from typing import Any

import numpy as np

from casino_env.guarded import guarded
from evaluate import MatchResult, match
from evaluate.matches.intervals import interval
from train.config import Config, load_config
from train.run import Run

_DEFAULT = "default"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m train.ablate", description=__doc__)
    parser.add_argument("file", nargs="?", default="configs/ablations.toml")
    parser.add_argument("--set", action="append", default=[], metavar="SECTION.SETTING=VALUE", help="for all rows")
    parser.add_argument("--decisions", type=int, default=5_000_000, help="of each run (5,000,000)")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--deals", type=int, default=4000, help="of each match (4,000)")
    parser.add_argument("--runs", type=Path, default=Path("runs/ablations"))
    args = parser.parse_args(arguments)
    return guarded("train.commands.ablate", lambda: _ablate(args), failures=(RuntimeError,))


def _ablate(args: argparse.Namespace) -> int:
    rows = {_DEFAULT: [], **tomllib.loads(Path(args.file).read_text())}
    configs = {
        (name, seed): _config(args, name, changes, seed) for name, changes in rows.items() for seed in range(args.seeds)
    }
    for config in configs.values():
        _train(config, args.runs)
    print("| changed | against the default | against counter |\n| --- | ---: | ---: |")
    for name in rows:
        mine = [_policy(args, configs[name, seed]) for seed in range(args.seeds)]
        base = [_policy(args, configs[_DEFAULT, seed]) for seed in range(args.seeds)]
        game = configs[name, 0].game
        pairs = [*zip(mine, base, strict=True)] if name != _DEFAULT else []
        cells = [
            _pooled([_match(args, game, a, b) for a, b in each]) for each in (pairs, [(a, "counter") for a in mine])
        ]
        print(f"| {name} | {cells[0]} | {cells[1]} |", flush=True)
    return 0


def _config(args: argparse.Namespace, name: str, changes: list[str], seed: int) -> Config:
    slug = "".join(letter if letter.isalnum() else "-" for letter in name)
    own = [f"run.decisions={args.decisions}", f"run.seed={seed}", f"run.name={slug}-seed{seed}"]
    return load_config(None, ["run.evaluate_minutes=1000", *args.set, *changes, *own])


def _policy(args: argparse.Namespace, config: Config) -> str:
    return f"policy:{args.runs / config.name}"


def _train(config: Config, runs: Path) -> None:
    """Unless it has been done; what was cut off goes on."""
    run = Run.taken_up(config, runs)
    if run.progress() < 1.0:
        print(f"training {run.folder}", file=sys.stderr)
        run.train(quiet=True)


def _match(args: argparse.Namespace, game: Any, a: str, b: str) -> MatchResult:
    return match(a, b, game.make_rules(), deals=args.deals, seed=5, threads=2)


def _pooled(results: list[MatchResult]) -> str:
    """Mean over the seeds, which all play the same deals, with the interval of the deals; then seed by seed."""
    if not results:
        return ""
    by_deal = np.mean([result.by_deal.diff for result in results if result.by_deal is not None], axis=0)
    mean, low, high = interval(by_deal)
    each = ", ".join(f"{result.diff:+.2f}" for result in results)
    return f"{mean:+.2f} ± {(high - low) / 2:.2f} ({each})"


if __name__ == "__main__":
    sys.exit(main())
