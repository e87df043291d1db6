"""The static page on a server of ours, and a browser that plays on it."""

from __future__ import annotations

import functools
import json
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from casino_env.play.web.serving import serve_page

playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install playwright")
expect = playwright.expect
expect.set_options(timeout=30_000)  # as for clicks: five seconds are too few beside other work
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
ROOT = Path(__file__).parents[1]
PAGE, PACKAGE, POLICIES = ROOT / "play/web/page", ROOT / "packages/casino", ROOT / "agents/policies"
BUILT = (PACKAGE / "dist/casino.wasm").exists() and (PACKAGE / "dist/facts.json").exists()
DESK, LAPTOP, SMALL, PHONE, LITTLE = (1366, 768), (1366, 625), (1024, 600), (390, 844), (360, 640)
TURNED = (844, 390)
NEEDS = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="needs a browser: apt-get install chromium"),
    pytest.mark.skipif(not BUILT, reason="needs casino compile --target wasm32 --to packages/casino/dist"),
]
# A turn that ended by itself would end before or after the next click.
BY_HAND = "try { localStorage['casino-settings'] ??= JSON.stringify({ autoEnd: false }) } catch {}"


@contextmanager
def serving() -> Iterator[str]:
    """Where the page is."""
    server, address = serve_page()
    yield address
    server.shutdown()
    server.server_close()


@contextmanager
def hosting(folder: Path, asked: list[str] | None = None) -> Iterator[str]:
    """A static host that lets browsers keep what it sends, as many do. asked: gets the paths that it is asked for."""

    class Host(SimpleHTTPRequestHandler):
        def end_headers(self) -> None:
            self.send_header("Cache-Control", "max-age=600")
            super().end_headers()

        def log_message(self, *_: object) -> None:
            if asked is not None:
                asked.append(self.path)

    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Host, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def listening(page, home: str) -> list[str]:
    """What the page complains of, and whom it asks beside its host."""
    page.set_default_timeout(30_000)
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if _wrong(message) else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    ours = (home, "data:", "blob:")
    page.on("request", lambda request: None if request.url.startswith(ours) else complaints.append(request.url))
    return complaints


def _wrong(message) -> bool:
    return message.type == "error" and "Failed to load resource" not in message.text


@contextmanager
def visiting(browser, home: str, size=DESK, *, pace: int | None = 0, worker=False, **more):
    """A page that may not complain. pace: milliseconds of a move; worker: what is loaded is kept for later."""
    kept = "allow" if worker else "block"
    options = {"viewport": {"width": size[0], "height": size[1]}, "reduced_motion": "reduce", "service_workers": kept}
    context = browser.new_context(**options | more)
    if not worker:  # told by the browser, and no fault of the page
        context.add_init_script("delete Navigator.prototype.serviceWorker")
    context.add_init_script(BY_HAND)
    page = context.new_page()
    complaints = listening(page, home)
    page.goto(home if pace is None else f"{home}?pace={pace}")
    ready(page)
    if worker:
        page.evaluate("navigator.serviceWorker.ready")
    yield page
    context.close()
    assert complaints == []


def ready(page) -> None:
    page.wait_for_selector("body[data-ready]")


def new_game(page, variant, players=2, company=None) -> None:
    """The dialog, filled in as far as that."""
    page.click("#open-new")
    page.select_option("#variant", variant)
    page.click(f"#players input[value='{players}']", force=True)
    if company:
        page.click(f"#company input[value='{company}']", force=True)


def begin(page, variant="south-african", players=2, *, seed=None, position=None, spec="greedy"):
    """By the dialog; `spec` on all other seats."""
    new_game(page, variant, players)
    page.click("#new-more > summary")
    page.fill("#from-position", "" if position is None else json.dumps(position))
    page.fill("#seed", "" if seed is None else str(seed))
    for seat in range(1, players):
        page.select_option(f"[data-seat-of='{seat}']", spec)
    page.click("#begin")
    my_turn(page)


def my_turn(page) -> None:
    page.wait_for_selector("#table[data-state=mine], #sheet[open]", timeout=60_000)


def tap(page, *tokens: str) -> None:
    for token in tokens:
        page.click(f"#table [data-token='{token}']")


def do_until_answered(page) -> None:
    """The first thing that is offered, until the turn is over and judged."""
    while not page.locator("#verdict").count():
        page.locator("#actions [data-do]").first.click()
        page.wait_for_selector("#table[data-state=mine], #verdict", timeout=60_000)


def do(page, kind: str) -> None:
    """The move of this kind that is offered first."""
    page.click(f"#actions [data-do='{kind}'] >> nth=0")
    my_turn(page)


def press(page, rng) -> None:
    """Random taps on what lights up, and the first move that the cards offer."""
    lit, offered = page.locator("#table .lit"), page.locator("#actions [data-do]")
    if lit.count() and (rng.random() < 0.75 or not offered.count()):
        lit.nth(rng.randrange(lit.count())).click(position={"x": 9, "y": 9})
    if offered.count():
        offered.nth(0).click()


def step(page, rng) -> None:
    press(page, rng)
    my_turn(page)


def play_out(page, rng, look=lambda: None) -> None:
    while not page.locator("#sheet[open]").count():
        look()
        step(page, rng)


@contextmanager
def chromium(path=CHROMIUM, beside=None):
    """beside: another browser that runs already."""
    with nullcontext(beside) if beside else playwright.sync_playwright() as tools:
        kind = tools.browser_type if beside else tools.chromium
        browser = kind.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


# --- axe-core, which finds what keeps people out of a page: fetched once, from wherever npm is set up to fetch -------

_FOLDER = Path(tempfile.gettempdir()) / "casino-axe"
_SCRIPT = _FOLDER / "node_modules/axe-core/axe.min.js"


@functools.cache
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
    """Of the page as it stands: all but minor ones."""
    page.evaluate(axe())
    found = page.evaluate("axe.run(document)")
    assert len(found["passes"]) > 5
    return [
        f"{each['id']}: {each['nodes'][0]['html'][:200]}" for each in found["violations"] if each["impact"] != "minor"
    ]
