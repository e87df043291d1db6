"""The server on its port: found free before anything is loaded, with a time for every connection and an end in time."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 10.0  # for the head of the first request to come in
KEEP_SECONDS = 20  # the same for the next one, and for the answer before it to be taken
MAX_CONNECTIONS = 800
_FILES = 4096
_GRACE_SECONDS = 1  # for open requests at the end


def bound_socket(host: str, port: int) -> socket.socket:
    """Listens to nobody yet. Raises OSError in words."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # so named, answers are not held back
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((host, port))
        found.listen(1)  # a port that another listens on can be bound to, but not listened on
    except OSError as error:
        found.close()
        raise OSError(f"{host}:{port}: {error.strerror or error}; name another with --port or --host") from None
    return found


def serve(app: Any, listening: socket.socket) -> None:
    """Until SIGINT or SIGTERM, which are raised again at the end."""
    _allow_files()
    server_of(app).run(sockets=[listening])


def _allow_files() -> None:
    """As many as connections and games in memory need, where the system lets us."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard)
    if soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def server_of(app: Any) -> uvicorn.Server:
    config = uvicorn.Config(
        app,
        http=Patient,
        ws="none",
        log_level="critical",
        server_header=False,
        timeout_keep_alive=KEEP_SECONDS,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    return uvicorn.Server(config)


class Patient(H11Protocol):
    """A connection on which a request has to begin, and its head to end, in time; waiting for answers has no limit."""

    _limit: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        if len(self.connections) > MAX_CONNECTIONS:
            transport.abort()
        else:
            self._wait(HEAD_SECONDS)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._wait(None)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._wait(KEEP_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._stop()

    def _wait(self, seconds: float | None) -> None:
        """For the next request, unless one is being answered; None: as long as was set before."""
        answering = self.cycle is not None and not self.cycle.response_complete
        if answering or seconds is not None:
            self._stop()
        if not answering and seconds is not None:
            self._limit = self.loop.call_later(seconds, self.transport.abort)

    def _stop(self) -> None:
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None
