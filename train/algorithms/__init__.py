"""The training algorithms, one a file, and their names in run.algorithm."""

from __future__ import annotations

from casino_env.train.algorithms.afterstates import Afterstates
from casino_env.train.algorithms.algorithm import Algorithm
from casino_env.train.algorithms.best_response import BestResponse
from casino_env.train.algorithms.dmc import Dmc
from casino_env.train.algorithms.ppo import Ppo
from casino_env.train.config import Config, ConfigError
from casino_env.validate import closest

ALGORITHMS: dict[str, type[Algorithm]] = {
    "afterstates": Afterstates,
    "ppo": Ppo,
    "dmc": Dmc,
    "best-response": BestResponse,
}


def kind_of(config: Config) -> type[Algorithm]:
    """Return the algorithm that a config names; raise ConfigError for settings that it does not support."""
    name = config.run.algorithm
    if name not in ALGORITHMS:
        near = closest(name, list(ALGORITHMS))
        raise ConfigError(f"run.algorithm = {name!r}: unknown algorithm{near}; known: {', '.join(ALGORITHMS)}")
    kind, machine = ALGORITHMS[name], config.machine
    if not kind.in_torch and not (machine.kernels and machine.device != "cuda"):
        raise ConfigError(f"run.algorithm = {name!r} needs machine.kernels = true and machine.device = 'cpu'")
    if config.game.others and not (kind.several_games and config.game.layout == "universal"):
        several = " or ".join(name for name, kind in ALGORITHMS.items() if kind.several_games)
        raise ConfigError(f"game.others needs game.layout = 'universal' and run.algorithm = {several}")
    return kind


def make_algorithm(config: Config) -> Algorithm:
    return kind_of(config).make(config)


def compile_for(config: Config) -> None:
    """Compile all kernels that a run of this config needs, by running a tiny iteration."""
    few = config.changed(
        selfplay={"games": 2, "horizon": 2, "minibatch": 4},
        afterstates={"deals": 2, "minibatch": 4},
        machine={"overlap": False},
    )
    make_algorithm(few).learn(0.0)
