"""The static folder of the page: where files lie, how they are served to this machine, and what is refused."""

import gzip
import http.client
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from casino_env.play.web import page_files, serving
from casino_env.play.web.page_files import write_page

TREE = {
    "play/web/page/index.html": '<head><meta name="stun" content=""><link href="page.css">'
    '<script src="main.js"></script></head><a href="#">',
    "play/web/page/main.js": "import './casino/src/index.js'",
    "play/web/page/page.css": "",
    "play/web/page/sw.js": "worker()",
    "play/web/page/languages/en.js": "export default {}",
    "play/web/page/.hidden.js": "",
    "play/web/page/notes.txt": "",
    "play/web/tsconfig.json": "{}",
    "packages/casino/package.json": "{}",
    "packages/casino/src/index.js": "export {}",
    "packages/casino/src/agents/bots.js": "export {}",
    "packages/casino/dist/casino.wasm": "\0asm" + "code " * 1000,
    "packages/casino/dist/facts.json": '{"policies": {"swazi-2": {"level": "best"}}}',
    "agents/policies/swazi-2.json": "{}",
    "agents/policies/swazi-2.safetensors": "weights",
    "secret.txt": "nobody's business",
}
TOP = {"index.html": "text/html; charset=utf-8", "sw.js": "text/javascript; charset=utf-8"}
SERVED = {
    "page.css": "text/css; charset=utf-8",
    "main.js": "text/javascript; charset=utf-8",
    "languages/en.js": "text/javascript; charset=utf-8",
    "casino/src/index.js": "text/javascript; charset=utf-8",
    "casino/src/agents/bots.js": "text/javascript; charset=utf-8",
    "casino/dist/casino.wasm.gz": "application/gzip",
    "casino/dist/facts.json.gz": "application/gzip",
    "files.json": "application/json",
    "policies/swazi-2.json": "application/json",
    "policies/swazi-2.safetensors": "application/octet-stream",
    "policies/index.json": "application/json",
}


@pytest.fixture
def tree(tmp_path, monkeypatch) -> Path:
    """A minimal checkout."""
    for name, text in TREE.items():
        path = tmp_path / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.setattr(page_files, "HERE", tmp_path / "tree/play/web")
    return tmp_path / "tree"


@pytest.fixture
def port(tree):
    server, address = serving.serve_page()
    assert address == f"http://127.0.0.1:{server.server_port}/"
    yield server.server_port
    server.shutdown()
    server.server_close()


def get(port: int, path: str, method: str = "GET", **head: str) -> tuple[int, dict[str, str], bytes]:
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    link.request(method, path, headers={name.replace("_", "-"): value for name, value in head.items()})
    reply = link.getresponse()
    return reply.status, {name.lower(): value for name, value in reply.getheaders()}, reply.read()


def folder() -> str:
    """The address of the current version's folder."""
    return f"/v/{page_files.Page().version}/"


def test_every_file_has_its_place_and_its_type(port):
    inner = folder()
    assert page_files.Page().addresses == sorted([*TOP, *(inner.removeprefix("/") + place for place in SERVED)])
    kinds = {f"/{place}": kind for place, kind in TOP.items()}
    kinds |= {inner + place: kind for place, kind in SERVED.items()}
    for address, kind in kinds.items():
        status, head, body = get(port, address)
        assert (status, head["content-type"], head["x-content-type-options"]) == (200, kind, "nosniff")
        assert (head["content-security-policy"], head["referrer-policy"]) == ("frame-ancestors 'none'", "no-referrer")
        assert len(body) == int(head["content-length"]) and ("immutable" in head["cache-control"]) is (
            address[1] == "v"
        )
    assert json.loads(get(port, f"{inner}policies/index.json")[2]) == {"swazi-2": {"level": "best"}}
    status, head, body = get(port, f"{inner}main.js", "HEAD")
    assert (status, body) == (200, b"") and int(head["content-length"]) > 0


def test_the_first_page_names_what_its_version_needs(port):
    inner, page = folder().removeprefix("/"), get(port, "/")[2].decode()
    assert page == get(port, "/index.html?pace=0")[2].decode()
    assert f'href="{inner}page.css"' in page and f'src="{inner}main.js"' in page and '<a href="#">' in page
    assert f'<link rel="modulepreload" href="{inner}casino/src/index.js">' in page and "bots.js" not in page


def test_what_is_compressed_is_the_same(port):
    _, head, body = get(port, f"{folder()}main.js", accept_encoding="br, gzip")
    plain = get(port, f"{folder()}main.js")
    assert head["content-encoding"] == "gzip" and head["vary"] == "Accept-Encoding"
    assert gzip.decompress(body) == plain[2] and "content-encoding" not in plain[1]
    engine = get(port, f"{folder()}casino/dist/casino.wasm.gz")[2]
    assert gzip.decompress(engine).decode() == TREE["packages/casino/dist/casino.wasm"] and len(engine) < 500


def test_a_change_is_another_version(port, tree):
    before = folder()
    tag = get(port, "/")[1]["etag"]
    assert get(port, "/", if_none_match=tag)[::2] == (304, b"") and get(port, "/")[1]["cache-control"] == "no-cache"
    (tree / "play/web/page/main.js").write_text("changed()")
    assert get(port, f"{before}main.js")[0] == 404  # an open page never mixes two versions
    assert get(port, "/", if_none_match=tag)[0] == 200
    assert folder() != before and get(port, f"{folder()}main.js")[2] == b"changed()"
    assert get(port, f"{before}page.css")[0] == 404


@pytest.mark.parametrize(
    "path",
    [
        "/../../secret.txt", "/%2e%2e/%2e%2e/secret.txt", "/words/../../../../secret.txt", "//etc/passwd",
        "/casino/dist/", "/casino", "/.hidden.js", "/notes.txt", "/tsconfig.json", "/casino/package.json",
        "/policies/../casino/src/index.js", "/%ff", "/main.js%00", "/C:/secret.txt",
        "/main.js", "/casino/dist/casino.wasm", "/v/0123456789ab/main.js", "/v/../sw.js", "/" + "a" * 5000,
    ],
)  # fmt: skip
def test_nothing_else_of_the_machine_is_there(port, path):
    status, _, body = get(port, path)
    assert status == 404 and b"business" not in body


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "", "127.0.0.1", "[::1]"]
)
def test_another_name_that_leads_here_is_refused(port, host):
    status, _, body = get(port, "/", host=host)
    assert status == 421 and b"the table is at http://127.0.0.1:" in body
    assert get(port, "/", host=f"LOCALHOST:{port}")[0] == 200


def test_a_browser_that_goes_away_is_no_error(port, tree, capfd):
    (tree / "play/web/page/large.js").write_bytes(os.urandom(1 << 20).hex().encode() * 8)
    assert get(port, "/")[0] == 200
    link = socket.create_connection(("127.0.0.1", port))
    link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # close() resets
    link.sendall(f"GET {folder()}large.js HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
    assert link.recv(10) == b"HTTP/1.1 2"
    link.close()
    assert get(port, "/sw.js")[0] == 200
    while any(thread.name.startswith("Thread-") and thread.is_alive() for thread in threading.enumerate()):
        time.sleep(0.01)  # threads that still answer
    assert capfd.readouterr().err == ""


def test_only_reading_is_possible(port):
    for method in ("POST", "PUT", "DELETE", "OPTIONS"):
        assert get(port, "/sw.js", method)[0] == 501


def test_a_page_without_its_engine_says_what_to_run(tree, casino):
    (tree / "packages/casino/dist/casino.wasm").unlink()
    for words in (["--web", "--no-open"], ["--page", tree / "out"]):
        done = casino("play", *words)
        assert done.code == 1 and "casino compile --target wasm32 --to packages/casino/dist" in done.err


def test_an_installed_package_has_the_engine_inside(tree):
    """The engine lies where hatch_build.py puts it."""
    before = page_files.Page().addresses
    (tree / "packages/casino").rename(tree / "play/web/casino")
    assert page_files.Page().addresses == before


def test_a_bundle_is_taken_as_long_as_it_is_newer_than_its_sources(tree):
    bundle = tree / "packages/casino/dist/page"
    bundle.mkdir()
    for name in ("main.js", "worker.js"):
        (bundle / name).write_text("import './chunk.js'")
    (bundle / "chunk.js").write_text("bundled()")
    page = page_files.Page()
    scripts = sorted(address for address in page.addresses if address.endswith(".js"))
    assert scripts == ["sw.js", *(f"v/{page.version}/{name}.js" for name in ("chunk", "main", "worker"))]
    assert f'<link rel="modulepreload" href="v/{page.version}/chunk.js">' in page.read("index.html").decode()
    later = time.time() + 10
    os.utime(tree / "packages/casino/src/index.js", (later, later))
    assert f"v/{page_files.Page().version}/casino/src/index.js" in page_files.Page().addresses


def test_the_folder_for_a_static_host_has_the_same_files(tree, casino, tmp_path):
    out, files = (
        tmp_path / "out",
        lambda: {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()},
    )
    done = casino("play", "--page", out)
    assert done.code == 0 and f"{len(SERVED) + len(TOP)} files" in done.out and "engine" in done.out
    first = files()
    assert first == set(page_files.Page().addresses)
    (tree / "play/web/page/main.js").write_text("changed()")
    write_page(out)
    second = set(page_files.Page().addresses)
    assert files() == first | second  # a page that is open on the last version may still need a file
    (tree / "play/web/page/main.js").write_text("again()")
    write_page(out)
    assert files() == second | set(page_files.Page().addresses)
    done = casino("play", "--page", tree)
    assert done.code == 1 and "choose a new folder" in done.err


def test_a_stun_server_is_named_on_the_page(tree, casino, tmp_path):
    out, address = tmp_path / "out", "stun:stun.example.org:3478"
    assert casino("play", "--page", out, "--stun", address).code == 0
    assert f'<meta name="stun" content="{address}">' in (out / "index.html").read_text()
    for bad in ('"><script>', "example.org", "stun:"):
        done = casino("play", "--page", tmp_path / "other", "--stun", bad)
        assert done.code == 1 and "write stun:HOST:PORT" in done.err
    assert casino("play", "--web", "--stun", address).code == 2


def test_flags_that_the_page_asks_for(casino, tree, port):
    for words in (["--web", "--variant", "swazi"], ["--page", "out", "--seed", "3"], ["--web", "--match"]):
        done = casino("play", *words)
        flag = words[-1] if words[-1] == "--match" else words[-2]
        assert done.code == 2 and f"{flag}: choose it on the page" in done.err
    done = casino("play", "--web", "--no-open", "--port", str(port))
    assert done.code == 1 and f"port {port}: Address already in use; choose another with --port" in done.err
    assert casino("play", "--web", "--port", "99999").code == 1


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_it_ends_when_it_is_told_to():
    try:
        page_files.page_files()
    except ValueError as error:
        pytest.skip(str(error))
    for told in (signal.SIGINT, signal.SIGTERM):
        command = [sys.executable, "-m", "casino_env", "play", "--web", "--no-open", "--port", "0"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            assert process.stdout and process.stdout.readline().startswith("http://127.0.0.1:")
            process.send_signal(told)
            assert process.communicate(timeout=10) == ("", "") and process.returncode == 0
