"""Find out whether a policy lacks capacity, data or better labels: train networks of its shape and wider ones from
scratch on the afterstates of its self-play. Labels are its own values (without noise) or the lambda-returns of the
deals (better, but noisy); the measure is the loss in the exam of the game."""

from __future__ import annotations

import argparse
import json
import time
from typing import Any, NamedTuple

import numpy as np

from benchmarks.doubts import liked, wrong_by
from casino_env.agents.policy.mlp import Shape, initial
from casino_env.agents.policy.policy_agent import Policy, make_policy
from casino_env.agents.policy.policy_files import Weights
from casino_env.agents.policy.shipped import strongest_policy
from casino_env.arrays import Array
from casino_env.evaluate.exam import Paper, papers, read_paper, sit
from casino_env.evaluate.progress import progress
from casino_env.train.config import AfterstatesConfig
from casino_env.train.learner import FastLearner, LastLayer, new_sums, one_core, value_gradient
from casino_env.train.rollouts.by_turns import TurnBuffer, TurnRollouts, filled
from casino_env.train.rollouts.selfplay import Opponents

LABELS = ("values", "targets")  # fields of TurnBuffer
TEMPERATURE = 0.3  # of the policy in self-play, in points
WIDER = 4  # factor of the first layer's width


class Student(NamedTuple):
    label: str
    shape: Shape
    learner: FastLearner


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks capacity", description=__doc__)
    parser.add_argument("games", nargs="+", metavar="GAME", help=f"of {', '.join(papers())}")
    parser.add_argument("--turns", type=int, default=500_000, help="afterstates to learn from (500000)")
    parser.add_argument("--positions", type=int, metavar="N", help="the first of the exam (all)")
    parser.add_argument("--json", action="store_true", help="print JSON, a line a network")
    args = parser.parse_args(arguments)
    one_core()
    for name in args.games:
        paper = read_paper(name)
        path = strongest_policy(paper.rules)
        if path is None:
            raise ValueError(f"no policy was trained for {name}")
        teacher = make_policy(path)
        _tell(paper, teacher, "itself", 0, args)
        for student in _learnt(teacher, args.turns):
            weights, (width, *_) = _as_weights(student, teacher.weights), student.shape.hidden
            _tell(paper, Policy(weights), f"{width} units, {student.label}", args.turns, args)
    return 0


def _learnt(teacher: Policy, turns: int) -> list[Student]:
    """Train all students on the same deals of the teacher."""
    own, weights = AfterstatesConfig(), teacher.weights
    games = TurnRollouts(
        weights.rules, weights.layout, weights.shape, Opponents({}), deals=own.deals, td_lambda=own.td_lambda,
        memory="perfect", seed=7, value_scale=weights.value_scale,
    )  # fmt: skip
    students = [_student(label, weights, wider, own) for label in LABELS for wider in (1, WIDER)]
    rng, seen = np.random.default_rng(7), 0
    with progress(f"{weights.rules.name} {weights.rules.players}", turns) as show:
        while seen < turns:
            games.play(weights.theta, TEMPERATURE)
            buffer = games.take()
            rows, rate = np.flatnonzero(filled(buffer)), own.rate(seen / turns)
            for _ in range(own.epochs):
                order = rng.permutation(rows)
                for at in range(0, len(order) - own.minibatch + 1, own.minibatch):
                    for student in students:
                        _step(student, buffer, order[at : at + own.minibatch], rate)
            seen += len(rows)
            show(min(seen, turns), "")
    return students


def _student(label: str, weights: Weights, wider: int, own: AfterstatesConfig) -> Student:
    first, *others = weights.shape.hidden
    shape = Shape(weights.layout.size, (wider * first, *others), weights.shape.values, logits=0)
    theta = initial(shape, np.random.default_rng(7))
    return Student(label, shape, FastLearner(shape, theta, own.minibatch, own.ema_decay, own.max_grad_norm))


def _step(student: Student, buffer: TurnBuffer, chosen: Array, rate: float) -> None:
    labels, sums = getattr(buffer, student.label), new_sums()

    def gradient(last: LastLayer, rows: Array) -> None:
        value_gradient(last, labels, buffer.side, rows, sums)

    student.learner.descend(buffer, chosen, rate, gradient)


def _as_weights(student: Student, like: Weights) -> Weights:
    """Return the student's weights with its teacher's play settings. Features never seen get zero weights."""
    theta = student.learner.average.copy()
    student.shape.views(theta)["layer0.weight"][student.learner.unseen()] = 0.0
    return Weights(like.rules, like.layout, student.shape, theta, like.value_scale, "a student", like.play)


def _tell(paper: Paper, policy: Policy, who: str, turns: int, args: argparse.Namespace) -> None:
    began = time.process_time()
    marks = sit(policy, paper, most=args.positions).to_json()
    plain = Policy(policy.weights, turns=1, exact=0)
    row: dict[str, Any] = {
        "game": paper.name, "network": who, "turns": turns, "lost": marks["mean"],
        "half": (marks["high"] - marks["low"]) / 2, "positions": marks["positions"],
        "wrong": wrong_by(list(liked(plain, paper))), "seconds": time.process_time() - began,
    }  # fmt: skip
    told = "{game}, {network}: loses {lost:.3f} ± {half:.3f} a turn in {positions} positions; wrong by {wrong:.2f}"
    print(json.dumps(row) if args.json else told.format(**row), flush=True)
