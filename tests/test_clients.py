"""The clients in examples/clients/ play a match against the engine over a pipe."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from examples.clients import types_of_schema

ROOT = Path(__file__).parent.parent
CLIENTS = ROOT / "examples/clients"
_NODE = ROOT / ".venv-node"  # cache of the TypeScript compiler and Node's types
_SAID = re.compile(r"\d+ points to \d+: (not )?won\n")


def test_the_types_are_those_of_the_schema():
    assert types_of_schema.OUT.read_text() == types_of_schema.types()


@pytest.fixture(scope="module")
def compiled(tmp_path_factory) -> Path:
    """Compile the TypeScript client to JavaScript with strict type checks."""
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


ENGINE = ["--", sys.executable, "-m", "agents", "serve", "--agent", "greedy"]


@pytest.mark.slow
@pytest.mark.parametrize("language", ["python", "typescript"])
def test_a_match(request, language):
    if language == "python":
        command = [sys.executable, str(CLIENTS / "client.py"), *ENGINE]
    else:
        command = ["node", str(request.getfixturevalue("compiled")), "swazi", *ENGINE]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=500, check=False)
    assert _SAID.fullmatch(done.stdout), done.stderr
