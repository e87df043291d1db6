"""The part of evaluate in `python -m casino_env compile`."""

from collections.abc import Callable, Iterator

from casino_env.rules import make_rules
from evaluate.matches.books import make_book
from evaluate.style import style


def parts() -> Iterator[tuple[str, Callable[[], object]]]:
    yield "tally of styles", lambda: style(make_book(make_rules("mini", 2), 2), "random")
