"""What the server answers to a request that it does not grant: a status, a code and a line that says why."""

from __future__ import annotations

from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from play.store import FullError, UnknownGameError


class RefusedError(Exception):
    """A request that is not granted, with the HTTP status that says so."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code = status, code


_ANSWERS: dict[type[Exception], tuple[int, str]] = {
    ValueError: (400, "refused"),
    UnknownGameError: (404, "unknown"),
    FullError: (503, "full"),
}


async def _expected(_request: Request, error: Exception) -> Response:
    status, code = next(answer for kind, answer in _ANSWERS.items() if isinstance(error, kind))
    return _answer(status, code, error)


async def _refused(_request: Request, error: Any) -> Response:
    return _answer(error.status, error.code, error)


async def _http(_request: Request, error: Any) -> Response:
    return _answer(error.status_code, "http", error.detail)


def _answer(status: int, code: str, message: object) -> Response:
    return JSONResponse({"error": code, "message": str(message)}, status)


HANDLERS: Any = {RefusedError: _refused, HTTPException: _http, **dict.fromkeys(_ANSWERS, _expected)}
