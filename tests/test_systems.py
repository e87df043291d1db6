"""Commands run without what macOS and Windows lack, which one module alone asks for (tests/systems)."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from casino_env.machine import cores, memory, words_of

ROOT = Path(__file__).parents[1]
SYSTEMS = ("darwin", "win32")


@pytest.fixture(params=SYSTEMS)
def system(request):
    """Return a function that runs a command there and returns (exit code, all that it wrote)."""

    def run(*words, folder=ROOT):
        where = {"SIM": request.param, "PYTHONPATH": f"{ROOT / 'tests/systems'}{os.pathsep}{ROOT}"}
        command = [sys.executable, "-m", "casino_env", *map(str, words)]
        done = subprocess.run(command, cwd=folder, env=os.environ | where, capture_output=True, text=True, timeout=300)
        return done.returncode, done.stdout + done.stderr

    return run


def test_the_machine():
    assert 1 <= cores() <= (os.cpu_count() or 1) and memory() > 2**28
    assert words_of("python 'my bot.py' -x") == ["python", "my bot.py", "-x"]


def test_a_match_with_workers_and_a_program(system):
    code, said = system("evaluate", "match", "policy:south-african-2", "counter", "--deals", 20, "--threads", 2)
    assert code == 0 and "points a deal" in said, said
    bot = f"process:{sys.executable} {ROOT / 'examples/foreign_bot.py'}"
    code, said = system("evaluate", "match", bot, "random", "--variant", "mini", "--deals", 4)
    assert code == 0 and "points a deal" in said, said


ENCODINGS = {"cp1252": {"PYTHONIOENCODING": "cp1252"}, "ASCII": {"LC_ALL": "C", "PYTHONUTF8": "0"}}
SHOWN = {"cp1252": rb"bot \u03a9.py", "ASCII": "bot Ω.py".encode()}


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_names_that_an_encoding_lacks(encoding, tmp_path):
    """Run a program whose name no Windows terminal can show, in a folder with blanks and umlauts."""
    folder = tmp_path / "Karten spielen, ü Ω"
    folder.mkdir()
    shutil.copy(ROOT / "examples/foreign_bot.py", folder / "bot Ω.py")
    words = ["evaluate", "match", f"process:{sys.executable} 'bot Ω.py'", "random", "--variant", "mini", "--deals", "2"]
    where = os.environ | ENCODINGS[encoding] | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "casino_env", *words, "--out", "Ergebnis ä.db"]
    for _ in ("played", "found again"):
        done = subprocess.run(command, cwd=folder, env=where, capture_output=True, timeout=300)
        assert done.returncode == 0 and SHOWN[encoding] in done.stdout, done
    assert "bot Ω.py".encode() in (folder / "Ergebnis ä.db").read_bytes()


COMMANDS = {
    "": "",
    "env": "variants turns perft replay observation bench compile library examples",
    "agents": "list move serve export",
    "evaluate": "match tournament baseline style regret report seeds",
    "train": "distil exploit opponents ablate",
    "play": "",
}


@pytest.mark.slow
def test_every_help(system):
    for part, commands in COMMANDS.items():
        for words in ([part], *([part, command] for command in commands.split())):
            code, said = system(*filter(None, words), "--help")
            assert code == 0 and "usage" in said, (words, said)


@pytest.mark.slow
def test_a_training_of_seconds(system, tmp_path):
    code, said = system("train", "--set", "run.decisions=4000", "--set", "run.panel=[]", "--deals", 2, folder=tmp_path)
    assert code == 0, said
    code, said = system("agents", "export", "policy:runs/south-african-2-seed0", "--to", "ours.onnx", folder=tmp_path)
    assert "Traceback" not in said, said


@pytest.mark.slow
@pytest.mark.timeout(1800)  # at the first run zig builds its library for Windows
@pytest.mark.skipif(not shutil.which("wine"), reason="wine is not here")
def test_golden_deals_as_windows_plays_them():
    words = [sys.executable, "-m", "tests.golden_elsewhere", "windows-x86_64"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.count("by wine: ") == 2, done.stdout + done.stderr
