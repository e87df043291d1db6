"""Generate TypeScript types from the protocol's schema: write protocol.mts into this folder."""

import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SCHEMA = HERE.parents[1] / "agents/protocol/schema.json"
OUT = HERE / "protocol.mts"
PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def type_of(shape: dict[str, Any]) -> str:
    if "$ref" in shape:
        return name_of(shape["$ref"].rpartition("/")[2])
    if "const" in shape:
        return json.dumps(shape["const"])
    if "anyOf" in shape:
        return " | ".join(map(type_of, shape["anyOf"]))
    kinds = shape.get("type", [])
    if kinds == "array":
        return f"Array<{type_of(shape['items'])}>"
    if kinds == "object":
        return object_of(shape)
    return " | ".join(PLAIN[kind] for kind in ([kinds] if isinstance(kinds, str) else kinds)) or "unknown"


def object_of(shape: dict[str, Any]) -> str:
    if "properties" not in shape:
        values = shape.get("additionalProperties")
        return f"Record<string, {type_of(values) if values else 'unknown'}>"
    needed = shape.get("required", [])
    keys = (f"{key}{'' if key in needed else '?'}: {type_of(each)}" for key, each in shape["properties"].items())
    return "{ " + "; ".join(keys) + " }"


def name_of(key: str) -> str:
    """likely_turn -> LikelyTurn"""
    return "".join(word.capitalize() for word in key.split("_"))


def types() -> str:
    shapes = json.loads(SCHEMA.read_text("utf-8"))["$defs"]
    rows = ["// Made by types_of_schema.py from agents/protocol/schema.json."]
    rows += [f"export type {name_of(key)} = {type_of(shape)};" for key, shape in shapes.items()]
    requests = " | ".join(name_of(key) for key in shapes if key.endswith("_request"))
    return "\n".join([*rows, f"export type Request = {requests};", ""])


if __name__ == "__main__":
    OUT.write_text(types(), "utf-8")
