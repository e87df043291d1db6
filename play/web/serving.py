"""The static folder of the page on this machine, by the standard library alone."""

from __future__ import annotations

import hashlib
import os
import sys
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import PurePosixPath
from socketserver import TCPServer
from typing import Any
from urllib.parse import unquote, urlsplit

from casino_env.play.web.page_files import ENGINE, INDEX, packed, page_bytes, page_files

HOST = "127.0.0.1"
NAMES = (HOST, "localhost")  # by which a browser may call it; a foreign name that leads here is somebody's trick
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".safetensors": "application/octet-stream",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
}


# A Content-Security-Policy in the page cannot say who may frame it.
_GUARDS = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
}


class Answer:
    """A file as it was last read."""

    def __init__(self, data: bytes, kind: str) -> None:
        self.kind, self.tag = kind, f'W/"{hashlib.sha256(data).hexdigest()[:20]}"'
        self.plain, self.packed = data, packed(data)


class Shelf:
    """What is served: read when it is asked for, and again when it has changed."""

    def __init__(self) -> None:
        self._files = page_files()
        self._kept: dict[str, tuple[tuple[int, int], Answer]] = {}

    def find(self, place: str) -> Answer | None:
        """Only what page_files() names is looked for, so nothing else of this machine can be."""
        try:
            if place not in self._files and place != INDEX:
                self._files = page_files()  # it may be new
            stat = self._files[ENGINE[1] if place == INDEX else place].stat()
            written = (stat.st_mtime_ns, stat.st_size)
            if place not in self._kept or self._kept[place][0] != written:
                kind = TYPES[PurePosixPath(place).suffix]
                self._kept[place] = written, Answer(page_bytes(self._files, place), kind)
        except (KeyError, OSError, ValueError):
            return None
        return self._kept[place][1]


class Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = os.name == "posix"  # elsewhere this would take a port from whoever has it
    shelf: Shelf

    def server_bind(self) -> None:
        TCPServer.server_bind(self)  # HTTPServer also asks for the name of the machine, which may take seconds
        self.server_name, self.server_port = HOST, self.server_address[1]

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):  # a browser that has gone away is no error
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    """GET and HEAD, for pages of this machine."""

    server: Server
    protocol_version = "HTTP/1.1"
    timeout = 30.0  # for a request to come in

    def do_GET(self) -> None:
        names = {f"{name}:{self.server.server_port}".removesuffix(":80") for name in NAMES}
        if self.headers.get("host", "").lower() not in names:
            self._say(HTTPStatus.MISDIRECTED_REQUEST, f"the table is at http://{HOST}:{self.server.server_port}/")
            return
        try:
            place = unquote(urlsplit(self.path).path).removeprefix("/") or "index.html"
        except ValueError:
            self._say(HTTPStatus.BAD_REQUEST, "no address")
            return
        found = self.server.shelf.find(place)
        if found is None:
            self._say(HTTPStatus.NOT_FOUND, "there is no such file")
            return
        head = {"ETag": found.tag, "Cache-Control": "no-cache", "Vary": "Accept-Encoding", "Content-Type": found.kind}
        if found.tag in self.headers.get("if-none-match", ""):
            self._answer(HTTPStatus.NOT_MODIFIED, head, None)
        elif "gzip" in self.headers.get("accept-encoding", ""):
            self._answer(HTTPStatus.OK, head | {"Content-Encoding": "gzip"}, found.packed)
        else:
            self._answer(HTTPStatus.OK, head, found.plain)

    do_HEAD = do_GET  # noqa: N815

    def _say(self, status: HTTPStatus, text: str) -> None:
        self._answer(status, {"Content-Type": "text/plain; charset=utf-8"}, f"{text}\n".encode())

    def _answer(self, status: HTTPStatus, head: dict[str, str], body: bytes | None) -> None:
        self.send_response(status)
        for name, value in (head | _GUARDS).items():
            self.send_header(name, value)
        if body is not None:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if body is not None and self.command != "HEAD":
            self.wfile.write(body)

    def version_string(self) -> str:
        return "casino"

    def log_message(self, *_: object) -> None:
        pass


def serve_page(port: int = 0) -> tuple[Server, str]:
    """A server that runs until its shutdown(), and the address of the page; port 0: any that is free.

    Raises ValueError where the page has not been built, OSError where the port cannot be had.
    """
    shelf = Shelf()
    try:
        server = Server((HOST, port), Handler)
    except (OSError, OverflowError) as error:
        raise OSError(f"port {port}: {getattr(error, 'strerror', None) or error}; name another with --port") from None
    server.shelf = shelf
    threading.Thread(target=server.serve_forever, name="page", daemon=True).start()
    return server, f"http://{HOST}:{server.server_port}/"
