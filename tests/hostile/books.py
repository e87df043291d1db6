"""Books of deals."""

from __future__ import annotations

import tempfile
from pathlib import Path
from random import Random

from casino_env import make_rules
from casino_env.evaluate.matches.books import load_book, make_book, save_book
from tests.hostile.folders import Folder, packed, spoil, unpacked
from tests.hostile.kind import Kind


def seeds(_: Random) -> list[Folder]:
    found = []
    for variant, players in (("swazi", 3), ("south-african", 2), ("royal", 4)):
        with tempfile.TemporaryDirectory() as place:
            save_book(make_book(make_rules(variant, players), 5, 7), Path(place) / "book.json")
            found.append(packed(Path(place)))
    return found


def use(folder: Folder, _: Random) -> None:
    with unpacked(folder) as place:
        load_book(place / "book.json")


KIND = Kind("books", 2_000, seeds, spoil, use)
