"""What a report is made of: tournaments, runs, results of single commands and game records, read as plain data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from casino_env.record import FORMAT
from evaluate.matches.tournament import load_tournament
from evaluate.ratings.standings import standings

# Kind of result -> the keys by which the JSON of a command is known.
RESULTS = {
    "matches": {"a", "b", "diff", "low", "high", "deals"},
    "styles": {"agent", "turns", "builds", "captures by turn"},
    "regrets": {"agent", "lost a deal", "worst"},
    "exploits": {"agent", "method", "exploited"},
}
KINDS = ("tournaments", "runs", *RESULTS, "records")


def read_all(paths: list[str]) -> dict[str, list[Any]]:
    """Everything that the paths hold, by kind; raises ValueError for a path that holds nothing."""
    found: dict[str, list[Any]] = {kind: [] for kind in KINDS}
    for path in paths:
        before = sum(map(len, found.values()))
        _read(Path(path), found)
        if sum(map(len, found.values())) == before:
            raise ValueError(
                f"{path}: nothing to report: no tournament (tournament.json), run (progress.jsonl), "
                "JSON of a command or game record"
            )
    return found


def _read(path: Path, found: dict[str, list[Any]]) -> None:
    if not path.exists():
        raise ValueError(f"{path}: there is no such file or folder")
    if path.is_file():
        _read_file(path, found)
    elif (path / "tournament.json").exists():
        found["tournaments"].append(read_tournament(path))
    elif (path / "progress.jsonl").exists():
        found["runs"].append(read_run(path))
    else:
        for inner in sorted(path.iterdir()):
            if inner.is_dir() or inner.suffix in (".json", ".jsonl", ".txt"):
                _read(inner, found)


def _read_file(path: Path, found: dict[str, list[Any]]) -> None:
    """JSON of commands, one or a list or one a line, or a game record."""
    text = path.read_text(errors="replace")
    if text.startswith(FORMAT):
        found["records"].append({"name": path.stem, "record": text})
        return
    try:
        data = json.loads(text)
    except ValueError:
        data = [_line(path, number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    for row in data if isinstance(data, list) else [data]:
        for kind, keys in RESULTS.items():
            if isinstance(row, dict) and keys <= row.keys():
                found[kind].append(row)
                break


def _line(path: Path, number: int, line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        raise ValueError(f"{path}: line {number}: neither JSON nor a game record") from None


# --- tournaments and runs ----------------------------------------------------------------------------------------


def read_tournament(folder: Path) -> dict[str, Any]:
    """Ratings, pairs and failures of a tournament's folder, finished or not."""
    tournament = load_tournament(folder)
    failures = [str(failure) for failure in tournament.failures]
    return {"name": folder.resolve().name, **standings(tournament), "failures": failures}


def read_run(folder: Path) -> dict[str, Any]:
    """The progress of a training run; a last line that a kill has cut short does not count."""
    data = (folder / "progress.jsonl").read_bytes()
    lines = data[: data.rfind(b"\n") + 1].decode(errors="replace").splitlines()
    points = [_line(folder / "progress.jsonl", number, line) for number, line in enumerate(lines, 1) if line.strip()]
    for number, point in enumerate(points, 1):
        if not isinstance(point, dict) or not isinstance(point.get("decisions"), int | float):
            raise ValueError(f"{folder / 'progress.jsonl'}: line {number}: must be an object with decisions")
    return {"name": folder.resolve().name, "folder": str(folder), "points": points}
