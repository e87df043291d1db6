"""Builds what the JavaScript package (packages/casino) needs: casino.wasm, facts.json and the policies.

casino.wasm has the entries that a table needs: rules, views, agents; no environments, no training. Each takes a block
of words, as in the library (build.py). facts.json holds everything that JavaScript would otherwise have to repeat:
types of arguments and results, offsets of record fields, the rules of all games, constants of modules.
"""

from __future__ import annotations

import ast
import dataclasses
import json
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

import numpy as np

from casino_env.aot.build import (
    CODE,
    Lowered,
    Target,
    digests_of,
    emit,
    lower,
    made_by,
    modules_of_entries,
    replaced,
    say,
    stand_in,
    zig,
)
from casino_env.compiler.digests import file_of, short
from casino_env.compiler.jit import ENTRIES
from casino_env.compiler.library import digest_of
from casino_env.compiler.types import Elements, Kind, Number, arguments
from casino_env.golden import tables
from casino_env.rules import Rules, make_rules
from casino_env.version import __version__

TARGET = Target("simd128", "wasm32-unknown-wasi", "generic", "wasm32-wasi", features="+simd128,+bulk-memory")
# Only for Python and C.
_LEFT_OUT = (
    "agents.c_export", "agents.opening", "agents.signature", "aot", "compiler", "drawing", "envs", "evaluate", "extras",
    "train",
)  # fmt: skip
_UNCALLED = (  # their entries are left out: JavaScript calls agents.opened instead
    "agents.policy.judging", "agents.policy.lookahead", "agents.scripted", "agents.search", "agents.solver.alpha_beta",
    "engine.action_set", "engine.afterstates",
)  # fmt: skip
_STACK = 1 << 20
_WORDS = (  # linker options: a library without an entry point; a stack overflow traps instead of overwriting data
    "-mexec-model=reactor", "-nostartfiles", "-Wl,--no-entry", f"-Wl,-z,stack-size={_STACK}",
)  # fmt: skip
_MEMORY = ("casino_borrow", "casino_give_back")  # in runtime.c
# Modules whose constants JavaScript needs although no kernel does.
_ALSO = (
    "position", "record", "observed", "views", "engine.entrypoints", "agents.policy.policy_files",
    "agents.scripted.choosing", "agents.search.search_agent",
)  # fmt: skip


def build(folder: Path, *, take: bool = False) -> None:
    """Build all of it into a folder. take: keep a casino.wasm of the same kernels there, whichever compiler made it."""
    began = time.perf_counter()
    folder.mkdir(parents=True, exist_ok=True)
    modules = [name for name in modules_of_entries() if _is_told(name) and not _part(name).startswith(_UNCALLED)]
    rows = _rows_there(folder, digests_of(modules), "" if take else _made_by())
    if not rows:
        lowered = lower(modules)
        rows = lowered.rows
        replaced(folder / "casino.wasm", lambda out: link(emit(lowered, TARGET), lowered, out))
    known = facts(rows) | {"engine": {"made_by": _made_by(), "digest": digest_of(folder / "casino.wasm")}}
    text = json.dumps(known, separators=(",", ":")) + "\n"
    replaced(folder / "facts.json", lambda out: out.write_text(text, "utf-8"))
    copy_policies(folder / "policies")
    say(f"WebAssembly, facts and policies in {folder}", began)


def _rows_there(folder: Path, digests: dict[str, str], maker: str) -> dict[str, dict[str, Any]]:
    """Return the manifest rows of the casino.wasm in a folder; empty unless it is up to date with these digests."""
    try:
        there = json.loads((folder / "facts.json").read_text("utf-8"))
        code = digest_of(folder / "casino.wasm")
    except (OSError, ValueError):
        return {}
    engine = there.get("engine", {})
    rows = {f"casino_env.{name}": row for name, row in there["entries"].items()}
    is_same = {name: row.get("digest") for name, row in rows.items()} == digests
    return rows if is_same and engine.get("digest") == code and maker in ("", engine.get("made_by")) else {}


def _made_by() -> str:
    """Digest of the compiler, target and linker options behind casino.wasm; kernels have digests of their own."""
    return short(f"{made_by()} {TARGET} {_WORDS}")


_TYPE_OF_POLICIES = """\
declare const policies: Record<string, { json: URL, safetensors: URL }>;
export default policies;
"""


def copy_policies(folder: Path) -> None:
    """Copy the files of the shipped policies unchanged, and write a module beside each for bundlers."""
    shipped = import_module("casino_env.agents.policy.shipped")
    folder.mkdir(exist_ok=True)
    for weights in map(shipped.shipped_path, shipped.best()):
        for file in (weights, weights.with_suffix(".json")):
            shutil.copyfile(file, folder / file.name)
        places = (f'{kind}: new URL("./{weights.stem}.{kind}", import.meta.url)' for kind in ("json", "safetensors"))
        module = f'export default {{ "{weights.stem}": {{ {", ".join(places)} }} }};\n'
        (folder / f"{weights.stem}.js").write_text(module, "utf-8")
    (folder / "policy.d.ts").write_text(_TYPE_OF_POLICIES, "utf-8")


def link(code: bytes, lowered: Lowered, out: Path) -> None:
    exported = [*_MEMORY, *(row["symbol"] for row in lowered.rows.values())]
    with tempfile.TemporaryDirectory() as name:
        kernels = Path(name) / "kernels.o"
        kernels.write_bytes(code)
        words = [*_WORDS, *(f"-Wl,--export={symbol}" for symbol in exported)]
        zig("cc", "-target", TARGET.system, "-O2", "-s", *words, str(CODE / "runtime.c"), str(kernels), "-o", str(out))


# --- facts -----------------------------------------------------------------------------------------------------------


def facts(rows: dict[str, dict[str, Any]]) -> dict[str, Any]:
    stand_in()
    for name in {*(f"casino_env.{name}" for name in _ALSO), *(row.rpartition(".")[0] for row in rows)}:
        import_module(name)
    modules = sorted(name for name in sys.modules if _is_told(name))
    known = _Known(modules)
    entries = {_part(name): row | {"arguments": known.arguments(name)} for name, row in rows.items()}
    return {
        "version": __version__,
        "entries": entries,
        "records": {name: _record(dtype, known) for name, dtype in known.records.items()},
        "tuples": known.tuples,
        "switches": list(_switches()),
        "tables": {name: _game(rules) for name, rules in tables().items()},
        "policies": dict(_policies()),
        "strongest": list(_strongest()),
        "parameters": dict(_parameters()),
        "bots": dict(_bots()),
        "workspaces": dict(_workspaces()),
        "constants": {_part(name): found for name in modules if (found := dict(_constants(name)))},
    }


def _is_told(module: str) -> bool:
    """Return whether JavaScript needs a module's kernels and constants."""
    return module.startswith("casino_env.") and not _part(module).startswith(_LEFT_OUT) and file_of(module) is not None


def _part(name: str) -> str:
    return name.removeprefix("casino_env.")


class _Known:
    """Record types and named tuples by their names in Python."""

    def __init__(self, modules: list[str]) -> None:
        self.tuples: dict[str, Any] = {}
        found = [(module, name, getattr(sys.modules[module], name)) for module in modules for name in _named(module)]
        found = [row for row in found if isinstance(row[2], np.dtype)]
        times = Counter(name for _, name, _ in found)
        self.records = {
            name if times[name] == 1 else f"{module.rpartition('.')[2]}.{name}": dtype for module, name, dtype in found
        }

    def arguments(self, entry: str) -> dict[str, Any]:
        return {name: self.kind(kind) for name, kind in arguments(ENTRIES[entry].function).items()}

    def kind(self, kind: Kind) -> Any:
        """Describe a type: q, Q or d; [elements, dimensions], in a workspace also sizes; the name of a tuple."""
        if isinstance(kind, Number):
            return kind.code
        if isinstance(kind, Elements):
            sizes = [] if kind.sizes is None else [list(kind.sizes)]
            return [self.elements(np.dtype(kind.dtype)), kind.dimensions, *sizes]
        name = kind.of.__name__
        self.tuples[name] = {part: self.kind(one) for part, one in zip(kind.of._fields, kind.parts, strict=True)}
        return name

    def elements(self, dtype: Any) -> str:
        """Return the name of a record type, or of a number type such as i64."""
        if dtype.names:
            return next(name for name, known in self.records.items() if known == dtype)
        return "i8" if dtype == np.bool_ else f"{dtype.kind}{8 * dtype.itemsize}"


def _record(dtype: Any, known: _Known) -> dict[str, Any]:
    """Describe a record: its size in bytes, and for each field the type, the offset in bytes and the shape."""
    fields = {}
    for name in dtype.names:
        field, offset = dtype.fields[name][:2]
        fields[name] = [known.elements(field.base), offset, list(field.shape)]
    return {"size": dtype.itemsize, "fields": fields}


def _game(rules: Rules) -> dict[str, Any]:
    return {"variant": rules.name, "players": rules.players, "rules": rules.differences()}


def _switches() -> Iterator[dict[str, Any]]:
    """Yield the switches of the rules: name, kind, default, and choices where there are any."""
    for field in dataclasses.fields(Rules):
        kind: Any = field.type
        choices = list(get_args(kind)) if get_args(kind) else None
        yield {"name": field.name, "kind": "choice" if choices else kind.__name__, "default": field.default} | (
            {"choices": choices} if choices else {}
        )


def _policies() -> Iterator[tuple[str, Any]]:
    """Yield the shipped policies: name, level, the policy that it is a level of, and its games."""
    shipped = import_module("casino_env.agents.policy.shipped")
    for spec, row in shipped.trained().items():
        name = spec.partition(":")[2]
        yield name, row | {"of": name.removesuffix(f"-{row['level']}")}


def _strongest() -> Iterator[dict[str, Any]]:
    """Yield the games that a policy has learnt, each with its strongest policy."""
    shipped = import_module("casino_env.agents.policy.shipped")
    for rules in shipped.learners():
        yield _game(rules) | {"policy": shipped.strongest_policy(rules)}


def _parameters() -> Iterator[tuple[str, Any]]:
    """Yield each agent with the parameters of its spec: name: [type, whether required]."""
    registry = import_module("casino_env.agents.registry")
    for row in registry.describe():
        known = registry.AGENTS[row["name"]].parameters()
        kinds = {each["name"]: each["type"] for each in row["parameters"]}
        yield row["name"], {key: [kinds[key], each.default is each.empty] for key, each in known.items()}


def _bots() -> Iterator[tuple[str, Any]]:
    """Yield each scripted bot with two records: for cassino (builds need a hand card) and for south-african."""
    bots, games = import_module("casino_env.agents.scripted.bots"), map(make_rules, ("cassino", "south-african"))
    of_games = [{name: bots.bot_record(bot, rules)[0] for name, bot in bots.BOTS.items()} for rules in games]
    for name in bots.BOTS:
        yield name, [{field: found[name][field].item() for field in bots.BOT.names} for found in of_games]


def _workspaces() -> Iterator[tuple[str, Any]]:
    """Yield each kind of agent with the sizes of its workspaces."""
    opened, opening = import_module("casino_env.agents.opened"), import_module("casino_env.agents.opening")
    for kind in opened.KINDS:
        yield kind, opening.sizes_of_kind(kind)


def _constants(module: str) -> Iterator[tuple[str, Any]]:
    """Yield a module's constants (names in capitals) that are plain data."""
    for name in _named(module):
        try:
            yield name, _data(getattr(sys.modules[module], name))
        except TypeError:
            continue


def _named(module: str) -> list[str]:
    """Return the names in capitals that a module defines itself."""
    file = file_of(module)
    lines = ast.parse(file.read_text("utf-8") if file else "").body
    targets = [target for line in lines if isinstance(line, ast.Assign) for target in line.targets]
    targets += [line.target for line in lines if isinstance(line, ast.AnnAssign)]
    names = [node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)]
    return [name for name in names if name.isupper() and hasattr(sys.modules[module], name)]


def _data(value: Any) -> Any:
    if isinstance(value, bool | int | float | str | None):
        return value
    if isinstance(value, np.integer):
        return int(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _data({field.name: getattr(value, field.name) for field in dataclasses.fields(value)})
    if isinstance(value, dict):
        return {str(key): _data(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_data(part) for part in value]
    raise TypeError
