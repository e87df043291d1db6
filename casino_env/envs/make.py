"""Make environments: make_vec() for batches, and the ids for Gymnasium and PettingZoo.

Heavy modules are imported only when an environment is made.
"""

from __future__ import annotations

import re
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from gymnasium.envs.registration import register, registry

from casino_env.extras import require
from casino_env.presets import PRESETS
from casino_env.rules import Rules, make_rules, player_counts
from casino_env.validate import short_repr, truth

if TYPE_CHECKING:
    from casino_env.envs.vector import VectorGames

VERSION = 0


def env_id(variant: str) -> str:
    """south-african -> CasinoEnv/SouthAfrican-v0"""
    return f"CasinoEnv/{''.join(word.capitalize() for word in variant.split('-'))}-v{VERSION}"


def register_all() -> None:
    """Register every preset with Gymnasium and, from its version 1.27 on, PettingZoo. Repeated calls are no-ops."""
    name = "pettingzoo.env_registry"
    aec: Any = import_module(f"{name}.registration") if find_spec(name) else None
    for variant in PRESETS:
        game, defaults = env_id(variant), {"variant": variant, "players": player_counts(variant)[0]}
        if game not in registry:
            register(
                game,
                entry_point="casino_env.envs.gymnasium:SingleEnv",
                vector_entry_point="casino_env.envs.gymnasium:SingleVectorEnv",
                kwargs=defaults,
            )
        if aec and game not in aec._get_registry("aec"):
            aec.register("aec", game, entry_point="casino_env.envs.pettingzoo:env", kwargs=defaults)


# --- many games at once ---


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
    """Many games at once, as arrays: reset(seed) -> obs, mask, seat; step(actions) -> obs, mask, seat, reward, done.

    >>> import casino_env
    >>> vec = casino_env.make_vec("swazi", players=2, num_envs=64, seed=1)
    >>> obs, mask, seat = vec.reset(1)
    >>> obs, mask, seat, reward, done = vec.step(vec.sample())
    >>> mask.shape, reward.shape, done.shape
    ((64, 192), (64, 2), (64,))

    Games auto-reset: the next one begins in the step in which one ends. seed: deals the games at once; without it call
    reset(). copy=False returns the batch's own arrays, which the next step overwrites. obs="indices" lists the features
    that are on, obs="bits" packs them (layout.unpack). device="cuda" plays on a GPU and returns torch tensors.
    keywords: options (match, reward, history, ...) and fields of Rules.
    """
    from casino_env.envs.options import split_options
    from casino_env.envs.vector import VectorGames

    options, changes = split_options(keywords, make_vec)
    rules, copy = make_rules(variant, players, **changes), truth(copy, "copy")
    if device != "cpu":
        if threads != 1:
            raise ValueError(f"device = {device} runs a thread for each game; leave threads out")
        vec = _games_on(device)(rules, num_envs, options, device=device, obs=obs, copy=copy)
    else:
        vec = VectorGames(rules, num_envs, options, threads=threads, obs=obs, copy=copy)
    if seed is not None:
        vec.reset(seed)
    return vec


def _games_on(device: str) -> Any:
    """The class of games on this device: the methods of VectorGames, with tensors."""
    if not isinstance(device, str) or not re.fullmatch(r"cuda(:\d+)?", device):
        raise ValueError(f"device = {short_repr(device)}; it must be cpu, cuda or cuda:NUMBER")
    require("torch")
    from casino_env.envs.gpu import GpuGames

    return GpuGames
