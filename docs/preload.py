"""Tells the page which modules it and its worker will need, so that a browser fetches them at once and not one import
after the other, and keeps them for when there is no network.

`python docs/preload.py` writes the line into `play/web/page/index.html`.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE, PACKAGE = ROOT / "play/web/page", ROOT / "packages/casino"
INDEX = PAGE / "index.html"
_IMPORT = re.compile(r"""^(?:import|export)\b[^;"']*?["'](\.[^"']+)["'];?\s*$""", re.MULTILINE)
_LINE = re.compile(r"(?:<link rel=\"modulepreload\" href=\"[^\"]+\">\n?)+\n")


def modules(*first: str) -> list[str]:
    """These and all that they import, from near to far, as the page names them."""
    found = list(first)
    for name in found:
        file = PACKAGE / name.removeprefix("casino/") if name.startswith("casino/") else PAGE / name
        for path in _IMPORT.findall(file.read_text("utf-8")):
            whole = posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
            if whole not in found:
                found.append(whole)
    return found


def line() -> str:
    needed = modules("main.js", "casino/src/agents/worker.js")[1:]
    return "".join(f'<link rel="modulepreload" href="{name}">' for name in needed) + "\n"


if __name__ == "__main__":
    text = INDEX.read_text("utf-8")
    main = '<script type="module" src="main.js"></script>\n'
    INDEX.write_text(_LINE.sub("", text).replace(main, main + line()), "utf-8")
