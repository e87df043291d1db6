"""Tells the page which modules it will need, so that a browser fetches them at once and not one import after the other.

`python docs/preload.py` writes the lines into `play/web/page/index.html`.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE, PACKAGE = ROOT / "play/web/page", ROOT / "packages/casino"
INDEX = PAGE / "index.html"
_IMPORT = re.compile(r"""^(?:import|export)\b[^;"']*?["'](\.[^"']+)["'];?\s*$""", re.MULTILINE)
_LINES = re.compile(r"(?:<link rel=\"modulepreload\" href=\"[^\"]+\">\n)+")


def modules(first: str = "main.js") -> list[str]:
    """All that a module imports, from near to far, as the page names them."""
    found = [first]
    for name in found:
        file = PACKAGE / name.removeprefix("casino/") if name.startswith("casino/") else PAGE / name
        for path in _IMPORT.findall(file.read_text()):
            whole = posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
            if whole not in found:
                found.append(whole)
    return found


def lines() -> str:
    return "".join(f'<link rel="modulepreload" href="{name}">\n' for name in modules()[1:])


if __name__ == "__main__":
    text = INDEX.read_text()
    main = '<script type="module" src="main.js"></script>\n'
    INDEX.write_text(_LINES.sub("", text).replace(main, main + lines()))
