"""Deals that have been played, in a journal: a header, then a line for each deal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from casino_env.agents.files import DamagedFileError, Journal, read_journal
from casino_env.evaluate.matches.duplicate import NUMBERS, Deals
from casino_env.evaluate.shapes import NUMBER, SHARE, TEXT, WHOLE, Kind, check_shape

_DIFF = Kind("a difference in points", lambda value: NUMBER.fits(value) and abs(value) < 1e5)
_HEADER = {"a": TEXT, "b": TEXT}
_ROW = {"deal": WHOLE, "diff": _DIFF, "win": SHARE, "draw": SHARE}
_WAY_BACK = "delete it, and its deals are played again"


class DealsFileError(ValueError):
    """The file belongs to something else or is damaged: one line says where."""


def read_deals(path: str | Path) -> tuple[dict[str, Any], Deals]:
    """The header and the deals. A last line that a kill has cut short does not count."""
    try:
        lines = read_journal(Path(path))
    except ValueError as error:
        raise _refused(error) from None
    if not lines:
        raise DealsFileError(f"{path}: empty: there must be a header line")
    _check(lines[0], _HEADER, path, 1)
    rows = []
    for number, row in enumerate(lines[1:]):
        _check(row, _ROW, path, number + 2)
        if row["deal"] != number:
            raise DealsFileError(f"{path}, line {number + 2}: must be deal {number} with {', '.join(NUMBERS)}")
        rows.append([row[name] for name in NUMBERS])
    return lines[0], Deals(*np.array(rows, float).reshape(-1, len(NUMBERS)).T.copy())


def refuse_others(path: Path, found: dict[str, Any], wanted: dict[str, Any], way_on: str = "") -> None:
    """Raises DealsFileError if the header that was found says anything else than what is wanted."""
    for key, value in wanted.items():
        if found.get(key) != value:
            known, ours = json.dumps(found.get(key)), json.dumps(value)
            raise DealsFileError(f"{path}: was played with {key} = {known}, not {ours}{way_on}")


def has_begun(path: Path) -> bool:
    """False if it was killed, or the disk was full, at its first line."""
    with path.open("rb") as file:
        return file.readline().endswith(b"\n")


def _refused(error: ValueError) -> DealsFileError:
    return DealsFileError(f"{error}; {_WAY_BACK}" if isinstance(error, DamagedFileError) else str(error))


def _check(row: dict[str, Any], shape: dict[str, Kind], path: str | Path, number: int) -> None:
    try:
        check_shape(row, shape, f"{path}, line {number}")
    except ValueError as error:
        raise DealsFileError(str(error)) from None


class DealsFile:
    """Such a file, open for more. An existing one must have the same header; what it holds is in `deals`."""

    def __init__(self, path: str | Path, header: dict[str, Any]) -> None:
        self.path = Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._file = Journal(self.path, header)
        except ValueError as error:  # damaged, somebody else's, or another match writes to it
            raise _refused(error) from None
        try:
            self.deals = self._take_up(header)
        except BaseException:
            self._file.close()
            raise

    def _take_up(self, header: dict[str, Any]) -> Deals:
        found, deals = read_deals(self.path)
        refuse_others(self.path, found, dict.fromkeys(header | found) | header)
        return deals

    def add(self, deals: Deals) -> None:
        """On the disk before they count; of deals for which there is no room none do."""
        begin = len(self.deals)
        rows = zip(*(getattr(deals, name).tolist() for name in NUMBERS), strict=True)
        self._file.append(*({"deal": begin + i} | dict(zip(NUMBERS, row, strict=True)) for i, row in enumerate(rows)))
        self.deals = self.deals.and_then(deals)

    def close(self) -> None:
        self._file.close()
