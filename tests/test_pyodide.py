"""The wheel for Pyodide in a browser: games, views, bots and environments, and the same deals as elsewhere.

Run it with PYODIDE=FOLDER pytest -m slow tests/test_pyodide.py. The folder has Pyodide 0.27 with its wheels of numpy
and micropip (the release, unpacked), and what `pip download --no-deps -d FOLDER gymnasium pettingzoo cloudpickle
typing-extensions farama-notifications` brings.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from casino_env.golden import digests
from tests.page_browser import CHROMIUM, ROOT, chromium, hosting

PYODIDE = Path(os.environ.get("PYODIDE", ""))
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (PYODIDE / "pyodide.mjs").is_file(), reason="needs Pyodide: PYODIDE=FOLDER"),
    pytest.mark.skipif(not CHROMIUM, reason="needs chromium"),
]
LIBRARY = ROOT / "build/libraries/pyodide"
_INSTALL = """
async (wheels) => {
    const { loadPyodide } = await import("./pyodide/pyodide.mjs");
    globalThis.python = await loadPyodide();
    await python.loadPackage(["numpy", "micropip"]);
    python.globals.set("wheels", python.toPy(wheels));
    await python.runPythonAsync("import micropip; await micropip.install(list(wheels), deps=False)");
}
"""
_PLAY = """
import json
import casino_env  # first: gymnasium asks for processes, which a browser has not
import gymnasium as gym, numpy as np
from casino_env.agents import make_agent
from casino_env.golden import digests

game, rng = casino_env.Game("khasino", 4, seed=3), np.random.default_rng(1)
seen = casino_env.observe(game)
chosen = {}
for spec in ("greedy", "counter", "search:sims=8", "solved:agent=counter"):
    agent = make_agent(spec)
    agent.reset(game.seat, np.random.default_rng(1))
    chosen[spec] = agent.act(seen)
single, batch = (
    make("casino_env:CasinoEnv/Swazi-v0", players=3, opponents="counter", **more)
    for make, more in ((gym.make, {}), (gym.make_vec, {"num_envs": 4}))
)
rewards = []
for env in (single, batch):
    info = env.reset(seed=1)[1]
    for _ in range(8):
        _, reward, _, _, info = env.step(info["action_mask"].argmax(-1))
        rewards.append(np.asarray(reward).tolist())
table = casino_env.env("swazi", players=2)
table.reset(seed=1)
found = {
    "seen": int(seen.vector.sum()), "worlds": [one.to_json() for one in seen.determinizations(2, rng)],
    "chosen": chosen, "rewards": rewards, "table": table.last()[0]["observation"].tolist(), "golden": digests(1),
}
json.dumps(found)
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, list[str]]]:
    """Build the wheel and serve it beside Pyodide; yield (address, names of the wheels)."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "pyodide").symlink_to(PYODIDE.resolve())
    (folder / "index.html").write_text("<!doctype html><title>Python</title>")
    casino = [sys.executable, "-m", "casino_env"]
    subprocess.run([*casino, "compile", "--target", "pyodide", "--to", str(LIBRARY)], cwd=ROOT, check=True)
    words = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(words, cwd=ROOT, check=True, env=os.environ | {"CASINO_ENV_LIBRARY": str(LIBRARY)})
    for wheel in PYODIDE.glob("*-none-any.whl"):
        shutil.copyfile(wheel, folder / wheel.name)
    with hosting(folder) as address:
        yield address, [wheel.name for wheel in folder.glob("*.whl")]


def test_a_browsers_python_plays_as_any_other(site: tuple[str, list[str]]) -> None:
    address, wheels = site
    with chromium() as browser:
        page = browser.new_page()
        page.set_default_timeout(300_000)
        page.goto(address)
        page.evaluate(_INSTALL, [f"{address}{wheel}" for wheel in wheels])
        found = json.loads(page.evaluate("(code) => python.runPythonAsync(code)", _PLAY))
    mine: dict[str, object] = {}
    exec(_PLAY, mine)
    assert found == json.loads(json.dumps(mine["found"]))
    assert found["golden"] == digests(1)
