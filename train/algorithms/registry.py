"""The algorithms by the names that run.algorithm knows. All share the games, opponents, checkpoints and the loop."""

from __future__ import annotations

from collections.abc import Callable

from casino_env.train.algorithms.afterstates import Afterstates
from casino_env.train.algorithms.base import Algorithm
from casino_env.train.algorithms.best_response import make_response
from casino_env.train.algorithms.dmc import Dmc
from casino_env.train.algorithms.memory import check_memory
from casino_env.train.algorithms.ppo import Ppo
from casino_env.train.process_group import SINGLE, ProcessGroup
from casino_env.train.settings import Config

ALGORITHMS: dict[str, Callable[[Config, ProcessGroup], Algorithm]] = {
    "ppo": Ppo,
    "afterstates": Afterstates,
    "dmc": Dmc,
    "best-response": make_response,
}


def make_algorithm(config: Config, group: ProcessGroup = SINGLE) -> Algorithm:
    check_memory(config)
    return ALGORITHMS[config.run.algorithm](config, group)


def compile_for(config: Config) -> None:
    """All kernels that a run of this config needs, by an iteration of next to nothing."""
    few = config.changed(
        ppo={"games": 2, "horizon": 2, "minibatch": 4},
        afterstates={"deals": 2, "minibatch": 4},
        machine={"overlap": False},
    )
    make_algorithm(few).learn(0.0)
