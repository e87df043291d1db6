"""The turns of the seat that decides, found without looking at what it cannot see: Game.turns() knows every card."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from casino_env.actions import CAPTURE, DISCARD, END, action_text
from casino_env.arrays import Record
from casino_env.engine.complete_turns import AS_THE_SEAT_SEES
from casino_env.game import Game
from casino_env.notation import turn_text, turn_texts
from casino_env.observed import observe
from casino_env.turns import TooManyTurnsError, find_turns


class SeatTurn(NamedTuple):
    text: str
    actions: list[int]  # without the end of the turn, which can wait


def seat_turns(game: Game) -> list[SeatTurn]:
    """One for each result, those that take most first; the legal actions instead where turns are too many.

    They go on until they may end, somebody else decides, or the seat sees a card that it did not know (then they close
    with three dots).
    """
    start, row, unsure = game.records, game.rules_record, int(observe(game).view["shuffled"][0])
    try:
        found = find_turns(start, row, AS_THE_SEAT_SEES, unsure=unsure)
    except TooManyTurnsError:
        return [SeatTurn(action_text(action), [action]) for action in game.legal()]
    ends = (found.records["turns"] != start["turns"]) | (found.records["deals"] != start["deals"])
    ways = [
        actions[:-1] if over and actions[-1] == END and actions[1:] else actions
        for over, actions in zip(ends, found.turns, strict=True)
    ]
    turns, words = [], turn_texts(start, row, ways)
    for here, over, rest, word in zip(found.records, ends, ways, words, strict=True):
        text = word or actions_text(rest)
        gained = int(here["piles"][game.seat]).bit_count() - int(start["piles"][0, game.seat]).bit_count()
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
