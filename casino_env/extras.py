"""Packages that only some parts need: what to type where one is missing."""

from __future__ import annotations

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


def lacking(part: str, error: ModuleNotFoundError) -> ModuleNotFoundError:
    """What to raise instead, as a part of the package loads: an error that says what brings the missing package."""
    why = missing_package(error)
    return ModuleNotFoundError(f"{part}: {why}", name=error.name) if why else error


def require(*names: str) -> None:
    """Raises ValueError, which names all of these packages that are missing and the commands that bring them."""
    missing = [name for name in names if find_spec(name) is None]
    if missing:
        commands = dict.fromkeys(install_command(EXTRAS[name]) for name in missing)
        raise ValueError(f"missing: {', '.join(missing)}; {' and '.join(commands)}")


def install_command(extra: str) -> str:
    """The command that brings an extra, from where the user is. Of what is installed already pip asks no index."""
    if not (_CHECKOUT / "pyproject.toml").is_file():
        return f"pip install 'casino-env[{extra}]'"
    here = "." if Path.cwd() == _CHECKOUT else str(_CHECKOUT)
    return f"pip install -e {shlex.quote(f'{here}[{extra}]')}"
