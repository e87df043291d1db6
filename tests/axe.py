"""axe-core, which finds what keeps people out of a page: fetched once by npm, from wherever npm is set up to fetch."""

import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import pytest

_FOLDER = Path(tempfile.gettempdir()) / "casino-axe"
_SCRIPT = _FOLDER / "node_modules/axe-core/axe.min.js"


@cache
def script() -> str:
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
    page.evaluate(script())
    found = page.evaluate("axe.run(document)")
    assert len(found["passes"]) > 5
    return [
        f"{each['id']}: {each['nodes'][0]['html'][:200]}"
        for each in found["violations"]
        if each["impact"] in ("serious", "critical")
    ]
