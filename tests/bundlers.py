"""Test the npm package in Vite, webpack and esbuild apps: python -m tests.bundlers (tests/interop.sh bundlers).

Pack the package with `npm pack`, install it beside each bundler, build packages/casino/tests/bundled/app.js, and play
its deal in a browser. Print how many files and gzipped kB the page fetches, and when it makes the first move.
"""

import gzip
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from casino_env import Game, observe
from casino_env.agents.registry import make_agent
from casino_env.envs.options import generator
from tests.page_browser import PACKAGE, chromium, hosting, playwright

PAGE = "<!doctype html><meta charset=utf-8><title>-</title><body><script type=module src={}></script>"

# Bundlers that resolve `new URL(..., import.meta.url)` find all files (FOUND). For others the app names them (SAID).
FOUND = """\
import khasino from "casino-env/policies/khasino-2.js";
export const engine = {}, policies = khasino;
"""
SAID = """\
import facts from "casino-env/dist/facts.json";
import wasm from "casino-env/dist/casino.wasm";
export const engine = { wasm, facts }, policies = "policies/";
"""
WEBPACK = 'module.exports = { mode: "production", entry: "./app.js", output: { filename: "main.js" } };\n'
VITE = """\
export default {
  optimizeDeps: { exclude: ["casino-env"] }, worker: { format: "es" }, build: { target: "es2022" }, cacheDir: "cache",
};
"""
WORKER = "node_modules/casino-env/src/agents/worker.js"
ESBUILD = f"npx esbuild app=app.js worker={WORKER} --bundle --splitting --format=esm --minify --target=es2022 \
--loader:.wasm=file --outdir=dist"
# name, packages, files, commands, folder to serve
BUNDLERS = (
    ("vite", ("vite@8",), {"places.js": FOUND, "vite.config.js": VITE}, ("npx vite build",)),
    ("webpack", ("webpack@5", "webpack-cli"), {"places.js": FOUND, "webpack.config.cjs": WEBPACK}, ("npx webpack",)),
    ("esbuild", ("esbuild",), {"places.js": SAID}, (ESBUILD, "cp -r node_modules/casino-env/dist/policies dist")),
)


def run(command: str, folder: Path) -> str:
    done = subprocess.run(command, shell=True, cwd=folder, capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        raise SystemExit(f"{command}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


@contextmanager
def developing(app: Path) -> Iterator[str]:
    """Run Vite's development server, which does not bundle, and yield its address."""
    words = ["node", "node_modules/vite/bin/vite.js", "--port", "0", "--host", "127.0.0.1"]
    with subprocess.Popen(words, cwd=app, stdout=subprocess.PIPE, encoding="utf-8") as server:
        assert server.stdout
        for line in server.stdout:
            if found := re.search(r"http://127.0.0.1:\d+/", re.sub(r"\x1b\[[\d;]*m", "", line)):
                break
        assert found, "vite does not serve"
        yield found[0]
        server.terminate()


def say(name: str, version: str, scores: str, wanted: str, rest: str) -> None:
    print(f"{name} {version}: {scores} ({'the same' if scores == wanted else f'not {wanted}'}), {rest}", flush=True)


def played(address: str) -> tuple[str, int, list[str]]:
    """Play a deal in a browser; return the scores, milliseconds to the first move, and the addresses fetched."""
    fetched: list[str] = []
    wrong: list[str] = []
    with chromium() as browser:
        page = browser.new_page()
        page.on("response", lambda answer: fetched.append(answer.url))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
        page.goto(address)
        try:
            page.wait_for_function("document.title != '-'", timeout=120_000)
        except playwright.TimeoutError:
            raise SystemExit(f"no deal was played: {wrong}") from None
        return page.title(), int(page.locator("body").get_attribute("data-first")), fetched


def expected() -> str:
    """Return the scores of the same deal in Python."""
    game, seats = Game("khasino", 2, 7), [make_agent("policy:khasino-2,turns=1") for _ in range(2)]
    for seat, agent in enumerate(seats):
        agent.reset(seat, generator(7))
    while not game.over:
        game.apply(seats[game.seat].act(observe(game)))
    return " ".join(map(str, game.scores()))


def main() -> int:
    wanted, differ = expected(), 0
    with tempfile.TemporaryDirectory() as place:
        run("npm pack --pack-destination " + place, PACKAGE)
        tarball = next(Path(place).glob("*.tgz"))
        for name, packages, files, commands in (row for row in BUNDLERS if row[0] in (sys.argv[1:] or row)):
            app = Path(place) / name
            app.mkdir()
            shutil.copy(PACKAGE / "tests/bundled/app.js", app)
            for file, text in files.items():
                (app / file).write_text(text, "utf-8")
            (app / "package.json").write_text('{ "private": true }\n', "utf-8")
            (app / "index.html").write_text(PAGE.format("/app.js"), "utf-8")
            run(f"npm install --no-audit --no-fund --silent {tarball} {' '.join(packages)}", app)
            for command in commands:
                run(command, app)
            if name != "vite":
                script = "main.js" if name == "webpack" else "app.js"
                (app / "dist/index.html").write_text(PAGE.format(script), "utf-8")
            else:  # Vite writes the page itself
                with developing(app) as address:
                    scores, first, _ = played(address)
                say(name, "dev", scores, wanted, f"first move after {first} ms")
                differ += scores != wanted
            with hosting(app / "dist") as address:
                scores, first, fetched = played(address)
            inside = {app / "dist" / (url.removeprefix(address).partition("?")[0] or "index.html") for url in fetched}
            size = sum(len(gzip.compress(path.read_bytes())) for path in inside if path.is_file())
            version = json.loads((app / f"node_modules/{name}/package.json").read_text())["version"]
            took = f"{len(inside)} files, {size >> 10} kB gzipped, first move after {first} ms"
            say(name, version, scores, wanted, took)
            differ += scores != wanted
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
