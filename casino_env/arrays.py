"""The types of arrays in signatures: what they hold is said where they are made."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Record = np.ndarray[Any, Any]  # one of engine.state.GAME: a game, or a view of one
