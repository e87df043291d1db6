"""What reports are made of: runs, tournaments, JSON of commands."""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path
from random import Random
from xml.etree import ElementTree

from casino_env import make_rules
from casino_env.agents.files import parse, write_journal
from casino_env.evaluate.matches.books import make_book
from casino_env.evaluate.matches.match import match
from casino_env.evaluate.regret import regret
from casino_env.evaluate.report.charts import charts, write_charts
from casino_env.evaluate.report.contents import gather, write_tables
from casino_env.evaluate.report.page import page
from casino_env.evaluate.results import as_json
from casino_env.evaluate.style import style
from tests.hostile import tournaments
from tests.hostile.folders import Folder, packed, unpacked
from tests.hostile.folders import spoil as spoil_folder
from tests.hostile.kind import Kind

_DRAWN = 0.05  # of the reports: charts take most of the time
_RESULTS = {f"{name}.json" for name in ("match", "style", "regret", "exploit")}


def _results(place: Path) -> None:
    rules = make_rules("south-african", 2)
    found = {
        "match": match("greedy", "random", deals=4).to_json(),
        "style": style(make_book(rules, 4), "greedy", "random"),
        "regret": regret(rules, "random", 3, 2),
        "exploit": {
            "agent": "x",
            "variant": "mini",
            "method": "search",
            "exploited": {"mean": 1.0, "low": 0.5, "high": 2},
        },
    }
    for name, row in found.items():
        (place / f"{name}.json").write_text(as_json(row))


def seeds(rng: Random) -> list[Folder]:
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        _results(place)
        (place / "run").mkdir()
        points = [
            {"decisions": k, "seconds": 2.0 * k, "entropy": 1 / k, "vs": {"greedy": {"diff": k, "low": 0, "high": 9}}}
            for k in (1, 2, 3)
        ]
        write_journal(place / "run" / "progress.jsonl", [{"format": "casino-progress 1"}, *points])
        results = packed(place)
    cups = [{f"cup/{name}": data for name, data in cup.items()} for cup in tournaments.seeds(rng)]
    return [results, results | cups[0], cups[1]]


def spoil(folder: Folder, rng: Random) -> Folder:
    """Mostly so that the checksums of results fit: then what they say has to be looked at."""
    folder = spoil_folder(folder, rng)
    if rng.random() < 0.8:
        for name in _RESULTS & folder.keys():
            with contextlib.suppress(ValueError, TypeError, AttributeError):  # spoilt too far to be a result
                folder[name] = as_json(parse(folder[name].decode(), "")).encode()
    return folder


@tournaments.quick
def use(folder: Folder, rng: Random) -> None:
    with unpacked(folder) as place:
        report = gather([str(place)], styled=0)
        (place / "out").mkdir()
        write_tables(report, place / "out")
        if rng.random() < _DRAWN:
            drawn = charts(report)
            page("title", report, drawn, []).encode()
            for path in write_charts(drawn, place / "out", ["svg"]):
                ElementTree.parse(path)


KIND = Kind("reports", 2_000, seeds, spoil, use)
