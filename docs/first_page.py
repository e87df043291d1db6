"""Prerender the first page into `play/web/page/index.html` as a new visitor sees it in English, so that it shows before
its scripts are loaded.

Run `python docs/first_page.py` after a change of its words, its games or their players. It needs Chromium.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

INDEX = Path(__file__).parents[1] / "play/web/page/index.html"
PARTS = ("first", "picture", "know", "today", "offer", "done")
_LINE = r'(<div id="{}"[^>]*>).*(</div>)'


def drawn(page: Any) -> str:
    """Return index.html with the parts as this browser page renders them at a first visit."""
    text = INDEX.read_text("utf-8")
    page.wait_for_selector("body[data-ready] #done h2")
    for part in PARTS:
        inside = page.evaluate(f"document.getElementById('{part}').innerHTML").replace("\\", r"\\")
        inside = inside.replace("<button ", "<button disabled ")  # buttons need scripts; links do not
        text = re.sub(_LINE.format(part), rf"\g<1>{inside}\g<2>", text)
    return text


def write() -> None:
    from playwright.sync_api import sync_playwright

    from casino_env.play.web.serving import serve_page

    server, address = serve_page()
    with sync_playwright() as browsers:
        browser = browsers.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(address)
        INDEX.write_text(drawn(page), "utf-8")
        browser.close()
    server.shutdown()


if __name__ == "__main__":
    write()
