"""The rollout buffer: what the learner saw, did and earned, a row for each of its decisions."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from casino_env.engine.action_set import PARTS
from casino_env.train.games.restoring import Bounds, prove_arrays, prove_decisions, prove_lists, put

Array = np.ndarray[Any, Any]


class RolloutBuffer(NamedTuple):
    """Those of game i are the rows i * horizon and on."""

    indices: Array  # [row, k]: features that are on
    counts: Array  # how many they are
    legal: Array  # [row, 4]: actions (choices.py)
    chosen: Array  # which of the legal actions
    log_prob: Array  # of it, as it was played
    values: Array  # [row, side], in units of the reward's scale
    seat: Array  # that decides
    side: Array  # its side
    open: Array  # the place of every card is known to it
    rewards: Array  # [row, side], until its next row
    done: Array  # the game ended before its next row
    last_values: Array  # [game, side]: of the position after its last row


def new_buffer(games: int, horizon: int, features: int, sides: int) -> RolloutBuffer:
    """features: the most that are on at once."""
    rows = games * horizon
    return RolloutBuffer(
        indices=np.zeros((rows, features), np.int16),
        counts=np.zeros(rows, np.int64),
        legal=np.zeros((rows, PARTS), np.int64),
        chosen=np.zeros(rows, np.int64),
        log_prob=np.zeros(rows, np.float32),
        values=np.zeros((rows, sides), np.float32),
        seat=np.zeros(rows, np.int64),
        side=np.zeros(rows, np.int64),
        open=np.zeros(rows, np.bool_),
        rewards=np.zeros((rows, sides), np.float32),
        done=np.zeros(rows, np.bool_),
        last_values=np.zeros((games, sides), np.float32),
    )


def packed(buffer: Mapping[str, Array]) -> dict[str, Array]:
    """For a checkpoint: lists of features only as long as the longest of them, and zero beyond their ends."""
    length = np.arange(buffer["counts"].max(initial=0))
    within = length < buffer["counts"][:, None]
    return {**buffer, "indices": np.where(within, buffer["indices"][:, : len(length)], np.int16(0))}


def unpack(arrays: Mapping[str, Array], buffer: Mapping[str, Array], features: int, bounds: Bounds) -> None:
    """Of what packed has made; features: of the observation. Raises ValueError for what no games can have left."""
    lists = arrays.get("indices")
    if lists is None or lists.ndim != 2 or lists.shape[1] > buffer["indices"].shape[1]:
        raise ValueError("indices: no lists of features")
    mine = {**buffer, "indices": buffer["indices"][:, : lists.shape[1]]}
    prove_arrays(mine, arrays, bounds)
    prove_lists(arrays, features)
    if "legal" in mine:
        prove_decisions(arrays)
    put(mine, arrays)
