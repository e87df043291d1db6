"""Deal books: a fixed list of deals, made from a seed, that can be saved, compared and played again."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from casino_env.agents.files import DamagedFileError, read_text, seal, unseal, write_file
from casino_env.envs.options import Options
from casino_env.envs.vector import Batch
from casino_env.evaluate.shapes import SEED, TABLE, TEXT, Each, check_shape
from casino_env.rules import Rules

Array = np.ndarray[Any, Any]

FORMAT = 1
MOST_DEALS = 10_000_000
_AT_ONCE = 10_000
_SHAPE = {"digest": TEXT, "seed": SEED, "rules": TABLE, "seeds": Each(SEED, list)}
_WAY_BACK = "make it again with `casino evaluate book`"
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
        seen = hashlib.sha256(json.dumps(self.rules.choices(), sort_keys=True).encode())
        for name in ("hands", "layout", "stock_top", "below"):
            for first in range(0, len(self), _AT_ONCE):
                seen.update(self._dealt(self.seeds[first : first + _AT_ONCE])[name].tobytes())
        return seen.hexdigest()[:32]

    def _dealt(self, seeds: tuple[int, ...]) -> Array:
        games = Batch(self.rules, len(seeds), Options(skip_forced=False), redeal=False)
        games.deal(list(seeds))
        return games.records


def make_book(rules: Rules, deals: int, seed: int = 0) -> Book:
    """The first deals of a seed; a longer book of the same seed begins with the same ones."""
    if not 1 <= deals <= MOST_DEALS:
        raise ValueError(f"deals = {deals}; it must be 1 or more, and at most {MOST_DEALS:,}")
    if not 0 <= seed < 2**64:
        raise ValueError(f"seed = {seed}; it must not be negative, and below 2^64")
    numbers = np.random.PCG64([_STREAM, seed]).random_raw(deals) >> np.uint64(64 - _JSON_BITS)
    return Book(rules, seed, tuple(numbers.tolist()))


def save_book(book: Book, path: str | Path) -> None:
    """As JSON, with a fingerprint of every card."""
    data = {
        "book": FORMAT,
        "digest": book.digest(),
        "seed": book.seed,
        "rules": book.rules.choices(),
        "seeds": list(book.seeds),
    }
    write_file(Path(path), (seal(data) + "\n").encode())


def load_book(path: str | Path) -> Book:
    """The book of a file; raises ValueError if it is not a whole book or deals other cards by now."""
    try:
        data = unseal(read_text(Path(path)), str(path))
    except DamagedFileError as error:
        raise ValueError(f"{error}; not a deal book, or not as it was saved: {_WAY_BACK}") from None
    if data.get("book") != FORMAT:
        raise ValueError(f'{path}: not a deal book: it must be a JSON object with "book": {FORMAT}')
    check_shape(data, _SHAPE, f"{path}: broken deal book")
    try:
        book = Book(Rules(**data["rules"]), data["seed"], tuple(data["seeds"]))
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path}: broken deal book: {error}") from None
    if not 1 <= len(book) <= MOST_DEALS:
        raise ValueError(f"{path}: the deal book has {len(book)} deals; it must be 1 to {MOST_DEALS:,}")
    if book.digest() != data["digest"]:
        raise ValueError(f"{path}: the deals are not those that were saved: the dealing has changed; {_WAY_BACK}")
    return book
