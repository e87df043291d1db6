"""The wording of the terminal: the engine's notation in plain words, with suit symbols and colours if it shows them."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap

from casino_env.machine import shows_colours, shows_letters

_SUITS = dict(zip("SHDC", "♠♥♦♣", strict=True))
_CARD, _RED = re.compile(r"\b([A2-9TJQK])([SHDC])\b"), re.compile(r"\b(?:[A2-9TJQK]|10)(?:[♥♦]|[HD]\b)")
# Replacements of the notation (engine/wording.py, drawings) by plain words, applied in this order.
_SAID = (
    (r"\bdiscard (\w\w)\*", r"lay down \1"),
    (r"\bcapture with (\w\w)\*( as 14)?; taking ([^;]+)", r"take \3 with \1\2"),
    (r"\bcapture with (\w\w)\*", r"take with \1"),
    (r"\btaking ", "take "),
    (r"\b(\w\w) \(pile (\d)\)", r"\1 of seat \2"),
    (r"\braise the (\d+); to (\d+); (?:build|add to) \2 = ", r"raise the build of \1 to \2: "),
    (r"((?:build|add to) (\d+) = [^;]+); add to \2 = ", r"\1 and "),
    (r"\badd to (\d+) = ", r"add to the build of \1: "),
    (r"\bbuild (\d+) = ", r"build \1: "),
    (r"(\d+)-build of ([^:]+): ", r"build of \1 by \2: "),
    (r"\bthe (\d+)-build", r"the build of \1"),
    (r"(^|; )count out", r"\1say that it is enough"),
    (r"(^|; )end(?=$|;)", r"\1end the turn"),
    (r"\bwith (\d)(?=, |$)", r"with seat \1"),
    (r"\bseats (\d) and (\d)", r"seat \1 and seat \2"),
)
_VERB = re.compile(r"(^|; )(lay|take|build|add|raise|end|say)\b")


def in_words(text: str, names: list[str]) -> str:
    """Put a turn or a drawing into words, with the names of seats."""
    for notation, words in _SAID:
        text = re.sub(notation, words, text)
    text = re.sub(r"\bseat (\d)\b", lambda found: names[int(found[1])], text).replace("you wins", "you win")
    return re.sub(r"(\w\w) of you\b", r"your \1", text)


def done_words(turn: str, seat: int, names: list[str], *, own: bool) -> str:
    """Say who has played a turn."""
    words, name = in_words(turn, names), "You" if own else names[seat]
    if not _VERB.match(words):
        return f"{name}: {words}"
    return f"{name} " + (words if own else _VERB.sub(r"\1\2s", words))


def card_letters(text: str) -> str:
    """Return a typed card in the engine's notation: 10♥, 10h and th are TH."""
    letters = text.upper().replace("10", "T")
    return letters.translate({ord(sign): letter for letter, sign in _SUITS.items()})


def say(text: str) -> int:
    """Print text wrapped to the terminal's width; return the number of lines."""
    if shows_letters(sys.stdout, "".join(_SUITS.values())):
        text = _CARD.sub(lambda card: card[1].replace("T", "10") + _SUITS[card[2]], text)
    lines = [line for row in text.split("\n") for line in wrapped(row)]
    shown = "\n".join(lines)
    if shows_colours(sys.stdout):
        shown = _RED.sub("\033[31m\\g<0>\033[0m", shown)
    print(shown, flush=True)
    return len(lines)


def wrapped(line: str) -> list[str]:
    """Wrap a line to the terminal's width."""
    return textwrap.wrap(line, shutil.get_terminal_size().columns - 1, subsequent_indent=" " * 5) or [""]
