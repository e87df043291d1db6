"""Make table.svg and the pictures of play.md: `python docs/screenshots.py`. Needs `play`, playwright, a chromium."""

import atexit
import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from playwright.sync_api import sync_playwright

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS.parent))

from casino_env import Game  # noqa: E402
from casino_env.agents.registry import make_agent  # noqa: E402
from casino_env.drawing.picture import table_svg  # noqa: E402
from casino_env.observed import observe  # noqa: E402
from casino_env.play.players import Players  # noqa: E402
from casino_env.play.saved import SavedTable  # noqa: E402
from casino_env.play.store import Store  # noqa: E402
from casino_env.play.table import Setup, Table  # noqa: E402
from casino_env.play.web.app import make_app  # noqa: E402
from casino_env.play.web.desk import Desk  # noqa: E402
from casino_env.play.web.server import bound_socket, server_of  # noqa: E402

COLOURS = 96  # of a picture: enough for flat shapes, and a third of the size
SEED = 8


def served(store: Store) -> str:
    """The address of a server that ends with this program."""
    desk = Desk(named=("search:sims=800",))
    desk.open()
    atexit.register(desk.close)
    server, listening = server_of(make_app(store, desk, hints="search:sims=800")), bound_socket("127.0.0.1", 0)
    threading.Thread(target=server.run, args=([listening],), daemon=True).start()
    while not server.started:
        time.sleep(0.05)
    return f"http://127.0.0.1:{listening.getsockname()[1]}"


def begun(store: Store, setup: Setup, steps: int = 10_000) -> str:
    """The id of a game some moves on: the person plays what comes first, and stands before a decision, or the end."""
    players = Players()

    def play(table: Table) -> None:
        while not table.game.over and (len(table.events) < steps or len(table.moves()) < 2):
            if table.waiting:
                table.advance(players)
            else:
                builds = [move for move in table.moves() if move.do in ("build", "add", "capture")]
                table.play(list((builds or table.moves())[0].actions))

    saved = SavedTable(store, setup, players)
    saved.change(play)
    saved.close()
    return saved.name


def photograph(page: Any, name: str, prepare: str = "") -> None:
    if prepare:
        page.click(prepare)
        page.wait_for_selector("#hint:not([hidden])")
    page.wait_for_timeout(400)
    path = DOCS / name
    page.screenshot(path=path)
    Image.open(path).convert("RGB").quantize(COLOURS).save(path, optimize=True)


def browser_pictures(store: Store) -> None:
    home = served(store)
    table = begun(store, Setup("swazi", 3, ("you", "counter", "builder"), SEED), 24)
    small = begun(store, Setup("south-african", 2, ("you", "counter"), SEED), 10)
    with sync_playwright() as tools:
        browser = tools.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1120, "height": 720})
        page.set_default_timeout(150_000)  # the first hint may wait for the compiler
        page.goto(f"{home}/#game={table}")
        page.wait_for_selector("#table[data-state=mine]")
        photograph(page, "play-table.png", "#ask-hint")
        phone = browser.new_page(viewport={"width": 390, "height": 780})
        phone.goto(f"{home}/#game={small}")
        phone.wait_for_selector("#table[data-state=mine]")
        phone.locator(".hand .lit").nth(2).click()
        photograph(phone, "play-phone.png")
        page.goto(f"{home}/#review={begun(store, Setup('khasino', 2, ('you', 'counter'), SEED))}")
        page.wait_for_selector("#review >> text=decisions cost")
        page.locator("#review >> text=Show").first.click()
        photograph(page, "play-review.png")
        browser.close()


def drawn_table() -> None:
    """Four who build, in the middle of a deal: builds of several sets, and loose cards."""
    game, builder = Game("swazi", 4, seed=20), make_agent("builder")
    builder.reset(0, np.random.default_rng(0))
    for _ in range(47):
        game.apply(int(builder.act(observe(game))))
    (DOCS / "table.svg").write_text(table_svg(game, 0))


if __name__ == "__main__":
    drawn_table()
    with tempfile.TemporaryDirectory() as folder:
        browser_pictures(Store(Path(folder)))
