"""What an environment may be told beside the rules, and both out of one set of keywords."""

from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Real
from typing import Any

from casino_env.envs.rewards import REWARDS
from casino_env.guarded import told
from casino_env.knowledge.view import MEMORIES
from casino_env.rules import Rules, closest, make_rules

LAYOUTS = ("own", "universal")
_MOST_SHAPING = 1000.0


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
            if not isinstance(value, str) or value not in choices:
                raise ValueError(f"{name} = {told(value)}; it must be one of {', '.join(choices)}")
        if type(self.history) is not int or not 0 <= self.history <= 1000:
            raise ValueError(f"history = {told(self.history)}; it must be a whole number from 0 to 1000")
        check_number("shaping", self.shaping, -_MOST_SHAPING, _MOST_SHAPING)
        for name in ("match", "skip_forced"):
            if type(getattr(self, name)) is not bool:
                raise ValueError(f"{name} = {told(getattr(self, name))}; it must be true or false")


def check_number(name: str, value: Any, least: float, most: float) -> None:
    """A finite number between both bounds, or a ValueError."""
    number = isinstance(value, Real) and not isinstance(value, bool)
    if not number or not least <= value <= most:
        raise ValueError(f"{name} = {told(value)}; it must be a number from {least:g} to {most:g}")


def split_options(
    keywords: dict[str, Any], called: str = "make_vec", others: Iterable[str] = ()
) -> tuple[Options, dict[str, Any]]:
    """Options and rule fields out of one set of keywords. others: keywords that the function called has besides.

    What is neither raises TypeError in Python's own words: libraries that try keywords out look for them.
    """
    known = Options.__dataclass_fields__
    mine = {key: value for key, value in keywords.items() if key in known}
    changes = {key: value for key, value in keywords.items() if key not in known}
    for key in changes:
        if key not in Rules.__dataclass_fields__:
            near = closest(key, [*known, *Rules.__dataclass_fields__, *others])
            raise TypeError(
                f"{called}() got an unexpected keyword argument {told(key)}{near}: neither a rule nor an option"
            )
    return Options(**mine), changes


def rules_of(variant: str | Rules, players: int, changes: dict[str, Any]) -> Rules:
    if not isinstance(variant, Rules):
        return make_rules(variant, players, **changes)
    if changes:
        raise ValueError("give a Rules record or changes to a preset, not both")
    return variant


def check_reset_options(options: Any, known: Iterable[str] = ()) -> None:
    """What reset(options=...) may hold: nothing, but for the known names."""
    if options is None:
        return
    if not isinstance(options, dict):
        raise ValueError(f"options = {told(options)}; it must be a dictionary or None")
    for key in options:
        if key not in known:
            there = f"it has: {', '.join(known)}" if known else "it has none"
            raise ValueError(f"reset() got an unknown option {told(key)}; {there}")
