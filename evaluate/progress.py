"""Progress bars on standard error: how far, how fast, how long still. Nothing where nobody watches."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

Show = Callable[[int, str], None]  # how many are done, and a few words


class _Rate(ProgressColumn):
    def render(self, task: Task) -> Text:
        return Text(f"{task.speed:,.1f}/s" if task.speed else "")


@contextmanager
def interruptible(done: Callable[[], int], least: int = 2) -> Iterator[None]:
    """Ctrl-C ends what is inside; what is done counts if it is enough."""
    try:
        yield
    except KeyboardInterrupt:
        if done() < least:
            raise


@contextmanager
def progress(what: str, total: int, done: int = 0) -> Iterator[Show]:
    """Gives a function that moves the bar."""
    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), _Rate(), TimeElapsedColumn(),
        TimeRemainingColumn(), TextColumn("{task.fields[words]}"),
    )  # fmt: skip
    with Progress(*columns, console=Console(stderr=True), disable=not sys.stderr.isatty(), transient=True) as bar:
        task = bar.add_task(what, total=total, completed=done, words="")
        yield lambda count, words: bar.update(task, completed=count, words=words)
