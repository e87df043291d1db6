"""The benchmark of peers: one that cannot be played is a row that says why, and the page keeps its other parts."""

from typing import NoReturn

import pytest

from benchmarks import peers
from docs.tables import filled


def _missing(_name: str) -> NoReturn:
    raise ModuleNotFoundError("No module named 'nothing'\nand more")


def _rows() -> list[peers.Row]:
    ours = [
        peers.Row("casino-env", "south-african 2", "", lambda _: lambda _: 1000.0, name, "-", threads)
        for name, threads in (("vector_1", "1"), ("vector_all", "all"), ("aec", "1"))
    ]
    theirs = peers.Row("Other", "whist", "env", lambda _: lambda _: 40.0, "whist", "-")
    return [*ours, theirs, peers.Row("Another", "snap", "env", _missing, "snap", "-")]


def test_a_peer_that_is_not_there_is_a_row_with_the_reason() -> None:
    rows = _rows()
    peers.measure(rows, 0.01)
    lines = peers.table(rows)
    assert lines[-2] == "| Other - | whist | env | 1 | 40 | 25 | 25 |"
    assert (
        lines[-1] == "| Another - | snap | env | 1 | not measured: ModuleNotFoundError: No module named 'nothing' | | |"
    )


def test_only_the_section_between_the_markers_changes() -> None:
    page = "before\n\n<!-- peers:begin -->\n\nold\n\n<!-- peers:end -->\nafter\n"
    new = filled(page, "peers", ["new"])
    assert new == page.replace("old", "new") and filled(new, "peers", ["new"]) == new


def test_the_page_without_markers_is_refused() -> None:
    with pytest.raises(ValueError, match="peers:begin"):
        filled("nothing here", "peers", ["new"])
