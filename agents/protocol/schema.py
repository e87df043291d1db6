"""schema.json: the shape of every request and reply, as JSON Schema, for the checker and for clients."""

from __future__ import annotations

import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "schema.json"
_STATES = ("new", "position", "apply")  # their reply is the state of the game


def can_validate() -> bool:
    """The library for it comes with the extra `agents`."""
    return find_spec("jsonschema") is not None


def schema() -> dict[str, Any]:
    return json.loads(FILE.read_text())  # type: ignore[no-any-return]


def wrong_reply(do: str, reply: Any) -> str:
    """What is wrong with the shape of a granted reply, in one line; empty if nothing is."""
    return wrong("state_reply" if do in _STATES else f"{do}_reply", reply)


def wrong(name: str, data: Any) -> str:
    """The same for any of the shapes in $defs."""
    found = min(_validator(name).iter_errors(data), key=lambda error: list(map(str, error.path)), default=None)
    if found is None:
        return ""
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in found.absolute_path)
    return f"{name}{place}: {' '.join(found.message.split())[:160]}"


@cache
def _validator(name: str) -> Any:
    from jsonschema import Draft202012Validator

    return Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": schema()["$defs"]})
