"""casino train ablate FILE: measure the effect of settings by runs that differ from the default in a few of them.

    seeds = 3                        # runs of each row and of the default
    decisions = 5_000_000            # length of each run; or, by the clock: minutes = 3
    deals = 4000                     # deals in each match, played from both seats
    reference = "counter"            # opponent of every run besides the default
    [changes]
    "no entropy" = { "ppo.entropy_coef" = 0, "ppo.entropy_floor" = 0 }
    [settings.game]                  # settings of every run, as in a file for training
    variant = "south-african"

Each run plays the default of the same seed, both without lookahead. All runs lie in a folder below runs/. The same
command resumes interrupted runs and repeats no finished one. Seeds vary more than deals do, so intervals are those of
the mean over seeds.
"""

from __future__ import annotations

import argparse
import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import Field, model_validator

from casino_env.agents.files import locked
from casino_env.evaluate import MatchResult, match
from casino_env.evaluate.commands.options import add_table, keep_table
from casino_env.evaluate.matches.deals import MOST_DEALS
from casino_env.evaluate.matches.intervals import interval
from casino_env.train.algorithms import kind_of
from casino_env.train.commands.ray_trainings import add_ray, bring, tell
from casino_env.train.config import Config, ConfigError, Section, folder_name, make_config, only_ours, put, read_toml
from casino_env.train.run import Run, check_agents, resumable
from casino_env.validate import read_model

_DEFAULT = "default"
_AS_IT_IS = {"turns": 1, "exact": 0}  # lookahead takes ten times as long, and hides what a network has learnt
_SEED = 5  # seed of the deals of all matches


class Ablation(Section):
    """The contents of the TOML file."""

    seeds: int = Field(3, ge=1, le=1000)
    decisions: int = Field(5_000_000, ge=1)
    minutes: float | None = Field(None, gt=0)
    deals: int = Field(4000, ge=2, le=MOST_DEALS)
    reference: str = "counter"
    settings: dict[str, dict[str, Any]] = Field(default_factory=dict)
    changes: dict[str, dict[str, Any]] = Field(min_length=1)

    @model_validator(mode="after")
    def _every_row_has_a_folder(self) -> Ablation:
        names = [config.name for config in self.configs()]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"changes: two rows would use the same folder, {name}")
        return self

    def configs(self) -> list[Config]:
        """The config of the first run of each row."""
        return [self.run_of(row, 0) for row in self.rows()]

    def rows(self) -> list[str]:
        return [_DEFAULT, *self.changes]

    def run_of(self, row: str, seed: int) -> Config:
        slug = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in row)
        data: dict[str, Any] = deepcopy(self.settings)
        for key, value in self.changes.get(row, {}).items():
            put(data, key, value)
        run = {"name": f"{slug}-seed{seed}", "seed": seed, "decisions": self.decisions, "minutes": self.minutes}
        # No panel: matches during training take time, and only those at the end count.
        config = make_config(data | {"run": data.get("run", {}) | run | {"panel": ()}})
        kind_of(config)
        return config


def load_ablation(path: str, changes: list[str], *, trust: bool = False) -> Ablation:
    """Read a file, changed by a.b=c; raises ConfigError. Without trust it may name only the project's own agents."""
    data = read_toml(path, changes)
    try:
        study = read_model(Ablation, data, path)
    except ValueError as error:
        raise ConfigError(str(error)) from None
    if not trust:
        only_ours([study.reference, *(spec for each in study.configs() for spec in each.agents())], path, changes)
    return study


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="casino train ablate", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", help="TOML file with the settings to try and those that all runs share")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="change one key of the file")
    parser.add_argument("--name", help="name of the folder below --runs (that of the file)")
    parser.add_argument("--runs", type=Path, default=Path("runs"), help="folder that holds the runs (runs)")
    add_ray(parser)
    parser.add_argument("--trust", action="store_true", help="allow a file that names agents from outside the project")
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_table(parser)
    args = parser.parse_args(arguments)
    study, name = load_ablation(args.file, args.set, trust=args.trust), args.name or Path(args.file).stem
    try:
        folder = args.runs / folder_name(name)
    except ValueError as error:
        raise ConfigError(f"--name {name!r}: {error}") from None
    with locked(folder, "ablation"), resumable():
        found = ablate(study, folder, args.ray)
    with keep_table(args, found["rows"]):
        print(json.dumps(found) if args.json else as_text(study, found))
    return 0


def ablate(study: Ablation, folder: Path, ray: str = "") -> dict[str, Any]:
    """Train all runs and play their matches; return the results as plain data."""
    for config in study.configs():
        check_agents([study.reference], config.game.all_rules(), "reference")
    configs = {row: [study.run_of(row, seed) for seed in range(study.seeds)] for row in study.rows()}
    if ray:
        bring([config for each in configs.values() for config in each], folder, ray)
    runs = {row: [Run.finished(config, folder, quiet=True) for config in each] for row, each in configs.items()}
    rows = []
    for row, mine in runs.items():
        pairs = zip(mine, runs[_DEFAULT], strict=True) if row != _DEFAULT else ()
        over_default = [_match(study, one, other.policy(**_AS_IT_IS)) for one, other in pairs]
        reference = _pooled([_match(study, one, study.reference) for one in mine])
        rows.append({"changed": row, "default": _pooled(over_default), "reference": reference})
        tell(f"{row}: {_cell(reference)}")
    return {"folder": str(folder), "rows": rows}


def _match(study: Ablation, one: Run, other: Any) -> MatchResult:
    return match(one.policy(**_AS_IT_IS), other, one.algorithm.rules, deals=study.deals, seed=_SEED, threads=2)


def _pooled(results: list[MatchResult]) -> dict[str, Any] | None:
    """Return the mean over seeds with its interval (of one seed: over its deals), and the value of each seed."""
    if not results:
        return None
    seeds = [result.diff for result in results]
    mean, low, high = interval(np.array(seeds) if len(seeds) > 1 else results[0].by_deal.diff)
    return {"diff": mean, "low": low, "high": high, "seeds": seeds}


def as_text(study: Ablation, found: dict[str, Any]) -> str:
    lines = [f"| changed | against the default | against {study.reference} |", "| --- | ---: | ---: |"]
    lines += [f"| {row['changed']} | {_cell(row['default'])} | {_cell(row['reference'])} |" for row in found["rows"]]
    over = f"{study.seeds} seeds" if study.seeds > 1 else f"the {study.deals:,} deals of one seed, not over seeds"
    return "\n".join([*lines, f"\n95 % intervals over {over}."])


def _cell(pooled: dict[str, Any] | None) -> str:
    if pooled is None:
        return ""
    each = ", ".join(f"{diff:+.2f}" for diff in pooled["seeds"])
    return f"{pooled['diff']:+.2f} ± {(pooled['high'] - pooled['low']) / 2:.2f} ({each})"
