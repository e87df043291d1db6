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
from casino_env.evaluate.matches.pairing import A, B
from casino_env.validate import read_model

NUMBERS = ("diff", "win", "draw")


@dataclass(frozen=True)
class PlayedDeals:
    """What each deal came to, for a: the mean of its games."""

    diff: Array  # points more than b (the means of their seats)
    win: Array  # share of the games won, a draw being half of one
    draw: Array  # share of the games drawn

    def __len__(self) -> int:
        return len(self.diff)

    @classmethod
    def none(cls) -> PlayedDeals:
        return cls(*np.zeros((len(NUMBERS), 0)))

    def first(self, count: int) -> PlayedDeals:
        return PlayedDeals(self.diff[:count], self.win[:count], self.draw[:count])

    def and_then(self, more: PlayedDeals) -> PlayedDeals:
        return PlayedDeals(*(np.concatenate([getattr(self, name), getattr(more, name)]) for name in NUMBERS))


def summed_up(results: Array, seatings: Array) -> PlayedDeals:
    """What each deal came to, from the points of each seat and the winner by deal and seating. Of seats that are level
    at the top one may have won, where the rules break ties."""
    points, winner, games = results[..., :-1], results[..., -1], len(seatings)
    seats = (seatings[0] == A).sum() * (seatings[0] == B).sum()  # the same product in every row
    is_a = np.broadcast_to(seatings == A, points.shape)
    best_a = np.where(is_a, points, -(1 << 30)).max(axis=2)
    best_b = np.where(is_a, -(1 << 30), points).max(axis=2)
    level = best_a == best_b
    of_a = np.take_along_axis(seatings == A, np.maximum(winner, 0).T, axis=1).T
    won = ((best_a > best_b) | (level & (winner >= 0) & of_a)).sum(axis=1)
    drawn = (level & (winner < 0)).sum(axis=1)
    diff = _weighted(points, seatings).sum(axis=1) / (seats * games)
    return PlayedDeals(diff, (won + drawn / 2) / games, drawn / games)


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


class _Row(Model):
    deal: Count
    diff: Annotated[float, Field(gt=-1e5, lt=1e5)]
    win: Share
    draw: Share


def read_deals(path: Path) -> tuple[Header, PlayedDeals]:
    """The header and the deals. A last line that a kill has cut short does not count."""
    with _mendable():
        lines = read_journal(path)
    if not lines:
        raise ValueError(f"{path}: empty: there must be a header line")
    header, deals = read_model(Header, lines[0], f"{path}, line 1"), []
    for number, line in enumerate(lines[1:]):
        row = read_model(_Row, line, f"{path}, line {number + 2}")
        if row.deal != number:
            raise ValueError(f"{path}, line {number + 2}: must be deal {number} with {', '.join(NUMBERS)}")
        deals.append((row.diff, row.win, row.draw))
    return header, PlayedDeals(*np.array(deals, float).reshape(-1, len(NUMBERS)).T.copy())


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
        begin = len(self.deals)
        rows = zip(*(getattr(deals, name).tolist() for name in NUMBERS), strict=True)
        self._file.append(*({"deal": begin + i} | dict(zip(NUMBERS, row, strict=True)) for i, row in enumerate(rows)))
        self.deals = self.deals.and_then(deals)

    def close(self) -> None:
        self._file.close()
