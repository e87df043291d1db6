"""Packages that only some parts need: what to type where one is missing."""

from __future__ import annotations

import re
import shlex
from importlib.util import find_spec
from pathlib import Path

# The module that an import asks for, and the extra of pyproject.toml that brings it.
EXTRAS = {
    "numba": "compile",
    "ziglang": "compile",
    "safetensors": "agents",
    "scipy": "eval",
    "choix": "eval",
    "rich": "eval",
    "matplotlib": "eval",
    "jinja2": "eval",
    "pydantic": "eval",
    "torch": "train",
    "tensorboard": "train",
    "PIL": "render",
    "onnx": "onnx",
    "onnxscript": "onnx",
    "pyspiel": "spiel",
    "pandas": "frames",
}  # fmt: skip
_CHECKOUT = Path(__file__).parents[1]


def missing_package(error: ImportError) -> str:
    """One line with the command that brings the package; empty if none of ours is missing."""
    name = (error.name or "").partition(".")[0]
    return f"{name} is missing: {install_command(EXTRAS[name])}" if name in EXTRAS else ""


def require(*names: str) -> None:
    """Raises ValueError, which names all of these packages that are missing and the commands that bring them."""
    missing = [name for name in names if find_spec(name) is None]
    if missing:
        commands = dict.fromkeys(install_command(EXTRAS[name]) for name in missing)
        raise ValueError(f"missing: {', '.join(missing)}; {' and '.join(commands)}")


def install_command(extra: str) -> str:
    """The command that brings an extra, from where the user is: there is no index that has casino-env by its name."""
    if not (_CHECKOUT / "pyproject.toml").is_file():
        return f"pip install {shlex.join(_packages(extra))}"
    here = "." if Path.cwd() == _CHECKOUT else str(_CHECKOUT)
    return f"pip install -e {shlex.quote(f'{here}[{extra}]')}"


def _packages(extra: str) -> list[str]:
    """What an extra stands for, by what the installed package says of itself."""
    from importlib.metadata import PackageNotFoundError, requires  # brings parsers of mail and archives along

    try:
        rows = [row.split(";") for row in requires("casino-env") or []]
    except PackageNotFoundError:
        return [extra]
    return [row[0].strip() for row in rows if len(row) > 1 and re.search(rf"extra == ['\"]{extra}['\"]", row[1])]
