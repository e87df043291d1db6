"""The rules of a game in a page of words, made from its switches."""

from __future__ import annotations

from typing import Any

from casino_env.cards import DECKS
from casino_env.rules import Rules

Section = tuple[str, list[str]]

# Field -> its values -> a sentence; a value that is not there says nothing. Numbers are filled in by {}.
_CARDS: dict[str, dict[Any, str]] = {
    "partners": {True: "Those who sit opposite each other play together."},
    "ace_high": {True: "An ace counts 1 or 14.", False: "An ace counts 1."},
    "courts": {
        "value": "Ten and below count their number; jack, queen and king 11, 12 and 13.",
        "any": "Jacks, queens and kings have no number: each takes any number of its rank.",
        "one_or_three": "Jacks, queens and kings have no number: each takes one or three of its rank.",
        "one": "Jacks, queens and kings have no number: each takes one of its rank.",
    },
}
_BUILDING: dict[str, dict[Any, str]] = {
    "equal_builds": {
        "merge": "Lay cards together for a build that a card in your hand can take; further sets of the same value are "
        "added to it, also from loose cards alone, before or after your hand card.",
        "join": "Lay cards together for a build that a card in your hand can take; a set worth a standing build joins "
        "it, whoever owns it, and makes you its owner.",
        "never": "Lay cards together for a build that a card in your hand can take; a value that stands may not be "
        "built again, and nothing is added.",
    },
    "new_builds": {
        "by_hand": "A new build begins with the card from your hand: it is in the first set, or joins a loose card of "
        "the same value.",
        "with_hand": "A new build holds the card from your hand, in one of its sets.",
    },
    "keep_backing": {
        True: "Keep a card for every build you own.",
        False: "A card for the build is needed when it is made, and not after.",
    },
    "build_limit": {1: "Own one build at most when your turn ends."},
    "limit_first_phase_only": {True: "That limit ends with the last deal of cards."},
    "raise_by": {
        "opponents": "A single build of an opponent may be raised with a card from your hand.",
        "anyone": "A single build may be raised with a card from the hand, your own too.",
    },
    "raise_with_table": {True: "Loose cards may help in a raise."},
    "raise_limit": {"double": "A raise makes a build worth at most twice what it was."},
    "raise_or_add": {True: "If a raised build joins yours, nothing else is added in that turn."},
    "add_to_partner": {
        False: "Your partner's build is only taken: you neither add to it nor raise another to its value."
    },
    "owner_discard": {
        "second_phase": "Who owns a build may not discard before the last cards are dealt.",
        "never": "Who owns a build may not discard.",
    },
    "use_discard_same_turn": {False: "A card just discarded stays out of sets in the same turn."},
    "insist_augment": {
        "always": "What can be added to your builds from the table has to be, before your turn ends.",
        "ask": "An opponent may insist that what can be added to your builds is added.",
    },
}
_STEALING: dict[str, dict[Any, str]] = {
    "steal": {
        "augment": "Tops of the opponents' piles may go into sets that are added to a build.",
        "with_hand_card": "Once a turn the top of an opponent's pile may go into your build, with your hand card.",
        "bound": "Any number of tops of the opponents' piles may go into a build of yours; the card from your hand "
        "then goes into that build too, or takes it.",
    },
    "steal_from_partner": {True: "Your partner's pile counts as well."},
    "no_return": {True: "A set of several cards may not begin on the pile that gave the last card."},
    "chain": {"no": "Each pile gives one card a turn."},
}
_CAPTURING: dict[str, dict[Any, str]] = {
    "bundles": {True: "A card takes all loose cards of its rank, or a whole pile whose top has its rank."},
    "multi_capture": {
        True: "A card takes loose cards of its value, groups that add up to it, and the build of that value.",
        False: "A card takes one loose card of its value, or one build.",
    },
    "capture_tops": {True: "Tops of the opponents' piles count as loose cards."},
    "tops_in_sums": {
        False: "The top of an opponent's pile comes along if it equals the card and an equal loose card or the build "
        "is taken; it is part of no sum."
    },
    "owner_top": {False: "Who takes an opponent's build leaves its owner's top, unless an equal loose card comes too."},
    "chain": {"all": "What lies under a top that is taken may be the next, if it is equal."},
    "pile_capture_needs_table_card": {True: "A capture of a top also takes a loose card or the build."},
    "insist_capture": {
        "always": "A capture takes all it can, and a card that can capture may not be discarded.",
        "never": "You take what you like.",
        "ask": "An opponent may insist that a capture takes all it can.",
    },
    "partner_builds": {True: "If your partner is known to hold a card, you may build for it."},
}
_REQUESTS = {
    "builds": "When you take a build of your side, your partner may ask for it",
    "loose": "When you take loose cards alone, your partner may ask for them as its build (Shiya)",
    "any": "When you take a build of your side or loose cards alone, your partner may ask for them as its build",
}
_REQUESTED = {"optional": "; you may refuse.", "binding": ", and gets it."}
_PILES: dict[str, dict[Any, str]] = {
    "stacking": {
        "secret": "Captured cards lie in their capturer's order, the capturing card on top.",
        "as_built": "Captured cards lie as they were built, the capturing card on top.",
        "lowest_on_top": "The lowest card of a capture lies on top.",
        "build_on_top": "What was loose goes lowest, then the build, then the capturing card on top.",
        "face_down": "Piles lie face down.",
    },
    "resort_raised": {True: "When a build is raised its cards are laid anew, the smallest uppermost."},
    "shared_pile": {True: "Partners share one pile."},
    "leftovers": {
        "last_capture": "What is left at the end goes to whoever captured last.",
        "nobody": "What is left at the end is nobody's.",
    },
}
_COUNTING = (
    ("cards_points", "for most cards"),
    ("spades_points", "for most spades"),
    ("five_spades_points", "for five spades or more"),
    ("little_points", "for the two of spades"),
    ("big_points", "for the ten of {big}"),
    ("ace_points", "for each ace"),
)

_TIES = {
    "one_each": "where several have most, each of them gets one point",
    "nobody": "where several have most, nobody gets these points",
}
_NUMERALS = 10  # ranks of a pack without pictures


def rules_text(rules: Rules) -> list[Section]:
    """Headings with their sentences."""
    if rules.bundles:
        return [
            ("Cards", [_deal(rules)]),
            ("Taking", [_CAPTURING["bundles"][True], "What takes nothing is laid on the table."]),
            ("Piles", ["The capturing card lies on top.", *_sentences(rules, {"leftovers": _PILES["leftovers"]})]),
            ("Points", _points(rules)),
        ]
    cards = {name: says for name, says in _CARDS.items() if name != "courts" or len(DECKS[rules.deck]) > _NUMERALS}
    sections = [
        ("Cards", [_deal(rules), *_sentences(rules, cards)]),
        ("Taking", [*_sentences(rules, _CAPTURING), *_requests(rules)]),
        ("Building", _sentences(rules, _BUILDING)),
        ("Stealing", _sentences(rules, _STEALING)),
        ("Piles", _sentences(rules, _PILES)),
        ("Points", _points(rules)),
    ]
    return [(title, lines) for title, lines in sections if lines]


def _sentences(rules: Rules, table: dict[str, dict[Any, str]]) -> list[str]:
    idle = _idle(rules)
    return [says[value] for name, says in table.items() if name not in idle and (value := getattr(rules, name)) in says]


def _idle(rules: Rules) -> set[str]:
    """Fields that say nothing beside others: of tops that are part of no sum, of partners where there are none."""
    idle = {"capture_tops", "pile_capture_needs_table_card"} if not rules.tops_in_sums else set()
    if not rules.partners:
        idle.add("add_to_partner")
    if rules.chain == "all" and not rules.capture_tops:
        idle.add("chain")
    return idle


def _requests(rules: Rules) -> list[str]:
    if rules.partner_request == "off":
        return []
    return [_REQUESTS[rules.request_for] + _REQUESTED[rules.partner_request]]


def _deal(rules: Rules) -> str:
    table = f"{rules.table_cards} on the table" if rules.table_cards else "none on the table"
    if rules.draw_hand:
        return f"{rules.deck} cards, {table}; everybody holds {rules.draw_hand} and draws after each turn."
    times = f", dealt {rules.rounds} times" if rules.rounds > 1 else ""
    return f"{rules.deck} cards, {table}, {rules.hand_size} to each hand{times}."


def _points(rules: Rules) -> list[str]:
    lines = []
    for name, what in _COUNTING:
        points = getattr(rules, name)
        if points and not (rules.spade_cards and name in ("little_points", "spades_points")):
            lines.append(f"{points} {what.format(big=_big_suit(rules))}")
    majorities = rules.cards_points or (rules.spades_points and not rules.spade_cards)
    if majorities:
        lines.append(_TIES[rules.ties])
    big = f"the ten of {_big_suit(rules)}"
    if majorities and rules.shutout:
        lines.append(
            f"who alone has any of the aces, the two of spades and {big} also gets the points of both majorities"
        )
    if rules.spade_cards:
        lines.append("2 each for the two, jack and ace of spades, 1 for every other spade")
    if rules.sweeps:
        lines.append("1 for each capture that empties the table")
    if rules.tie_break == "big_ten":
        lines.append(f"of those who are level at the top, whoever has {big} has won")
    if rules.target:
        lines.append(f"a match goes to {rules.target}")
    if rules.match_games:
        lines.append(f"a match is won by {rules.match_games // 2 + 1} of {rules.match_games} games; a game is one deal")
    return lines


def _big_suit(rules: Rules) -> str:
    return "diamonds" if rules.big_ten == "TD" else "spades"
