"""The commands as a user calls them: JSON output, one-line errors, exit codes."""

import io
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from casino_env import env_commands, turns
from casino_env.actions import action_text
from casino_env.cli import ENV_COMMANDS, printable
from casino_env.game import Game
from casino_env.record import write_record

ROOT = Path(__file__).parent.parent
POSITION = {"variant": "khasino", "players": 2, "hands": [["AH", "TS"], ["AS", "AD"]],
            "builds": [{"value": 9, "owner": 1, "sets": [["6C", "3D"]]}]}  # fmt: skip


def refused(done, code, message):
    assert done.code == code and message in done.err


def test_env_may_be_left_out(casino):
    """The help of `casino`, the commands of `env` and docs/commands.md name the same commands."""
    rows = (ROOT / "docs/commands.md").read_text().split("| `casino env ...` |")[1].split("\n\n")[0]
    assert set(re.findall(r"^\| `([\w-]+)", rows, re.MULTILINE)) == {*ENV_COMMANDS}
    assert ", ".join(ENV_COMMANDS) in casino("--help").out
    for command in ENV_COMMANDS:
        assert casino(command, "--help").out == casino("env", command, "--help").out != ""


def test_variants(casino):
    rows = json.loads(casino("variants", "--json").out)
    assert rows["khasino"]["players"] == [2, 3, 4]
    assert rows["swazi"]["rules"]["2"]["build_limit"] == 1
    assert "south-african" in casino("variants").out


def test_turns_reads_lines_and_goes_on_after_a_bad_one(casino, tmp_path):
    lines = [json.dumps(POSITION), "not json", json.dumps(POSITION | {"players": 9}), "", json.dumps(POSITION)]
    done = casino("turns", "-", given="\n".join(lines))
    answers = [json.loads(line) for line in done.out.splitlines()]
    assert done.code == 1 and len(answers) == 4
    assert "error" in answers[1] and "not 9" in answers[2]["error"]
    assert answers[0] == answers[3]
    raised = [turn for turn in answers[0]["turns"] if turn["after"]["builds"][0]["value"] == 10]
    assert raised[0]["actions"] == ["raise 9", "build 10", "card AH", "end"]
    file = tmp_path / "positions.jsonl"
    file.write_text(f"\ufeff{lines[0]}")  # a byte-order mark is accepted
    done = casino("turns", str(file))
    assert done.code == 0 and json.loads(done.out) == answers[0]


def test_the_project_behaves_as_its_signature_says(casino):
    """After an intended change: casino env golden --json > tests/signature.json, and say why in the commit message."""
    found = json.loads(casino("golden", "--json").out)
    assert found == json.loads((ROOT / "tests/signature.json").read_text())
    assert casino("golden").out == found["signature"] + "\n"


def test_examples_are_written_out_and_nothing_is_replaced(casino, tmp_path):
    folder = tmp_path / "new"
    assert "files written" in casino("env", "examples", folder).out
    written = {path.relative_to(folder): path for path in folder.rglob("*") if path.is_file()}
    assert {Path("measured.py"), Path("clients/client.py")} <= written.keys()
    assert all(path.read_bytes() == (env_commands.EXAMPLES / name).read_bytes() for name, path in written.items())
    # A second call writes only missing files, and nothing if a file there differs.
    written[Path("measured.py")].unlink()
    assert ": 1 files written" in casino("env", "examples", folder).out
    written[Path("measured.py")].unlink()
    written[Path("vector_loop.py")].write_text("mine")
    refused(casino("env", "examples", folder), 1, "vector_loop.py: already exists and differs")
    assert not written[Path("measured.py")].exists() and written[Path("vector_loop.py")].read_text() == "mine"


@pytest.mark.parametrize("name", ["clients", "vector_loop.py", "whist"])
@pytest.mark.parametrize("leads_to", ["outside", "nowhere"])
def test_examples_are_written_through_no_link(casino, tmp_path, name, leads_to):
    folder = tmp_path / "new"
    folder.mkdir()
    (tmp_path / "outside").mkdir()
    (folder / name).symlink_to(tmp_path / leads_to)
    if name == "whist":  # no example has this name
        assert casino("env", "examples", folder).code == 0
    else:
        done = casino("env", "examples", folder)
        refused(done, 1, ": a link leads out of the folder; nothing was written")
        assert str(folder / name) in done.err
        assert [path.name for path in folder.iterdir()] == [name]
    assert not [*(tmp_path / "outside").iterdir()]


def test_examples_stop_at_a_file_in_the_way_before_they_write(casino, tmp_path):
    (tmp_path / "whole").mkdir()
    (tmp_path / "whole/clients").write_text("mine")
    refused(casino("env", "examples", tmp_path / "whole"), 1, "clients: is a file, not a folder; nothing was written")
    assert [path.name for path in (tmp_path / "whole").iterdir()] == ["clients"]


def test_files_that_are_not_there(casino):
    refused(casino("turns", "nowhere.json"), 1, "casino_env: nowhere.json: no such file or folder")
    refused(casino("replay", "nowhere.txt"), 1, "casino_env: nowhere.txt: no such file or folder")


@pytest.mark.parametrize(
    "command", [["-m", "casino_env"], [str(Path(sys.executable).with_name("casino"))]], ids=("-m", "casino")
)
def test_ctrl_c_while_the_command_is_loaded_says_nothing(command, tmp_path):
    """Ctrl-C arrives while the first package (numpy) is imported."""
    (tmp_path / "numpy.py").write_text("import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(60)\n")
    words, variables = [sys.executable, *command, "variants"], os.environ | {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run(words, env=variables, capture_output=True, text=True, timeout=50, check=False)
    assert done.returncode == -signal.SIGINT and done.stdout + done.stderr == ""


def test_the_help_is_there_before_any_package():
    words, variables = [sys.executable, "-m", "casino_env", "--help"], os.environ | {"PYTHONPROFILEIMPORTTIME": "1"}
    done = subprocess.run(words, env=variables, capture_output=True, text=True, check=True)
    assert "usage: casino" in done.stdout and "casino_env.cli" in done.stderr
    assert not re.search(r"\b(numpy|gymnasium|casino_env.rules)\b", done.stderr)


def test_usage_errors(casino):
    refused(casino(), 2, "usage")
    refused(casino("perft", "--turns", "many"), 2, "usage")
    refused(casino("fly"), 2, "unknown command 'fly'")


@pytest.mark.slow
def test_perft(casino):
    done = casino("perft", "--variant", "cassino", "--players", "2", "--seed", "1", "--turns", "2", "--json")
    answer: dict[str, Any] = json.loads(done.out)
    assert answer["count"] > 10 and answer["variant"] == "cassino"
    refused(casino("perft", "--variant", "cassina"), 1, "did you mean 'cassino'")
    refused(casino("perft", "--variant", "cassino", "--players", "7"), 1, "not 7")
    refused(casino("perft", "--turns", "-1"), 1, "--turns -1")


def test_perft_says_how_far_it_is_where_somebody_watches_and_ctrl_c_ends_it(casino, monkeypatch):
    screen = io.StringIO()
    monkeypatch.setattr(sys, "stderr", screen)
    words = ("perft", "--variant", "mini", "--turns", "2")
    found = casino(*words)
    assert found.code == 0 and screen.getvalue() == ""  # no terminal
    monkeypatch.setattr(screen, "isatty", lambda: True, raising=False)
    assert casino(*words) == found
    lines = [line.rstrip() for line in screen.getvalue().split("\r")]
    assert lines[0] == "turn 1: 0 of 1 positions, 0 results" and lines[-2:] == ["", ""]
    assert re.fullmatch(r"turn 2: 0 of (\d+) positions, 0 results", lines[1])

    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(turns, "find_turns", interrupted)
    assert casino(*words).code == 1 and screen.getvalue().endswith(" \rcasino_env: interrupted\n")


def test_replay(casino):
    game = Game("khasino", 3, seed=4)
    while not game.over:
        game.apply(game.legal()[-1])
    text = write_record(4, game)
    shown = casino("replay", "-", given=text)
    lines = shown.out.splitlines()
    assert (
        shown.code == 0 and sum("khasino, 3 players" in line for line in lines) == text.split("\n\n")[1].count("\n") + 1
    )
    assert [line for line in lines if line.startswith("  seat ") and "hand" not in line] == [
        f"  seat {seat}: {action_text(action)}" for seat, action, _ in game.log
    ]
    points = [f"  {name:<16} " + "  ".join(f"{each:>3}" for each in row) for name, row in game.breakdown().items()]
    assert lines[-len(points) :] == points and lines[0] == str(Game("khasino", 3, seed=4)).splitlines()[0]
    data = json.loads(casino("replay", "-", "--json", given=text).out)
    assert data["over"] and data["scores"] == game.scores() and len(data["steps"]) == len(game.log)
    refused(casino("replay", "-", given="nonsense"), 1, "line 1")
    refused(casino("replay", "-", given=text.replace("\n0: ", "\n1: ", 1)), 1, "seat 0 decides here")
    assert casino("replay", "-", given=f"\ufeff{text}").out == shown.out


@pytest.mark.slow
def test_bench(casino):
    data = json.loads(casino("bench", "--seconds", "0.2", "--json").out)
    assert data["kernel"] > 0 and data["game"] > 0 and data["record_bytes"] <= 512 and data["cores"] >= 1
    assert data["decisions_per_turn"] < 2 and len(data["presets"]) > 30
    faces = "kernel vector_1 vector_all vector_indices_1 vector_bits_1 game game_apply aec aec_raw gym afterstates"
    assert all(data[face] > 0 for face in faces.split()) and set(data["ratios"]) == set(faces.split())
    assert data["ratios"]["vector_1"] == 1 and data["vector_1"] > data["aec_raw"]
    refused(casino("bench", "--seconds", "0"), 1, "--seconds")
    refused(casino("bench", "--opponents", "--seconds", "0"), 1, "--seconds")
    costs = json.loads(casino("bench", "--opponents", "--seconds", "0.01", "--json").out)
    assert set(costs) >= {"random", "counter", "search:sims=8"} and costs["random"] > costs["search:sims=8"] > 0


def test_what_a_file_is_called_commands_no_terminal(casino):
    for words in (["evaluate", "report"], ["replay"], ["train"]):
        done = casino(*words, "z\x1b[31mb\nx.toml")
        assert done.code in (1, 2) and "\x1b" not in done.err and done.err.count("\n") == 1, words
    assert printable("é\x07\u202e") == "é\\x07\\u202e"


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_streams_that_are_closed_lead_nowhere(closed):
    for words, code in (("variants", 0), ("turns -", 0), ("turns nowhere.json", 1)):
        done = subprocess.run(
            ["sh", "-c", f"exec {sys.executable} -m casino_env {words} {closed}"], stdin=subprocess.DEVNULL,
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == code and "Traceback" not in done.stderr, (words, done.stderr)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is always full")
@pytest.mark.parametrize("words", ["variants", "--help", "perft --help"])
def test_a_reader_that_goes_ends_a_command_and_a_full_disk_is_told(words):
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    for goal, code, said in (("| exec true", 0, 0), ("> /dev/full", 1, 1), ("2>&1 | exec true", 0, 0)):
        script = f"({sys.executable} -m casino_env {words}; echo $? >&3) {goal}"
        done = subprocess.run(
            ["bash", "-c", f"{{ {script}; }} 3>&1"], env=variables, capture_output=True, text=True, check=False
        )
        assert int(done.stdout) == code and done.stderr.count("\n") == said, (goal, done.stderr)
