"""The agents of the package for JavaScript choose as those of Python do, and can be their opponents."""

import json
import subprocess
from pathlib import Path

import pytest

from casino_env.evaluate.cli import main
from tests import both_engines
from tests.choices import positions

pytestmark = pytest.mark.skipif(not both_engines.BUILT, reason="no node, or no casino compile --target wasm32")


@pytest.mark.slow
def test_same_choices(tmp_path: Path) -> None:
    file = tmp_path / "positions.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in positions(400)))
    command = ["node", str(both_engines.PACKAGE / "tests/choices.js"), str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert json.loads(done.stdout)["same"] > 400


def test_a_match_of_both(capsys: pytest.CaptureFixture[str]) -> None:
    """The same deals for a bot of either: neither is ahead."""
    words = ["match", "tests.in_node:Player:spec=greedy", "greedy", "--deals", "4", "--threads", "1", "--json"]
    assert main(words) in (0, None)
    assert "greedy" in capsys.readouterr().out
