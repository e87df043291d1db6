"""make_vec(): many games at once, as arrays of numpy or as tensors on a GPU."""

from __future__ import annotations

import re
from typing import Any

from casino_env.envs.options import rules_of, split_options
from casino_env.envs.vector import VectorGames
from casino_env.extras import require
from casino_env.rules import Rules
from casino_env.validate import short_repr

_KEYWORDS = ("variant", "players", "num_envs", "seed", "threads", "obs", "copy", "device")


def make_vec(
    variant: str | Rules = "south-african",
    players: int = 2,
    num_envs: int = 1024,
    seed: int | None = None,
    threads: int = 1,
    obs: str = "dense",
    copy: bool = True,
    device: str = "cpu",
    **keywords: Any,
) -> VectorGames:
    """A batch of games: reset(seed) -> obs, mask, seat; step(actions) -> obs, mask, seat, reward, done.

    keywords: any option (Options) or rule field. copy=False hands out the batch's own arrays, which the next step
    overwrites. With a seed the games are dealt already and reset() may be left out. device="cuda": tensors of torch
    on a GPU, where the games are played (gpu.py).
    """
    options, changes = split_options(keywords, "make_vec", _KEYWORDS)
    rules = rules_of(variant, players, changes)
    if device != "cpu":
        if threads != 1 or obs != "dense":
            raise ValueError(f"device = {device} has a thread for each game and dense observations: no threads, no obs")
        vec = _games_on(device)(rules, num_envs, options, device=device, copy=copy)
    else:
        vec = VectorGames(rules, num_envs, options, threads=threads, obs=obs, copy=copy)
    if seed is not None:
        vec.reset(seed)
    return vec


def _games_on(device: str) -> Any:
    """The class for it: the same methods as VectorGames has, of tensors."""
    if not re.fullmatch(r"cuda(:\d+)?", device):
        raise ValueError(f"device = {short_repr(device)}; it must be cpu, cuda or cuda:NUMBER")
    require("torch")
    from casino_env.envs.gpu import GpuGames

    return GpuGames
