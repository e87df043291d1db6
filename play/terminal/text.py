"""What the terminal says: cards, seats, builds, events, hints and points as coloured text."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from casino_env.play.counting import result
from casino_env.play.table import Event, Table

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


def seats_text(seats: list[dict[str, Any]], called: list[str], person: int) -> Text:
    """A line a seat: who decides, cards in hand, pile, points, partner."""
    width = max(map(len, called))
    order = [seats[(person + step) % len(seats)] for step in range(1, len(seats) + 1)]
    return Text("\n").join(_seat_text(seat, called, width) for seat in order)


def _seat_text(seat: dict[str, Any], called: list[str], width: int) -> Text:
    style = "bold" if seat["decides"] else ""
    line = Text(f"{'>' if seat['decides'] else ' '} {called[seat['number']]:<{width}}", style)
    line.append(f"  hand {len(seat['hand']) + seat['hidden']:>2}  pile {seat['pile']:>2}")
    line.append_text(Text.assemble(" ", (f"{show(seat['top']):>3}", card_style(seat["top"])) if seat["top"] else "   "))
    line.append(f"  {seat['points']:>2} point{'' if seat['points'] == 1 else 's'}")
    if seat["captured_last"]:
        line.append("  took last", "dim")
    if seat["partner"] is not None:
        line.append(f"  with {called[seat['partner']]}", "dim")
    return line


Item = tuple[str, Text]  # a token and how it is written


def card_items(cards: list[str]) -> list[Item]:
    return [(card, Text(show(card), card_style(card))) for card in cards]


def build_text(build: dict[str, Any], called: list[str]) -> Text:
    """Value, owner, sets."""
    label = Text.assemble((f" {build['value']} ", "bold reverse"), f" {called[build['owner']]} ")
    for number, cards in enumerate(build["sets"]):
        label.append(" | " if number else " ")
        label.append_text(Text(" ").join(Text(show(card), card_style(card)) for card in cards))
    return label


def build_items(builds: list[dict[str, Any]], called: list[str]) -> list[Item]:
    return [(f"b{build['value']}", build_text(build, called)) for build in builds]


def top_items(seats: list[dict[str, Any]], called: list[str], person: int) -> list[Item]:
    """The tops of the others' piles."""
    shown = [(seat["top"], called[seat["number"]]) for seat in seats if seat["top"] and seat["number"] != person]
    return [(top, Text.assemble((show(top), card_style(top)), (f" on {name}", "dim"))) for top, name in shown]


def status_text(data: dict[str, Any], called: list[str]) -> str:
    if data["over"]:
        return "The game is over: b for the points, n for a new game."
    decides = next(seat["number"] for seat in data["scene"]["seats"] if seat["decides"])
    if not data["mine"]:
        return f"{called[decides]} is thinking ..."
    if data["question"]:
        return str(data["question"])
    only_end = [move["do"] for move in data["moves"]] == ["end"]
    return "Your card is played." if only_end else "Your turn: pick cards with space."


def event_lines(event: Event, called: list[str]) -> list[Text]:
    lines = []
    if event.text:
        lines.append(Text.assemble((f"{called[event.seat]} ", "bold"), coloured(event.text)))
    if event.ended:
        points = ", ".join(
            f"{side_name(seats, called)} {event.ended['scores'][seats[0]]}" for seats in event.ended["sides"]
        )
        lines.append(Text(f"End of the deal: {points}", "italic"))
    return lines


def latest_text(events: list[Event], person: int, called: list[str], most: int) -> Text:
    """What the others have done since the person's last move; at most so many lines."""
    since: list[Event] = []
    for event in reversed(events):
        if event.seat == person:
            break
        since.insert(0, event)
    return Text("\n").join([line for event in since for line in event_lines(event, called)][-most:])


def side_name(seats: list[int], called: list[str]) -> str:
    return " & ".join(called[seat] for seat in seats)


def hint_text(found: dict[str, Any], title: str) -> Text:
    rows = sorted(found["likely"].items(), key=lambda row: -row[1])[:8]
    text = Text.assemble((f"{title} would: ", "bold"), coloured(found["turn"]), "\n")
    if found["value"] is not None:
        text.append(f"and expects to end {found['value']:+.1f} points against the others\n")
    for action, share in rows:
        text.append_text(Text.assemble(f"\n{100 * share:5.1f} %  ", coloured(found["words"][action])))
    return text


def points_text(table: Table, place: str) -> Text:
    """By side; most cards and most spades with how many there are."""
    called, found = list(table.names.called), result(table.game)
    sides, counts = found["sides"], found["counts"]
    wide = max(12, *(len(side_name(seats, called)) + 2 for seats in sides))
    text = Text(" " * 18 + "".join(f"{side_name(seats, called):>{wide}}" for seats in sides), "bold")
    for name, row in [*found["breakdown"].items(), ("points", found["scores"])]:
        told = [f"{row[seats[0]]}" + (f" ({counts[name][seats[0]]})" if name in counts else "") for seats in sides]
        text.append(f"\n{name:<18}" + "".join(f"{cell:>{wide}}" for cell in told))
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
