"""casino train sweep FILE: many short runs, to search settings or to see what each of them is worth.

A file says what all runs share, and has one of two tables: [search] names settings and where they are searched
(search.py), [changes] names runs that differ from the default in a few settings (ablation.py). Everything lies in a
folder below runs/; the same command goes on where it was cut off.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from casino_env.agents.files import locked
from casino_env.train.commands import ablation, search
from casino_env.train.commands.cluster import add_ray, tell
from casino_env.train.config import only_ours, read_toml
from casino_env.train.settings import ConfigError, first_problem, folder_name

_KINDS: dict[str, Any] = {"search": search, "changes": ablation}  # table of the file -> its module


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="casino train sweep", description=__doc__)
    parser.add_argument("file", help="TOML file: what is tried, and what all runs share")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="one key of the file changed")
    parser.add_argument("--name", help="of the folder below --runs (that of the file)")
    parser.add_argument("--runs", type=Path, default=Path("runs"), help="where the folders are (runs)")
    add_ray(parser)
    parser.add_argument("--trust", action="store_true", help="the file may name agents that are not the project's own")
    parser.add_argument("--json", action="store_true", help="print JSON")
    args = parser.parse_args(arguments)
    kind, config = load_sweep(args.file, args.set, trust=args.trust)
    with locked(args.runs / _folder(args), "sweep"):
        found = kind.run(config, args.runs / _folder(args), tell, args.ray)
    print(json.dumps(found) if args.json else kind.as_text(config, found))
    return 0 if found["rows"] else 1


def _folder(args: argparse.Namespace) -> str:
    try:
        return folder_name(args.name or Path(args.file).stem)
    except ValueError as error:
        raise ConfigError(f"--name {args.name or Path(args.file).stem!r}: {error}") from None


def load_sweep(path: str, changes: list[str], *, trust: bool = False) -> tuple[Any, Any]:
    """The module that can run it, and what it is to run. Its agents are the project's own, unless it is trusted."""
    data = read_toml(path, changes)
    kinds = [kind for table, kind in _KINDS.items() if table in data]
    if len(kinds) != 1:
        raise ConfigError(f"{path}: a sweep has a table [search] or a table [changes]")
    try:
        config = kinds[0].Settings.model_validate(data)
    except ValidationError as error:
        raise ConfigError(f"{path}: {first_problem(error, kinds[0].Settings)}") from None
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None
    if not trust:
        only_ours([config.reference, *(spec for each in config.configs() for spec in each.agents())], path, changes)
    return kinds[0], config
