"""The door of the web server: who may ask, how much at once and how slowly. Pure ASGI, in front of everything."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import socket
import sys
from typing import Any
from urllib.parse import urlsplit

from casino_env.play.web.refusals import refusal_of

MAX_BODY = 256 * 1024  # bytes
MAX_OPEN = 600  # requests at one time
BODY_SECONDS = 10.0  # for a body to come in, and for each part of an answer to be taken

Refusal = tuple[int, str, str]  # status, code, message

_SHOWN = 60  # characters of what is wrong
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
        self._open = 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        sender = _Sender(send)
        self._open += 1
        try:
            await self._admit(scope, receive, sender)
        except TimeoutError:  # whoever asked takes no answer
            pass
        except Exception as error:  # noqa: BLE001  the server goes on, whatever it is
            refusal = refusal_of(error)
            sys.stderr.write(f"play: {refusal}\n")
            if not sender.begun:
                await _refuse(sender, refusal.status, refusal.code, str(refusal))
        finally:
            self._open -= 1

    async def _admit(self, scope: Any, receive: Any, send: _Sender) -> None:
        headers = {key.decode("latin-1"): value.decode("latin-1") for key, value in scope["headers"]}
        refusal = self._refusal(scope["method"], headers)
        body = b""
        if refusal is None:
            body, refusal = await _read(receive)
        if refusal is not None:
            await _refuse(send, *refusal)
            return
        await self._app(scope, _once(body, receive), send)

    def _refusal(self, method: str, headers: dict[str, str]) -> Refusal | None:
        host = headers.get("host", "")
        if self._open > MAX_OPEN:
            return 503, "busy", f"{MAX_OPEN} requests are being answered already; ask again in a moment"
        name, origin = _netloc(f"//{host}"), headers.get("origin")
        if name is None:
            return 400, "malformed", f"{host[:_SHOWN]!r} is not the name of a host"
        if not self._known(name):
            return 403, "host", f"this server does not go by the name {host[:_SHOWN]!r}"
        if origin is not None and _netloc(origin) is None:
            return 400, "malformed", f"{origin[:_SHOWN]!r} is not an origin"
        if origin is not None and urlsplit(origin).netloc != host:
            return 403, "origin", f"pages of {origin[:_SHOWN]!r} may not use this server"
        if headers.get("sec-fetch-site") == "cross-site" and headers.get("sec-fetch-mode") != "navigate":
            return 403, "origin", "pages of other sites may not use this server"
        return _wrong_body(method, headers)

    def _known(self, name: str) -> bool:
        """A name may be made to point anywhere by whoever owns it; addresses, and names of our own, may not."""
        if name in self._hosts:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True


def _netloc(address: str) -> str | None:
    """The host in an address, in small letters; None if it cannot be read."""
    try:
        return (urlsplit(address).hostname or "").lower()
    except ValueError:
        return None


def _wrong_body(method: str, headers: dict[str, str]) -> Refusal | None:
    if method not in ("GET", "HEAD"):
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            return 415, "malformed", f"content-type is {kind[:_SHOWN]!r}; it must be 'application/json'"
    length = headers.get("content-length", "0")
    if length.isascii() and length.isdigit() and (len(length) > 12 or int(length) > MAX_BODY):
        return _too_large()
    return None


def _too_large() -> Refusal:
    return 413, "too large", f"a request has at most {MAX_BODY} bytes"


async def _read(receive: Any) -> tuple[bytes, Refusal | None]:
    """The whole body, however it was announced."""
    try:
        async with asyncio.timeout(BODY_SECONDS):
            return await _read_all(receive)
    except TimeoutError:
        return b"", (408, "slow", f"the request was not complete after {BODY_SECONDS:g} seconds")


async def _read_all(receive: Any) -> tuple[bytes, Refusal | None]:
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > MAX_BODY:
            return b"", _too_large()
        if message["type"] != "http.request" or not message.get("more_body", False):
            return bytes(body), None


class _Sender:
    """Sends with our headers, to somebody who takes what is sent."""

    def __init__(self, send: Any) -> None:
        self._send, self.begun = send, False

    async def __call__(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.begun = True
            message["headers"] = [*message["headers"], *_HEADERS]
        async with asyncio.timeout(BODY_SECONDS):
            await self._send(message)


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
    if status in (408, 413):
        head.append((b"connection", b"close"))  # the rest of the body is not read
    await send({"type": "http.response.start", "status": status, "headers": head})
    await send({"type": "http.response.body", "body": body})
