"""What a seat is asked in the middle of a turn, with the answers to it, in the words of players."""

from __future__ import annotations

from typing import Any

from casino_env.cards import card_name, cards_of
from casino_env.engine.state import (
    BUNDLE,
    COMPLETE,
    GRANT,
    IDLE,
    INSIST_ADD,
    INSIST_CAPTURE,
    OVER,
    OWNER,
    REQUEST,
    SORTING,
)
from casino_env.play.names import Names


def question(record: Any, names: Names) -> str:
    """What the seat that decides is asked; empty between moves."""
    mode, value = int(record["mode"]), int(record["open_value"])
    card = card_name(int(record["hand_card"])) if record["hand_card"] >= 0 else ""
    cards = " + ".join(card_name(each) for each in cards_of(int(record["picked"]))[::-1])
    mover, partner = names.called[int(record["to_move"])], _partner(record, names)
    return {
        OWNER: f"Whose is the new build of {value} ({cards}): yours or {partner}'s?",
        REQUEST: f"{mover} wants to take your side's build of {value} with the {card}. Ask for it to be left to you?"
        if record["take_build"]
        else f"{mover} wants to take {cards} with the {card}. Ask for these cards as your build of {value}?",
        GRANT: f"{partner} asks you to leave {_asked_for(record)}. Do you?",
        INSIST_CAPTURE: f"{mover} plays the {card} and could take more. Do you insist on it?",
        INSIST_ADD: f"{mover} could still add to a build. Do you insist on it?",
        COMPLETE: "They insist: take all that you can.",
        SORTING: "Lay what you have taken on your pile, card by card: the next one goes on top.",
        BUNDLE: "Which cards do you take?",
        IDLE: "",
        OVER: "",
    }.get(mode, "Go on with your move: which card is next?")


def answers(record: Any, names: Names) -> tuple[str, str]:
    """Yes and no to it, each as something to do."""
    value, mover, partner = int(record["open_value"]), names.whom(int(record["to_move"])), _partner(record, names)
    build, asked = f"the build of {value}", _asked_for(record)
    taken = build if record["take_build"] else "the cards"
    return {
        OWNER: (f"keep {build}", f"leave {build} to {partner}"),
        REQUEST: (f"ask for {asked}", f"let {taken} be taken"),
        GRANT: (f"leave {asked} to {partner}", f"take {taken} all the same"),
        INSIST_CAPTURE: (f"insist that {mover} must take all there is", "let it pass"),
        INSIST_ADD: (f"insist that {mover} must add what can be added", "let it pass"),
    }[int(record["mode"])]


def _asked_for(record: Any) -> str:
    """What a partner may ask for: a build, or loose cards to become one (Shiya)."""
    build = f"build of {int(record['open_value'])}"
    return f"the {build}" if record["take_build"] else f"the cards as a {build}"


def _partner(record: Any, names: Names) -> str:
    return names.whom((int(record["actor"]) + 2) % len(names.called))


def build_name(record: Any, value: int, names: Names, teller: int = -1) -> str:
    """your build of 9, Counter's build of 9; of the seat that it is told of: their own."""
    owner = next((seat for seat, owned in enumerate(record["owned"]) if int(owned) >> value & 1), -1)
    if owner < 0:
        return f"the build of {value}"
    own = owner == teller and owner != names.you
    return f"their own build of {value}" if own else f"{names.of(owner)} build of {value}"
