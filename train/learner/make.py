"""Which learner a config asks for: the fast one on a processor, torch on a GPU or where it is asked for."""

from __future__ import annotations

from typing import Any

import numpy as np

from casino_env.agents.policy.mlp import Shape
from casino_env.train.games.device import find_device, in_kernels
from casino_env.train.learner.fast import FastLearner
from casino_env.train.learner.torch_learner import TorchLearner
from casino_env.train.settings import Config

Array = np.ndarray[Any, Any]


def make_learner(config: Config, shape: Shape, theta: Array) -> FastLearner | TorchLearner:
    ppo = config.ppo
    if in_kernels(config.machine):
        return FastLearner(shape, theta, ppo.minibatch, ppo.ema_decay, ppo.max_grad_norm)
    if config.network.without:
        raise ValueError("network.without needs the kernels of a processor (machine.kernels, machine.device)")
    return TorchLearner(shape, theta, ppo.ema_decay, ppo.max_grad_norm, find_device(config.machine.device))
