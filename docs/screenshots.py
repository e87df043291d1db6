"""Make table.svg, the pictures of play.md and those of the page for translators: `python docs/screenshots.py`.

It needs playwright, chromium and `make wasm`.
"""

import sys
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from PIL import Image

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS.parent))

from casino_env import Game  # noqa: E402
from casino_env.agents.registry import make_agent  # noqa: E402
from casino_env.drawing.picture import table_svg  # noqa: E402
from casino_env.observed import observe  # noqa: E402
from tests.page_browser import PHONE, begin, chromium, play_out, ready, serving, step, visiting  # noqa: E402

COLOURS = 96  # in a picture: enough for flat shapes, and a third of the size
SEED = 8
MINUTES = 5 * 60_000  # timeout of a review, in milliseconds


def photograph(page: Any, name: str, folder: Path = DOCS, colours: int = COLOURS) -> None:
    page.wait_for_timeout(400)
    path = folder / name
    page.screenshot(path=path)
    Image.open(path).convert("RGB").quantize(colours).save(path, optimize=True)


def places() -> None:
    """Make the pictures that translators see beside the texts of a place (speak.js)."""
    folder = DOCS.parent / "play/web/page/pictures"
    folder.mkdir(exist_ok=True)

    def take(page: Any, name: str) -> None:
        photograph(page, f"{name}.png", folder, 24)

    with serving() as home, chromium() as browser, visiting(browser, home, (760, 520)) as page:
        take(page, "home")
        page.click("#open-settings")
        take(page, "settings")
        page.click("#sheet-close")
        page.click("#open-new")
        page.click("#new-more > summary")
        take(page, "new")
        page.click("#company input[value='friend']", force=True)
        take(page, "friends")
        page.click("#cancel")
        page.evaluate("location.hash = 'lesson=swazi.1'")
        page.wait_for_selector("#table[data-state=mine]")
        take(page, "lesson")
        page.goto(home)
        ready(page)
        page.click("#open-puzzles")
        take(page, "puzzles")
        page.click("#sheet-close")
        begin(page, "swazi", 2, seed=SEED, spec="counter")  # type: ignore[no-untyped-call]
        page.locator(".hand .lit").nth(2).click()
        take(page, "table")
        page.click("#open-rules")
        take(page, "rules")
        page.click("#sheet-close")
        play_out(page, Random(1))
        take(page, "result")
        page.click("#sheet-buttons >> text=Review")
        page.wait_for_selector("#review h2")
        take(page, "review")


def browser_pictures() -> None:
    with serving() as home, chromium() as browser:
        with visiting(browser, home, (1120, 720)) as page:
            begin(page, "swazi", 3, seed=SEED, spec="counter")  # type: ignore[no-untyped-call]
            rng = Random(1)
            for _ in range(6):
                step(page, rng)
            page.click("#ask-hint")
            page.wait_for_selector("#hint >> text=points")
            photograph(page, "play-table.png")
        with visiting(browser, home, PHONE) as phone:
            begin(phone, "south-african", 2, seed=SEED, spec="counter")  # type: ignore[no-untyped-call]
            phone.locator(".hand .lit").nth(2).click()
            photograph(phone, "play-phone.png")
        with visiting(browser, home, (1120, 720)) as page:
            begin(page, "khasino", 2, seed=SEED, spec="counter")  # type: ignore[no-untyped-call]
            play_out(page, Random(1))
            page.click("#sheet-buttons >> text=Review")
            page.wait_for_selector("#review progress", state="detached", timeout=MINUTES)
            photograph(page, "play-review.png")


def drawn_table() -> None:
    """Draw a table of four builder bots in the middle of a deal: builds of several sets, and loose cards."""
    game, builder = Game("swazi", 4, seed=20), make_agent("builder")
    builder.reset(0, np.random.default_rng(0))
    for _ in range(47):
        game.apply(int(builder.act(observe(game))))
    (DOCS / "table.svg").write_text(table_svg(game, 0), "utf-8")


if __name__ == "__main__":
    drawn_table()
    places()
    browser_pictures()
