"""Conformance vectors: positions of random play with all that follows from them, by which an engine in any language
checks itself. `casino env conformance FILE` writes them, docs/conformance.md says what they hold."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from casino_env.actions import ACTIONS_VERSION, action_text
from casino_env.game import Game
from casino_env.golden import tables
from casino_env.knowledge.layout import OBSERVATION_VERSION
from casino_env.next_view import told_of
from casino_env.observed import observe
from casino_env.rules import RULES_VERSION
from casino_env.validate import decoded, parse_json
from casino_env.views import view_of

FORMAT = 1
_OF_A_DEAL = 3

Data = dict[str, Any]


def lines(count: int, seed: int) -> Iterator[Data]:
    """The header, and the vectors of all tables."""
    versions = {"rules": RULES_VERSION, "actions": ACTIONS_VERSION, "observation": OBSERVATION_VERSION}
    yield {"conformance": FORMAT, "versions": versions, "count": count, "seed": seed}
    for table, rules in sorted(tables().items()):
        rng, left = Random(f"{seed} {table}"), count
        while left:
            deal = _deal(Game(rules, seed=_below(rng, 2**48), skip_forced=False), rng)
            for _ in range(min(left, _OF_A_DEAL)):
                here = deal.pop(_below(rng, len(deal)))
                yield {"table": table} | vector(here.to_json(), _below(rng, rules.players))
                left -= 1


def vector(position: Data, looks: int) -> Data:
    """All that follows from a position, and for the seat that looks from its view."""
    game = Game.from_json(position, skip_forced=False)
    seen = observe(game, looks)
    return {
        "position": game.to_json(),
        "seat": game.seat,
        "legal": [action_text(action) for action in game.legal()],
        "scores": game.scores(),
        "looks": looks,
        "view": view_of(game, looks),
        "features": np.flatnonzero(seen.vector).tolist(),
        "after": [_after(game, action, looks) for action in game.legal()],
    }


def _after(game: Game, action: int, looks: int) -> Data:
    then = game.clone()
    then.apply(action)
    position, view = then.to_json(), view_of(then, looks)
    return {"action": action_text(action), "position": position, "told": told_of(game, then, looks), "view": view}


def _deal(game: Game, rng: Random) -> list[Game]:
    """Every moment of a deal played at random, with a taste for the middle of turns."""
    moments = [game.clone()]
    while not game.over:
        legal = game.legal()
        inside = [action for action in legal if not action_text(action).startswith(("discard", "capture", "end"))]
        some = inside if inside and rng.random() < 0.5 else legal
        game.apply(some[_below(rng, len(some))])
        moments.append(game.clone())
    return moments


def _below(rng: Random, bound: int) -> int:
    """By the one method of Random that gives the same in every version of Python."""
    return int(rng.random() * bound)


# --- files -----------------------------------------------------------------------------------------------------------


def write(path: Path, count: int, seed: int) -> int:
    """How many vectors there are. A name that ends in .gz: compressed."""
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines(count, seed)).encode()
    path.write_bytes(gzip.compress(text, 9, mtime=0) if path.suffix == ".gz" else text)
    return text.count(b"\n") - 1


def differences(path: Path) -> tuple[int, list[str]]:
    """(how many vectors a file has, those that this engine does not agree with)"""
    data = path.read_bytes()
    try:
        text = decoded(gzip.decompress(data) if path.suffix == ".gz" else data, str(path))
    except (EOFError, gzip.BadGzipFile) as error:
        raise ValueError(f"{path}: not a whole gzip file: {error}") from None
    rows = [parse_json(line, f"{path}, line {number}") for number, line in enumerate(text.splitlines(), 1)]
    if not rows or not isinstance(rows[0], dict) or rows[0].get("conformance") != FORMAT:
        raise ValueError(f"{path}: must begin with a line that says conformance: {FORMAT}")
    return len(rows) - 1, [f"line {number}" for number, row in enumerate(rows[1:], 2) if not _agrees(row)]


def _agrees(row: Any) -> bool:
    try:
        return bool(row == {"table": row["table"]} | vector(row["position"], row["looks"]))
    except (KeyError, TypeError):
        return False
