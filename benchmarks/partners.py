"""Partners who draw by the same seed against partners who do not: what an agent owes to a partner who draws as it does.

    python -m benchmarks partners strongest:sims=16 --variant khasino --players 4 --deals 20000 --out pairs.jsonl

Two who draw alike could tell from their own thoughts what the other one is about to do, which nobody at a table can. An
agent that thinks of its partner as of anybody else wins nothing by it.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from casino_env.agents.base import show_to
from casino_env.agents.registry import make_agent
from casino_env.cli import run_command
from casino_env.evaluate.commands.match import as_text, with_progress
from casino_env.evaluate.commands.options import add_rules, rules_of
from casino_env.evaluate.matches.books import make_book
from casino_env.evaluate.matches.match import Contest, digest_of
from casino_env.evaluate.matches.workers import Threads
from casino_env.observed import Observed


class Alike:
    """An agent that draws in every seat of a deal by the same seed."""

    def __init__(self, spec: str) -> None:
        self.name, self._spec, self._agent = f"{spec} drawing alike", spec, make_agent(spec)
        self.digest = digest_of(self._agent)

    def __deepcopy__(self, memo: dict[int, Any]) -> Alike:
        """For another seat."""
        return Alike(self._spec)

    def reset(self, seat: int, rng: np.random.Generator) -> None:
        *deal, _seat = rng.bit_generator.seed_seq.entropy  # type: ignore[attr-defined]
        self._agent.reset(seat, np.random.default_rng(deal))

    def watch(self, observation: Observed) -> None:
        show_to(self._agent, observation)

    def act(self, observation: Observed) -> int:
        return int(self._agent.act(observation))


def main(arguments: list[str] | None = None) -> int:
    args = _parser().parse_args(arguments)
    return run_command("benchmarks partners", lambda: _play(args))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks partners", description=__doc__.splitlines()[0])
    parser.add_argument("agent", metavar="AGENT")
    add_rules(parser)
    parser.add_argument("--deals", type=int, default=400, help="each is played from either side (400)")
    parser.add_argument("--seed", type=int, default=1, help="of the deals (1)")
    parser.add_argument("--out", metavar="FILE", help="keep the deals here and go on from what it holds")
    return parser


def _play(args: argparse.Namespace) -> int:
    rules = rules_of(args)
    if not rules.partners:
        raise ValueError(f"{rules.name} with {rules.players} players: nobody has a partner; try --players 4")
    agents, book = (Alike(args.agent), args.agent), make_book(rules, args.deals, args.seed)
    contest = Contest(agents, book, seed=args.seed, out=args.out or "")
    try:
        with Threads(1) as workers:
            with_progress(contest, workers)
    finally:
        contest.close()
    print(as_text(contest.result().to_json()))
    return 0
