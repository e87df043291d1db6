"""Conformance vectors: made again they are those that are shipped, and a file says what it was made of."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from casino_env import conformance
from casino_env.env_commands import main
from casino_env.golden import tables

SHIPPED = Path(__file__).parents[1] / "packages/casino/conformance.jsonl.gz"
Data = dict[str, Any]


def test_what_is_shipped_is_made_of_these_sources() -> None:
    """Else: casino env conformance packages/casino/conformance.jsonl.gz"""
    shipped = [json.loads(line) for line in gzip.decompress(SHIPPED.read_bytes()).splitlines()]
    assert shipped == json.loads(json.dumps(list(conformance.lines(10, 0))))
    assert {row["table"] for row in shipped[1:]} == set(tables())
    assert SHIPPED.stat().st_size < 300_000


def test_they_show_the_middle_of_turns_the_end_and_what_is_told() -> None:
    rows = list(conformance.lines(10, 0))[1:]
    assert sum("turn" in row["position"] for row in rows) > 100
    assert any(not row["legal"] for row in rows)
    told = {key for row in rows for after in row["after"] for key in after["told"]}
    assert told == {"dealt", "tops", "owner", "take_build"}


@pytest.mark.parametrize("name", ["vectors.jsonl", "vectors.jsonl.gz"])
def test_a_file_agrees_until_it_is_changed(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / name
    assert main(["conformance", str(path), "--count", "1", "--seed", "3"]) == 0
    assert main(["conformance", str(path), "--check"]) == 0
    assert f"{len(tables())} of {len(tables())} vectors" in capsys.readouterr().out
    rows = list(conformance.lines(1, 3))
    rows[2]["scores"][0] += 1
    del rows[4]["view"]
    text = "".join(json.dumps(row) + "\n" for row in rows).encode()
    path.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    assert main(["conformance", str(path), "--check"]) == 1
    assert "\n  line 3\n  line 5\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "must begin with a line that says conformance: 1"),
        (b'{"conformance": 2}\n', "must begin with a line that says conformance: 1"),
        (b'{"conformance": 1}\nnonsense\n', "line 2"),
        (b"\xff", "UTF-8"),
    ],
)
def test_files_that_are_none(data: bytes, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "vectors.jsonl"
    path.write_bytes(data)
    assert main(["conformance", str(path), "--check"]) == 1
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1
    path = tmp_path / "vectors.jsonl.gz"
    path.write_bytes(gzip.compress(b"{}")[:-4])
    assert main(["conformance", str(path), "--check"]) == 1
    assert "not a whole gzip file" in capsys.readouterr().err


def test_a_count_that_cannot_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conformance", str(tmp_path / "vectors.jsonl"), "--count", "0"]) == 1
    assert "--count 0: must be 1 or more" in capsys.readouterr().err
