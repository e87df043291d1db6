"""The observation space and the penalty that PettingZoo's and Gymnasium's faces share."""

from typing import Any

import gymnasium
import numpy as np

from casino_env.actions import ACTIONS

_DTYPES = ("int8", "float32")

# What an illegal action costs where it ends the episode, by kind of reward: about the worst that a deal can bring.
ILLEGAL_REWARD = {"diff": -11.0, "points": -11.0, "win": -1.0}


def observation_space(size: int, players: int, history: int, dtype: str) -> gymnasium.spaces.Dict:
    """The vector, the mask and, if wanted, the last public events."""
    if dtype not in _DTYPES:
        raise ValueError(f"dtype = {dtype!r}; it must be one of {', '.join(_DTYPES)}")
    spaces: dict[str, Any] = {
        "observation": gymnasium.spaces.Box(0, 1, (size,), np.dtype(dtype).type),
        "action_mask": gymnasium.spaces.Box(0, 1, (ACTIONS,), np.int8),
    }
    if history:
        spaces["history"] = gymnasium.spaces.Box(0, players * ACTIONS, (history,), np.int16)
    return gymnasium.spaces.Dict(spaces)
