"""The turns of the seat that decides, found without looking at what it cannot see: Game.turns() knows every card."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from typing import NamedTuple

from casino_env.actions import CAPTURE, DISCARD, END, action_text
from casino_env.arrays import Record
from casino_env.game import Game
from casino_env.notation import turn_text, turn_texts
from casino_env.observed import observe
from casino_env.position import copied
from casino_env.turns import MOST_POSITIONS, MOST_TURNS, affordable, explore, result_key


class SeatTurn(NamedTuple):
    text: str
    actions: list[int]  # without the end of the turn, which can wait


def seat_turns(game: Game) -> list[SeatTurn]:
    """One for each result, those that take most first; the legal actions instead where turns are too many.

    They go on until they may end, somebody else decides, or the seat sees a card that it did not know (then they close
    with three dots).
    """
    start, row, begun = game.records, game.rules_record, moment(game.records)
    unsure = int(observe(game).view["shuffled"][0])
    found: dict[Hashable, tuple[Record, list[int]]] = {}

    def ended(here: Record, actions: list[int]) -> bool:
        return bool(actions) and (moment(here) != begun or _uncovers(start, here, unsure))

    def visit(here: Record, actions: list[int]) -> None:
        key = here.tobytes() if moment(here) == begun else result_key(here, game.rules)
        if key not in found or len(actions) < len(found[key][1]):
            found[key] = (here, actions)

    if not explore(copied(start), row, ended, visit, affordable(start, row, MOST_POSITIONS)) or len(found) > MOST_TURNS:
        return [SeatTurn(action_text(action), [action]) for action in game.legal()]
    ends = [moment(here)[:2] != begun[:2] for here, _ in found.values()]
    ways = [
        actions[:-1] if over and actions[-1] == END and actions[1:] else actions
        for over, (_, actions) in zip(ends, found.values(), strict=True)
    ]
    turns, words = [], turn_texts(start, row, ways)
    for (here, _), over, rest, word in zip(found.values(), ends, ways, words, strict=True):
        text = word or actions_text(rest)
        gained = int(here["piles"][0, game.seat]).bit_count() - int(start["piles"][0, game.seat]).bit_count()
        rank = (rest == [END], any(DISCARD <= action < CAPTURE for action in rest), -gained, text)
        turns.append((rank, SeatTurn(text if over else f"{text} ...", rest)))
    alike = Counter(turn.text for _, turn in turns)
    return [
        turn if alike[turn.text] == 1 else SeatTurn(f"{turn.text} [{actions_text(turn.actions)}]", turn.actions)
        for _, turn in sorted(turns)
    ]


def moment(records: Record) -> tuple[int, int, int]:
    """The deal, the turn, and who decides."""
    return int(records["deals"][0]), int(records["turns"][0]), int(records["actor"][0])


def turn_words(game: Game, actions: list[int]) -> str:
    """The actions in notation; those that do nothing that can be seen, such as a no, by their names."""
    return turn_text(game.records, game.rules_record, actions) or actions_text(actions)


def actions_text(actions: list[int]) -> str:
    return "; ".join(map(action_text, actions))


def _uncovers(before: Record, after: Record, unsure: int) -> bool:
    """A pile has given a card, and another one could lie on top of it now."""
    rows = zip(before["piles"][0], after["piles"][0], after["pile_top"][0], strict=True)
    return any(int(had) & ~int(has) and top >= 0 and unsure >> int(top) & 1 for had, has, top in rows)
