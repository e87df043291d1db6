"""The workflow of the public repository: every command in it is a target of the Makefile, or one that there is."""

import importlib.util
import re
import shlex
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parent.parent
WORKFLOW: dict[Any, Any] = yaml.safe_load((ROOT / ".github/workflows/build.yml").read_text())
STEPS = [step for job in WORKFLOW["jobs"].values() for step in job["steps"]]


def test_every_command_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text(), re.MULTILINE))
    commands = [shlex.split(line) for step in STEPS for line in step.get("run", "").splitlines()]
    assert len(commands) > 10
    for program, *words in commands:
        if program == "make":
            assert set(words) <= targets, words
        elif words[0] == "-m":
            assert program == "python" and importlib.util.find_spec(words[1]), words
        else:
            assert (program, words[0]) == ("python", "-I") and (ROOT / words[1]).is_file(), words


def test_extras_that_it_installs_exist() -> None:
    listed = (ROOT / "pyproject.toml").read_text().split("[project.optional-dependencies]")[1].split("\n[")[0]
    extras = set(re.findall(r"^([\w-]+) = \[", listed, re.MULTILINE))
    named = re.findall(r"\.\[([\w,-]+)\]", (ROOT / ".github/workflows/build.yml").read_text())
    assert named and {name for names in named for name in names.split(",")} <= extras


def test_every_system_and_version_is_tested() -> None:
    matrix = WORKFLOW["jobs"]["test"]["strategy"]["matrix"]
    assert {name.partition("-")[0] for name in matrix["system"]} == {"ubuntu", "macos", "windows"}
    assert matrix["python"] == ["3.11", "3.12", "3.13", "3.14"]


def test_actions_are_pinned_by_major_version_and_nothing_has_a_password() -> None:
    for used in (step["uses"] for step in STEPS if "uses" in step):
        assert re.fullmatch(r"[\w-]+/[\w-]+@(v\d+|release/v\d+)", used), used
    assert "secrets" not in (ROOT / ".github/workflows/build.yml").read_text()
    release = WORKFLOW["jobs"]["release"]
    assert release["permissions"]["id-token"] == release["permissions"]["attestations"] == "write"
    assert set(release["needs"]) == WORKFLOW["jobs"].keys() - {"release"}
