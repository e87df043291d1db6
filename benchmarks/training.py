"""python -m benchmarks training: decisions a second of training, beside the arithmetic that it cannot do without.

loop: playing, learning and logging as in a run. dense: the matrix products of the same network alone, on made-up
numbers, as a network would do them that takes no notice of what is zero or illegal; each core works on its own batches,
so this is what two cores could do if games, sampling and everything else cost nothing. sparse: our own kernels for the
same network alone, on recorded rows. All in turn, several times, best of each: the machine may be busy.
"""

from __future__ import annotations

import argparse
import itertools
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import torch

from agents.policy.mlp import Shape, new_thought
from benchmarks.thoughts import think_all
from benchmarks.timer import best_of_rounds, per_second
from casino_env.actions import ACTIONS
from train.algorithms.ppo import Ppo
from train.config import load_config
from train.learner.fast import FastLearner
from train.learner.gradient import Aims, PpoLoss, new_sums
from train.settings import Config

_ACTING, _LEARNING = 256, 2048  # rows of a batch
_WIDTHS = (128, 256)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks training", description=__doc__)
    parser.add_argument("--seconds", type=float, default=15.0, help="for each measurement (15)")
    parser.add_argument("--set", action="append", default=[], metavar="SECTION.SETTING=VALUE", help="as for training")
    parser.add_argument("--json", action="store_true", help="print JSON")
    args = parser.parse_args(arguments)
    torch.set_num_threads(1)
    rows = [row(load_config(None, [f"network.hidden=[{w},{w}]", *args.set]), args.seconds) for w in _WIDTHS]
    if args.json:
        print(json.dumps(rows))
        return 0
    print(
        "| network | loop | dense | loop / dense | sparse | loop / sparse |\n| --- | ---: | ---: | ---: | ---: | ---: |"
    )
    for r in rows:
        cells = (r["network"], *(f"{r[name] / 1e3:,.0f} k" for name in ("loop", "dense")), f"{r['of_dense']:.0%}",
                 f"{r['sparse'] / 1e3:,.0f} k", f"{r['of_sparse']:.0%}")  # fmt: skip
        print(f"| {' | '.join(cells)} |")
    return 0


def row(config: Config, seconds: float) -> dict[str, Any]:
    ppo = Ppo(config)
    ppo.learn(0.0)
    best = best_of_rounds(
        {
            "loop": lambda s: _loop(ppo, s),
            "dense": lambda s: _on_two_cores(lambda: _dense(ppo.shape, s)),
            "sparse": lambda s: _on_two_cores(lambda: _sparse(ppo, s)),
        },
        seconds,
    )
    shares = {f"of_{name}": best["loop"] / best[name] for name in ("dense", "sparse")}
    return {"network": "x".join(map(str, config.network.hidden)), **best, **shares}


def _on_two_cores(measure: Callable[[], float]) -> float:
    with ThreadPoolExecutor(2) as pool:
        return sum(job.result() for job in [pool.submit(measure) for _ in range(2)])


def _loop(ppo: Ppo, seconds: float) -> float:
    def work() -> int:
        before = ppo.decisions
        ppo.learn(0.0)
        return ppo.decisions - before

    speed = per_second(work, seconds)
    ppo.wait()  # the games played ahead would slow down what is measured next
    return speed


def _dense(shape: Shape, seconds: float) -> float:
    """Forward for acting; forward, gradients of weights and of all inputs but the first for learning."""
    sizes = (shape.features, *shape.hidden, ACTIONS + shape.values)
    weights = [torch.randn(a, b) for a, b in itertools.pairwise(sizes)]
    acting = [torch.randn(_ACTING, size) for size in sizes]
    learning = [torch.randn(_LEARNING, size) for size in sizes]

    def work() -> int:
        for _ in range(_LEARNING // _ACTING):
            for n, weight in enumerate(weights):
                torch.mm(acting[n], weight, out=acting[n + 1])
        for n, weight in enumerate(weights):
            torch.mm(learning[n], weight, out=learning[n + 1])
        for n in range(len(weights) - 1, -1, -1):
            torch.mm(learning[n].t(), learning[n + 1])
            if n:
                torch.mm(learning[n + 1], weights[n].t())
        return _LEARNING

    return per_second(work, seconds)


def _sparse(ppo: Ppo, seconds: float) -> float:
    """Thinking and learning steps on rows as they are."""
    played, settings = ppo.collectors[0].buffer, ppo.config.ppo
    buffer = played._replace(**{name: array.copy() for name, array in played._asdict().items()})
    theta = ppo.learner.weights.flat.copy()
    learner = FastLearner(ppo.shape, theta, settings.minibatch, settings.ema_decay, settings.max_grad_norm)
    count = len(buffer.counts)
    ones = np.ones(count, np.float32)
    aims, loss = Aims(ones, ones, np.ones((count, ppo.rules.sides), np.float32)), PpoLoss(0.0, 0.0, 0.0)
    thought = new_thought(ppo.shape, ppo.layout.most)

    def work() -> int:
        think_all(theta, ppo.shape.record, buffer, thought)
        for at in range(0, count - settings.minibatch + 1, settings.minibatch):
            learner.step(buffer, np.arange(at, at + settings.minibatch), aims, loss, 0.0, new_sums())
        return count

    return per_second(work, seconds)
