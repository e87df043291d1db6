"""casino train opponents: train the policies that come with the project (agents/policy/shipped.py).

Each is a file in configs/opponents/. A training that was cut off is resumed, and one that is finished is not
repeated, so the same command always ends with all of them in place. The lower levels are the same weights, and rows of
the same description; they look less far ahead, and play at the temperature at which they lose so many points a deal to
the best (LEVELS).
"""

from __future__ import annotations

import argparse
from contextlib import suppress
from pathlib import Path

import numpy as np

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
from casino_env.rules import closest
from casino_env.train.commands.ray_trainings import add_ray, bring
from casino_env.train.config import ConfigError, load_config
from casino_env.train.run import Run

LEVELS = {"medium": 1.5, "easy": 3.0}  # points a deal that each loses to the best
WARMEST, STEPS = 2.0, 5  # temperatures are looked for between 0 and this, in points
DEALS, SEED = 300, 77  # by which they are found
CONFIGS = Path(__file__).parents[2] / "configs" / "opponents"


def main(arguments: list[str]) -> int:
    known = sorted(path.stem for path in CONFIGS.glob("*.toml"))
    parser = argparse.ArgumentParser(prog="casino train opponents", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which ({', '.join(known)}); all if none is given")
    parser.add_argument("--runs", type=Path, default=Path("runs"), help="where the folders of the runs are (runs)")
    parser.add_argument("--to", type=Path, default=SHIPPED, help="where the policies are put (agents/policies)")
    add_ray(parser)
    args = parser.parse_args(arguments)
    for name in args.names:
        if name not in known:
            raise ConfigError(f"unknown opponent {name!r}{closest(name, known)}; known: {', '.join(known)}")
    configs = {name: load_config(str(CONFIGS / f"{name}.toml"), [f"run.name={name}"]) for name in args.names or known}
    if args.ray:
        bring(list(configs.values()), args.runs, args.ray)
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
    """Packed, with its description; if these weights are there already, what was measured of them stays."""
    weights = Weights.load(str(source))
    packed = quantize(weights.shape, weights.theta)
    theta = weights.shape.flat(dequantize(weights.shape, packed))
    with suppress(ValueError):  # what is damaged, or was made for other versions, makes place for them
        if target.exists() and np.array_equal(Weights.load(str(target)).theta, theta):
            return
    target.parent.mkdir(parents=True, exist_ok=True)
    write_policy(target, packed, read_description(source))


# --- lower levels ----------------------------------------------------------------------------------------------------


def play_that_loses(lost: float, weights: Weights) -> PlaySettings:
    """How a policy has to play to lose so many points a deal to itself at its best: it looks as few turns ahead as it
    can without losing more, and the rest is temperature, found by halving."""
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
