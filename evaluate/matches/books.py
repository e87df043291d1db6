"""Deal books: a fixed list of deals, made from a seed, that can be saved, compared and played again."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from casino_env.agents.files import DamagedFileError, read_text, seal, unseal, write_file
from casino_env.arrays import Array
from casino_env.envs.options import Options
from casino_env.envs.vector import Batch
from casino_env.evaluate.file_models import Model, Seed
from casino_env.rules import Rules
from casino_env.validate import read_model

FORMAT = 1
MOST_DEALS = 10_000_000
_AT_ONCE = 10_000
_WAY_BACK = "make it again with `casino evaluate book`"
_STREAM = 0x0B00  # apart from other streams of the same seed
_JSON_BITS = 53  # numbers that every reader of JSON keeps exactly


class _File(Model):
    book: int  # the format
    digest: str
    seed: Seed
    rules: dict[str, Any]
    seeds: Annotated[tuple[Seed, ...], Field(strict=False, min_length=1, max_length=MOST_DEALS)]


@dataclass(frozen=True)
class Book:
    """Deals as seeds of the game: every program with these rules deals the same cards from them."""

    rules: Rules
    seed: int
    seeds: tuple[int, ...]
    part_of: str = field(default="", compare=False)  # digest of the book whose first deals these are

    def __len__(self) -> int:
        return len(self.seeds)

    def is_of(self, seed: int) -> bool:
        """Whether its deals are those that this seed makes."""
        return self.seeds == _seeds(len(self), seed)

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
    return Book(rules, seed, _seeds(deals, seed))


def _seeds(deals: int, seed: int) -> tuple[int, ...]:
    if not 0 <= seed < 2**64:
        raise ValueError(f"seed = {seed}; it must not be negative, and below 2^64")
    numbers = np.random.PCG64([_STREAM, seed]).random_raw(deals) >> np.uint64(64 - _JSON_BITS)
    return tuple(numbers.tolist())


def save_book(book: Book, path: str | Path) -> None:
    """As JSON, with a fingerprint of every card."""
    file = _File(book=FORMAT, digest=book.digest(), seed=book.seed, rules=book.rules.choices(), seeds=book.seeds)
    write_file(Path(path), (seal(file.model_dump()) + "\n").encode())


def load_book(path: str | Path) -> Book:
    """The book of a file; raises ValueError if it is not a whole book or deals other cards by now."""
    try:
        data = unseal(read_text(Path(path)), str(path))
    except DamagedFileError as error:
        raise ValueError(f"{error}; not a deal book, or not as it was saved: {_WAY_BACK}") from None
    if data.get("book") != FORMAT:
        raise ValueError(f'{path}: not a deal book: it must be a JSON object with "book": {FORMAT}')
    file = read_model(_File, data, f"{path}: broken deal book")
    try:
        book = Book(Rules(**file.rules), file.seed, file.seeds)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path}: broken deal book: {error}") from None
    if book.digest() != file.digest:
        raise ValueError(f"{path}: the deals are not those that were saved: the dealing has changed; {_WAY_BACK}")
    return book
