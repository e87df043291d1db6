"""Files survive kills, full disks, two writers and flipped bits (agents/files.py)."""

import itertools
import os
from argparse import ArgumentTypeError
from collections.abc import Iterator
from pathlib import Path

import pytest

from casino_env.agents import files
from casino_env.agents.files import (
    DamagedFileError,
    locked,
    out_file,
    out_folder,
    read_file,
    read_journal,
    read_text,
    seal,
    unfinished,
    unseal,
    write_file,
    write_journal,
)
from tests.full_disks import full_disk

ROWS = [{"n": n, "text": "é\ud800", "list": [1.5e-07, None]} for n in range(3)]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
def test_links_and_pipes_are_written_into(tmp_path: Path) -> None:
    (tmp_path / "target").write_bytes(b"old")
    (tmp_path / "link").symlink_to("target")
    write_file(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "target").read_bytes() == b"new"
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    write_file(tmp_path / "pipe", b"through")
    assert os.read(reader, 100) == b"through" and (tmp_path / "pipe").is_fifo()
    os.close(reader)


def flips(data: bytes) -> Iterator[bytes]:
    for at in range(len(data)):
        for bit in range(8):
            yield data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :]


def test_sealed_text_comes_back() -> None:
    for indent in (None, 1):
        for row in ROWS:
            assert unseal(seal(row, indent), "x") == row


def test_any_flipped_bit_of_sealed_text_is_refused() -> None:
    for broken in flips(seal(ROWS[0], 1).encode()):
        with pytest.raises(DamagedFileError):
            unseal(broken.decode("utf-8", "surrogateescape"), "x")


def test_no_checksum_and_no_numbers_are_refused() -> None:
    with pytest.raises(DamagedFileError, match="file: damaged, or written by an older version: it has no checksum"):
        unseal('{"a": 1}', "file")
    with pytest.raises(ValueError, match="not JSON compliant"):
        seal({"a": float("nan")})


def test_any_flipped_bit_of_rows_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And rows that are cut off anywhere but at the end of a line."""
    path = tmp_path / "j"
    write_journal(path, ROWS)
    assert read_journal(path) == ROWS
    data = path.read_bytes()
    whole = [*itertools.accumulate(data.splitlines(keepends=True))]
    cut = (data[:length] for length in range(1, len(data)))
    for broken in (*flips(data), *(part for part in cut if part not in whole)):
        monkeypatch.setattr(files, "read_file", lambda _, broken=broken: broken)  # thousands of real files take seconds
        with pytest.raises(ValueError, match=r"/j, line \d"):
            read_journal(path)


def test_full_disk_leaves_the_file_before_and_nothing_beside(tmp_path: Path) -> None:
    write_file(tmp_path / "f", b"before")
    with full_disk(100), pytest.raises(OSError, match=r"large: '.*/f'"):
        write_file(tmp_path / "f", b"x" * 1000)
    assert [path.name for path in tmp_path.iterdir()] == ["f"]
    assert (tmp_path / "f").read_bytes() == b"before"


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    with (
        locked(tmp_path / "run", "run"),
        pytest.raises(ValueError, match="run: another process is writing this run"),
        locked(tmp_path / "run", "run"),
    ):
        pass
    with locked(tmp_path / "run", "run"):
        pass


def test_what_a_killed_writer_left_is_removed_by_the_next(tmp_path: Path) -> None:
    (tmp_path / "deeper").mkdir()
    for place in (tmp_path, tmp_path / "deeper"):
        unfinished(place / "a.json").touch()
    with locked(tmp_path, "folder"):
        assert sorted(path.name for path in tmp_path.rglob("*")) == [".lock", "deeper"]


def test_what_others_have_made_stays(tmp_path: Path) -> None:
    """Files with similar names and the targets of links are not removed."""
    mine, elsewhere = tmp_path / "mine", tmp_path / "elsewhere"
    (mine / "project.unfinished").mkdir(parents=True)
    (mine / "thesis.12345678.unfinished").mkdir()
    (mine / "movie.unfinished").touch()
    elsewhere.mkdir()
    (elsewhere / "a.12345678.unfinished").touch()
    (mine / "link").symlink_to(elsewhere)
    before = sorted(tmp_path.rglob("*"))
    with locked(mine, "folder"):
        assert sorted(tmp_path.rglob("*")) == sorted([*before, mine / ".lock"])


def test_files_are_named(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes(b"ab\xff")
    with pytest.raises(DamagedFileError, match="latin: byte 2 is not UTF-8 text"):
        read_text(tmp_path / "latin")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="pipe: is a device, not a file"):
        read_file(tmp_path / "pipe")
    with pytest.raises(ValueError, match="is a folder, not a file"):
        read_file(tmp_path)


def test_what_cannot_be_written_is_found_out_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are written beside their old version, so the folder counts; links and devices are written in place."""
    old, link, nowhere = tmp_path / "old", tmp_path / "link", tmp_path / "nowhere"
    old.touch()
    link.symlink_to("/dev/null")
    nowhere.symlink_to("/dev/null/x")
    for path in (tmp_path / "new", old, tmp_path / "a/b", link, Path("/dev/null")):
        assert out_file(str(path)) == path
    for path in (tmp_path, tmp_path / "a/b"):
        assert out_folder(str(path)) == path
    for name in ("", str(tmp_path)):
        with pytest.raises(ArgumentTypeError, match="is a folder; give a file"):
            out_file(name)
    for check in (out_file, out_folder):
        assert check("./-") == Path("-")
        with pytest.raises(ArgumentTypeError, match="'-' is standard output, which is for messages; give a name"):
            check("-")
        with pytest.raises(
            ArgumentTypeError, match="'/dev/null/x/y' cannot be written: '/dev/null' is not a writable folder"
        ):
            check("/dev/null/x/y")
    with pytest.raises(ArgumentTypeError, match="/nowhere' cannot be written: '/dev/null' is not a writable folder"):
        out_file(str(nowhere))
    locked_up = {tmp_path, link}  # as the tests may run as root, who may write everywhere
    monkeypatch.setattr(os, "access", lambda path, _: path not in locked_up)
    for path in (tmp_path / "new", old, tmp_path / "a/b", link):
        with pytest.raises(ArgumentTypeError, match=f"'{path}' cannot be written"):
            out_file(str(path))
    assert out_file("/dev/null") == Path("/dev/null")
    with pytest.raises(ArgumentTypeError, match="cannot be written"):
        out_folder(str(tmp_path / "a"))
