"""A turn as one line of words, such as `build 9 = 5D + 4S*; end`: a star marks the hand card."""

from collections.abc import Iterable, Sequence

import numpy as np

from casino_env.arrays import Array, Record
from casino_env.cards import CARDS, card_name
from casino_env.engine.state import GAME
from casino_env.engine.wording import BEGINNINGS, MOST_PHRASES, PHRASES, tell


def turn_text(record: Record, rules_record: Array, actions: Sequence[int]) -> str:
    """What the actions, played from the record, do; not who gets what is left at the end of the deal."""
    records, rows = np.empty(3, GAME), np.empty((MOST_PHRASES * len(actions), 3), np.int64)
    records[0] = record[0]
    many = tell(records, rules_record, np.empty_like(rules_record), np.array(actions, np.int64), rows)
    parts: list[str] = []
    for phrase, number, pile in rows[:many].tolist():
        text = PHRASES[phrase].format(card=card_name(number % CARDS), number=number, pile=pile)
        if phrase < BEGINNINGS:
            parts.append(text)
        else:
            parts[-1] += text
    return "; ".join(parts)


def turn_texts(record: Record, rules_record: Array, turns: Iterable[Sequence[int]]) -> list[str]:
    """Of each turn."""
    return [turn_text(record, rules_record, actions) for actions in turns]
