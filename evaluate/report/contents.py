"""What a report is made of: tournaments, runs and results of single commands, read as plain data, and the styles that
are quickly counted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from casino_env.agents.base import ManyGames
from casino_env.agents.files import parse, read_journal, read_text, unseal
from casino_env.agents.policy.policy_files import games as games_of
from casino_env.agents.policy.policy_files import read_description
from casino_env.agents.registry import AgentError, spec_from_file
from casino_env.evaluate.file_models import Number, Open, is_number, readable
from casino_env.evaluate.matches.books import make_book
from casino_env.evaluate.matches.pairing import AgentFailedError, entrant
from casino_env.evaluate.matches.tournament import load_tournament
from casino_env.evaluate.ratings import shares_of, standings
from casino_env.evaluate.results import RESULTS, check_whole, kind_of
from casino_env.evaluate.style import style
from casino_env.evaluate.tables import frame, tidy, write_table
from casino_env.rules import Rules, make_rules
from casino_env.validate import read_model

KINDS = ("tournaments", "runs", *RESULTS)
_RIVAL = "counter"  # against whom the policy of a run is shown

Row = dict[str, Any]


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


def gather(paths: list[str], *, styled: int, trust: bool = False) -> Row:
    """The report as plain data. styled: deals for the style of each agent of a tournament, and of the policy of a
    run."""
    found, notes = read_all(paths), list[str]()
    for rules, agents, rival in list(_fields(found, notes, trust)):
        known = {(row["agent"], row["variant"], row["players"]) for row in found["styles"]}
        for name in agents if styled else ():
            if (name, rules.name, rules.players) not in known:
                found["styles"] += _style(rules, name, rival, styled, notes)
    report: Row = readable({**found, "notes": notes})
    return report


def grouped(styles: list[Row]) -> list[Row]:
    """Styles that may be compared: of one game, against the same opponent or each against itself."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in styles:
        game = f"{row['variant']}, {row['players']} players"
        rivals = {other["against"] for other in styles if other["against"] != other["agent"]}
        alone = row["against"] == row["agent"] and row["agent"] not in rivals
        groups.setdefault((game, "itself" if alone else row["against"]), []).append(row)
    return [{"title": title, "against": rival, "rows": rows} for (title, rival), rows in groups.items()]


# --- reading -------------------------------------------------------------------------------------------------------


def read_all(paths: list[str]) -> dict[str, list[Any]]:
    """Everything that the paths hold, by kind; raises ValueError for a path that holds nothing."""
    found: dict[str, list[Any]] = {kind: [] for kind in KINDS}
    for path in paths:
        before = sum(map(len, found.values()))
        _read(Path(path), found)
        if sum(map(len, found.values())) == before:
            raise ValueError(
                f"{path}: nothing to report: no tournament (tournament.json), run (progress.jsonl) or JSON of a command"
            )
    return found


def _read(path: Path, found: dict[str, list[Any]]) -> None:
    if not path.exists():
        raise ValueError(f"{path}: there is no such file or folder")
    if not path.is_dir():
        for row in _rows(path):
            plain = _readable(row, str(path)) if isinstance(row, dict) else {}
            if kind := kind_of(plain):
                check_whole(row, str(path))
                read_model(RESULTS[kind][0], plain, str(path))
                found[kind].append(plain)
    elif (path / "tournament.json").exists():
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
    return {"name": folder.resolve().name, "folder": str(folder), **_about_run(folder), "points": points}


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


# --- styles --------------------------------------------------------------------------------------------------------


def _fields(found: dict[str, list[Any]], notes: list[str], trust: bool) -> Iterator[tuple[Rules, list[str], str]]:
    """(game, agents, whom they are shown against): those of each tournament, against its best, and of each run that has
    a policy, against a scripted bot."""
    for tournament in found["tournaments"]:
        settings, agents = tournament["settings"], []
        for row in tournament["ratings"]:
            try:  # its name comes out of a file: it may be made if it is no code of its own
                agents.append(row["agent"] if trust else spec_from_file(row["agent"], "No style"))
            except AgentError as error:
                notes.append(str(error))
        if agents:
            yield make_rules(settings["variant"], settings["players"], **settings["rules"]), agents, agents[0]
    for run in found["runs"]:
        weights = Path(run["folder"]) / "policy.safetensors"
        if weights.with_suffix(".json").exists():
            try:
                yield games_of(read_description(weights))[0], [f"policy:{weights.parent}"], _RIVAL
            except (ValueError, OSError) as error:
                notes.append(f"No style of {weights.parent}: {error}")


def _style(rules: Rules, name: str, rival: str, deals: int, notes: list[str]) -> list[Row]:
    """Of an agent, where it is quickly found."""
    try:
        agent = entrant(name)
        if isinstance(agent.agent, ManyGames):
            return [style(make_book(rules, deals), agent, rival)]
        notes.append(f"No style of {name}, which plays one game at a time: see `casino evaluate style`.")
    except (AgentFailedError, ValueError) as error:
        notes.append(f"No style: {error}")
    return []


# --- as tables-----------------------------------------------------------------------------------------------------


def tables(report: Row) -> dict[str, list[Row]]:
    """A row for each agent, pair, result and moment of a run."""
    cups, found = report["tournaments"], {}
    found["standings"] = [
        {"tournament": cup["name"], **row, **shares_of(cup, row["agent"])} for cup in cups for row in cup["ratings"]
    ]
    found["pairs"] = [{"tournament": cup["name"], **row} for cup in cups for row in cup["pairs"]]
    found["progress"] = [{"run": run["name"], **row} for run in report["runs"] for row in tidy(run["points"])]
    return found | {kind: tidy(report[kind]) for kind in ("matches", "styles", "regrets", "exploits")}


def frames(*paths: str) -> dict[str, Any]:
    """What folders and files hold, as data frames by name: standings, pairs, progress, matches, ..."""
    report = readable(read_all(list(paths)))
    return {name: frame(rows) for name, rows in tables(report).items() if rows}


def write_tables(report: Row, folder: Path) -> list[Path]:
    written = [folder / f"{name}.csv" for name, rows in tables(report).items() if rows]
    for path in written:
        write_table(path, tables(report)[path.stem])
    return written
