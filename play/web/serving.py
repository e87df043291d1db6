"""A local server of the page's static files, with the standard library alone."""

from __future__ import annotations

import hashlib
import os
import sys
import threading
from collections.abc import Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path, PurePosixPath
from socketserver import TCPServer
from typing import Any
from urllib.parse import unquote, urlsplit

from casino_env.play.web.page_files import NOBODY, Page, packed

HOST = "127.0.0.1"
NAMES = (HOST, "localhost")  # accepted Host headers; another name that resolves to this machine is DNS rebinding
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".gz": "application/gzip",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".policy": "application/octet-stream",
    ".safetensors": "application/octet-stream",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}


# Headers, because a Content-Security-Policy inside the page cannot set frame-ancestors.
_GUARDS = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
}


class Answer:
    def __init__(self, data: bytes, address: str) -> None:
        self.kind, self.tag = TYPES[PurePosixPath(address).suffix], f'W/"{hashlib.sha256(data).hexdigest()[:20]}"'
        self.plain, self.packed = data, packed(data)
        self.keep = "no-cache" if not address.startswith("v/") else "max-age=31536000, immutable"


class Shelf:
    """The files that are served: those of the version at the last visit."""

    def __init__(self, guests: Mapping[Path, Any]) -> None:
        self._guests = guests
        self._page = Page(guests=guests)
        self._kept: dict[str, Answer] = {}

    def find(self, address: str) -> Answer | None:
        """Return the answer for an address of the page, else None: no other file of this machine can be read."""
        try:
            if address == "index.html":
                self._look()
            if address not in self._kept:
                self._kept[address] = Answer(self._page.read(address), address)
        except (KeyError, OSError, ValueError):
            return None
        return self._kept[address]

    def _look(self) -> None:
        """Load the page again if it has changed; called when a visit begins."""
        page = Page(guests=self._guests)
        if page.read("index.html") != self._page.read("index.html"):
            self._page, self._kept = page, {}


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # browsers open several connections at once; five, the default, makes them wait
    allow_reuse_address = os.name == "posix"  # on Windows this would take over a port in use
    shelf: Shelf

    def server_bind(self) -> None:
        TCPServer.server_bind(self)  # HTTPServer also looks up the name of the machine, which may take seconds
        self.server_name, self.server_port = HOST, self.server_address[1]

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):  # a browser that disconnects is no error
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    """Answer GET and HEAD requests from browsers on this machine."""

    server: Server
    protocol_version = "HTTP/1.1"
    timeout = 30.0  # seconds to receive a request

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
            self._say(HTTPStatus.NOT_FOUND, "no such file")
            return
        head = {"ETag": found.tag, "Cache-Control": found.keep, "Vary": "Accept-Encoding", "Content-Type": found.kind}
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


def serve_page(port: int = 0, guests: Mapping[Path, Any] = NOBODY) -> tuple[Server, str]:
    """Start a server that runs until its shutdown(); return it and the address of the page. port 0: any free one.

    guests: see Page. Raises ValueError if the page has not been built, OSError if the port is not available.
    """
    shelf = Shelf(guests)
    try:
        server = Server((HOST, port), Handler)
    except (OSError, OverflowError) as error:
        raise OSError(f"port {port}: {getattr(error, 'strerror', None) or error}; choose another with --port") from None
    server.shelf = shelf
    threading.Thread(target=server.serve_forever, name="page", daemon=True).start()
    return server, f"http://{HOST}:{server.server_port}/"
