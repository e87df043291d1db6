"""How long functions and files are: `make lengths`.

Nine of ten functions stay below 25 lines, none goes beyond 60, no file beyond 450.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parent.parent
PARTS = ("casino_env", "agents", "train", "evaluate", "play", "examples", "docs", "tests")
NINE_OF_TEN, MOST, FILE = 25, 60, 450
LONG_FILES = {"tests/reference_engine.py"}  # it follows the text of the rules case by case


def functions() -> Iterator[tuple[int, str]]:
    """(lines, place) of every function, its decorators and docstring included, inner functions not on their own."""
    for path in files():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield (node.end_lineno or 0) - node.lineno + 1, f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"


def files() -> list[Path]:
    return sorted(path for part in PARTS for path in (ROOT / part).rglob("*.py"))


def main() -> int:
    found = sorted(functions(), reverse=True)
    lengths = [length for length, _ in found]
    sizes = sorted(
        ((len(path.read_text().splitlines()), str(path.relative_to(ROOT))) for path in files()), reverse=True
    )
    nine = float(np.percentile(lengths, 90))
    print(f"{len(lengths):,} functions: median {np.median(lengths):.0f} lines, nine of ten up to {nine:.0f}")
    print("\n".join(f"  {length:>4} {place}" for length, place in found[:8]))
    print(f"{len(sizes)} files: median {np.median([size for size, _ in sizes]):.0f} lines")
    print("\n".join(f"  {size:>4} {name}" for size, name in sizes[:8]))
    long = [name for size, name in sizes if size > FILE and name not in LONG_FILES]
    return int(nine >= NINE_OF_TEN or lengths[0] > MOST or bool(long))


if __name__ == "__main__":
    sys.exit(main())
