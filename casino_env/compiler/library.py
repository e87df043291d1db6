"""The library: machine code of all entries, compiled ahead of time (build.py), so that users compile nothing.

It lies in casino_env/library: a file for each processor level, and kernels.json, which holds for each entry the types
of its arguments and a digest of its sources (digests.py). An entry that has changed since is not used.
CASINO_ENV_KERNELS=jit ignores the library, =library rejects every entry that is not in it, =checked uses another
library, with bounds checks (checked.py).
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import importlib.machinery
import importlib.util
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from casino_env.compiler.digests import file_digest
from casino_env.compiler.types import letters, taken
from casino_env.validate import LARGEST, check_shape, error_text

CHECKED = "checked"
MODE = os.environ.get("CASINO_ENV_KERNELS", "auto")
if MODE not in ("auto", "jit", "library", CHECKED):
    raise ImportError(f"CASINO_ENV_KERNELS={MODE}: must be auto, jit, library or checked")
_CHECKED = Path(__file__).parents[1] / "library-checked"
FOLDER = _CHECKED if MODE == CHECKED else _CHECKED.with_name("library")
MANIFEST, FORMAT = "kernels.json", 3
_NAMES, _NAMED = ("each", "text", 0, LARGEST), ("rows", "text")
_ROW = ("all", dict.fromkeys(("symbol", "takes", "returns", "digest"), "text"))
_SHAPE = ("all", {
    "format": ("int", FORMAT, FORMAT), "made_by": "text", "target": "text", "levels": _NAMES, "files": _NAMED,
    "entries": ("rows", _ROW), "modules": ("rows", _NAMES), "sources": _NAMED,
})  # fmt: skip
PTX = "casino.ptx"  # for GPUs (aot/gpu.py)


def take_checked() -> None:
    """Use bounds-checked kernels in this process and its children; call this before anything is compiled."""
    global FOLDER, MODE
    os.environ["CASINO_ENV_KERNELS"] = MODE = CHECKED
    FOLDER = _CHECKED
    importlib.import_module("casino_env.compiler.checked")


def file_name(level: str, system: str) -> str:
    return f"kernels-{level}.pyd" if system.startswith("win") or "windows" in system else f"kernels-{level}.abi3.so"


def c_file_name(system: str) -> str:
    """File name of the library for C programs."""
    if system.startswith("win") or "windows" in system:
        return "casino.dll"
    return "libcasino.dylib" if "darwin" in system or "apple" in system else "libcasino.so"


@functools.cache
def manifest() -> dict[str, Any]:
    """Return the manifest of the library; empty if there is none or it is switched off."""
    return read_manifest(FOLDER) if MODE != "jit" else {}


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest of the library in a folder; empty if there is none that this program can read."""
    try:
        found = json.loads((folder / MANIFEST).read_text("utf-8"))
        check_shape(found, _SHAPE, "kernels")
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        _not_used(folder / MANIFEST, error_text(error))
        return {}
    return dict(found)


def digest_of(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()[:32]


def _not_used(file: Path, why: str) -> None:
    sys.stderr.write(f"casino_env: {file} cannot be used ({why}); run casino compile to make it again\n")


@functools.cache
def _module() -> Any:
    """Load the extension module of the best level that this processor runs; None if no file can be loaded."""
    best = None
    for level in manifest().get("levels", []):
        path = FOLDER / file_name(level, sys.platform)
        if best is not None and not best.runs(level):
            break
        try:
            if digest_of(path) != manifest()["files"].get(path.name):  # a truncated file would kill the process
                raise ImportError("cut off or damaged")
            loader = importlib.machinery.ExtensionFileLoader("_casino_kernels", str(path))
            spec = importlib.util.spec_from_loader("_casino_kernels", loader)
            assert spec is not None
            module = importlib.util.module_from_spec(spec)
            loader.exec_module(module)
            for row in manifest()["entries"].values():
                module.entry(row["symbol"], row["takes"], row["returns"])
            best = module
        except (ImportError, OSError, ValueError) as error:
            _not_used(path, error_text(error))
            break
    return best


@functools.cache
def changed() -> frozenset[str]:
    """Return the modules whose files have changed since the library was made."""
    return frozenset(name for name, then in manifest().get("sources", {}).items() if file_digest(name) != then)


def find_unchanged(function: Callable[..., Any]) -> Callable[..., Any] | None:
    """Return an entry's machine code if no file that it may depend on has changed: a quick check at import."""
    module = manifest().get("modules", {}).get(function.__module__)
    if module is None or changed() & set(module):
        return None
    return find(function, manifest()["entries"].get(_name(function), {}).get("digest", ""))


def find(function: Callable[..., Any], digest: str) -> Callable[..., Any] | None:
    """Return an entry's machine code if the library has it with this digest; else None."""
    name = _name(function)
    row = manifest().get("entries", {}).get(name)
    if row is None or row["digest"] != digest or _module() is None or row["takes"] != taken(function):
        if MODE == "library":
            raise ImportError(f"casino_env: the library has no {name} as it is now; make it again: casino compile")
        return None
    found: Callable[..., Any] = _module().entry(row["symbol"], row["takes"], row["returns"])
    return found


def _name(function: Callable[..., Any]) -> str:
    return f"{function.__module__}.{function.__name__}"


def pin(arguments: Any) -> Any:
    """Check a named tuple once that is passed to entries many times; return an object to pass in its place.
    Its arrays must stay where they are in memory (their contents may change)."""
    return _module().pin(letters(cast("Any", type(arguments))), arguments) if _module() is not None else arguments


def unpin(argument: Any) -> Any:
    """Return the tuple behind a pinned object, for kernels that numba compiles on this machine."""
    return _module().unpin(argument) if _module() is not None else argument
