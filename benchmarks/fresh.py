"""Test whether `casino evaluate fresh` ranks models correctly: bots behind the text interface (random, greedy, counter,
and an erring greedy, whose every tenth reply is a random legal turn), with other deals in each repetition.

A repetition is right if it ranks them random, erring, greedy, counter, from worst to best. Results are kept in the
folder of --out, and a later call resumes.
"""

from __future__ import annotations

import argparse
import json
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from casino_env.agents.base import planned_turn
from casino_env.agents.language.text_agent import Answer, Message, TextAgent
from casino_env.agents.protocol.analysis import with_forced
from casino_env.agents.registry import make_agent
from casino_env.evaluate.exam import PARTS
from casino_env.evaluate.fresh.scoring import Score, play
from casino_env.evaluate.fresh.sets import OURS, read_set
from casino_env.evaluate.matches.pairing import Entrant
from casino_env.observed import Observed, actions_text
from casino_env.turns import turn_text

MODELS = {"random": "random", "erring": "greedy", "greedy": "greedy", "counter": "counter"}  # the worst first
_EVERY = 10  # the erring one errs in one of so many replies


class Scripted:
    """A model that does not read its prompt: it gets the observation, and answers by text."""

    seen: Observed

    def __init__(self, name: str) -> None:
        self.name = name
        self._bot, self._rng, self._replies = make_agent(MODELS[name]), np.random.default_rng(0), 0

    def begin(self, seat: int, rng: np.random.Generator) -> None:
        self._rng, self._replies = rng, int(rng.integers(_EVERY))
        self._bot.reset(seat, np.random.default_rng(rng.integers(2**63)))

    def answer(self, messages: list[Message]) -> Answer:
        seen, self._replies = self.seen, self._replies + 1
        if self.name == "erring" and self._replies % _EVERY == 0:
            return Answer(f"Turn: {seen.turns[int(self._rng.integers(len(seen.turns)))].text}")
        game = seen.determinizations(1, self._rng)[0]
        turn = with_forced(game, planned_turn(self._bot, game))
        return Answer(f"Turn: {turn_text(game.records, game.rules_record, turn) or actions_text(turn)}")


class ScriptedAgent(TextAgent):
    model: Scripted

    def reset(self, seat: int, rng: np.random.Generator) -> None:
        super().reset(seat, rng)
        self.model.begin(seat, rng)

    def act(self, observation: Observed) -> int:
        self.model.seen = observation
        return super().act(observation)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks fresh", description=__doc__)
    parser.add_argument("--repetitions", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1, help="of the first repetition, the others follow (1)")
    parser.add_argument("--deals", type=int, default=100, help="of each repetition (100)")
    parser.add_argument("--part", choices=PARTS, default=PARTS[0], help="of the set (public)")
    parser.add_argument("--set", type=Path, default=OURS, metavar="FILE", help="another set than that of the project")
    parser.add_argument("--out", type=Path, default=Path("build/fresh"), metavar="FOLDER", help="(build/fresh)")
    parser.add_argument("--processes", type=int, default=1)
    args = parser.parse_args(arguments)
    right, refused = 0, 0
    seeds = range(args.seed, args.seed + args.repetitions)
    jobs = [(seed, args.deals, args.part, args.set, args.out) for seed in seeds]
    with get_context("spawn").Pool(args.processes) as pool:
        for number, found in enumerate(pool.imap(_repetition, jobs), 1):
            points, behind = found["points"], found["behind"]
            right += all(gap["mean"] > 0 for gap in behind)
            refused += found["refused"]
            said = ", ".join(f"{name} {value:+.2f}" for name, value in points.items())
            gaps = " ".join(f"{gap['mean']:.2f} ± {gap['mean'] - gap['low']:.2f}" for gap in behind)
            print(f"{number}: {said}; gaps {gaps}; half {found['half']:.2f}; right {right} of {number}", flush=True)
    print(json.dumps({"right": right, "repetitions": args.repetitions, "refused": refused}))
    return int(right < args.repetitions)


def _repetition(job: tuple[int, int, str, Path, Path]) -> dict[str, Any]:
    seed, deals, part, file, out = job
    games, scores = read_set(file).rules(part), []
    for name in MODELS:
        who = Entrant(name, ScriptedAgent(Scripted(name)), by_name=False)
        scores.append(Score(name, [*play(who, games, deals, seed, 1, out / f"{name}-{seed}.sqlite")]))
    return {
        "points": {score.agent: score.points.mean for score in scores},
        "behind": [better.over(score)._asdict() for score, better in pairwise(scores)],
        "half": max(score.points.mean - score.points.low for score in scores),
        "refused": sum(score.refused for score in scores),
    }
