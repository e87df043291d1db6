"""What every source has: annotations, and no address of a package registry."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
# Where functions say what they take and return. The types in a kernel are numba's, worked out as it is compiled.
ANNOTATED = ("casino_env", "agents", "train", "evaluate", "play", "examples", "benchmarks")
KERNELS = {"kernel", "allocating", "fast_kernel", "inlined", "entry", "fast_entry"}  # the decorators that make one


def unannotated(path: str, source: str) -> list[str]:
    """The functions, kernels apart, that do not say what they take and return; one line each."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if any(ast.unparse(decorator).rpartition(".")[2] in KERNELS for decorator in node.decorator_list):
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


def test_what_is_bare_is_found() -> None:
    source = "def f(a, b: int) -> None: ...\n@kernel\ndef k(a): ...\nclass A:\n    def g(self, *, a: int): ..."
    found = unannotated("file", source)
    assert [line.rpartition(": ")[2] for line in found] == ["no annotation for a", "no annotation for what it returns"]


# Hosts in pieces, so that this file does not hold what it looks for.
_HOSTS = (
    ("pypi", "org"), ("pythonhosted", "org"), ("pytorch", "org", "whl"), ("npmjs", "org"), ("npmjs", "com"),
    ("yarnpkg", "com"), ("deb", "debian", "org"), ("conda", "anaconda", "org"), ("crates", "io"),
    ("proxy", "golang", "org"), ("rubygems", "org"),
)  # fmt: skip
_REGISTRY = re.compile(
    "|".join(r"[./]".join(host) for host in _HOSTS) + r"|https?://\S+/simple(?:/|\s|$)|index" + r"-url\b", re.IGNORECASE
)


def test_no_file_names_a_package_registry() -> None:
    """Where packages come from is the business of whoever installs, not of the project."""
    assert _REGISTRY.search("http://localhost:3141/root/mirror/" + "simple/")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a git checkout")
    found = []
    for name in filter(None, listed.stdout.split("\0")):
        path = ROOT / name
        if path.is_file() and path.suffix not in (".safetensors", ".png"):
            lines = path.read_text(errors="replace").splitlines()
            found += [f"{name}:{number}" for number, line in enumerate(lines, 1) if _REGISTRY.search(line)]
    assert not found, f"package registry addresses in {', '.join(found)}"
