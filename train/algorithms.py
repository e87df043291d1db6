"""The algorithms by the names that run.algorithm knows. All share the games, opponents, checkpoints and the loop."""

from __future__ import annotations

from train.best_response import BestResponse
from train.config import Config
from train.dmc import Dmc
from train.expert import Expert
from train.nfsp import Nfsp
from train.peers import ALONE, Peers
from train.ppo import Ppo

ALGORITHMS: dict[str, type[Ppo]] = {
    "ppo": Ppo,
    "dmc": Dmc,
    "nfsp": Nfsp,
    "expert": Expert,
    "best-response": BestResponse,
}


def make_algorithm(config: Config, peers: Peers = ALONE) -> Ppo:
    return ALGORITHMS[config.run.algorithm](config, peers)
