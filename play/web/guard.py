"""The door of the web server: who may ask, and how much at once. Pure ASGI, in front of everything."""

from __future__ import annotations

import ipaddress
import json
import socket
from typing import Any
from urllib.parse import urlsplit

MAX_BODY = 256 * 1024  # bytes

_HEADERS = [
    (b"content-security-policy", b"default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
]


class Guard:
    """Refuses other origins, unknown host names, bodies that are no JSON or too large."""

    def __init__(self, app: Any, host: str) -> None:
        self._app = app
        self._hosts = {"localhost", host.lower(), socket.gethostname().lower()}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *_HEADERS]
            await send(message)

        headers = {key.decode("latin-1"): value.decode("latin-1") for key, value in scope["headers"]}
        refusal = self._refusal(scope["method"], headers)
        body = b""
        if refusal is None:
            body, refusal = await _read(receive)
        if refusal is not None:
            await _refuse(send_with_headers, *refusal)
            return
        await self._app(scope, _once(body, receive), send_with_headers)

    def _refusal(self, method: str, headers: dict[str, str]) -> tuple[int, str, str] | None:
        """(status, code, message) or None."""
        host = headers.get("host", "")
        if not self._known(host):
            return 403, "host", f"this server does not go by the name {host!r}"
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != host:
            return 403, "origin", f"pages of {origin!r} may not use this server"
        if headers.get("sec-fetch-site") == "cross-site" and headers.get("sec-fetch-mode") != "navigate":
            return 403, "origin", "pages of other sites may not use this server"
        if method not in ("GET", "HEAD"):
            kind = headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind != "application/json":
                return 415, "malformed", f"content-type is {kind!r}; it must be 'application/json'"
        if headers.get("content-length", "0").isdigit() and int(headers.get("content-length", "0")) > MAX_BODY:
            return _too_large()
        return None

    def _known(self, host: str) -> bool:
        """A name may be made to point anywhere by whoever owns it; addresses, and names of our own, may not."""
        name = (urlsplit(f"//{host}").hostname or "").lower()
        if name in self._hosts:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True


def _too_large() -> tuple[int, str, str]:
    return 413, "too large", f"a request has at most {MAX_BODY} bytes"


async def _read(receive: Any) -> tuple[bytes, tuple[int, str, str] | None]:
    """The whole body, however it was announced."""
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > MAX_BODY:
            return b"", _too_large()
        if message["type"] != "http.request" or not message.get("more_body", False):
            return bytes(body), None


def _once(body: bytes, receive: Any) -> Any:
    """A receive that hands the body out, then waits for the end of the connection."""
    given = False

    async def again() -> Any:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


async def _refuse(send: Any, status: int, code: str, message: str) -> None:
    body = json.dumps({"error": code, "message": message}).encode()
    head = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status == 413:
        head.append((b"connection", b"close"))  # the rest of the body is not read
    await send({"type": "http.response.start", "status": status, "headers": head})
    await send({"type": "http.response.body", "body": body})
