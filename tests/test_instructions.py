"""`casino bench --instructions` and `casino compile --symbols`."""

import json
import shutil
import warnings
from pathlib import Path

import pytest

from casino_env import instructions
from casino_env.aot import build


def test_without_valgrind_one_line_says_so(monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ValueError, match="valgrind"):
        instructions.count_instructions()


def test_a_row_is_the_difference_of_two_lengths(monkeypatch):
    """Work that both processes do alike cancels out."""
    monkeypatch.setattr(instructions, "_counted", lambda _, times: (1000 + 70 * times, 7 * times))
    assert instructions._instructions("kernel") == 10


@pytest.mark.parametrize("symbols", [False, True])
def test_kernels_keep_their_names_where_that_is_asked(monkeypatch, tmp_path, symbols):
    words = []
    monkeypatch.setattr(build, "zig", lambda *told: words.extend(told))
    build.link(b"", {}, build.best_here(), tmp_path / "out", symbols=symbols)
    assert ("-s" in words) is not symbols


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("valgrind") or build.best_here().level != "x86-64-v3", reason="counted elsewhere")
def test_no_row_has_grown_by_a_twentieth():
    kept = json.loads(Path(__file__).with_name("instructions.json").read_text("utf-8"))
    # Count twice: a start of Python that does more than the other looks like a slower kernel.
    assert not grown({name: kept[name] for name in grown(kept)})


def grown(kept):
    try:
        found = instructions.count_instructions(kept)
    except ValueError as error:  # seen once: the second of two such processes could not open the library
        warnings.warn(str(error), stacklevel=1)
        found = instructions.count_instructions(kept)
    return {name: (round(found[name]), many) for name, many in kept.items() if found[name] > 1.05 * many}
