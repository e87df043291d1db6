"""The card table in a browser whose processes get a quarter of the time: bytes, the first card, milliseconds a move.

A browser slows its own threads on request, but not its workers, in which agents think. So its processes are stopped
for three of every four moments from outside.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import sync_playwright

from casino_env.agents.policy.shipped import shipped
from casino_env.play.web.serving import serve_page
from casino_env.validate import int_in

_MOMENT = 0.002  # seconds that a slowed process runs at a time

# Deals of the game between two of this agent: milliseconds of each decision, asked of the worker as the page asks.
_DECIDE = """async ({ spec, variant, players, decisions }) => {
  const { Game, loadKernels, observe } = await import("./casino/src/index.js");
  const { RemoteAgents } = await import("./casino/src/agents/remote.js");
  await loadKernels();
  const all = new RemoteAgents({ policies: new URL("policies/", document.baseURI).href });
  const agent = await all.of(spec), took = [];
  for (let seed = 1; took.length < decisions; seed++) {
    const game = new Game(variant, players, seed);
    await agent.reset(0, seed);
    while (!game.over && took.length < decisions) {
      const seen = observe(game), began = performance.now();
      game.apply(await agent.act(seen));
      took.push(performance.now() - began);
    }
  }
  all.close();
  return took;
}"""


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks browser", description=__doc__)
    parser.add_argument("--slower", type=int, default=4, help="how many times slower than this machine (4)")
    parser.add_argument("--decisions", type=int, default=300, help="of each agent (300)")
    parser.add_argument("--loads", type=int, default=7, help="first visits (7)")
    parser.add_argument("--game", default="khasino", help="for two (khasino)")
    args = parser.parse_args(arguments)
    for name in ("slower", "decisions", "loads"):
        int_in(getattr(args, name), f"--{name}", 1)
    policies = [name[:-2] for name in shipped() if name.endswith("-2")]
    if args.game not in policies:
        raise ValueError(f"--game {args.game}: must be one of {', '.join(policies)}")
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if not browser:
        raise ValueError("no chromium here; install it, or put it on the path")
    server, home = serve_page()
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox", "--disable-gpu"])
        with slowed(args.slower):
            first = [_first_visit(launched, home, args.game) for _ in range(args.loads)]
            _say("first load to the first page", [one[0] for one in first], "s")
            _say("from there to the first card of a game", [one[1] for one in first], "s")
            print(f"{first[0][2] / 1000:.0f} kB until its first answer")
            for agent in (f"policy:{args.game}-2", "strongest:time=0.5"):
                _say(f"a decision of {agent}", _decisions(launched, home, args.game, agent, args.decisions), "ms")
        launched.close()
    server.shutdown()
    return 0


def _first_visit(browser: Any, home: str, game: str) -> tuple[float, float, int]:
    """Seconds to the page, seconds more to the first card of a game against the policy, and bytes as they travelled."""
    context = browser.new_context()
    sent: list[int] = []
    context.on("requestfinished", lambda request: sent.append(request.sizes()["responseBodySize"]))
    page, began = context.new_page(), time.perf_counter()
    page.goto(home)
    page.wait_for_selector("body[data-ready]")
    there = time.perf_counter() - began
    page.click("#open-new")
    page.select_option("#variant", game)
    page.click("#players input[value='2']", force=True)
    page.click("#new-more > summary")
    page.select_option("[data-seat-of='1']", f"policy:{game}-2")
    began = time.perf_counter()
    page.click("#begin")
    page.wait_for_selector("#table [data-token]")
    dealt = time.perf_counter() - began
    page.wait_for_selector("#table[data-state=mine], #sheet[open]", timeout=120_000)
    context.close()
    return there, dealt, sum(sent)


def _decisions(browser: Any, home: str, game: str, agent: str, decisions: int) -> list[float]:
    page = browser.new_context().new_page()
    page.goto(home)
    page.wait_for_selector("body[data-ready]")
    asked = {"spec": agent, "variant": game, "players": 2, "decisions": decisions}
    took: list[float] = page.evaluate(_DECIDE, asked)
    page.context.close()
    return took


def _say(what: str, took: list[float], unit: str) -> None:
    middle, high = np.percentile(took, [50, 99])
    print(f"{what:<45} median {middle:8.2f} {unit}, 99 % within {high:8.2f} {unit}, of {len(took)}", flush=True)


# --- a slower machine -------------------------------------------------------------------------------------------------


@contextmanager
def slowed(times: int) -> Iterator[None]:
    """What draws and thinks in browsers that this process has begun runs a moment, and stands still for the rest."""
    over = threading.Event()

    def hold() -> None:
        while not over.wait(0.0):
            pages = _pages()
            _tell(pages, signal.SIGCONT)
            time.sleep(_MOMENT)
            _tell(pages, signal.SIGSTOP)
            time.sleep(_MOMENT * (times - 1))
        _tell(_pages(), signal.SIGCONT)

    thread = threading.Thread(target=hold, daemon=True)
    if times > 1:
        thread.start()
    try:
        yield
    finally:
        over.set()
        if times > 1:
            thread.join()


def _pages() -> list[int]:
    """The processes of pages: workers are threads of theirs."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if b"--type=renderer" in place.read_bytes():
                found.append(int(place.parent.name))
        except OSError:  # it has ended
            continue
    return found


def _tell(processes: list[int], what: signal.Signals) -> None:
    for one in processes:
        with suppress(ProcessLookupError):
            os.kill(one, what)
