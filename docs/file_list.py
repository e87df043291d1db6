"""Write docs/files.md for `make docs`: the first line of every file, by folder in reading order."""

import ast
import itertools
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("casino_env", "agents", "evaluate", "train", "play", "configs", "examples", "benchmarks", "tests", "docs")
# Subfolders whose reading order is not alphabetical.
FLOORS = {
    "casino_env": ("compiler", "aot", "engine", "knowledge", "drawing", "envs"),
    "agents": ("scripted", "policy", "search", "solver", "protocol"),
    "evaluate": ("matches", "commands"),
    "train": ("rollouts", "algorithms", "commands"),
}
_COMMENT = re.compile(r"#|//|/\*")


def page() -> str:
    """Return the page: a heading for every folder, a row for every file with a first line."""
    lines = ["# Files", "", "What each file is, by its first line; in a folder, after those that it imports.", ""]
    for folder in folders():
        name = folder.relative_to(ROOT).as_posix()
        rows = [f"| `{path.name}` | {said} |" for path, said in told(folder)]
        if rows:
            about = first_line(folder / "__init__.py")
            lines += [f"{'#' * (2 + name.count('/'))} {name}/", "", *([about, ""] if about else [])]
            lines += ["| file | what it is |", "| --- | --- |", *rows, ""]
    return "\n".join(lines)


def folders() -> Iterator[Path]:
    for name in FOLDERS:
        yield from _and_below(ROOT / name, FLOORS.get(name, ()))


def _and_below(folder: Path, order: tuple[str, ...] = ()) -> Iterator[Path]:
    yield folder
    below = {path.name: path for path in sorted(folder.iterdir()) if _has_files(path)}
    for name in (*order, *(name for name in below if name not in order)):
        yield from _and_below(below[name])


def _has_files(path: Path) -> bool:
    """Whether a path is a real folder: casino_env/ also has links to folders beside it."""
    return path.is_dir() and not path.is_symlink() and path.name != "__pycache__"


def told(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield the files of a folder with their first lines: Python files in import order, then others."""
    modules = in_reading_order({path.stem: path for path in folder.glob("*.py") if path.stem != "__init__"})
    others = sorted(path for path in folder.iterdir() if path.is_file() and path.suffix != ".py")
    for path in (*modules, *others):
        said = first_line(path)
        if said:
            yield path, said


def in_reading_order(modules: dict[str, Path]) -> list[Path]:
    """Sort modules by name, but each after the modules of its folder that it imports."""
    ordered: list[Path] = []

    def visit(name: str) -> None:
        path = modules.pop(name)
        for imported in sorted(imported_names(path)):
            if imported in modules:
                visit(imported)
        ordered.append(path)

    for name in sorted(modules, key=lambda name: (name == "__main__", name)):
        if name in modules:
            visit(name)
    return ordered


def imported_names(path: Path) -> set[str]:
    """Return the modules of its own folder that a file imports at the top level."""
    inside = path.parent.relative_to(ROOT).parts
    package = ".".join(inside if inside[0] == "casino_env" else ("casino_env", *inside))
    found: set[str] = set()
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module == package:
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            folder, _, name = node.module.rpartition(".")
            found |= {name} if folder == package else set()
    return found


def first_line(path: Path) -> str:
    """Return the beginning of a file's docstring or comment, up to the first line that ends with a sentence."""
    said = ""
    for line in _opening(path):
        said = f"{said} {line}".strip()
        if not line or said.endswith((".", "?")):
            break
    return said


def _opening(path: Path) -> list[str]:
    if not path.is_file():
        return []
    if path.suffix == ".py":
        return (ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "").splitlines()
    if path.suffix in (".js", ".css", ".tcss", ".toml", ".sh"):
        lines = path.read_text("utf-8").removeprefix("#!/usr/bin/env bash\n").splitlines()
        comment = itertools.takewhile(_COMMENT.match, lines)
        return [_COMMENT.sub("", line).removesuffix("*/").strip() for line in comment]
    return []


if __name__ == "__main__":
    (ROOT / "docs/files.md").write_text(page(), "utf-8")
