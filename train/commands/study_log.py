"""Where a search for settings keeps what optuna tells it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from casino_env.agents.files import DamagedFileError, Journal, read_journal

ELSEWHERE = "give the sweep another folder (--name)"


class StudyLog:
    """Where optuna keeps a study: a journal of ours, so that kills, full disks and flipped bits are met as everywhere.

    A sweep's folder is locked, so there is no other writer.
    """

    def __init__(self, path: Path) -> None:
        try:
            rows = read_journal(path) if path.exists() else []
        except DamagedFileError as error:
            raise DamagedFileError(f"{error}; {ELSEWHERE}") from None
        self._rows = rows[1:]
        self._file = Journal(path, {"format": "casino-sweep 1"})

    def read_logs(self, log_number_from: int) -> list[dict[str, Any]]:
        return self._rows[log_number_from:]

    def append_logs(self, logs: list[dict[str, Any]]) -> None:
        self._file.append(*logs)
        self._rows += logs

    @contextmanager
    def understood(self) -> Iterator[None]:
        """Optuna checks nothing of what it finds there, and stumbles in its own way."""
        try:
            yield
        except OSError:  # of the disk
            raise
        except Exception as error:  # noqa: BLE001 - see above
            self.close()
            why = f"{type(error).__name__}: {error}".splitlines()[0]
            raise DamagedFileError(f"{self._file.path}: not of this sweep ({why}); {ELSEWHERE}") from None

    def close(self) -> None:
        self._file.close()
