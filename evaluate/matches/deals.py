"""What deals came to, and the journal that keeps them: a header, then a line for each deal."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from casino_env.agents.files import DamagedFileError, Journal, ordinary, read_journal
from casino_env.arrays import Array
from casino_env.evaluate.file_models import Count, Model, Seed, Share
from casino_env.evaluate.matches.intervals import controlled
from casino_env.evaluate.matches.pairing import A, B
from casino_env.validate import read_model

NUMBERS, LUCK = ("diff", "win", "draw"), "luck"


@dataclass(frozen=True)
class PlayedDeals:
    """What each deal came to, for a: the mean of its games."""

    diff: Array  # points more than b (the means of their seats)
    win: Array  # share of the games won, a draw being half of one
    draw: Array  # share of the games drawn
    luck: Array | None = None  # points of diff, as judged (luck.py); None: by nobody

    def __len__(self) -> int:
        return len(self.diff)

    @property
    def columns(self) -> dict[str, Array]:
        known = {name: getattr(self, name) for name in NUMBERS}
        return known if self.luck is None else known | {LUCK: self.luck}

    @property
    def fair(self) -> Array:
        """diff, less the luck if it is known."""
        return self.diff if self.luck is None else controlled(self.diff, self.luck)

    @classmethod
    def none(cls, *, judged: bool = False) -> PlayedDeals:
        return cls(*np.zeros((len(NUMBERS) + judged, 0)))

    def first(self, count: int) -> PlayedDeals:
        return PlayedDeals(*(column[:count] for column in self.columns.values()))

    def and_then(self, more: PlayedDeals) -> PlayedDeals:
        pairs = zip(self.columns.values(), more.columns.values(), strict=True)
        return PlayedDeals(*(np.concatenate(pair) for pair in pairs))


def summed_up(results: Array, seatings: Array) -> PlayedDeals:
    """What each deal came to, from what play_duplicate says of its games. Of seats that are level at the top one may
    have won, where the rules break ties."""
    games, players = seatings.shape
    points, winner, luck = np.split(results, [players, players + 1], axis=2)
    winner = winner[..., 0].astype(np.int64)
    seats = (seatings[0] == A).sum() * (seatings[0] == B).sum()  # the same product in every row
    is_a = np.broadcast_to(seatings == A, points.shape)
    best_a = np.where(is_a, points, -(1 << 30)).max(axis=2)
    best_b = np.where(is_a, -(1 << 30), points).max(axis=2)
    level = best_a == best_b
    of_a = np.take_along_axis(seatings == A, np.maximum(winner, 0).T, axis=1).T
    won = ((best_a > best_b) | (level & (winner >= 0) & of_a)).sum(axis=1)
    drawn = (level & (winner < 0)).sum(axis=1)
    diff = _weighted(points, seatings).sum(axis=1) / (seats * games)
    lucky = _weighted(luck, seatings).sum(axis=1) / (seats * games) if luck.size else None
    return PlayedDeals(diff, (won + drawn / 2) / games, drawn / games, lucky)


def _weighted(points: Array, seatings: Array) -> Array:
    """By deal and game: mean points of a's seats less mean points of b's, times the number of seats of both: whole
    numbers, whose sums are exact."""
    is_a = (seatings == A)[None]
    of_a, of_b = (seatings == A).sum(axis=1), (seatings == B).sum(axis=1)
    return np.asarray((points * is_a).sum(axis=2) * of_b - (points * ~is_a).sum(axis=2) * of_a)


# --- the file -------------------------------------------------------------------------------------------------------


class Header(Model):
    """What the deals of a match depend on."""

    a: str
    b: str
    variant: str
    players: Count
    rules: dict[str, Any]  # what differs from the preset
    rules_version: int
    seed: Seed
    book: str | None  # fingerprint of a book of one's own; None: the deals of the seed
    mirrored: bool
    weights: Annotated[tuple[str | None, str | None], Field(strict=False)]  # fingerprints
    judge: str = ""  # of luck


class _Row(Model):
    deal: Count
    diff: Annotated[float, Field(gt=-1e5, lt=1e5)]
    win: Share
    draw: Share
    luck: Annotated[float, Field(gt=-1e5, lt=1e5)] | None = None


def read_deals(path: Path) -> tuple[Header, PlayedDeals]:
    """The header and the deals. A last line that a kill has cut short does not count."""
    with _mendable():
        lines = read_journal(path)
    if not lines:
        raise ValueError(f"{path}: empty: there must be a header line")
    header, deals = read_model(Header, lines[0], f"{path}, line 1"), []
    names = [*NUMBERS, *[LUCK] * bool(header.judge)]
    for number, line in enumerate(lines[1:]):
        row = read_model(_Row, line, f"{path}, line {number + 2}")
        if row.deal != number or (row.luck is None) == bool(header.judge):
            raise ValueError(f"{path}, line {number + 2}: must be deal {number} with {', '.join(names)}")
        deals.append([getattr(row, name) for name in names])
    return header, PlayedDeals(*np.array(deals, float).reshape(-1, len(names)).T.copy())


def refuse_others(path: Path, found: Header, wanted: Mapping[str, Any], way_on: str = "") -> None:
    """Raises ValueError if the header that was found says anything else than what is wanted."""
    for key, value in wanted.items():
        if getattr(found, key) != value:
            known, ours = json.dumps(getattr(found, key)), json.dumps(value)
            raise ValueError(f"{path}: was played with {key} = {known}, not {ours}{way_on}")


def has_begun(path: Path) -> bool:
    """False if it was killed, or the disk was full, at its first line."""
    with ordinary(path).open("rb") as file:
        return file.readline().endswith(b"\n")


@contextmanager
def _mendable() -> Iterator[None]:
    """Of a damaged file it is said what to do."""
    try:
        yield
    except DamagedFileError as error:
        raise DamagedFileError(f"{error}; delete it, and its deals are played again") from None


class DealsFile:
    """Such a file, open for more. An existing one must have the same header; what it holds is in `deals`."""

    def __init__(self, path: str | Path, header: Header) -> None:
        self.path = Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        wanted = header.model_dump()
        with _mendable():
            self._file = Journal(self.path, wanted)  # or ValueError: somebody else's, or another match writes to it
        try:
            found, self.deals = read_deals(self.path)
            refuse_others(self.path, found, wanted)
        except BaseException:
            self._file.close()
            raise

    def add(self, deals: PlayedDeals) -> None:
        """On the disk before they count; of deals for which there is no room none do."""
        begin, columns = len(self.deals), deals.columns
        rows = zip(*(column.tolist() for column in columns.values()), strict=True)
        self._file.append(*({"deal": begin + i} | dict(zip(columns, row, strict=True)) for i, row in enumerate(rows)))
        self.deals = self.deals.and_then(deals)

    def close(self) -> None:
        self._file.close()
