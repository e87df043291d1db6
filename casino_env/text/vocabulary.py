"""Invented words for the same rules: cards, categories and verbs get new names, drawn by a seed.

A model that plays well with them has understood the rules instead of remembering a game."""

from __future__ import annotations

import random
import re

from casino_env.cards import RANKS, SUITS
from casino_env.game import seed_number
from casino_env.rules import Rules
from casino_env.text.rules_text import listed

# A line has the forms of one word, in the order of _ENDINGS. Synonyms are separated by `/`; the form that moves are
# written with comes first.
_WORDS = """
build builds building built
add/added adds adding
capture/take captures/takes taking/capturing captured/taken/took capturer
discard discards discarding
raise raises raising raised
steal steals stealing stolen
pile piles
set sets
top tops
loose
stock
picture pictures
"""
_ENDINGS = ("", "s", "in", "ed", "er")
_RANKS = {"ace": "A", "ten": "T", "jack": "J", "queen": "Q", "king": "K"}
_SUITS = {"spade": "S", "heart": "H", "diamond": "D", "club": "C"}
_CONSONANTS, _VOWELS = "bdfgklmnprstvz", "aeiou"
_STEMS = [a + b + c + d for a in _CONSONANTS for b in _VOWELS for c in _CONSONANTS for d in _VOWELS]


class Vocabulary:
    """The words that a seed draws; the same seed gives the same words."""

    def __init__(self, seed: int) -> None:
        lines = [line.split() for line in _WORDS.strip().splitlines()]
        stems = random.Random(seed_number(seed)).sample(_STEMS, len(RANKS) + len(SUITS) + len(lines))
        self.ranks, self.suits = dict(zip(RANKS, stems, strict=False)), dict(zip(SUITS, stems[13:], strict=False))
        said = {form: stem + ending for line, stem in zip(lines, stems[17:], strict=True)
                for forms, ending in zip(line, _ENDINGS, strict=False) for form in forms.split("/")}  # fmt: skip
        cards = {rank + suit: f"{self.ranks[rank]}-{self.suits[suit]}" for rank in RANKS for suit in SUITS}
        self._meant = {new: old for old, new in reversed((said | cards).items())}
        names = [(word, self.ranks[rank]) for word, rank in _RANKS.items()]
        names += [(word, self.suits[suit]) for word, suit in _SUITS.items()]
        said |= {word + ending: new + ending for word, new in names for ending in ("", "s")}
        two = self.ranks["2"]  # elsewhere "two" is a number
        said |= {"two of": f"{two} of", "two,": f"{two},", "little two": f"little {two}"}
        self._said = said | cards

    def said(self, text: str) -> str:
        """Translate a text into these words."""
        return _exchanged(text, self._said)

    def meant(self, text: str) -> str:
        """Translate a reply back from these words."""
        return _exchanged(text, self._meant)

    def legend(self, rules: Rules, ranks: list[str]) -> str:
        """A line with the names of ranks and suits, and the values of ranks."""
        values = ["1", *map(str, range(2, 11)), *(["11", "12", "13"] if rules.courts == "value" else ["no number"] * 3)]
        values[0] += " or 14" if rules.ace_high else ""
        count = listed([f"{self.ranks[rank]} ({value})" for rank, value in zip(ranks, values, strict=False)])
        suits = listed(list(self.suits.values()))
        return (
            f"- A card is its rank and its suit, such as {self._said['5D']}. Ranks count: {count}. Suits are {suits}."
        )


def _exchanged(text: str, words: dict[str, str]) -> str:
    """Replace whole words in the text; keep capital first letters."""
    longest = sorted(words, key=len, reverse=True)

    def other(found: re.Match[str]) -> str:
        word = found[0]
        new = words.get(word) or words.get(word.lower(), word)
        return new.capitalize() if word[0].isupper() and word[1:].islower() else new

    pattern = rf"(?<!\w)(?:{'|'.join(map(re.escape, longest))})(?!\w)"
    return re.sub(pattern, other, text, flags=re.IGNORECASE)
