"""The report as one HTML page that stands alone: tables, charts, sentences, positions; no script, nothing loaded."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from casino_env.drawing.picture import table_svg
from casino_env.evaluate.file_models import readable
from casino_env.evaluate.report.charts import Chart, Charts, inline
from casino_env.evaluate.report.contents import grouped
from casino_env.evaluate.report.sentences import sentences
from casino_env.game import Game

_HTML = Path(__file__).parent / "html"
_WORST = 4  # positions of an agent that are drawn
_TOURNAMENT = (
    "Whiskers and ± are 95 % intervals, by deal; the mean of all agents is 0. Nash: how often somebody who has to name "
    "an agent that no other beats would name each. alpha-rank: how much of the time a crowd that copies what wins "
    "spends with each."
)

Row = dict[str, Any]
Column = tuple[str, Callable[[Row], str]]  # its title, and what it says of a row


def page(title: str, report: Row, drawn: Charts, facts: list[str]) -> str:
    """facts: where it comes from."""
    links, body = "", _list(sentences(report), 'class="said"')
    for name, heading, note, inner in _sections(report, drawn):
        links += f'<a href="#{name}">{escape(heading)}</a>'
        told = f'<p class="note">{escape(note)}</p>' if note else ""
        body += f'<section id="{name}"><h2>{escape(heading)}</h2>{told}{inner}</section>\n'
    about = "".join(f"<p>{escape(line)}</p>" for line in (_about(report), *facts))
    return Template((_HTML / "page.html").read_text()).substitute(
        title=escape(readable(title)), style=(_HTML / "page.css").read_text(), about=about, links=links, body=body
    )


def _sections(report: Row, drawn: Charts) -> Iterator[tuple[str, str, str, str]]:
    """(name, heading, note, what is in it) of each, as far as there is anything to say."""
    for k, cup in enumerate(report["tournaments"]):
        yield f"tournament{k}", f"Tournament: {cup['name']}", _cup_note(cup), _cup(cup, drawn[f"tournament{k}"])
    for k, run in enumerate(report["runs"]):
        note = f"{run['about']} Strength while it trains, with 95 % intervals.".strip()
        yield f"run{k}", f"Learning: {run['name']}", note, _cards(drawn[f"run{k}"])
    if drawn["curves"]:
        yield "curves", "Learning, compared", "All runs that are given, with 95 % intervals.", _cards(drawn["curves"])
    if rows := report["matches"]:
        note = "Points a deal of the first over the second, on the same cards in exchanged seats."
        yield "matches", "Matches", note, _cards(drawn["matches"]) + _card("", _table(rows, _MATCHES))
    if rows := report["exploits"]:
        note = "What an opponent that knows the agent wins from it a deal."
        yield "exploits", "Exploitability", note, _cards(drawn["exploits"]) + _card("", _table(rows, _EXPLOITS))
    if rows := report["regrets"]:
        cards = max(row["cards"] for row in rows)
        note = f"Points lost in endings against perfect play, with at most {cards} cards a hand and all of them known."
        yield "regret", "Regret", note, _cards(drawn["regret"]) + "".join(map(_worst, rows))
    for k, group in enumerate(grouped(report["styles"])):
        deals = f"{group['rows'][0]['deals']:,} deals an agent, against {group['against']}."
        note = f"{deals} A turn may hold several plays."
        yield f"style{k}", f"Style: {group['title']}", note, _cards(drawn[f"style{k}"])
    if report["notes"]:
        yield "notes", "Notes", "", _card("", _failures(report["notes"]))


def _about(report: Row) -> str:
    counts = ((len(rows), kind) for kind, rows in report.items() if kind != "notes" and rows)
    parts = [
        f"{count} {kind if count > 1 else kind.removesuffix('es') if kind == 'matches' else kind.removesuffix('s')}"
        for count, kind in counts
    ]
    return ", ".join(parts)


# --- tournaments ---------------------------------------------------------------------------------------------------


def _cup_note(cup: Row) -> str:
    settings, deals = cup["settings"], sum(pair["deals"] for pair in cup["pairs"])
    game = f"{settings['variant']}, {settings['players']} players, {len(cup['ratings'])} agents"
    return f"{game}, {deals:,} deals, each in all seatings, seed {settings['seed']}. {_TOURNAMENT}"


def _cup(cup: Row, drawn: list[Chart]) -> str:
    nash: list[Column] = [
        ("Nash", lambda row: f"{cup['nash'][row['agent']]['weight']:.2f}"),
        ("alpha-rank", lambda row: f"{cup['alpha_rank'][row['agent']]:.2f}"),
    ]
    columns: list[Column] = [
        ("agent", lambda row: row["agent"]),
        ("Elo", lambda row: f"{row['elo']:+.0f}"),
        ("95 %", lambda row: _between(row["elo_low"], row["elo_high"], 0)),
        ("points a deal", lambda row: f"{row['points']:+.2f}"),
        ("95 %", lambda row: _between(row["points_low"], row["points_high"])),
        *(nash if cup["nash"] else ()),
        ("deals", lambda row: f"{row['deals']:,}"),
    ]
    failures = _card("Failures", _failures(cup["failures"])) if cup["failures"] else ""
    if not cup["ratings"]:
        return f"<p>Nothing has been played yet.</p>{failures}"
    standings = _card("Standings", _table(cup["ratings"], columns))
    return _cards(drawn) + standings + _card("Points a deal of the row over the column", _pairs(cup)) + failures


def _pairs(cup: Row) -> str:
    """Who beats whom, from blue (won) to orange (lost)."""
    names = [row["agent"] for row in cup["ratings"]]
    met = {(row["a"], row["b"]): (row["diff"], row) for row in cup["pairs"]}
    met |= {(row["b"], row["a"]): (-row["diff"], row) for row in cup["pairs"]}
    most = max([0.001, *(abs(diff) for diff, _ in met.values())])

    def cell(a: str, b: str) -> str:
        if (a, b) not in met:
            return '<td class="self"></td>'
        diff, row = met[a, b]
        share = round(8 + 67 * (abs(diff) / most) ** 0.5)
        colour = f"color-mix(in srgb, var(--{'good' if diff >= 0 else 'bad'}) {share}%, var(--card))"
        half = "" if row["high"] is None else f"<small>± {(row['high'] - row['low']) / 2:.2f}</small>"
        return f'<td style="background: {colour}">{diff:+.2f}{half}</td>'

    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = "".join(f"<tr><th>{escape(a)}</th>{''.join(cell(a, b) for b in names)}</tr>" for a in names)
    return f'<table class="heat"><thead><tr><th></th>{head}</tr></thead><tbody>{body}</tbody></table>'


# --- results of commands -------------------------------------------------------------------------------------------

_MATCHES: list[Column] = [
    ("match", lambda row: f"{row['a']} over {row['b']}"),
    ("game", lambda row: f"{row['variant']}, {row['players']} players"),
    ("points", lambda row: f"{row['diff']:+.2f}"),
    ("95 % interval", lambda row: _between(row.get("low"), row.get("high"))),
    ("wins", lambda row: f"{row['win_a']:.1%}"),
    ("deals", lambda row: f"{row['deals']:,}"),
    ("seed", lambda row: str(row.get("seed", "-"))),
]
_EXPLOITS: list[Column] = [
    ("agent", lambda row: row["agent"]),
    ("game", lambda row: row["variant"]),
    ("how", lambda row: "exact" if row["method"] == "exact" else f"at least, by {row['method']}"),
    ("points a deal", lambda row: f"{row['exploited']['mean']:.3f}"),
    ("95 % interval", lambda row: _between(row["exploited"].get("low"), row["exploited"].get("high"))),
]


def _worst(row: Row) -> str:
    """The positions in which an agent lost most, all hands open."""
    found = ""
    for one in row["worst"][:_WORST]:
        try:
            picture = table_svg(Game.from_json(one["position"]))
        except ValueError as error:
            picture = _failures([f"cannot be drawn: {error}"])
        lost = f"lost <b>{one['lost']:g}</b> by {escape(one['chosen'])} instead of {escape(' or '.join(one['best']))}"
        position = f"<details><summary>position</summary><pre>{escape(json.dumps(one['position']))}</pre></details>"
        found += _card(row["agent"], f"{picture}<p>{lost}</p>{position}", "half position")
    return f'<div class="grid">{found}</div>'


# --- elements ------------------------------------------------------------------------------------------------------


def _between(low: float | None, high: float | None, digits: int = 2) -> str:
    return "-" if low is None or high is None else f"{low:+.{digits}f} to {high:+.{digits}f}"


def _card(title: str, inner: str, kind: str = "") -> str:
    head = f"<h3>{escape(title)}</h3>" if title else ""
    return f'<div class="card {kind}">{head}<div class="scroll">{inner}</div></div>'


def _cards(drawn: list[Chart]) -> str:
    cards = [_card(chart.title, inline(chart.figure), "" if chart.wide else "half") for chart in drawn]
    return f'<div class="grid">{"".join(cards)}</div>'


def _table(rows: list[Row], columns: list[Column]) -> str:
    head = "".join(f"<th>{title}</th>" for title, _ in columns)
    body = "".join(f"<tr>{''.join(f'<td>{escape(said(row))}</td>' for _, said in columns)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _list(lines: list[str], attributes: str) -> str:
    return f"<ul {attributes}>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul>\n"


def _failures(lines: list[str]) -> str:
    return "".join(f'<p class="failure">{escape(line)}</p>' for line in lines)
