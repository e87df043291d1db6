"""A match with an agent of an earlier commit: what a change of the agents or of their policies is worth.

    git worktree add ../before COMMIT
    python -m benchmarks earlier ../before policy:swazi-2 policy:swazi-2 --variant swazi --deals 400

The first agent plays here, the second with the code and the weights of the other checkout, in a process of its own. At
each decision it gets the record of the game, in which what its seat cannot know is drawn at random.
"""

from __future__ import annotations

import argparse
import json
import queue
import subprocess
import sys
import threading
import weakref
from pathlib import Path
from typing import Any

import numpy as np

from casino_env.cli import run_command
from casino_env.evaluate import match
from casino_env.evaluate.commands.match import as_text
from casino_env.evaluate.commands.options import add_rules, rules_of
from casino_env.observed import Observed, sample_determinizations

_PATIENCE = 600.0  # seconds for a move, or for compiling

# Runs over there: answers a line with a line.
_PLAYER = """
import json, os, sys
os.chdir(sys.argv[1])
import numpy as np
from casino_env.agents import make_agent
from casino_env import Game, make_rules, observe
agent = make_agent(sys.argv[2])
for line in sys.stdin:
    asked = json.loads(line)
    if "seed" in asked:
        agent.reset(asked["seat"], np.random.default_rng(asked["seed"]))
        print("ready", flush=True)
    else:
        rules = make_rules(asked["variant"], asked["players"], **asked["rules"])
        game = Game.from_bytes(bytes.fromhex(asked["game"]), rules)
        print(int(agent.act(observe(game))), flush=True)
"""


class FailedError(Exception):
    """It has ended, or does not answer."""


class Child:
    """A program that answers a line with a line."""

    def __init__(self, command: list[str], patience: float) -> None:
        self._patience = patience
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8", errors="replace"
        )
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put("")

    def exchange(self, line: str) -> str:
        """The line that comes back."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        except OSError:
            raise FailedError("it has ended") from None
        try:
            answer = self._lines.get(timeout=self._patience)
        except queue.Empty:
            raise FailedError(f"no answer within {self._patience:g} seconds to {line[:80]}") from None
        if not answer:
            raise FailedError(f"it ended instead of answering {line[:80]}")
        return answer

    def ended(self, seconds: float) -> bool:
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def close(self) -> None:
        self._process.kill()
        self._process.wait()


class Elsewhere:
    """An agent of another checkout."""

    def __init__(self, folder: Path, spec: str) -> None:
        self.name, self._folder, self._spec = f"{spec} in {folder}", folder, spec
        self._child = Child([sys.executable, "-c", _PLAYER, str(folder), spec], _PATIENCE)
        weakref.finalize(self, self._child.close)
        self.reset(0, np.random.default_rng())

    def __deepcopy__(self, memo: dict[int, Any]) -> Elsewhere:
        """For another seat."""
        return Elsewhere(self._folder, self._spec)

    def reset(self, seat: int, rng: np.random.Generator) -> None:
        self._rng = rng
        self._ask({"seat": seat, "seed": int(rng.integers(2**32))})

    def act(self, observation: Observed) -> int:
        rules, games = observation.rules, sample_determinizations(observation, 1, self._rng)
        changes = {"variant": rules.name, "players": rules.players, "rules": rules.differences()}
        return int(self._ask(changes | {"game": games.tobytes().hex()}))

    def _ask(self, what: dict[str, Any]) -> str:
        try:
            return self._child.exchange(json.dumps(what))
        except FailedError as error:
            ended = self._child.ended(1.0)
            raise ValueError(f"{self.name}: its process has ended; what it said is above" if ended else error) from None


def main(arguments: list[str] | None = None) -> int:
    args = _parser().parse_args(arguments)
    return run_command("benchmarks earlier", lambda: _play(args))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks earlier", description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="checkout of the earlier commit")
    parser.add_argument("here", metavar="AGENT", help="of this checkout")
    parser.add_argument("there", metavar="EARLIER", help="agent of the other")
    add_rules(parser)
    parser.add_argument("--deals", type=int, default=400, help="each is played from every seat (400)")
    parser.add_argument("--seed", type=int, default=1, help="of the deals (1)")
    return parser


def _play(args: argparse.Namespace) -> int:
    if not (args.folder / "casino_env").is_dir():
        raise ValueError(f"{args.folder}: no checkout of this project; git worktree add {args.folder} COMMIT makes one")
    there = Elsewhere(args.folder, args.there)
    print(as_text(match(args.here, there, rules_of(args), deals=args.deals, seed=args.seed).to_json()))
    return 0
