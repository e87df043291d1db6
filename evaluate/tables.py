"""Results as tidy tables, a row for each result: as CSV or a data frame."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from casino_env.agents.files import write_file
from casino_env.extras import require

Row = dict[str, Any]


def tidy(found: Any) -> list[Row]:
    """Return a row for each result or dict given. Nested values are named by their path; lists are left out."""
    several = [found] if isinstance(found, dict) or hasattr(found, "to_json") else list(found)
    return [_flat(one.to_json() if hasattr(one, "to_json") else one) for one in several]


def _flat(row: Row, before: str = "") -> Row:
    flat: Row = {}
    for name, value in row.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{before}{name}: ")
        elif not isinstance(value, list | tuple):
            flat[f"{before}{name}"] = value
    return flat


def frame(found: Any) -> Any:
    """Return the tidy table as a pandas data frame."""
    require("pandas")
    import pandas

    return pandas.DataFrame(columns_of(tidy(found)))


def _cell(value: Any) -> Any:
    """Put an apostrophe before text that a spreadsheet would run as a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")) else value


def columns_of(rows: list[Row]) -> dict[str, list[Any]]:
    """Return all columns that any row has, with None where a row lacks the value."""
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def csv_text(rows: Iterable[Row]) -> str:
    columns, text = columns_of(list(rows)), io.StringIO(newline="")
    lines = [columns, *zip(*columns.values(), strict=True)]
    csv.writer(text).writerows([_cell(value) for value in line] for line in lines)
    return text.getvalue()


def write_table(path: Path, rows: Iterable[Row]) -> None:
    """Write the rows as CSV."""
    write_file(path, csv_text(rows).encode())
