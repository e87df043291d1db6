"""Deal books: a fixed list of deals, made from a seed, that can be saved, compared and played again."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from casino_env.envs.options import Options
from casino_env.envs.vector import Batch
from casino_env.rules import Rules

Array = np.ndarray[Any, Any]

FORMAT = 1
_STREAM = 0x0B00  # apart from other streams of the same seed
_JSON_BITS = 53  # numbers that every reader of JSON keeps exactly


@dataclass(frozen=True)
class Book:
    """Deals as seeds of the game: every program with these rules deals the same cards from them."""

    rules: Rules
    seed: int
    seeds: tuple[int, ...]
    part_of: str = field(default="", compare=False)  # digest of the book whose first deals these are

    def __len__(self) -> int:
        return len(self.seeds)

    def first(self, count: int) -> Book:
        """The book of the first so many deals."""
        return replace(self, seeds=self.seeds[:count], part_of=self.part_of or self.digest())

    def digest(self) -> str:
        """A fingerprint of the rules and of every card as it is dealt: it changes with the shuffling, too."""
        seen = hashlib.sha256(json.dumps(asdict(self.rules), sort_keys=True).encode())
        if self.seeds:
            games = Batch(self.rules, len(self), Options(skip_forced=False), redeal=False)
            games.deal(list(self.seeds))
            for field in ("hands", "layout", "stock_top", "below"):
                seen.update(np.ascontiguousarray(games.records[field]).tobytes())
        return seen.hexdigest()[:32]


def make_book(rules: Rules, deals: int, seed: int = 0) -> Book:
    """The first deals of a seed; a longer book of the same seed begins with the same ones."""
    if deals < 1:
        raise ValueError(f"deals = {deals}; it must be 1 or more")
    if seed < 0:
        raise ValueError(f"seed = {seed}; it must not be negative")
    numbers = np.random.PCG64([_STREAM, seed]).random_raw(deals) >> np.uint64(64 - _JSON_BITS)
    return Book(rules, seed, tuple(numbers.tolist()))


def save_book(book: Book, path: str | Path) -> None:
    """As JSON, with a fingerprint of every card."""
    data = {
        "book": FORMAT,
        "digest": book.digest(),
        "seed": book.seed,
        "rules": asdict(book.rules),
        "seeds": list(book.seeds),
    }
    Path(path).write_text(json.dumps(data) + "\n")


def load_book(path: str | Path) -> Book:
    """The book of a file; raises ValueError if it is not a whole book or deals other cards by now."""
    try:
        data = json.loads(Path(path).read_text())
    except ValueError:
        raise ValueError(f"{path}: not a deal book: no JSON") from None
    if not isinstance(data, dict) or data.get("book") != FORMAT:
        raise ValueError(f'{path}: not a deal book: it must be a JSON object with "book": {FORMAT}')
    try:
        book = Book(Rules(**data["rules"]), int(data["seed"]), tuple(int(seed) for seed in data["seeds"]))
        digest = data["digest"]
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path}: broken deal book: {error}") from None
    if not book.seeds:
        raise ValueError(f"{path}: the deal book is empty")
    if book.digest() != digest:
        raise ValueError(f"{path}: the deals are not those that were saved: the file or the dealing has changed")
    return book
