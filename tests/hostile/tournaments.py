"""Folders of tournaments; what is accepted is rated, shown and gone on with."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from random import Random
from unittest.mock import patch

from casino_env.agents.files import seal
from casino_env.evaluate.matches.tournament import TournamentSettings, load_tournament, play_tournament
from casino_env.evaluate.matches.workers import Threads
from casino_env.evaluate.ratings import as_text, rate, standings
from tests.hostile.folders import Folder, packed, spoil, unpacked
from tests.hostile.kind import Kind

_AGENTS = ("random", "greedy", "builder")
_FAILURES = (
    {"agent": "builder", "problem": "too slow", "pair": ["greedy", "builder"], "deals": 3},
    {"agent": "counter", "problem": "not there", "pair": None, "deals": 0},
)
quick = patch("casino_env.evaluate.ratings.rate", partial(rate, samples=5))  # intervals are most of the work


def seeds(_: Random) -> list[Folder]:
    found = []
    for variant, players in (("mini", 2), ("swazi", 3)):
        with tempfile.TemporaryDirectory() as name, Threads(1) as crew:
            place = Path(name)
            wanted = TournamentSettings(agents=_AGENTS, variant=variant, players=players, rules={}, seed=3, deals=12)
            play_tournament(place, wanted, crew)
            with (place / "failures.jsonl").open("a") as file:
                file.writelines(seal(row) + "\n" for row in _FAILURES)
            found.append(packed(place))
    return found


@quick
def use(folder: Folder, rng: Random) -> None:
    with unpacked(folder) as place:
        found = load_tournament(place)
        as_text(standings(found))
        if rng.random() < 0.3:
            wanted = found.settings.model_copy(update={"agents": ("random", "greedy"), "deals": 14})
            with Threads(1) as crew:
                as_text(standings(play_tournament(place, wanted, crew)))


KIND = Kind("tournaments", 2_000, seeds, spoil, use)
