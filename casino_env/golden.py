"""Golden deals: digests of random play, to compare machine code for any target with the kernels as written.

One kernel computes them, so every program that can call it (Python, C, JavaScript) gets the same digests.
`python -m tests.golden` compares them for every table.
"""

from __future__ import annotations

from typing import Any
from zlib import crc32

import numpy as np

from casino_env.cards import CARDS
from casino_env.compiler.jit import entry, kernel
from casino_env.compiler.types import I16, allocate
from casino_env.engine import action_set
from casino_env.engine.afterstates import LIMIT, Afterstates, list_afterstates
from casino_env.engine.deal import new_game
from casino_env.engine.position_keys import START, mix
from casino_env.engine.scoring import CATEGORIES, category_points
from casino_env.engine.state import GAME, OVER, SEATS, VALUES, Records, RulesRow, rules_record
from casino_env.engine.turn import decide, play_forced
from casino_env.knowledge.encode import encode
from casino_env.knowledge.layout import LayoutRow, make_layout
from casino_env.knowledge.view import PERFECT, make_view
from casino_env.presets import PRESETS
from casino_env.rng import game_below
from casino_env.rules import Rules, make_rules, player_counts

_EVERY = 5  # list turns at every fifth decision
_KINDS = len(CATEGORIES)


@kernel
def _mix_game(key, g):
    """Mix the state of a game into the key."""
    key = mix(mix(key, g.layout), g.rng)
    for seat in range(SEATS):
        key = mix(mix(key, g.hands[seat]), g.piles[seat] ^ g.owned[seat] << 52)
        key = mix(mix(key, g.proven[seat]), g.deal_points[seat] << 8 | g.sweeps[seat])
    for value in range(VALUES):
        key = mix(key, g.build_cards[value])
    for card in range(CARDS):
        key = mix(key, g.below[card] << 8 | g.laid[card])
    return mix(key, g.mode | g.actor << 8 | g.to_move << 16 | g.last_capture << 24)


@entry
def digest_deals(
    games: Records, rules: RulesRow, layout: LayoutRow, afterstates: Afterstates, features: I16, seed: int, deals: int
) -> tuple[int, int, int, int]:
    """Digests of random deals: positions, complete turns, observations, points. games: a workspace of two records."""
    g, v, r = games[0], games[1], rules[0]
    positions, turns, seen, points = START, START, START, START
    for deal in range(deals):
        new_game(g, r, seed + deal, 0)
        legal = play_forced(g, r)
        number = 0
        while g.mode != OVER:
            games[1] = games[0]
            make_view(g, r, g.actor, PERFECT, v)
            count = encode(v, r, layout[0], g.actor, features)
            for i in range(count):
                seen = mix(seen, features[i])
            if number % _EVERY == 0:
                afterstates.stack[0] = games[1]
                for k in range(list_afterstates(afterstates, r, g.actor, LIMIT)):
                    turns = mix(turns, afterstates.walk[0].keys[k])
            legal = decide(g, r, action_set.nth(legal, game_below(g, action_set.count(legal))))
            positions = _mix_game(positions, g)
            number += 1
        for side in range(r.sides):
            for kind in range(_KINDS):
                points = mix(points, category_points(g, r, side, kind, True))
    return np.int64(positions), np.int64(turns), np.int64(seen), np.int64(points)  # type: ignore[return-value]


def tables() -> dict[str, Rules]:
    """Every preset with every number of players, and four without partners where the preset allows both."""
    found = {}
    for name in PRESETS:
        for players in player_counts(name):
            rules = make_rules(name, players)
            found[f"{name} {players}"] = rules
            if PRESETS[name].singles is not None and rules.partners:
                found[f"{name} {players} singles"] = make_rules(name, players, partners=False)
    return found


def arguments(rules: Rules, seed: int, deals: int) -> tuple[Any, ...]:
    """The arguments of digest_deals."""
    row, layout = rules_record(rules), make_layout(rules)
    features = np.zeros(layout.most, np.int16)
    return np.zeros(2, GAME), row, layout.record, allocate(Afterstates), features, seed, deals


def seed_of(table: str) -> int:
    """The seed of a table, independent of which other tables exist."""
    return crc32(table.encode())


def digests(deals: int = 20) -> dict[str, str]:
    """Table -> digests of positions, complete turns, observations and points."""
    found = {name: digest_deals(*arguments(rules, seed_of(name), deals)) for name, rules in sorted(tables().items())}
    return {name: " ".join(f"{value & (2**64 - 1):016x}" for value in row) for name, row in found.items()}
