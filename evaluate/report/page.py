"""The report as one HTML page that stands alone (html/page.html): no script, nothing loaded."""

from __future__ import annotations

import os
import platform
import shlex
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from casino_env.evaluate.report.charts import Charts, inline, is_wide
from casino_env.evaluate.report.contents import readable
from casino_env.rules import RULES_VERSION

_HTML = Path(__file__).parent / "html"

Row = dict[str, Any]


def page(title: str, report: Row, drawn: Charts, facts: list[str]) -> str:
    """facts: where it comes from."""
    from jinja2 import Environment, FileSystemLoader
    from markupsafe import Markup

    charts = {
        name: [{"title": each.title, "wide": is_wide(each.figure), "svg": Markup(inline(each.figure))} for each in some]
        for name, some in drawn.items()
    }  # fmt: skip
    environment = Environment(autoescape=True, loader=FileSystemLoader(_HTML), trim_blocks=True)
    return environment.get_template("page.html").render(
        title=readable(title), style=Markup((_HTML / "page.css").read_text("utf-8")), about=[_about(report), *facts],
        sections=_sections(report), report=report, charts=charts,
        standings=_standings, pairs=_pairs, matches=map(_match_cells, report["matches"]),
    )  # fmt: skip


def _sections(report: Row) -> dict[str, str]:
    """The headings of all that there is something to say of."""
    found = {f"tournament{k}": f"Tournament: {cup['name']}" for k, cup in enumerate(report["tournaments"])}
    found |= {f"run{k}": f"Learning: {run['name']}" for k, run in enumerate(report["runs"])}
    found |= {"curves": "Learning, compared"} if len(report["runs"]) > 1 else {}
    return found | ({"matches": "Matches"} if report["matches"] else {})


def _about(report: Row) -> str:
    one = {"tournaments": "tournament", "runs": "run", "matches": "match"}
    counts = ((len(report[kind]), kind) for kind in one if report[kind])
    return ", ".join(f"{count} {kind if count > 1 else one[kind]}" for count, kind in counts)


# --- tables --------------------------------------------------------------------------------------------------------


def _between(low: float | None, high: float | None, digits: int = 2) -> str:
    return "-" if low is None or high is None else f"{low:+.{digits}f} to {high:+.{digits}f}"


def _standings(cup: Row) -> Iterator[list[str]]:
    for row in cup["ratings"]:
        elo, points = _between(row["elo_low"], row["elo_high"], 0), _between(row["points_low"], row["points_high"])
        numbers = [f"{row['elo']:+.0f}", elo, f"{row['points']:+.2f}", points, f"{row['deals']:,}"]
        yield [row["agent"], *numbers]


def _pairs(cup: Row) -> Iterator[tuple[str, list[Row | None]]]:
    """Who beats whom, from blue (won) to orange (lost)."""
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
    """When it was made, by which command (words: what came after its name), with which versions, on what machine."""
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    versions = ", ".join(f"{name} {version(name)}" for name in ("casino-env", "numpy"))
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    return [
        f"Made {now} by: casino evaluate report {shlex.join(words)}",
        f"{versions}; rules {RULES_VERSION}; {machine}",
    ]
