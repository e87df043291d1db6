"""The commands as a user calls them: JSON out, one-line errors, exit codes."""

import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from casino_env.cli import main
from casino_env.game import Game
from casino_env.record import write_record

POSITION = {"variant": "khasino", "players": 2, "hands": [["AH", "TS"], ["AS", "AD"]],
            "builds": [{"value": 9, "owner": 1, "sets": [["6C", "3D"]]}]}  # fmt: skip


@dataclass(frozen=True)
class Done:
    code: object
    out: str
    err: str


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Done]:
    """A command in this process, and what it was given on its standard input."""

    def call(*arguments: str, given: str = "") -> Done:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given.encode())))
        try:
            code: object = main(list(arguments))
        except SystemExit as stop:  # argparse
            code = stop.code
        return Done(code, *capfd.readouterr())

    return call


def refused(done: Done, code: int, message: str) -> None:
    assert done.code == code
    assert message in done.err and "Traceback" not in done.err


def test_help(run: Callable[..., Done]) -> None:
    for command in ("variants", "turns", "perft", "replay", "bench"):
        done = run(command, "--help")
        assert done.code == 0 and command in done.out


def test_variants(run: Callable[..., Done]) -> None:
    rows = json.loads(run("variants", "--json").out)
    assert rows["khasino"]["players"] == [2, 3, 4]
    assert rows["swazi"]["rules"]["2"]["build_limit"] == 1
    assert "south-african" in run("variants").out


def test_turns_reads_lines_and_goes_on_after_a_bad_one(run: Callable[..., Done], tmp_path: Path) -> None:
    lines = [json.dumps(POSITION), "not json", json.dumps(POSITION | {"players": 9}), "", json.dumps(POSITION)]
    done = run("turns", "-", given="\n".join(lines))
    answers = [json.loads(line) for line in done.out.splitlines()]
    assert done.code == 1 and len(answers) == 4
    assert "error" in answers[1] and "not 9" in answers[2]["error"]
    assert answers[0] == answers[3]
    raised = [turn for turn in answers[0]["turns"] if turn["after"]["builds"][0]["value"] == 10]
    assert raised[0]["actions"] == ["raise 9", "build 10", "card AH", "end"]
    file = tmp_path / "positions.jsonl"
    file.write_text(lines[0])
    done = run("turns", str(file))
    assert done.code == 0 and json.loads(done.out) == answers[0]


def test_files_that_are_not_there(run: Callable[..., Done]) -> None:
    refused(run("turns", "nowhere.json"), 1, "nowhere.json")
    refused(run("replay", "nowhere.txt"), 1, "nowhere.txt")


def test_usage_errors(run: Callable[..., Done]) -> None:
    refused(run(), 2, "usage")
    refused(run("perft", "--turns", "many"), 2, "usage")
    refused(run("fly"), 2, "no command 'fly'")


@pytest.mark.slow
def test_perft(run: Callable[..., Done]) -> None:
    done = run("perft", "--variant", "cassino", "--players", "2", "--seed", "1", "--turns", "2", "--json")
    answer: dict[str, Any] = json.loads(done.out)
    assert answer["count"] > 10 and answer["variant"] == "cassino"
    refused(run("perft", "--variant", "cassina"), 1, "did you mean 'cassino'")
    refused(run("perft", "--variant", "cassino", "--players", "7"), 1, "not 7")
    refused(run("perft", "--turns", "-1"), 1, "--turns -1")


def test_replay(run: Callable[..., Done]) -> None:
    game = Game("khasino", 3, seed=4)
    while not game.over:
        game.apply(game.legal()[-1])
    text = write_record(4, game)
    shown = run("replay", "-", given=text)
    assert shown.code == 0 and "big ten" in shown.out and "seat 0" in shown.out
    data = json.loads(run("replay", "-", "--json", given=text).out)
    assert data["over"] and data["scores"] == game.scores() and len(data["steps"]) == len(game.log)
    refused(run("replay", "-", given="nonsense"), 1, "line 1")


@pytest.mark.slow
def test_bench(run: Callable[..., Done]) -> None:
    data = json.loads(run("bench", "--seconds", "0.2", "--json").out)
    assert data["kernel"] > 0 and data["game"] > 0 and data["record_bytes"] <= 512 and data["cores"] >= 1
    assert data["decisions_per_turn"] < 2 and len(data["presets"]) > 30
    faces = ("kernel", "vector_1", "vector_all", "vector_indices_1", "game", "game_apply", "aec", "aec_raw", "gym")
    assert all(data[face] > 0 for face in faces) and set(data["ratios"]) == set(faces)
    assert data["ratios"]["vector_1"] == 1 and data["vector_1"] > data["aec_raw"]
    refused(run("bench", "--seconds", "0"), 1, "--seconds")
