"""The numbers of a report as CSV: a row for each agent, pair, result and moment of a run."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

from casino_env.agents.files import write_file

Row = dict[str, Any]


def tables(report: dict[str, Any]) -> dict[str, list[Row]]:
    cups, found = report["tournaments"], {}
    found["standings"] = [
        {"tournament": cup["name"], **row, **_weights(cup, row)} for cup in cups for row in cup["ratings"]
    ]
    found["pairs"] = [{"tournament": cup["name"], **row} for cup in cups for row in cup["pairs"]]
    found["progress"] = [{"run": run["name"], **_flat(point)} for run in report["runs"] for point in run["points"]]
    return found | {kind: list(map(_flat, report[kind])) for kind in ("matches", "styles", "regrets", "exploits")}


def _weights(cup: Row, row: Row) -> Row:
    nash, alpha = cup["nash"] or {}, cup["alpha_rank"] or {}
    return {"nash": nash.get(row["agent"], {}).get("weight"), "alpha_rank": alpha.get(row["agent"])}


def _flat(row: Row, before: str = "") -> Row:
    """Numbers and texts, however deep they lie; the way there is their name."""
    found: Row = {}
    for name, value in row.items():
        if isinstance(value, dict):
            found |= _flat(value, f"{before}{name}: ")
        elif not isinstance(value, list):
            found[f"{before}{name}"] = value
    return found


def write_tables(report: dict[str, Any], folder: Path) -> list[Path]:
    written = []
    for name, rows in tables(report).items():
        if rows:
            written.append(folder / f"{name}.csv")
            file = io.StringIO(newline="")
            writer = csv.DictWriter(file, dict.fromkeys(key for row in rows for key in row))
            writer.writeheader()
            writer.writerows(rows)
            write_file(written[-1], file.getvalue().encode())
    return written
