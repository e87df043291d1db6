"""python -m benchmarks crowd: many games at once through a real server, and how long its answers take."""

from __future__ import annotations

import argparse
import http.client
import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from typing import Any

Data = dict[str, Any]


class Visitor(threading.Thread):
    """A person who plays one game with random moves, and writes down how long each answer took."""

    def __init__(self, port: int, setup: Data, seed: int, moves: int, pause: float) -> None:
        super().__init__(daemon=True)
        self._port, self._setup, self._moves, self._pause = port, setup | {"seed": seed}, moves, pause
        self._draw = random.Random(seed)
        self.took: dict[str, list[float]] = defaultdict(list)
        self.error = ""
        self.over = False

    def run(self) -> None:
        try:
            self._play()
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.error = f"{type(error).__name__}: {error}"

    def _play(self) -> None:
        link = http.client.HTTPConnection("127.0.0.1", self._port, timeout=120)
        state = self._ask(link, "begin", "/api/games", self._setup)
        for _ in range(self._moves):
            self.over = state["over"]
            if self.over:
                return
            body = {"version": state["version"], "since": state["count"]}
            what = "advance"
            if state["mine"]:
                time.sleep(self._draw.uniform(0, 2 * self._pause))
                what = "move"
                body["actions"] = self._draw.choice(state["moves"])["actions"]
            state = self._ask(link, what, f"/api/games/{state['id']}/{what}", body)

    def _ask(self, link: http.client.HTTPConnection, what: str, path: str, body: Data) -> Data:
        began = time.perf_counter()
        link.request("POST", path, json.dumps(body), {"content-type": "application/json"})
        reply = link.getresponse()
        data: Data = json.loads(reply.read())
        self.took[what].append(time.perf_counter() - began)
        if reply.status >= 400:
            raise ValueError(f"{what}: {reply.status} {data['message']}")
        return data


def crowd(games: int, setup: Data, moves: int, pause: float, port: int) -> Data:
    """So many games at the same time; milliseconds by kind of request."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "casino_env.play.web", "--port", str(port), "--games", folder]
        server = subprocess.Popen([*command, "--agent", setup["seats"][1]], stdout=subprocess.DEVNULL)
        try:
            _wait(port, server)
            _warm_up(port, setup)
            visitors = [Visitor(port, setup, seed, moves, pause) for seed in range(games)]
            began = time.perf_counter()
            for visitor in visitors:
                visitor.start()
            for visitor in visitors:
                visitor.join()
            seconds = time.perf_counter() - began
        finally:
            server.terminate()
            server.wait()
    return _summary(visitors, seconds)


def _wait(port: int, server: subprocess.Popen[bytes]) -> None:
    """Until the server answers."""
    for _ in range(1800):
        if server.poll() is not None:
            raise OSError(f"the server ended with {server.returncode}")
        link = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            link.request("GET", "/api/menu")
            link.getresponse().read()
            return
        except OSError:
            time.sleep(0.1)
    raise OSError(f"no server on port {port} after three minutes")


def _warm_up(port: int, setup: Data) -> None:
    """One short game beforehand, so that no answer waits for the compiler."""
    first = Visitor(port, setup, 0, 12, 0.0)
    first.start()
    first.join()
    if first.error:
        raise ValueError(first.error)


def _summary(visitors: list[Visitor], seconds: float) -> Data:
    took: dict[str, list[float]] = defaultdict(list)
    for visitor in visitors:
        for what, times in visitor.took.items():
            took[what] += times
    errors = [visitor.error for visitor in visitors if visitor.error]
    rows = {what: _milliseconds(sorted(times)) for what, times in took.items()}
    requests = sum(map(len, took.values()))
    return {
        "games": len(visitors),
        "finished": sum(visitor.over for visitor in visitors),
        "errors": len(errors),
        "first_error": errors[0] if errors else None,
        "seconds": round(seconds, 2),
        "requests_per_second": round(requests / seconds, 1),
        "milliseconds": rows,
    }


def _milliseconds(times: list[float]) -> Data:
    at = {"median": 0.5, "p95": 0.95, "p99": 0.99}
    points = {name: round(1000 * times[min(len(times) - 1, int(share * len(times)))], 1) for name, share in at.items()}
    return {"requests": len(times), **points, "most": round(1000 * times[-1], 1)}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks crowd", description=__doc__)
    parser.add_argument("--games", type=int, default=200, help="at the same time (200)")
    parser.add_argument("--variant", default="south-african", help="name of a preset (south-african)")
    parser.add_argument("--agent", default="greedy", help="the opponent (greedy)")
    parser.add_argument("--requests", type=int, default=10_000, help="of each game at most (whole games)")
    parser.add_argument("--pause", type=float, default=0.0, help="seconds before a move, on average (0)")
    parser.add_argument("--port", type=int, default=8765, help="(8765)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    args = parser.parse_args(arguments)
    if args.games < 1:
        raise ValueError(f"--games {args.games}: must be 1 or more")
    setup = {"variant": args.variant, "seats": ["you", args.agent]}
    found = crowd(args.games, setup, args.requests, args.pause, args.port)
    print(json.dumps(found) if args.json else _as_text(found))
    return int(found["errors"] > 0)


def _as_text(found: Data) -> str:
    lines = [
        f"{found['games']} games at once, {found['finished']} played to the end, {found['errors']} errors, "
        f"{found['seconds']} s, {found['requests_per_second']} requests a second",
        f"{'ms':<10}{'requests':>10}{'median':>10}{'95 %':>10}{'99 %':>10}{'most':>10}",
    ]
    for what, row in found["milliseconds"].items():
        cells = (row["requests"], row["median"], row["p95"], row["p99"], row["most"])
        lines.append(f"{what:<10}" + "".join(f"{cell:>10}" for cell in cells))
    if found["first_error"]:
        lines.append(f"first error: {found['first_error']}")
    return "\n".join(lines)
