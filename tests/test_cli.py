"""The commands as a user calls them: JSON out, one-line errors, exit codes."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from casino_env.game import Game
from casino_env.record import write_record

ROOT = Path(__file__).parent.parent
POSITION = {"variant": "khasino", "players": 2, "hands": [["AH", "TS"], ["AS", "AD"]],
            "builds": [{"value": 9, "owner": 1, "sets": [["6C", "3D"]]}]}  # fmt: skip


def run(*arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "casino_env", *arguments]
    return subprocess.run(command, input=given, capture_output=True, text=True, cwd=ROOT, check=False)


def refused(done: subprocess.CompletedProcess[str], code: int, message: str) -> None:
    assert done.returncode == code
    assert message in done.stderr and "Traceback" not in done.stderr


def test_help() -> None:
    for command in ("variants", "turns", "perft", "replay", "bench"):
        done = run(command, "--help")
        assert done.returncode == 0 and command in done.stdout


def test_variants() -> None:
    rows = json.loads(run("variants", "--json").stdout)
    assert rows["khasino"]["players"] == [2, 3, 4]
    assert rows["swazi"]["rules"]["2"]["build_limit"] == 1
    assert "south-african" in run("variants").stdout


def test_turns_reads_lines_and_goes_on_after_a_bad_one(tmp_path: Path) -> None:
    lines = [json.dumps(POSITION), "not json", json.dumps(POSITION | {"players": 9}), "", json.dumps(POSITION)]
    done = run("turns", "-", given="\n".join(lines))
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 1 and len(answers) == 4
    assert "error" in answers[1] and "not 9" in answers[2]["error"]
    assert answers[0] == answers[3]
    raised = [turn for turn in answers[0]["turns"] if turn["after"]["builds"][0]["value"] == 10]
    assert raised[0]["actions"] == ["raise 9", "build 10", "card AH", "end"]
    file = tmp_path / "positions.jsonl"
    file.write_text(lines[0])
    done = run("turns", str(file))
    assert done.returncode == 0 and json.loads(done.stdout) == answers[0]


def test_files_that_are_not_there() -> None:
    refused(run("turns", "nowhere.json"), 1, "nowhere.json")
    refused(run("replay", "nowhere.txt"), 1, "nowhere.txt")


def test_usage_errors() -> None:
    refused(run(), 2, "usage")
    refused(run("perft", "--turns", "many"), 2, "usage")
    refused(run("fly"), 2, "no command 'fly'")


@pytest.mark.slow
def test_perft() -> None:
    done = run("perft", "--variant", "cassino", "--players", "2", "--seed", "1", "--turns", "2", "--json")
    answer: dict[str, Any] = json.loads(done.stdout)
    assert answer["count"] > 10 and answer["variant"] == "cassino"
    refused(run("perft", "--variant", "cassina"), 1, "did you mean 'cassino'")
    refused(run("perft", "--variant", "cassino", "--players", "7"), 1, "not 7")
    refused(run("perft", "--turns", "-1"), 1, "--turns -1")


def test_replay() -> None:
    game = Game("khasino", 3, seed=4)
    while not game.over:
        game.apply(game.legal()[-1])
    text = write_record(4, game)
    shown = run("replay", "-", given=text)
    assert shown.returncode == 0 and "big ten" in shown.stdout and "seat 0" in shown.stdout
    data = json.loads(run("replay", "-", "--json", given=text).stdout)
    assert data["over"] and data["scores"] == game.scores() and len(data["steps"]) == len(game.log)
    refused(run("replay", "-", given="nonsense"), 1, "line 1")


@pytest.mark.slow
def test_bench() -> None:
    data = json.loads(run("bench", "--seconds", "0.2", "--json").stdout)
    assert data["kernel"] > 0 and data["game"] > 0 and data["record_bytes"] <= 512 and data["cores"] >= 1
    assert data["decisions_per_turn"] < 2 and len(data["presets"]) > 30
    faces = ("kernel", "vector_1", "vector_all", "vector_indices_1", "game", "game_apply", "aec", "aec_raw", "gym")
    assert all(data[face] > 0 for face in faces) and set(data["ratios"]) == set(faces)
    assert data["ratios"]["vector_1"] == 1 and data["vector_1"] > data["aec_raw"]
    refused(run("bench", "--seconds", "0"), 1, "--seconds")
