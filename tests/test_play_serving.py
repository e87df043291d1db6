"""A whole server: it ends in time and leaves no process, slow connections are dropped, a port and a folder have one."""

import contextlib
import http.client
import json
import random
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest

pytest.importorskip("uvicorn", reason="needs the extra `play`")

from tests.kills_web import cut_off_server


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextlib.contextmanager
def running(folder, *more):
    """A server of its own; (process, port)."""
    port = free_port()
    command = [sys.executable, "-m", "casino_env.play.web", "--port", str(port), "--games", str(folder), *more]
    command += ["--hints", "greedy"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            assert f":{port}/" in server.stdout.readline(), server.stderr.read() if server.stderr else ""
            yield server, port
        finally:
            server.kill()


def post(port: int, path: str, body: object, seconds: float = 20.0) -> tuple[int, dict]:
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds)
    link.request("POST", path, json.dumps(body), {"content-type": "application/json"})
    reply = link.getresponse()
    return reply.status, json.loads(reply.read())


HANGS = "tests.rogues:StuckLater"


def hanging_move(port: int) -> None:
    status, state = post(port, "/api/games", {"variant": "swazi", "seats": ["you", HANGS], "seed": 1})
    assert status == 201, state
    while state["mine"]:
        _, state = post(
            port,
            f"/api/games/{state['id']}/move",
            {"version": state["version"], "actions": state["moves"][0]["actions"]},
        )
    with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
        post(port, f"/api/games/{state['id']}/advance", {"version": state["version"]}, 60.0)


@pytest.mark.slow  # whole servers
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_the_server_ends_whatever_it_is_doing(tmp_path, number):
    with running(tmp_path, "--agent", HANGS) as (server, port):
        for _ in range(3):
            threading.Thread(target=hanging_move, args=(port,), daemon=True).start()
        time.sleep(1.5)
        children = _family(server.pid)
        assert children
        began = time.monotonic()
        server.send_signal(number)
        assert server.wait(10) == (-number if number == signal.SIGKILL else 0)
        assert time.monotonic() - began < 3
        time.sleep(0.5)
        assert not [row for row in map(_row, children) if row]
        assert "Traceback" not in (server.stderr.read() if server.stderr else "")


def _row(pid: int) -> str:
    """What is said of a process; nothing of one that has ended, or only waits for somebody to ask how."""
    row = subprocess.run(["ps", "-o", "pid=,stat=,args=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return "" if " Z" in row.stdout else row.stdout


def _family(pid: int) -> list[int]:
    """Processes that have come of a process, its children's as well."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    parents = {int(row.split()[0]): int(row.split()[1]) for row in listed.splitlines()}
    found = [pid]
    for one in found:
        found += [child for child, parent in parents.items() if parent == one]
    return found[1:]


@pytest.mark.slow  # whole servers
@pytest.mark.parametrize("cut", ["kill -9", "full disk"])
def test_what_was_answered_survives_kills_and_full_disks(cut):
    assert cut_off_server(cut, 2, random.Random(1)) >= 1


@pytest.mark.slow  # waits for slow connections
def test_slow_connections_are_dropped_while_others_are_served(tmp_path):
    with running(tmp_path) as (_, port):
        head = b"POST /api/games HTTP/1.1\r\nhost: 127.0.0.1\r\n"
        body = head + b"content-type: application/json\r\ncontent-length: 100\r\n\r\n{"
        slow = [socket.create_connection(("127.0.0.1", port)) for _ in range(50)]
        began = time.monotonic()
        for number, link in enumerate(slow):
            link.sendall((b"", head, body)[number % 3])
        open_ones = list(slow)
        while open_ones and time.monotonic() - began < 25:
            assert post(port, "/api/games", {"variant": "mini", "seats": ["you", "greedy"]})[0] == 201
            for number, link in enumerate(list(open_ones)):
                with contextlib.suppress(OSError):
                    if number % 3 == 1:
                        link.sendall(b"x")  # a byte now and then prolongs nothing
                if _is_closed(link):
                    open_ones.remove(link)
            time.sleep(0.5)
        assert not open_ones
        assert time.monotonic() - began < 20


def _is_closed(link: socket.socket) -> bool:
    link.setblocking(False)
    try:
        while link.recv(4096):
            pass
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


@pytest.mark.slow  # whole servers
def test_a_port_and_a_folder_have_one_server(tmp_path):
    with running(tmp_path) as (_, port):
        for flags, said in (
            (["--port", str(port), "--games", str(tmp_path / "other")], "Address already in use"),
            (["--port", str(free_port()), "--games", str(tmp_path)], "is being written by another process"),
        ):
            done = subprocess.run(
                [sys.executable, "-m", "casino_env.play.web", *flags],
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )
            assert done.returncode == 1
            assert done.stdout == ""
            assert said in done.stderr
            assert len(done.stderr.strip().splitlines()) == 1
