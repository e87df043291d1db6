"""How much memory a run will need, and whether it is there: said before anything is made."""

from __future__ import annotations

import os
import resource
from pathlib import Path

from casino_env.agents.policy.mlp import Shape, value_outputs
from casino_env.engine.state import GAME
from casino_env.knowledge.layout import Layout, make_layout
from casino_env.rules import Rules
from casino_env.train.games.turns import TURNS
from casino_env.train.settings import Config, ConfigError

_COPIES = 6  # of the weights: themselves, their average, gradient, two moments, those that are played with
_GROUP = Path("/sys/fs/cgroup/memory.max")


def check_memory(config: Config) -> None:
    """Raises ConfigError if a run needs more than this machine has."""
    need, there = needed(config), available()
    if need > there:
        raise ConfigError(
            f"this run needs about {need / 2**30:,.1f} GB of memory, and here are {there / 2**30:,.1f}: less of "
            "ppo.games x ppo.horizon, afterstates.deals, opponents.pool or network.hidden would do"
        )


def needed(config: Config) -> int:
    """Bytes, roughly."""
    rules = config.game.all_rules()
    layouts = [make_layout(one, universal=config.game.layout == "universal") for one in rules]
    games = sum(_of_games(config, *pair) for pair in zip(rules, layouts, strict=True))
    shape = Shape(layouts[0].size, config.network.hidden, max(map(value_outputs, rules)))
    pooled = config.opponents.frozen and config.run.algorithm in ("ppo", "dmc", "afterstates")
    frozen = config.opponents.pool if pooled else 1
    by_turns = config.run.algorithm == "afterstates"
    minibatch = config.afterstates.minibatch if by_turns else config.ppo.minibatch
    activations = 8 * minibatch * sum(config.network.hidden)
    return games + 4 * shape.size * (_COPIES + frozen) + activations


def _of_games(config: Config, rules: Rules, layout: Layout) -> int:
    """The games of one kind, and what is written down of them: a buffer to learn from, one that is filled."""
    games, length = config.ppo.games, config.ppo.horizon
    if config.run.algorithm == "afterstates":
        games, length = config.afterstates.deals, TURNS
    return 2 * games * length * _row(layout.most, rules.sides) + 2 * GAME.itemsize * games


def _row(features: int, sides: int) -> int:
    return 2 * features + 8 * sides + 64


def available() -> int:
    """Bytes that this process may have at most."""
    most = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    try:
        group = int(_GROUP.read_text())
    except (OSError, ValueError):  # none, or "max"
        group = most
    return min(most, group, limit if limit != resource.RLIM_INFINITY else most)
