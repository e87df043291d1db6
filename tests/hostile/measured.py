"""What evaluate reads: books of deals, folders of tournaments, and what reports are made of."""

from __future__ import annotations

import contextlib
import tempfile
from functools import partial
from pathlib import Path
from random import Random
from unittest.mock import patch
from xml.etree import ElementTree

from casino_env import make_rules
from casino_env.agents.files import parse, seal, write_journal
from casino_env.evaluate.matches.books import load_book, make_book, save_book
from casino_env.evaluate.matches.match import match
from casino_env.evaluate.matches.tournament import TournamentSettings, load_tournament, play_tournament
from casino_env.evaluate.matches.workers import Threads
from casino_env.evaluate.ratings import as_text, rate, standings
from casino_env.evaluate.regret import regret
from casino_env.evaluate.report.charts import charts, write_charts
from casino_env.evaluate.report.contents import gather, write_tables
from casino_env.evaluate.report.page import page
from casino_env.evaluate.results import as_json
from casino_env.evaluate.style import style
from tests.hostile.folders import Folder, packed, spoil, unpacked
from tests.hostile.kind import Kind

# --- books of deals --------------------------------------------------------------------------------------------------


def seeds_book(_: Random) -> list[Folder]:
    found = []
    for variant, players in (("swazi", 3), ("south-african", 2), ("royal", 4)):
        with tempfile.TemporaryDirectory() as place:
            save_book(make_book(make_rules(variant, players), 5, 7), Path(place) / "book.json")
            found.append(packed(Path(place)))
    return found


def use_book(folder: Folder, _: Random) -> None:
    with unpacked(folder) as place:
        load_book(place / "book.json")


# --- folders of tournaments; what is accepted is rated, shown and gone on with ---------------------------------------


_AGENTS = ("random", "greedy", "builder")
_FAILURES = (
    {"agent": "builder", "problem": "too slow", "pair": ["greedy", "builder"], "deals": 3},
    {"agent": "counter", "problem": "not there", "pair": None, "deals": 0},
)
quick = patch("casino_env.evaluate.ratings.rate", partial(rate, samples=5))  # intervals are most of the work


def seeds_cup(_: Random) -> list[Folder]:
    found = []
    for variant, players in (("mini", 2), ("swazi", 3)):
        with tempfile.TemporaryDirectory() as name, Threads(1) as crew:
            place = Path(name)
            wanted = TournamentSettings(agents=_AGENTS, variant=variant, players=players, rules={}, seed=3, deals=12)
            play_tournament(place, wanted, crew)
            with (place / "failures.jsonl").open("a") as file:
                file.writelines(seal(row) + "\n" for row in _FAILURES)
            found.append(packed(place))
    return found


@quick
def use_cup(folder: Folder, rng: Random) -> None:
    with unpacked(folder) as place:
        found = load_tournament(place)
        as_text(standings(found))
        if rng.random() < 0.3:
            wanted = found.settings.model_copy(update={"agents": ("random", "greedy"), "deals": 14})
            with Threads(1) as crew:
                as_text(standings(play_tournament(place, wanted, crew)))


# --- what reports are made of: runs, tournaments, JSON of commands ---------------------------------------------------


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


def seeds_report(rng: Random) -> list[Folder]:
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
    cups = [{f"cup/{name}": data for name, data in cup.items()} for cup in seeds_cup(rng)]
    return [results, results | cups[0], cups[1]]


def spoil_report(folder: Folder, rng: Random) -> Folder:
    """Mostly so that the checksums of results fit: then what they say has to be looked at."""
    folder = spoil(folder, rng)
    if rng.random() < 0.8:
        for name in _RESULTS & folder.keys():
            with contextlib.suppress(ValueError, TypeError, AttributeError):  # spoilt too far to be a result
                folder[name] = as_json(parse(folder[name].decode(), "")).encode()
    return folder


@quick
def use_report(folder: Folder, rng: Random) -> None:
    with unpacked(folder) as place:
        report = gather([str(place)], styled=0)
        (place / "out").mkdir()
        write_tables(report, place / "out")
        if rng.random() < _DRAWN:
            drawn = charts(report)
            page("title", report, drawn, []).encode()
            for path in write_charts(drawn, place / "out", ["svg"]):
                ElementTree.parse(path)


KINDS = (
    Kind("books", 2_000, seeds_book, spoil, use_book),
    Kind("tournaments", 2_000, seeds_cup, spoil, use_cup),
    Kind("reports", 2_000, seeds_report, spoil_report, use_report),
)
