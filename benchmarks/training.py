"""python -m benchmarks training: break down the time of each learner, and compare it with the arithmetic that it needs.

Units are core-microseconds for each decision that is learnt from (afterstates: for each turn). games: rules, dealing,
opponents. turns: listing afterstates. features: encoding observations. judging: the network that plays. forward, loss,
backward, Adam: the network that learns. waiting: idle cores. kernels: judging and learning alone. matrices: only the
matrix products of the same network, dense, without skipping zeros or illegal actions.
"""

from __future__ import annotations

import argparse
import itertools
import json
import time
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch

from benchmarks.page import machine, write
from benchmarks.thoughts import encode_all, judge_all, list_all, record_decisions, see_all, think_all, write_all
from casino_env.agents.policy.mlp import Shape
from casino_env.bench import best_of_rounds, per_second
from casino_env.engine.state import GAME
from casino_env.train.algorithms import make_algorithm
from casino_env.train.algorithms.afterstates import Afterstates
from casino_env.train.algorithms.algorithm import Algorithm
from casino_env.train.algorithms.dmc import Dmc
from casino_env.train.config import Config, load_config
from casino_env.train.rollouts.by_turns import TURNS
from casino_env.train.rollouts.selfplay import AS_LIKELY, Sampling

PARTS = ("games", "turns", "features", "judging", "forward", "loss", "backward", "Adam", "the rest", "waiting")
ARITHMETIC = ("judging", "forward", "loss", "backward", "Adam")  # all work of the network
_ROWS = 512  # rows in a batch of matrix products
# Learner, widths of its network
LEARNERS = (
    ("afterstates", (128, 64)), ("ppo", (128, 128)), ("ppo", (256, 256)), ("dmc", (128, 128)),
)  # fmt: skip

Times = dict[str, float]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks training", description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0, help="for each measurement (10)")
    parser.add_argument("--set", action="append", default=[], metavar="SECTION.SETTING=VALUE", help="as for training")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--write", action="store_true", help="put the table into docs/benchmarks.md")
    args = parser.parse_args(arguments)
    torch.set_num_threads(1)
    rows = [row(learner, widths, args) for learner, widths in LEARNERS]
    lines = _table(rows)
    print(json.dumps(rows) if args.json else "\n".join(lines))
    if args.write:
        how = f"`python -m benchmarks training --write`, {args.seconds:g} s for each measurement"
        write("training", [*machine(("numpy", "numba", "torch"), how), *lines])
    return 0


def row(learner: str, widths: tuple[int, ...], args: argparse.Namespace) -> dict[str, Any]:
    changes = [f"run.algorithm={learner}", f"network.hidden={list(widths)}", *args.set]
    config = load_config(None, changes)
    found = times(config, args.seconds)
    kernels = sum(found[part] for part in ARITHMETIC)
    return {
        "learner": f"{learner} {'x'.join(map(str, widths))}", **found, "kernels": kernels,
        "speed": 1e6 * config.machine.threads / found["loop"],
        "of_kernels": kernels / found["loop"], "of_matrices": found["matrices"] / found["loop"],
    }  # fmt: skip


def _table(rows: list[dict[str, Any]]) -> list[str]:
    lines = [["", *(r["learner"] for r in rows)], ["---", *("---:" for _ in rows)]]
    lines += [[part, *(f"{r[part]:.2f}" for r in rows)] for part in (*PARTS, "loop", "kernels", "matrices")]
    lines += [[title, *(f"{r[key]:.0%}" for r in rows)]
              for title, key in (("kernels / loop", "of_kernels"), ("matrices / loop", "of_matrices"))]  # fmt: skip
    lines.append(["decisions a second", *(f"{r['speed']:,.0f}" for r in rows)])
    return [f"| {' | '.join(line)} |" for line in lines]


# --- the parts of a decision -----------------------------------------------------------------------------------------
# Clocks stand around what Python calls, while one core plays and learns by turns. The games are one kernel: what it
# does for its network is done once more by itself, in positions of such games. What waiting costs shows a run as it
# is, on all cores.


def times(config: Config, seconds: float) -> Times:
    """Return the times of PARTS. loop: of the whole run, summed over cores; matrices: of the matrix products alone."""
    alone = make_algorithm(config.changed(machine={"overlap": False, "threads": 1}))
    alone.learn(0.0)  # compiled
    if isinstance(alone, Afterstates):
        (inside, tables), epochs = _inside_tables(alone, seconds), config.afterstates.epochs
    else:
        inside, tables, epochs = _inside_actions(alone, seconds), 1.0, config.selfplay.epochs
    games = inside.pop("playing") - sum(inside.values())
    matrices = _matrices(alone.shape, tables, epochs, seconds)
    return {
        "games": games,
        "turns": 0.0,
        **inside,
        **_outside(alone, seconds),
        **_together(config, seconds),
        "matrices": matrices,
    }


def _each(works: dict[str, Callable[[], int]], seconds: float) -> Times:
    """Return microseconds for each unit of work; a function returns the number of units that it has done."""
    for work in works.values():
        work()  # compiled
    speeds = best_of_rounds({name: partial(per_second, work) for name, work in works.items()}, seconds)
    return {name: 1e6 / speed for name, speed in speeds.items()}


# --- what Python calls -----------------------------------------------------------------------------------------------


class _Clocks:
    """Seconds spent in functions, by name."""

    def __init__(self) -> None:
        self.spent: defaultdict[str, float] = defaultdict(float)

    def on(self, name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def clocked(*given: Any) -> Any:
            began = time.perf_counter()
            result = work(*given)
            self.spent[name] += time.perf_counter() - began
            return result

        return clocked


def _learn_for(learner: Algorithm, seconds: float) -> tuple[int, float]:
    """Run a learner; return the number of decisions that it learnt from, and the seconds taken."""
    decisions, began = learner.decisions, time.perf_counter()
    while time.perf_counter() - began < seconds:
        learner.learn(0.0)
    return learner.decisions - decisions, time.perf_counter() - began


def _outside(learner: Algorithm, seconds: float) -> Times:
    """Return the times of the parts of learning."""
    clocks, games = _Clocks(), learner.games()
    games.play = clocks.on("play", games.play)
    network: Any = learner.learner
    network.forward, network.backward = clocks.on("forward", network.forward), clocks.on("backward", network.backward)
    descend = clocks.on("descend", network.descend)
    network.descend = lambda rows, chosen, rate, loss: descend(rows, chosen, rate, clocks.on("loss", loss))
    (decisions, whole), spent = _learn_for(learner, seconds), clocks.spent
    spent["the rest"] = whole - spent.pop("play") - spent["descend"]
    spent["Adam"] = spent.pop("descend") - sum(spent[name] for name in ("forward", "loss", "backward"))
    return {name: 1e6 * part / decisions for name, part in spent.items()}


def _together(config: Config, seconds: float) -> Times:
    """Return the time of the normal loop on all cores, and of idle cores, which wait for games or for the learner."""
    learner = make_algorithm(config)
    learner.learn(0.0)
    began = time.process_time()
    done, spent = _learn_for(learner, seconds)
    busy = time.process_time() - began
    learner.wait()  # games played ahead would slow down the next measurement
    loop = 1e6 * spent * config.machine.threads / done
    return {"loop": loop, "waiting": loop - 1e6 * busy / done}


# --- inside the games ------------------------------------------------------------------------------------------------


def _inside_actions(learner: Algorithm, seconds: float) -> Times:
    """Return the times for each decision: playing, encoding the observation, and the network's forward pass."""
    rollouts, theta = learner.games(), learner.learner.weights.flat
    buffer, work = rollouts.buffer, rollouts.works[0]
    sampling = Sampling(0.0, learner.epsilon(0.0)) if isinstance(learner, Dmc) else AS_LIKELY
    player = rollouts.player(theta, sampling)

    def playing() -> int:
        rollouts.play(theta, sampling)
        return len(buffer.counts)

    def features() -> int:
        encode_all(rollouts.games, player, work)
        return len(rollouts.games.records)

    def judging() -> int:
        think_all(theta, learner.shape.record, buffer, work.thought)
        return len(buffer.counts)

    return _each({"playing": playing, "features": features, "judging": judging}, seconds)


def _inside_tables(learner: Afterstates, seconds: float) -> tuple[Times, float]:
    """Return the times for each turn that is learnt from (playing, listing afterstates, encoding them, judging them),
    and the number of afterstates a turn."""
    rollouts, theta = learner.games(), learner.learner.weights.flat
    buffer, deals, work, temperature = rollouts.buffer, rollouts.deals, rollouts.works[0], learner.temperature(0.0)
    turns = int(buffer.used.sum())
    player = rollouts.player(theta, temperature)
    positions = np.zeros(2 * TURNS * len(deals.records), GAME)
    mix = learner.opponents.mix(rollouts.rules)
    count = record_decisions(deals, rollouts.seats, mix, player, work, buffer, positions)
    positions, views = positions[:count], positions[:count].copy()

    def told(kernel: Callable[..., Any], *given: Any) -> Callable[[], int]:
        def work() -> int:
            kernel(*given)
            return turns

        return work

    see_all(positions, deals.rules, player, views)
    tables = list_all(views, deals.rules, work.judged) / turns
    spent = _each(
        {
            "playing": told(rollouts.play, theta, temperature),
            "seeing": told(see_all, positions, deals.rules, player, views),
            "listed": told(list_all, views, deals.rules, work.judged),
            "written": told(write_all, views, deals.rules, player, work.judged),
            "judged": told(judge_all, views, deals.rules, player, work.judged),
        },
        seconds,
    )
    features = spent["seeing"] + spent["written"] - spent["listed"]
    judging = spent["judged"] - spent["written"]
    inside = {"playing": spent["playing"], "turns": spent["listed"], "features": features, "judging": judging}
    return inside, tables


# --- the arithmetic --------------------------------------------------------------------------------------------------


def _matrices(shape: Shape, tables: float, epochs: int, seconds: float) -> float:
    """Return the time of dense matrix products alone: forward for judging; forward and the gradients of weights and of
    all inputs but the first for learning. They do not skip zeros or illegal actions."""
    sizes = (shape.features, *shape.hidden, shape.logits + shape.values)
    weights = [torch.randn(a, b) for a, b in itertools.pairwise(sizes)]
    layers = [torch.randn(_ROWS, size) for size in sizes]

    def forward() -> int:
        for n, weight in enumerate(weights):
            torch.mm(layers[n], weight, out=layers[n + 1])
        return _ROWS

    def backward() -> int:
        for n in range(len(weights) - 1, -1, -1):
            torch.mm(layers[n].t(), layers[n + 1])
            if n:
                torch.mm(layers[n + 1], weights[n].t())
        return _ROWS

    spent = _each({"forward": forward, "backward": backward}, seconds)
    return tables * spent["forward"] + epochs * (spent["forward"] + spent["backward"])
