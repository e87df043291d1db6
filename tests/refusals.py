"""What is refused is refused in one line."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def refused(said: str, kind: type[Exception] = ValueError, most: int = 2000) -> Iterator[None]:
    """What is done inside raises an error of this kind, whose one line has this text or pattern in it."""
    with pytest.raises(kind) as caught:
        yield
    text = str(caught.value)
    assert said in text or re.search(said, text), text
    assert "\n" not in text and 0 < len(text) < most
