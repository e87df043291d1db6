"""What a request may hold: JSON bodies of known keys, and numbers in the address."""

from __future__ import annotations

import json
from typing import Any

from starlette.requests import Request

from casino_env.play.shapes import Data, Kinds, ShapeError, shaped, texts
from casino_env.play.web.refusals import RefusedError

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
