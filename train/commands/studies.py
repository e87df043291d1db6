"""What `casino train tune` and `casino train ablate` share: a file that says what many short runs have in common.

Everything lies in a folder below runs/; the same command goes on where it was cut off.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from pydantic import Field, ValidationError

from casino_env.agents.files import locked
from casino_env.evaluate.commands.options import keep_table
from casino_env.evaluate.matches.books import MOST_DEALS
from casino_env.train.commands.ray_trainings import Say, add_ray, tell
from casino_env.train.config import changed_settings, make_config, only_ours, read_toml
from casino_env.train.settings import Config, ConfigError, Section, folder_name
from casino_env.validate import first_problem

_TABLES = {"search": "tune", "changes": "ablate"}  # table of a file -> the command that it is for


class Study(Section):
    """A file."""

    reference: str = "counter"  # whom every run plays: any agent, also policy:PATH
    deals: int = Field(1000, ge=2, le=MOST_DEALS)  # of each match, from both seats
    settings: dict[str, dict[str, Any]] = Field(default_factory=dict)  # of every run, as in a file for training

    def configs(self) -> list[Config]:
        """Enough of them to know that all can be trained."""
        raise NotImplementedError

    def config(self, changes: dict[str, Any], run: dict[str, Any]) -> Config:
        """One with {"section.setting": value} changed, and with these settings of its run."""
        data = changed_settings(self.settings, changes)
        return make_config(data | {"run": data.get("run", {}) | run})


AnyStudy = TypeVar("AnyStudy", bound=Study)


def load_study(kind: type[AnyStudy], path: str, changes: list[str], *, trust: bool = False) -> AnyStudy:
    """Raises ConfigError. Its agents are the project's own, unless it is trusted."""
    data = read_toml(path, changes)
    for table, command in _TABLES.items():
        if table in data and table not in kind.model_fields:
            raise ConfigError(f"{path}: a table [{table}] is for casino train {command}")
    try:
        study = kind.model_validate(data)
        configs = study.configs()
    except ValidationError as error:
        raise ConfigError(f"{path}: {first_problem(error, kind)}") from None
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None
    if not trust:
        only_ours([study.reference, *(spec for each in configs for spec in each.agents())], path, changes)
    return study


def run_study(
    command: str, about: str, kind: type[AnyStudy], run: Callable[[AnyStudy, Path, Say, str], dict[str, Any]],
    as_text: Callable[[AnyStudy, dict[str, Any]], str], arguments: list[str],
) -> int:  # fmt: skip
    """The command. run: with the study, its folder, whom to tell, and the address of a cluster that trains."""
    parser = argparse.ArgumentParser(
        prog=f"casino train {command}", description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", help="TOML file: what is tried, and what all runs share")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="one key of the file changed")
    parser.add_argument("--name", help="of the folder below --runs (that of the file)")
    parser.add_argument("--runs", type=Path, default=Path("runs"), help="where the folders are (runs)")
    add_ray(parser)
    parser.add_argument("--trust", action="store_true", help="the file may name agents that are not the project's own")
    parser.add_argument("--json", action="store_true", help="print JSON")
    for form in ("csv", "parquet"):
        parser.add_argument(f"--{form}", type=Path, metavar="FILE", help=f"keep the rows as a table, as {form.title()}")
    args = parser.parse_args(arguments)
    study, name = load_study(kind, args.file, args.set, trust=args.trust), args.name or Path(args.file).stem
    try:
        folder = args.runs / folder_name(name)
    except ValueError as error:
        raise ConfigError(f"--name {name!r}: {error}") from None
    with locked(folder, command):
        found = run(study, folder, tell, args.ray)
    keep_table(args, found["rows"])
    print(json.dumps(found) if args.json else as_text(study, found))
    return 0 if found["rows"] else 1
