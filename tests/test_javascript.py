"""The JavaScript package: its own tests, the same answers as Python (same.py), its documentation and its apps."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from casino_env.aot.wasm import facts
from casino_env.game import Game
from casino_env.record import replay
from tests import same
from tests.same import BUILT, PACKAGE
from tests.test_game import GOOD, WRONG_KINDS, wrong_records

ROOT = Path(__file__).parents[1]
BLOCKS = re.findall(r"```js\n(.*?)```", (ROOT / "docs/javascript.md").read_text(), re.DOTALL)
ALL_BLOCKS = ("node", "--input-type=module", "-e", "\n".join(BLOCKS))  # all blocks as one program
pytestmark = pytest.mark.skipif(not BUILT, reason="no node, or no casino compile --target wasm32")


def called(*words: str, folder: Path = PACKAGE) -> subprocess.CompletedProcess[str]:
    program = shutil.which(words[0]) or words[0]
    return subprocess.run([program, *words[1:]], cwd=folder, capture_output=True, text=True, check=False)


def run(*words: str, folder: Path = PACKAGE) -> str:
    done = called(*words, folder=folder)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
    return done.stdout


@pytest.mark.slow
def test_of_its_own() -> None:
    run("node", "--test", "tests/", "../../play/web/tests/")


def test_types_and_style() -> None:
    if not (PACKAGE / "node_modules").is_dir():
        pytest.skip("npm install has not been run")
    for tool in (["tsc"], ["eslint", "."]):
        run("npx", *tool)


def test_what_was_made_is_of_the_sources_as_they_are() -> None:
    """If this fails, run `make wasm`."""
    kept = json.loads((PACKAGE / "dist/facts.json").read_text())
    now = json.loads(json.dumps(facts({f"casino_env.{name}": dict(row) for name, row in kept["entries"].items()})))
    for part in ("records", "tuples", "switches", "policies"):
        assert now[part] == kept[part], part
    assert {name: now["constants"][name] for name in kept["constants"]} == kept["constants"]


@pytest.fixture
def other() -> Iterator[same.Other]:
    with same.Other() as program:
        yield program


def test_the_same_deals(other: same.Other) -> None:
    other.compare(same.tables())
    assert other.compare(same.deals(40, seed=3))["same"] == 40


def test_the_same_refusals(other: same.Other) -> None:
    """Both refuse the same inputs; messages differ only where they show a value."""
    found = other.compare(same.inputs(400, seed=4))
    assert found["same"] > 100 and found["refused"] > 150
    assert found["worded"] < 0.15 * found["refused"]


def test_the_same_words_for_wrong_records_and_kinds(other: same.Other) -> None:
    asked = list[tuple[same.Data, Any]]()
    for text, _ in wrong_records():
        asked.append(({"do": "record", "text": text}, same.or_error(partial(replay, text))))
    for data in (GOOD | change for change in WRONG_KINDS):
        asked.append(({"do": "position", "position": data}, same.or_error(partial(Game.from_json, data))))
    found = other.compare(iter(asked))
    shown = sum(value is None or value is False for change in WRONG_KINDS for value in change.values())
    assert found["refused"] == len(asked) and found["worded"] < shown  # None and False are null and false there


def test_the_same_settings(other: same.Other) -> None:
    found = other.compare(same.settings(200, seed=5))
    assert found["same"] > 80 and found["refused"] > 60


@pytest.mark.parametrize("kind", ["greedy", "policy:khasino-2", "search:", "solved:"])
def test_the_same_decisions_of_an_agent(other: same.Other, kind: str) -> None:
    found = other.compare(same.decisions([each for each in same.kinds_of_agents() if each[0].startswith(kind)][:2], 5))
    assert found["same"] > 15 and found["other"] <= 1


@pytest.mark.slow
def test_the_same_decisions_of_all_agents(other: same.Other) -> None:
    """32-bit sums may tip a choice between values that are nearly equal."""
    found = other.compare(same.decisions(same.kinds_of_agents(), 1))
    assert found["same"] > 5000 and found["other"] < found["same"] / 1000


def test_the_same_verdicts(other: same.Other) -> None:
    assert other.compare(same.verdicts(5))["same"] == 19


# --- the page of the documentation, and its apps ----------------------------------------------------------------------


def test_the_blocks_of_the_page() -> None:
    said = run(*ALL_BLOCKS)
    assert "unknown rule 'sweep' (did you mean 'sweeps'?)" in said
    assert said.endswith("true variant: khasino\n")


def test_a_match() -> None:
    words = ["policy:khasino-2", "counter", "6"]
    assert re.fullmatch(r"policy:khasino-2 over counter: -?\d.*\(6 pairs\)\n", run("node", "examples/match.js", *words))


@pytest.mark.parametrize("words", [("nobody", "counter", "6"), ("greedy", "counter", "1")])
def test_a_match_that_cannot_be_is_refused_in_a_line(words: tuple[str, ...]) -> None:
    done = called("node", "examples/match.js", *words)
    assert done.returncode == 1 and not done.stdout
    assert done.stderr.startswith("match: ") and done.stderr.count("\n") == 1


@pytest.mark.slow
def test_as_it_is_packed(tmp_path: Path) -> None:
    """The package that npm pack makes plays where it is installed."""
    if not (PACKAGE / "node_modules").is_dir():
        pytest.skip("npm install has not been run")
    run("npm", "pack", "--silent", "--pack-destination", str(tmp_path))
    (tmp_path / "package.json").write_text('{"type": "module", "private": true}')
    install = ("npm", "install", "--silent", "--no-audit", "--no-fund")
    run(*install, str(next(tmp_path.glob("*.tgz"))), folder=tmp_path)
    run(*ALL_BLOCKS, folder=tmp_path)


@pytest.fixture
def browsing() -> Iterator[Any]:
    """Serve the checkout and yield a new page of a browser."""
    pytest.importorskip("playwright.sync_api")
    from tests.page_browser import CHROMIUM, chromium, hosting

    if CHROMIUM is None:
        pytest.skip("needs a browser: apt-get install chromium")
    with hosting(ROOT) as home, chromium() as browser:
        yield browser.new_page(base_url=home)


@pytest.mark.slow
def test_golden_deals_in_a_browser(browsing: Any) -> None:
    browsing.goto("docs/")
    found = browsing.evaluate("import('/packages/casino/tests/golden.js').then((golden) => golden.digests())")
    assert found == json.loads((ROOT / "tests/golden.json").read_text())


@pytest.mark.slow
def test_the_page(browsing: Any) -> None:
    """Play a whole deal with its buttons."""
    wrong: list[str] = []
    browsing.on("pageerror", lambda error: wrong.append(str(error)))
    browsing.goto("packages/casino/examples/page.html?seed=3")
    for _ in range(60):
        ready = "document.querySelector('#turns button') || /over/.test(said.textContent)"
        browsing.wait_for_function(ready, timeout=60_000)
        if "over" in browsing.locator("#said").inner_text():
            break
        browsing.locator("#turns button").first.click()
    assert browsing.locator("#said").inner_text() == "The deal is over."
    assert wrong == []
