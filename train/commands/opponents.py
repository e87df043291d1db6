"""python -m train opponents: train the policies that come with the project (agents/policy/shipped.py), level by level.

Each is a file in configs/opponents/. A training that was cut off goes on where it was; one that is finished is not
repeated, so the same command always ends with all of them in place.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from agents.policy.description import read_description
from agents.policy.files import Weights, write_policy
from agents.policy.shipped import FOLDER
from casino_env.rules import closest
from train.config import ConfigError, load_config
from train.run import Run
from train.settings import Config

CONFIGS = Path(__file__).parents[2] / "configs" / "opponents"


def main(arguments: list[str]) -> int:
    args = _parser().parse_args(arguments)
    for name in args.names:
        if name not in known():
            raise ConfigError(f"unknown opponent {name!r}{closest(name, known())}; known: {', '.join(known())}")
    for name in args.names or known():
        run = Run.finished(load_config(str(CONFIGS / f"{name}.toml"), [f"run.name={name}"]), args.runs)
        for file, title in levels(run.config):
            ship(run.folder / f"{file}.safetensors", args.to / f"{title}.safetensors")
            print(f"policy:{title}", flush=True)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m train opponents", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which ({', '.join(known())}); all if none is given")
    parser.add_argument("--runs", type=Path, default=Path("runs"), help="where the folders of the runs are (runs)")
    parser.add_argument("--to", type=Path, default=FOLDER, help="where the policies are put (agents/policies)")
    return parser


def known() -> list[str]:
    return sorted(path.stem for path in CONFIGS.glob("*.toml"))


def levels(config: Config) -> list[tuple[str, str]]:
    """The files of a run and the names that they are shipped by; the best has no level in its name."""
    return [("policy", config.name), *((level, f"{config.name}-{level}") for level in config.run.levels)]


def ship(source: Path, target: Path) -> None:
    """In half precision, with its description; if these weights are there already, what was measured of them stays."""
    weights = Weights.load(str(source))
    half = weights.theta.astype(np.float16)
    if target.exists() and np.array_equal(Weights.load(str(target)).theta, half.astype(np.float32)):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    write_policy(target, weights.shape.views(half), read_description(source))
