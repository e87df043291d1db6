"""What `pip install .` promises: the oldest versions, one name in site-packages, commands that work in any folder."""

import hashlib
import importlib.metadata
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from casino_env import agents, cli, extras
from casino_env.cli import run_command
from casino_env.compiler import library
from casino_env.version import __version__
from tests import smoke
from tests.fake_model import answering, any_turn

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def oldest_versions() -> dict[str, Version]:
    """Map each package to the oldest version that oldest.txt pins for any Python."""
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


def test_a_bare_environment_needs_three_packages() -> None:
    assert sorted(Requirement(text).name for text in PROJECT["dependencies"]) == sorted(smoke.NEEDED)


@pytest.mark.slow
def test_the_smoke_test_passes_here() -> None:
    assert smoke.smoke() == len(smoke.GAMES)


def test_the_smoke_test_tells_the_checkout_from_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    assert smoke.main() == 1
    assert "the checkout" in capsys.readouterr().err


# --- missing packages ----------------------------------------------------------------------------------------------


def listed_extras() -> dict[str, set[str]]:
    listed = PROJECT["optional-dependencies"].items()
    return {name: {Requirement(text).name for text in rows} for name, rows in listed}


def test_every_extra_brings_what_is_missed() -> None:
    packages = {"PIL": "pillow", "pyspiel": "open-spiel"}
    for module, extra in extras.EXTRAS.items():
        assert packages.get(module, module) in listed_extras()[extra]


def test_what_is_missing_is_told_with_a_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def command() -> int:
        raise ModuleNotFoundError("No module named 'torch'", name="torch.nn")

    assert run_command("play", command) == 1
    monkeypatch.chdir(ROOT)
    assert run_command("play", command) == 1
    said = capsys.readouterr().err.splitlines()
    assert said[1] == "play: torch is missing: pip install -e '.[train]'"
    monkeypatch.setattr(extras, "_CHECKOUT", tmp_path)
    assert extras.install_command("train") == "pip install 'casino-env[train]'"


def test_weights_without_their_library_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "safetensors", None)
    monkeypatch.setitem(sys.modules, "safetensors.numpy", None)
    with pytest.raises(ValueError, match=r"^policy: safetensors is missing: pip install -e ") as caught:
        agents.make_agent("policy:swazi-3")
    assert caught.value.__suppress_context__  # no chained traceback


def test_a_part_without_its_packages_says_which_extra_brings_them() -> None:
    script = "import sys; sys.modules['scipy'] = None; from casino_env import evaluate"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    last = done.stderr.splitlines()[-1]
    assert last == "ModuleNotFoundError: casino_env.evaluate: scipy is missing: pip install -e '.[eval]'"
    assert done.stderr.count("Traceback") == 1


def test_the_citation_is_of_this_version() -> None:
    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text()


def test_a_module_that_nobody_knows_is_no_advice() -> None:
    def command() -> int:
        raise ModuleNotFoundError("No module named 'mine'", name="mine")

    with pytest.raises(ModuleNotFoundError):
        run_command("play", command)


# --- the command ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ([], 2, "usage: casino"),
        (["--help"], 0, "casino evaluate ..."),
        (["--version"], 0, f"casino-env {importlib.metadata.version('casino-env')}"),
        (["trian"], 2, "did you mean 'train'"),
    ],
)
def test_the_command_says_what_there_is(words, code, said, capsys) -> None:
    assert cli.main(words) == code
    told = capsys.readouterr()
    assert said in told.out + told.err


# --- pinned versions -----------------------------------------------------------------------------------------------


def pins(name: str) -> dict[str, str]:
    """Map each canonical name to its version in constraints.txt or lock.txt."""
    text = (ROOT / name).read_text().replace("\\\n", " ")
    rows = [Requirement(line.split("--hash")[0]) for line in text.splitlines() if line and line[0] not in "#-"]
    return {canonicalize_name(row.name): str(row.specifier).removeprefix("==") for row in rows}


# Extras that `make setup` leaves out: few people want them, or tests/interop.sh installs each by itself.
APART = re.compile("spiel|cluster|frames")


def needed_by_setup() -> list[Requirement]:
    texts = list(PROJECT["dependencies"])
    for extra, rows in PROJECT["optional-dependencies"].items():
        if not APART.match(extra):
            texts += rows
    return [Requirement(text) for text in texts]


def closure(requirements: Iterable[Requirement]) -> dict[str, importlib.metadata.Distribution]:
    """Return the installed packages that these requirements need, directly or not, by name."""
    waiting, seen = list(requirements), dict[tuple[str, frozenset[str]], importlib.metadata.Distribution]()
    while waiting:
        needed = waiting.pop()
        name, wanted = canonicalize_name(needed.name), frozenset(needed.extras)
        if (name, wanted) in seen:
            continue
        seen[name, wanted] = there = importlib.metadata.distribution(name)
        for requirement in map(Requirement, there.requires or []):
            if requirement.marker is None or any(requirement.marker.evaluate({"extra": e}) for e in ("", *wanted)):
                waiting.append(requirement)
    return {name: there for (name, _), there in seen.items()}


@pytest.mark.skipif(not Path(sys.prefix, ".installed").exists(), reason="not the environment that make setup makes")
def test_all_that_setup_installs_is_pinned() -> None:
    """Check what the extras of `make setup` bring, and what that needs in turn; the oldest Python has to run it all."""
    known, oldest = pins("constraints.txt"), PROJECT["requires-python"].removeprefix(">=") + ".0"
    for name, there in closure(needed_by_setup()).items():
        assert known.get(name) == there.version.partition("+")[0], name
        if "Requires-Python" in there.metadata:
            assert SpecifierSet(there.metadata["Requires-Python"]).contains(oldest), name


def test_make_installs_first_what_compiles_kernels() -> None:
    compilers = re.search(r"^COMPILERS := (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    needed = PROJECT["dependencies"] + PROJECT["optional-dependencies"]["compile"]
    assert compilers and set(compilers[1].split("|")) == closure(map(Requirement, needed)).keys()


def test_the_lock_has_what_is_pinned() -> None:
    pinned, locked = pins("constraints.txt"), pins("lock.txt")
    pinned.pop("torch")  # its file differs between kinds of machines
    assert {name: locked.get(name) for name in pinned} == pinned
    for needed in needed_by_setup():
        version = locked.get(canonicalize_name(needed.name))
        assert needed.name == "torch" or (version and needed.specifier.contains(version)), needed
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    assert all(needed.specifier.contains(locked[needed.name]) for needed in map(Requirement, build))


def test_everything_in_the_lock_has_hashes_and_no_address() -> None:
    text = (ROOT / "lock.txt").read_text()
    assert "://" not in text and "index" not in text
    packages = text.split("\n", 2)[2].replace("\\\n", " ").splitlines()
    assert len(packages) == len(pins("lock.txt"))
    for package in packages:
        assert re.fullmatch(r"[\w.-]+==\S+( ; [^-]*?)?(\s+--hash=sha256:[0-9a-f]{64})+", package), package


def test_make_installs_nothing_that_is_not_pinned() -> None:
    commands = re.findall(r"pip install .*", (ROOT / "Makefile").read_text())
    held = re.compile(
        r"--require-hashes -r (lock|\.venv/compilers)\.txt|-c constraints\.txt torch"
        r"|--no-deps --no-build-isolation -e \.|\$\((UV|AUDIT)\)$"
    )
    assert commands and all(held.search(command) for command in commands)


# --- the wheel and the sdist ---------------------------------------------------------------------------------------

OWN_BOT = """class Own:
    def reset(self, seat, rng):
        pass

    def act(self, observation):
        return observation.legal()[0]
"""
TEN_LINES = """import gymnasium as gym, numpy as np, casino_env
env = gym.make("casino_env:CasinoEnv/Swazi-v0", players=3, opponents=["policy:swazi-3", "counter"])
observation, _ = env.reset(seed=1)
over = False
while not over:
    observation, reward, over, *_ = env.step(int(observation["action_mask"].argmax()))
from casino_env import agents
aec, players = casino_env.env("swazi", 3), [agents.make_agent(spec) for spec in ("policy:swazi-3", "counter", "greedy")]
aec.reset(seed=1)
for seat, player in enumerate(players):
    player.reset(seat, np.random.default_rng(seat))
while not all(aec.terminations.values()):
    aec.step(players[aec.possible_agents.index(aec.agent_selection)].act(aec.observed()))
vec = gym.make_vec("casino_env:CasinoEnv/Swazi-v0", num_envs=2, players=3, opponents=["policy:swazi-3", "counter"])
vec.reset(seed=1)
print("finished", reward, list(aec.rewards.values()))
"""
TRAIN = "casino train --set game.variant=mini --minutes 0.002 --deals 4 --set run.deals=4 --set run.panel=[] --json"


_KEPT = ROOT / ".venv-wheel"


def hatch(to: Path, *targets: str, at: Path = ROOT, kernels: Path = library.FOLDER) -> subprocess.CompletedProcess[str]:
    """Build the checkout with this library of kernels (hatch_build.py)."""
    words = [word for target in targets for word in ("-t", target)]
    command = [sys.executable, "-m", "hatchling", "build", *words, "-d", str(to)]
    given = os.environ | {"CASINO_ENV_LIBRARY": str(kernels)}
    return subprocess.run(command, cwd=at, capture_output=True, text=True, check=False, env=given)


def unpacked(sdist: Path, to: Path) -> Path:
    with tarfile.open(sdist) as archive:
        archive.extractall(to, filter="data")
    return next(path for path in to.iterdir() if path.is_dir())


def test_no_library_is_made_for_a_free_threaded_python(monkeypatch: pytest.MonkeyPatch) -> None:
    hook = runpy.run_path(str(ROOT / "hatch_build.py"))["LibraryHook"]
    monkeypatch.setitem(hook.initialize.__globals__, "GIVEN", "")
    monkeypatch.setattr(sysconfig, "get_config_var", lambda name: name == "Py_GIL_DISABLED")
    with pytest.raises(RuntimeError, match="use the ordinary build"):
        hook.initialize(SimpleNamespace(root=str(ROOT)), "standard", {})


def installed(wheel: Path) -> Path:
    """Return an environment that has the wheel, not the checkout, and borrows its dependencies from this environment.

    Keep it as long as the wheel is the same.
    """
    place = _KEPT / hashlib.sha256(wheel.read_bytes()).hexdigest()[:16]
    if not (place / "whole").exists():
        shutil.rmtree(_KEPT, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
        python = place / "bin/python"
        subprocess.run([python, "-m", "pip", "install", "-q", "--no-deps", str(wheel)], check=True)
        # Borrow only the packages of this environment: a folder that a .pth file adds has its own .pth files ignored.
        own = next(place.glob("lib/python*/site-packages"))
        (own / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
        (place / "whole").touch()
    return place


def run(place: Path, command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command of that environment in a folder that has nothing else of the project."""
    variables = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    variables |= {"CASINO_ENV_KERNELS": "library"}
    words = [str(place / "bin" / command[0]), *command[1:]]
    return subprocess.run(words, cwd=folder, env=variables, capture_output=True, text=True, timeout=590, check=False)


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Build the checkout and return (wheel, sdist)."""
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("dist")
    done = hatch(folder, "wheel", "sdist")
    assert done.returncode == 0, done.stderr
    return next(folder.glob("*.whl")), next(folder.glob("*.tar.gz"))


def contents(wheel: Path) -> list[str]:
    return [name for name in zipfile.ZipFile(wheel).namelist() if "dist-info" not in name]


@pytest.mark.slow
def test_the_wheel_takes_one_name_and_little_room(built) -> None:
    wheel, _ = built
    names = contents(wheel)
    assert {name.split("/")[0] for name in names} == {"casino_env"}
    assert wheel.stat().st_size < 15_000_000
    for part in ("agents", "evaluate", "train", "play"):
        assert f"casino_env/{part}/__main__.py" in names
    assert "casino_env/agents/policies/swazi-3.safetensors" in names
    assert "casino_env/play/web/page/index.html" in names
    assert "casino_env/play/web/casino/src/index.js" in names and "casino_env/play/web/casino/dist/casino.wasm" in names
    assert "casino_env/configs/first.toml" in names and "casino_env/examples/measured.py" in names
    assert "casino_env/library/kernels.json" in names and "casino_env/library/casino.h" in names
    assert "-cp311-abi3-" in wheel.name


@pytest.mark.slow
def test_the_sdist_makes_the_same_wheel(built, tmp_path) -> None:
    wheel, sdist = built
    folder = unpacked(sdist, tmp_path)
    done = hatch(tmp_path, "wheel", at=folder)
    assert done.returncode == 0, done.stderr
    assert contents(next(tmp_path.glob("*.whl"))) == contents(wheel)
    for name in ("benchmarks", "tests/kept_files/1/record.txt", "CONTRIBUTING.md", ".ci/run"):  # for its tests
        assert (folder / name).exists(), name
    # The sdist has no links from casino_env to the other folders: some file systems have no links.
    code = "from casino_env import agents; print(agents.__file__)"
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == str(folder / "agents/__init__.py"), done.stderr


@pytest.mark.slow
def test_the_same_parts_make_the_same_wheel_wherever_it_is_built(built, tmp_path) -> None:
    """tests/two_builds.sh also makes the parts twice."""
    code = "import os, runpy; os.umask(0o077); runpy.run_module('hatchling', run_name='__main__')"
    command = [sys.executable, "-c", code, "build", "-t", "wheel", "-d", str(tmp_path)]
    elsewhere = {"HOME": str(tmp_path), "TZ": "Pacific/Auckland", "PYTHONHASHSEED": "4711"}
    elsewhere["CASINO_ENV_LIBRARY"] = str(library.FOLDER)
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, env=os.environ | elsewhere)
    assert next(tmp_path.glob("*.whl")).read_bytes() == built[0].read_bytes()


@pytest.mark.slow
def test_the_wheel_says_what_is_inside(built) -> None:
    with zipfile.ZipFile(built[0]) as wheel:
        inside = {name.partition(".dist-info/")[2]: name for name in wheel.namelist()}
        bill = json.loads(wheel.read(inside["sboms/casino-env.cdx.json"]))
        assert "licenses/THIRD_PARTY.md" in inside and bill["bomFormat"] == "CycloneDX"
        digests = {each["name"]: each["hashes"][0]["content"] for each in bill["components"] if "hashes" in each}
        assert "casino_env/library/kernels.json" in digests
        assert all(hashlib.sha256(wheel.read(name)).hexdigest() == digest for name, digest in digests.items())


def test_notices_name_what_is_shipped_in_the_versions_that_are_pinned() -> None:
    pinned = pins("constraints.txt")
    for part in json.loads((ROOT / "third_party.json").read_text()):
        for notices in (ROOT / "THIRD_PARTY.md", ROOT / "packages/casino/THIRD_PARTY.md"):
            assert f"\n## {part['name']}\n" in notices.read_text()
        if "purl" in part:
            assert part["version"] == pinned[part["name"]]


def test_the_lock_of_javascript_has_hashes_and_no_address() -> None:
    rows = json.loads((ROOT / "packages/casino/package-lock.json").read_text())["packages"]
    for name, row in rows.items():
        assert "resolved" not in row and (not name or "integrity" in row), name


@pytest.mark.parametrize("kept", [None, "rubbish", "[]", '{"target": "amiga"}'])
def test_a_library_that_is_none_is_told_in_a_line(kept, tmp_path) -> None:
    if kept:
        (tmp_path / "kernels.json").write_text(kept)
    done = hatch(tmp_path, "wheel", kernels=tmp_path)
    said = (done.stdout + done.stderr).strip()
    assert done.returncode == 1 and "Traceback" not in said
    assert said.splitlines()[-1].startswith(f"CASINO_ENV_LIBRARY={tmp_path}: no library found (")


@pytest.fixture
def stranger(tmp_path: Path) -> Path:
    """A folder with its own agents and train modules, and a bot."""
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents/__init__.py").touch()
    (tmp_path / "train.py").write_text("raise SystemExit('not this one')")
    (tmp_path / "own.py").write_text(OWN_BOT)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("casino play --help", "usage: casino play"),
        ("casino env variants", "swazi"),
        ("casino env examples out", "files written"),
        ("casino agents list", "swazi-3"),
        ("casino evaluate match own:Own greedy --variant mini --deals 2", "own:Own"),
        (TRAIN, "policy"),
    ],
)
def test_the_command_works_from_any_folder(built, stranger, command, said) -> None:
    done = run(installed(built[0]), command.split(), stranger)
    assert done.returncode == 0, done.stderr
    assert said in done.stdout


@pytest.mark.slow
def test_a_stranger_ranks_a_model(built, stranger) -> None:
    """Run the last command of the first block in docs/language-models.md."""
    with answering(any_turn()) as model:
        spec = f"llm:http://127.0.0.1:{model.server_port}/v1,model=any,listed=yes,transcripts=seen"
        fresh = ["casino", "evaluate", "fresh", spec, "greedy", "--deals", "2"]
        done = run(installed(built[0]), fresh, stranger)
    assert re.search(r"\ngreedy .*\nany .*\n +\d+ replies, 0 of them refused", done.stdout), done.stderr
    assert len(list((stranger / "seen").iterdir())) == 12


@pytest.mark.slow
@pytest.mark.parametrize("source", ["clone", "sdist"])
def test_a_stranger_installs_it_and_plays(source, request, stranger, tmp_path_factory) -> None:
    """Follow the README, but with a ready library: compiling one is the same command and takes minutes."""
    if source == "clone" and not (ROOT / ".git").exists():
        pytest.skip("no repository")
    folder = tmp_path_factory.mktemp(source) / "casino-env"
    if source == "clone":
        subprocess.run(["git", "clone", "-q", str(ROOT), str(folder)], check=True)
    else:
        unpacked(request.getfixturevalue("built")[1], folder.parent).rename(folder)
    shutil.copytree(library.FOLDER, folder / "casino_env/library")
    shutil.copytree(ROOT / "packages/casino/dist", folder / "packages/casino/dist", dirs_exist_ok=True)
    place = folder.parent / "new"
    subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
    pip = [place / "bin/python", "-m", "pip", "install", "-v", ".[agents]"]
    done = subprocess.run(pip, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "is up to date: nothing to compile" in done.stdout + done.stderr
    played = run(place, ["python", "-c", TEN_LINES], stranger)
    assert re.match(r"finished -?\d", played.stdout), played.stderr
