"""The workflow of the public repository: each command is a target of the Makefile, a module or a file that exists."""

import importlib.util
import re
import shlex
import shutil
import tomllib
from pathlib import Path

import pytest

from tests import workflow
from tests.workflow import JOBS, ROOT

STEPS = [step for job in JOBS.values() for step in job["steps"]]


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
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    named = re.findall(r"\.\[([\w,-]+)\]", (ROOT / ".github/workflows/build.yml").read_text())
    assert named and {name for names in named for name in names.split(",")} <= extras.keys()


def test_every_system_and_version_is_tested() -> None:
    matrix = JOBS["test"]["strategy"]["matrix"]
    assert {name.partition("-")[0] for name in matrix["system"]} == {"ubuntu", "macos", "windows"}
    assert matrix["python"] == ["3.11", "3.12", "3.13", "3.14"]


def test_actions_are_pinned_by_major_version_and_nothing_has_a_password() -> None:
    for used in (step["uses"] for step in STEPS if "uses" in step):
        assert re.fullmatch(r"[\w-]+/[\w-]+@(v\d+|release/v\d+)", used), used
    assert "secrets" not in (ROOT / ".github/workflows/build.yml").read_text()
    release = JOBS["release"]
    assert release["permissions"]["id-token"] == release["permissions"]["attestations"] == "write"
    assert set(release["needs"]) == JOBS.keys() - {"release"}


def said_of(job: str) -> list[str]:
    """Return the Debian releases in which a job runs here, or why it does not."""
    found = []
    for chosen in workflow.runs(JOBS[job]):
        try:
            found.append(workflow.suite_of(JOBS[job], chosen))
        except workflow.NotHereError as reason:
            found.append(str(reason))
    return found


def test_jobs_for_linux_can_be_run_here() -> None:
    assert said_of("test") == ["bookworm", "no Debian has Python 3.12", "trixie", "sid"]
    assert said_of("check") == said_of("wheels") == said_of("slow") == ["bookworm"]
    assert said_of("release")[0].startswith("it runs only startsWith(github.ref")


def test_every_step_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A step is its own command, or what does an action's work; one job finds what another uploads."""
    monkeypatch.setattr(workflow, "ARTIFACTS", tmp_path / "artifacts")
    there = tmp_path / "debian"
    for part in ("build/page", "dist"):
        (there / "checkout" / part).mkdir(parents=True)
        (there / "checkout" / part / "made").touch()
    for name in ("check", "test", "slow", "wheels"):
        for chosen in workflow.runs(JOBS[name]):
            commands = [workflow.command_of(step, chosen, there) for step in JOBS[name]["steps"]]
            assert all(step["run"] in commands for step in JOBS[name]["steps"] if "run" in step)
            assert not any("${{" in command for command in commands)
    shutil.rmtree(there / "checkout")
    download = next(step for step in JOBS["install"]["steps"] if "download" in step.get("uses", ""))
    assert workflow.command_of(download, {}, there) == "" and (there / "checkout/dist/made").exists()
    shutil.rmtree(tmp_path / "artifacts")
    with pytest.raises(workflow.NotHereError, match="no artifact 'dist'"):
        workflow.command_of(download, {}, there)
