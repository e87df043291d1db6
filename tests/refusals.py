"""Check that errors are told in one line."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def refused(said: str, kind: type[Exception] = ValueError, most: int = 2000) -> Iterator[None]:
    """Check that the block raises an error of this kind whose one line contains the text or pattern `said`."""
    with pytest.raises(kind) as caught:
        yield
    text = str(caught.value)
    assert said in text or re.search(said, text), text
    assert "\n" not in text and 0 < len(text) < most
