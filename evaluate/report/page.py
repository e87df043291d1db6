"""Everything that is known about some agents on one page: tables, plots and games to step through."""

from __future__ import annotations

import json
from dataclasses import dataclass
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from casino_env.agents.base import ManyGames
from casino_env.agents.policy.policy_files import games as games_of
from casino_env.agents.policy.policy_files import read_description
from casino_env.agents.registry import AgentError, make_agent, spec_from_file
from casino_env.evaluate.matches.books import make_book
from casino_env.evaluate.matches.pairing import AgentFailedError
from casino_env.evaluate.report.charts import Charts
from casino_env.evaluate.report.film import Reel, film
from casino_env.evaluate.report.plots import STYLE
from casino_env.evaluate.report.read import read_all
from casino_env.evaluate.report.samples import sample
from casino_env.evaluate.report.sentences import sentences
from casino_env.evaluate.shapes import readable
from casino_env.evaluate.style import style
from casino_env.game import Game
from casino_env.record import RecordError
from casino_env.rules import Rules, make_rules

_PAGE = Path(__file__).parent / "html"
_SCRIPTS = ("elements.js", "film.js", "page.js")
_RIVAL = "counter"
_WORST = 4  # positions of an agent that are drawn


# --- what is on it ---------------------------------------------------------------------------------------------------


def gather(paths: list[str], *, styled: int, games: int, trust: bool = False) -> tuple[dict[str, Any], dict[str, Any]]:
    """(the report as plain data, pictures for the page). styled: deals for the style of each agent of a tournament."""
    found = read_all(paths)
    notes: list[str] = []
    records = found.pop("records")
    for field in _fields(found, notes, trust):
        found["styles"] += _styles(field, found["styles"], styled, notes)
        records += _samples(field, games, notes)
    reel = Reel()
    films = [_film(reel, record, notes) for record in records]
    report = {**found, "games": [record["record"] for record in records], "notes": notes}
    pictures = {"films": [film for film in films if film], "regrets": _drawn(reel, found["regrets"], notes)}
    return readable(report), readable({**pictures, "reel": reel.to_json()})


@dataclass(frozen=True)
class _Field:
    """Agents of one game, best first, and whom they are shown against."""

    rules: Rules
    agents: list[str]
    rival: str
    seed: int


def _fields(found: dict[str, list[Any]], notes: list[str], trust: bool) -> list[_Field]:
    """Of each tournament, against its best agent, and of each run that has a policy, against a scripted bot."""
    fields = []
    for tournament in found["tournaments"]:
        settings = tournament["settings"]
        agents = [row["agent"] for row in tournament["ratings"] if trust or _is_ours(row["agent"], notes)]
        if agents:
            rules = make_rules(settings["variant"], settings["players"], **settings["rules"])
            fields.append(_Field(rules, agents, agents[0], settings["seed"]))
    for run in found["runs"]:
        weights = Path(run["folder"]) / "policy.safetensors"
        if weights.with_suffix(".json").exists():
            try:
                rules = games_of(read_description(weights), str(weights))[0]
            except (ValueError, OSError) as error:
                notes.append(f"No style and no game of {weights.parent}: {error}")
                continue
            fields.append(_Field(rules, [f"policy:{weights.parent}"], _RIVAL, 0))
    return fields


def _is_ours(agent: str, notes: list[str]) -> bool:
    """It may be made: its name comes out of a file."""
    try:
        spec_from_file(agent, "No style and no game")
    except AgentError as error:
        notes.append(str(error))
        return False
    return True


def _styles(field: _Field, known: list[Any], deals: int, notes: list[str]) -> list[dict[str, Any]]:
    """The style of each agent, where it is not known yet and quickly found."""
    rules, rows = field.rules, list[dict[str, Any]]()
    done = {row["agent"] for row in known if (row["variant"], row["players"]) == (rules.name, rules.players)}
    for agent in [agent for agent in field.agents if deals and agent not in done]:
        try:
            if isinstance(make_agent(agent), ManyGames):
                rows.append(style(make_book(rules, deals), agent, field.rival))
            else:
                notes.append(f"No style of {agent}, which plays one game at a time: see `casino evaluate style`.")
        except (AgentFailedError, ValueError) as error:
            notes.append(f"No style: {error}")
    return rows


def _samples(field: _Field, games: int, notes: list[str]) -> list[dict[str, Any]]:
    """The first deals: each of the others against the rival by turns."""
    others = [agent for agent in field.agents if agent != field.rival]
    rows: list[dict[str, Any]] = []
    for number, deal in enumerate(make_book(field.rules, games, field.seed).seeds if games and others else ()):
        agent = others[number % len(others)]
        try:
            record, players = sample(field.rules, field.rival, agent, deal, field.seed)
        except (AgentFailedError, ValueError) as error:
            notes.append(f"No game: {error}")
            continue
        name = f"{_called(field.rival)} - {_called(agent)}, {field.rules.name}, deal {number + 1}"
        rows.append({"name": name, "record": record, "players": players})
    return rows


def _called(agent: str) -> str:
    """Of a path its end."""
    return agent.rpartition("/")[2]


def _film(reel: Reel, record: dict[str, Any], notes: list[str]) -> dict[str, Any] | None:
    try:
        return film(reel, record["record"], record["name"], record.get("players", []))
    except RecordError as error:
        notes.append(f"Game {record['name']}: {error}")
        return None


def _drawn(reel: Reel, regrets: list[dict[str, Any]], notes: list[str]) -> list[dict[str, Any]]:
    """The worst positions with their pictures."""
    rows = []
    for row in regrets:
        worst = []
        for one in row["worst"][:_WORST]:
            try:
                worst.append({**one, "frame": reel.frame(Game.from_json(one["position"]))})
            except ValueError as error:
                notes.append(f"A position of {row['agent']}: {error}")
        rows.append({**row, "worst": worst})
    return rows


# --- the page --------------------------------------------------------------------------------------------------------


def page(title: str, report: dict[str, Any], pictures: dict[str, Any], drawn: Charts, facts: list[str]) -> str:
    """The whole page as one text: nothing is loaded from elsewhere. facts: where it comes from."""
    data = {**report, **pictures, "about": [_about(report), *facts], "styles": grouped(report["styles"])}
    data["said"] = sentences(report)
    data["charts"] = {
        section: [{"title": chart.title, "svg": chart.plot.svg(), "width": chart.plot.width} for chart in listed]
        for section, listed in drawn.items()
    }
    del data["games"]
    plain = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    return Template((_PAGE / "page.html").read_text()).substitute(
        title=_escaped(title),
        style=(_PAGE / "page.css").read_text() + STYLE,
        script="\n".join(
            (_PAGE / name).read_text().replace('"use strict";\n', "", number) for number, name in enumerate(_SCRIPTS)
        ),
        data=plain.replace("<", "\\u003c"),  # so that no text in it can end the script
    )


def _escaped(text: str) -> str:
    return escape(str(readable(text)))


def _about(report: dict[str, Any]) -> str:
    counts = ((len(rows), kind) for kind, rows in report.items() if kind not in ("notes", "games") and rows)
    parts = [
        f"{count} {kind if count > 1 else kind.removesuffix('es') if kind == 'matches' else kind.removesuffix('s')}"
        for count, kind in counts
    ]
    return ", ".join(parts)


def grouped(styles: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Styles that may be compared: of one game, against the same opponent or each against itself."""
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in styles:
        game = f"{row['variant']}, {row['players']} players"
        rivals = {other["against"] for other in styles if other["against"] != other["agent"]}
        alone = row["against"] == row["agent"] and row["agent"] not in rivals
        groups.setdefault((game, "itself" if alone else row["against"]), []).append(row)
    return [{"title": title, "against": rival, "rows": rows} for (title, rival), rows in groups.items()]
