"""Agents of the package for JavaScript as players of matches here, to see that they are as strong:

casino evaluate match tests.in_node:Player:spec=search:time=0.2 search:time=0.2 --variant swazi --players 3 --deals 200
"""

import base64
import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np

from casino_env.observed import Observed
from casino_env.rules import Rules

PACKAGE = Path(__file__).parents[1] / "packages" / "casino"


class Player:
    """An agent in a process of node. spec: as there, without commas (a + stands for one)."""

    def __init__(self, spec: str) -> None:
        self._spec = spec.replace("+", ",")
        self._process: subprocess.Popen[str] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_process": None}

    def __deepcopy__(self, memo: dict[int, Any]) -> "Player":
        return Player(self._spec)

    def check(self, rules: Rules) -> None:
        self._ask("check", **_game(rules))

    def reset(self, seat: int, rng: np.random.Generator) -> None:
        self._ask("reset", seat=seat, seed=str(rng.integers(2**63)))

    def watch(self, observation: Observed) -> None:
        self._ask("watch", **_seen(observation))

    def act(self, observation: Observed) -> int:
        return int(self._ask("act", **_seen(observation)))

    def _ask(self, what: str, **rest: Any) -> Any:
        if self._process is None:
            command = ["node", str(PACKAGE / "tests" / "player.js"), self._spec]
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(json.dumps({"do": what} | rest) + "\n")
        self._process.stdin.flush()
        reply = json.loads(self._process.stdout.readline() or '{"error": "the program has ended"}')
        if "error" in reply:
            raise ValueError(reply["error"])
        return reply["value"]

    def __del__(self) -> None:
        if getattr(self, "_process", None) is not None:
            self._process.kill()  # type: ignore[union-attr]
            self._process.wait()  # type: ignore[union-attr]


def _game(rules: Rules) -> dict[str, Any]:
    return {"variant": rules.name, "players": rules.players, "rules": rules.differences()}


def _seen(observation: Observed) -> dict[str, Any]:
    view = base64.b64encode(observation.view.tobytes()).decode()
    return _game(observation.rules) | {"seat": observation.seat, "view": view, "legal": observation.legal()}
