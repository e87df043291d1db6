"""Measure the error of policies in the difference between two turns, which tells when `think=5` should search.

For each exam question without an exact answer, compare the policy's best turn with its other good ones: the difference
by the policy's values against the measured one."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np

from casino_env.actions import END
from casino_env.agents.policy.policy_agent import Policy, make_policy
from casino_env.agents.policy.shipped import strongest_policy
from casino_env.agents.search.turn_search import _RUNNERS
from casino_env.agents.search.verdicts import NORMAL
from casino_env.arrays import Array
from casino_env.evaluate.exam import UNIT, Marker, Paper, Question, papers, read_paper
from casino_env.observed import observe

MARGINS = (0.1, 0.3, 0.5, 1.0)  # points


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks doubts", description=__doc__)
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"of {', '.join(papers())} (all)")
    parser.add_argument("--policy", metavar="PATH", help="instead of the best one of the game")
    args = parser.parse_args(arguments)
    for name in args.games or papers():
        paper = read_paper(name)
        path = args.policy or strongest_policy(paper.rules)
        if path is None:
            raise ValueError(f"no policy was trained for {name}; name one with --policy")
        print(_text(paper, path, list(liked(make_policy(path, turns=1, exact=0), paper))), flush=True)
    return 0


def liked(policy: Policy, paper: Paper) -> Iterator[Array]:
    """Yield, for each question, the turns that a search would compare, the policy's best one first. Columns: how much
    lower than the first the policy values a turn, how much more it loses, and the standard error of that."""
    marker = Marker()
    for question in paper.questions:
        if question.playouts:
            rows = np.array(sorted(_rows(policy, paper, question, marker), reverse=True)[:_RUNNERS])
            if len(rows) > 1:
                worth, loss, error = rows.T
                yield np.column_stack([worth[0] - worth, loss - loss[0], np.hypot(error, error[0])])


def _rows(policy: Policy, paper: Paper, question: Question, marker: Marker) -> Iterator[tuple[float, float, float]]:
    """Yield, for each judged turn, its value by the policy, its loss, and the standard error of the loss."""
    game = paper.position(question)
    view = observe(game).view
    known = {marker.key(view, game, actions): (loss, half) for loss, half, *actions in question.turns}
    for worth, turn in judged_turns(policy, game):
        loss, half = known.get(marker.key(view, game, turn), (np.nan, np.nan))
        if not np.isnan(loss):
            yield worth, loss / UNIT, half / UNIT / NORMAL


def judged_turns(policy: Policy, game: Any) -> Iterator[tuple[float, list[int]]]:
    """Yield all turns with their values by the network, in points."""
    policy.values_by_side(observe(game))
    judged = policy._fit(game.rules).levels.judged
    walk = judged.afterstates.walk[0]
    for k in range(walk["found"]):
        worth = float(judged.worth[k]) * policy.weights.value_scale
        yield worth, [*walk["paths"][k, : walk["lengths"][k]].tolist(), END]


def wrong_by(questions: list[Array]) -> float:
    """Return the root mean square error, in points, of the policy's difference between two turns of about equal value,
    less the measurement error."""
    gaps, losses, errors = np.concatenate([rows[1:] for rows in questions]).T
    near = gaps < MARGINS[-1]
    return float(max(0.0, np.mean((losses - gaps)[near] ** 2) - np.mean(errors[near] ** 2)) ** 0.5)


def _text(paper: Paper, path: str, questions: list[Array]) -> str:
    lines = [f"{paper.name}, policy:{path}: {len(questions)} positions; wrong by {wrong_by(questions):.2f} points"]
    for margin in MARGINS:
        within = [rows[:, 0] < margin for rows in questions]
        unsure = np.mean([near.sum() > 1 for near in within])
        best = -np.mean([rows[near, 1].min() for rows, near in zip(questions, within, strict=True)])
        lines.append(f"  others within {margin}: {unsure:.0%} of positions; the best of them is {best:.2f} better")
    return "\n".join(lines)
