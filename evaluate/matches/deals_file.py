"""Deals that have been played, in a file that only grows: a header, then a line of JSON for each deal."""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from evaluate.matches.duplicate import NUMBERS, Deals


class DealsFileError(ValueError):
    """The file belongs to something else or is damaged: one line says where."""


def read_deals(path: str | Path) -> tuple[dict[str, Any], Deals]:
    """The header and the deals. A last line that a kill has cut short does not count."""
    lines = _whole_lines(Path(path).read_bytes())
    if not lines:
        raise DealsFileError(f"{path}: empty: there must be a header line")
    header = _parsed(path, 1, lines[0])
    rows = []
    for number, line in enumerate(lines[1:]):
        row = _parsed(path, number + 2, line)
        if row.get("deal") != number or not all(isinstance(row.get(name), int | float) for name in NUMBERS):
            raise DealsFileError(f"{path}:{number + 2}: must be deal {number} with {', '.join(NUMBERS)}")
        rows.append([row[name] for name in NUMBERS])
    return header, Deals(*np.array(rows, float).reshape(-1, len(NUMBERS)).T.copy())


def _whole_lines(data: bytes) -> list[bytes]:
    return data[: data.rfind(b"\n") + 1].splitlines()


def _parsed(path: str | Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except ValueError:
        row = None
    if not isinstance(row, dict):
        raise DealsFileError(f"{path}:{number}: not a JSON object")
    return row


class DealsFile:
    """Such a file, open for more. An existing one must have the same header; what it holds is in `deals`."""

    def __init__(self, path: str | Path, header: dict[str, Any]) -> None:
        self.path = Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self.path.open("a+b")
        try:
            self.deals = self._take_up(header)
        except BaseException:
            self._file.close()
            raise

    def _take_up(self, header: dict[str, Any]) -> Deals:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise DealsFileError(f"{self.path}: another match is writing to it") from None
        data = self.path.read_bytes()
        if b"\n" not in data:
            if data and not data.startswith(b'{"a"'):
                raise DealsFileError(f"{self.path}: not a file of played deals")
            self._file.truncate(0)
            self._write([header])
            return Deals.none()
        found, deals = read_deals(self.path)
        for key in header | found:
            if header.get(key) != found.get(key):
                known, wanted = json.dumps(found.get(key)), json.dumps(header.get(key))
                raise DealsFileError(f"{self.path}: was played with {key} = {known}, not {wanted}")
        self._file.truncate(data.rfind(b"\n") + 1)
        return deals

    def add(self, deals: Deals) -> None:
        begin = len(self.deals)
        columns = [getattr(deals, name).tolist() for name in NUMBERS]
        rows = zip(*columns, strict=True)
        self._write([{"deal": begin + i} | dict(zip(NUMBERS, row, strict=True)) for i, row in enumerate(rows)])
        self.deals = self.deals.and_then(deals)

    def _write(self, rows: list[dict[str, Any]]) -> None:
        """On the disk before it counts."""
        self._file.write("".join(json.dumps(row) + "\n" for row in rows).encode())
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        self._file.close()
