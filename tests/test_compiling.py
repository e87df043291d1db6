"""Kernels: which Python may call, what each is kept by, and that one command compiles all of them."""

import ast
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from numba.core import dispatcher

import casino_env
from casino_env import Game, observe
from casino_env.agents.registry import make_agent
from casino_env.compiler import jit
from casino_env.compiler.jit import sources

ROOT = Path(__file__).parent.parent
PARTS = ("casino_env", "agents", "evaluate", "train", "benchmarks")
_INNER, _ENTRIES = {"kernel", "allocating", "fast_kernel", "inlined"}, {"entry", "fast_entry"}

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
    return {_module(path): ast.parse(path.read_text()) for path in files}


def _module(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts if parts[0] in ("casino_env", "benchmarks") else ("casino_env", *parts))


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
    assert {"casino_env.engine.entrypoints", "casino_env.envs.batch"} <= homes
    for module in homes:
        file = ROOT.joinpath(*module.split(".")).with_suffix(".py")
        for source in sources(file):
            parts = source.relative_to(ROOT).parts
            assert not {"drawing", "commands", "terminal", "web", "report", "protocol"} & set(parts), (module, source)
            assert parts[-1] not in ("cli.py", "game.py", "position.py", "pettingzoo.py", "gymnasium.py")


def test_what_a_kernel_calls_is_part_of_its_key() -> None:
    found = sources(ROOT / "casino_env/engine/entrypoints.py")
    for name in (
        "engine/turn.py",
        "engine/reading.py",
        "engine/action_set.py",
        "compiler/jit.py",
        "rules.py",
        "cards.py",
    ):
        assert ROOT / "casino_env" / name in found


_EVERYTHING = """
from casino_env.warmup import compile_all
from casino_env.compiler.numba_backend import Entry
compile_all(lambda line: None)
print(*sorted(f"{e.py_func.__module__}.{e.py_func.__name__}" for e in Entry.all if not e.signatures))
"""


@pytest.mark.slow
def test_one_command_compiles_every_entry() -> None:
    done = subprocess.run([sys.executable, "-c", _EVERYTHING], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


_READY = """
from casino_env.agents.registry import make_agent
from casino_env.compiler.numba_backend import Entry
make_agent("search:policy=khasino-2,time=0.1")
thinking = ("search", "policy.lookahead", "solver.alpha_beta")
here = tuple(f"casino_env.agents.{name}" for name in thinking)
entries = [e for e in Entry.all if e.py_func.__module__.startswith(here)]
print(len(entries) > 9, *(e.py_func.__name__ for e in entries if not e.signatures))
"""


@pytest.mark.slow
def test_a_search_by_time_has_its_kernels_before_it_decides() -> None:
    """To load them takes longer than the decision may."""
    done = subprocess.run([sys.executable, "-c", _READY], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True"]


def test_where_kernels_cannot_be_kept_they_are_compiled_anew(tmp_path: Path) -> None:
    """Never kept beside the sources, where a change elsewhere would go unnoticed."""
    (tmp_path / "file").touch()
    code = "from casino_env.compiler import jit; print(type(jit._cache(jit.highest.py_func)).__name__)"
    for folder, kept in (("file", "NullCache"), ("folder", "FunctionCache")):
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True,
            env=os.environ | {"CASINO_ENV_CACHE": str(tmp_path / folder)},
        )  # fmt: skip
        assert done.stdout.split() == [kept]
        assert done.stderr.count("kernels are compiled anew each time") == (kept == "NullCache")


def test_the_parts_of_the_project_find_each_other_wherever_they_lie(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new version of the engine must not find kernels of the old one: in a checkout, in a wheel, without links."""
    module = ROOT / "casino_env/agents/scripted/choosing.py"
    found = sources(module)
    assert {module, ROOT / "casino_env/engine/state.py", ROOT / "casino_env/agents/scripted/facts.py"} <= found
    monkeypatch.setattr(casino_env, "__path__", [str(ROOT / "casino_env"), str(ROOT)])
    assert jit._file_of("casino_env.agents.base") == ROOT / "casino_env/agents/base.py"
    monkeypatch.setattr(casino_env, "__path__", [str(ROOT / "casino_env/engine"), str(ROOT)])
    assert jit._file_of("casino_env.agents.base") == ROOT / "agents/base.py"
    assert jit._file_of("casino_env.agents.nothing") is None


def test_environments_with_other_compilers_share_no_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    file = ROOT / "casino_env/engine/entrypoints.py"
    before = jit._cache_folder.__wrapped__(file)
    assert before == jit._cache_folder.__wrapped__(file)
    monkeypatch.setattr(numba, "__version__", "0.0")
    assert before != jit._cache_folder.__wrapped__(file)


@jit.allocating
def _zeros(n):
    return np.zeros(n, np.int64)


@jit.kernel
def _first_zero(n):
    return _zeros(n)[0]


@jit.allocating
def _first_zero_freed(n):
    return _zeros(n)[0]


@jit.entry
def _every_other(numbers):
    return jit.items_of(numbers[::2])[1]


def test_arrays_that_nobody_would_free_are_refused() -> None:
    assert _first_zero_freed(3) == 0
    with pytest.raises(TypeError, match="_first_zero gets arrays that another kernel made"):
        _first_zero(3)


def test_items_of_wants_numbers_that_lie_one_after_the_other() -> None:
    with pytest.raises(TypeError, match="do not lie one after the other"):
        _every_other(np.arange(4))


def test_python_hands_entries_what_they_were_compiled_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Flags are compiled as whole numbers: with a bool numba would look for the right version anew at every call, for
    milliseconds."""
    looked: Counter[str] = Counter()
    look = getattr(dispatcher._DispatcherBase, "_compile_for_args")  # noqa: B009 - its stubs leave it out

    def counted(self: Any, *args: Any, **kwargs: Any) -> Any:
        looked[self.py_func.__qualname__] += 1
        return look(self, *args, **kwargs)

    monkeypatch.setattr(dispatcher._DispatcherBase, "_compile_for_args", counted)
    for name in ("search:policy=south-african-2,sims=40", "search:sims=10", "solved:counter", "policy:south-african-2"):
        agent, game = make_agent(name), Game("south-african", 2, seed=1)
        agent.reset(0, np.random.default_rng(0))
        while not game.over:
            game.apply(agent.act(observe(game)))
    assert all(times <= 2 for times in looked.values()), looked
