"""Why something cannot be done: the one rule that forbids it, in words.

What the cards do not add up to is said by counting. For all else the rules are lifted one after the other: the one
without which it could be done is the one that forbids it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from casino_env.cards import card_name, cards_of, mask_of, parse_card
from casino_env.engine.state import rules_record
from casino_env.game import Game
from casino_env.play.moves import Move, moves
from casino_env.play.names import Names
from casino_env.play.questions import build_name
from casino_env.play.words import partition

_FREE: dict[str, Any] = {"owner_discard": "always", "build_limit": 0}
# What is lifted, and what is said if that helps. Keeping cards for builds is lifted last: it goes with other rules.
_LIFTED: tuple[tuple[dict[str, Any], str], ...] = (
    ({"insist_capture": "never"}, "{card} can take cards, and here a capture has to take all that it can"),
    ({"insist_augment": "never"}, "something can still be added to your build, and here it has to be"),
    (
        {"new_builds": "with_hand"},
        "a new build begins with the card from your hand, in its first set or on an equal card",
    ),
    ({"new_builds": "free"}, "a new build has to hold the card from your hand"),
    ({"add_to_partner": True}, "your partner's build may be taken, but nothing is added to it"),
    ({"raise_limit": "none"}, "a raise makes a build worth at most twice what it was"),
    (
        {"owner_top": True},
        "the top of its owner's pile stays when a build is taken, unless an equal loose card comes too",
    ),
    ({"tops_in_sums": True}, "the top of a pile is only taken beside an equal loose card or the build, and in no sum"),
    ({"chain": "sets"}, "a pile gives only one card a turn"),
    ({"chain": "all"}, "what lies under a card that is taken has to wait"),
    ({"owner_discard": "always"}, "whoever owns a build may not discard{phase}"),
    ({"build_limit": 0}, "you may own one build at a time, and you have one"),
    ({"capture_tops": True}, "the tops of piles cannot be captured in this game, only used in builds"),
    ({"pile_capture_needs_table_card": False}, "the top of a pile is only taken together with a card from the table"),
    ({"multi_capture": True}, "here a card takes one card or one build, nothing is added up"),
    ({"raise_by": "anyone"}, "only an opponent's build may be raised"),
    ({"raise_with_table": True, "equal_builds": "join"}, "loose cards may not help to raise a build"),
    ({"use_discard_same_turn": True}, "a card that you have just discarded stays out of sets until your next turn"),
    ({"second_build_in_turn": True}, "a second build may not be made in the same turn"),
    ({"raise_or_add": False}, "who raises a build adds nothing else in that turn"),
    ({"no_return": False}, "a set may not begin on the pile that the last card came from"),
    ({"steal": "augment"}, "pile tops cannot be used in this way in this game"),
    (
        {"keep_backing": False, "partner_builds": False, "partner_request": "off", **_FREE},
        "you have to keep a card for every build that you own",
    ),
)
_RANKS = {1: "ace", 11: "jack", 12: "queen", 13: "king", 14: "ace"}
_GENERAL = "No rule of this game makes a move of these cards."


@dataclass(frozen=True)
class Wish:
    """Cards and builds that somebody would like to use, sorted by where they lie."""

    hand: list[int]
    table: list[int]  # loose cards and pile tops
    builds: list[int]
    tokens: frozenset[str]
    do: str = ""  # discard, end; else whatever can be done with them


def why_not(game: Game, tokens: list[str], do: str, names: Names) -> str:
    """A sentence; empty if it can be done. Raises ValueError for what is no card and no build."""
    wish = _wish(game, tokens, do)
    if _can(moves(game, names), wish):
        return ""
    words = _counted(game, wish, names) or _lifted(game, wish) or _GENERAL
    return f"{words[:1].upper()}{words[1:]}{'' if words.endswith('.') else '.'}"


def _wish(game: Game, tokens: list[str], do: str) -> Wish:
    cards = [parse_card(token) for token in tokens if not token.startswith("b")]
    builds = [int(token[1:]) for token in tokens if token.startswith("b") and token[1:].isdigit()]
    hand = int(game.record["hands"][game.seat])
    mine = [card for card in cards if hand >> card & 1]
    return Wish(mine, [card for card in cards if card not in mine], builds, frozenset(tokens), do)


def _can(found: list[Move], wish: Wish) -> bool:
    return any(
        wish.tokens <= {*move.cards, *(f"b{value}" for value in move.builds)} and wish.do in ("", move.do)
        for move in found
    )


# --- lifting rules -----------------------------------------------------------------------------------------------


def _lifted(game: Game, wish: Wish) -> str:
    for change, words in _LIFTED:
        if _can(_moves_without(game, change), wish):
            card = f"the {card_name(wish.hand[0])}" if wish.hand else "your card"
            phase = " before the last hand is dealt" if game.rules.owner_discard == "second_phase" else ""
            return words.format(card=card, phase=phase)
    return ""


def _moves_without(game: Game, change: dict[str, Any]) -> list[Move]:
    """What could be done under other rules; nothing if these are so already, or cannot be."""
    if all(getattr(game.rules, field) == value for field, value in change.items()):
        return []
    try:
        rules = replace(game.rules, **change)
    except ValueError:
        return []
    other = game.clone()
    other.rules, other.rules_record, other._legal = rules, rules_record(rules), None
    return moves(other)


# --- counting ----------------------------------------------------------------------------------------------------


def _counted(game: Game, wish: Wish, names: Names) -> str:
    if wish.do == "end":
        return _end(game)
    if len(wish.hand) > 1:
        return "one card from the hand is played in a turn"
    if wish.hand and game.record["played"]:
        return "you have played your card of this turn"
    if wish.hand and (bound := _bound(game)):
        return bound
    if wish.do == "discard":
        return ""
    if wish.builds:
        return _with_build(game, wish, names)
    return _from_hand(game, wish, names) if wish.hand else _from_table(game, wish)


def _bound(game: Game) -> str:
    """What the hand card is kept for, once a top has been stolen or a build begun without it."""
    debt, unfinished = int(game.record["debt"]), int(game.record["unfinished"])
    if debt and game.rules.steal == "bound":
        return f"you have stolen for your build of {debt}: the card from your hand goes into it, or takes it"
    if unfinished and game.rules.new_builds == "with_hand":
        return f"the card from your hand goes into your new build of {unfinished}"
    return ""


def _end(game: Game) -> str:
    record = game.record
    if not record["played"]:
        return "a card from your hand has to be played first"
    if record["debt"]:
        return f"you have added to a build of {int(record['debt'])} that is not yours: take it before your turn ends"
    if record["unfinished"]:
        return f"the build of {int(record['unfinished'])} is one card so far: add to it before your turn ends"
    return ""


def _with_build(game: Game, wish: Wish, names: Names) -> str:
    value = wish.builds[0]
    whose = build_name(game.record, value, names)
    if len(wish.builds) > 1:
        return "two builds are never taken or joined together"
    if not wish.hand:
        return f"you hold no {rank(value)} to take {whose} with, and nothing that raises it" if not wish.table else ""
    if value in _worths(game, wish.hand[0]):
        return "" if partition(_falling(wish.table), value) else f"the cards beside it do not add up to {value}"
    if int(game.record["build_sets"][value]) > 1:
        return f"{whose} has several sets: it can be taken, not raised"
    total = value + sum(card // 4 + 1 for card in [*wish.hand, *wish.table])
    return _needs(game, total, wish.hand[0], f"that would raise it to {total}")


def _from_hand(game: Game, wish: Wish, names: Names) -> str:
    card = wish.hand[0]
    if not wish.table:
        return f"nothing on the table goes with the {card_name(card)}"
    if any(partition(_falling(wish.table), worth) for worth in _worths(game, card)):
        return ""
    if not game.rules.bundles and all(_numeric(game, each) for each in [card, *wish.table]):
        total = sum(each // 4 + 1 for each in [card, *wish.table])
        standing = game.record["build_top"][total] >= 0 if total <= game.rules.max_build else False
        if standing and _holds(game, total, card):
            return f"{build_name(game.record, total, names)} stands, and there is only one of each value"
        return _needs(game, total, card, f"together they come to {total}")
    return f"the {card_name(card)} takes only cards of its own rank"


def _from_table(game: Game, wish: Wish) -> str:
    if len(wish.table) == 1:
        return f"no card in your hand takes the {card_name(wish.table[0])}, alone or with others"
    total = sum(card // 4 + 1 for card in wish.table)
    return "" if _holds(game, total, -1) else f"they come to {total}, and you hold no {rank(total)}"


def _needs(game: Game, total: int, but: int, come: str) -> str:
    """What is missing for a build of so much."""
    if total > game.rules.max_build:
        return f"{come}, and the highest build is {game.rules.max_build}"
    return "" if _holds(game, total, but) else f"{come}, and you hold no other {rank(total)} to take it with"


def _holds(game: Game, value: int, but: int) -> bool:
    hand = int(game.record["hands"][game.seat]) & ~(mask_of([but]) if but >= 0 else 0)
    return any(value in _worths(game, card) for card in cards_of(hand))


def _worths(game: Game, card: int) -> tuple[int, ...]:
    return (1, 14) if card < 4 and game.rules.ace_high else (card // 4 + 1,)


def _numeric(game: Game, card: int) -> bool:
    return bool(int(game.rules_record["numeric"][0]) >> card & 1)


def _falling(cards: list[int]) -> list[int]:
    return sorted(cards, reverse=True)


def rank(value: int) -> str:
    return _RANKS.get(value, str(value))
