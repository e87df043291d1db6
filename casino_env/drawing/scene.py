"""A game as plain data to draw, and as text; made from a seat's view so that nothing hidden can be drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from casino_env.arrays import Array
from casino_env.cards import card_name, cards_of
from casino_env.engine import state
from casino_env.engine.entrypoints import breakdown, scores
from casino_env.engine.state import GAME, OVER, build_sets, by_time, chain
from casino_env.knowledge.encode import write_view
from casino_env.knowledge.view import PERFECT
from casino_env.rules import Recorded, Rules
from casino_env.validate import checks_objects, int_in

_DECIDING = {
    state.IDLE: "to play",
    state.SET: "choosing cards of a set",
    state.RAISED: "choosing the new value of the raised build",
    state.CAPTURING: "choosing what to capture",
    state.MAXIMAL: "choosing among the greatest captures",
    state.OWNER: "is the new build its own (yes) or its partner's (no)?",
    state.REQUEST: "shall the partner leave what it would take (yes)?",
    state.GRANT: "grant the partner's request?",
    state.INSIST_CAPTURE: "insist that the play takes all it can?",
    state.COMPLETE: "has to take all it can",
    state.INSIST_ADD: "insist that all that can be added is?",
    state.SORTING: "sorting the captured cards",
    state.BUNDLE: "choosing a pile or the table",
}


@dataclass(frozen=True)
class Build:
    value: int
    owner: int
    sets: list[list[int]]


@dataclass(frozen=True)
class Seat:
    number: int
    hand: list[int]  # cards that are shown
    hidden: int  # number of cards that are not shown
    pile: int
    top: int | None  # top card of the pile, if face up
    points: int
    decides: bool
    partner: int | None
    captured_last: bool


@dataclass(frozen=True)
class Scene:
    title: str
    status: str
    open_set: str  # text of the set or capture being chosen; empty if none is
    seats: list[Seat]
    builds: list[Build]
    loose: list[int]
    picked: set[int]
    stock: int
    breakdown: dict[str, list[int]]  # points by category and seat, and their sum; empty before the deal is over


@checks_objects
def make_scene(game: Recorded, seat: int | None = None) -> Scene:
    """The table as the seat sees it; None: all hands open."""
    if seat is None:
        return _scene(game.records[0], game.rules)
    seat, views = int_in(seat, "seat", 0, game.rules.players - 1), np.empty(1, GAME)
    write_view(game.records, 0, game.rules.record, seat, PERFECT, views, 0)
    return seen_scene(views, game.rules, seat)


def seen_scene(views: Array, rules: Rules, seat: int) -> Scene:
    """The table from a seat's view, as an observation has it."""
    view = views[0].copy()
    for other in range(rules.players):  # hide cards known only by deduction: that is left to the player
        if other != seat:
            declared = int(view["picked"]) | (1 << int(view["hand_card"]) if view["hand_card"] >= 0 else 0)
            deduced = int(view["hands"][other]) & ~declared
            view["hands"][other] = int(view["hands"][other]) & declared
            view["hidden_hand"][other] += deduced.bit_count()
    return _scene(view, rules)


def _scene(record: Any, rules: Rules) -> Scene:
    mode = int(record["mode"])
    counted = breakdown(np.array([record]), rules)  # of the view, where cards being sorted are in no pile
    points = scores(counted, rules)
    seats = [_seat(rules, record, number, points[number]) for number in range(rules.players)]
    picked = set(cards_of(int(record["picked"])))
    if record["hand_card"] >= 0:
        picked.add(int(record["hand_card"]))
    status = f"seat {int(record['actor'])}: {_DECIDING[mode]}" if mode != OVER else _verdict(record, rules)
    deal = f", round {int(record['round'])}" if rules.rounds > 1 and not rules.draw_hand else ""
    return Scene(
        title=f"{rules.name}, {rules.players} players{deal}",
        status=status,
        open_set=_open_set(record, mode),
        seats=seats,
        builds=_builds(record, rules.players),
        loose=by_time(record, int(record["layout"])),
        picked=picked,
        stock=int(record["hidden_stock"]) + len(chain(record, int(record["stock_top"]))),
        breakdown=counted | {"sum": points} if mode == OVER else {},
    )


def _verdict(record: Any, rules: Rules) -> str:
    """The winner of the deal, or of the match that ended with it."""
    winners = [str(seat) for seat in range(rules.players) if rules.side(seat) == int(record["winner"])]
    if len(winners) < 2:
        return f"the deal is over: seat {winners[0]} wins" if winners else "the deal is over: a tie"
    return f"the deal is over: seats {' and '.join(winners)} win"


def _seat(rules: Rules, record: Any, number: int, points: int) -> Seat:
    top = int(record["pile_top"][number]) if rules.stacking != "face_down" else -1
    return Seat(
        number=number,
        hand=cards_of(int(record["hands"][number])),
        hidden=int(record["hidden_hand"][number]),
        pile=int(record["piles"][number]).bit_count(),
        top=top if top >= 0 else None,
        points=points,
        decides=int(record["actor"]) == number and int(record["mode"]) != OVER,
        partner=(number + 2) % 4 if rules.partners else None,
        captured_last=int(record["last_capture"]) == number,
    )


def _builds(record: Any, players: int) -> list[Build]:
    return [
        Build(value, owner, build_sets(record, value))
        for value in range(1, 15)
        for owner in range(players)
        if int(record["owned"][owner]) >> value & 1
    ]


def _open_set(record: Any, mode: int) -> str:
    value, left = int(record["open_value"]), int(record["open_left"])
    if mode == state.SET:
        raised = f" from {int(record['raising'])}" if record["raising"] else ""
        return f"set worth {value}{raised}" + (f": {left} still missing" if record["picked"] else "")
    if mode == state.RAISED:
        return f"raising the build of {int(record['raising'])}"
    if mode in (state.CAPTURING, state.MAXIMAL) and value:
        return f"capturing with {value}" + (f": {left} still missing" if left else "")
    return ""


# --- as text ---------------------------------------------------------------------------------------------------------


def table_text(game: Recorded, seat: int | None = None) -> str:
    """The table as the seat sees it; None: all hands open."""
    scene = make_scene(game, seat)
    names = [f"seat {other.number}" for other in scene.seats]
    points = [f"  {name:<16}" + "".join(f"{number:>4}" for number in row) for name, row in scene.breakdown.items()]
    return "\n".join([f"{scene.title} - {scene.status}", *table_lines(scene, names), *points])


def table_lines(scene: Scene, names: list[str], own: int | None = None) -> list[str]:
    """What lies on the table, and a line for each seat by its name; without the hand of the one that is shown apart."""
    lines = [f"  {scene.open_set}; {cards_text(sorted(scene.picked))}"] if scene.open_set else []
    for build in scene.builds:
        lines.append(f"  {build.value}-build of {names[build.owner]}: {' | '.join(map(cards_text, build.sets))}")
    lines.append(f"  loose: {cards_text(scene.loose)}" + (f"   stock: {scene.stock}" if scene.stock else ""))
    for seat in scene.seats:
        known = f" ({cards_text(seat.hand)})" if seat.hand and seat.number != own else ""
        parts = [
            f"hand {len(seat.hand) + seat.hidden}{known}",
            f"pile {seat.pile}" + (f" top {card_name(seat.top)}" if seat.top is not None else ""),
            f"points {seat.points}",
            *([f"with {seat.partner}"] if seat.partner is not None else []),
            *(["took last"] if seat.captured_last else []),
        ]
        lines.append(f"{'>' if seat.decides else ' '} {names[seat.number]}: {', '.join(parts)}")
    return lines


def seen_lines(scene: Scene, names: list[str], own: int) -> list[str]:
    """The table for a player at it: what is to be decided, the table, the own hand apart."""
    status = f"{scene.title}: {scene.status.partition(': ')[2]}"
    return [status, *table_lines(scene, names, own), f"  your hand: {cards_text(scene.seats[own].hand)}"]


def cards_text(cards: list[int]) -> str:
    return " ".join(map(card_name, cards)) or "-"
