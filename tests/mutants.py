"""python -m tests.mutants --room engine --count 100: change the code in small ways, and see whether a test notices.

Each mutant changes one operator, number, condition or statement. It runs the tests that call the changed function,
fastest first, until one fails; kernels are interpreted (tests/interpreted.py). Each result is a line in
build/mutants/ROOM.jsonl, so that an interrupted run resumes. People should read the survivors.
"""

from __future__ import annotations

import argparse
import ast
import collections
import contextlib
import copy
import cProfile
import functools
import gc
import hashlib
import importlib.machinery
import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
OUT = ROOT / "build" / "mutants"
ALIKE = ROOT / "tests/equivalents.json"  # equivalent mutants, by key (JavaScript: by name), and why they are
ROOMS = {
    "knowledge": ("casino_env/knowledge",),
    "engine": ("casino_env/engine",),
    "evaluate": ("evaluate",),
    "search": ("agents/search",),
    "records": ("casino_env/record.py", "casino_env/position.py", "casino_env/rng.py"),
}
# Test files by how they run kernels. Files that train, compile or serve take too long.
TESTS = {
    "interpreted": {
        "knowledge": ("seen", "views", "reach", "dealing", "beliefs", "observation"),
        "engine": ("seen", "rules", "engines", "scoring", "rule_fields", "proof", "dealing", "game", "outcomes"),
        "evaluate": ("evaluate_statistics", "style"),
        "search": ("small_searches", "horizon"),
        "records": ("dealing", "game"),
    },
    "library": {
        "knowledge": ("observation", "dealing", "views", "policy"),
        "engine": ("rules", "rule_fields", "game", "engines", "scoring", "observation", "protocol"),
        "evaluate": (
            "evaluate_statistics", "seeds", "luck", "regret", "report", "evaluate", "evaluate_commands", "style",
            "exam", "exploit", "fresh", "language",
        ),
        "search": ("small_searches", "search", "turn_search", "agents", "horizon", "specs"),
        "records": ("game", "kept", "cli", "rules", "engines", "proof", "properties"),
    },
}  # fmt: skip
LONGEST = 5  # seconds: slower tests are left out
LONG = 60  # seconds of CPU time for a test file, and as many again for its quick tests
QUICK = 0.25  # seconds of a quick test
ENOUGH = 8.0  # seconds of tests for one mutant, at most half of them for quick tests

# --- mutants ---------------------------------------------------------------------------------------------------------

_OPERATORS = {
    "<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"), "==": ("!=",), "!=": ("==",),
    "is": ("is not",), "is not": ("is",), "in": ("not in",), "not in": ("in",), "+": ("-",), "-": ("+",),
    "*": ("+",), "/": ("*",), "//": ("*",), "%": ("+",), "<<": (">>",), ">>": ("<<",), "&": ("|",), "|": ("&",),
    "^": ("|",), "**": ("*",), "and": ("or",), "or": ("and",),
}  # fmt: skip
_KINDS = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.Is: "is",
    ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in", ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/",
    ast.FloorDiv: "//", ast.Mod: "%", ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|",
    ast.BitXor: "^", ast.Pow: "**", ast.And: "and", ast.Or: "or",
}  # fmt: skip
_OF_SIGN = {sign: kind for kind, sign in _KINDS.items()}
_CALLS = {"min": "max", "max": "min", "any": "all", "all": "any", "lowest": "highest", "highest": "lowest"}
_DECORATORS = {"entry", "kernel", "fast_kernel", "fast_entry", "inlined"}


def changes(node: ast.AST) -> Iterator[tuple[str, ast.AST | None]]:
    """Yield each change of a node: its name, and the new node (None: the node is deleted)."""
    if isinstance(node, ast.Compare | ast.BinOp | ast.AugAssign | ast.BoolOp):
        yield from _other_operators(node)
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, bool):
            yield f"{node.value} -> {not node.value}", ast.Constant(not node.value)
        elif isinstance(node.value, int | float):
            more = node.value + 1 if node.value + 1 != node.value else 2 * node.value
            yield f"{node.value} -> {more}", ast.Constant(more)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub | ast.Invert):
        yield f"{ast.unparse(node)} without its sign", node.operand
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _CALLS:
        other = _CALLS[node.func.id]
        yield f"{node.func.id} -> {other}", ast.Call(ast.Name(other, ast.Load()), node.args, node.keywords)
    elif isinstance(node, ast.If | ast.IfExp | ast.While):
        for value in (False,) if isinstance(node, ast.While) else (True, False):
            made = copy.copy(node)
            made.test = ast.Constant(value)
            yield f"{ast.unparse(node.test)} -> {value}", made
    elif isinstance(node, ast.Break | ast.Continue):
        other_kind = ast.Continue if isinstance(node, ast.Break) else ast.Break
        yield f"{type(node).__name__} -> {other_kind.__name__}".lower(), other_kind()
    if isinstance(node, ast.Expr | ast.Assign | ast.AugAssign | ast.Raise) and not _is_text(node):
        yield f"without {ast.unparse(node)[:60]}", None


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _other_operators(node: Any) -> Iterator[tuple[str, ast.AST]]:
    sign = _KINDS.get(type(node.ops[0] if isinstance(node, ast.Compare) else node.op), "")
    for other in _OPERATORS.get(sign, ()):
        made = copy.copy(node)
        if isinstance(node, ast.Compare):
            made.ops = [_OF_SIGN[other](), *node.ops[1:]]
        else:
            made.op = _OF_SIGN[other]()
        yield f"{ast.unparse(node)[:60]}: {sign} -> {other}", made


class Mutant(NamedTuple):
    file: str  # relative to the root
    function: str  # the outermost function or method around it; "": the module
    is_kernel: bool  # in a kernel, or run by the import of a module that has kernels
    line: int
    column: int
    what: str
    number: int  # among the changes of this node
    is_imported: bool = False  # evaluated at import: outside functions, a default value, or what the import calls
    around: str = ""  # the code around a constant

    @property
    def name(self) -> str:
        return f"{self.file}:{self.line}:{self.column} {self.what}"

    @property
    def key(self) -> str:
        """Return a name that does not depend on the line."""
        return f"{self.file} {self.function}: " + (f"{self.around}: " if self.around else "") + self.what

    def tree(self) -> ast.Module:
        """Return the syntax tree of the changed module."""
        tree = ast.parse((ROOT / self.file).read_text())
        found = [node for node, *_ in _walk(tree) if self._is(node)]
        (new,) = {what: new for node in found for what, new in changes(node) if what == self.what}.values()
        old = next(node for node in found if any(what == self.what for what, _ in changes(node)))
        return ast.fix_missing_locations(_Replace(old, new).visit(tree))

    def _is(self, node: ast.AST) -> bool:
        return (getattr(node, "lineno", 0), getattr(node, "col_offset", 0)) == (self.line, self.column)


class _Replace(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST | None) -> None:
        self.old, self.new = old, new or ast.Pass()
        ast.copy_location(self.new, old)

    def visit(self, node: ast.AST) -> Any:
        return self.new if node is self.old else super().generic_visit(node)


def _walk(
    node: ast.AST, inside: tuple[ast.AST, ...] = (), is_imported: bool = True
) -> Iterator[tuple[ast.AST, tuple[ast.AST, ...], bool]]:
    """Yield all nodes worth changing, with the definitions around them, and whether an import evaluates them: no
    annotations, f-strings or imports."""
    yield node, inside, is_imported
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        inside = (*inside, node)
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        for child in value if isinstance(value, list) else [value]:
            is_left = isinstance(child, ast.JoinedStr | ast.Import | ast.ImportFrom) or _is_typing(child)
            if isinstance(child, ast.AST) and not is_left:
                is_body = isinstance(node, ast.FunctionDef) and name == "body"
                yield from _walk(child, inside, is_imported and not is_body)


def _is_typing(node: Any) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def mutants(room: str) -> list[Mutant]:
    """Return all mutants of a room."""
    paths = [path for part in ROOMS[room] for path in sorted((ROOT / part).rglob("*.py")) or [ROOT / part]]
    return [mutant for path in paths for mutant in _of_file(path.relative_to(ROOT).as_posix())]


def _of_file(file: str) -> Iterator[Mutant]:
    seen, tree = set[str](), ast.parse((ROOT / file).read_text())
    above = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    has_kernels, early = any(_is_kernel(node) for node in tree.body), _called_by_the_import(tree)
    for node, inside, is_imported in _walk(tree):
        functions = [part for part in inside if isinstance(part, ast.FunctionDef)]
        first = functions[0] if functions else None
        name = ".".join(part.name for part in inside[: inside.index(first) + 1]) if first else ""  # type: ignore[attr-defined]
        is_kernel = _is_kernel(first) if first and name not in early else has_kernels
        for number, (what, _) in enumerate(changes(node)):
            place = node.lineno, node.col_offset  # type: ignore[attr-defined]
            around = ast.unparse(above[node])[:60] if isinstance(node, ast.Constant) else ""
            made = Mutant(file, name, is_kernel, *place, what, number, is_imported or name in early, around)
            if made.name not in seen:
                seen.add(made.name)
                yield made


def _called_by_the_import(tree: ast.Module) -> set[str]:
    """Return the functions that the import of their own module calls."""
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    called, waiting = set[str](), [node for node in tree.body if not isinstance(node, ast.FunctionDef | ast.ClassDef)]
    while waiting:
        calls = [node.func for node in ast.walk(waiting.pop()) if isinstance(node, ast.Call)]
        new = {call.id for call in calls if isinstance(call, ast.Name)} & functions.keys() - called
        called |= new
        waiting += [functions[name] for name in new]  # type: ignore[misc]
    return called


def _is_kernel(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef) and any(ast.unparse(one) in _DECORATORS for one in node.decorator_list)


# --- in the test process: recording which functions each test calls, running mutants in child processes -------------


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


@functools.cache
def _real(file: str) -> str:
    """Return a path relative to the root, links resolved; empty if it lies elsewhere."""
    try:
        return Path(file).resolve().relative_to(ROOT).as_posix()
    except ValueError:
        return ""


def swap(mutant: Mutant) -> None:
    """Replace the code of the existing functions in place."""
    compiled = compile(mutant.tree(), mutant.file, "exec")
    new = {(code.co_qualname, code.co_firstlineno): code for code in _codes(compiled)}
    for one in gc.get_objects():
        if isinstance(one, FunctionType) and _real(one.__code__.co_filename) == mutant.file:
            code = new.get((one.__code__.co_qualname, one.__code__.co_firstlineno))
            if code is not None and code.co_freevars == one.__code__.co_freevars:
                one.__code__ = code.replace(co_filename=one.__code__.co_filename)


def import_changed(mutant: Mutant) -> None:
    """Make the import system load the changed module."""
    plain = importlib.machinery.SourceFileLoader.get_code

    def get_code(self: Any, name: str) -> Any:
        if _real(self.path) == mutant.file:
            return compile(mutant.tree(), self.path, "exec")
        return plain(self, name)

    importlib.machinery.SourceFileLoader.get_code = get_code  # type: ignore[method-assign,assignment]


def _function(test: str) -> str:
    return test.partition("[")[0]


def _nth(test: str, cases: collections.Counter[str]) -> int:
    """Return which case of its test function this one is, among those counted so far; count it."""
    cases[_function(test)] += 1
    return cases[_function(test)]


class Recording:
    """A pytest plugin that records how long each test takes and which functions it calls: [seconds, ["file name"]]."""

    def __init__(self, out: Path) -> None:
        self.out, self.found, self.slow = out, dict[str, Any](), set[str]()

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        random.Random(1).shuffle(items)  # a sample of all kinds before the time is up: first one of each function
        cases = collections.Counter[str]()
        items.sort(key=lambda item: _nth(item.nodeid, cases))

    def pytest_runtest_setup(self, item: Any) -> None:
        spent = time.process_time()
        if spent > 2 * LONG or (spent > LONG and _function(item.nodeid) in self.slow):
            pytest.skip(f"{item.path.name} takes too long")

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Iterator[None]:
        calls, began = cProfile.Profile(builtins=False, subcalls=False), time.process_time()
        self.failed = False
        calls.enable()
        yield
        calls.disable()
        seconds = time.process_time() - began
        if seconds > QUICK:
            self.slow.add(_function(item.nodeid))
        if not self.failed and seconds < LONGEST:
            codes = [entry.code for entry in calls.getstats() if isinstance(entry.code, CodeType)]  # type: ignore[attr-defined]
            places = {(_real(code.co_filename), code.co_qualname.split(".<locals>")[0]) for code in codes}
            ours = sorted(f"{file} {name}" for file, name in places if file and not file.startswith(("tests", ".venv")))
            self.found[item.nodeid] = [round(seconds, 3), ours]
            self.out.write_text(json.dumps(self.found))  # now, as a test that takes too long may end the process

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.failed |= report.outcome != "passed"

    def pytest_sessionfinish(self) -> None:
        self.out.write_text(json.dumps(self.found))


class Running:
    """A pytest plugin that runs each mutant in a forked child of the process that has loaded all tests."""

    def __init__(self, jobs: list[tuple[Mutant, list[str], float]], log: Path) -> None:
        self.jobs, self.log = jobs, log

    def pytest_runtestloop(self, session: Any) -> bool:
        items = {item.nodeid: item for item in session.items}
        gc.collect()
        for mutant, tests, limit in self.jobs:
            began = time.perf_counter()
            result, by = in_child(mutant, [items[test] for test in tests if test in items], limit)
            write(self.log, mutant, result, by, time.perf_counter() - began)
        return True


def write(log: Path, mutant: Mutant, result: str, by: str, seconds: float) -> None:
    row = {"name": mutant.name, "function": mutant.function, "result": result, "by": by, "seconds": round(seconds, 2)}
    with log.open("a") as file:
        file.write(json.dumps(row) + "\n")


def in_child(mutant: Mutant, items: list[Any], limit: float) -> tuple[str, str]:
    from _pytest.runner import runtestprotocol

    if not items:
        return "no test", ""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            bound(limit)
            swap(mutant)
            for item in items:
                if any(report.failed for report in runtestprotocol(item, log=False)):
                    os.write(writing, item.nodeid.encode())
                    os._exit(1)
            os._exit(0)
        os._exit(2)
    os.close(writing)
    with open(reading, "rb") as pipe:
        by = pipe.read().decode()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return {0: "survived", 1: "caught", 2: "broke"}.get(code, "ended"), by


def bound(limit: float) -> None:
    """Limit the time and memory of this process."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(int(5 * limit) + 5)
    resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 1, int(limit) + 2))
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))


def pytest_configure(config: pytest.Config) -> None:
    """Register the plugins that environment variables ask for."""
    from hypothesis import settings

    settings.register_profile("mutants", database=None, deadline=None, derandomize=True)
    settings.load_profile("mutants")
    if "MUTANTS_RECORD" in os.environ:
        config.pluginmanager.register(Recording(Path(os.environ["MUTANTS_RECORD"])))
    if "MUTANTS_RUN" in os.environ:
        said = json.loads(Path(os.environ["MUTANTS_RUN"]).read_text())
        jobs = [(Mutant(*fields), tests, limit) for fields, tests, limit in said["jobs"]]
        config.pluginmanager.register(Running(jobs, Path(said["log"])))


if "MUTANTS_IMPORT" in os.environ:
    import_changed(Mutant(*json.loads(os.environ["MUTANTS_IMPORT"])))

# --- the command -----------------------------------------------------------------------------------------------------


def run_pytest(mode: str, words: list[str], seconds: float | None = None, **environment: str) -> int:
    more = {"CASINO_ENV_KERNELS": "jit"} if mode == "interpreted" else {}
    plugins = ["-p", "tests.mutants", *(["-p", "tests.interpreted"] if mode == "interpreted" else [])]
    command = [sys.executable, "-m", "pytest", "-q", *plugins, "-p", "no:cacheprovider", "-o", "timeout=0", *words]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | more | environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=seconds)  # fmt: skip
    if done.returncode > 1:
        sys.stderr.write(done.stdout.decode()[-2000:])
    return done.returncode


def recorded(mode: str, room: str) -> dict[str, Any]:
    """Return for each test its seconds and the functions that it calls. Test files that have changed are run again."""
    found: dict[str, Any] = {}
    for name in TESTS[mode][room]:
        file = ROOT / f"tests/test_{name}.py"
        digest = hashlib.sha256(file.read_bytes()).hexdigest()[:12]
        kept = OUT / f"{mode}-{name}-{digest}.json"
        if not kept.exists():
            for old in OUT.glob(f"{mode}-{name}-*.json"):
                old.unlink()
            began = time.perf_counter()
            run_pytest(mode, [f"--timeout={4 * LONGEST}", str(file)], MUTANTS_RECORD=str(kept))
            print(f"{mode}: {file.name} {time.perf_counter() - began:.0f} s", flush=True)
        found |= json.loads(kept.read_text()) if kept.exists() else {}
    return found


def chosen(mutant: Mutant, tests: dict[str, Any]) -> tuple[list[str], float]:
    """Return the tests for a mutant, and how many seconds of CPU time they may take."""
    place = f"{mutant.file} {mutant.function}"

    def fits(seconds: float, called: list[str]) -> bool:
        if mutant.is_imported:  # a constant may be read anywhere
            return seconds <= QUICK or any(one.startswith(f"{mutant.file} ") for one in called)
        return place in called

    fitting = [(seconds, test) for test, (seconds, called) in tests.items() if fits(seconds, called)]
    some, total, cases = [], 0.0, collections.Counter[str]()
    ranked = [(seconds > QUICK, _nth(test, cases), seconds, test) for seconds, test in sorted(fitting)]
    for is_slow, _, seconds, test in sorted(ranked):  # the fastest case of each test function, then the next of each
        if total + seconds < (ENOUGH if is_slow else ENOUGH / 2):
            some.append(test)
            total += seconds
    return some, 10 + 3 * total


def run_module(mutant: Mutant, tests: list[str], limit: float) -> str:
    """Import the module with the change, as its code stands outside functions."""
    try:
        mode = "interpreted" if mutant.is_kernel else "library"
        code = run_pytest(mode, ["-x", *tests], 60 + 5 * limit, MUTANTS_IMPORT=json.dumps(mutant))
        return {0: "survived", 5: "no test"}.get(code, "caught")
    except subprocess.TimeoutExpired:
        return "ended"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__.splitlines()[0])
    parser.add_argument("--room", choices=ROOMS, required=True)
    parser.add_argument("--count", type=int, default=100, help="how many, drawn at random (100)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--again", action="store_true", help="run survivors again, with the tests as they are")
    args = parser.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    log, every = OUT / f"{args.room}.jsonl", mutants(args.room)
    done = read(log)
    drawn = random.Random(args.seed).sample(every, min(args.count, len(every)))
    left = [
        one
        for one in drawn
        if one.name not in done or (args.again and done[one.name]["result"] in ("survived", "no test"))
    ]
    for mode in TESTS:
        here = [one for one in left if one.is_kernel == (mode == "interpreted")]
        if here:
            run_all(mode, args.room, here, log)
    alike, keys = json.loads(ALIKE.read_text()), {one.name: one.key for one in every}
    counts = collections.Counter(
        "equivalent" if row["result"] == "survived" and keys.get(name) in alike else row["result"]
        for name, row in read(log).items()
    )
    print(f"{args.room}: {len(every)} mutants there are; {dict(counts)}")
    return 0


def run_all(mode: str, room: str, some: list[Mutant], log: Path) -> None:
    tests = recorded(mode, room)
    jobs = [(one, *chosen(one, tests)) for one in some]
    work = OUT / f"jobs-{log.stem}.json"
    work.write_text(json.dumps({"log": str(log), "jobs": [job for job in jobs if not job[0].is_imported]}))
    files = [f"tests/test_{name}.py" for name in TESTS[mode][room]]
    run_pytest(mode, files, MUTANTS_RUN=str(work))
    for mutant, chosen_tests, limit in jobs:
        if mutant.is_imported:
            began = time.perf_counter()
            result = run_module(mutant, chosen_tests, limit) if chosen_tests else "no test"
            write(log, mutant, result, "", time.perf_counter() - began)


def read(log: Path) -> dict[str, dict[str, Any]]:
    """Return the last result of each mutant, by name."""
    rows = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    return {row["name"]: row for row in rows}


if __name__ == "__main__":
    sys.exit(main())
