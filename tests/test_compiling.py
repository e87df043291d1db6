"""Kernels: which Python may call, what each is kept by, and that one command compiles all of them."""

import ast
import multiprocessing
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import numba
import numpy as np
import pytest
from numba.core import dispatcher

from agents.registry import make_agent
from casino_env import Game, observe
from casino_env.compiling import parts
from casino_env.engine import beside, jit
from casino_env.engine.jit import sources

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


_READY = """
from agents.registry import make_agent
from casino_env.engine.inner import Entry
make_agent("search:policy=khasino-2,time=0.1")
thinking = ("agents.search", "agents.policy.lookahead", "agents.solver.value", "agents.solver.alpha_beta")
entries = [e for e in Entry.all if e.py_func.__module__.startswith(thinking)]
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
    code = "from casino_env.engine import jit; print(type(jit._cache(jit.highest.py_func)).__name__)"
    for folder, kept in (("file", "NullCache"), ("folder", "FunctionCache")):
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True,
            env=os.environ | {"CASINO_ENV_CACHE": str(tmp_path / folder)},
        )  # fmt: skip
        assert done.stdout.split() == [kept]
        assert done.stderr.count("kernels are compiled anew each time") == (kept == "NullCache")


def test_in_a_wheel_the_kernels_of_casino_env_are_part_of_the_key_as_well(tmp_path: Path) -> None:
    """There agents lies below casino_env/_lab: a new version of the engine must not find kernels of the old one."""
    module = tmp_path / "agents/bot.py"
    module.parent.mkdir()
    module.write_text("from casino_env.engine.turn import apply\nfrom agents.other import thing\n")
    (tmp_path / "agents/other.py").touch()
    found = sources(module, tmp_path)
    assert {module, tmp_path / "agents/other.py", ROOT / "casino_env/engine/turn.py"} <= found
    assert ROOT / "casino_env/engine/state.py" in found


def test_environments_with_other_compilers_share_no_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    file = ROOT / "casino_env/engine/calls.py"
    before = jit._cache_folder.__wrapped__(file, ROOT)
    assert before == jit._cache_folder.__wrapped__(file, ROOT)
    monkeypatch.setattr(numba, "__version__", "0.0")
    assert before != jit._cache_folder.__wrapped__(file, ROOT)


class Process:
    """In place of one that compiles."""

    begun: ClassVar[list[str]] = []

    def __init__(self, command: list[str], **_: object) -> None:
        self.begun.append(command[-1])
        self.waited = 0

    def wait(self) -> None:
        self.waited += 1

    def poll(self) -> None:
        """It is still running."""


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setattr(Process, "begun", [])
    monkeypatch.setattr(subprocess, "Popen", Process)
    monkeypatch.setattr(beside, "_running", {})
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    monkeypatch.delenv("CASINO_ENV_BESIDE", raising=False)
    monkeypatch.setattr(multiprocessing, "parent_process", lambda: None)  # pytest-xdist's workers have none either
    return Process.begun


def entry(kept: bool) -> SimpleNamespace:
    return SimpleNamespace(__module__="agents.scripted.choosing", kept=kept)


def test_a_part_is_compiled_beside_once_and_waited_for(begun: list[str]) -> None:
    beside.begin("scripted bots", entry(kept=False))
    beside.begin("scripted bots", entry(kept=False))
    assert len(begun) == 1
    assert "compile_part('scripted bots')" in begun[0]
    process: Any = beside._running["agents.scripted"]
    beside.wait("agents.policy.tables")
    assert process.waited == 0
    beside.wait("agents.scripted.choosing")
    assert process.waited == 1


def test_nothing_is_begun_for_what_is_kept_or_by_a_worker(begun: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    beside.begin("scripted bots", entry(kept=True))
    monkeypatch.setenv("CASINO_ENV_BESIDE", "1")
    beside.begin("scripted bots", entry(kept=False))
    monkeypatch.delenv("CASINO_ENV_BESIDE")
    monkeypatch.setattr(multiprocessing, "parent_process", lambda: object())
    beside.begin("scripted bots", entry(kept=False))
    monkeypatch.setattr(multiprocessing, "parent_process", lambda: None)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)  # two threads of one core
    beside.begin("scripted bots", entry(kept=False))
    assert begun == []


def test_no_more_is_begun_than_there_are_cores(begun: list[str]) -> None:
    beside.begin("scripted bots", entry(kept=False))
    beside.begin("policies by tables", SimpleNamespace(__module__="agents.policy.lookahead", kept=False))
    assert len(begun) == 1


def test_the_parts_that_are_begun_beside_have_those_names() -> None:
    text = "".join((ROOT / f"agents/{file}/agent.py").read_text() for file in ("scripted", "policy"))
    named = set(re.findall(r'beside\.begin\("([^"]+)"', text))
    assert len(named) == 2
    assert named <= {name for name, _ in parts()}


def test_an_entry_knows_whether_it_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def twice(x):
        return x + x

    monkeypatch.setattr(jit, "_cache_folder", lambda file, root: tmp_path)
    compiled: Any = jit.entry(twice)
    assert not compiled.kept
    assert compiled(2) == 4
    assert compiled.kept


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
