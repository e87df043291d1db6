"""Prompts for models: the rules, how to answer, past events, the table as the seat sees it, legal moves."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from casino_env.cards import card_name, cards_of, deck_cards
from casino_env.drawing.scene import cards_text, seen_lines, seen_scene
from casino_env.observed import Observed, actions_text
from casino_env.rules import Rules
from casino_env.text.rules_text import Row, rules_text, sentences
from casino_env.text.vocabulary import Vocabulary
from casino_env.validate import checks_objects, int_in, one_of

Unit = Literal["turn", "action"]
_MOST_LISTED = 60  # most legal turns listed; a crowded table has thousands
UNITS: tuple[Unit, ...] = ("turn", "action")

# How to answer, as rows of rules_text.py without a key.
_DISCARD: Row = ("", "any", "`discard 5D` lays down a card of your hand.")
_QUESTIONS: tuple[Row, ...] = (
    ("", "asks", "`yes` or `no` answers a question."),
    ("", "count_out any", "`count out`, before all else in a turn, says that you have the points of the match."),
)
_ANSWERS: dict[Unit, tuple[Row, ...]] = {
    "turn": (
        ("", "any", "Answer with one line, your whole turn: its parts in their order, semicolons between them. It ends "
         "by itself. Or answer with JSON, {{\"turn\": \"...\"}}."),
        _DISCARD,
        ("", "", "`capture with 9H; taking 5D, 4S, the 9-build` takes cards and a build with a card of your hand."),
        ("", "bundles", "`capture with 9H; taking 9C` takes cards with a card of your hand."),
        ("", "ace_high", "`capture with AS as 14` takes with an ace that counts 14."),
        ("", "", "`build 9 = 5D + 4S` lays a set of 9 together, as a new build or for one that stands."),
        ("", "!equal_builds=never", "`add to 9 = 6C + 3D` adds a set to the build of 9."),
        ("", "", "`raise the 5; to 9; build 9 = 4S` makes the build of 5 one of 9."),
        ("", "tops any", "`7C (pile 1)` is the top card of the pile of seat 1."),
        ("", "pile_order=ask", "`card 5D; card 9H` lays captured cards on your pile, one after the other."),
        *_QUESTIONS,
    ),
    "action": (
        ("", "any", "A turn is several actions, one after the other. Answer with one action in one line, or with JSON, "
         "{{\"action\": \"...\"}}."),
        _DISCARD,
        ("", "any", "`capture 9H` takes with a card of your hand; if there is a choice you are asked what."),
        ("", "ace_high", "`capture AS as 14` takes with an ace that counts 14."),
        ("", "", "`build 9` begins a set of 9, whose cards come next; inside a capture it takes the build of 9."),
        ("", "any", "`card 5D` picks a card for what has begun, the highest first."),
        ("", "", "`raise 5` begins to raise the build of 5; `build 9` then says to what."),
        ("", "any", "`end` ends the turn, or the choice that is open."),
        *_QUESTIONS,
    ),
}  # fmt: skip


@checks_objects
def prompt(
    observed: Observed,
    done: Sequence[str] = (),
    *,
    unit: Unit = "turn",
    listed: bool = False,
    vocabulary: Vocabulary | None = None,
) -> str:
    """Everything that a model needs for one decision. done: lines of what has happened since its last one. listed: add
    the legal moves, numbered."""
    told = introduction(observed.rules, observed.seat, unit=unit, vocabulary=vocabulary)
    return f"{told}\n\n{situation(observed, done, unit=unit, listed=listed, vocabulary=vocabulary)}"


@checks_objects
@lru_cache(maxsize=64)
def introduction(rules: Rules, seat: int, *, unit: Unit = "turn", vocabulary: Vocabulary | None = None) -> str:
    """The part that stays the same for a whole game: the rules and how to answer."""
    int_in(seat, "seat", 0, rules.players - 1)
    one_of(unit, "unit", UNITS)
    lines = [f"You are seat {seat} of {rules.players} in a card game. These are its rules.", ""]
    for title, said in (rules_text(rules) | {"How to answer": sentences(_ANSWERS[unit], rules)}).items():
        lines += [f"{title}:", *(f"- {line}" for line in said)]
    ranks, suits = (dict.fromkeys(names) for names in zip(*map(card_name, deck_cards(rules.deck)), strict=True))
    if rules.deck < 40:
        lines.append(f"- These are all cards: {cards_text(deck_cards(rules.deck))}.")
    if vocabulary:
        return "\n".join([vocabulary.said("\n".join(lines)), vocabulary.legend(rules, list(ranks))])
    cards = f"- A card is its rank and its suit, such as 5D. Ranks are {' '.join(ranks)}, suits {' '.join(suits)}."
    return "\n".join([*lines, cards])


@checks_objects
def situation(
    observed: Observed,
    done: Sequence[str] = (),
    *,
    unit: Unit = "turn",
    listed: bool = False,
    vocabulary: Vocabulary | None = None,
) -> str:
    """The part that is new: what has happened, the table, and the legal moves if listed."""
    lines = ["What has happened since your last turn:", *(f"- {line}" for line in done)] if done else []
    lines += ["The table:", *_table(observed)]
    if observed.mask.any():
        lines += _choices(observed, unit) if listed else []
        lines += [f"What do you do? Answer with one {one_of(unit, 'unit', UNITS)}."]
    text = "\n".join(lines)
    return vocabulary.said(text) if vocabulary else text


@checks_objects
def moved(before: Observed, after: Observed) -> list[str]:
    """The cards whose place has changed for the seat, for players who are shown no actions: a line for cards that moved
    alike."""
    was, now, ways = _places(before), _places(after), dict[tuple[str, str], list[int]]()
    for card in sorted(was.keys() | now.keys()):
        way = was.get(card, "out of sight"), now.get(card, "out of sight")
        if way[0] != way[1]:
            ways.setdefault(way, []).append(card)
    return [f"{cards_text(cards)}: from {source} to {goal}" for (source, goal), cards in ways.items()]


def _places(observed: Observed) -> dict[int, str]:
    """The place of each card that the seat can see or remember."""
    view, players = observed.view[0], observed.rules.players
    hands = [f"the hand of seat {seat}" for seat in range(players)]
    hands[observed.seat] = "your hand"
    sets = [("the loose cards", view["layout"]), *zip(hands, view["hands"], strict=False)]
    sets += [(f"the pile of seat {seat}", pile) for seat, pile in enumerate(view["piles"][:players])]
    sets += [(f"the build of {value}", cards) for value, cards in enumerate(view["build_cards"])]
    return {card: place for place, cards in sets for card in cards_of(int(cards))}


def _table(observed: Observed) -> list[str]:
    scene = seen_scene(observed.view, observed.rules, observed.seat)
    own, *_ = [seat for seat in scene.seats if seat.number == observed.seat]
    names = [f"seat {seat.number}" for seat in scene.seats]
    names[own.number] += " (you)"
    if own.partner is not None:
        names[own.partner] += " (your partner)"
    lines = seen_lines(scene, names, own.number)
    lines[0] = lines[0].partition(", ")[2]  # drop the name of the game: it is free text
    piles = enumerate(observed.view["piles"][0].tolist()[: observed.rules.players])
    lines += [f"  taken by {names[seat]}: {cards_text(cards_of(pile))}" for seat, pile in piles if pile]
    return lines + [f"  {name}: {points}" for name, points in scene.breakdown.items()]


@checks_objects
def choices(observed: Observed, unit: Unit) -> list[str]:
    """The legal turns or actions as texts, in the order of their numbers."""
    if one_of(unit, "unit", UNITS) == "turn":
        return [turn.text for turn in observed.turns]
    return actions_text(observed.legal()).split("; ")


def _choices(observed: Observed, unit: Unit) -> list[str]:
    texts = choices(observed, unit)
    numbered = [f"  {number} {text}" for number, text in enumerate(texts[:_MOST_LISTED], 1)]
    numbered += [f"  ... and {len(texts) - _MOST_LISTED} more"] if texts[_MOST_LISTED:] else []
    return ["What is legal (its number is enough; ... goes on once you see more, or others have answered):", *numbered]
