"""Inputs: lines of the engine protocol; every conversation must go on after a corrupted line."""

from __future__ import annotations

import io
import json
from functools import cache
from random import Random
from typing import Any
from unittest import mock

from casino_env.actions import action_text
from casino_env.agents.protocol import analysis
from casino_env.agents.protocol.session import Session, answer_lines
from casino_env.agents.registry import AGENTS
from tests.hostile.engine import spoil_position
from tests.hostile.games import moments
from tests.hostile.kind import RUNS_IT, Kind, RefusedError
from tests.hostile.spoiling import spoil_json_text

_SEARCHES = ("search:sims=4", "search:sims=4,rollout=random")
_AGENTS = ("greedy", "counter", *_SEARCHES, "policy:universal", "solved:greedy", RUNS_IT)

# Values of parameters.
_NUMBERS = ("0", "1", "2", "-1", "1e-9", "1e-320", "1e308", "1e999", "nan", "inf", "9" * 400, "0x1", "", "true")
_TEXTS = ("flat", "counter", "greedy", "random", "search", "policy:khasino-2", "khasino-2", "../x", "/dev/zero", "\x00")


def seeds(rng: Random) -> list[bytes]:
    """Make conversations: a new game or a position, an action or two, a move; each line is a request."""
    found = []
    for game in moments(rng, 3):
        position, legal = game.to_json(), [action_text(action) for action in game.legal()]
        new = {"do": "new", "variant": game.rules.name, "players": game.rules.players, "seed": 1, "rules": {}}
        apply = {"do": "apply", "id": "a", "position": position, "action": rng.choice(legal or ["end"])}
        move = {"do": "move", "position": position, "agent": rng.choice(_AGENTS), "seed": 3}
        search = {"do": "move", "agent": "search", "simulations": 4}
        found.append(_lines([{"do": "hello", "id": 1}, new, search]))
        found.append(_lines([apply, search]))
        found.append(_lines([{"do": "position", "id": [1], "position": position}, search]))
        found.append(_lines([move]))
    return found


def _lines(requests: list[dict[str, Any]]) -> bytes:
    return b"\n".join(json.dumps(request).encode() for request in requests)


def spoil(conversation: bytes, rng: Random) -> bytes:
    """Corrupt one line of a conversation."""
    lines = conversation.split(b"\n")
    at = rng.randrange(len(lines))
    request = json.loads(lines[at])
    if request["do"] == "move" and rng.random() < 0.5:
        lines[at] = json.dumps(request | _spoilt_move(rng)).encode()
    elif "position" in request and rng.random() < 0.4:
        lines[at] = json.dumps(request | {"position": spoil_position(request["position"], rng)}).encode()
    else:
        lines[at] = spoil_json_text(request, rng)
    return b"\n".join(lines)


def _spoilt_move(rng: Random) -> dict[str, Any]:
    """Return an agent with parameters, mostly its own, and sometimes a budget."""
    name = rng.choice(list(AGENTS))
    known = list(AGENTS[name if rng.random() < 0.9 else "search"].parameters())
    given = [f"{rng.choice(known)}={rng.choice(_NUMBERS + _TEXTS)}" for _ in range(rng.randint(0, 2))] if known else []
    spec = rng.choice(_AGENTS) if rng.random() < 0.3 else name
    whole = f"{spec}{',' if ':' in spec else ':'}{','.join(given)}" if given else spec
    budget = {
        rng.choice(("time", "simulations", "seed")): rng.choice((0, 1, 4, -1, 10**400, 0.01, 1e-300, 64.0, 2**64))
    }
    return {"agent": whole} | (budget if rng.random() < 0.5 else {})


@cache
def _engine() -> Session:
    return Session("greedy")


def use(conversation: bytes, _: Random) -> None:
    """Have a conversation: each line must get a reply, and none may be an `internal` error."""
    engine, replies = _engine(), io.StringIO()
    engine.finished, engine._game = False, None
    with mock.patch.multiple(analysis, MOST_SECONDS=0.05, MOST_SIMS=64):  # most for a move: more is refused
        answer_lines(engine, io.BytesIO(conversation), replies)
    rows = [json.loads(row, parse_constant=_sent) for row in replies.getvalue().splitlines()]
    if not engine.finished and len(rows) != len(io.BytesIO(conversation).readlines()):
        raise RuntimeError(f"{len(rows)} replies")
    wrong = [row for row in rows if not row["ok"]]
    for row in wrong:
        if row["error"] == "internal" or "\n" in row["message"] or len(row["message"]) > 3000:
            raise RuntimeError(str(row)[:2000])
    if wrong:
        raise RefusedError(wrong[0]["message"])


def _sent(constant: str) -> None:
    raise RuntimeError(f"{constant} was sent")


KINDS = (Kind("protocol lines", 100_000, seeds, spoil, use),)
