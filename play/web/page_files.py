"""The table in the browser as a folder of static files, which any static host can serve.

index.html and the files that browsers expect beside it lie at the top. All others lie under v/VERSION/, where VERSION
is a digest of them: a page never mixes files of two versions, whatever a host or a browser has cached.
"""

from __future__ import annotations

import functools
import gzip
import hashlib
import html
import json
import posixpath
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent  # in a checkout, without the link casino_env/play
_KINDS = {".css", ".html", ".js", ".json", ".png", ".svg", ".webmanifest", ".woff2"}
ENGINE = ("casino/dist/casino.wasm", "casino/dist/facts.json")
POLICIES = "policies/index.json"  # made from facts.json
FILES = "files.json"  # digest and size of every file of the version: unchanged ones stay cached in the next version
BUNDLE = "dist/page"  # folder of the package with the bundled scripts (make wasm)
_SCRIPTS = ("main.js", "casino/src/agents/worker.js")
_TOP = ("index.html", "sw.js", "manifest.webmanifest", "icons/")
_IMPORT = re.compile(r"""\b(?:import|export)\b[^;"'()]*?["'](\.[^"']+)["']""")
NOBODY: dict[Path, Any] = {}
_STUN = re.compile(r"stuns?:[\w.-]+(:\d{1,5})?")
_LINK = re.compile(r'((?:href|src)=")([^":#]+)(")')


def _package() -> Path:
    """Return the JavaScript package: inside an installed package, else that of the checkout."""
    return next((each for each in (HERE / "casino", HERE.parents[1] / "packages/casino") if each.is_dir()), HERE)


def page_files() -> dict[str, Path]:
    """Return the files of the version by their place in it; raises ValueError if the engine has not been built.

    These are the page itself, the JavaScript package under casino/, and the policies under policies/.
    """
    package, policies = _package(), HERE.parents[1] / "agents/policies"
    if not all((package.parent / place).is_file() for place in ENGINE):
        raise ValueError(
            "the page has no engine: run `casino compile --target wasm32 --to packages/casino/dist` in a checkout"
        )
    files = {_place(HERE / "page", path): path for path in _within(HERE / "page")}
    files |= {"casino/src/" + _place(package / "src", path): path for path in _within(package / "src")}
    bundle = _within(package / BUNDLE)
    if bundle and (package == HERE / "casino" or is_newer(bundle, files.values())):
        files = {place: path for place, path in files.items() if not place.endswith(".js") or place in _TOP}
        files |= {_place(package / BUNDLE, path): path for path in bundle}
    files |= {place: package.parent / place for place in ENGINE}
    files |= {f"policies/{path.name}": path for path in policies.iterdir() if path.suffix in (".json", ".safetensors")}
    return dict(sorted(files.items()))


def is_newer(bundle: list[Path], sources: Iterable[Path]) -> bool:
    """Whether the bundle is up to date, as make would judge: written after the last of these scripts."""
    made = min(path.stat().st_mtime_ns for path in bundle)
    return all(path.stat().st_mtime_ns <= made for path in sources if path.suffix == ".js")


class Page:
    """The files of a version, by their addresses relative to the page."""

    def __init__(self, stun: str = "", guests: Mapping[Path, Any] = NOBODY) -> None:
        """stun: STUN server `stun:HOST:PORT`, by which live games connect across networks. guests: packed policies to
        offer beside the page's own, each with the game that it has learnt."""
        if stun and not _STUN.fullmatch(stun):
            raise ValueError(f"{stun[:60]!r} is not a STUN server; write stun:HOST:PORT")
        self._stun, self._guests = stun, json.dumps([{"file": path.name, **game} for path, game in guests.items()])
        self._files = page_files() | {f"policies/{path.name}": path for path in guests}
        wasm, facts = (self._files.pop(place).read_bytes() for place in ENGINE)
        made = {f"{place}.gz": packed(data) for place, data in zip(ENGINE, (wasm, facts), strict=True)}
        made[POLICIES] = json.dumps(json.loads(facts)["policies"]).encode()
        self._digests = {place: _digest_of(path) for place, path in self._files.items() if not place.startswith(_TOP)}
        told = self._digests | {place: _digest(data) for place, data in made.items()}
        made[FILES] = json.dumps(dict(sorted(told.items()))).encode()
        self.version = hashlib.sha256(made[FILES]).hexdigest()[:12]
        self._made = {f"v/{self.version}/{place}": data for place, data in made.items()}
        self._made["index.html"] = self._first_page()

    @property
    def addresses(self) -> list[str]:
        inner = (self._address(place) for place in self._files)
        return sorted({*inner, *self._made})

    def read(self, address: str) -> bytes:
        """Return the data at an address; raises KeyError if it is not of this version or the file has changed since,
        OSError if the file is gone."""
        if address in self._made:
            return self._made[address]
        place = address.removeprefix(f"v/{self.version}/")
        data = self._files[place].read_bytes()
        if self._address(place) != address or self._digests.get(place, _digest(data)) != _digest(data):
            raise KeyError(address)
        return data

    def _address(self, place: str) -> str:
        return place if place.startswith(_TOP) else f"v/{self.version}/{place}"

    def _first_page(self) -> bytes:
        """Return index.html with the addresses of this version, and with preload links for all scripts, so that a
        browser fetches them at once and not import by import."""
        scripts = [place for place in self._scripts() if place != _SCRIPTS[0]]
        named = "".join(f'<link rel="modulepreload" href="{place}">' for place in scripts)
        text = self._files["index.html"].read_text("utf-8").replace("</head>", f"{named}\n</head>", 1)
        text = text.replace('name="stun" content=""', f'name="stun" content="{self._stun}"', 1)
        text = text.replace('name="guests" content="[]"', f'name="guests" content="{html.escape(self._guests)}"', 1)
        return _LINK.sub(lambda link: link[1] + self._address(link[2]) + link[3], text).encode()

    def _scripts(self) -> list[str]:
        """Return the scripts of the page and its worker with all their imports, nearest first."""
        found = [place for place in (*_SCRIPTS, "worker.js") if place in self._files]
        for place in found:
            for path in _IMPORT.findall(self._files[place].read_text("utf-8")):
                whole = posixpath.normpath(posixpath.join(posixpath.dirname(place), path))
                if whole in self._files and whole not in found:
                    found.append(whole)
        return found


def write_page(folder: Path, stun: str = "", guests: Mapping[Path, Any] = NOBODY) -> str:
    """Write the page into a new or empty folder, or over an older page. Returns a line with its size."""
    page = Page(stun, guests)
    before = folder / "index.html"
    if folder.exists() and any(folder.iterdir()) and not ((folder / "v").is_dir() and before.is_file()):
        raise ValueError(f"{folder}: contains other files; choose a new folder")
    last = re.search(r'"v/(\w+)/', before.read_text("utf-8")) if before.is_file() else None
    sizes = {"page": 0, "engine": 0, "policies": 0}
    for address in sorted(page.addresses, key="index.html".__eq__):  # index.html last, after all files that it names
        data, target = page.read(address), folder / address
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        inner = address.removeprefix(f"v/{page.version}/")
        sizes[{"casino": "engine", "policies": "policies"}.get(inner.split("/")[0], "page")] += len(packed(data))
    _forget(folder / "v", {page.version, last[1] if last else ""})
    parts = ", ".join(f"{name} {size / 1024:,.0f} KB" for name, size in sizes.items())
    return f"{folder}: {len(page.addresses)} files; compressed {parts}; a visit loads only what it needs"


def _forget(versions: Path, kept: set[str]) -> None:
    """Delete old versions, but keep the last one: open pages may still load its files."""
    for old in versions.iterdir():
        if old.name not in kept:
            for path in sorted(old.rglob("*"), reverse=True):
                path.rmdir() if path.is_dir() else path.unlink()
            old.rmdir()


def packed(data: bytes) -> bytes:
    return gzip.compress(data, 6, mtime=0)


def _digest(data: bytes) -> list[str | int]:
    return [hashlib.sha256(data).hexdigest()[:16], len(data)]


def _digest_of(path: Path) -> list[str | int]:
    stat = path.stat()
    return _read(path, stat.st_mtime_ns, stat.st_size)


@functools.lru_cache(4096)
def _read(path: Path, _written: int, _size: int) -> list[str | int]:
    return _digest(path.read_bytes())


def _within(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.suffix in _KINDS and not path.name.startswith(".")]


def _place(folder: Path, path: Path) -> str:
    return path.relative_to(folder).as_posix()
