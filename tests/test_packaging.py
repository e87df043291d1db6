"""What `pip install .` promises: the oldest versions are those of pyproject.toml, and the smoke test passes."""

import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from tests import smoke

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def oldest_versions() -> dict[str, Version]:
    """By name, the oldest that oldest.txt has for any Python."""
    found: dict[str, Version] = {}
    for line in (ROOT / "oldest.txt").read_text().splitlines():
        if not line.startswith("#"):
            pinned = Requirement(line)
            version = Version(next(iter(pinned.specifier)).version)
            found[pinned.name] = min(version, found.get(pinned.name, version))
    return found


def test_the_oldest_versions_are_the_lower_bounds() -> None:
    bounds = {}
    for text in PROJECT["dependencies"]:
        needed = Requirement(text)
        bounds[needed.name] = next(Version(each.version) for each in needed.specifier if each.operator == ">=")
    assert oldest_versions() == bounds


def test_a_bare_environment_needs_four_packages() -> None:
    assert sorted(Requirement(text).name for text in PROJECT["dependencies"]) == sorted(smoke.NEEDED)


@pytest.mark.slow
def test_the_smoke_test_passes_here() -> None:
    assert smoke.smoke() == len(smoke.GAMES)


def test_the_smoke_test_tells_the_checkout_from_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    assert smoke.main() == 1
    assert "the checkout" in capsys.readouterr().err
