"""Files from outside as pydantic models: what does not fit its model is refused whole, in one line that says where."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from casino_env.validate import LARGEST

_DEEP = 50  # nothing of ours is nested so deep

Number = Annotated[float, Field(ge=-LARGEST, le=LARGEST)]
Count = Annotated[int, Field(ge=0, le=LARGEST)]
Seed = Annotated[int, Field(ge=0, lt=2**64)]
Share = Annotated[float, Field(ge=0, le=1)]


class Model(BaseModel):
    """Of a file that this program alone writes: a key that it does not know is a mistake."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid", allow_inf_nan=False)


class Open(Model):
    """Of a file that may say more."""

    model_config = ConfigDict(extra="ignore")


def is_number(value: Any) -> bool:
    """One that a Number may be."""
    return isinstance(value, int | float) and not isinstance(value, bool) and -LARGEST <= value <= LARGEST


# --- texts -------------------------------------------------------------------------------------------------------


def _plain(text: str) -> str:
    """Without what no page, table or drawing can hold: control characters and halves of characters."""
    return "".join(letter if letter.isprintable() or letter in "\n\t" else "\ufffd" for letter in text)


def readable(value: Any, deep: int = 0) -> Any:
    """The same data with all its texts made plain; raises ValueError for what is nested too deep."""
    if isinstance(value, str):
        return _plain(value)
    if deep > _DEEP:
        raise ValueError("nested too deep")
    if isinstance(value, dict):
        return {_plain(key) if isinstance(key, str) else key: readable(one, deep + 1) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [readable(one, deep + 1) for one in value]
    return value
