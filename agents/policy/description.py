"""What the JSON file beside the weights of a policy has to say, as a pydantic model."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from casino_env.agents.policy.lookahead import MOST_CARDS, MOST_TEMPERATURE, MOST_TURNS
from casino_env.engine.afterstates import MOST
from casino_env.validate import read_model

MOST_LAYERS, MOST_WIDTH = 16, 4096  # more of them are no network of ours

_Width = Annotated[int, Field(ge=1, le=MOST_WIDTH)]
_Sides = Annotated[int, Field(ge=1, le=6)]


class _Features(BaseModel):
    """What Layout.features says of the layout that the weights were trained with."""

    model_config = ConfigDict(extra="forbid", strict=True)
    size: int
    digest: str
    rule_rows: int


class _Play(BaseModel):
    """As PlaySettings; what is missing is as there."""

    model_config = ConfigDict(extra="forbid", strict=True)
    temperature: Annotated[float, Field(ge=0, le=MOST_TEMPERATURE)] = 0.0
    turns: Annotated[int, Field(ge=1, le=MOST_TURNS)] = 1
    width: Annotated[int, Field(ge=1, le=MOST)] = 1
    exact: Annotated[int, Field(ge=0, le=MOST_CARDS)] = 0


class Description(BaseModel):
    """What is made of a description; other keys may stand beside these."""

    model_config = ConfigDict(extra="allow", strict=True)
    network: Literal["actions", "afterstates"]  # what it judges
    hidden: Annotated[list[_Width], Field(min_length=1, max_length=MOST_LAYERS)]
    values: _Sides = 1  # of its outputs; without it as many as the game needs
    variant: str
    players: Annotated[int, Field(ge=2, le=6)]
    rules: dict[str, Any]  # what differs from the preset
    features: _Features
    layout: Literal["own", "universal"] = "own"
    match: bool = False
    value_scale: Annotated[float, Field(ge=1e-6, le=1e6)] = 1.0  # points that one unit of its value stands for
    file: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}\.safetensors$")] = ""  # weights beside it
    play: _Play = _Play()
    weights: list[str] = []  # checksums that the weights may have
    config: dict[str, Any] = {}  # of the training
    strength: list[Any] = []  # `casino evaluate strength`
    profile: dict[str, Any] = {}  # `casino evaluate profile`


def check_description(data: dict[str, Any], name: str) -> None:
    """Raises ValueError in one line."""
    read_model(Description, data, name)
