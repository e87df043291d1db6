"""What an environment may be told beside the rules, and both out of one set of keywords."""

from dataclasses import dataclass
from typing import Any

from casino_env.envs.rewards import REWARDS
from casino_env.knowledge.view import MEMORIES
from casino_env.rules import Rules, closest, make_rules

LAYOUTS = ("own", "universal")


@dataclass(frozen=True)
class Options:
    """What an environment may be told beside the rules."""

    reward: str = "diff"  # points less the mean of the others, points, or win
    match: bool = False  # an episode is a match to the target instead of one deal
    layout: str = "own"  # of the observation: for these rules, or universal for all
    memory: str = "perfect"  # of face-down piles: perfect or none
    history: int = 0  # so many public events go with an observation
    shaping: float = 0.0  # reward for each point secured ahead of the others, taken back at the end
    skip_forced: bool = True  # actions without alternative are played by the environment

    def __post_init__(self) -> None:
        for name, choices in (("reward", REWARDS), ("layout", LAYOUTS), ("memory", MEMORIES)):
            value = getattr(self, name)
            if value not in choices:
                raise ValueError(f"{name} = {value!r}; it must be one of {', '.join(choices)}")
        if type(self.history) is not int or not 0 <= self.history <= 1000:
            raise ValueError(f"history = {self.history!r}; it must be a whole number from 0 to 1000")
        for name in ("match", "skip_forced"):
            if type(getattr(self, name)) is not bool:
                raise ValueError(f"{name} = {getattr(self, name)!r}; it must be true or false")


def split_options(keywords: dict[str, Any]) -> tuple[Options, dict[str, Any]]:
    """Options and rule fields out of one set of keywords."""
    known = Options.__dataclass_fields__
    mine = {key: value for key, value in keywords.items() if key in known}
    changes = {key: value for key, value in keywords.items() if key not in known}
    for key in changes:
        if key not in Rules.__dataclass_fields__:
            names = [*known, *Rules.__dataclass_fields__]
            raise ValueError(f"unknown keyword {key!r}{closest(key, names)}: neither a rule nor an option")
    return Options(**mine), changes


def rules_of(variant: str | Rules, players: int, changes: dict[str, Any]) -> Rules:
    if not isinstance(variant, Rules):
        return make_rules(variant, players, **changes)
    if changes:
        raise ValueError("give a Rules record or changes to a preset, not both")
    return variant
