"""A policy trained under custom rules, sent as one file: it plays in Python, node, C and on the page."""

import json
import subprocess
from pathlib import Path
from random import Random

import pytest

from casino_env import Game, make_rules, observe
from casino_env.actions import action_text
from casino_env.agents.cli import main as agents
from casino_env.agents.registry import make_agent
from casino_env.compiler import library
from casino_env.play.cli import guests
from casino_env.play.cli import main as play
from casino_env.play.web.serving import serve_page
from casino_env.train.cli import main as train
from tests import page_browser as pages
from tests.page_browser import ROOT
from tests.same_in_c import compiled

pytestmark = [pytest.mark.slow, pytest.mark.skipif(library.MODE == "jit", reason="there is no library")]
CHANGES = {"insist_capture": "never", "insist_augment": "never"}
RULES = make_rules("khasino", 2, **CHANGES)
_NODE = """
import { Game, loadKernels, makeAgent, observe, usePolicies } from "SRC/index.js";
import { readFileSync } from "node:fs";
await loadKernels();
usePolicies(new URL("FOLDER/"));
const games = JSON.parse(readFileSync(0, "utf8")), agent = await makeAgent("policy:mine.policy"), found = [];
for (const data of games) {
  const game = Game.fromJson(data);
  agent.reset(game.seat, 1n);
  found.push(await agent.act(observe(game)));
}
console.log(JSON.stringify(found));
"""


@pytest.fixture(scope="module")
def mine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Train for some seconds and return the packed file."""
    place = tmp_path_factory.mktemp("mine")
    settings = {
        "game.variant": "khasino",
        "game.players": "2",
        "run.decisions": "2000",
        "run.deals": "2",
        "run.name": "run",
    }
    settings |= {f"game.rules.{name}": value for name, value in CHANGES.items()}
    words = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
    assert train([*words, "--runs", str(place), "--deals", "2"]) == 0
    assert agents(["pack", f"policy:{place / 'run'}", str(place / "mine.policy")]) == 0
    return place / "mine.policy"


@pytest.fixture(scope="module")
def told(mine: Path) -> list[tuple[Game, int]]:
    """Return games, and the action that the policy plays in each of them in Python."""
    agent, found = make_agent(f"policy:{mine}"), []
    for seed in range(8):
        game = Game(RULES, seed=seed)
        while not game.over and len(game.log) < 3 * seed:
            game.apply(game.legal()[0])
        found.append((game, agent.act(observe(game))))
    return found


def test_in_node(mine: Path, told: list[tuple[Game, int]]) -> None:
    code = _NODE.replace("SRC", (ROOT / "packages/casino/src").as_uri()).replace("FOLDER", mine.parent.as_uri())
    asked = json.dumps([game.to_json() for game, _ in told])
    words = ["node", "--input-type=module", "-e", code]
    done = subprocess.run(words, input=asked, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [action for _, action in told]


def test_in_c(mine: Path, told: list[tuple[Game, int]], tmp_path: Path) -> None:
    """One command exports the file for C; it contains the rules."""
    assert agents(["export", f"policy:{mine}", str(tmp_path / "mine.casino")]) == 0
    program = compiled(ROOT / "examples/position.c", tmp_path / "position")
    for game, action in told:
        words, asked = [program, tmp_path / "mine.casino"], json.dumps(game.to_json())
        done = subprocess.run(words, input=asked, capture_output=True, text=True, check=True)
        assert done.stdout.splitlines()[1] == action_text(action)


@pytest.mark.skipif(not (pages.CHROMIUM and pages.BUILT), reason="needs chromium and the page's engine")
def test_on_the_page(mine: Path) -> None:
    """The page offers the policy only in its own game, where it plays a deal."""
    server, home = serve_page(0, guests([mine]))
    option = f"[data-seat-of='1'] option[value='policy:{mine.name}']"
    with pages.playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=pages.CHROMIUM)
        with pages.visiting(browser, home) as page:
            page.click("#open-new")
            page.select_option("#variant", "khasino")
            page.click("#players input[value='2']", force=True)
            page.click("#new-more > summary")
            assert page.locator(option).count() == 0
            for name, value in CHANGES.items():
                page.select_option(f"[data-field='{name}']", json.dumps(value))
            assert page.locator(option).count() == 1
            page.fill("#seed", "3")
            page.select_option("[data-seat-of='1']", f"policy:{mine.name}")
            page.click("#begin")
            pages.my_turn(page)
            assert mine.name.capitalize() in page.inner_text("#table")
            pages.play_out(page, Random(1))
        browser.close()
    server.shutdown()
    server.server_close()


def test_what_is_no_such_file_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["--policy", "x.policy"], ["--web", "--policy", "x.zip"], ["--web", "--policy", "none.policy"]):
        assert play(words) in (1, 2)
        assert capsys.readouterr().err.count("\n") == 1
