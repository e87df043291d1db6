"""Which files the kernels of a module depend on: by them machine code is known to be that of its sources, or not."""

from __future__ import annotations

import functools
import hashlib
import re
import sys
from pathlib import Path

_PACKAGE = sys.modules["casino_env"]  # whose parts lie in one folder, or in a checkout side by side
_IMPORTS = re.compile(r"^\s*from (casino_env[\w.]*) import (?:\(([^)]*)\)|(.*))", re.MULTILINE)


def file_of(name: str) -> Path | None:
    """The file of a module of ours, wherever its part of the project lies."""
    rest = Path(*name.split(".")[1:]).with_suffix(".py")
    return next((file for file in (Path(place) / rest for place in _PACKAGE.__path__) if file.is_file()), None)


@functools.cache
def _imported(module: str) -> frozenset[str]:
    """The modules of ours that a module imports."""
    file, names = file_of(module), set()
    for base, many, few in _IMPORTS.findall(file.read_text() if file else ""):
        names |= {base, *(f"{base}.{name.split()[0]}" for name in (many or few).split(",") if name.strip())}
    return frozenset(name for name in names if name != "casino_env" and file_of(name))


@functools.cache
def sources(module: str) -> tuple[str, ...]:
    """The modules on which the kernels of a module depend: itself and all of ours that it imports, directly or not."""
    known, new = frozenset[str](), frozenset({module})
    while new:
        known |= new
        new = frozenset(name for source in new for name in _imported(source)) - known
    return tuple(sorted(known))


@functools.cache
def digest(module: str) -> str:
    """Of the text of one module; empty if there is none."""
    file = file_of(module)
    return hashlib.sha256(file.read_bytes()).hexdigest()[:16] if file else ""


@functools.cache
def stamp(module: str) -> str:
    """Of the text of all that the kernels of a module depend on."""
    return hashlib.sha256("".join(map(digest, sources(module))).encode()).hexdigest()[:16]
