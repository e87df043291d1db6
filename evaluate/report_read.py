"""What a report is made of: tournaments, runs, results of single commands and game records, read as plain data."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from casino_env.record import FORMAT
from evaluate.duplicate import Deals
from evaluate.intervals import interval
from evaluate.played import read_played

Array = np.ndarray[Any, Any]

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


def _object(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text())
    except ValueError:
        data = None
    if not isinstance(data, dict):
        raise ValueError(f"{path}: must hold a JSON object")
    return data


# --- tournaments -------------------------------------------------------------------------------------------------


def read_tournament(folder: Path) -> dict[str, Any]:
    """Settings, standings, pairs and failures of a tournament folder, finished or not."""
    settings = _object(folder / "tournament.json")
    played = {}
    for file in sorted((folder / "pairs").glob("*.jsonl")):
        header, deals = read_played(file)
        if len(deals):
            played[str(header["a"]), str(header["b"])] = deals
    agents = [str(agent) for agent in settings.get("agents", [])]
    agents += [name for pair in played for name in pair if name not in agents]
    return {
        "name": folder.name,
        "settings": settings,
        "standings": standings(list(dict.fromkeys(agents)), played),
        "pairs": [_pair(a, b, deals) for (a, b), deals in played.items()],
        "failures": _failures(folder / "failures.jsonl"),
    }


def _pair(a: str, b: str, deals: Deals) -> dict[str, Any]:
    return {
        "a": a,
        "b": b,
        "deals": len(deals),
        **_interval(deals.diff),
        "win": round(float(deals.win.mean()), 5),
        "draw": round(float(deals.draw.mean()), 5),
    }


def _interval(values: Array) -> dict[str, float | None]:
    """Mean, low and high; None where one deal says nothing about the spread."""
    names = ("diff", "low", "high")
    return {
        name: round(number, 5) if np.isfinite(number) else None
        for name, number in zip(names, interval(values), strict=True)
    }


def standings(agents: list[str], played: dict[tuple[str, str], Deals]) -> list[dict[str, Any]]:
    """By agent: points a deal more than the others, deal by deal the mean over its opponents; best first."""
    rows = []
    for agent in agents:
        own = [deals.diff for (a, _), deals in played.items() if a == agent]
        own += [-deals.diff for (_, b), deals in played.items() if b == agent]
        if not own:
            continue
        wins = [deals.win.mean() for (a, _), deals in played.items() if a == agent]
        wins += [1 - deals.win.mean() for (_, b), deals in played.items() if b == agent]
        shared = min(map(len, own))  # the same deals for every pair
        row = _interval(np.mean([diff[:shared] for diff in own], axis=0))
        rows.append(
            {"agent": agent, **row, "win": round(float(np.mean(wins)), 5), "opponents": len(own), "deals": shared}
        )
    return sorted(rows, key=lambda row: -row["diff"])


def _failures(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    rows = (_line(path, number, line) for number, line in enumerate(path.read_text().splitlines(), 1) if line.strip())
    return [row for row in rows if isinstance(row, dict)]


def opponents(played: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """The pairs of a tournament that make good samples: the best against the second, then the best against the rest."""
    names = [row["agent"] for row in played]
    return sorted(combinations(names, 2), key=lambda pair: (names.index(pair[0]), names.index(pair[1])))


# --- runs --------------------------------------------------------------------------------------------------------


def read_run(folder: Path) -> dict[str, Any]:
    """The progress of a training run; a last line that a kill has cut short does not count."""
    data = (folder / "progress.jsonl").read_bytes()
    lines = data[: data.rfind(b"\n") + 1].decode(errors="replace").splitlines()
    points = [_line(folder / "progress.jsonl", number, line) for number, line in enumerate(lines, 1) if line.strip()]
    for number, point in enumerate(points, 1):
        if not isinstance(point, dict) or not isinstance(point.get("decisions"), int | float):
            raise ValueError(f"{folder / 'progress.jsonl'}: line {number}: must be an object with decisions")
    return {"name": folder.name, "points": points}
