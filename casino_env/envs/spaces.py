"""What PettingZoo's and Gymnasium's faces share: spaces, the penalty, and the mask when nothing is left to decide."""

from typing import Any

import gymnasium
import numpy as np

from casino_env.actions import ACTIONS
from casino_env.validate import short_repr

_DTYPES = ("int8", "float32")

# What an illegal action costs where it ends the episode, by kind of reward: about the worst that a deal can bring.
ILLEGAL_REWARD = {"diff": -11.0, "points": -11.0, "win": -1.0}
MOST_REWARD = 1e6


class ActionSpace(gymnasium.spaces.Discrete):
    """The actions of the catalogue; sample() takes masks of booleans as well, such as action_masks() gives."""

    def __init__(self) -> None:
        super().__init__(ACTIONS)

    def sample(self, mask: Any = None, *more: Any, **named: Any) -> np.int64:
        if isinstance(mask, np.ndarray) and mask.dtype == np.bool_:
            mask = mask.astype(np.int8)
        return super().sample(mask, *more, **named)


def observation_space(size: int, players: int, history: int, dtype: str) -> gymnasium.spaces.Dict:
    """The vector, the mask and, if wanted, the last public events."""
    if not isinstance(dtype, str) or dtype not in _DTYPES:
        raise ValueError(f"dtype = {short_repr(dtype)}; it must be one of {', '.join(_DTYPES)}")
    spaces: dict[str, Any] = {
        "observation": gymnasium.spaces.Box(0, 1, (size,), np.dtype(dtype).type),
        "action_mask": gymnasium.spaces.Box(0, 1, (ACTIONS,), np.int8),
    }
    if history:
        spaces["history"] = gymnasium.spaces.Box(0, players * ACTIONS, (history,), np.int16)
    return gymnasium.spaces.Dict(spaces)
