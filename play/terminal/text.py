"""What the terminal says: cards, seats, builds, events, hints and points as coloured text."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from play.seen import result
from play.table import PERSON, Event, Table

_SUITS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}


def show(card: str) -> str:
    return ("10" if card[0] == "T" else card[0]) + _SUITS[card[1]]


def coloured(text: str) -> Text:
    """A line of notation with its cards in their colours."""
    line = Text()
    for number, word in enumerate(text.split(" ")):
        bare = word.strip(";,*()")
        known = len(bare) == 2 and bare[0] in "A23456789TJQK" and bare[1] in _SUITS
        line.append(" " if number else "")
        line.append(word.replace(bare, show(bare)) if known else word, style=card_style(bare) if known else "")
    return line


def card_style(card: str) -> str:
    return "bold red" if card[1] in "HD" else "bold"


def names(table: Table) -> list[str]:
    return ["you" if spec == PERSON else f"{spec} ({seat})" for seat, spec in enumerate(table.setup.seats)]


def seats_text(seats: list[dict[str, Any]], called: list[str], person: int) -> Text:
    lines = []
    for step in range(1, len(seats) + 1):
        seat = seats[(person + step) % len(seats)]
        mark = "> " if seat["decides"] else "  "
        line = Text(f"{mark}{called[seat['number']]:<22}", "bold" if seat["decides"] else "")
        line.append(f"{len(seat['hand']) + seat['hidden']:>2} in hand  pile {seat['pile']:>2}")
        if seat["top"]:
            line.append("  top ")
            line.append(show(seat["top"]), card_style(seat["top"]))
        line.append(f"  {seat['points']} pt")
        if seat["partner"] is not None:
            line.append(f"  with {called[seat['partner']]}", "dim")
        lines.append(line)
    return Text("\n").join(lines)


Item = tuple[str, Text]  # a token and how it is written


def card_items(cards: list[str]) -> list[Item]:
    return [(card, Text(show(card), card_style(card))) for card in cards]


def build_text(build: dict[str, Any], called: list[str]) -> Text:
    """Value, owner, sets; one that is augmented says so."""
    label = Text.assemble((f" {build['value']} ", "bold reverse"), f" {called[build['owner']]} ")
    for number, cards in enumerate(build["sets"]):
        label.append(" | " if number else " ")
        label.append_text(Text(" ").join(Text(show(card), card_style(card)) for card in cards))
    return label.append("  augmented", "dim") if len(build["sets"]) > 1 else label


def build_items(builds: list[dict[str, Any]], called: list[str]) -> list[Item]:
    return [(f"b{build['value']}", build_text(build, called)) for build in builds]


def top_items(seats: list[dict[str, Any]], called: list[str], person: int) -> list[Item]:
    """The tops of the others' piles."""
    shown = [(seat["top"], called[seat["number"]]) for seat in seats if seat["top"] and seat["number"] != person]
    return [(top, Text.assemble((show(top), card_style(top)), (f" top of {name}", "dim"))) for top, name in shown]


def status_text(data: dict[str, Any], called: list[str]) -> str:
    if data["over"]:
        return "The game is over: b for the points, n for a new game."
    decides = next(seat["number"] for seat in data["scene"]["seats"] if seat["decides"])
    if not data["mine"]:
        return f"{called[decides]} is thinking ..."
    question = data["scene"]["status"].partition(": ")[2]
    return "Your turn: pick cards." if question == "to play" else question


def event_lines(event: Event, called: list[str]) -> list[Text]:
    lines = []
    if event.text and event.text != "end":
        lines.append(Text.assemble((f"{called[event.seat]}: ", "bold"), coloured(event.text)))
    if event.ended:
        points = ", ".join(f"{called[seat]} {points}" for seat, points in enumerate(event.ended))
        lines.append(Text(f"end of the deal: {points}", "italic"))
    return lines


def hint_text(found: dict[str, Any], spec: str) -> Text:
    rows = sorted(found["likely"].items(), key=lambda row: -row[1])[:8]
    text = Text.assemble((f"{spec} would play: ", "bold"), coloured(found["turn"] or "end the turn"), "\n")
    if found["value"] is not None:
        text.append(f"and expects {found['value']:+.1f} points against the others\n")
    for action, share in rows:
        text.append_text(Text.assemble(f"\n{100 * share:5.1f} %  ", coloured(action)))
    return text


def points_text(table: Table, place: str) -> Text:
    called, found = names(table), result(table.game)
    text = Text.assemble((f"{'':<18}" + "".join(f"{name:>16}" for name in called), "bold"))
    for name, row in [*found["breakdown"].items(), ("points", found["scores"])]:
        text.append(f"\n{name:<18}" + "".join(f"{points:>16}" for points in row))
    if table.game.over:
        text.append(f"\n\n{verdict(found['winners'], called, table.person)}", "bold")
    return text.append(f"\n\nThe record is in {place}") if place else text


def verdict(winners: list[int], called: list[str], person: int) -> str:
    """Who has won."""
    if not winners:
        return "A tie."
    others = [called[seat] for seat in winners if seat != person]
    if person in winners:
        return f"You win with {' and '.join(others)}." if others else "You win."
    return f"{' and '.join(others)} win{'' if others[1:] else 's'}."
