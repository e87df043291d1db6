"""casino train opponents: train the policies that come with the project (agents/policy/shipped.py).

Each has a file in configs/opponents/. Interrupted trainings are resumed and finished ones are not repeated, so the
same command always ends with all policies in place. Lower levels use the same weights and are rows of the same
description; they look fewer turns ahead, and play at a temperature at which they lose a given number of points a deal
to the best (LEVELS).
"""

from __future__ import annotations

import argparse
from contextlib import suppress
from pathlib import Path

import numpy as np

from casino_env.agents.files import check_folder
from casino_env.agents.policy.lookahead import PlaySettings
from casino_env.agents.policy.policy_agent import Policy
from casino_env.agents.policy.policy_files import (
    SHIPPED,
    Weights,
    change_description,
    dequantize,
    quantize,
    read_description,
    write_policy,
)
from casino_env.evaluate import match
from casino_env.train.commands.ray_trainings import add_ray, bring
from casino_env.train.config import ConfigError, load_config
from casino_env.train.run import Run, resumable
from casino_env.validate import closest

LEVELS = {"medium": 1.5, "easy": 3.0}  # points a deal that each level loses to the best
WARMEST, STEPS = 2.0, 5  # bisection: highest temperature, in points, and number of steps
DEALS, SEED = 300, 77  # of the matches that the bisection plays
CONFIGS = Path(__file__).parents[2] / "configs" / "opponents"


def main(arguments: list[str]) -> int:
    known = sorted(path.stem for path in CONFIGS.glob("*.toml"))
    parser = argparse.ArgumentParser(prog="casino train opponents", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"policies to train ({', '.join(known)}); none: all")
    parser.add_argument("--runs", type=Path, default=Path("runs"), help="folder that holds the runs (runs)")
    parser.add_argument("--to", type=Path, default=SHIPPED, help="folder for the policies (agents/policies)")
    add_ray(parser)
    args = parser.parse_args(arguments)
    for name in args.names:
        if name not in known:
            raise ConfigError(f"unknown opponent {name!r}{closest(name, known)}; known: {', '.join(known)}")
    check_folder(args.to)
    configs = {name: load_config(str(CONFIGS / f"{name}.toml"), [f"run.name={name}"]) for name in args.names or known}
    if args.ray:
        bring(list(configs.values()), args.runs, args.ray)
    with resumable():
        for name, config in configs.items():
            run = Run.finished(config, args.runs)
            best = args.to / f"{name}.safetensors"
            ship(run.folder / "policy.safetensors", best)
            if not (config.game.others or read_description(best).get("levels")):
                weights = Weights.load(str(best))
                levels = {level: {"play": play_that_loses(lost, weights)._asdict()} for level, lost in LEVELS.items()}
                change_description(best, levels=levels)
            print(f"policy:{name}", flush=True)
    return 0


def ship(source: Path, target: Path) -> None:
    """Write a policy quantized, with its description; keep an existing file of the same weights and its results."""
    weights = Weights.load(str(source))
    packed = quantize(weights.shape, weights.theta)
    theta = weights.shape.flat(dequantize(weights.shape, packed))
    with suppress(ValueError):  # damaged, or of another version: replace it
        if target.exists() and np.array_equal(Weights.load(str(target)).theta, theta):
            return
    target.parent.mkdir(parents=True, exist_ok=True)
    write_policy(target, packed, read_description(source))


# --- lower levels ----------------------------------------------------------------------------------------------------


def play_that_loses(lost: float, weights: Weights) -> PlaySettings:
    """Find settings at which a policy loses so many points a deal to itself at its best: the fewest turns of lookahead
    that do not lose more, then a temperature by bisection."""
    best = Policy(weights)

    def loses(play: PlaySettings) -> float:
        other = Policy(weights, **play._asdict())
        return match(best, other, weights.rules, deals=DEALS, seed=SEED).diff

    careful = (PlaySettings(turns=turns) for turns in range(1, weights.play.turns))
    turns = next((play.turns for play in careful if loses(play) < lost), weights.play.turns)
    low, high = 0.0, WARMEST
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if loses(PlaySettings(middle, turns)) < lost else (low, middle)
    return PlaySettings(round((low + high) / 2, 3), turns)
