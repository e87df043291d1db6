"""A match with an agent of an earlier commit: what a change of the agents or of their policies is worth.

    git worktree add ../before COMMIT
    python -m benchmarks earlier ../before policy:swazi-2 policy:swazi-2 --variant swazi --deals 400

The first agent plays here, the second with the code and the weights of the other checkout, in a process of its own. At
each decision it gets the record of the game, in which what its seat cannot know is drawn at random.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import weakref
from pathlib import Path
from typing import Any

import numpy as np

from casino_env.guarded import guarded
from casino_env.observed import Observed, sample_games
from casino_env.rules import make_rules
from evaluate import match

# Runs over there.
_PLAYER = """
import json, sys
import numpy as np
from agents import make_agent
from casino_env import Game, make_rules, observe
agent = make_agent(sys.argv[1])
print("ready", flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    if "seed" in asked:
        agent.reset(asked["seat"], np.random.default_rng(asked["seed"]))
    else:
        rules = make_rules(asked["variant"], asked["players"], **asked["rules"])
        game = Game.from_bytes(bytes.fromhex(asked["game"]), rules)
        print(int(agent.act(observe(game))), flush=True)
"""


class Elsewhere:
    """An agent of another checkout."""

    def __init__(self, folder: Path, spec: str) -> None:
        self.name, self._folder, self._spec = f"{spec} in {folder}", folder, spec
        self._rng = np.random.default_rng()
        self._process = subprocess.Popen(
            [sys.executable, "-c", _PLAYER, spec], cwd=folder, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        weakref.finalize(self, self._process.kill)
        self._hear()

    def __deepcopy__(self, memo: dict[int, Any]) -> Elsewhere:
        """For another seat."""
        return Elsewhere(self._folder, self._spec)

    def reset(self, seat: int, rng: np.random.Generator) -> None:
        self._rng = rng
        self._tell({"seat": seat, "seed": int(rng.integers(2**32))})

    def act(self, observation: Observed) -> int:
        rules, games = observation.rules, sample_games(observation, 1, self._rng)
        changes = {"variant": rules.name, "players": rules.players, "rules": rules.differences()}
        self._tell(changes | {"game": games.tobytes().hex()})
        return int(self._hear())

    def _tell(self, what: dict[str, Any]) -> None:
        assert self._process.stdin
        print(json.dumps(what), file=self._process.stdin, flush=True)

    def _hear(self) -> str:
        assert self._process.stdout
        line = self._process.stdout.readline().strip()
        if not line:
            raise ValueError(f"{self.name}: its process has ended; what it said is above")
        return line


def main(arguments: list[str] | None = None) -> int:
    args = _parser().parse_args(arguments)
    return guarded("benchmarks earlier", lambda: _play(args))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks earlier", description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="checkout of the earlier commit")
    parser.add_argument("here", metavar="AGENT", help="of this checkout")
    parser.add_argument("there", metavar="EARLIER", help="agent of the other")
    parser.add_argument("--variant", default="south-african", help="name of a preset (south-african)")
    parser.add_argument("--players", type=int, default=2, help="number of seats (2)")
    parser.add_argument("--singles", action="store_true", help="no partners")
    parser.add_argument("--deals", type=int, default=400, help="each is played from every seat (400)")
    parser.add_argument("--seed", type=int, default=1, help="of the deals (1)")
    return parser


def _play(args: argparse.Namespace) -> int:
    rules = make_rules(args.variant, args.players, **({"partners": False} if args.singles else {}))
    if not (args.folder / "casino_env").is_dir():
        raise ValueError(f"{args.folder}: no checkout of this project; git worktree add {args.folder} COMMIT makes one")
    found = match(args.here, Elsewhere(args.folder, args.there), rules, deals=args.deals, seed=args.seed)
    print(
        f"{rules.name} {rules.players}: {found.a} - {found.b}: {found.diff:+.3f} ({found.low:+.3f} to "
        f"{found.high:+.3f}) points a deal, {found.deals} deals, seed {found.seed}, {found.seconds:.0f} s"
    )
    return 0
