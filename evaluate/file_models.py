"""Files from outside as pydantic models: what does not fit its model is refused whole, in one line that says where."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from casino_env.validate import closest, short_repr

_FAR = 10**15  # no number of ours is so large
_DEEP = 50  # nor is anything nested so deep
_LONGEST = 60  # characters of a key in a message
# What pydantic says of a type, in the words of JSON.
_WORDS = {
    "string_type": "it must be text",
    "int_type": "it must be a whole number",
    "float_type": "it must be a number",
    "bool_type": "it must be true or false",
    "dict_type": "it must be a table",
    "model_type": "it must be a table",
    "list_type": "it must be a list",
    "tuple_type": "it must be a list",
}

Number = Annotated[float, Field(gt=-_FAR, lt=_FAR)]
Count = Annotated[int, Field(ge=0, lt=_FAR)]
Seed = Annotated[int, Field(ge=0, lt=2**64)]
Share = Annotated[float, Field(ge=0, le=1)]


class Model(BaseModel):
    """Of a file that this program alone writes: a key that it does not know is a mistake."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid", allow_inf_nan=False)


class Open(Model):
    """Of a file that may say more."""

    model_config = ConfigDict(extra="ignore")


class Mean(Open):
    """A mean with its 95 % interval."""

    mean: Number
    low: Number | None = None
    high: Number | None = None


Any_Model = TypeVar("Any_Model", bound=Model)


def read_model(model: type[Any_Model], data: Any, where: str) -> Any_Model:
    """Data of a file as its model; raises ValueError with what is wrong first."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise ValueError(f"{where}: {_first_problem(error, model)}") from None


def is_number(value: Any) -> bool:
    """One that a Number may be."""
    return isinstance(value, int | float) and not isinstance(value, bool) and -_FAR < value < _FAR


def _first_problem(error: ValidationError, model: type[Model]) -> str:
    problem = error.errors(include_url=False)[0]
    *above, last = (_key(part) for part in problem["loc"]) if problem["loc"] else ("",)
    place, value = "".join(f"{key}: " for key in above), problem["input"]
    if problem["type"] == "missing":
        return f"{place}{last} is missing{closest(last, _others(value, model))}"
    if problem["type"] == "extra_forbidden":
        return f"{place}unknown key {short_repr(last)}{closest(last, _keys(model))}"
    said = _WORDS.get(problem["type"]) or " ".join(problem["msg"].removeprefix("Value error, ").split())
    return f"{place}{f'{last}: ' if last else ''}{short_repr(value)}; {said.replace('Input should', 'it must')}"


def _keys(model: type[Model]) -> list[str]:
    return [field.alias or name for name, field in model.model_fields.items()]


def _others(found: Any, model: type[Model]) -> list[str]:
    """The keys that a model does not ask for: one of them may be meant."""
    return [key for key in found if key not in _keys(model)] if isinstance(found, Mapping) else []


def _key(part: str | int) -> str:
    text = " ".join(_plain(str(part)).split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


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
