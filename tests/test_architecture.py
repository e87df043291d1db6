"""Check imports between parts, annotations and forbidden addresses from the source text."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent

# Part of the project -> the other parts that it may import. Tests, examples and benchmarks may import anything. Parts
# are imported as casino_env.PART: a bare `import agents` could find somebody else's package.
ARROWS = {
    "casino_env": set(),
    "agents": {"casino_env"},
    "evaluate": {"casino_env", "agents"},
    "train": {"casino_env", "agents", "evaluate"},
    "play": {"casino_env", "agents"},
}
# Allowed imports from upper parts: looking up an opponent by name; the signature, the C and wasm libraries and the
# facts, which cover all parts.
UP = {
    ("casino_env/envs/gymnasium.py", "casino_env.agents"),
    ("casino_env/env_commands.py", "casino_env.agents.signature"),
    ("casino_env/instructions.py", "casino_env.train.counted"),
    ("casino_env/aot/c_header.py", "casino_env.agents.c_export"),
    ("casino_env/aot/c_header.py", "casino_env.agents.opened"),
    ("casino_env/aot/c_header.py", "casino_env.agents.opening"),
    ("casino_env/aot/c_header.py", "casino_env.agents.search.verdicts"),
    ("casino_env/aot/wasm.py", "casino_env.agents.opened"),
    ("casino_env/aot/wasm.py", "casino_env.agents.opening"),
    ("casino_env/aot/wasm.py", "casino_env.agents.policy.shipped"),
    ("casino_env/aot/wasm.py", "casino_env.agents.registry"),
    ("casino_env/aot/wasm.py", "casino_env.agents.scripted.bots"),
}
FREE = {"tests", "examples", "benchmarks", "docs"}

# The rooms (modules and folders) of each part, floor by floor: a room imports from its own floor and those below.
FLOORS = {
    "casino_env": (
        "arrays cards actions machine presets switches validate extras version",
        "compiler rng",
        "engine",
        "rules",
        "knowledge",
        "drawing",
        "position turns game record run_folder observed views",
        "cli",
        "envs",
        "bench golden instructions text",
        "aot env_commands __main__",
    ),
    "agents": (
        "workspaces",
        "base files registry",
        "scripted policy solver which_game",
        "deciding",
        "search opened opening solved",
        "advise",
        "protocol language dataset c_export signature",
        "cli __main__",
    ),
    "evaluate": (
        "progress openspiel tables charts",
        "matches",
        "ratings seeds style regret exam exploitability",
        "fresh",
        "report",
        "commands",
        "cli __main__",
    ),
    "train": (
        "config log",
        "rollouts",
        "counted",
        "learner torch_twin checkpoint",
        "algorithms",
        "run",
        "commands",
        "cli __main__",
    ),
    "play": ("words", "terminal web", "cli __main__"),
}
# The one folder whose modules are in order, from the record of a game to the turn: each imports only earlier ones.
_ENGINE = """
    state playable reading action_set piles scoring deal sets maximal_captures captures legal turn entrypoints
    wording position_keys invariants flat_form afterstates complete_turns
"""
ENGINE = _ENGINE.split()

# The third-party packages that casino_env may use.
CASINO_ENV_MAY_USE = {"numpy", "numba", "llvmlite", "gymnasium", "pettingzoo", "PIL", "torch"}

_ENVIRONMENTS = ("casino_env/envs/", "casino_env/bench.py")
_NETWORK = ("train/", "agents/policy/")
# Package -> the only files and folders (ending in /) that may use it.
CONFINED = {
    "numba": ("casino_env/compiler/", "casino_env/aot/"),
    "llvmlite": ("casino_env/compiler/", "casino_env/aot/"),
    "gymnasium": _ENVIRONMENTS,
    "pettingzoo": _ENVIRONMENTS,
    "PIL": ("casino_env/drawing/picture.py",),
    "matplotlib": ("evaluate/charts.py",),
    "jinja2": ("evaluate/report.py",),
    "markupsafe": ("evaluate/report.py",),
    "torch": (*_NETWORK, "casino_env/envs/gpu.py"),
    "safetensors": _NETWORK,
    "tensorboard": ("train/",),
    "pydantic": (*_NETWORK, "evaluate/"),
    "scipy": ("evaluate/",),
    "choix": ("evaluate/",),
    "rich": ("evaluate/", "train/"),
    "ray": ("evaluate/matches/cluster.py",),
    "pandas": ("evaluate/tables.py",),
    "pyspiel": ("evaluate/openspiel.py",),
    # A part could evade these rules by starting a program of an upper floor. These files start only git, zig, ptxas
    # and what the user names.
    "subprocess": (
        "train/log.py",
        "casino_env/aot/build.py",
        "casino_env/aot/gpu.py",
        "casino_env/instructions.py",
        "casino_env/machine.py",
    ),
}
# Packages that come with an extra: import them only inside a function, so that the module loads without them.
ONLY_LATE = {"PIL", "matplotlib", "jinja2", "markupsafe", "ray", "pandas"}


class Import(NamedTuple):
    name: str  # dotted, absolute
    line: int
    late: bool  # not as the module loads: inside a function, or for type checkers only


def _last(node: ast.AST) -> str:
    """Return the last part of a dotted name."""
    return str(getattr(node, "attr", getattr(node, "id", "")))


def imports(node: ast.AST, late: bool = False) -> Iterator[Import]:
    """Yield every import below a node, import_module("...") with a literal name included."""
    if isinstance(node, ast.Import):
        yield from (Import(alias.name, node.lineno, late) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = "." * node.level + (node.module or "")
        yield from (Import(f"{base}.{alias.name}", node.lineno, late) for alias in node.names)
    elif isinstance(node, ast.Call) and _last(node.func) == "import_module":
        named = node.args[0]
        if isinstance(named, ast.Constant):
            yield Import(str(named.value), node.lineno, late)
    late = late or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    late = late or (isinstance(node, ast.If) and _last(node.test) == "TYPE_CHECKING")
    for child in ast.iter_child_nodes(node):
        yield from imports(child, late)


def violations(path: str, source: str) -> list[str]:
    """Return one line for each import that breaks the rules above. path: relative, with / as separator."""
    return list(
        dict.fromkeys(f"{path}:{one.line}: {text}" for one in imports(ast.parse(source)) for text in _wrong(path, one))
    )


def _place(name: str) -> tuple[str, list[str]]:
    """Return a module's part of the project and its name in there; "" for a foreign module, "bare" for a bare part."""
    top, *rest = name.split(".")
    if top != "casino_env":
        return ("", []) if top not in {*ARROWS, *FREE} else ("bare", [top])
    return (rest[0], rest[1:]) if rest and rest[0] in ARROWS else ("casino_env", rest)


def _floor(part: str, room: str) -> int:
    """Return the floor of a room, counted from the ground up; -1 if it is on none."""
    return next((number for number, rooms in enumerate(FLOORS[part]) if room in rooms.split()), -1)


def _wrong(path: str, item: Import) -> Iterator[str]:
    part, room, *_ = path.removesuffix(".py").split("/")
    other, rest = _place(item.name)
    top = item.name.split(".")[0]
    if not top:
        yield f"imports {item.name} relatively"
    elif other == "bare":
        yield f"imports {item.name}, which is nobody's name outside a checkout, or no part of the package"
    elif other and other != part:
        if other not in ARROWS[part] and (path, item.name) not in UP:
            yield f"imports {item.name}, but {part} may import {', '.join(sorted(ARROWS[part])) or 'no other part'}"
    elif other:
        yield from _wrong_inside(path, part, room, rest)
    elif part == "casino_env" and top not in CASINO_ENV_MAY_USE and top not in sys.stdlib_module_names:
        yield f"imports {top}, but casino_env uses only the standard library and a few packages"
    elif top in CONFINED and not any(_covers(place, path) for place in CONFINED[top]):
        yield f"imports {top}, which is only for {', '.join(CONFINED[top])}"
    elif top in ONLY_LATE and not item.late:
        yield f"imports {top} as it loads; do it inside the function that needs it"


def _covers(place: str, path: str) -> bool:
    return path.startswith(place) if place.endswith("/") else path == place


def _wrong_inside(path: str, part: str, room: str, imported: list[str]) -> Iterator[str]:
    """Check an import of a module of the same part."""
    if room == "__init__":
        return  # the part's public interface may import from any floor
    if not imported or not ((ROOT / part / imported[0]).is_dir() or (ROOT / part / f"{imported[0]}.py").exists()):
        if path != "casino_env/compiler/jit.py":  # it needs the package's folder
            yield "imports from the package itself; import the module that defines it"
    elif _floor(part, imported[0]) > _floor(part, room):
        yield f"imports {imported[0]}, which is on a floor above {room}"
    elif part == "casino_env" and room == imported[0] == "engine":
        importer, module = path.split("/")[2].removesuffix(".py"), imported[1]
        if ENGINE.index(module) >= ENGINE.index(importer):
            yield f"imports {module}, which comes after {importer} in ENGINE"


def _files() -> Iterator[tuple[str, str]]:
    for part in ARROWS:
        for path in sorted((ROOT / part).rglob("*.py")):
            yield path.relative_to(ROOT).as_posix(), path.read_text()


def test_imports_follow_the_arrows() -> None:
    found = [line for path, source in _files() for line in violations(path, source)]
    assert not found, "\n" + "\n".join(found)


def test_every_room_stands_on_a_floor() -> None:
    rooms = {tuple(path.removesuffix(".py").split("/")[:2]) for path, _ in _files()}
    assert [room for room in rooms if room[1] != "__init__" and _floor(*room) < 0] == []


def test_no_module_imports_itself_by_way_of_others() -> None:
    def name_of(path: str) -> str:
        return ("" if path.startswith("casino_env/") else "casino_env.") + path.removesuffix(".py").replace("/", ".")

    graph = {name_of(path): {item.name for item in imports(ast.parse(source))} for path, source in _files()}

    def module(name: str) -> str:
        while name and name not in graph:
            name = name.rpartition(".")[0]
        return name

    try:
        TopologicalSorter({one: {module(name) for name in names} - {one, ""} for one, names in graph.items()}).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


@pytest.mark.parametrize(
    ("module", "heavy"),
    [
        ("casino_env", ("numba", "torch", "PIL")),
        ("casino_env.game", ("casino_env.position", "casino_env.turns", "casino_env.drawing.scene")),
        ("casino_env.play.cli", ("numba", "torch", "http.server")),
    ],
)
def test_importing_it_loads_nothing_heavy(module: str, heavy: tuple[str, ...]) -> None:
    script = f"import sys, {module}; print(*[name for name in {heavy!r} if name in sys.modules])"
    out = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert out.stdout.split() == []


# --- what every source has: annotations, and no address of a package registry -----------------------------------------

# Parts whose functions are annotated. The types in a kernel are inferred as it is compiled.
ANNOTATED = ("casino_env", "agents", "train", "evaluate", "play", "examples", "benchmarks")
KERNELS = {"kernel", "fast_kernel", "inlined", "entry", "fast_entry"}  # the decorators that make one


def unannotated(path: str, source: str) -> list[str]:
    """Return one line for each function, kernels excepted, that lacks annotations."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if any(_last(decorator) in KERNELS for decorator in node.decorator_list):
            continue
        given = node.args
        taken = [*given.posonlyargs, *given.args, *given.kwonlyargs, *filter(None, (given.vararg, given.kwarg))]
        bare = [one.arg for one in taken if one.annotation is None and one.arg not in ("self", "cls")]
        bare += [] if node.returns else ["what it returns"]
        if bare:
            found.append(f"{path}:{node.lineno}: {node.name}: no annotation for {', '.join(bare)}")
    return found


def test_functions_are_annotated() -> None:
    files = [path for part in ANNOTATED for path in sorted((ROOT / part).rglob("*.py"))]
    found = [line for path in files for line in unannotated(path.relative_to(ROOT).as_posix(), path.read_text())]
    assert not found, "\n" + "\n".join(found)


# Hosts in pieces, so that this file does not match itself.
_HOSTS = (
    ("pypi", "org"), ("pythonhosted", "org"), ("pytorch", "org", "whl"), ("npmjs", "org"), ("npmjs", "com"),
    ("yarnpkg", "com"), ("deb", "debian", "org"), ("conda", "anaconda", "org"), ("crates", "io"),
    ("proxy", "golang", "org"), ("rubygems", "org"),
)  # fmt: skip
_REGISTRY = re.compile(
    "|".join(r"[./]".join(host) for host in _HOSTS) + r"|https?://\S+/simple(?:/|\s|$)|index" + r"-url\b", re.IGNORECASE
)


def test_no_file_names_a_package_registry() -> None:
    """The user's configuration decides where packages come from, not the project."""
    assert _REGISTRY.search("http://localhost:3141/root/mirror/" + "simple/")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a git checkout")
    found = []
    for name in filter(None, listed.stdout.split("\0")):
        path = ROOT / name
        if path.is_file() and path.suffix not in (".safetensors", ".png", ".woff2"):
            lines = path.read_text(errors="replace").splitlines()
            found += [f"{name}:{number}" for number, line in enumerate(lines, 1) if _REGISTRY.search(line)]
    assert not found, f"package registry addresses in {', '.join(found)}"


# One row for each kind of violation: file | its text | expected message.
PLANTED = """
casino_env/engine/reading.py | from casino_env.engine import turn | turn, which comes after reading
casino_env/game.py | from . import turn | relatively
casino_env/game.py | from casino_env import Game | from the package itself
casino_env/drawing/scene.py | if TYPE_CHECKING: from casino_env.game import G | game, which is on a floor above drawing
casino_env/game.py | import pandas | only the standard library and
casino_env/game.py | import subprocess | imports subprocess, which is only for
casino_env/drawing/picture.py | from PIL import Image | inside the function that needs it
casino_env/bench.py | def f(): import_module('casino_env.agents.greedy') | casino_env may import no other part
agents/scripted/bots.py | from agents.base import Agent | nobody's name outside
agents/scripted/bots.py | def f(a, b: int) -> None: ... | f: no annotation for a
agents/scripted/bots.py | def f(): ... | f: no annotation for what it returns
"""


@pytest.mark.parametrize("row", PLANTED.strip().splitlines())
def test_planted_violation_is_found(row: str) -> None:
    path, source, said = row.split(" | ")
    bare = [] if "import" in source else unannotated(path, source)
    (found,) = violations(path, source) + bare
    assert said in found
