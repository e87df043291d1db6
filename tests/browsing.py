"""A browser on a server of ours, for the tests of the page."""

import json
import random
import shutil
import subprocess
import tempfile
import threading
import time
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason="needs the extra `play`")
playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install playwright")
expect = playwright.expect
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
SIZES = ((1366, 768), (390, 844), (844, 390))  # a laptop, a phone, the phone turned
SLOW = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="needs a browser: apt-get install chromium")]


@contextmanager
def served(store, agents=("greedy", "counter", "random")):
    """Where a server runs."""
    from casino_env.play.web.app import make_app
    from casino_env.play.web.server import bound_socket, server_of
    from tests.desks import the_desk

    server = server_of(make_app(store, the_desk(), agents=agents))
    listening = bound_socket("127.0.0.1", 0)
    thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/"
    server.should_exit = True
    thread.join()


@contextmanager
def chromium():
    with playwright.sync_playwright() as tools:
        browser = tools.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def visiting(browser, home, width=1366, height=768, **more):
    """A page that may not complain, and may ask nobody but its server."""
    context = browser.new_context(viewport={"width": width, "height": height}, **{"reduced_motion": "reduce"} | more)
    page = context.new_page()
    page.set_default_timeout(30_000)
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if _wrong(message) else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    ours = (home, "data:", "blob:")
    page.on("request", lambda request: None if request.url.startswith(ours) else complaints.append(request.url))
    page.goto(home)
    yield page
    context.close()
    assert complaints == []


def _wrong(message) -> bool:
    """Something in the script; that a request is refused or lost is told to the person, and here too."""
    return message.type == "error" and "Failed to load resource" not in message.text


def begin(page, variant, players, *, seed=None, position=None, match=False):
    page.click("#open-new")
    page.select_option("#variant", variant)
    page.select_option("#players", str(players))
    if match:
        page.check("#match")
    page.click("#new-game summary")
    page.fill("#seed", "" if seed is None else str(seed))
    page.fill("#from-position", "" if position is None else json.dumps(position))
    for seat in range(1, players):
        page.select_option(f"#seats select >> nth={seat}", "greedy")
    page.evaluate("document.querySelector('#pace').options[2].value = '0'; document.querySelector('#pace').value = '0'")
    page.evaluate("document.querySelector('#auto-end').checked = false")
    page.click("#begin")
    my_turn(page)


def my_turn(page):
    page.wait_for_selector("#table[data-state=mine], #sheet[open]")


def tap(page, *tokens):
    for token in tokens:
        page.click(f"#table [data-token='{token}']")


def do(page, kind):
    """The move of this kind that is offered first."""
    page.click(f"#actions [data-do='{kind}'] >> nth=0")
    my_turn(page)


def game_id(page):
    return page.url.split("#game=")[1]


def play_out(page, rng):
    """Random taps on what lights up, and the first move that the cards offer."""
    while not page.locator("#sheet[open]").count():
        lit = page.locator("#table .lit")
        offered = page.locator("#actions [data-do]")
        if lit.count() and rng.random() < 0.8:
            lit.nth(rng.randrange(lit.count())).click()
        page.locator("#actions [data-do]").nth(0).click() if offered.count() else None
        my_turn(page)


def to_replay(page, variant, players, *, seed):
    """A deal, and its replay from the first step."""
    begin(page, variant, players, seed=seed)
    play_out(page, random.Random(seed))
    page.click("#sheet-buttons >> text=Replay")
    expect(page.locator("#replay-count")).to_contain_text("0 /")


# --- axe-core, which finds what keeps people out of a page: fetched once, from wherever npm is set up to fetch -------

_FOLDER = Path(tempfile.gettempdir()) / "casino-axe"
_SCRIPT = _FOLDER / "node_modules/axe-core/axe.min.js"


@cache
def axe() -> str:
    """Skips the test where it cannot be had."""
    if not _SCRIPT.exists():
        npm = shutil.which("npm") or pytest.skip("axe-core needs npm")
        _FOLDER.mkdir(exist_ok=True)
        wanted = [npm, "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(_FOLDER), "axe-core@4"]
        done = subprocess.run(wanted, capture_output=True, timeout=120, check=False)
        if done.returncode or not _SCRIPT.exists():
            pytest.skip("npm cannot fetch axe-core")
    return _SCRIPT.read_text()


def serious_findings(page) -> list[str]:
    """Of the page as it stands: serious and critical ones."""
    page.evaluate(axe())
    found = page.evaluate("axe.run(document)")
    assert len(found["passes"]) > 5
    return [
        f"{each['id']}: {each['nodes'][0]['html'][:200]}"
        for each in found["violations"]
        if each["impact"] in ("serious", "critical")
    ]
