"""The report: tournaments, training runs and matches as plain data, as tables and as one HTML page."""

from __future__ import annotations

import json
import platform
import shlex
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from casino_env.agents.files import is_sealed, parse, read_journal, read_text, unseal
from casino_env.evaluate.charts import Charts, inline, is_wide
from casino_env.evaluate.matches.tournament import FILE, load_tournament
from casino_env.evaluate.ratings import standings
from casino_env.evaluate.tables import frame, tidy, write_table
from casino_env.machine import cores
from casino_env.rules import RULES_VERSION
from casino_env.validate import LARGEST, read_model

KINDS = ("tournaments", "runs", "matches")

Row = dict[str, Any]

_HTML = Path(__file__).with_suffix(".html")

_Count = Annotated[int, Field(ge=0, le=LARGEST)]
_Number = Annotated[float, Field(ge=-LARGEST, le=LARGEST)]


class _Read(BaseModel):
    model_config = ConfigDict(strict=True, allow_inf_nan=False)


class _Match(_Read):
    """A row that `casino evaluate match --json` prints."""

    a: str
    b: str
    variant: str
    players: _Count
    diff: _Number
    low: _Number | None
    high: _Number | None
    deals: _Count
    win_a: Annotated[float, Field(ge=0, le=1)]


class _Met(_Read):
    diff: _Number
    low: _Number | None = None
    high: _Number | None = None


class _Moment(_Read):
    """A line of progress.jsonl, written by this or another program."""

    decisions: _Number
    seconds: _Number | None = None
    cpu_seconds: _Number | None = None
    vs: dict[str, _Met] | None = None


class _About(_Read):
    """The contents of config.json beside progress.jsonl."""

    config: dict[str, Any]
    versions: dict[str, str] = {}
    commit: str = "unknown"


def read_all(paths: list[str]) -> dict[str, list[Any]]:
    """Return everything that the paths hold, by kind, once; raise ValueError for a path that holds nothing."""
    found: dict[tuple[Path, int], tuple[str, Any]] = {}
    for path in paths:
        held = dict(_held(Path(path)))
        if not held:
            raise ValueError(
                f"{path}: nothing to report: no tournament ({FILE}), run (progress.jsonl) or JSON of a match"
            )
        found |= held
    return {kind: [one for its, one in found.values() if its == kind] for kind in KINDS}


def _held(path: Path) -> Iterator[tuple[tuple[Path, int], tuple[str, Any]]]:
    """Where it lies (its file or folder, and which of those there), its kind and itself."""
    if not path.exists():
        raise ValueError(f"{path}: no such file or folder")
    here = path.resolve()
    if not path.is_dir():
        for number, row in enumerate(_rows(path)):
            if isinstance(row, dict) and row.keys() >= {"a", "b", "diff", "low", "high", "deals"}:
                read_model(_Match, row, str(path))
                yield (here, number), ("matches", readable(row))
    elif (path / FILE).exists():
        tournament = load_tournament(path)
        failures = [str(failure) for failure in tournament.failures]
        yield (here, 0), ("tournaments", readable({"name": here.name, **standings(tournament), "failures": failures}))
    elif (path / "progress.jsonl").exists():
        yield (here, 0), ("runs", _read_run(path))
    else:
        for inner in sorted(path.iterdir()):
            of_interest = inner.is_dir() or (inner.is_file() and inner.suffix in (".json", ".jsonl"))
            if of_interest and not inner.is_symlink():  # a link may lead back here
                yield from _held(inner)


def readable(value: Any) -> Any:
    """Return a copy in which control characters and lone surrogates, which no page or table can hold, are replaced."""
    if isinstance(value, str):
        return "".join(letter if letter.isprintable() or letter in "\n\t" else "\ufffd" for letter in value)
    if isinstance(value, dict):
        return {readable(key): readable(one) for key, one in value.items()}
    return [readable(one) for one in value] if isinstance(value, list | tuple) else value


def _rows(path: Path) -> list[Any]:
    """Read a file of JSON: one value, a list of values, or one a line."""
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
    """Read the progress of a training run, of this program (lines have checksums) or another one."""
    path = folder / "progress.jsonl"
    text = read_text(path)
    rows = read_journal(path) if is_sealed(text) else _rows(path) if text else []  # empty: just begun
    for number, row in enumerate(rows, 1):
        read_model(_Moment, row, f"{path}, line {number}")
    points = [
        {key: value for key, value in row.items() if value is None or isinstance(value, int | float | dict)}
        for row in rows
    ]
    about = _about_run(folder / "config.json")
    run: Row = readable({"name": folder.resolve().name, "folder": str(folder), **about, "points": points})
    return run


def _about_run(path: Path) -> Row:
    what: Row = {"variant": "?", "players": "?", "algorithm": "?", "seed": "?"}
    if not path.exists():
        return what | {"about": "", "settings": {}, "switches": []}
    text = read_text(path)
    data = unseal(text, str(path)) if is_sealed(text) else parse(text, str(path))
    kept = read_model(_About, data, str(path))
    settings = dict(_settings(kept.config))
    what |= {key: settings[f"{part}.{key}"] for key in what for part in ("game", "run") if f"{part}.{key}" in settings}
    made = ", ".join(f"{name} {number}" for name, number in {"commit": kept.commit, **kept.versions}.items())
    changed = settings.get("game.rules")
    switches = [f"{name}={value}" for name, value in sorted(changed.items())] if isinstance(changed, dict) else []
    game = [what["variant"], f"{what['players']} players", *switches, what["algorithm"], f"seed {what['seed']}"]
    return what | {"about": f"{', '.join(map(str, game))}; {made}.", "settings": settings, "switches": switches}


def _settings(config: Row) -> Iterator[tuple[str, Any]]:
    """Yield the settings by section.setting, as on the command line."""
    for section, table in config.items():
        if isinstance(table, dict):
            yield from ((f"{section}.{key}", value) for key, value in table.items())
        else:
            yield section, table


# --- as tables -----------------------------------------------------------------------------------------------------


def tables(report: Row) -> dict[str, list[Row]]:
    """Return tables with a row for each agent, pair, match and logged moment of a run."""
    cups = report["tournaments"]
    return {
        "standings": [{"tournament": cup["name"], **row} for cup in cups for row in cup["ratings"]],
        "pairs": [{"tournament": cup["name"], **row} for cup in cups for row in cup["pairs"]],
        "progress": [
            {"run": run["name"], **_known_of(run, report["runs"]), **row}
            for run in report["runs"]
            for row in tidy(run["points"])
        ],
        "matches": tidy(report["matches"]),
    }


def _known_of(run: Row, runs: list[Row]) -> Row:
    """Return the game, algorithm and seed of a run, and the settings in which the runs differ."""
    known = {key: run[key] for key in ("seed", "algorithm", "variant", "players")}
    said = {f"{part}.{key}" for key in (*known, "name") for part in ("game", "run")}
    for key in dict.fromkeys(key for other in runs for key in other["settings"] if key not in said):
        if any(other["settings"].get(key) != run["settings"].get(key) for other in runs):
            value = run["settings"].get(key)
            known[key] = json.dumps(value) if isinstance(value, list | dict) else value
    return known


def frames(*paths: str) -> dict[str, Any]:
    """Read folders and files into data frames by name: standings, pairs, progress, matches."""
    return {name: frame(rows) for name, rows in tables(read_all(list(paths))).items() if rows}


def write_tables(report: Row, folder: Path) -> list[Path]:
    found = {folder / f"{name}.csv": rows for name, rows in tables(report).items() if rows}
    for path, rows in found.items():
        write_table(path, rows)
    return [*found]


# --- as a self-contained page without scripts ------------------------------------------------------------------------


def page(title: str, report: Row, drawn: Charts, facts: list[str]) -> str:
    """Render the page. facts: lines about how it was made."""
    from jinja2 import Environment
    from markupsafe import Markup

    charts = {
        name: [{"title": each.title, "wide": is_wide(each.figure), "svg": Markup(inline(each.figure))} for each in some]
        for name, some in drawn.items()
    }  # fmt: skip
    template = Environment(autoescape=True, trim_blocks=True).from_string(_HTML.read_text("utf-8"))
    return template.render(
        title=readable(title), about=[_about(report), *facts], sections=_sections(report), report=report, charts=charts,
        standings=_standings, pairs=_pairs, matches=map(_match_cells, report["matches"]),
    )  # fmt: skip


def _sections(report: Row) -> dict[str, str]:
    """The headings of the sections that have content."""
    found = {f"tournament{k}": f"Tournament: {cup['name']}" for k, cup in enumerate(report["tournaments"])}
    found |= {f"run{k}": f"Learning: {run['name']}" for k, run in enumerate(report["runs"])}
    found |= {"curves": "Learning, compared"} if len(report["runs"]) > 1 else {}
    return found | ({"matches": "Matches"} if report["matches"] else {})


def _about(report: Row) -> str:
    one = {"tournaments": "tournament", "runs": "run", "matches": "match"}
    counts = ((len(report[kind]), kind) for kind in one if report[kind])
    return ", ".join(f"{count} {kind if count > 1 else one[kind]}" for count, kind in counts)


def _between(low: float | None, high: float | None, digits: int = 2) -> str:
    return "-" if low is None or high is None else f"{low:+.{digits}f} to {high:+.{digits}f}"


def _standings(cup: Row) -> Iterator[list[str]]:
    for row in cup["ratings"]:
        elo, points = _between(row["elo_low"], row["elo_high"], 0), _between(row["points_low"], row["points_high"])
        numbers = [f"{row['elo']:+.0f}", elo, f"{row['points']:+.2f}", points, f"{row['deals']:,}"]
        yield [row["agent"], *numbers]


def _pairs(cup: Row) -> Iterator[tuple[str, list[Row | None]]]:
    """Yield each agent with the cells of its row, coloured from blue (won) to orange (lost)."""
    met = {(row["a"], row["b"]): (row["diff"], row) for row in cup["pairs"]}
    met |= {(row["b"], row["a"]): (-row["diff"], row) for row in cup["pairs"]}
    most = max([0.001, *(abs(diff) for diff, _ in met.values())])

    def cell(diff: float, row: Row) -> Row:
        half = "" if row["high"] is None else f"± {(row['high'] - row['low']) / 2:.2f}"
        share = round(8 + 67 * (abs(diff) / most) ** 0.5)
        return {"diff": diff, "half": half, "colour": "good" if diff >= 0 else "bad", "share": share}

    names = [row["agent"] for row in cup["ratings"]]
    for a in names:
        yield a, [cell(*met[a, b]) if (a, b) in met else None for b in names]


def _match_cells(row: Row) -> list[str]:
    return [
        f"{row['a']} over {row['b']}", f"{row['variant']}, {row['players']} players", f"{row['diff']:+.2f}",
        _between(row["low"], row["high"]), f"{row['win_a']:.1%}", f"{row['deals']:,}",
        str(row.get("seed", "-")),
    ]  # fmt: skip


def facts(words: list[str]) -> list[str]:
    """Return lines with the date, the command (words: its arguments), the versions and the machine."""
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    versions = ", ".join(f"{name} {version(name)}" for name in ("casino-env", "numpy"))
    machine = f"{platform.system()} {platform.machine()}, {cores()} cores, Python {platform.python_version()}"
    return [
        f"Made {now} by: casino evaluate report {shlex.join(words)}",
        f"{versions}; rules {RULES_VERSION}; {machine}",
    ]
