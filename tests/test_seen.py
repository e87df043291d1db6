"""Digests of random deals, and of what seats see in them, are what they were.
Each table has golden digests of one deal and one of views, features, determinizations and hands that allow an action.
They are small enough to interpret, so mutants.py can test every kernel of engine and knowledge by them.
After a change on purpose: python -m tests.test_seen > tests/seen.json."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any
from zlib import crc32

import numpy as np
import pytest

from casino_env import golden
from casino_env.actions import ACTIONS
from casino_env.engine.flat_form import UNPROVEN
from casino_env.game import Game
from casino_env.knowledge.layout import make_layout
from casino_env.knowledge.sights import UNSAID, allowing_hand
from casino_env.observed import has_learnt, observe
from casino_env.position import workspace
from casino_env.rules import Rules
from casino_env.views import Sight, view_of
from tests.comparing import random_switches, wander
from tests.random_play import every_game, label

KEPT = Path(__file__).parent / "seen.json"
TABLES = {label(rules): rules for rules in every_game()} | {
    f"switches-{number}": random_switches(Random(number)) for number in range(24)
}
SHARE, RARE = 0.25, 4  # the share of decisions that are digested; every RARE-th of these with what takes long


def seen(rules: Rules) -> Iterator[Any]:
    """Yield all that is digested."""
    seed = crc32(label(rules).encode())
    rng, layouts = Random(seed), [make_layout(rules), make_layout(rules, universal=True)]
    yield [(each.name, each.shape, each.most, each.offset) for layout in layouts for each in layout.segments]
    memories = ("perfect", "none") if rules.stacking == "face_down" else ("perfect",)
    game = Game(rules, seed=seed, match=True, skip_forced=False)
    number = 0
    while not game.over and not game.record["deals"]:
        before = game.clone()
        wander(game, rng)
        if game.over or (number and rng.random() > SHARE):
            continue
        number, is_rare = number + 1, number % RARE == 0
        for seat in range(rules.players):
            for memory in memories:
                observed = observe(game, seat, memory=memory)
                yield observed.view.tobytes()
                yield from (np.flatnonzero(observed.encode(layout)).tolist() for layout in layouts[: 1 + is_rare])
        if is_rare:
            yield from hands(game, (game.seat + 1) % rules.players, rng)
        yield [has_learnt(before, [game.log[-1][1]], seat) for seat in range(rules.players)]
        yield observe(game, memory=memories[-1]).determinizations(1, np.random.default_rng(number))[0].to_bytes()


def hands(game: Game, looks: int, rng: Random) -> Iterator[Any]:
    """Yield hands of the deciding seat, as seat `looks` sees it, that allow some actions, whatever the house told."""
    sight = Sight(view_of(game, looks))
    likely = [(rng.choice(game.legal()), said) for said in (UNSAID, 0, 1)]
    for action, said in [*likely, *((action, UNSAID) for action in rng.sample(range(ACTIONS), 3))]:
        records = sight.record(said=UNPROVEN)
        told = np.array([said, -said])
        yield allowing_hand(sight.view, sight.rules.record, looks, action, told, records, *workspace())


def dealt(rules: Rules) -> str:
    """Digest one deal: positions, complete turns, observations, points."""
    return " ".join(map(str, golden.digest_deals(*golden.arguments(rules, crc32(label(rules).encode()), 1))))


def viewed(rules: Rules) -> str:
    """Digest all that is seen in another deal."""
    found = hashlib.sha256()
    for part in seen(rules):
        found.update(part if isinstance(part, bytes) else repr(part).encode())
    return found.hexdigest()[:16]


@pytest.mark.parametrize("table", sorted(TABLES))
@pytest.mark.parametrize("what", [dealt, viewed])
def test_it_is_what_it_was(what: Callable[[Rules], str], table: str) -> None:
    assert what(TABLES[table]) == json.loads(KEPT.read_text())[what.__name__][table]


if __name__ == "__main__":
    found = {what.__name__: {table: what(TABLES[table]) for table in sorted(TABLES)} for what in (dealt, viewed)}
    sys.stdout.write(json.dumps(found, indent=1) + "\n")
