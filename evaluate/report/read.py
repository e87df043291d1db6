"""What a report is made of: tournaments, runs, results of single commands and game records, read as plain data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from casino_env.agents.files import parse, read_journal, read_text, unseal
from casino_env.evaluate.matches.tournament import load_tournament
from casino_env.evaluate.ratings.standings import standings
from casino_env.evaluate.report.facts import run_facts
from casino_env.evaluate.results import check_whole
from casino_env.evaluate.shapes import (
    MEAN,
    NUMBER,
    SHARE,
    TABLE,
    TEXT,
    WHOLE,
    Each,
    Maybe,
    check_shape,
    is_number,
    readable,
)
from casino_env.record import FORMAT

_MAYBE, _RATES = Maybe(NUMBER), Each(MEAN)
_GAME = {"variant": TEXT, "players": WHOLE}
_POSITION = {"lost": NUMBER, "chosen": TEXT, "best": Each(TEXT, list), "position": TABLE}
# Kind of result -> what the JSON of a command has that is one: the keys by which it is known, and their shapes.
RESULTS: dict[str, dict[str, Any]] = {
    "matches": _GAME
    | {"a": TEXT, "b": TEXT, "diff": NUMBER, "low": _MAYBE, "high": _MAYBE, "deals": WHOLE, "win_a": SHARE},
    "styles": _GAME
    | {"agent": TEXT, "against": TEXT, "deals": WHOLE, "captures by turn": Each(NUMBER, list)}
    | dict.fromkeys(("turns", "builds", "points", "steals"), _RATES),
    "regrets": {"agent": TEXT, "cards": WHOLE, "lost a deal": MEAN, "lost a decision": MEAN, "mistakes": MEAN}
    | {"worst": Each(_POSITION, list)},
    "exploits": {"agent": TEXT, "variant": TEXT, "method": TEXT, "exploited": MEAN},
}
_POINT = {"decisions": NUMBER, "seconds": _MAYBE, "vs": Maybe(Each({"diff": NUMBER, "low": _MAYBE, "high": _MAYBE}))}
_KNOWN_BY = {
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
    if not path.is_dir():
        _read_file(path, found)
    elif (path / "tournament.json").exists():
        found["tournaments"].append(read_tournament(path))
    elif (path / "progress.jsonl").exists():
        found["runs"].append(read_run(path))
    else:
        for inner in sorted(path.iterdir()):
            of_interest = inner.is_dir() or (inner.is_file() and inner.suffix in (".json", ".jsonl", ".txt"))
            if of_interest and not inner.is_symlink():  # a link may lead back here
                _read(inner, found)


def _read_file(path: Path, found: dict[str, list[Any]]) -> None:
    """JSON of commands, one or a list or one a line, or a game record."""
    text = read_text(path)
    if text.startswith(FORMAT):
        found["records"].append({"name": path.stem, "record": text})
        return
    for row in _rows(path, text):
        if isinstance(row, dict):
            plain = _plain(row, str(path))
            kind = next((kind for kind, keys in _KNOWN_BY.items() if keys <= plain.keys()), None)
            if kind:
                check_whole(row, str(path))
                check_shape(plain, RESULTS[kind], str(path))
                found[kind].append(plain)


def _plain(row: dict[str, Any], where: str) -> dict[str, Any]:
    try:
        plain: dict[str, Any] = readable(row)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    return plain


def _rows(path: Path, text: str) -> list[Any]:
    try:
        data = parse(text, str(path))
    except ValueError as error:
        if "\n" not in text.strip():
            raise ValueError(f"{path}: neither JSON nor a game record: {error}") from None
        data = [_line(path, number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    return data if isinstance(data, list) else [data]


def _line(path: Path, number: int, line: str) -> Any:
    try:
        return parse(line, str(path))
    except ValueError:
        raise ValueError(f"{path}: line {number}: neither JSON nor a game record") from None


# --- tournaments and runs ----------------------------------------------------------------------------------------


def read_tournament(folder: Path) -> dict[str, Any]:
    """Ratings, pairs and failures of a tournament's folder, finished or not."""
    tournament = load_tournament(folder)
    failures = [str(failure) for failure in tournament.failures]
    return readable({"name": folder.resolve().name, **standings(tournament), "failures": failures})  # type: ignore[no-any-return]


def read_run(folder: Path) -> dict[str, Any]:
    """The progress of a training run; a last line that a kill has cut short does not count."""
    path = folder / "progress.jsonl"
    points = [readable(row) for row in read_journal(path)[1:]]
    for number, point in enumerate(points, 2):
        check_shape(point, _POINT, f"{path}, line {number}")
        points[number - 2] = {key: value for key, value in point.items() if key in _POINT or is_number(value)}
    return {"name": folder.resolve().name, "folder": str(folder), "about": _about_run(folder), "points": points}


def _about_run(folder: Path) -> str:
    path = folder / "config.json"
    return run_facts(readable(unseal(read_text(path), str(path)))) if path.exists() else ""
