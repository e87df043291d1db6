"""Serve the static page and play on it in a browser."""

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
expect.set_options(timeout=30_000)  # as for clicks: the default of 5 s is too short on a busy machine
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
# Turn automatic ends of turns off: one could come before or after the next click.
BY_HAND = "try { localStorage['casino-settings'] ??= JSON.stringify({ autoEnd: false }) } catch {}"


@contextmanager
def serving() -> Iterator[str]:
    """Serve the page and yield its address."""
    server, address = serve_page()
    yield address
    server.shutdown()
    server.server_close()


@contextmanager
def hosting(folder: Path, asked: list[str] | None = None) -> Iterator[str]:
    """Serve a folder with caching allowed, as many static hosts do. asked: collects the requested paths."""

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
    """Return a list that collects the page's errors and its requests to other hosts."""
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
    """Yield a page that must log no errors. pace: milliseconds a move; worker: allow its service worker."""
    kept = "allow" if worker else "block"
    options = {"viewport": {"width": size[0], "height": size[1]}, "reduced_motion": "reduce", "service_workers": kept}
    context = browser.new_context(**options | more)
    if not worker:  # otherwise the browser reports the blocked worker as an error
        context.add_init_script("delete Navigator.prototype.serviceWorker")
    context.add_init_script(BY_HAND)
    page = context.new_page()
    complaints = listening(page, home)
    loading = set[str]()
    page.on("request", lambda request: loading.add(request.url))
    for done in ("requestfinished", "requestfailed"):
        page.on(done, lambda request: loading.discard(request.url))
    page.goto(home if pace is None else f"{home}?pace={pace}")
    try:
        ready(page)
    except playwright.TimeoutError as error:
        raise AssertionError(f"not ready: {complaints or 'no errors'}; still loading: {sorted(loading)}") from error
    if worker:
        page.evaluate("navigator.serviceWorker.ready")
    yield page
    context.close()
    assert complaints == []


def ready(page) -> None:
    page.wait_for_selector("body[data-ready]")


def new_game(page, variant, players=2, company=None) -> None:
    """Open the dialog of a new game and fill in the arguments."""
    page.click("#open-new")
    page.select_option("#variant", variant)
    page.click(f"#players input[value='{players}']", force=True)
    if company:
        page.click(f"#company input[value='{company}']", force=True)


def begin(page, variant="south-african", players=2, *, seed=None, position=None, spec="greedy"):
    """Begin a game by the dialog, with the agent `spec` on all other seats."""
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
    """Do the first action offered until the turn is over and judged."""
    while not page.locator("#verdict").count():
        page.locator("#actions [data-do]").first.click()
        page.wait_for_selector("#table[data-state=mine], #verdict", timeout=60_000)


def do(page, kind: str) -> None:
    """Make the first move of this kind that is offered."""
    page.click(f"#actions [data-do='{kind}'] >> nth=0")
    my_turn(page)


def press(page, rng) -> None:
    """Tap a random lit card, and make the first move offered."""
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
    """Run Chromium, or the browser at `path`. beside: a browser already running, whose Playwright is used."""
    with nullcontext(beside) if beside else playwright.sync_playwright() as tools:
        kind = tools.browser_type if beside else tools.chromium
        browser = kind.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


# --- axe-core, an accessibility checker: fetched once, from npm's configured registry --------------------------------

_FOLDER = Path(tempfile.gettempdir()) / "casino-axe"
_SCRIPT = _FOLDER / "node_modules/axe-core/axe.min.js"


@functools.cache
def axe() -> str:
    """Return axe-core's script; skip the test if it cannot be fetched."""
    if not _SCRIPT.exists():
        npm = shutil.which("npm") or pytest.skip("axe-core needs npm")
        _FOLDER.mkdir(exist_ok=True)
        wanted = [npm, "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(_FOLDER), "axe-core@4"]
        done = subprocess.run(wanted, capture_output=True, timeout=120, check=False)
        if done.returncode or not _SCRIPT.exists():
            pytest.skip("npm cannot fetch axe-core")
    return _SCRIPT.read_text()


def serious_findings(page) -> list[str]:
    """Return axe-core's findings on the page as it is, except minor ones."""
    page.evaluate(axe())
    found = page.evaluate("axe.run(document)")
    assert len(found["passes"]) > 5
    return [
        f"{each['id']}: {each['nodes'][0]['html'][:200]}" for each in found["violations"] if each["impact"] != "minor"
    ]
