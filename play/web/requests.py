"""What a request may hold: JSON bodies of known keys, and numbers in the address."""

from __future__ import annotations

import json
from typing import Any

from starlette.requests import Request

from play.web.refusals import RefusedError

Data = dict[str, Any]
Kinds = dict[str, Any]  # key -> the type of its value, or several

_MAYBE = type(None)
SETUP: Kinds = {
    "variant": str,
    "players": int,
    "seats": list,
    "rules": dict,
    "match": bool,
    "seed": (int, _MAYBE),
    "position": (dict, _MAYBE),
}
REPLAY: Kinds = {"record": str, "step": int, "seat": (int, _MAYBE), "agent": (str, _MAYBE)}


def _constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


async def body_of(request: Request, keys: Kinds) -> Data:
    """The object in the body, with these keys at most."""
    try:
        data = json.loads(await request.body(), parse_constant=_constant)
    except (ValueError, RecursionError) as error:
        raise RefusedError(400, "malformed", f"the body is not JSON: {error}") from None
    if not isinstance(data, dict):
        raise RefusedError(400, "malformed", "the body must be a JSON object")
    for key, value in data.items():
        if key not in keys:
            raise RefusedError(400, "malformed", f"unknown key {key!r}; there are {', '.join(keys)}")
        kinds = keys[key] if isinstance(keys[key], tuple) else (keys[key],)
        if type(value) not in kinds:
            raise RefusedError(400, "malformed", f"{key} = {json.dumps(value)[:60]}: not of the right kind")
    return data


def texts_of(data: Data, key: str, most: int) -> list[str]:
    value = data.get(key, [])
    if len(value) > most or not all(isinstance(item, str) for item in value):
        raise RefusedError(400, "malformed", f"{key} must be a list of at most {most} texts")
    return list(value)


def number_of(request: Request, key: str, default: int) -> int:
    text = request.query_params.get(key, str(default))
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise RefusedError(400, "malformed", f"{key} = {text[:20]!r}; it must be a whole number")
    return int(text)
