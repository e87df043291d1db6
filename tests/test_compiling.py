"""Kernels: which Python may call, what each is kept by, and that one command compiles all of them."""

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from casino_env.engine.jit import sources

ROOT = Path(__file__).parent.parent
PARTS = ("casino_env", "agents", "evaluate", "train", "benchmarks")
_INNER, _ENTRIES = {"kernel", "fast_kernel"}, {"entry", "fast_entry"}

Function = tuple[str, str]  # module, name


def _kind(node: ast.AST) -> str:
    """The decorator that makes a function a kernel; empty if it is none."""
    if isinstance(node, ast.FunctionDef):
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Name) and decorator.id in _INNER | _ENTRIES:
                return decorator.id
    return ""


def _trees() -> dict[str, ast.Module]:
    files = sorted(path for part in PARTS for path in (ROOT / part).rglob("*.py"))
    return {".".join(path.relative_to(ROOT).with_suffix("").parts): ast.parse(path.read_text()) for path in files}


def _kernels(trees: dict[str, ast.Module]) -> dict[Function, str]:
    return {
        (module, node.name): _kind(node)
        for module, tree in trees.items()
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and _kind(node)
    }


def _named_by_python(module: str, tree: ast.Module, kernels: dict[Function, str]) -> Iterator[Function]:
    """The kernels whose name stands outside the kernels of a module."""
    names = {name: (home, name) for home, name in kernels if home == module}
    modules = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                here = alias.asname or alias.name
                names[here] = (node.module, alias.name)
                modules[here] = f"{node.module}.{alias.name}"
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if _kind(node):
            continue
        if isinstance(node, ast.Name) and names.get(node.id) in kernels:
            yield names[node.id]
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found = (modules.get(node.value.id, ""), node.attr)
            if found in kernels:
                yield found
        waiting += ast.iter_child_nodes(node)


def test_python_calls_entries_only() -> None:
    trees = _trees()
    kernels = _kernels(trees)
    named = {one for module, tree in trees.items() for one in _named_by_python(module, tree, kernels)}
    assert sorted(one for one in named if kernels[one] in _INNER) == [], "Python names these kernels: make them entries"
    unused = sorted(one for one, kind in kernels.items() if kind in _ENTRIES and one not in named)
    assert unused == [], "Python names none of these entries: make them kernels"


def test_a_change_in_a_drawing_or_a_command_recompiles_nothing() -> None:
    trees = _trees()
    homes = {module for (module, _), kind in _kernels(trees).items() if kind in _ENTRIES}
    assert {"casino_env.engine.calls", "casino_env.envs.batch"} <= homes
    for module in homes:
        file = ROOT.joinpath(*module.split(".")).with_suffix(".py")
        for source in sources(file, ROOT):
            parts = source.relative_to(ROOT).parts
            assert not {"drawing", "commands", "terminal", "web", "report", "protocol"} & set(parts), (module, source)
            assert parts[-1] not in ("__main__.py", "game.py", "position.py", "pettingzoo.py", "gymnasium.py")


def test_what_a_kernel_calls_is_part_of_its_key() -> None:
    found = sources(ROOT / "casino_env/engine/calls.py", ROOT)
    for name in ("engine/turn.py", "engine/ranks.py", "engine/choices.py", "rules.py", "cards.py"):
        assert ROOT / "casino_env" / name in found


_EVERYTHING = """
from casino_env.compiling import compile_all
from casino_env.engine.inner import Entry
compile_all(lambda line: None)
print(*sorted(f"{e.py_func.__module__}.{e.py_func.__name__}" for e in Entry.all if not e.signatures))
"""


@pytest.mark.slow
def test_one_command_compiles_every_entry() -> None:
    done = subprocess.run([sys.executable, "-c", _EVERYTHING], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_where_kernels_cannot_be_kept_they_are_compiled_anew(tmp_path: Path) -> None:
    """Never kept beside the sources, where a change elsewhere would go unnoticed."""
    (tmp_path / "file").touch()
    code = "from casino_env.engine import jit; print(type(jit._cache(jit.highest.py_func)).__name__)"
    for folder, kept in (("file", "NullCache"), ("folder", "FunctionCache")):
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True,
            env=os.environ | {"CASINO_ENV_CACHE": str(tmp_path / folder)},
        )  # fmt: skip
        assert done.stdout.split() == [kept]
        assert done.stderr.count("kernels are compiled anew each time") == (kept == "NullCache")
