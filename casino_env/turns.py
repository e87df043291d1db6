"""Complete turns: list those of a position, count them (perft), and write them as text.

A turn reads like `build 9 = 5D + 4S*; end`; a star marks the hand card.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from casino_env import position
from casino_env.actions import action_text
from casino_env.arrays import Array, Record, copied
from casino_env.cards import CARDS, card_name
from casino_env.compiler.types import allocate
from casino_env.engine.complete_turns import MOST_TURNS, NO_ROOM, TOO_MANY, WHOLE_TURN, Turns, list_turns
from casino_env.engine.state import GAME
from casino_env.engine.wording import BEGINNINGS, MOST_PHRASES, PHRASES, tell
from casino_env.rules import Recorded
from casino_env.validate import checks_objects, float_in, int_in

_ROOM = 64  # results at first; eight times as many whenever they do not fit
_WITHOUT_LIMIT = 1 << 60
_AT_ONCE = 256  # positions of a kernel call of perft: Ctrl-C waits for its end
# Messages for turns that are not listed, by the return code of list_turns.
TOO_CROWDED = {
    NO_ROOM: "more than {most} complete turns are possible; play action by action",
    TOO_MANY: "more than {most} positions are possible before the end of the turn; play action by action",
}


class TooManyTurnsError(ValueError):
    """The table is too crowded to list the complete turns; playing action by action is always possible."""


@dataclass(frozen=True)
class Results:
    """The positions that turns lead to, in the order in which they are found."""

    records: Array
    keys: list[int]  # equal if nobody could tell the positions apart
    turns: list[list[int]]  # the shortest sequence of actions to each position
    ways: int  # the number of turns, before equal results are merged


def find_turns(
    starts: Array,
    rules_row: Array,
    end: int = WHOLE_TURN,
    *,
    unsure: int = 0,
    most: float = -1,
    most_turns: float = MOST_TURNS,
    paths: bool = True,
) -> Results:
    """List all turns from these positions (settings: engine/complete_turns.py); raise TooManyTurnsError if too many."""
    room, how = _ROOM, NO_ROOM
    while how == NO_ROOM:
        many = int(min(room, most_turns))
        found = allocate(Turns, room=many, kept=many if paths else 0)
        listing = found.listing[0]
        listing["end"], listing["unsure"], listing["most"] = end, unsure, min(most, _WITHOUT_LIMIT)
        how = list_turns(starts, rules_row, found)
        if how == TOO_MANY or (how == NO_ROOM and room >= most_turns):
            limit = most_turns if how == NO_ROOM else int(listing["most"])
            raise TooManyTurnsError(TOO_CROWDED[how].format(most=f"{limit:,}"))
        room *= 8
    count = int(listing["found"])
    turns = [path[:many].tolist() for path, many in zip(found.paths[:count], found.lengths[:count], strict=False)]
    return Results(found.records[:count], found.keys[:count].tolist(), turns, int(listing["ways"]))


@checks_objects
def results_of(game: Recorded) -> Results:
    """The distinct results of a game's next turn, none if it is over; raise TooManyTurnsError if too many."""
    return find_turns(game.records, game.rules.record)


@checks_objects
def complete_turns(game: Recorded) -> list[dict[str, Any]]:
    """See Game.turns."""
    found = results_of(game)
    texts = turn_texts(game.records, game.rules.record, found.turns)
    return [
        {
            "text": text,
            "actions": [action_text(action) for action in actions],
            "after": position.to_json(after, game.rules),
        }
        for text, actions, after in zip(texts, found.turns, found.records, strict=True)
    ]


@checks_objects
def perft(game: Recorded, depth: int, most: float = math.inf, show: Callable[[str], None] = lambda _: None) -> int:
    """The number of distinct positions that the next `depth` turns can lead to, counted level by level.

    most: the most positions visited within one turn (a million or more per second); raise TooManyTurnsError beyond
    that, as on crowded tables. show: called with a few words on how far it is, again and again.
    """
    depth, most = int_in(depth, "depth", 0), float_in(most, "most", 0, math.inf)
    level, row, count = copied(game.records), game.rules.record, 1
    for turn in range(1, depth + 1):
        seen, parts = set[int](), [level[:0]]
        for first in range(0, len(level), _AT_ONCE):
            show(f"turn {turn}: {first:,} of {len(level):,} positions, {len(seen):,} results")
            found = find_turns(level[first : first + _AT_ONCE], row, most=most, most_turns=math.inf, paths=False)
            if turn < depth:  # of the last ones only the number is asked for
                parts.append(found.records[[key not in seen for key in found.keys]])
            seen.update(found.keys)
        level, count = np.concatenate(parts), len(seen)
        if not count:  # the game is over, however many turns are asked for
            break
    return count


# --- text of turns ---


def turn_text(record: Record, rules_record: Array, actions: Sequence[int]) -> str:
    """The text of actions played from the record, without who gets the leftovers at the end of the deal.

    Raise ValueError if an action is illegal.
    """
    records, rows = np.empty(3, GAME), np.empty((MOST_PHRASES * len(actions), 3), np.int64)
    records[0] = record[0]
    many = tell(records, rules_record, np.empty_like(rules_record), np.array(actions, np.int64), rows)
    if many < 0:
        raise ValueError(f"{action_text(actions[-1 - many])} is illegal at this point of the turn")
    parts: list[str] = []
    for phrase, number, pile in rows[:many].tolist():
        text = PHRASES[phrase].format(card=card_name(number % CARDS), number=number, pile=pile)
        if phrase < BEGINNINGS:
            parts.append(text)
        else:
            parts[-1] += text
    return "; ".join(parts)


def turn_texts(record: Record, rules_record: Array, turns: Iterable[Sequence[int]]) -> list[str]:
    """The text of each turn."""
    return [turn_text(record, rules_record, actions) for actions in turns]
