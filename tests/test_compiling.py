"""Kernels: which ones Python may call, which sources each depends on, the library and the cache."""

import ast
import functools
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numba
import numpy as np
import pytest

import casino_env
from casino_env import golden, make_rules
from casino_env.aot import build, wasm
from casino_env.aot.build import is_current, modules_of_entries
from casino_env.aot.c_header import _OF_C
from casino_env.cli import main as casino
from casino_env.compiler import jit, kept, library
from casino_env.compiler.digests import digest, file_of
from casino_env.compiler.jit import ENTRIES, Kernel
from casino_env.compiler.types import arguments
from casino_env.engine import entrypoints
from casino_env.engine.state import GAME, rules_record

ROOT = Path(__file__).parent.parent
PARTS = ("casino_env", "agents", "evaluate", "train")
_INNER, _ENTRIES = {"kernel", "fast_kernel", "inlined"}, {"entry", "fast_entry"}

Function = tuple[str, str]  # module, name


def _kind(node: ast.AST) -> str:
    """Return the name of the decorator that makes a function a kernel; empty if it is none."""
    if isinstance(node, ast.FunctionDef):
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Name) and decorator.id in _INNER | _ENTRIES:
                return decorator.id
    return ""


def _trees(*parts: str) -> dict[str, ast.Module]:
    files = sorted(path for part in parts or PARTS for path in (ROOT / part).rglob("*.py"))
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
    """Yield the kernels that a module names outside its kernels."""
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
    named |= {one for module, tree in _trees("benchmarks").items() for one in _named_by_python(module, tree, kernels)}
    scripts = "".join(path.read_text() for path in (ROOT / "packages/casino/src").rglob("*.js"))
    named |= {one for one in kernels if f'"{".".join(one).removeprefix("casino_env.")}"' in scripts}
    named |= {one for one in kernels if ".".join(one).removeprefix("casino_env.") in _OF_C.values()}
    named.add(("casino_env.golden", "digest_deals"))  # tests call it in machine code for every target
    unused = sorted(one for one, kind in kernels.items() if kind in _ENTRIES and one not in named)
    assert unused == [], "neither Python, JavaScript nor C names these entries: make them kernels"


# --- stale entries ------------------------------------------------------------------------------------------------

_DIGESTS = """
import json, sys
from importlib import import_module
for name in sys.argv[1:]:
    import_module(name)
from casino_env.compiler.digests import digest
from casino_env.compiler.jit import ENTRIES
print(json.dumps({name: digest(entry) for name, entry in ENTRIES.items()}))
"""
_HOMES = (
    "casino_env.engine.entrypoints", "casino_env.knowledge.encode", "casino_env.agents.scripted.choosing",
    "casino_env.agents.policy.lookahead", "casino_env.agents.search.racing", "casino_env.envs.batch",
)  # fmt: skip


def _digests(root: Path) -> dict[str, str]:
    # -B: Python would take cached bytecode for a changed file of the same size and the same second
    done = subprocess.run(
        [sys.executable, "-B", "-c", _DIGESTS, *_HOMES], cwd=root, capture_output=True, text=True, check=False,
        env=os.environ | {"PYTHONPATH": str(root), "CASINO_ENV_KERNELS": "jit"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """Copy the sources; return the folder and the digests of its entries."""
    root = tmp_path_factory.mktemp("tree")
    for part in PARTS:
        leave = shutil.ignore_patterns("__pycache__", "library", "agents", "evaluate", "train", "play", "configs")
        shutil.copytree(ROOT / part, root / part, ignore=leave if part == "casino_env" else None)
    return root, _digests(root)


@pytest.mark.parametrize(
    ("file", "line", "becomes", "stale"),
    [
        ("agents/scripted/bots.py", r"^BOTS.*= \{", r'\g<0>"newest": Bot(blind=True),', ""),
        ("casino_env/presets.py", r"^PRESETS.*= \{", r'\g<0>"newest": Preset(_MINI, {2: {}}),', ""),
        ("casino_env/engine/legal.py", '^"""', r"\g<0>New: ", ""),
        ("casino_env/validate.py", "must be", "has to be", ""),
        ("casino_env/engine/scoring.py", r"^@kernel\ndef .*\n", r'\g<0>    """New."""\n', ""),
        ("casino_env/engine/state.py", "^OVER = 13", "OVER = 14", "entrypoints.legal batch.step_all"),
        ("casino_env/knowledge/encode.py", "^_WORTH = 120", "_WORTH = 121", "encode_games"),
    ],
)
def test_a_change_makes_those_entries_stale_that_use_it(tree, file, line, becomes, stale) -> None:
    found = _stale(tree, (file, line, becomes))
    assert bool(found) == bool(stale) and all(any(name.endswith(one) for name in found) for one in stale.split())
    assert len(found) < len(tree[1])


_A_SWITCH = (
    ("casino_env/switches.py", r"^    sweeps: bool.*\n", r"\g<0>    newest: bool = False\n"),
    ("casino_env/engine/state.py", r"^_LATER.*", '_LATER = ("newest",)'),
)
_IS_READ = ("casino_env/engine/scoring.py", r"^def card_points\(r.*\n", r"\g<0>    if r.newest:\n        return 0\n")


def test_a_switch_makes_those_entries_stale_that_read_it(tree) -> None:
    assert _stale(tree, *_A_SWITCH) == set()
    found = _stale(tree, *_A_SWITCH, _IS_READ)
    assert "casino_env.agents.scripted.choosing.decide_by_rules" in found
    assert "casino_env.engine.entrypoints.empty_record" not in found


def _stale(tree: tuple[Path, dict[str, str]], *changes: tuple[str, str, str]) -> set[str]:
    """Return the entries whose digests differ after changes, each (file, pattern, replacement)."""
    root, before = tree
    texts = {file: (root / file).read_text() for file, _, _ in changes}
    try:
        for file, line, becomes in changes:
            changed, count = re.subn(line, becomes, texts[file], count=1, flags=re.MULTILINE)
            assert count == 1, (file, line)
            (root / file).write_text(changed)
        now = _digests(root)
    finally:
        for file, text in texts.items():
            (root / file).write_text(text)
    assert now.keys() == before.keys()
    return {name for name in before if now[name] != before[name]}


def test_the_parts_of_the_project_find_each_other_wherever_they_lie(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a checkout, in a wheel, and without symbolic links."""
    monkeypatch.setattr(casino_env, "__path__", [str(ROOT / "casino_env"), str(ROOT)])
    linked = ROOT / "casino_env/agents/base.py"  # an sdist has no links
    assert file_of("casino_env.agents.base") == (linked if linked.exists() else ROOT / "agents/base.py")
    monkeypatch.setattr(casino_env, "__path__", [str(ROOT / "casino_env/engine"), str(ROOT)])
    assert file_of("casino_env.agents.base") == ROOT / "agents/base.py"
    assert file_of("casino_env.agents.nothing") is None


# --- the library -----------------------------------------------------------------------------------------------------

native = pytest.mark.skipif(library.MODE == "jit", reason="kernels are compiled here")


def test_every_entry_says_what_it_takes() -> None:
    kernels = {name for (module, name), kind in _kernels(_trees()).items() if kind in _ENTRIES}
    for name in modules_of_entries():
        __import__(name)
    known = [entry for name, entry in ENTRIES.items() if entry.__module__ in modules_of_entries()]
    assert {entry.__name__ for entry in known} == kernels
    for entry in known:
        assert list(arguments(entry.function))


def test_an_entry_that_says_nothing_is_refused() -> None:
    def silent(records, rules: int) -> None:  # type: ignore[no-untyped-def]
        pass

    with pytest.raises(TypeError, match="silent: argument records: it has no annotation"):
        arguments(silent)


def test_a_target_that_is_none_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert casino(["compile", "--target", "linux-x86"]) == 1
    assert "unknown target 'linux-x86' (did you mean 'linux-x86_64'?)" in capsys.readouterr().err


@native
def test_the_library_has_every_entry() -> None:
    assert is_current(library.FOLDER)
    for name in modules_of_entries():
        __import__(name)
    for name in library.manifest()["entries"]:
        module, _, function = name.rpartition(".")
        assert not isinstance(getattr(sys.modules[module], function), Kernel), name


@native
def test_a_library_fits_if_it_is_whole_and_of_this_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """hatch_build.py then packs the library, whatever compiler made it."""
    folder = tmp_path / "library"
    shutil.copytree(library.FOLDER, folder)
    monkeypatch.setattr(build, "made_by", lambda: "another compiler")
    assert build.fits(folder) and not build.is_current(folder)
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(build, "here", lambda: "windows-x86_64")
        assert not build.fits(folder)
    os.truncate(next(folder.glob("kernels-*")), 1000)
    assert not build.fits(folder)


def test_an_engine_fits_if_it_is_whole_and_of_these_kernels(tmp_path: Path) -> None:
    (tmp_path / "casino.wasm").write_bytes(b"engine")
    known = {"made_by": "me", "digest": library.digest_of(tmp_path / "casino.wasm")}
    entries = {"engine.legal": {"digest": "1"}}
    (tmp_path / "facts.json").write_text(json.dumps({"entries": entries, "engine": known}))
    there = {"casino_env.engine.legal": {"digest": "1"}}
    digests = {"casino_env.engine.legal": "1"}
    assert wasm._rows_there(tmp_path, digests, "") == wasm._rows_there(tmp_path, digests, "me") == there
    assert wasm._rows_there(tmp_path, digests, "you") == {}
    assert wasm._rows_there(tmp_path, {"casino_env.engine.legal": "2"}, "") == {}
    (tmp_path / "casino.wasm").write_bytes(b"eng")
    assert wasm._rows_there(tmp_path, digests, "") == {}


_A_GAME = """
import sys
from casino_env import Game, observe
from casino_env.agents.registry import make_agent
agent, game = make_agent("policy:mini-2" if len(sys.argv) > 1 else "counter"), Game("south-african", 2, seed=1)
while not game.over:
    game.apply(agent.act(observe(game)))
make_agent("search:sims=20").act(observe(Game("swazi", 3, seed=1)))
print("numba" in sys.modules, "llvmlite" in sys.modules)
"""


@native
def test_nothing_is_compiled_where_it_is_used() -> None:
    done = subprocess.run([sys.executable, "-c", _A_GAME], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


@native
def test_a_kernel_that_has_changed_is_not_taken_from_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = ENTRIES["casino_env.engine.entrypoints.legal"].function
    assert library.find_unchanged(entry) is not None
    monkeypatch.setattr(library, "changed", lambda: frozenset({"casino_env.engine.sets"}))
    assert library.find_unchanged(entry) is None
    assert library.find(entry, digest(ENTRIES["casino_env.engine.entrypoints.legal"])) is not None
    assert library.find(entry, "another") is None
    monkeypatch.setattr(library, "MODE", "library")
    with pytest.raises(ImportError, match=r"the library has no casino_env.engine.entrypoints.legal as it is now"):
        library.find(entry, "another")


_WITHOUT = """
import sys
for name in ("numba", "llvmlite"):
    sys.modules[name] = None
from casino_env import Game
Game("mini", 2)
"""


def test_without_a_compiler_one_line_says_what_to_install() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _WITHOUT], cwd=ROOT, capture_output=True, text=True, check=False,
        env=os.environ | {"CASINO_ENV_KERNELS": "jit"},
    )  # fmt: skip
    assert done.returncode == 1
    assert "which needs numba: pip install -e '.[compile]'" in done.stderr.splitlines()[-1]


@native
def test_wrong_arguments_are_refused_at_the_border() -> None:
    records, rules = np.zeros(1, GAME), rules_record(make_rules("mini", 2))
    entrypoints.start(records, rules, np.uint64(1), 0)
    for wrong, what in (
        ((records,), "2 arguments"),
        ((records, rules.view(np.uint8)), "1 dimensions and 1 bytes"),
        ((records[::2].repeat(4)[::2], rules), "contiguous"),
        ((records, None), "buffer"),
        ((5, rules), "buffer"),
    ):
        with pytest.raises((TypeError, ValueError, BufferError)) as error:
            entrypoints.legal(*wrong)
        assert str(error.value), what
    assert entrypoints.legal(records, rules) != (0, 0, 0, 0)


@native
def test_eight_threads_at_once_play_what_one_plays() -> None:
    rules = make_rules("khasino", 3)
    found: dict[int, Any] = {}

    def play(number: int) -> None:
        found[number] = golden.digest_deals(*golden.arguments(rules, 7, 40))

    threads = [threading.Thread(target=play, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(set(found.values())) == 1


_GROWTH = """
import resource
from casino_env import Game, make_rules, observe
from casino_env.agents.registry import make_agent
from casino_env.golden import arguments, digest_deals
def work(deals, searches):
    for name in ("south-african", "khasino"):
        digest_deals(*arguments(make_rules(name, 2), 1, deals))
        search = make_agent("search:sims=8")
        for seed in range(searches):
            search.act(observe(Game(name, 2, seed=seed)))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
before = work(200, 50)
print(work(3000, 500) - before)
"""


@pytest.mark.slow
def test_memory_does_not_grow() -> None:
    done = subprocess.run([sys.executable, "-c", _GROWTH], cwd=ROOT, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 2048, "kilobytes"


# --- compilation on this machine -------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["auto", pytest.param("jit", marks=pytest.mark.slow)])
def test_random_deals_are_the_golden_ones(mode: str) -> None:
    """For every table: positions, complete turns, observations, points. golden_elsewhere.py tests other processors."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.golden"], cwd=ROOT, capture_output=True,
        text=True, check=False, env=os.environ | {"CASINO_ENV_KERNELS": mode, "CASINO_ENV_QUIET": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


# A kernel that writes to an index and reads it, for each kind of memory.
_INDEX = """
import numpy as np
from casino_env.compiler.jit import borrow_words, card_sets, entry, floats, items_of, scratch
from casino_env.compiler.types import I64
from casino_env.engine.state import GAME, Records

@entry
def at_index(records: Records, values: I64, at: int):
    place = {place}
    place[at] = 1
    return place[at]

for at in (0, {size} - 1, {size}, -1):
    try:
        print(int(at_index(np.zeros(1, GAME), np.zeros(4, np.int64), at)))
    except IndexError as error:
        print(error)
"""
_PLACES = {"values": 4, "records[0].hands": 6, "items_of(values)": 4, "scratch()": 64, "card_sets()": 16,
           "floats()": 64, "borrow_words(len(values))": 4}  # fmt: skip


@pytest.mark.parametrize("place", _PLACES)
def test_an_index_outside_is_found_where_it_is_asked_for(tmp_path: Path, place: str) -> None:
    """Checked mode finds indices past the end and negative ones, also in memory whose size is otherwise unknown."""
    done = subprocess.run(
        [sys.executable, "-c", _INDEX.format(place=place, size=_PLACES[place])], cwd=ROOT, capture_output=True,
        text=True, check=True, env=os.environ | {"CASINO_ENV_KERNELS": "checked", "CASINO_ENV_CACHE": str(tmp_path)},
    )  # fmt: skip
    assert done.stdout.split("\n")[:-1] == ["1", "1", "index is out of bounds", "index is out of bounds"]


_NOT_ZERO = """
import numpy as np
from casino_env.compiler.jit import entry, items_of, not_zero
from casino_env.compiler.types import F32

@entry
def found(values: F32, at: int) -> int:
    return not_zero(items_of(values), at)

values = np.zeros(65, np.float32)
values[[0, 1, 2, 5, 63, 64]] = 1, -1e-40, -0.0, np.nan, np.inf, -2
for at in (0, 1, 2):
    try:
        print(f"{found(values, at) % 2**64:x}")
    except IndexError as error:
        print(error)
"""


@pytest.mark.parametrize("mode", ["jit", "checked"])
def test_numbers_that_are_not_zero_are_found_64_at_once(tmp_path: Path, mode: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _NOT_ZERO], cwd=ROOT, capture_output=True,
        text=True, check=True, env=os.environ | {"CASINO_ENV_KERNELS": mode, "CASINO_ENV_CACHE": str(tmp_path)},
    )  # fmt: skip
    words = [1 | 1 << 1 | 1 << 5 | 1 << 63, 1 | 1 << 4 | 1 << 62 | 1 << 63]
    shown = done.stdout.split()
    assert shown[:2] == [f"{word:x}" for word in words]
    assert mode == "jit" or " ".join(shown[2:]) == "index is out of bounds"


# Compile and call a small entry. The first argument limits the size of files, in bytes.
_KEPT = """
import os, resource, signal, sys
import numpy as np
from casino_env.compiler.jit import ENTRIES
from casino_env.engine import action_set
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), -1))
parts, mask = np.zeros(4, np.int64), np.zeros(192, np.int8)
mask[70] = 1
ENTRIES["casino_env.engine.action_set.from_mask"](mask, parts)
print(action_set.actions_of(parts))
"""
_COMPILED_HERE = {"CASINO_ENV_QUIET": "", "CASINO_ENV_KERNELS": "jit"}
_COMPILED = "casino_env: compiling kernels once for this machine ...\n"


def _compile_one(cache: Path, largest: int = -1, **environment: str) -> str:
    """Run _KEPT in another process and return its stderr."""
    done = subprocess.run(
        [sys.executable, "-c", _KEPT, str(largest)], cwd=ROOT, capture_output=True, text=True, check=False,
        env=os.environ | _COMPILED_HERE | {"CASINO_ENV_CACHE": str(cache)} | environment,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "[70]\n"), done.stderr
    return done.stderr


def test_what_was_compiled_is_kept(tmp_path: Path) -> None:
    assert _compile_one(tmp_path) == _COMPILED
    assert _compile_one(tmp_path) == ""
    assert _compile_one(tmp_path, largest=0) == "", "nothing has to be written for what is read"


def test_where_kernels_cannot_be_kept_they_are_compiled_anew(tmp_path: Path) -> None:
    """They are never cached beside the sources, where a change elsewhere would go unnoticed."""
    (tmp_path / "file").touch()
    assert "kernels are not cached, but compiled every time: cannot write to" in _compile_one(tmp_path / "file")
    assert "compiled every time: cannot write to" in _compile_one(tmp_path / "full", largest=100)
    assert _compile_one(tmp_path / "full") == _COMPILED, "once there is room"


def test_damaged_kernels_are_compiled_anew(tmp_path: Path) -> None:
    _compile_one(tmp_path)
    for whole in (True, False):
        for path in [path for path in tmp_path.rglob("*") if path.is_file()]:
            os.truncate(path, 0 if whole else path.stat().st_size // 2)
        said = _compile_one(tmp_path)
        assert said.startswith("casino_env: a cached kernel in") and _COMPILED in said
        assert _compile_one(tmp_path) == ""


def test_nobody_has_no_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a container the user may be only a number, without a home folder."""
    for name in ("CASINO_ENV_CACHE", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("pwd.getpwuid", {}.__getitem__)
    kept._complain.cache_clear()
    assert kept.folder.__wrapped__() is None
    assert "kernels are not cached, but compiled every time" in capsys.readouterr().err
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CASINO_ENV_CACHE", "~/kept")
    found = kept.folder.__wrapped__()
    assert found is not None and found.parents[1] == tmp_path / "kept"


@native
def test_a_library_that_was_cut_off_is_told_and_not_used(tmp_path: Path) -> None:
    """A call into the missing second half would crash the process."""
    shutil.copytree(ROOT / "casino_env", tmp_path / "casino_env", ignore=shutil.ignore_patterns("__pycache__"))
    folder = tmp_path / "casino_env" / "library"
    for name in [path.name for path in folder.glob("kernels*")]:
        whole = (folder / name).read_bytes()
        (folder / name).write_bytes(whole[: len(whole) // 2])
        done = subprocess.run(
            [sys.executable, "-c", "from casino_env import Game; Game('mini')"], cwd=tmp_path, capture_output=True,
            text=True, check=False, env=os.environ | {"PYTHONPATH": str(tmp_path), "CASINO_ENV_KERNELS": "library"},
        )  # fmt: skip
        said = f"casino_env: {folder / name} cannot be used ("
        assert done.returncode == 1 and said in done.stderr and "run casino compile to make it again" in done.stderr
        (folder / name).write_bytes(whole)


SPOILT = {
    "a list": lambda _: [],
    "another format": lambda kept: kept | {"format": 2},
    "no files": lambda kept: {key: value for key, value in kept.items() if key != "files"},
    "levels is a number": lambda kept: kept | {"levels": 5},
    "sources is a list": lambda kept: kept | {"sources": [1]},
    "modules hold no lists": lambda kept: kept | {"modules": dict.fromkeys(kept["modules"], 1)},
    "entries are numbers": lambda kept: kept | {"entries": dict.fromkeys(kept["entries"], 1)},
    "no symbol": lambda kept: kept | {"entries": {name: {"digest": ""} for name in kept["entries"]}},
    "an unknown symbol": lambda kept: kept | {"entries": _changed(kept, symbol="nope")},
    "rubbish is taken": lambda kept: kept | {"entries": _changed(kept, takes="((((zz")},
    "rubbish is returned": lambda kept: kept | {"entries": _changed(kept, returns="(((((")},
}


def _changed(kept: dict[str, Any], **new: str) -> dict[str, Any]:
    return {name: row | new for name, row in kept["entries"].items()}


@native
@pytest.mark.parametrize("spoilt", SPOILT)
def test_a_manifest_of_another_shape_is_told_and_not_used(
    spoilt: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The error is one line; with numba its entries are compiled instead."""
    folder = tmp_path / "library"
    shutil.copytree(library.FOLDER, folder)
    kept = json.loads((folder / library.MANIFEST).read_text())
    (folder / library.MANIFEST).write_text(json.dumps(SPOILT[spoilt](kept)))
    monkeypatch.setattr(library, "FOLDER", folder)
    monkeypatch.setattr(library, "manifest", functools.cache(library.manifest.__wrapped__))
    monkeypatch.setattr(library, "_module", functools.cache(library._module.__wrapped__))
    name, row = next(iter(kept["entries"].items()))
    module, _, function = name.rpartition(".")
    wanted: Any = SimpleNamespace(__module__=module, __name__=function)
    monkeypatch.setattr(library, "MODE", "auto")
    assert library.find(wanted, row["digest"]) is None and library.pin("as it is") == "as it is"
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1 and "cannot be used (" in said[0] and "run casino compile to make it again" in said[0]
    monkeypatch.setattr(library, "MODE", "library")
    with pytest.raises(ImportError, match="make it again: casino compile"):
        library.find(wanted, row["digest"])
    assert library.read_manifest(folder) or not build.fits(folder)


@native
def test_an_entry_that_takes_something_else_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "casino_env.engine.state.derive"
    function = ENTRIES[name].function  # the module's name is bound to the library's version
    kept = library.manifest()
    digest = kept["entries"][name]["digest"]
    assert library.find(function, digest) is not None
    for takes in ("", "q", "a2:8;"):
        row = kept["entries"][name] | {"takes": takes}
        monkeypatch.setattr(library, "manifest", lambda row=row: kept | {"entries": {name: row}})
        assert library.find(function, digest) is None, takes


def test_environments_with_other_compilers_share_no_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    before = kept.stamp.__wrapped__()
    monkeypatch.setattr(numba, "__version__", "0.0")
    assert before != kept.stamp.__wrapped__()


@jit.kernel
def _every_other(numbers):
    return jit.items_of(numbers[::2])[1]


def test_items_of_wants_numbers_that_lie_one_after_the_other() -> None:
    with pytest.raises(TypeError, match="is not contiguous and one-dimensional"):
        _every_other(np.arange(4))


def test_an_interrupt_while_modules_are_linked_frees_none_twice() -> None:
    """LLVM has then freed the second module: llvmlite must not free it again when Python ends."""
    noted = []

    class Module:
        global_variables = functions = ()

        def link_in(self, _other: Any) -> None:
            raise KeyboardInterrupt

        def detach(self) -> None:
            noted.append(self)

    modules = [Module(), Module()]
    with pytest.raises(KeyboardInterrupt):
        build._linked(modules)
    assert noted == modules[1:]
