"""Answers as they go out: JSON of our own, what a worker has written, and every error as one line."""

from __future__ import annotations

import json
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from casino_env.play.web.crew import Answer
from casino_env.play.web.refusals import RefusedError, refusal_of

_JSON = "application/json"


def as_json(data: Any, status: int = 200) -> Response:
    return Response(json.dumps(data, allow_nan=False), status, media_type=_JSON)


def handed_on(answer: Answer, status: int = 200, kind: str = _JSON) -> Response:
    return Response(answer.body, status, media_type=kind)


async def _refused(_request: Request, error: Exception) -> Response:
    return refusal(refusal_of(error))


async def _http(_request: Request, error: Any) -> Response:
    """Of the library that finds the way: no such page, no such method."""
    return refusal(RefusedError(error.status_code, "http", error.detail))


def refusal(error: RefusedError) -> Response:
    answer = as_json({"error": error.code, "message": str(error)}, error.status)
    if error.status == 503:
        answer.headers["retry-after"] = "1"
    return answer


HANDLERS: Any = {
    HTTPException: _http,
    # By their kinds, since what is left for Exception is raised again once it has been answered.
    **dict.fromkeys((RefusedError, KeyError, RuntimeError, ValueError, OSError, MemoryError), _refused),
    Exception: _refused,
}
