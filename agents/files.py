"""Files that survive kills, full disks, two writers at once and flipped bits.

Files are written under a temporary name and renamed, and have a checksum; a folder has one writer at a time.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from casino_env import machine
from casino_env.validate import decoded, parse_json

UNFINISHED = ".unfinished"
_LEFT = re.compile(rf".+\.[0-9a-f]{{8}}{UNFINISHED}")  # the names that `unfinished` gives
_LOCK = ".lock"
_SEAL = ', "checksum": "'  # the last key of sealed JSON
_INNERMOST = re.compile(r"\{[^{}\[\]]*\}|\[[^{}\[\]]*\]")
_BIGGEST = 2**30  # most bytes of a file that are read; ours are smaller


class DamagedFileError(ValueError):
    """A file differs from what was written to it; the message names the file."""


# --- whole files -------------------------------------------------------------------------------------------------


def out_file(name: str) -> Path:
    """An output file for argparse: refuse a folder, or what cannot be written, before long work begins."""
    return _for_argparse(check_file, name)


def out_folder(name: str) -> Path:
    """An output folder for argparse, which need not exist yet; see out_file."""
    return _for_argparse(check_folder, name)


def _for_argparse(check: Callable[[Path], None], name: str) -> Path:
    if name == "-":  # elsewhere standard output; people who mean a file of this name write ./-
        raise argparse.ArgumentTypeError("'-' is standard output, which is for messages; give a name")
    try:
        check(Path(name))
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return Path(name)


def check_file(path: Path) -> None:
    """Raise ValueError if write_file could not write this file, nor make the folders above it."""
    if not path.name or os.path.isdir(path):  # Path.is_dir would raise where it may not look
        raise ValueError(f"{str(path)!r} is a folder; give a file")
    if os.path.exists(path) and (os.path.islink(path) or not os.path.isfile(path)):  # written in place
        if not os.access(path, os.W_OK):
            raise ValueError(f"{str(path)!r} cannot be written")
    else:
        check_folder((path.resolve() if os.path.islink(path) else path).parent, path)


def check_folder(path: Path, what: Path | None = None) -> None:
    """Raise ValueError if nothing can be written to this folder, or if it cannot be made."""
    folder = next(filter(os.path.exists, (path, *path.parents)), path)
    if not (os.path.isdir(folder) and os.access(folder, os.W_OK)):
        raise ValueError(f"{str(what or path)!r} cannot be written: {str(folder)!r} is not a writable folder")


def write_file(path: Path, data: bytes) -> None:
    """Write a file atomically (temporary file, fsync, rename): a kill or a power cut leaves the old file.

    Links, devices and pipes are written in place, because renaming would replace them by a file.
    """
    if path.is_symlink() or (path.exists() and not (path.is_file() or path.is_dir())):
        with named(path):
            path.write_bytes(data)
        return
    beside = unfinished(path)
    try:
        with named(path), beside.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    machine.sync_folder(path.parent)


@contextmanager
def named(path: Path) -> Iterator[None]:
    """Add the path to an OSError without one, such as that of a full disk."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(path)
        raise


def unfinished(path: Path) -> Path:
    """A unique temporary name beside a path."""
    return path.with_name(f"{path.name[:200]}.{secrets.token_hex(4)}{UNFINISHED}")


def read_file(path: Path) -> bytes:
    """The bytes of a regular file."""
    return ordinary(path).read_bytes()


def ordinary(path: Path) -> Path:
    """Return the path of a regular file; raise ValueError for folders, devices and pipes, and for files too large."""
    found = path.stat()
    if stat.S_ISDIR(found.st_mode) or not stat.S_ISREG(found.st_mode):
        raise ValueError(f"{path}: is a {'folder' if stat.S_ISDIR(found.st_mode) else 'device'}, not a file")
    if found.st_size > _BIGGEST:
        raise ValueError(f"{path}: {found.st_size:,} bytes, too large for a file of this program")
    return path


def read_text(path: Path) -> str:
    return as_text(read_file(path), str(path))


def as_text(data: bytes, name: str) -> str:
    try:
        return decoded(data, name)
    except ValueError as error:
        raise DamagedFileError(str(error)) from None


def parse(text: str, name: str) -> Any:
    """Parse standard JSON; raise DamagedFileError, which names the file."""
    try:
        return parse_json(text, name)
    except ValueError as error:
        raise DamagedFileError(f"not JSON: {error}") from None


# --- checksums ---------------------------------------------------------------------------------------------------


def checksum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]


def seal(data: dict[str, Any], indent: int | None = None) -> str:
    """JSON text whose last key is a checksum of all text before it. Raise ValueError for values that JSON cannot hold.

    indent: put each key on a line of its own, but keep each innermost table or list on one line.
    """
    text = json.dumps(data, indent=indent, allow_nan=False)[:-1].rstrip()
    text = _INNERMOST.sub(lambda found: re.sub("\n *", " ", found[0]), text)
    return f'{text}{_SEAL}{checksum(text.encode())}"}}'


def is_sealed(text: str) -> bool:
    """Whether the text has a checksum; files of older versions have none."""
    return _SEAL in text


def unseal(text: str, name: str) -> dict[str, Any]:
    """Read sealed JSON; raise DamagedFileError if it differs in any byte from what was written."""
    body, mark, rest = text.removesuffix("\n").rpartition(_SEAL)
    if not mark:
        raise DamagedFileError(f"{name}: damaged, or written by an older version: it has no checksum")
    if rest != f'{checksum(body.encode("utf-8", "surrogatepass"))}"}}':
        raise DamagedFileError(f"{name}: damaged: its checksum does not match")
    data = parse(body + "}", name)
    if not isinstance(data, dict):
        raise DamagedFileError(f"{name}: damaged: not a JSON object")
    return data


# --- one writer at a time ----------------------------------------------------------------------------------------


class Lock:
    """The write lock of a folder, which is created if missing; unfinished files of an earlier writer are removed.

    Raise ValueError if another process, or another lock in this one, holds it. The lock of a killed writer is released.
    """

    def __init__(self, folder: Path, what: str) -> None:
        self.folder = folder
        check_folder(folder)
        folder.mkdir(parents=True, exist_ok=True)
        self._handle = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            machine.lock(self._handle)
        except (BlockingIOError, PermissionError):
            self.close()
            raise ValueError(f"{folder}: another process is writing this {what}") from None
        for place in (folder, *(path for path in folder.iterdir() if path.is_dir() and not path.is_symlink())):
            for left in place.glob(f"*{UNFINISHED}"):
                if _LEFT.fullmatch(left.name) and left.is_file():  # other files of such a name are not ours
                    left.unlink()

    def close(self) -> None:
        handle, self._handle = getattr(self, "_handle", -1), -1
        if handle >= 0:
            os.close(handle)

    __del__ = close


def locked(folder: Path, what: str) -> closing[Lock]:
    """Hold the write lock of a folder inside a `with` block; see Lock."""
    return closing(Lock(folder, what))


# --- rows --------------------------------------------------------------------------------------------------------


def write_journal(path: Path, rows: list[dict[str, Any]]) -> None:
    """Write a file of sealed lines atomically."""
    write_file(path, "".join(seal(row) + "\n" for row in rows).encode())


def read_journal(path: Path) -> list[dict[str, Any]]:
    """Read the rows of a journal; raise DamagedFileError, or ValueError if another program wrote the file."""
    *lines, rest = read_file(path).split(b"\n")
    if (lines or rest) and not is_sealed(as_text((lines or [rest])[0], f"{path}, line 1")):
        raise ValueError(f"{path}, line 1: written by another program, or by an older version: it has no checksum")
    if rest:
        raise DamagedFileError(f"{path}, line {len(lines) + 1}: damaged: the line is not complete")
    rows = [unseal(as_text(line, f"{path}, line {n}"), f"{path}, line {n}") for n, line in enumerate(lines, 1)]
    return [row for row in rows if "format" not in row]  # the first line of older versions names a format
