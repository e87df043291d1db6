"""What every source has: annotations, no address of a package registry, functions and files that stay short."""

import re
import subprocess

import pytest

from tests import lengths

# Where functions say what they take and return. The types in a kernel are numba's, worked out as it is compiled.
ANNOTATED = ("casino_env", "agents", "train", "evaluate", "play", "examples", "benchmarks")


def unannotated(path: str, source: str) -> list[str]:
    """The functions, kernels apart, that do not say what they take and return; one line each."""
    found = []
    for function in lengths.functions(source):
        if not lengths.is_kernel(function):
            given = function.args
            taken = [*given.posonlyargs, *given.args, *given.kwonlyargs, *filter(None, (given.vararg, given.kwarg))]
            bare = [one.arg for one in taken if one.annotation is None and one.arg not in ("self", "cls")]
            bare += [] if function.returns else ["what it returns"]
            if bare:
                found.append(f"{path}:{function.lineno}: {function.name}: no annotation for {', '.join(bare)}")
    return found


def test_functions_are_annotated() -> None:
    found = []
    for path, source in lengths.files():
        if path.split("/")[0] in ANNOTATED:
            found += unannotated(path, source)
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
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=lengths.ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a git checkout")
    found = []
    for name in filter(None, listed.stdout.split("\0")):
        path = lengths.ROOT / name
        if path.is_file() and path.suffix not in (".safetensors", ".png"):
            lines = path.read_text(errors="replace").splitlines()
            found += [f"{name}:{number}" for number, line in enumerate(lines, 1) if _REGISTRY.search(line)]
    assert not found, f"package registry addresses in {', '.join(found)}"


def test_functions_and_files_stay_short(capsys: pytest.CaptureFixture[str]) -> None:
    assert lengths.main() == 0, capsys.readouterr().out


@pytest.mark.parametrize(
    ("path", "source", "said"),
    [
        ("play/module.py", "\n" * 351, "play/module.py: 351 lines, at most 350"),
        ("play/module.py", "def f():\n" + "    1\n" * 60, "play/module.py:1: f: 61 lines, at most 60"),
        ("play/module.py", "class A:\n    async def f():\n" + "        1\n" * 60, ":2: f: 61 lines"),
        *(
            ("play/module.py", f"@{mark}\ndef f(a, b, c, d, e, f, g, h, i): ...", "a kernel of 9 arguments, at most 8")
            for mark in ("kernel", "allocating", "fast_kernel", "entry", "jit.fast_entry")
        ),
    ],
)
def test_what_is_too_long_is_found(path: str, source: str, said: str) -> None:
    found = lengths.too_long(path, source)
    assert len(found) == 1, found
    assert said in found[0]


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("play/module.py", "\n" * 350),
        ("tests/reference_engine.py", "\n" * 351),
        ("play/module.py", "def f():\n" + "    1\n" * 59),
        ("play/module.py", "@kernel\ndef f(a, b, c, d, e, f, g, h): ..."),
        ("play/module.py", "def f(a, b, c, d, e, f, g, h, i): ..."),
    ],
)
def test_what_is_short_enough_passes(path: str, source: str) -> None:
    assert lengths.too_long(path, source) == []
