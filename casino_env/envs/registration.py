"""The names under which Gymnasium and PettingZoo find the games. Nothing heavy is loaded for it."""

import importlib.util

from gymnasium.envs.registration import register, registry

from casino_env.presets import PRESETS
from casino_env.rules import player_counts

VERSION = 0


def env_id(variant: str) -> str:
    """south-african -> CasinoEnv/SouthAfrican-v0"""
    return f"CasinoEnv/{''.join(word.capitalize() for word in variant.split('-'))}-v{VERSION}"


def register_all() -> None:
    for variant in PRESETS:
        defaults = {"variant": variant, "players": player_counts(variant)[0]}
        if env_id(variant) not in registry:
            register(
                env_id(variant),
                entry_point="casino_env.envs.gymnasium:SingleEnv",
                vector_entry_point="casino_env.envs.gymnasium:SingleVectorEnv",
                kwargs=defaults,
            )
        _register_with_pettingzoo(variant, defaults)


def _register_with_pettingzoo(variant: str, defaults: dict[str, object]) -> None:
    """Its registry came with version 1.27."""
    if importlib.util.find_spec("pettingzoo.env_registry") is None:
        return
    from pettingzoo.env_registry import registration

    if env_id(variant) not in registration._get_registry("aec"):
        registration.register("aec", env_id(variant), entry_point="casino_env.envs.pettingzoo:env", kwargs=defaults)
