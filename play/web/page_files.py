"""The table in the browser as a static folder: what lies where in it. Any static host serves it as it is written."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

HERE = Path(__file__).resolve().parent  # in a checkout not by way of the link casino_env/play
_KINDS = {".css", ".html", ".js", ".json", ".png", ".svg", ".webmanifest"}
ENGINE = ("casino/dist/casino.wasm", "casino/dist/facts.json")
INDEX = "policies/index.json"


def page_files() -> dict[str, Path]:
    """By its place in the folder the file that lies there; raises ValueError if the engine has not been built.

    The page itself, the package for JavaScript under casino/, the policies under policies/. INDEX is made of the facts.
    """
    package = next((each for each in (HERE / "casino", HERE.parents[1] / "packages/casino") if each.is_dir()), None)
    policies = HERE.parents[1] / "agents/policies"
    if package is None or not all((package.parent / place).is_file() for place in ENGINE):
        raise ValueError(
            "the page has no engine: run `casino compile --target wasm32 --to packages/casino/dist` in a checkout"
        )
    files = {_place(HERE / "page", path): path for path in _within(HERE / "page")}
    files |= {"casino/src/" + _place(package / "src", path): path for path in _within(package / "src")}
    files |= {place: package.parent / place for place in ENGINE}
    files |= {f"policies/{path.name}": path for path in policies.iterdir() if path.suffix in (".json", ".safetensors")}
    return dict(sorted(files.items()))


def page_bytes(files: dict[str, Path], place: str) -> bytes:
    """What lies there; raises KeyError for what is no place, OSError for a file that has gone."""
    if place == INDEX:
        return json.dumps(json.loads(files[ENGINE[1]].read_bytes())["policies"]).encode()
    return files[place].read_bytes()


def write_page(folder: Path) -> str:
    """Into a new or empty folder, or over an older page. Returns a line that says how large it is."""
    files = page_files()
    if folder.exists() and any(folder.iterdir()) and not (folder / ENGINE[0]).is_file():
        raise ValueError(f"{folder}: has something else in it; name a new folder")
    sizes = {"page": 0, "engine": 0, "policies": 0}
    for place in [*files, INDEX]:
        data, target = page_bytes(files, place), folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        sizes[{"casino": "engine", "policies": "policies"}.get(place.split("/")[0], "page")] += len(packed(data))
    parts = ", ".join(f"{name} {size / 1024:,.0f} KB" for name, size in sizes.items())
    return f"{folder}: {len(files) + 1} files; compressed {parts}, of which a visit loads what it plays with"


def packed(data: bytes) -> bytes:
    return gzip.compress(data, 6, mtime=0)


def _within(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.suffix in _KINDS and not path.name.startswith(".")]


def _place(folder: Path, path: Path) -> str:
    return path.relative_to(folder).as_posix()
