"""The algorithms by the names that run.algorithm knows. All share the games, opponents, checkpoints and the loop."""

from __future__ import annotations

from train.algorithms.best_response import BestResponse
from train.algorithms.dmc import Dmc
from train.algorithms.expert import Expert
from train.algorithms.nfsp import Nfsp
from train.algorithms.ppo import Ppo
from train.config import Config, ConfigError
from train.processes import ALONE, Peers

ALGORITHMS: dict[str, type[Ppo]] = {
    "ppo": Ppo,
    "dmc": Dmc,
    "nfsp": Nfsp,
    "expert": Expert,
    "best-response": BestResponse,
}


_ALONE = ("nfsp", "expert")  # their memories are those of a process, and so are the steps that they take


def make_algorithm(config: Config, peers: Peers = ALONE) -> Ppo:
    name = config.run.algorithm
    if peers is not ALONE and name in _ALONE:
        raise ConfigError(f"run.algorithm = {name!r} trains in one process; ppo, dmc and best-response do in several")
    return ALGORITHMS[name](config, peers)
