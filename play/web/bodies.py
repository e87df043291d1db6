"""What goes in and out: JSON bodies of known keys, numbers in the address, answers, and every error as one line."""

from __future__ import annotations

import json
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from casino_env.play.shapes import Data, Kinds, ShapeError, shaped, texts
from casino_env.play.web.crew import Answer
from casino_env.play.web.refusals import RefusedError, refusal_of

# --- requests --------------------------------------------------------------------------------------------------------

_MAYBE = type(None)
MOVE: Kinds = {"version": (int,), "actions": (list,), "since": (int,)}
CHANGE: Kinds = {"version": (int,), "since": (int,)}
REVIEW: Kinds = {"record": (str,), "step": (int,), "specs": (list,)}
REPLAY: Kinds = {"record": (str,), "step": (int,), "seat": (int, _MAYBE), "agent": (str, _MAYBE), "specs": (list,)}


def _constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


async def body_of(request: Request, kinds: Kinds) -> Data:
    """The object in the body, with these keys at most."""
    try:
        data = json.loads(await request.body(), parse_constant=_constant)
    except (ValueError, RecursionError) as error:
        raise RefusedError(400, "malformed", f"the body is not JSON: {error}") from None
    try:
        return shaped(data, kinds, "the body")
    except ShapeError as error:
        raise RefusedError(400, "malformed", str(error)) from None


def texts_of(data: Data, key: str, most: int) -> list[str]:
    try:
        return texts(data, key, most)
    except ShapeError as error:
        raise RefusedError(400, "malformed", str(error)) from None


def number_of(request: Request, key: str, default: int) -> int:
    text = request.query_params.get(key, str(default))
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise RefusedError(400, "malformed", f"{key} = {text[:20]!r}; it must be a whole number")
    return int(text)


# --- answers ---------------------------------------------------------------------------------------------------------

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
