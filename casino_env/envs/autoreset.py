"""When a finished game of a batch is dealt anew, and which games a reset() means."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from casino_env.validate import told

Array = np.ndarray[Any, Any]

_BY_NAME = {mode.name.lower(): mode for mode in AutoresetMode} | {mode.value: mode for mode in AutoresetMode}


def autoreset_of(mode: Any) -> AutoresetMode:
    """The mode of a name, such as next_step or NextStep."""
    if isinstance(mode, AutoresetMode):
        return mode
    if not isinstance(mode, str) or mode not in _BY_NAME:
        names = ", ".join(mode.name.lower() for mode in AutoresetMode)
        raise ValueError(f"autoreset_mode = {told(mode)}; it must be one of {names}")
    return _BY_NAME[mode]


def mask_of_reset(options: dict[str, Any] | None, games: int) -> Array:
    """The games to be begun again: those of options["reset_mask"], or all."""
    if not options or "reset_mask" not in options:
        return np.ones(games, np.bool_)
    mask = np.asarray(options["reset_mask"])
    if mask.shape != (games,) or mask.dtype != np.bool_ or not mask.any():
        raise ValueError(f"reset_mask must be {games} truth values, one of them true; it is {told(str(mask)[:60])}")
    return mask.copy()
