"""casino train distil: train a network over actions to play like a policy that judges afterstates, for other programs.

A policy that judges afterstates needs this engine to list them. Its student needs only an observation and an action
mask, and can be exported: casino agents export. It learns the teacher's action probabilities by cross-entropy, and its
value from the results of the deals (Hinton, Vinyals and Dean 2015).
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, NamedTuple

import numpy as np
from pydantic import ValidationError

from casino_env.agents.files import out_file
from casino_env.agents.policy.lookahead import PlaySettings
from casino_env.agents.policy.mlp import Shape, initial
from casino_env.agents.policy.policy_agent import Policy
from casino_env.agents.policy.policy_files import Weights, learnt, read_description, save_policy
from casino_env.agents.registry import AGENTS, make_agent
from casino_env.arrays import Array
from casino_env.compiler.types import allocate
from casino_env.envs.batch import WAIT
from casino_env.envs.options import Options
from casino_env.envs.vector import Batch
from casino_env.rules import Rules
from casino_env.train.config import ConfigError, NetworkConfig, OptimizerConfig, check_options
from casino_env.train.learner import FastLearner, LastLayer, Positions, distillation_gradient, new_sums, one_core
from casino_env.train.run import add_closing, check_closing, closing_matches, closing_text
from casino_env.validate import first_problem

TEMPERATURE = 0.2  # of the teacher, in points: soft probabilities teach more than its choice alone
DEALS = 128  # deals played at a time
KEPT = 200_000  # positions in the replay buffer
REPEATS = 3.0  # how often each position is learnt from, on average
OPTIMIZER = OptimizerConfig(
    minibatch=512, learning_rate=3e-3, final_learning_rate=0.02, max_grad_norm=1.0, ema_decay=0.998
)
VALUE_COEF = 0.25
_EVERY = 10.0  # seconds between two lines of progress


class ReplayBuffer:
    """A ring buffer of positions: new ones overwrite the oldest."""

    def __init__(self, size: int, features: int, shape: Shape) -> None:
        self.rows = allocate(Positions, rows=size, features=features, values=shape.values)
        self.added = 0

    def __len__(self) -> int:
        return min(self.added, len(self.rows.counts))

    def add(self, new: Positions) -> None:
        places = (self.added + np.arange(len(new.counts))) % len(self.rows.counts)
        for mine, theirs in zip(self.rows, new, strict=True):
            mine[places] = theirs
        self.added += len(new.counts)


class Collected(NamedTuple):
    """The positions of a batch of deals, and how well the student agrees with the teacher."""

    rows: Positions
    accuracy: float  # share of the positions in which teacher and student prefer the same action


def collect_teacher(games: Batch, teacher: Policy, student: Policy, rng: np.random.Generator) -> Collected:
    """Let the teacher play the deals to their end on all seats; compare its choices with the student's."""
    shape, value_scale = student.weights.shape, student.weights.value_scale
    parts: list[Positions] = []
    asked: list[tuple[Array, Array]] = []  # games and seats of each part
    points, same = np.zeros((games.num_envs, games.rules.players)), 0
    while (waiting := np.flatnonzero(games.games.legal.any(axis=1))).size:
        seats, legal = games.actor[waiting], games.games.legal[waiting]
        seen = games.rules, games.views()[waiting], seats, legal
        probs, guessed = teacher.probabilities_of_many(*seen), student.probabilities_of_many(*seen)
        lists = games.indices()[waiting]
        counts = (lists < games.layout.size).sum(axis=1)
        parts.append(
            Positions(lists, counts, legal, probs.astype(np.float32), np.zeros((len(seats), shape.values), np.float32))
        )
        asked.append((waiting, seats.copy()))
        same += int((probs.argmax(axis=1) == guessed.argmax(axis=1)).sum())
        actions = np.full(games.num_envs, WAIT)
        upto = probs.cumsum(axis=1)
        actions[waiting] = (upto > rng.random((len(upto), 1)) * upto[:, -1:]).argmax(axis=1)
        games.act(actions)
        points += games.rewards
    for part, (where, seats) in zip(parts, asked, strict=True):
        for k in range(shape.values):
            part.targets[:, k] = points[where, (seats + k) % games.rules.sides] / value_scale
    rows = Positions(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
    return Collected(rows, same / len(rows.counts))


class Distillation:
    """A distillation in progress. If the teacher plays several games, they alternate.

    While the student learns, the teacher plays the next deals on another core.
    """

    def __init__(
        self, teacher: Policy, games: list[Rules], hidden: tuple[int, ...], memory: str, seed: int, deals: int = DEALS
    ) -> None:
        one_core()
        self._rng, self._teacher_rng = np.random.default_rng(seed).spawn(2)
        # A temperature that gives soft probabilities; no lookahead, which would take seven times as long.
        self._teacher = Policy(teacher.weights, temperature=max(TEMPERATURE, teacher.play.temperature), turns=1)
        weights = teacher.weights
        self.shape, own = Shape(weights.layout.size, hidden, weights.shape.values), OPTIMIZER
        theta = initial(self.shape, self._rng)
        self._learner = FastLearner(self.shape, theta, own.minibatch, own.ema_decay, own.max_grad_norm)
        careless = teacher.play.temperature > 0.0  # a teacher that samples gets a student that samples
        play = PlaySettings(temperature=1.0 if careless else 0.0)
        self.weights = Weights(
            weights.rules, weights.layout, self.shape, self._learner.average, weights.value_scale, "the student", play
        )
        self._asked = Policy(replace(self.weights, theta=self.weights.theta.copy()), temperature=1.0)
        options = Options(layout="universal" if weights.layout.universal else "own", memory=memory)
        self._games = cycle([Batch(rules, deals, options, redeal=False) for rules in games])
        self._buffer = ReplayBuffer(KEPT, weights.layout.most, self.shape)
        self._actor = ThreadPoolExecutor(1)
        self._next = self._collect_ahead()

    @property
    def positions(self) -> int:
        """The number of positions collected so far."""
        return self._buffer.added

    def learn(self, progress: float) -> dict[str, float]:
        """Collect a batch, learn from the buffer, return metrics. progress: share of the training done, 0 to 1."""
        collected, self._next = self._next.result(), self._collect_ahead()
        self._buffer.add(collected.rows)
        sums, learning_rate = new_sums(), OPTIMIZER.rate(progress)
        positions = self._buffer.rows

        def gradient(last: LastLayer, chosen: Array) -> None:
            distillation_gradient(last, positions, chosen, VALUE_COEF, self._learner.scratch, sums)

        for _ in range(max(1, round(REPEATS * len(collected.rows.counts) / OPTIMIZER.minibatch))):
            chosen = self._rng.integers(0, len(self._buffer), size=OPTIMIZER.minibatch)
            self._learner.descend(positions, chosen, learning_rate, gradient)
        rows = float(sums["rows"][0])
        return {
            "accuracy": collected.accuracy,
            "loss": float(sums["policy_loss"][0]) / rows,
            "value_loss": float(sums["value_loss"][0]) / rows,
        }

    def _collect_ahead(self) -> Future[Collected]:
        """Start collecting the next batch on the other thread, with a copy of the student's current weights."""
        games = next(self._games)
        games.deal(int(self._teacher_rng.integers(2**48)))
        self._asked.weights.theta[:] = self.weights.theta
        return self._actor.submit(collect_teacher, games, self._teacher, self._asked, self._teacher_rng)


def compile_for(teacher: Policy, games: list[Rules], hidden: tuple[int, ...], memory: str) -> None:
    """Compile all kernels that a distillation needs, by one iteration over two deals."""
    Distillation(teacher, games[:1], hidden, memory, seed=0, deals=2).learn(0.0)


# --- the command -----------------------------------------------------------------------------------------------------


def main(arguments: list[str]) -> int:
    args = _parser().parse_args(arguments)
    if args.agent.partition(":")[0] not in AGENTS:  # a file or a folder
        args.agent = f"policy:{args.agent}"
    _check(args)
    teacher, about = _teacher(args.agent)
    if args.to.resolve() == Path(teacher.weights.name).resolve():
        raise ConfigError(f"--to {args.to}: is the teacher's file; choose another one")
    memory = about.get("memory", "perfect")
    taught = teacher, learnt(about), tuple(args.hidden), memory
    try:
        compile_for(*taught)  # compilation must not count as training time
        student = Distillation(*taught, args.seed)
        seconds = _learn(student, args)
    except KeyboardInterrupt:
        raise KeyboardInterrupt("interrupted; nothing was written") from None
    _save(student, teacher, about, args, seconds)
    _tell(student, args, seconds)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="casino train distil", description=__doc__.splitlines()[0])
    parser.add_argument("agent", metavar="POLICY", help="the teacher: policy:NAME, a file or the folder of a run")
    parser.add_argument("--to", type=out_file, required=True, metavar="FILE", help="such as mine.safetensors")
    parser.add_argument("--minutes", type=float, help="minutes of learning (3)")
    parser.add_argument("--decisions", type=int, help="how many positions it is shown instead; the same seed then "
                        "gives the same weights")  # fmt: skip
    parser.add_argument("--hidden", type=int, nargs="+", default=[128, 128], help="widths of the layers (128 128)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first weights and the deals (0)")
    add_closing(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _check(args: argparse.Namespace) -> None:
    """Check the options; raises ConfigError."""
    check_options(args, minutes=0.001, decisions=1, seed=0)
    check_closing(args)
    if args.minutes is not None and args.decisions is not None:
        raise ConfigError("give --minutes or --decisions, not both")
    try:
        NetworkConfig(hidden=tuple(args.hidden))
    except ValidationError as error:
        raise ConfigError(f"--{first_problem(error, NetworkConfig)}") from None
    if args.to.suffix != ".safetensors":
        raise ConfigError(f"--to {args.to}: must end in .safetensors")
    if not args.to.parent.is_dir():
        raise ConfigError(f"--to {args.to}: no folder {args.to.parent}")
    try:
        TemporaryFile(dir=args.to.parent).close()
    except OSError as error:
        raise ConfigError(f"--to {args.to}: cannot be written: {error.strerror}") from None


def _teacher(spec: str) -> tuple[Policy, dict[str, Any]]:
    """Return the teacher and its description."""
    agent = make_agent(spec)
    if not isinstance(agent, Policy):
        raise ConfigError(f"{spec}: only a policy can be distilled, policy:NAME")
    if agent.weights.shape.judges_actions:
        raise ConfigError(f"{spec}: judges actions already; casino agents export takes it as it is")
    about = read_description(Path(agent.weights.name))
    if about.get("match", False):
        raise ConfigError(f"{spec}: plays whole matches; only policies for deals can be distilled")
    return agent, about


def _learn(student: Distillation, args: argparse.Namespace) -> float:
    """Train for the time or number of positions that args give; return the seconds taken."""
    began = told = time.perf_counter()

    def progress() -> float:
        if args.decisions:
            return float(student.positions / args.decisions)
        return (time.perf_counter() - began) / (60.0 * (args.minutes or 3.0))

    while (done := progress()) < 1.0:
        seen = student.learn(done)
        if time.perf_counter() - told >= _EVERY and not args.json:
            told = time.perf_counter()
            line = f"{told - began:5.0f} s  {done:4.0%}  {student.positions:11,} positions  "
            print(f"{line}agrees with its teacher in {seen['accuracy']:.1%}", file=sys.stderr, flush=True)
    return time.perf_counter() - began


def _save(
    student: Distillation, teacher: Policy, about: dict[str, Any], args: argparse.Namespace, seconds: float
) -> None:  # fmt: skip
    """Write the student with a description that names its games and its teacher."""
    kept: dict[str, Any] = {key: about[key] for key in ("layout", "memory") if key in about}
    if "game" in about.get("config", {}):  # it lists all games, not only the first
        kept["config"] = {"game": about["config"]["game"]}
    weights = student.weights
    taught = {"policy": args.agent, "weights": teacher.digest, "positions": student.positions, "seed": args.seed}
    save_policy(
        args.to, weights.shape, weights.theta, weights.rules,
        kept | {"value_scale": weights.value_scale, "play": weights.play._asdict(),
                "teacher": taught | {"seconds": round(seconds, 1)}},
    )  # fmt: skip


def _tell(student: Distillation, args: argparse.Namespace, seconds: float) -> None:
    """Play and print matches against the teacher and a bot."""
    kept = f"the student is kept: casino evaluate match policy:{args.to} {args.agent} plays matches"
    rows = closing_matches(Policy(student.weights), (args.agent, "counter"), student.weights.rules, args, kept)
    if args.json:
        data = {"policy": str(args.to), "teacher": args.agent, "positions": student.positions}
        found = [row.to_json() | {"a": f"policy:{args.to}"} for row in rows]
        print(json.dumps(data | {"seconds": round(seconds, 1), "matches": found}))
        return
    print(closing_text(f"{student.positions:,} positions", seconds, rows))
    print(f"""\
The student is in {args.to}. Write it for other programs:
  casino agents export {args.to} {args.to.with_suffix(".onnx")}""")
