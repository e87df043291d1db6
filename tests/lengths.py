"""How long functions, files and argument lists of kernels are: `make lengths`."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parent.parent
PARTS = ("casino_env", "agents", "train", "evaluate", "play", "examples", "benchmarks", "docs", "tests")
KERNELS = {"kernel", "allocating", "fast_kernel", "inlined", "entry", "fast_entry"}  # the decorators that make one
NINE_OF_TEN, FUNCTION, FILE, ARGUMENTS = 17, 60, 350, 8  # at most
LONG_FILES = {"tests/reference_engine.py"}  # it follows the text of the rules case by case

Function = ast.FunctionDef | ast.AsyncFunctionDef


def files() -> Iterator[tuple[str, str]]:
    """Path and text of every source."""
    for part in PARTS:
        for path in sorted((ROOT / part).rglob("*.py")):
            yield path.relative_to(ROOT).as_posix(), path.read_text()


def functions(source: str) -> Iterator[Function]:
    """Those inside others as well."""
    return (node for node in ast.walk(ast.parse(source)) if isinstance(node, Function))


def lines_of(function: Function) -> int:
    """From def to its last line, docstring included."""
    return (function.end_lineno or 0) - function.lineno + 1


def is_kernel(function: Function) -> bool:
    return any(ast.unparse(decorator).rpartition(".")[2] in KERNELS for decorator in function.decorator_list)


def arguments_of(function: Function) -> int:
    return len(function.args.posonlyargs + function.args.args + function.args.kwonlyargs)


def too_long(path: str, source: str) -> list[str]:
    """What goes beyond the limits in a file; one line each."""
    size = len(source.splitlines())
    found = [f"{path}: {size} lines, at most {FILE}"] if size > FILE and path not in LONG_FILES else []
    for function in functions(source):
        place = f"{path}:{function.lineno}: {function.name}"
        if lines_of(function) > FUNCTION:
            found.append(f"{place}: {lines_of(function)} lines, at most {FUNCTION}")
        if is_kernel(function) and arguments_of(function) > ARGUMENTS:
            found.append(f"{place}: a kernel of {arguments_of(function)} arguments, at most {ARGUMENTS}")
    return found


def main() -> int:
    sizes, lengths, kernels = [], [], [0]
    found = []
    for path, source in files():
        sizes.append(len(source.splitlines()))
        lengths += [lines_of(function) for function in functions(source)]
        kernels += [arguments_of(function) for function in functions(source) if is_kernel(function)]
        found += too_long(path, source)
    nine = int(np.percentile(lengths, 90))
    if nine > NINE_OF_TEN:
        found.append(f"nine of ten functions have up to {nine} lines, at most {NINE_OF_TEN}")
    print(f"{len(lengths):,} functions: nine of ten up to {nine} lines, the longest {max(lengths)}")
    print(f"{len(sizes)} files: median {np.median(sizes):.0f} lines; kernels: {max(kernels)} arguments at most")
    print("\n".join(found), end="\n" if found else "")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
