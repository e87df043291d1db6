"""The type of arrays in signatures: what they hold is said where they are made."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
