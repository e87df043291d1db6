"""Files that are there whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path


def write_file(path: Path, data: bytes) -> None:
    """Written beside its place, forced to the disk and renamed: a kill or a power cut leaves what was there before."""
    beside = path.with_name(path.name + ".unfinished")
    with beside.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
