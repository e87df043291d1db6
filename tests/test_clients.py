"""The clients of examples/clients/ play a match against the engine, over a pipe and over HTTP."""

import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from examples.clients import types_of_schema

ROOT = Path(__file__).parent.parent
CLIENTS = ROOT / "examples/clients"
_NODE = ROOT / ".venv-node"  # kept: the compiler of TypeScript, and what it knows of node
_SAID = re.compile(r"\d+ points to \d+: (not )?won\n")


def test_the_types_are_those_of_the_schema():
    assert types_of_schema.OUT.read_text() == types_of_schema.types()


@pytest.fixture(scope="module")
def compiled(tmp_path_factory) -> Path:
    """The client in JavaScript; every type in it is checked."""
    if not shutil.which("npm"):
        pytest.skip("needs node and npm")
    compiler = _NODE / "node_modules/.bin/tsc"
    if not compiler.exists():
        _NODE.mkdir(exist_ok=True)
        wanted = ["typescript@5", "@types/node@20"]
        subprocess.run(["npm", "install", "--silent", "--no-fund", "--prefix", str(_NODE), *wanted], check=True)
    out = tmp_path_factory.mktemp("compiled")
    options = ["--strict", "--noUncheckedIndexedAccess", "--target", "es2022", "--module", "nodenext"]
    places = ["--types", "node", "--typeRoots", str(_NODE / "node_modules/@types"), "--outDir", str(out)]
    done = subprocess.run([compiler, *options, *places, str(CLIENTS / "client.mts")], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    return out / "client.mjs"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """The address of a web server."""
    pytest.importorskip("starlette")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    command = [
        sys.executable,
        "-m",
        "casino_env.play.web",
        "--port",
        port,
        "--games",
        str(tmp_path_factory.mktemp("games")),
    ]
    with subprocess.Popen([*command, "--hints", "greedy"], cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout and process.stdout.readline().startswith("http")
        yield f"http://127.0.0.1:{port}/api/engine"
        process.terminate()


ENGINE = ["--", sys.executable, "-m", "agents", "serve", "--agent", "greedy"]


@pytest.mark.slow
@pytest.mark.parametrize("over", ["pipe", "http"])
@pytest.mark.parametrize("language", ["python", "typescript"])
def test_a_match(request, language, over):
    there = [request.getfixturevalue("server")] if over == "http" else ENGINE
    if language == "python":
        command = [sys.executable, str(CLIENTS / "client.py"), *(["--url", *there] if over == "http" else there)]
    else:
        command = ["node", str(request.getfixturevalue("compiled")), "swazi", *there]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=500, check=False)
    assert _SAID.fullmatch(done.stdout), done.stderr
