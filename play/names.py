"""What the seats of a table are called, and what a page may call an agent beside its spec."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from casino_env.agents.registry import AGENTS

PERSON = "you"
JUDGE = "Judge"  # who gives hints and reviews unless an agent is named
_LEVELS = {"easy": "Novice", "medium": "Regular"}


@dataclass(frozen=True)
class Names:
    """The seats of one table: told to the person on one of them, or (you = -1) to somebody who looks on."""

    called: tuple[str, ...]
    you: int = -1

    def of(self, seat: int) -> str:
        """Whose something is."""
        return "your" if seat == self.you else f"{self.called[seat]}'s"

    def whom(self, seat: int) -> str:
        return "you" if seat == self.you else self.called[seat]

    def verb(self, seat: int, word: str) -> str:
        """take or takes, discard or discards."""
        return word if seat == self.you else word + ("es" if word.endswith("s") else "s")


def agent_title(spec: str) -> str:
    """A short name for an agent."""
    head, _, rest = spec.partition(":")
    if head != "policy":
        return AGENTS[head].title if head in AGENTS else head
    return _LEVELS.get(rest.rpartition("-")[2], "Expert")


def names_of(specs: Sequence[str], *, partners: bool = False) -> Names:
    """The table of a person and agents; those of the same name are told apart by numbers."""
    titles = ["You" if spec == PERSON else agent_title(spec) for spec in specs]
    if partners and PERSON in specs:
        titles[(specs.index(PERSON) + 2) % len(specs)] = "Partner"
    called = [
        title if titles.count(title) == 1 else f"{title} {titles[: seat + 1].count(title)}"
        for seat, title in enumerate(titles)
    ]
    return Names(tuple(called), specs.index(PERSON) if PERSON in specs else -1)


def seat_names(players: int, you: int = -1) -> Names:
    """Of a table of which nothing says who sits where."""
    return Names(tuple(f"Seat {seat + 1}" for seat in range(players)), you)
