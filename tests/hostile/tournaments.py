"""Folders of tournaments; what is accepted is rated, shown and gone on with."""

from __future__ import annotations

import tempfile
from pathlib import Path
from random import Random

from evaluate.matches.tournament import Settings, load_tournament, play_tournament
from evaluate.matches.workers import Threads
from evaluate.ratings.standings import as_text, standings
from tests.hostile.folders import Folder, packed, spoil, unpacked
from tests.hostile.kind import Kind

_AGENTS = ("random", "greedy", "builder")


def seeds(_: Random) -> list[Folder]:
    found = []
    for variant, players, agents in (("mini", 2, _AGENTS), ("swazi", 3, (*_AGENTS[:2], "tests.players:Illegal"))):
        with tempfile.TemporaryDirectory() as place, Threads(1) as crew:
            play_tournament(Path(place) / "cup", Settings(agents, variant, players, {}, 3, 12), crew)
            found.append(packed(Path(place) / "cup"))
    return found


def use(folder: Folder, rng: Random) -> None:
    with unpacked(folder) as place:
        found = load_tournament(place)
        as_text(standings(found))
        if rng.random() < 0.3:
            before = found.settings
            wanted = Settings(("random", "greedy"), before.variant, before.players, before.rules, before.seed, 14)
            with Threads(1) as crew:
                as_text(standings(play_tournament(place, wanted, crew)))


KIND = Kind("tournaments", 2_000, seeds, spoil, use)
