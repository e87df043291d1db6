"""Loaded first by the process that workers are forked from: what they need is there and compiled, once for all."""

from __future__ import annotations

import gc
import signal
import sys
from typing import Any


def get_ready() -> None:
    from casino_env.play.web.crew import end_with_parent

    end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends its workers
    try:
        rehearse()
    except Exception as error:  # noqa: BLE001  a worker meets the same error, and has somebody to tell it to
        sys.stderr.write(f"play: {type(error).__name__}: {error}\n")
    gc.collect()
    gc.freeze()


def rehearse() -> None:
    """Every job once: whatever has to be compiled is, while nobody waits with a clock."""
    from casino_env.play.players import Players
    from casino_env.play.web import jobs

    players = Players()
    done = jobs.begin(players, "rehearsal", {"variant": "mini", "seats": ["you", "greedy"]})
    while done.table and not done.table.game.over:
        done = _play_on(players, done, jobs)
    record = done.table.record() if done.table else ""
    jobs.replay(players, {"record": record}, "greedy")
    jobs.engine(players, b'{"do": "new"}', ["greedy"])


def _play_on(players: Any, done: Any, jobs: Any) -> Any:
    kept, what, actions = done.kept(), "advance", []
    if done.table.mine:
        what, actions = "move", list(done.table.moves()[0].actions)
        jobs.hints(players, kept, "greedy")
    jobs.position(players, kept)
    return jobs.change(players, kept, "rehearsal", what, actions, 0)


if sys.argv == ["-c"]:  # in that process, and in no other that may import this
    get_ready()
