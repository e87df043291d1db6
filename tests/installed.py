"""The wheel and the sdist, built and installed: what a test of them stands on."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).parent.parent
_KEPT = ROOT / ".venv-wheel"


def build(folder: Path) -> tuple[Path, Path]:
    """(wheel, sdist) of the checkout."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-t", "sdist", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return next(folder.glob("*.whl")), next(folder.glob("*.tar.gz"))


def installed(wheel: Path) -> Path:
    """The folder of an environment that has the wheel, not the checkout, and borrows what it needs from this one.

    It is kept as long as the wheel is the same: kernels are compiled for the place where they lie, which takes minutes.
    """
    place = _KEPT / hashlib.sha256(wheel.read_bytes()).hexdigest()[:16]
    if not (place / "whole").exists():
        shutil.rmtree(_KEPT, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
        python = place / "bin/python"
        subprocess.run([python, "-m", "pip", "install", "-q", "--no-deps", str(wheel)], check=True)
        # Of this environment the packages alone: a line of a .pth file does not follow the .pth files over there.
        own = next(place.glob("lib/python*/site-packages"))
        (own / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
        (place / "whole").touch()
    return place


def run(place: Path, command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """A command of that environment, from a folder of somebody who has nothing else of ours."""
    variables = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    variables |= {"CASINO_ENV_CACHE": str(place / "cache"), "CASINO_ENV_QUIET": "1"}
    words = [str(place / "bin" / command[0]), *command[1:]]
    return subprocess.run(words, cwd=folder, env=variables, capture_output=True, text=True, timeout=590, check=False)
