"""Every command and code block of the documents runs, page by page, in a folder of its own.

A block of ```sh, or an indented one that begins with a command, is run line by line; lines after `$ ` only where there
are such. A block of ```python is run, with what earlier ones of its page have defined. A block whose first line is a
comment with a file's name is that file. What is not run as it stands is in a table below, with the reason; a row that
no document needs any more fails a test.
"""

import importlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from casino_env.agents import make_agent
from casino_env.cli import ENV_COMMANDS, PARTS
from casino_env.cli import main as casino
from casino_env.train.commands.ablate import load_ablation
from casino_env.train.config import make_config

ROOT = Path(__file__).parent.parent
_FOLDERS = (ROOT, ROOT / "docs", ROOT / "docs/tutorials", ROOT / "docs/results")
PAGES = sorted(str(path.relative_to(ROOT)) for folder in _FOLDERS for path in folder.glob("*.md")
               if path.name not in ("CHANGELOG.md", "files.md"))  # fmt: skip

# --- what is done differently ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Shorter:
    """A command that runs with other numbers."""

    pattern: str
    instead: str
    why: str


SHORTER = (
    Shorter(r"--deals \d+", "--deals 4", "long matches"),
    Shorter(r"--minutes \d+", "--minutes 0.002", "minutes of training: one iteration is enough"),
    Shorter(r"train (configs/first|ours)\.toml$", r"\g<0> --minutes 0.002", "it says a minute"),
    Shorter(r"casino train (?=configs|ours|--set|--minutes)",
            "casino train --deals 4 --set run.deals=4 --set run.panel=[] ",
            "matches with the bots in the end and on the way"),
    Shorter(r"casino train --resume .*", r"\g<0> --deals 4", "matches with the bots in the end"),
    Shorter(r"train (distil|exploit) \S+", r"\g<0> --deals 4", "matches in the end"),
    Shorter(r"sims=\d+", "sims=2", "long searches"),
    Shorter(r"--(positions|seconds) \d+", r"--\1 2", "many positions, long searches"),
    Shorter(r"time=(2|0\.2|0\.01)\b", "time=0.005", "long searches"),
    Shorter(r"evaluate regret \S+", r"\g<0> --endings 2", "many endings"),
    Shorter(r"benchmarks thinking \S+( --times( [\d.]+)+)?", "benchmarks thinking khasino-2 --times 0.001", "matches"),
    Shorter(r"benchmarks horizon.*", "benchmarks horizon --variant cassino --positions 2 --games 4", "two dozen games"),
    Shorter(r"benchmarks luck.*", "benchmarks luck --variant cassino --deals 4", "two dozen games"),
    Shorter(r" --ray ADDRESS", "", "needs a cluster: test_cluster.py"),
)  # fmt: skip


def _target(words: list[str]) -> None:
    """Every word after make that is no variable is a target."""
    makefile = (ROOT / "Makefile").read_text()
    for word in words[1:]:
        assert "=" in word or re.search(rf"^{word}:", makefile, re.MULTILINE), f"the Makefile has no {word}"


def _extras(words: list[str]) -> None:
    known = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    names = [name for word in words for found in re.findall(r"^\.\[(.*)\]", word) for name in found.split(",")]
    assert words[-1] == "." or names
    assert set(names) <= set(known)


def _cluster(words: list[str]) -> None:
    assert words[2] in ("--head", "--address")
    assert "cluster" in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]


def _parsed(words: list[str]) -> None:
    """The command knows all of its words, and the agents that it names are there."""
    part, rest = ("env", words[1:]) if words[1] in ENV_COMMANDS else (words[1], words[2:])
    args = importlib.import_module(PARTS[part])._parser().parse_args(rest)
    for spec in (*getattr(args, "opponents", ()), *getattr(args, "agent", ())):
        make_agent(spec) if words[1] == "play" else None


def _exploited(words: list[str]) -> None:
    importlib.import_module("casino_env.train.commands.exploit")._parser().parse_args(words[3:])


def _ablated(words: list[str]) -> None:
    load_ablation(str(ROOT / words[3]), [word for word in words[4:] if "=" in word])


def _script(words: list[str]) -> None:
    assert (ROOT / words[1]).is_file()


def _module(words: list[str]) -> None:
    place = ROOT / words[2].replace(".", "/")
    assert place.with_suffix(".py").is_file() or (place / "__main__.py").is_file()


def _shell(words: list[str]) -> None:
    assert os.access(ROOT / words[0], os.X_OK)


def _tests(words: list[str]) -> None:
    assert all((ROOT / name).is_file() for name in words[1:])


def _opponent(words: list[str]) -> None:
    assert all((ROOT / f"configs/opponents/{name}.toml").is_file() for name in words[3:])


def _node(words: list[str]) -> None:
    assert all((ROOT / word).is_file() for word in words if word.endswith((".js", ".py")))


@dataclass(frozen=True)
class NotRun:
    """A command that is only looked at."""

    pattern: str
    check: Callable[[list[str]], None]
    why: str


NOT_RUN = (
    NotRun(r"make( [\w-]+)+( \w+=\S+)?$", _target, "long, or about the checkout itself: the target is there"),
    NotRun(r"pip install ", _extras, "tests install nothing: the extra is there"),
    NotRun(r"casino play", _parsed, "waits for a person: test_play_*.py plays; the words are understood"),
    NotRun(r"ray start ", _cluster, "needs Ray: test_cluster.py begins one; the extra for it is there"),
    NotRun(r"casino train opponents", _opponent, "hours: test_shipped.py; there is a config of that name"),
    NotRun(r"python -m (tests\.|benchmarks (training|speedrun))", _module, "long: the module is there"),
    NotRun(r"pytest ", _tests, "the tests are there"),
    NotRun(r"python docs/generate\.py", _script, "test_docs.py calls it"),
    NotRun(r"casino compile --target wasm32", _parsed, "minutes: test_javascript.py uses what it makes"),
    NotRun(r"casino compile --target nvptx64", _parsed, "test_gpu.py makes it, and asks ptxas where there is one"),
    NotRun(r"(npm|node|python -m http\.server) ?", _node,
           "needs node: test_javascript.py runs all of it"),
    NotRun(r"(tests|benchmarks)/\w+\.sh", _shell, "installs packages: the script is there"),
    NotRun(r"casino train ablate ", _ablated, "minutes: test_ablate.py; the file is right"),
    NotRun(r"python examples/tune\.py", _script, "minutes: test_examples.py"),
    NotRun(r"casino evaluate measure strength", _parsed, "writes beside the weights: test_shipped.py"),
    NotRun(r"python -m examples\.mini_exploitability", _module, "needs OpenSpiel: test_examples.py"),
    NotRun(r"casino evaluate seeds", _parsed, "needs runs with matches: test_seeds.py; the words are understood"),
    NotRun(r"casino bench", _parsed, "measures for minutes: test_cli.py; the words are understood"),
    NotRun(r"casino train exploit counter --method exact --variant mini", _exploited,
           "needs OpenSpiel: test_exploit.py; the words are understood"),
    NotRun(r"python examples/(sb3|torchrl|tianshou|rllib|agilerl|pufferlib|supersuit|minari|openspiel)", _script,
           "needs that library: test_examples.py"),
)  # fmt: skip

# Blocks of other kinds: (page, language) and who looks at them.
ELSEWHERE = {
    ("README.md", ""): "the folders: test_docs.py",
    ("docs/actions.md", "json"): "test_docs.py plays the examples",
    ("docs/positions.md", "json"): "test_docs.py reads it",
    ("docs/adapters.md", "text"): "output of an example that test_examples.py runs",
    ("docs/api.md", "{eval-rst}"): "make docs, where a warning is an error",
    ("docs/javascript.md", "js"): "test_javascript.py runs them, one after the other",
    ("docs/index.md", "{toctree}"): "make docs, and test_docs.py",
    ("docs/play.md", ""): "a screen of casino play",
    ("docs/protocol.md", ""): "test_protocol.py holds the conversation",
}

# Indented blocks that are no commands: (page, how it begins) and what they are.
OUTPUT = {
    ("docs/evaluate.md", "points a dea"): "the second half of what a tournament prints",
    ("docs/evaluate.md", "sqlite3 runs"): "SQLite's own program: test_evaluate.py reads such a file",
    ("docs/evaluate_style.md", "share of tur"): "what style prints",
    ("docs/evaluate_style.md", "builds (a de"): "what style prints",
    ("docs/evaluate_style.md", "lost 12: bui"): "what regret prints",
}

# --- reading a page ---------------------------------------------------------------------------------------------------

_FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_INDENTED = re.compile(r"(?<=\n\n)((?: {4}.*\n)+)")
_COMMAND = re.compile(r"(\$ |casino |python |node |make|pip |pytest |curl |\.venv/|tests/|benchmarks/)")
_ONE_COMMAND = re.compile(r"^.*<<'(\w+)'\n(?s:.*?)\n\1$|^.+$", re.MULTILINE)
_FILE = re.compile(r"# ([\w-]+\.(?:py|toml))$")


@dataclass(frozen=True)
class Block:
    page: str
    language: str
    text: str

    @property
    def file(self) -> str:
        """Its name, if it is a file."""
        found = _FILE.match(self.text.split("\n", 1)[0])
        return found[1] if found else ""

    def commands(self) -> list[str]:
        """The lines of a shell block; one with a here-document or a backslash goes on."""
        text = self.text
        if text.startswith("$ "):
            text = "\n".join(line[2:] for line in text.splitlines() if line.startswith("$ "))
        found = _ONE_COMMAND.finditer(text.replace("\\\n", " "))
        return [match[0] if match[1] else _bare(match[0]) for match in found]


def _bare(line: str) -> str:
    """Without the comment behind it."""
    return re.sub(r"\s+# .*$", "", line).strip()


def blocks(page: str) -> list[Block]:
    """In the order of the page; indented ones only if they are commands."""
    text = (ROOT / page).read_text()
    found = [(match.start(), Block(page, match[1], match[2])) for match in _FENCE.finditer(text)]
    prose = _FENCE.sub(lambda match: re.sub(r"[^\n]", "x", match[0]), text)  # keeps every place
    for match in _INDENTED.finditer(prose):
        plain = re.sub(r"^ {4}", "", match[1], flags=re.MULTILINE)
        if _COMMAND.match(plain):
            found.append((match.start(), Block(page, "sh", plain)))
    return [block for _, block in sorted(found, key=lambda pair: pair[0])]


def shorter(command: str) -> str:
    for row in SHORTER:
        command = re.sub(row.pattern, row.instead, command)
    return command


def not_run(command: str) -> NotRun | None:
    return next((row for row in NOT_RUN if re.match(row.pattern, command)), None)


# --- running it -------------------------------------------------------------------------------------------------------

_SHELL = re.compile(r"[|<>;&]")
_RUN = """
[selfplay]
games = 8
horizon = 8
minibatch = 32
[run]
name = "NAME"
decisions = 128
panel = []
"""


@pytest.fixture(scope="session")
def a_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What runs/NAME and runs/my-run mean in the documents."""
    from casino_env.train.run import Run

    folder = tmp_path_factory.mktemp("made")
    run = Run.start(make_config(tomllib.loads(_RUN)), folder)
    run.train(quiet=True)
    return run.folder


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to stand in that looks like a checkout; modules come from the repository."""
    for name in ("configs", "examples"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{ROOT}")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))  # a server finds nothing to answer
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    return tmp_path


def run_command(command: str) -> None:
    """Without the cost of another process where nothing but our own command is called."""
    looked_at = not_run(command)
    if looked_at:
        looked_at.check(shlex.split(command))
        return
    command = shorter(command)
    words = shlex.split(command) if not _SHELL.search(command) else []
    if words[:1] == ["casino"]:
        assert casino(words[1:]) == 0, command
        return
    done = subprocess.run(["bash", "-ec", command], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"


def run_block(block: Block, names: dict[str, Any]) -> None:
    if (block.page, block.language) in ELSEWHERE:
        return
    if block.file:
        Path(block.file).write_text(block.text)
    elif block.language == "python":
        exec(compile(block.text, f"{block.page}:block", "exec"), names)
    elif block.language == "sh":
        for command in block.commands():
            run_command(command)
    else:
        assert block.language == "toml", f"{block.page}: nobody looks at a block of {block.language!r}"
        make_config(tomllib.loads(block.text))


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)])
def test_the_blocks_of_a_page_run(page: str, place: Path, a_run: Path) -> None:
    text = (ROOT / page).read_text()
    for name in ("NAME", "my-run"):
        if f"runs/{name}" in text:
            shutil.copytree(a_run, place / "runs" / name)
    before, names = set(sys.modules), {"__name__": "__main__"}
    try:
        for block in blocks(page):
            run_block(block, names)
    finally:
        for name in set(sys.modules) - before:  # files of this page
            if str(getattr(sys.modules[name], "__file__", "")).startswith(str(place)):
                del sys.modules[name]


# --- nothing is left out ----------------------------------------------------------------------------------------------

EVERY = [block for page in PAGES for block in blocks(page)]
COMMANDS = [command for block in EVERY if block.language == "sh" for command in block.commands()]


def test_there_is_something_to_run() -> None:
    assert len(COMMANDS) > 60
    assert sum(block.language == "python" for block in EVERY) > 20


@pytest.mark.parametrize("row", SHORTER, ids=lambda row: row.pattern)
def test_every_shorter_command_is_there(row: Shorter) -> None:
    assert any(re.search(row.pattern, command) for command in COMMANDS if not not_run(command)), row.why


@pytest.mark.parametrize("row", NOT_RUN, ids=lambda row: row.pattern)
def test_every_command_that_is_not_run_is_there(row: NotRun) -> None:
    assert any(not_run(command) is row for command in COMMANDS), row.why


def test_every_block_of_another_kind_is_there() -> None:
    assert {(block.page, block.language) for block in EVERY} >= set(ELSEWHERE)


def test_indented_blocks_are_commands_or_output() -> None:
    """One that begins with a command that nobody knows would be passed over."""
    found = {
        (page, match[1].strip()[:12])
        for page in PAGES
        for match in _INDENTED.finditer(_FENCE.sub("", (ROOT / page).read_text()))
        if not _COMMAND.match(match[1].strip())
    }
    assert found == set(OUTPUT)


def test_targets_in_the_text_are_there() -> None:
    for page in PAGES:
        for words in re.findall(r"`(make [a-z][a-z -]*)`", (ROOT / page).read_text()):
            _target(words.split())
