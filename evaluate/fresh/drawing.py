"""Draw random rule sets for two players: a preset with some switches changed, another deal and other points."""

from __future__ import annotations

import random
from contextlib import suppress
from typing import Any, get_args, get_origin

from casino_env.presets import PRESETS
from casino_env.rules import Rules

_BASES = [name for name in sorted(PRESETS) if 2 in PRESETS[name].by_players and not name.startswith(("mini", "steal"))]
# Switches that may be changed. Those of partners and matches mean nothing in a single deal for two; pile_order = ask
# would make a turn a dozen lines long.
_TURNED = (
    "ace_high", "courts", "raise_by", "raise_with_table", "raise_limit", "resort_raised", "new_builds", "equal_builds",
    "keep_backing", "build_limit", "second_build_in_turn", "owner_discard", "use_discard_same_turn", "steal", "chain",
    "no_return", "raise_or_add", "capture_tops", "pile_capture_needs_table_card", "tops_in_sums", "owner_top",
    "multi_capture", "insist_capture", "insist_augment", "stacking", "leftovers",
)  # fmt: skip
_LEAST_TURNED, _MOST_TURNED = 4, 9
# The deal and the points are always drawn; a value listed twice is twice as likely.
_DRAWN: dict[str, tuple[Any, ...]] = {
    "deck": (40, 40, 52),
    "table_cards": (0, 1, 2, 4, 4),
    "rounds": (2, 3, 4, 5, 6),
    "draw_hand": (0, 0, 0, 4, 5, 6),
    "cards_points": (0, 1, 2, 3, 4),
    "spades_points": (0, 1, 2, 3),
    "ties": ("one_each", "nobody"),
    "five_spades_points": (0, 0, 0, 1, 2),
    "little_points": (0, 1, 2, 3),
    "big_points": (0, 1, 2, 3),
    "big_ten": ("TD", "TS"),
    "ace_points": (0, 1, 1, 2),
    "sweeps": (False, False, True),
    "shutout": (False, False, False, True),
}
_ONE_DEAL: dict[str, Any] = {"target": 0, "match_rounds": 0, "counting": "total", "tie_break": "shared"}
HANDS = range(4, 11)  # cards in a hand


def drawn(seed: int, number: int) -> Rules:
    """Draw the rule set of a number: one that can be played, not tested otherwise."""
    draw = random.Random(f"{seed} {number}")
    while True:
        preset = PRESETS[draw.choice(_BASES)]
        values = preset.base | preset.by_players[2] | _ONE_DEAL
        for name in draw.sample(_TURNED, draw.randint(_LEAST_TURNED, _MOST_TURNED)):
            values[name] = _value(name, draw)
        values |= {name: draw.choice(choices) for name, choices in _DRAWN.items()}
        with suppress(ValueError):
            rules = Rules(name=f"fresh {seed} {number}", players=2, **values)
            if rules.hand_size in HANDS:
                return rules


def _value(name: str, draw: random.Random) -> Any:
    kind = Rules.__dataclass_fields__[name].type
    choices = get_args(kind) if get_origin(kind) else (False, True) if kind is bool else (0, 1, 1, 2)
    return draw.choice([each for each in choices if each != "ask"])
