"""What a run was made with: the packages, and the commit of the checkout."""

import subprocess
from importlib.metadata import version
from pathlib import Path


def versions() -> dict[str, str]:
    return {name: version(name) for name in ("casino-env", "numpy", "numba", "torch")}


def commit() -> str:
    """The commit of the checkout, with a + where files differ from it."""
    here = Path(__file__).parent

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=here, capture_output=True, text=True, check=True).stdout.strip()

    try:
        return git("rev-parse", "--short=12", "HEAD") + ("+" if git("status", "--porcelain", "-uno") else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
