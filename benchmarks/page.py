"""Write tables into docs/benchmarks.md, with the machine on which they were measured."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from docs.tables import filled

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"


def write(name: str, lines: list[str]) -> None:
    """Write a table into docs/benchmarks.md."""
    PAGE.write_text(filled(PAGE.read_text("utf-8"), name, lines))


def release(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "-"


def machine(libraries: tuple[str, ...], command: str) -> list[str]:
    """Return lines that say where, when and how the numbers were measured."""
    versions = ", ".join(f"{name} {release(name)}" for name in libraries)
    return [
        f"- machine: {os.cpu_count()} cores, {_processor()}, {platform.system()}",
        f"- date: {datetime.now(UTC):%Y-%m-%d}",
        f"- versions: Python {platform.python_version()}, {versions}",
        f"- command: {command}",
        "",
    ]


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    names = [line.partition(": ")[2] for line in info.read_text("utf-8").splitlines() if line.startswith("model name")]
    return names[0] if names else platform.machine()
