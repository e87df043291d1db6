"""Which learner and rollout a config asks for: kernels for the fast network, torch for others and on a GPU."""

from __future__ import annotations

from typing import Any

import numpy as np

from agents.policy.mlp import Shape
from casino_env.rules import Rules
from train.config import Config
from train.games.rollout import Opponents, Rollout
from train.games.torch_rollout import TorchRollout
from train.learner.autograd import TorchLearner
from train.learner.device import find_device
from train.learner.mlp import MlpLearner

Array = np.ndarray[Any, Any]


def make_learner(config: Config, shape: Shape, theta: Array) -> MlpLearner | TorchLearner:
    ppo, device = config.ppo, find_device(config.machine.device)
    if _fast(config, device):
        return MlpLearner(shape, theta, ppo.minibatch, ppo.average, ppo.norm)
    return TorchLearner(shape, theta, ppo.average, ppo.norm, device)


def make_rollout(config: Config, rules: Rules, shape: Any, opponents: Opponents, seed: int, first: int) -> Rollout:
    """first: of the games of this seed, so many belong to other processes."""
    ppo, machine, device = config.ppo, config.machine, find_device(config.machine.device)
    sizes: dict[str, Any] = {
        "games": ppo.games,
        "horizon": ppo.horizon,
        "seed": seed,
        "first": first,
    }
    if _fast(config, device):
        threads = 1 if machine.overlap else machine.threads
        return Rollout(rules, config.game.options(), shape, opponents, **sizes, threads=threads)
    return TorchRollout(rules, config.game.options(), shape, opponents, **sizes, device=device)


def _fast(config: Config, device: Any) -> bool:
    return config.machine.kernels and bool(device.type == "cpu")
