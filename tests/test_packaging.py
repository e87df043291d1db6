"""What `pip install .` promises: the oldest versions, one name in site-packages, and all of it from any folder."""

import ast
import importlib.metadata
import re
import subprocess
import sys
import tarfile
import tomllib
import types
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

import agents
import casino_env
from casino_env.envs.opponents import make_opponent
from casino_env.guarded import guarded
from casino_env.parts import casino, missing, places
from tests import installed, smoke

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


# --- where the parts are -------------------------------------------------------------------------------------------


def test_in_a_checkout_the_parts_are_its_folders() -> None:
    casino_env.lab()
    assert places.FOLDER == ROOT
    assert places.called("agents") == "python -m agents"


def test_a_part_is_not_taken_from_somebody_else(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "train.py").touch()
    monkeypatch.delitem(sys.modules, "train", raising=False)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ImportError, match=f"`import train` finds {tmp_path}/train.py, not the train of casino-env"):
        casino_env.lab()
    casino_env.lab("agents")
    monkeypatch.setitem(sys.modules, "agents", types.ModuleType("agents"))
    with pytest.raises(ImportError, match="`import agents` finds agents, not"):
        casino_env.lab("agents")
    with pytest.raises(ValueError, match="'agentz' is no part"):
        casino_env.lab("agentz")


def test_an_opponent_whose_part_is_hidden_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "agents", types.ModuleType("agents"))
    with pytest.raises(ValueError, match=r"^opponents = 'counter': casino_env: `import agents` finds") as found:
        make_opponent("counter")
    assert "\n" not in str(found.value)


# --- what is missing -----------------------------------------------------------------------------------------------


def extras() -> dict[str, set[str]]:
    listed = PROJECT["optional-dependencies"].items()
    return {name: {Requirement(text).name for text in rows} for name, rows in listed}


def test_every_extra_brings_what_is_missed() -> None:
    packages = {"PIL": "pillow", "pyspiel": "open-spiel"}
    for module, extra in missing.EXTRAS.items():
        assert packages.get(module, module) in extras()[extra]


def test_what_is_missing_is_told_with_a_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def command() -> int:
        raise ModuleNotFoundError("No module named 'textual'", name="textual.app")

    assert guarded("play", command) == 1
    monkeypatch.chdir(ROOT)
    assert guarded("play", command) == 1
    said = capsys.readouterr().err.splitlines()
    assert said[1] == "play: textual is missing: pip install -e '.[play]'"
    monkeypatch.setattr(missing, "INSTALLED", True)
    monkeypatch.setattr(missing, "requires", lambda _: ["numpy", "torch>=2.4; extra == 'play'", "rich; extra == 'all'"])
    assert missing.install("play") == "pip install 'torch>=2.4'"


PARTS_OF_IT = ("casino_env", *places.PARTS)
_WRITTEN_OUT = re.compile(rf"python -m ({'|'.join(PARTS_OF_IT)})\b|pip install (-e|['.\[])|\bmake [a-z]+ ?[\[`]")


def said(source: str) -> Iterator[str]:
    """The texts of a program that are no docstrings."""
    tree = ast.parse(source)
    homes = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    bodies = [node.body for node in ast.walk(tree) if isinstance(node, homes)]
    first = {id(body[0].value) for body in bodies if body and isinstance(body[0], ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in first:
            yield node.value


def test_no_message_has_a_command_that_works_in_a_checkout_alone() -> None:
    """places.called and missing.install know what works from where the user is."""
    found = []
    for part in PARTS_OF_IT:
        for path in (ROOT / part).rglob("*.py"):
            if path.parent.name != "parts":
                found += [
                    f"{path.relative_to(ROOT)}: {text}" for text in said(path.read_text()) if _WRITTEN_OUT.search(text)
                ]
    assert found == []
    assert any(_WRITTEN_OUT.search(text) for text in said("print(f'go on: python -m train --resume {folder}')"))


def test_commands_in_descriptions_are_those_of_the_place(monkeypatch: pytest.MonkeyPatch) -> None:
    assert places.as_called("python -m train sweep: ...") == "python -m train sweep: ..."
    monkeypatch.setattr(places, "INSTALLED", True)
    assert places.as_called("python -m train sweep, python -m casino_env") == "casino train sweep, casino env"
    assert places.as_called("python -m training") == "python -m training"


def test_weights_without_their_library_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "safetensors", None)
    monkeypatch.setitem(sys.modules, "safetensors.numpy", None)
    with pytest.raises(ValueError, match=r"^policy: safetensors is missing: pip install -e "):
        agents.make_agent("policy:swazi-3")


def test_a_module_that_nobody_knows_is_no_advice() -> None:
    def command() -> int:
        raise ModuleNotFoundError("No module named 'mine'", name="mine")

    with pytest.raises(ModuleNotFoundError):
        guarded("play", command)


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
    assert casino.main(words) == code
    told = capsys.readouterr()
    assert said in told.out + told.err


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
casino_env.lab()
import agents
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


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    pytest.importorskip("hatchling")
    return installed.build(tmp_path_factory.mktemp("dist"))


def contents(wheel: Path) -> list[str]:
    return [name for name in zipfile.ZipFile(wheel).namelist() if "dist-info" not in name]


@pytest.mark.slow
def test_the_wheel_takes_one_name_and_little_room(built) -> None:
    wheel, _ = built
    names = contents(wheel)
    assert {name.split("/")[0] for name in names} == {"casino_env"}
    assert wheel.stat().st_size < 15_000_000
    for part in places.PARTS:
        assert f"casino_env/_lab/{part}/__main__.py" in names
    assert "casino_env/_lab/agents/policies/swazi-3.safetensors" in names
    assert "casino_env/_lab/play/web/page/index.html" in names
    assert "casino_env/_lab/configs/first.toml" in names


@pytest.mark.slow
def test_the_sdist_makes_the_same_wheel(built, tmp_path) -> None:
    wheel, sdist = built
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    build = ["-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    folder = next(path for path in tmp_path.iterdir() if path.is_dir())
    done = subprocess.run([sys.executable, *build], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert contents(next(tmp_path.glob("*.whl"))) == contents(wheel)


@pytest.fixture
def stranger(tmp_path: Path) -> Path:
    """A folder with an agents and a train of its own, and a bot."""
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
        ("casino agents list", "swazi-3"),
        ("casino evaluate match own:Own greedy --variant mini --deals 2", "own:Own"),
        (TRAIN, "policy"),
    ],
)
def test_the_command_works_from_any_folder(built, stranger, command, said) -> None:
    done = installed.run(installed.installed(built[0]), command.split(), stranger)
    assert done.returncode == 0, done.stderr
    assert said in done.stdout


@pytest.mark.slow
def test_ten_lines_play_from_an_empty_folder(built, tmp_path) -> None:
    place = installed.installed(built[0])
    done = installed.run(place, ["python", "-c", TEN_LINES], tmp_path)
    assert re.match(r"finished -?\d", done.stdout), done.stderr


@pytest.mark.slow
def test_a_name_in_the_way_is_told(built, stranger) -> None:
    place = installed.installed(built[0])
    done = installed.run(place, ["python", "-c", "import casino_env; casino_env.lab()"], stranger)
    assert done.stderr.strip().splitlines()[-1].startswith("ImportError: casino_env: `import agents` finds")
