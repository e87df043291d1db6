"""Who may import whom: read from the source, nothing is run."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Literal

import pytest

ROOT = Path(__file__).parent.parent

# Part of the repository -> the other parts that it may import. Tests, examples and benchmarks may import anything.
ARROWS = {
    "casino_env": set(),
    "agents": {"casino_env"},
    "evaluate": {"casino_env", "agents"},
    "train": {"casino_env", "agents", "evaluate"},
    "play": {"casino_env", "agents"},
}
FREE = {"tests", "examples", "benchmarks", "docs"}

# The rooms of each part, floor by floor: a room imports from its own floor and from those below it.
FLOORS = {
    "casino_env": (
        "cards actions rules presets guarded parts",
        "engine",
        "knowledge",
        "drawing",
        "notation proof position turns game record observed beliefs",
        "envs",
        "bench compiling __main__",
    ),
    "agents": (
        "base batches files limits registry",
        "scripted policy solver",
        "search",
        "protocol compiling",
        "__main__",
    ),
    "evaluate": (
        "progress tally openspiel results shapes",
        "matches",
        "ratings style regret exploit_exact exploit_search",
        "report",
        "commands compiling",
        "__main__",
    ),
    "train": (
        "settings config processes watching unbroken",
        "games",
        "learner",
        "algorithms",
        "checkpoint compiling run",
        "commands",
        "__main__",
    ),
    "play": (
        "names questions words about moves advice rules_text shapes learning players store counting opponents",
        "why review",
        "table seen replay",
        "arguments saved",
        "terminal web",
        "__main__",
    ),
}
# The one folder whose modules stand in a line, from the record of a game to the turn: each imports those before it.
_ENGINE = """
    beside inner jit state ranks rng choices reading chains picks sets captures groups greatest piles scoring deal legal
    building taking turn calls breakdown sound keys visited outcomes
"""
ENGINE = _ENGINE.split()
ROOMS = {"casino_env": 20, "agents": 12, "train": 12}  # at most, on the first level

# Packages from elsewhere that casino_env may use at all.
CASINO_ENV_MAY_USE = {"numpy", "numba", "llvmlite", "gymnasium", "pettingzoo", "PIL"}

_ENVIRONMENTS = ("casino_env/envs/", "casino_env/bench.py")
_NETWORK = ("train/", "agents/policy/")
# Package -> the only files and folders (ending in /) that may use it.
CONFINED = {
    "llvmlite": ("casino_env/engine/jit.py",),
    "gymnasium": _ENVIRONMENTS,
    "pettingzoo": _ENVIRONMENTS,
    "PIL": ("casino_env/drawing/picture.py", "evaluate/report/pixels.py"),
    "torch": _NETWORK,
    "safetensors": _NETWORK,
    "tensorboard": ("train/",),
    "optuna": ("train/commands/",),
    "pydantic": ("train/",),
    "scipy": ("evaluate/",),
    "choix": ("evaluate/",),
    "rich": ("evaluate/", "train/", "play/"),
    "textual": ("play/terminal/",),
    "starlette": ("play/web/",),
    "uvicorn": ("play/",),
    "ray": ("evaluate/matches/cluster.py",),
    "pyspiel": ("evaluate/openspiel.py",),
    # A part that starts another program could run one of an upper floor: these start git, an engine, a player.
    "jsonschema": ("agents/protocol/schema.py",),
    "subprocess": ("train/watching/made_with.py", "agents/protocol/talk.py", "casino_env/engine/beside.py"),
}
# Of these an extra brings the package: only inside a function, so that the module loads without it.
ONLY_LATE = {"PIL", "optuna", "jsonschema", "ray"}

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
    part, room = path.split("/")[0], _room(path)
    if part in FREE:
        return []
    found = []
    if room != "__init__" and _floor(part, room) < 0:
        found.append(f"{path}: {room} stands on no floor of {part}: give it one in FLOORS of {_HERE}")
    for item in imports(path, source):
        found += [f"{path}:{item.line}: {text}" for text in _wrong(path, item)]
    return list(dict.fromkeys(found))


def _room(path: str) -> str:
    """A file of the first level, or the folder there in which a file lies."""
    return path.split("/")[1].removesuffix(".py")


def _floor(part: str, room: str) -> int:
    """From the ground up; -1 if the room is on none."""
    return next((number for number, rooms in enumerate(FLOORS[part]) if room in rooms.split()), -1)


def _wrong(path: str, item: Import) -> Iterator[str]:
    part = path.split("/")[0]
    top, _, rest = item.name.partition(".")
    if top in ARROWS or top in FREE:
        if top == part:
            yield from _wrong_inside(path, rest)
        elif top not in ARROWS[part]:
            allowed = ", ".join(sorted(ARROWS[part])) or "no other part"
            yield f"imports {item.name}, but {part} may import {allowed}"
        return
    if part == "casino_env" and top not in CASINO_ENV_MAY_USE and top not in sys.stdlib_module_names:
        allowed = ", ".join(sorted(CASINO_ENV_MAY_USE))
        yield f"imports {top}, but casino_env uses only the standard library and {allowed}"
    elif top in CONFINED and not any(_covers(place, path) for place in CONFINED[top]):
        yield f"imports {top}, which is only for {', '.join(CONFINED[top])}"
    elif top in ONLY_LATE and item.when == "load":
        yield f"imports {top} as it loads; do it inside the function that needs it"


def _covers(place: str, path: str) -> bool:
    return path.startswith(place) if place.endswith("/") else path == place


def _wrong_inside(path: str, imported: str) -> Iterator[str]:
    """An import of another module of the same part."""
    part, room = path.split("/")[0], _room(path)
    other = imported.split(".")[0]
    if room == "__init__":
        return  # the face of the part: it shows what lies on any floor
    if not (ROOT / part / other).is_dir() and not (ROOT / part / f"{other}.py").exists():
        yield f"imports {other or part} from the package itself; import the module that defines it"
    elif _floor(part, other) > _floor(part, room) >= 0:
        yield f"imports {other}, which is on a floor above {room}"
    elif room == other == "engine":
        importer, module = path.split("/")[2].removesuffix(".py"), imported.split(".")[1]
        if ENGINE.index(module) >= ENGINE.index(importer):
            yield f"imports {module}, which comes after {importer} in ENGINE of {_HERE}"


def _files() -> Iterator[tuple[str, str]]:
    for part in ARROWS:
        for path in sorted((ROOT / part).rglob("*.py")):
            yield path.relative_to(ROOT).as_posix(), path.read_text()


def test_imports_follow_the_arrows() -> None:
    found = [line for path, source in _files() for line in violations(path, source)]
    assert not found, "\n" + "\n".join(found)


def test_no_module_imports_itself_by_way_of_others() -> None:
    sources = {path.removesuffix(".py").replace("/", "."): (path, source) for path, source in _files()}
    graph = {name: {item.name for item in imports(*file)} for name, file in sources.items()}
    modules = {name: {_module(one, sources) for one in named} - {name, ""} for name, named in graph.items()}
    try:
        TopologicalSorter(modules).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def _module(name: str, known: dict[str, tuple[str, str]]) -> str:
    """The module of ours that an imported name is or belongs to; empty if there is none."""
    while name and name not in known:
        name = name.rpartition(".")[0]
    return name


def test_the_first_level_fits_a_glance() -> None:
    for part, most in ROOMS.items():
        rooms = [path.name for path in (ROOT / part).iterdir() if path.name[0] not in "._" and path.name != "py.typed"]
        assert len(rooms) <= most, f"{part}: {len(rooms)} rooms, at most {most}: {', '.join(sorted(rooms))}"


@pytest.mark.parametrize(
    ("path", "source", "said"),
    [
        ("casino_env/engine/reading.py", "from casino_env.engine.turn import apply", "turn, which comes after reading"),
        ("casino_env/engine/reading.py", "from casino_env.engine import turn", "turn, which comes after reading"),
        ("casino_env/engine/reading.py", "from . import turn", "turn, which comes after reading"),
        ("casino_env/engine/reading.py", "from .turn import apply", "turn, which comes after reading"),
        ("casino_env/engine/reading.py", "import casino_env.engine.reading", "comes after reading"),
        (
            "casino_env/engine/deal.py",
            "try:\n    import casino_env.game\nexcept ImportError:\n    pass",
            "imports game",
        ),
        ("casino_env/game.py", "from casino_env import Game", "from the package itself"),
        ("casino_env/cards.py", "def f():\n    from casino_env.game import Game", "game, which is on a floor above"),
        (
            "casino_env/drawing/scene.py",
            "if TYPE_CHECKING:\n    from casino_env.game import Game",
            "floor above drawing",
        ),
        ("casino_env/novelty.py", "import numpy", "novelty stands on no floor"),
        ("casino_env/game.py", "def f():\n    import torch", "imports torch"),
        ("casino_env/game.py", "import pandas", "only the standard library and"),
        ("casino_env/game.py", "import gymnasium.spaces", "imports gymnasium, which is only for"),
        ("casino_env/game.py", "import subprocess", "imports subprocess, which is only for"),
        ("casino_env/drawing/picture.py", "from PIL import Image", "inside the function that needs it"),
        ("casino_env/game.py", "def f():\n    from PIL import Image", "imports PIL, which is only for"),
        ("casino_env/engine/state.py", "from llvmlite import ir", "imports llvmlite, which is only for"),
        ("casino_env/bench.py", "from importlib import import_module\nimport_module('agents.greedy')", "agents.greedy"),
        ("casino_env/__init__.py", "import tests.comparing", "may import no other part"),
        ("casino_env/bench.py", "import benchmarks.timer", "may import no other part"),
        ("agents/scripted/bots.py", "import torch", "imports torch"),
        ("agents/scripted/bots.py", "from agents.search.agent import Search", "floor above scripted"),
        ("agents/scripted/bots.py", "from evaluate import ladder", "agents may import casino_env"),
        ("evaluate/style.py", "import train.run", "evaluate may import agents, casino_env"),
        ("evaluate/style.py", "from examples import openspiel_bridge", "evaluate may import agents, casino_env"),
        ("evaluate/style.py", "import subprocess", "imports subprocess, which is only for"),
        ("play/web/app.py", "def f():\n    from train import run", "play may import agents, casino_env"),
        ("train/run.py", "import scipy.stats", "imports scipy, which is only for evaluate/"),
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
            "import os\nimport numpy as np\nfrom casino_env.engine.jit import kernel\nfrom .state import GAME",
        ),
        ("casino_env/game.py", "def f():\n    from casino_env.drawing.text import table_text"),
        ("casino_env/__init__.py", "def f():\n    from casino_env.envs.pettingzoo import env"),
        ("casino_env/drawing/picture.py", "def f():\n    from PIL import Image"),
        ("casino_env/__init__.py", "from casino_env.game import Game"),
        ("casino_env/envs/pettingzoo.py", "from pettingzoo import AECEnv\nfrom gymnasium import spaces"),
        ("agents/policy/network.py", "import torch\nfrom casino_env import Game"),
        ("train/run.py", "import torch\nimport evaluate.style\nfrom agents import policy"),
        ("evaluate/style.py", "import scipy.stats\nimport choix"),
        ("tests/test_anything.py", "import torch\nimport train.run"),
    ],
)
def test_allowed_imports_pass(path: str, source: str) -> None:
    assert violations(path, source) == []


def test_importing_the_package_loads_nothing_heavy() -> None:
    heavy = ("numba", "torch", "PIL")
    script = f"import sys, casino_env; print(*[name for name in {heavy!r} if name in sys.modules])"
    out = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert out.stdout.split() == []
