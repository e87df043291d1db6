"""The table of a paper: a row for each group of runs, a column for each game and opponent, in LaTeX or as CSV."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from casino_env.evaluate.seeds import Setting, cost_of, finite, student
from casino_env.evaluate.tables import csv_text

Cells = dict[str, dict[tuple[str, str], dict[str, Any]]]  # by group, then by game and opponent

_SPECIAL = {letter: f"\\{letter}" for letter in "&%$#_{}"} | {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
}  # fmt: skip


def cells(groups: dict[str, list[Setting]]) -> Cells:
    """Return the cells of the table. groups: the groups of runs, by opponent."""
    found: Cells = {}
    for rival, settings in groups.items():
        for setting in settings:
            for game in setting.tasks:
                scores = setting.of(game)
                about = finite(student([scores])[0]) | {"runs": len(scores)} | cost_of(setting.tasks[game])
                found.setdefault(setting.name, {})[game, rival] = about
    return found


def _columns(found: Cells) -> list[tuple[str, str]]:
    return sorted(dict.fromkeys(column for row in found.values() for column in row))


def as_latex(found: Cells) -> str:
    """Return a tabular for booktabs, without a table environment; the best mean of a column is bold."""
    columns = _columns(found)
    best = {column: max(row[column]["mean"] for row in found.values() if column in row) for column in columns}
    heads = [f"{_escaped(game)} over {_escaped(rival)}" for game, rival in columns] + ["decisions"]
    lines = [
        f"{_escaped(name)} & {' & '.join([*(_tex(row.get(c), best[c]) for c in columns), _decisions(row)])} \\\\"
        for name, row in found.items()
    ]
    return "\n".join([
        "% points a deal: mean of the runs, half of Student's 95 % interval over them, (how many runs)",
        "% decisions: of a run, on the mean",
        f"\\begin{{tabular}}{{l{'r' * len(heads)}}}", "\\toprule", f" & {' & '.join(heads)} \\\\", "\\midrule",
        *lines, "\\bottomrule", "\\end{tabular}", "",
    ])  # fmt: skip


def _tex(cell: dict[str, Any] | None, best: float) -> str:
    if cell is None:
        return "--"
    mean = f"{cell['mean']:+.2f}"
    mean = f"\\mathbf{{{mean}}}" if cell["mean"] == best else mean
    half = "" if cell["low"] is None else f" \\pm {(cell['high'] - cell['low']) / 2:.2f}"
    return f"${mean}{half}$ ({cell['runs']})"


def _decisions(row: dict[tuple[str, str], dict[str, Any]]) -> str:
    """The decisions of a run, as the mean over the games."""
    by_game = {game: cell["decisions"] for (game, _), cell in row.items() if "decisions" in cell}
    return f"{sum(by_game.values()) / len(by_game):,.0f}" if by_game else "--"


def _escaped(text: str) -> str:
    return "".join(_SPECIAL.get(letter, letter) for letter in text)


def as_csv(found: Cells) -> str:
    """Return the same numbers as CSV, with a column for each number of a cell."""
    return csv_text(
        {"group": name}
        | {f"{game} over {rival}: {part}": one for (game, rival), cell in row.items() for part, one in cell.items()}
        for name, row in found.items()
    )


TABLES: dict[str, Callable[[Cells], str]] = {".tex": as_latex, ".csv": as_csv}
