"""What a report is made of: tournaments, training runs and matches, read as plain data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from casino_env.agents.files import parse, read_journal, read_text, unseal
from casino_env.evaluate.file_models import Count, Number, Open, Share, is_number, readable
from casino_env.evaluate.matches.tournament import FILE, load_tournament
from casino_env.evaluate.ratings import shares_of, standings
from casino_env.evaluate.tables import frame, tidy, write_table
from casino_env.validate import read_model

KINDS = ("tournaments", "runs", "matches")

Row = dict[str, Any]


class _Match(Open):
    """What `match --json` prints."""

    a: str
    b: str
    variant: str
    players: Count
    diff: Number
    low: Number | None
    high: Number | None
    deals: Count
    win_a: Share


class _Met(Open):
    diff: Number
    low: Number | None = None
    high: Number | None = None


class _Moment(Open):
    """A line of progress.jsonl; the other numbers that it may have are shown as well."""

    decisions: Number
    seconds: Number | None = None
    vs: dict[str, _Met] | None = None


class _RunFile(Open):
    """config.json of a run."""

    config: dict[str, dict[str, Any]]
    versions: dict[str, str]
    commit: str


def read_all(paths: list[str]) -> dict[str, list[Any]]:
    """Everything that the paths hold, by kind; raises ValueError for a path that holds nothing."""
    found: dict[str, list[Any]] = {kind: [] for kind in KINDS}
    for path in paths:
        before = sum(map(len, found.values()))
        _read(Path(path), found)
        if sum(map(len, found.values())) == before:
            raise ValueError(
                f"{path}: nothing to report: no tournament ({FILE}), run (progress.jsonl) or JSON of a match"
            )
    return found


def _read(path: Path, found: dict[str, list[Any]]) -> None:
    if not path.exists():
        raise ValueError(f"{path}: there is no such file or folder")
    if not path.is_dir():
        for row in _rows(path):
            if isinstance(row, dict) and row.keys() >= {"a", "b", "diff", "low", "high", "deals"}:
                found["matches"].append(_readable(row, str(path)))
                read_model(_Match, found["matches"][-1], str(path))
    elif (path / FILE).exists():
        tournament = load_tournament(path)
        failures = [str(failure) for failure in tournament.failures]
        cup = {"name": path.resolve().name, **standings(tournament), "failures": failures}
        found["tournaments"].append(_readable(cup, str(path)))
    elif (path / "progress.jsonl").exists():
        found["runs"].append(_read_run(path))
    else:
        for inner in sorted(path.iterdir()):
            of_interest = inner.is_dir() or (inner.is_file() and inner.suffix in (".json", ".jsonl"))
            if of_interest and not inner.is_symlink():  # a link may lead back here
                _read(inner, found)


def _readable(value: Any, where: str) -> Row:
    try:
        plain: Row = readable(value)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    return plain


def _rows(path: Path) -> list[Any]:
    """JSON: one value, a list of them, or one a line."""
    text = read_text(path)
    try:
        data = parse(text, str(path))
    except ValueError:
        if "\n" not in text.strip():
            raise
        lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
        data = [parse(line, f"{path}: line {number}") for number, line in lines]
    return data if isinstance(data, list) else [data]


def _read_run(folder: Path) -> Row:
    """The progress of a training run; a last line that a kill has cut short does not count."""
    points = []
    for number, row in enumerate(read_journal(folder / "progress.jsonl")[1:], 2):
        point = _readable(row, f"{folder / 'progress.jsonl'}, line {number}")
        read_model(_Moment, point, f"{folder / 'progress.jsonl'}, line {number}")
        known = {key: value for key, value in point.items() if key in _Moment.model_fields or is_number(value)}
        points.append(known)
    return _readable({"name": folder.resolve().name, **_about_run(folder), "points": points}, str(folder))


def _about_run(folder: Path) -> Row:
    path, what = folder / "config.json", {"variant": "?", "players": "?", "algorithm": "?", "seed": "?"}
    if not path.exists():
        return what | {"about": ""}
    kept = read_model(_RunFile, _readable(unseal(read_text(path), str(path)), str(path)), str(path))
    given = kept.config.get("game", {}) | kept.config.get("run", {})
    what |= {key: given[key] for key in what if key in given}
    versions = ", ".join(f"{name} {number}" for name, number in kept.versions.items())
    game = "{variant}, {players} players, {algorithm}, seed {seed}".format(**what)
    return what | {"about": f"{game}; commit {kept.commit}; {versions}."}


# --- as tables -----------------------------------------------------------------------------------------------------


def tables(report: Row) -> dict[str, list[Row]]:
    """A row for each agent, pair, match and moment of a run."""
    cups = report["tournaments"]
    return {
        "standings": [
            {"tournament": cup["name"], **row, **shares_of(cup, row["agent"])} for cup in cups for row in cup["ratings"]
        ],
        "pairs": [{"tournament": cup["name"], **row} for cup in cups for row in cup["pairs"]],
        "progress": [{"run": run["name"], **row} for run in report["runs"] for row in tidy(run["points"])],
        "matches": tidy(report["matches"]),
    }


def frames(*paths: str) -> dict[str, Any]:
    """What folders and files hold, as data frames by name: standings, pairs, progress, matches."""
    return {name: frame(rows) for name, rows in tables(read_all(list(paths))).items() if rows}


def write_tables(report: Row, folder: Path) -> list[Path]:
    found = {folder / f"{name}.csv": rows for name, rows in tables(report).items() if rows}
    for path, rows in found.items():
        write_table(path, rows)
    return [*found]
