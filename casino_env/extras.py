"""Optional packages: which extra installs them, and the error where one is missing."""

from __future__ import annotations

import shlex
from importlib.util import find_spec
from pathlib import Path

# Imported module -> the extra of pyproject.toml that installs it.
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
    """One line with the command that installs the missing package; empty if it is none of ours."""
    name = (error.name or "").partition(".")[0]
    return f"{name} is missing: {install_command(EXTRAS[name])}" if name in EXTRAS else ""


def lacking(part: str, error: ModuleNotFoundError) -> ModuleNotFoundError:
    """The error to raise in place of `error` when a part of the package fails to load: it names the install command."""
    why = missing_package(error)
    return ModuleNotFoundError(f"{part}: {why}", name=error.name) if why else error


def require(*names: str) -> None:
    """Raise ValueError if any of these packages is missing: it names them all and the commands that install them."""
    missing = [name for name in names if find_spec(name) is None]
    if missing:
        commands = dict.fromkeys(install_command(EXTRAS[name]) for name in missing)
        raise ValueError(f"missing: {', '.join(missing)}; {' and '.join(commands)}")


def install_command(extra: str) -> str:
    """The command that installs an extra from the current folder. pip does not look up packages already installed."""
    if not (_CHECKOUT / "pyproject.toml").is_file():
        return f"pip install 'casino-env[{extra}]'"
    here = "." if Path.cwd() == _CHECKOUT else str(_CHECKOUT)
    return f"pip install -e {shlex.quote(f'{here}[{extra}]')}"
