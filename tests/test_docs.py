"""The documents agree with the code: tables are up to date, fields are explained, examples run."""

import argparse
import doctest
import importlib
import json
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import casino_env
from benchmarks.__main__ import COMMANDS as BENCHMARKS
from casino_env import position
from casino_env.agents.advise import advise
from casino_env.cards import parse_card
from casino_env.cli import PARTS
from casino_env.evaluate import match
from casino_env.game import Game
from casino_env.presets import PRESETS
from casino_env.rules import Rules
from docs.file_list import FOLDERS, first_line, folders, told

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
RULES = (ROOT / "docs/rules.md").read_text()
COMMANDS = (ROOT / "docs/commands.md").read_text()
ACTIONS = (ROOT / "docs/actions.md").read_text()
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
EXAMPLES = re.findall(r"```json\n(.*?)```\n\n`(.*?)`", ACTIONS, re.DOTALL)


def test_tables_are_fresh() -> None:
    done = subprocess.run([sys.executable, "docs/generate.py", "--check"], cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_field_is_explained_in_words() -> None:
    prose = re.sub(r"<!-- (\w+):begin -->.*?<!-- \1:end -->", "", RULES, flags=re.DOTALL)
    missing = [field.name for field in fields(Rules) if f"`{field.name}" not in prose]
    assert missing == ["name", "players"]  # no switches: which game it is, and how many sit at the table


def test_rulings_and_positions_that_are_named_are_there() -> None:
    ranges = re.findall(r"R(\d\d)-R(\d\d)", RULES)
    known = {f"R{number:02}" for low, high in ranges for number in range(int(low), int(high) + 1)}
    known |= {*re.findall(r"\bR\d\d\b", RULES)}
    for path in ROOT.glob("tests/*positions.json"):
        known |= {case["id"] for case in json.loads(path.read_text())}
    texts = {path: path.read_text() for folder in ("tests", "casino_env") for path in (ROOT / folder).glob("**/*.py")}
    named = [(name, path.name) for path, text in texts.items()
             for name in re.findall(r"\b(?:R|CA|KA|KB|KH|SO|SW)\d\d\b", text)]  # fmt: skip
    assert len(named) > 100 and [each for each in named if each[0] not in known] == []


def test_every_field_has_a_comment() -> None:
    table = RULES.split("<!-- fields:begin -->")[1].split("<!-- fields:end -->")[0]
    assert "|  |" not in table


def test_every_preset_has_its_paragraph() -> None:
    assert [name for name in PRESETS if f"**{name}**" not in RULES] == []


def test_the_clauses_of_kasa_are_shown_where_it_says() -> None:
    page = (ROOT / "docs/kasa.md").read_text()
    rows = {
        row.split(" | ")[0]: row.split(" | ")[3] for row in re.findall(r"^\| (C\d\d \| .*) \|$", page, re.MULTILINE)
    }
    assert list(rows) == [f"C{number:02}" for number in range(1, 49)]
    cases = json.loads((ROOT / "tests/kasa_positions.json").read_text())
    shown = {(turn["rule"], case["id"]) for case in cases for turn in case["turns"]}
    assert {clause for clause, _ in shown} <= set(rows)
    assert [(clause, name) for clause, where in rows.items() for name in re.findall(r"K[AB]\d\d", where)
            if (clause, name) not in shown] == []  # fmt: skip
    tests = "".join(path.read_text() for path in (ROOT / "tests").glob("test_*.py"))
    named = [name for where in rows.values() for name in re.findall(r"`(test_\w+)`", where)]
    assert named and [name for name in named if f"def {name}(" not in tests] == []


def test_there_are_examples() -> None:
    assert len(EXAMPLES) == 5


@pytest.mark.parametrize(("data", "actions"), EXAMPLES)
def test_examples_run(data: str, actions: str) -> None:
    game = Game.from_json(json.loads(data), skip_forced=False)
    for action in actions.split("; "):
        game.apply(action)
    assert game.record["turns"] == 1


@pytest.mark.parametrize("folder", list(folders()), ids=lambda folder: folder.relative_to(ROOT).as_posix())
def test_every_file_says_what_it_is(folder: Path) -> None:
    said = {path.name: first_line(path) for path in folder.glob("*.py") if path.read_text()} | {
        path.name: line for path, line in told(folder)
    }
    assert [name for name, line in said.items() if not line.endswith((".", "?"))] == []


def test_the_folders_in_the_readme_are_those_that_are_there() -> None:
    folders = README.split("## Folders\n\n```\n")[1].split("\n\n")[0]
    assert tuple(line.split("/")[0] for line in folders.splitlines()) == FOLDERS
    code = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert code <= set(FOLDERS)


def choices(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the subcommands of a parser."""
    return next(action.choices for action in parser._actions if isinstance(action.choices, dict))


def listed(part: str) -> set[str]:
    """Return the commands in a table of docs/commands.md."""
    table = COMMANDS.split(f"| `{part} ...` |")[1].split("\n\n")[0]
    return set(re.findall(r"^\| `([a-z][\w-]*)", table, re.MULTILINE))


@pytest.mark.parametrize("part", ["env", "agents", "evaluate"])
def test_the_page_of_commands_has_each(part: str) -> None:
    parser = importlib.import_module(PARTS[part])._parser()
    there = choices(parser)
    assert listed(f"casino {part}") == set(there)
    assert all(each.format_help() for each in [parser, *there.values()])  # a lone % in a help would break it


def test_the_page_of_commands_has_each_training_and_benchmark() -> None:
    assert listed("casino train") == set(importlib.import_module(PARTS["train"])._COMMANDS)
    assert listed("python -m benchmarks") == set(BENCHMARKS)


def test_every_page_is_in_the_table_of_contents() -> None:
    index = (ROOT / "docs/index.md").read_text()
    listed = [row for tree in re.findall(r"```{toctree}\n(.*?)```", index, re.DOTALL) for row in tree.split()]
    pages = {path.relative_to(ROOT / "docs").with_suffix("").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert pages - {"index"} == {row for row in listed if "/" in row or row in pages}


def test_links_lead_somewhere() -> None:
    broken = []
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
            if not (page.parent / target).exists():
                broken.append(f"{page.relative_to(ROOT)}: {target}")
    assert broken == []


def test_files_named_in_the_text_are_there() -> None:
    parts = "|".join(FOLDERS)
    gone = [
        f"{page.relative_to(ROOT)}: {name}"
        for page in PAGES
        for name in re.findall(rf"`((?:{parts})/[\w./-]+\.\w+)`", page.read_text())
        if not (ROOT / name).exists()
    ]
    assert gone == []


def test_every_key_of_a_position_is_explained() -> None:
    page = (ROOT / "docs/positions.md").read_text()
    keys = {
        word for line in page.splitlines() for word in re.findall(r"`(\w+)`", line.split(" | ")[0]) if line[:1] == "|"
    }
    turn = (*position._TURN_NUMBERS, *position._TURN_CARDS, *position._TURN_SETS)
    assert keys == {*position._KEYS, *turn, "seat"}
    game = Game.from_json(json.loads(page.split("```json\n")[1].split("```")[0]))
    assert game.record["pile_top"][1] == parse_card("6C"), "the last one is the top"


# --- examples in docstrings of the public API run and print what they say ---------------------------------------------

PUBLIC = {name: getattr(casino_env, name) for name in casino_env.__all__}
SHOWN = [casino_env.Game, casino_env.Game.apply, casino_env.env, casino_env.make_vec, advise, match]


@pytest.mark.parametrize("shown", SHOWN, ids=lambda shown: shown.__qualname__)
def test_docstring(shown: Any) -> None:
    (example,) = doctest.DocTestFinder(recurse=False).find(shown, shown.__qualname__, globs=PUBLIC.copy())
    assert example.examples
    assert doctest.DocTestRunner().run(example).failed == 0
