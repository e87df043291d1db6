"""Progress bars on standard error; none if it is not a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

Show = Callable[[int, str], None]  # called with the number of steps done, and a few words


@contextmanager
def interruptible(done: Callable[[], int], least: int = 2) -> Iterator[dict[str, Any]]:
    """Let Ctrl-C end the body early; yield what the result says. If too little is done, raise KeyboardInterrupt."""
    said: dict[str, Any] = {}
    try:
        yield said
    except KeyboardInterrupt:
        if done() < least:
            raise
        said["interrupted"] = True


@contextmanager
def progress(what: str, total: int, done: int = 0) -> Iterator[Show]:
    """Show a progress bar; yield the function that moves it."""
    columns = (
        *Progress.get_default_columns(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[words]}"),
    )
    with Progress(*columns, console=Console(stderr=True), disable=not sys.stderr.isatty(), transient=True) as bar:
        task = bar.add_task(what, total=total, completed=done, words="")
        yield lambda count, words: bar.update(task, completed=count, words=words)
