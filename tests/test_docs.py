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


def test_the_example_of_the_readme_runs() -> None:
    code = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert code
    done = subprocess.run([sys.executable, "-c", code[1]], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
