"""The documents agree with the code: tables are fresh, fields are explained, examples run."""

import json
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from casino_env.game import Game
from casino_env.rules import PRESETS, Rules

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
RULES = (ROOT / "docs/rules.md").read_text()
ACTIONS = (ROOT / "docs/actions.md").read_text()
EXAMPLES = re.findall(r"```json\n(.*?)```\n\n`(.*?)`", ACTIONS, re.DOTALL)


def test_tables_are_fresh() -> None:
    done = subprocess.run([sys.executable, "docs/generate.py", "--check"], cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_field_is_explained_in_words() -> None:
    prose = re.sub(r"<!-- (\w+):begin -->.*?<!-- \1:end -->", "", RULES, flags=re.DOTALL)
    missing = [field.name for field in fields(Rules) if f"`{field.name}" not in prose]
    assert missing in ([], ["name", "players"])


def test_every_field_has_a_comment() -> None:
    table = RULES.split("<!-- fields:begin -->")[1].split("<!-- fields:end -->")[0]
    assert "|  |" not in table


def test_every_preset_has_its_paragraph() -> None:
    assert [name for name in PRESETS if f"**{name}**" not in RULES] == []


def test_there_are_examples() -> None:
    assert len(EXAMPLES) == 5


@pytest.mark.parametrize(("data", "actions"), EXAMPLES)
def test_examples_run(data: str, actions: str) -> None:
    game = Game.from_json(json.loads(data), skip_forced=False)
    for action in actions.split("; "):
        game.apply(action)
    assert game.record["turns"] == 1


def test_the_readme_has_a_line_for_each_file() -> None:
    tree = README.split("## Files\n\n```\n")[1].split("```")[0]
    named = [line.split()[0] for line in tree.splitlines()]
    parts = ("casino_env", "agents", "evaluate", "train", "play", "examples", "tests", "docs")
    files = {path.name for part in parts for path in (ROOT / part).glob("*.[pm][yd]")} - {"__init__.py"}
    assert files - set(named) == set()
    gone = [name for name in named if not any(ROOT.glob(name)) and not any((ROOT / p / name).exists() for p in parts)]
    assert gone == ["play-*"]


def test_every_page_is_in_the_table_of_contents() -> None:
    index = (ROOT / "docs/index.md").read_text()
    listed = [row for tree in re.findall(r"```{toctree}\n(.*?)```", index, re.DOTALL) for row in tree.split()]
    pages = {path.relative_to(ROOT / "docs").with_suffix("").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert pages - {"index"} == {row for row in listed if "/" in row or row in pages}


def test_links_lead_somewhere() -> None:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    broken = []
    for page in pages:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
            if not (page.parent / target).exists():
                broken.append(f"{page.relative_to(ROOT)}: {target}")
    assert broken == []
