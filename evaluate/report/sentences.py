"""What a report says in words: where it comes from, and what each part of it comes to."""

from __future__ import annotations

import os
import platform
import shlex
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from casino_env.rules import RULES_VERSION

Row = dict[str, Any]


def facts(words: list[str]) -> list[str]:
    """When it was made, by which command (words: what came after its name), with which versions, on what machine."""
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    versions = ", ".join(f"{name} {version(name)}" for name in ("casino-env", "numpy", "numba"))
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    return [
        f"Made {now} by: casino evaluate report {shlex.join(words)}",
        f"{versions}; rules {RULES_VERSION}; {machine}",
    ]


def sentences(report: Row) -> list[str]:
    """The best of each tournament, the end of each run, and every single result."""
    found = [_tournament(cup) for cup in report["tournaments"]] + [_run(run) for run in report["runs"]]
    found += [_match(row) for row in report["matches"]]
    found += [f"{_exploit(row)}." for row in report["exploits"]] + [f"{_regret(row)}." for row in report["regrets"]]
    return [sentence for sentence in found if sentence]


def _tournament(cup: Row) -> str:
    """The first of the table and the second."""
    names, settings = [row["agent"] for row in cup["ratings"]], cup["settings"]
    pair = next((row for row in cup["pairs"] if {row["a"], row["b"]} == set(names[:2])), None)
    if pair is None:
        return ""
    sign = 1 if pair["a"] == names[0] else -1
    ends = sorted(sign * pair[key] if pair[key] is not None else sign * pair["diff"] for key in ("low", "high"))
    row = {"a": names[0], "b": names[1], "diff": sign * pair["diff"], "low": ends[0], "high": ends[1]}
    return f"{cup['name']}: " + _match(settings | row | {"deals": pair["deals"]})


def _match(row: Row) -> str:
    low, high = row.get("low"), row.get("high")
    game = f"{row['variant']}, {row['players']} players, {row['deals']:,} deals"
    by = f"by {_points(abs(row['diff']))} a deal"
    if low is None or high is None or low <= 0 <= high:
        return f"{row['a']} and {row['b']} cannot be told apart: {row['diff']:+.2f}{_between(low, high)}, {game}."
    if row["diff"] > 0:
        return f"{row['a']} beats {row['b']} {by}{_between(low, high)}, {game}."
    return f"{row['b']} beats {row['a']} {by}{_between(-high, -low)}, {game}."


def _run(run: Row) -> str:
    """Where it ended, and where it was when it was first looked at."""
    met = [point for point in run["points"] if point.get("vs")]
    if not met:
        return ""
    first, last = met[0], met[-1]
    parts = [
        f"{_side(row['diff'])} {name}{_between(row.get('low'), row.get('high'))}" for name, row in last["vs"].items()
    ]
    after = f"after {last['decisions']:,} decisions" + _clock(last.get("seconds"))
    said = f"{run['name']}: {after} it is {' and '.join(parts)}"
    name = next(iter(last["vs"]))
    if first is last or name not in first["vs"]:
        return f"{said}."
    return f"{said}; after {first['decisions']:,} it was {_side(first['vs'][name]['diff'])} {name}."


def _side(diff: float) -> str:
    return f"{_points(abs(diff))} a deal {'ahead of' if diff >= 0 else 'behind'}"


def _exploit(row: Row) -> str:
    least = "" if row["method"] == "exact" else "at least "
    return (
        f"Who knows {row['agent']} wins {least}{_points(row['exploited']['mean'])} a deal from it in {row['variant']}"
    )


def _regret(row: Row) -> str:
    lost = row["lost a deal"]
    return (
        f"{row['agent']} loses {_points(lost['mean'])} a deal in endings{_between(lost.get('low'), lost.get('high'))}"
    )


def _points(number: float) -> str:
    return f"{number:.2f} points"


def _between(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f" (95 %: {low:.2f} to {high:.2f})"


def _clock(seconds: float | None) -> str:
    return "" if seconds is None else f" and {seconds / 60:.1f} minutes"
