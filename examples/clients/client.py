"""A client of the engine protocol in Python, with nothing but the standard library: plays a match against the engine.

    python examples/clients/client.py --variant swazi -- casino agents serve --agent greedy

The house runs the game. What plays knows its hand alone: it gets the view of its seat and asks the engine for advice.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
from typing import Any

Data = dict[str, Any]


class EngineError(Exception):
    """A request that the engine does not grant."""


class Engine:
    """Requests and replies; `send` takes a line and gives the line that comes back."""

    def __init__(self, send: Any) -> None:
        self._send = send

    def ask(self, do: str, **more: Any) -> Data:
        reply: Data = json.loads(self._send(json.dumps({"do": do, **more})))
        if not reply["ok"]:
            raise EngineError(reply["message"])
        return reply


def by_pipe(command: list[str]) -> Engine:
    """An engine as a child process, which ends with the pipe."""
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
    assert child.stdin and child.stdout
    lines, replies = child.stdin, child.stdout

    def send(line: str) -> str:
        lines.write(line + "\n")
        lines.flush()
        return replies.readline()

    return Engine(send)


def choose(view: Data, turns: list[Data]) -> Data:
    """The player: of the turns that are open to it the one that takes most cards, seeing nothing but its view."""
    best = max(taken(view, turn) for turn in turns)
    return random.choice([turn for turn in turns if taken(view, turn) == best])


def taken(view: Data, turn: Data) -> int:
    """Cards that a turn speaks of taking, from its words: `capture with 9D*; taking 9H, 5C + 4S`."""
    words = turn["text"].partition("taking")[2].partition(";")[0]
    return words.count(",") + words.count("+") + 1 if words else 0


def play_turn(engine: Engine, state: Data, turn: Data) -> Data:
    """Its actions one after the other; those without alternative the engine plays by itself."""
    seat = state["seat"]
    for action in turn["actions"]:
        if state["over"] or state["seat"] != seat:
            break
        if action in state["legal"]:
            state = engine.ask("apply", action=action, position=state["position"])
    return state


def play(engine: Engine, begun: Data, me: int) -> Data:
    """A game to its end; returns its last state."""
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
