"""Which part may import which, and what every function has: read from the source, nothing is run."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

from tests import lengths

ROOT = Path(__file__).parent.parent

# Part of the repository -> the other parts that it may import. Tests and examples may import anything.
ARROWS = {
    "casino_env": set(),
    "agents": {"casino_env"},
    "evaluate": {"casino_env", "agents"},
    "train": {"casino_env", "agents", "evaluate"},
    "play": {"casino_env", "agents"},
}
FREE = {"tests", "examples"}
# And single files that use what belongs to none of the parts: OpenSpiel's view of the games is an example.
ALSO = {"evaluate/exact.py": {"examples"}}

# A module of casino_env imports only those before it. A new module goes in after everything that it imports.
ORDER = (
    "cards", "rules", "actions", "guarded", "jit", "state", "table", "picks", "sets", "captures", "greatest", "piles",
    "scoring", "deal", "legal", "building", "taking", "engine", "kernels", "view", "segments", "observation",
    "batch", "position", "notation", "scene", "render", "picture", "enumerate", "game", "observed", "beliefs", "record",
    "vector", "opponents", "registration", "spaces", "show", "aec", "single", "vector_env", "bench", "__main__",
)  # fmt: skip

# Packages from elsewhere that casino_env may use at all.
CASINO_ENV_MAY_USE = {"numpy", "numba", "llvmlite", "gymnasium", "pettingzoo", "PIL"}

_ENVIRONMENTS = tuple(f"casino_env/{name}.py" for name in ("aec", "single", "vector_env", "spaces", "registration"))
_NETWORK = ("train/", "agents/policy/network.py", "agents/policy/agent.py", "agents/policy/export.py")
# Package from elsewhere -> the only files and folders (ending in /) that may use it.
CONFINED = {
    "llvmlite": ("casino_env/engine/jit.py",),
    "gymnasium": (*_ENVIRONMENTS, "casino_env/bench.py"),
    "pettingzoo": (*_ENVIRONMENTS, "benchmarks/peers.py"),
    "PIL": ("casino_env/drawing/picture.py",),
    "torch": _NETWORK,
    "safetensors": _NETWORK,
    "tensorboard": ("train/",),
    "optuna": ("train/commands/sweep.py",),
    "pydantic": ("train/",),
    "scipy": ("evaluate/",),
    "choix": ("evaluate/",),
    "matplotlib": ("evaluate/",),
    "rich": ("evaluate/", "train/", "play/"),
    "textual": ("play/",),
    "starlette": ("play/",),
    "uvicorn": ("play/",),
}
# Of these an extra brings the package: only inside a function, so that the module loads without it.
ONLY_LATE = {"PIL", "optuna"}

_HERE = "tests/test_architecture.py"


When = Literal["load", "call", "never"]


@dataclass(frozen=True)
class Import:
    name: str  # dotted, absolute
    line: int
    when: When  # it runs: as the module loads, as a function is called, or never (it is for type checkers only)


def imports(path: str, source: str) -> Iterator[Import]:
    """Every import of a file, import_module("...") of a plain text among them."""
    yield from _imports(ast.parse(source, path), path.split("/"), "load")


def _imports(node: ast.AST, parts: list[str], when: When) -> Iterator[Import]:
    if isinstance(node, ast.Import):
        yield from (Import(alias.name, node.lineno, when) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        start = ".".join(parts[: len(parts) - node.level]) if node.level else ""
        base = ".".join(filter(None, (start, node.module)))
        yield from (Import(f"{base}.{alias.name}", node.lineno, when) for alias in node.names)
    elif isinstance(node, ast.Call) and _imported_text(node):
        yield Import(_imported_text(node), node.lineno, when)
    if isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
        for typed in node.body:
            yield from _imports(typed, parts, "never")
        for other in node.orelse:
            yield from _imports(other, parts, when)
        return
    if when == "load" and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        when = "call"
    for child in ast.iter_child_nodes(node):
        yield from _imports(child, parts, when)


def _imported_text(call: ast.Call) -> str:
    name = ast.unparse(call.func).rpartition(".")[2]
    first = call.args[0] if call.args else None
    if name in ("import_module", "__import__") and isinstance(first, ast.Constant) and isinstance(first.value, str):
        return first.value
    return ""


def violations(path: str, source: str) -> list[str]:
    """What a file of this path, with / between its parts, imports against the rules above; one line each."""
    part = path.split("/")[0]
    if part in FREE:
        return []
    found = []
    module = _module(path)
    if part == "casino_env" and module not in ORDER and module != "__init__":
        found.append(f"{path}: module {module} is not in ORDER of {_HERE}; add it after everything that it imports")
    for item in imports(path, source):
        found += [f"{path}:{item.line}: {text}" for text in _wrong(path, item)]
    return list(dict.fromkeys(found))


def _module(path: str) -> str:
    return path.split("/")[1].removesuffix(".py")


def _wrong(path: str, item: Import) -> Iterator[str]:
    part = path.split("/")[0]
    top, _, rest = item.name.partition(".")
    if top in ARROWS or top in FREE:
        if top == part:
            if part == "casino_env" and item.when != "never" and _module(path) in ORDER:
                yield from _wrong_order(_module(path), rest.partition(".")[0])
        elif top not in ARROWS[part] | ALSO.get(path, set()):
            allowed = ", ".join(sorted(ARROWS[part])) or "no other part"
            yield f"imports {item.name}, but {part} may import {allowed}"
        return
    if top in sys.stdlib_module_names:
        return
    if part == "casino_env" and top not in CASINO_ENV_MAY_USE:
        allowed = ", ".join(sorted(CASINO_ENV_MAY_USE))
        yield f"imports {top}, but casino_env uses only the standard library and {allowed}"
    elif top in CONFINED and not any(_covers(place, path) for place in CONFINED[top]):
        yield f"imports {top}, which is only for {', '.join(CONFINED[top])}"
    elif top in ONLY_LATE and item.when == "load":
        yield f"imports {top} as it loads; do it inside the function that needs it"


def _covers(place: str, path: str) -> bool:
    return path.startswith(place) if place.endswith("/") else path == place


def _wrong_order(importer: str, imported: str) -> Iterator[str]:
    if imported in ORDER:
        if ORDER.index(imported) >= ORDER.index(importer):
            yield f"imports {imported}, which comes after {importer} in ORDER of {_HERE}"
    elif (ROOT / "casino_env" / f"{imported}.py").exists() or (ROOT / "casino_env" / imported).is_dir():
        yield f"imports {imported}, which is not in ORDER of {_HERE}"
    else:
        yield f"imports {imported or 'casino_env'} from the package itself; import the module that defines it"


def test_imports_follow_the_arrows() -> None:
    found = []
    for part in ARROWS:
        for path in sorted((ROOT / part).rglob("*.py")):
            found += violations(path.relative_to(ROOT).as_posix(), path.read_text())
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize(
    ("path", "source", "said"),
    [
        (
            "casino_env/engine/reading.py",
            "from casino_env.engine import step",
            "imports engine, which comes after table",
        ),
        ("casino_env/engine/reading.py", "from casino_env import engine", "imports engine, which comes after table"),
        ("casino_env/engine/reading.py", "from . import engine", "imports engine, which comes after table"),
        ("casino_env/engine/reading.py", "from .engine import step", "imports engine, which comes after table"),
        ("casino_env/engine/reading.py", "import casino_env.table", "comes after table"),
        (
            "casino_env/engine/reading.py",
            "try:\n    import casino_env.game\nexcept ImportError:\n    pass",
            "imports game",
        ),
        ("casino_env/game.py", "from casino_env import Game", "from the package itself"),
        ("casino_env/position.py", "def f():\n    from casino_env.game import Game", "imports game, which comes after"),
        ("casino_env/position.py", "class A:\n    def f(self):\n        import casino_env.game", "imports game"),
        ("casino_env/novelty.py", "import numpy", "module novelty is not in ORDER"),
        ("casino_env/game.py", "def f():\n    import torch", "imports torch"),
        ("casino_env/game.py", "import pandas", "only the standard library and"),
        ("casino_env/game.py", "import gymnasium.spaces", "imports gymnasium, which is only for"),
        ("casino_env/drawing/picture.py", "from PIL import Image", "inside the function that needs it"),
        (
            "casino_env/game.py",
            "def f():\n    from PIL import Image",
            "imports PIL, which is only for casino_env/drawing/picture.py",
        ),
        (
            "casino_env/engine/state.py",
            "from llvmlite import ir",
            "imports llvmlite, which is only for casino_env/engine/jit.py",
        ),
        ("casino_env/bench.py", "from importlib import import_module\nimport_module('agents.greedy')", "agents.greedy"),
        ("casino_env/__init__.py", "import tests.comparing", "may import no other part"),
        ("agents/greedy.py", "import torch", "imports torch"),
        ("agents/greedy.py", "from evaluate import ladder", "agents may import casino_env"),
        ("evaluate/ladder.py", "import train.loop", "evaluate may import agents, casino_env"),
        ("evaluate/ladder.py", "from examples import openspiel_bridge", "evaluate may import agents, casino_env"),
        ("play/web.py", "def f():\n    from train import loop", "play may import agents, casino_env"),
        ("train/plots.py", "import matplotlib.pyplot", "imports matplotlib, which is only for evaluate/"),
    ],
)
def test_planted_violation_is_found(path: str, source: str, said: str) -> None:
    found = violations(path, source)
    assert len(found) == 1, found
    assert said in found[0]


@pytest.mark.parametrize(
    ("path", "source"),
    [
        (
            "casino_env/engine/reading.py",
            "import os\nimport numpy as np\nfrom casino_env.jit import kernel\nfrom .state import GAME",
        ),
        ("casino_env/game.py", "def f():\n    from casino_env.render import table_text"),
        ("casino_env/__init__.py", "def f():\n    from casino_env.aec import env"),
        ("casino_env/drawing/picture.py", "def f():\n    from PIL import Image"),
        ("casino_env/drawing/text.py", "if TYPE_CHECKING:\n    from casino_env.game import Game"),
        ("casino_env/__init__.py", "from casino_env.game import Game"),
        ("casino_env/envs/pettingzoo.py", "from pettingzoo import AECEnv\nfrom gymnasium import spaces"),
        ("agents/policy/network.py", "import torch\nfrom casino_env import Game"),
        ("train/loop.py", "import torch\nimport evaluate.ladder\nfrom agents import policy"),
        ("evaluate/ladder.py", "import scipy.stats\nimport matplotlib"),
        ("evaluate/exact.py", "def f():\n    from examples import openspiel_bridge"),
        ("tests/test_anything.py", "import torch\nimport train.loop"),
    ],
)
def test_allowed_imports_pass(path: str, source: str) -> None:
    assert violations(path, source) == []


def test_importing_the_package_loads_nothing_heavy() -> None:
    heavy = ("numba", "torch", "PIL")
    script = f"import sys, casino_env; print(*[name for name in {heavy!r} if name in sys.modules])"
    out = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert out.stdout.split() == []


# The types in a kernel are numba's, worked out as it is compiled.
_KERNELS = {"kernel", "fast_kernel"}


def unannotated(path: str, source: str) -> list[str]:
    """The functions, kernels apart, that do not say what they take and return; one line each."""
    found = []
    for node in ast.walk(ast.parse(source, path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not _is_kernel(node):
            given = node.args
            taken = [*given.posonlyargs, *given.args, *given.kwonlyargs, *filter(None, (given.vararg, given.kwarg))]
            bare = [one.arg for one in taken if one.annotation is None and one.arg not in ("self", "cls")]
            bare += [] if node.returns else ["what it returns"]
            if bare:
                found.append(f"{path}:{node.lineno}: {node.name}: no annotation for {', '.join(bare)}")
    return found


def _is_kernel(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(ast.unparse(decorator).rpartition(".")[2] in _KERNELS for decorator in node.decorator_list)


def test_functions_are_annotated() -> None:
    found = []
    for part in (*ARROWS, "examples"):
        for path in sorted((ROOT / part).rglob("*.py")):
            found += unannotated(path.relative_to(ROOT).as_posix(), path.read_text())
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def f(a, b: int) -> None: ...", "no annotation for a"),
        ("def f(): ...", "no annotation for what it returns"),
        ("def f(*rest, **named) -> None: ...", "rest, named"),
        ("class A:\n    def f(self, *, a) -> None: ...", "no annotation for a"),
        ("def f() -> None:\n    async def g(): ...", ":2: g"),
        ("@cache\ndef f(): ...", "what it returns"),
    ],
)
def test_missing_annotation_is_found(source: str, said: str) -> None:
    found = unannotated("part/module.py", source)
    assert len(found) == 1, found
    assert said in found[0]


@pytest.mark.parametrize(
    "source",
    ["@kernel\ndef f(a): ...", "@jit.fast_kernel\ndef f(a): ...", "class A:\n    def f(self, a: int) -> int: ..."],
)
def test_kernels_and_annotated_functions_pass(source: str) -> None:
    assert unannotated("part/module.py", source) == []


# Hosts in pieces, so that this file does not hold what it looks for.
_HOSTS = (
    ("pypi", "org"), ("pythonhosted", "org"), ("pytorch", "org", "whl"), ("npmjs", "org"), ("npmjs", "com"),
    ("yarnpkg", "com"), ("deb", "debian", "org"), ("conda", "anaconda", "org"), ("crates", "io"),
    ("proxy", "golang", "org"), ("rubygems", "org"),
)  # fmt: skip
_REGISTRY = re.compile(
    "|".join(r"[./]".join(host) for host in _HOSTS) + r"|https?://\S+/simple(?:/|\s|$)|index" + r"-url\b", re.IGNORECASE
)


def test_registry_addresses_are_recognised() -> None:
    for host in _HOSTS:
        assert _REGISTRY.search(f"https://{'.'.join(host)}/"), host
    assert _REGISTRY.search("http://localhost:3141/root/mirror/" + "simple/")
    assert not _REGISTRY.search("a simple line about https://example.com/ and make install")


def test_no_file_names_a_package_registry() -> None:
    """Where packages come from is the business of whoever installs, not of the project."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a git checkout")
    found = []
    for name in filter(None, listed.stdout.split("\0")):
        path = ROOT / name
        if path.is_file():
            lines = path.read_text(errors="replace").splitlines()
            found += [f"{name}:{number}" for number, line in enumerate(lines, 1) if _REGISTRY.search(line)]
    assert not found, f"package registry addresses in {', '.join(found)}"


def test_functions_and_files_stay_short(capsys: pytest.CaptureFixture[str]) -> None:
    assert lengths.main() == 0, capsys.readouterr().out
