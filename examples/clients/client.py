"""A client of the engine protocol in Python, with only the standard library: it plays a match against the engine.

    python examples/clients/client.py --variant swazi -- casino agents serve --agent greedy

The client runs the game. Its player knows only its own hand: it gets the view of its seat and the turns that are legal.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
from typing import Any

Data = dict[str, Any]


class EngineError(Exception):
    """The engine refuses a request."""


class Engine:
    """Sends requests and reads replies; `send` takes a line and returns the reply line."""

    def __init__(self, send: Any) -> None:
        self._send = send

    def ask(self, do: str, **more: Any) -> Data:
        reply: Data = json.loads(self._send(json.dumps({"do": do, **more})))
        if not reply["ok"]:
            raise EngineError(reply["message"])
        return reply


def by_pipe(command: list[str]) -> Engine:
    """Start an engine as a child process, which ends when the pipe closes."""
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
    assert child.stdin and child.stdout
    lines, replies = child.stdin, child.stdout

    def send(line: str) -> str:
        lines.write(line + "\n")
        lines.flush()
        return replies.readline()

    return Engine(send)


def choose(view: Data, turns: list[Data]) -> Data:
    """The player: return a legal turn that takes the most cards, seeing only its view."""
    best = max(taken(view, turn) for turn in turns)
    return random.choice([turn for turn in turns if taken(view, turn) == best])


def taken(view: Data, turn: Data) -> int:
    """Count the cards that a turn takes, from its text: `capture with 9D*; taking 9H, 5C + 4S`."""
    words = turn["text"].partition("taking")[2].partition(";")[0]
    return words.count(",") + words.count("+") + 1 if words else 0


def play_turn(engine: Engine, state: Data, turn: Data) -> Data:
    """Play the actions of a turn; the engine plays forced actions by itself."""
    seat = state["seat"]
    for action in turn["actions"]:
        if state["over"] or state["seat"] != seat:
            break
        if action in state["legal"]:
            state = engine.ask("apply", action=action, position=state["position"])
    return state


def play(engine: Engine, begun: Data, me: int) -> Data:
    """Play a game to its end; return its last state."""
    state = begun
    while not state["over"]:
        if state["seat"] == me:
            view = engine.ask("see", seat=me, position=state["position"])["view"]
            state = play_turn(engine, state, choose(view, engine.ask("turns", view=view)["turns"]))
        else:
            move = engine.ask("move", position=state["position"])
            state = engine.ask("apply", action=move["action"], position=state["position"])
    return state


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--variant", default="swazi")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("command", nargs="*", help="how the engine is started, after --")
    args = parser.parse_args()
    random.seed(args.seed)
    engine = by_pipe(args.command)
    points = [0, 0]
    for me in (0, 1):  # the same cards from both seats: a match of two deals
        begun = engine.ask("new", variant=args.variant, players=2, seed=args.seed)
        state = play(engine, begun, me)
        points[0] += state["scores"][me]
        points[1] += state["scores"][1 - me]
    print(f"{points[0]} points to {points[1]}: {'won' if points[0] > points[1] else 'not won'}")


if __name__ == "__main__":
    main()
