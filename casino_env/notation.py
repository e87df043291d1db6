"""A turn as one line of words, such as `build 9 = 5D + 4S*; end`: a star marks the hand card."""

from collections.abc import Iterable, Sequence
from typing import Any

from casino_env.actions import (
    BUILD,
    CAPTURE,
    CAPTURE_HIGH,
    COUNT_OUT,
    DISCARD,
    END,
    NO,
    RAISE,
    YES,
)
from casino_env.arrays import Record
from casino_env.cards import card_name, cards_of
from casino_env.engine import entrypoints
from casino_env.engine.state import (
    CAPTURING,
    GRANT,
    INSIST_ADD,
    INSIST_CAPTURE,
    MAXIMAL,
    OWNER,
    RAISED,
    REQUEST,
    SET,
    SORTING,
    TO_NOBODY,
)
from casino_env.position import copied

_ANSWERS = {
    OWNER: ("for me", "for my partner"),
    REQUEST: ("the partner asks for it", ""),
    GRANT: ("granted", "not granted"),
    INSIST_CAPTURE: ("an opponent insists on the capture", ""),
    INSIST_ADD: ("an opponent insists on adding", ""),
}


def turn_text(record: Record, rules_record: Record, actions: Sequence[int]) -> str:
    """What the actions, played from the record, do; not who gets what is left at the end of the deal."""
    return turn_texts(record, rules_record, [actions])[0]


def turn_texts(record: Record, rules_record: Record, turns: Iterable[Sequence[int]]) -> list[str]:
    """Of each turn. Most begin as others do: a beginning is played once."""
    start, rules_record = copied(record), rules_record.copy()
    start["match"], rules_record["leftovers"] = 0, TO_NOBODY
    known: dict[tuple[int, ...], tuple[Record, tuple[str, ...]]] = {(): (start, ())}

    def played(actions: tuple[int, ...]) -> tuple[Record, tuple[str, ...]]:
        if actions not in known:
            before, parts = played(actions[:-1])
            here = copied(before)
            entrypoints.act(here, rules_record, actions[-1])
            more = _phrase(before[0], actions[-1]), _result(before[0], here[0])
            known[actions] = here, (*parts, *filter(None, more))
        return known[actions]

    return ["; ".join(played(tuple(actions))[1]) for actions in turns]


def _phrase(before: Any, action: int) -> str:
    """Words for an action that says everything by itself."""
    mode = int(before["mode"])
    if action in (YES, NO):
        return _ANSWERS[mode][0 if action == YES else 1]
    if action == COUNT_OUT:
        return "count out"
    if DISCARD <= action < CAPTURE:
        return f"discard {card_name(action - DISCARD)}*"
    if action == END or action < DISCARD or mode in (CAPTURING, MAXIMAL, SORTING):
        return ""
    if action < CAPTURE_HIGH:
        return f"capture with {card_name(action - CAPTURE)}*"
    if action < BUILD:
        return f"capture with {card_name(action - CAPTURE_HIGH)}* as 14"
    if action >= RAISE:
        return f"raise the {action - RAISE + 1}"
    return f"to {action - BUILD + 1}" if mode == RAISED else ""


def _result(before: Any, after: Any) -> str:
    """What came of the open set or capture, once it is closed."""
    if before["mode"] in (SET, OWNER):
        if after["mode"] in (SET, OWNER):
            return ""
        return _set_text(before, after)
    taken = int(before["layout"]) & ~int(after["layout"])
    stolen = [
        card_name(int(top)) + f" (pile {seat})"
        for seat, top in enumerate(before["pile_top"])
        if top >= 0 and not int(after["piles"][seat]) >> int(top) & 1
    ]
    builds = [value for value in range(1, 15) if before["build_top"][value] >= 0 and after["build_top"][value] < 0]
    if not (taken or stolen or builds) or after["round"] != before["round"]:
        return ""
    names = [f"the {value}-build" for value in builds] + [card_name(card) for card in cards_of(taken)[::-1]] + stolen
    return "taking " + ", ".join(names)


def _set_text(before: Any, after: Any) -> str:
    value = int(before["open_value"])
    chain, top = [], int(after["build_top"][value])
    count = int(after["build_cards"][value] & ~before["build_cards"][value]).bit_count()
    for _ in range(count):
        name = card_name(top)
        if int(before["layout"]) >> top & 1:
            chain.append(name)
        elif any(int(hand) >> top & 1 for hand in before["hands"]):
            chain.append(name + "*")
        else:
            pile = [seat for seat, other in enumerate(before["pile_top"]) if other == top]
            chain.append(name + (f" (pile {pile[0]})" if pile else ""))
        top = int(after["below"][top])
    verb = "add to" if before["build_sets"][value] else "build"
    return f"{verb} {value} = {' + '.join(chain[::-1])}"
