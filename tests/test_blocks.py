"""Run every command and code block of the documents, page by page, each page in its own folder.

A block of ```sh, or an indented block that begins with a command, runs line by line; if its lines begin with `$ `, only
those run. A block of ```python runs with the names that earlier blocks of its page define. A block whose first line is
a comment with a file's name becomes that file. Tables below list what runs differently or not at all, with the reason;
a row that no document needs any more fails a test.
"""

import importlib.util
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
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

# --- exceptions -----------------------------------------------------------------------------------------------------


# Commands that run with smaller numbers: (pattern, replacement, why).
SHORTER = (
    (r"--deals \d+", "--deals 4", "long matches"),
    (r"--minutes \d+", "--minutes 0.002", "minutes of training: one iteration is enough"),
    (r"train configs/first\.toml$", r"\g<0> --minutes 0.002", "it says a minute"),
    (r"casino train (?=configs|--rules|--set|--minutes)",
     "casino train --deals 4 --set run.deals=4 --set run.panel=[] ", "matches with the bots in the end and on the way"),
    (r"casino train --resume .*", r"\g<0> --deals 4", "matches with the bots in the end"),
    (r"train (distil|exploit) \S+", r"\g<0> --deals 4", "matches in the end"),
    (r"agents play \S+", r"\g<0> --seconds 0.01", "judged positions"),
    (r"sims=\d+", "sims=2", "long searches"),
    (r"--(positions|seconds) \d+", r"--\1 2", "many positions, long searches"),
    (r"time=(2|0\.2|0\.01)\b", "time=0.005", "long searches"),
    (r"evaluate regret \S+", r"\g<0> --endings 2", "many endings"),
    (r"benchmarks thinking \S+( --times( [\d.]+)+)?", "benchmarks thinking khasino-2 --times 0.001", "matches"),
    (r"benchmarks horizon.*", "benchmarks horizon --variant cassino --positions 2 --games 4", "two dozen games"),
    (r"benchmarks luck.*", "benchmarks luck --variant cassino --deals 4", "two dozen games"),
    (r" --ray ADDRESS", "", "needs a cluster: test_cluster.py"),
)  # fmt: skip

# Commands that are only checked, not run: (pattern, why).
NOT_RUN = (
    (r"make( [\w-]+)+( \w+=\S+)?$", "long, or about the checkout itself"),
    (r"pip install ", "tests install nothing"),
    (r"casino .*llm:http", "asks a model: test_language.py, test_fresh.py"),
    (r"ollama ", "a server of models: tests/fake_model.py is one"),
    (r"casino play", "waits for a person: test_play_terminal.py plays"),
    (r"ray start ", "needs Ray: test_cluster.py begins one"),
    (r"casino train opponents", "hours: test_shipped.py"),
    (r"python -m (tests\.|benchmarks (training|speedrun|strength))", "long"),
    (r"pytest ", "tests"),
    (r"python docs/generate\.py", "test_docs.py calls it"),
    (r"casino compile --target wasm32", "minutes: test_javascript.py uses what it makes"),
    (r"casino compile --target nvptx64", "test_gpu.py makes it, and asks ptxas where there is one"),
    (r"(npm|node|python -m http\.server) ?", "needs node: test_javascript.py runs all of it"),
    (r"(tests|benchmarks)/\w+\.sh", "installs packages"),
    (r"casino train ablate ", "minutes: test_ablate.py"),
    (r"python examples/tune\.py", "minutes: test_examples.py"),
    (r"python -m examples\.mini_exploitability", "minutes: test_examples.py"),
    (r"casino train exploit counter --method exact .* --set deck=8", "half a minute: test_exploit.py has smaller ones"),
    (r"casino evaluate seeds", "needs runs with matches: test_seeds.py"),
    (r"casino bench", "measures for minutes: test_cli.py"),
    (r"python examples/(sb3|skrl|equal_time|torchrl|tianshou|rllib|agilerl|pufferlib|supersuit|minari|openspiel)",
     "needs that library: test_examples.py"),
)  # fmt: skip


def look_at(words: list[str]) -> None:
    """Check that the files, targets, extras and modules that a command names exist, and that its parser accepts it."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    files = [word for word in words if re.fullmatch(r"[\w./-]+\.(py|js|sh|toml)", word)]
    assert all((ROOT / name).is_file() for name in files), words
    if words[0] == "make":
        makefile = (ROOT / "Makefile").read_text()
        assert all("=" in word or re.search(rf"^{word}:", makefile, re.MULTILINE) for word in words[1:]), words
    elif words[0] == "pip":
        names = [name for word in words for found in re.findall(r"^\.\[(.*)\]", word) for name in found.split(",")]
        assert (words[-1] == "." or names) and set(names) <= set(extras)
    elif words[0] == "ray":
        assert words[2] in ("--head", "--address") and "cluster" in extras
    elif words[:2] == ["python", "-m"]:
        assert importlib.util.find_spec(words[2])
    elif words[1:3] == ["train", "ablate"]:
        load_ablation(str(ROOT / words[3]), [word for word in words[4:] if "=" in word])
    elif words[1:3] == ["train", "opponents"]:
        assert all((ROOT / f"configs/opponents/{name}.toml").is_file() for name in words[3:])
    elif words[1:3] == ["train", "exploit"]:
        importlib.import_module("casino_env.train.commands.exploit")._parser().parse_args(words[3:])
    elif words[0] == "casino":
        part, rest = ("env", words[1:]) if words[1] in ENV_COMMANDS else (words[1], words[2:])
        args = importlib.import_module(PARTS[part])._parser().parse_args(rest)
        for spec in args.opponents or () if words[1] == "play" else ():
            make_agent(spec)
    else:
        assert files or words[0] in ("npm", "node", "ollama", "pytest"), words


# Blocks of other languages: (page, language) and what tests them.
ELSEWHERE = {
    ("README.md", ""): "the folders: test_docs.py",
    ("docs/actions.md", "json"): "test_docs.py plays the examples",
    ("docs/positions.md", "json"): "test_docs.py reads it",
    ("docs/adapters.md", "text"): "output of an example that test_examples.py runs",
    ("docs/api.md", "{eval-rst}"): "make docs, where a warning is an error",
    ("docs/javascript.md", "js"): "test_javascript.py runs them, one after the other",
    ("docs/index.md", "{toctree}"): "make docs, and test_docs.py",
    ("docs/play.md", ""): "a screen of casino play",
    ("THIRD_PARTY.md", ""): "licenses",
    ("docs/protocol.md", ""): "test_protocol.py holds the conversation",
}

# Indented blocks that are not commands: (page, first 12 characters) and what they are.
OUTPUT = {
    ("docs/evaluate.md", "points a dea"): "the second half of what a tournament prints",
    ("docs/evaluate.md", "sqlite3 runs"): "SQLite's own program: test_evaluate.py reads such a file",
    ("docs/evaluate_style.md", "share of tur"): "what style prints",
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
        """The file's name if the block is a file, else ""."""
        found = _FILE.match(self.text.split("\n", 1)[0])
        return found[1] if found else ""

    def commands(self) -> list[str]:
        """Return the commands of a shell block; here-documents and lines joined by a backslash are one command."""
        text = self.text
        if text.startswith("$ "):
            text = "\n".join(line[2:] for line in text.splitlines() if line.startswith("$ "))
        found = _ONE_COMMAND.finditer(text.replace("\\\n", " "))
        return [match[0] if match[1] else _bare(match[0]) for match in found]


def _bare(line: str) -> str:
    """Return the line without its trailing comment."""
    return re.sub(r"\s+# .*$", "", line).strip()


def blocks(page: str) -> list[Block]:
    """Return the blocks of a page in order; indented ones only if they are commands."""
    text = (ROOT / page).read_text()
    found = [(match.start(), Block(page, match[1], match[2])) for match in _FENCE.finditer(text)]
    prose = _FENCE.sub(lambda match: re.sub(r"[^\n]", "x", match[0]), text)  # keep all offsets
    for match in _INDENTED.finditer(prose):
        plain = re.sub(r"^ {4}", "", match[1], flags=re.MULTILINE)
        if _COMMAND.match(plain):
            found.append((match.start(), Block(page, "sh", plain)))
    return [block for _, block in sorted(found, key=lambda pair: pair[0])]


def shorter(command: str) -> str:
    for pattern, instead, _ in SHORTER:
        command = re.sub(pattern, instead, command)
    return command


def not_run(command: str) -> str:
    """Return the pattern in NOT_RUN that matches the command, or ""."""
    return next((pattern for pattern, _ in NOT_RUN if re.match(pattern, command)), "")


# --- running blocks ---------------------------------------------------------------------------------------------------

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
    """Train the run that the documents call runs/NAME and runs/my-run."""
    from casino_env.train.run import Run

    folder = tmp_path_factory.mktemp("made")
    run = Run.start(make_config(tomllib.loads(_RUN)), folder)
    run.train(quiet=True)
    return run.folder


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Change to a folder that looks like a checkout; modules come from the repository."""
    for name in ("configs", "examples"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{ROOT}")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))  # servers read an empty input and end
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    return tmp_path


def run_command(command: str) -> None:
    """Run or check a command; run a plain `casino` command in this process, which is faster."""
    if not_run(command):
        look_at(shlex.split(command))
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
        for name in set(sys.modules) - before:  # modules of this page's files
            if str(getattr(sys.modules[name], "__file__", "")).startswith(str(place)):
                del sys.modules[name]


# --- completeness -----------------------------------------------------------------------------------------------------

EVERY = [block for page in PAGES for block in blocks(page)]
COMMANDS = [command for block in EVERY if block.language == "sh" for command in block.commands()]


def test_there_is_something_to_run() -> None:
    assert len(COMMANDS) > 60
    assert sum(block.language == "python" for block in EVERY) > 20


def test_every_row_is_of_use() -> None:
    run, looked_at = (frozenset(filter(kind, COMMANDS)) for kind in (lambda each: not not_run(each), not_run))
    for pattern, _, why in SHORTER:
        assert any(re.search(pattern, command) for command in run), why
    assert {not_run(command) for command in looked_at} == {pattern for pattern, _ in NOT_RUN}


def test_every_block_of_another_kind_is_there() -> None:
    assert {(block.page, block.language) for block in EVERY} >= set(ELSEWHERE)


def test_indented_blocks_are_commands_or_output() -> None:
    """Otherwise a block that begins with an unknown command would be skipped silently."""
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
            look_at(words.split())
