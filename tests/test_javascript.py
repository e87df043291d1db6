"""The package for JavaScript against Python: its own tests, and the same answers (both_engines.py)."""

import json
import shutil
import subprocess

import pytest

from casino_env.actions import ACTIONS, action_text
from tests import both_engines
from tests.both_engines import PACKAGE

pytestmark = pytest.mark.skipif(not both_engines.BUILT, reason="no node, or no casino compile --target wasm32")


def run(*words: str) -> str:
    done = subprocess.run(["node", *words], cwd=PACKAGE, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
    return done.stdout


@pytest.mark.slow
def test_of_its_own() -> None:
    run("--test", "tests/")


def test_types_and_style() -> None:
    if not (PACKAGE / "node_modules").is_dir():
        pytest.skip("npm install has not been run")
    for tool in (["tsc"], ["eslint", "."]):
        done = subprocess.run(
            [shutil.which("npx") or "npx", *tool], cwd=PACKAGE, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout[-3000:]


def test_same_catalogue() -> None:
    code = "console.log(JSON.stringify(Array.from({length: ACTIONS}, (_, i) => actionText(i))))"
    imported = "import { ACTIONS, actionText } from './src/actions.js'; "
    assert json.loads(run("--input-type=module", "-e", imported + code)) == [
        action_text(action) for action in range(ACTIONS)
    ]


def test_same_deals() -> None:
    assert both_engines.play_deals(40, seed=3, say=lambda _: None) > 1000


def test_same_records() -> None:
    both_engines.rewrite(40, seed=3)


def test_same_refusals() -> None:
    """Nothing that one lets in is refused by the other, and the words are the same but for values shown in them."""
    let_in, other = both_engines.hostile(400, seed=4)
    assert let_in < 100
    assert other < 80
    assert both_engines.spoilt_bytes(300, seed=4) > 100
    assert both_engines.spoilt_records(200, seed=4) > 100
