"""The games in words: a name, what is special, how long a deal takes, and the house rules that may be chosen."""

from __future__ import annotations

from functools import cache
from typing import Any

from casino_env.presets import PRESETS
from casino_env.rules import Rules, make_rules, player_counts

Data = dict[str, Any]
_CARDS_A_MINUTE = 6

GAMES: dict[str, tuple[str, str]] = {
    "south-african": ("South African Casino", "40 cards, one build at a time; tops of the others' piles can be taken."),
    "swazi": ("Swazi Casino", "Builds grow from stolen pile tops; what can be taken has to be taken."),
    "sotho": ("Sotho Casino", "Like Swazi, but pictures only take pictures; piles lie as they were built."),
    "khasino": ("Khasino", "40 cards; the order in which you pick decides what may be stolen. Four play as partners."),
    "kasa": ("KASA Khasino", "Khasino as its association plays it: take what you like; a steal binds your card."),
    "african": ("African Casino", "Capture what you like; the ten of spades is the big one. First to 11 points."),
    "swazi-crazy": ("Crazy Swazi", "Swazi with eight cards in the hand and a card drawn after each turn."),
    "triple-s": ("Triple S", "One card or one build a turn, nothing is added up in captures. First to 21."),
    "cassino": ("Cassino", "The game of the cities: four cards at a time, piles lie face down. First to 21."),
    "royal": ("Royal Cassino", "Cassino in which jack, queen and king count 11, 12, 13 and aces 1 or 14."),
    "partnership": ("Partnership Cassino", "Cassino for two pairs, each with one pile."),
    "draw": ("Draw Cassino", "Cassino with a card drawn after each turn."),
    "spade": ("Spade Cassino", "Cassino with a point for every spade. First to 61."),
    "california": ("California Cassino", "Pictures take any number of their rank. Two deals by each player."),
    "stealing-bundles": ("Stealing Bundles", "Match a rank and take it; match the top of a pile and take it whole."),
    "mini": ("Mini", "Six cards: a first look at how turns go."),
    "mini-7": ("Mini with seven", "Seven cards, and one of them on the table."),
}  # fmt: skip

_INSISTING = {"always": "always", "never": "as you like", "ask": "if an opponent insists"}
_DISCARDS = {"always": "yes", "second_phase": "after the last deal", "never": "no"}
# A house rule: its field, the question, and what each value means.
_SWITCHES: tuple[tuple[str, str, dict[Any, str]], ...] = (
    ("partners", "Sides", {True: "two pairs of partners", False: "everybody alone"}),
    ("insist_capture", "A capture takes all that it can", _INSISTING),
    ("insist_augment", "What can be added to a build is added", _INSISTING),
    ("owner_discard", "The owner of a build may discard", _DISCARDS),
    ("build_limit", "Builds that one may own", {0: "any number", 1: "one", 2: "two"}),
    ("capture_tops", "Pile tops may be captured", {True: "yes", False: "no"}),
    ("sweeps", "A point for clearing the table", {True: "yes", False: "no"}),
    ("ties", "Equal in cards or spades", {"one_each": "one point each", "nobody": "no points"}),
    ("pile_order", "Captured cards", {"auto": "lie in the usual order", "ask": "are laid by the capturer"}),
    ("match_games", "A game is", {0: "one deal", **{n: f"a match, the best of {n} deals" for n in (3, 5)}}),
)  # fmt: skip


def title(name: str) -> str:
    return GAMES.get(name, (name, ""))[0]


@cache
def games() -> list[Data]:
    """Every game as a page shows it, those of southern Africa first."""
    return [
        {
            "name": name,
            "title": shown,
            "line": told,
            "players": [_sitting(make_rules(name, count)) for count in player_counts(name)],
        }
        for name, (shown, told) in GAMES.items()
        if name in PRESETS
    ]


def _sitting(rules: Rules) -> Data:
    """A game with so many players."""
    turns = (rules.deck - rules.table_cards) // rules.players
    return {
        "count": rules.players,
        "partners": rules.partners,
        "turns": turns,
        "minutes": max(1, round(turns * rules.players / _CARDS_A_MINUTE)),
        "match": bool(rules.target or rules.match_rounds),
        "switches": [] if rules.bundles else switches(rules),
    }


def switches(rules: Rules) -> list[Data]:
    """The house rules of a game that leave something to choose."""
    found = []
    for field, question, words in _SWITCHES:
        values = [value for value in words if _may_be(rules, field, value)]
        if len(values) > 1:
            choices = [{"value": value, "words": words[value]} for value in values]
            found.append({"field": field, "question": question, "now": getattr(rules, field), "choices": choices})
    return found


def _may_be(rules: Rules, field: str, value: Any) -> bool:
    """Allowed by the game, with all else as it is."""
    try:
        make_rules(rules.name, rules.players, **{field: value})
        return True
    except ValueError:
        return False
