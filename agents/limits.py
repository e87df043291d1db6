"""Numbers that agents may be given: whole or not, finite, between bounds; one line says what would be right."""

from __future__ import annotations

from typing import Any

import numpy as np

from casino_env.agents.registry import shown


def whole(name: str, value: Any, least: int, most: int) -> int:
    """A whole number between both bounds; raises ValueError."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not least <= value <= most:
        raise ValueError(f"{name} = {_shown(value)}; it must be a whole number from {least} to {most}")
    return int(value)


def real(name: str, value: Any, least: float, most: float, *, above: bool = False) -> float:
    """A finite number between both bounds (above: more than the lower one); raises ValueError."""
    number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not number or not least <= value <= most or (above and value == least):
        begin = "more than" if above else "at least"
        raise ValueError(f"{name} = {_shown(value)}; it must be a number, {begin} {least:g} and at most {most:g}")
    return float(value)


def _shown(value: Any) -> str:
    return shown(value.item() if isinstance(value, np.generic) else value)[:80]
