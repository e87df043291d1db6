"""What the flags of `casino play` may be, looked at before anything begins."""

from __future__ import annotations

import argparse
import math
import secrets

from casino_env.game import MAX_SEED
from casino_env.play.names import PERSON
from casino_env.play.table import Setup
from casino_env.presets import PRESETS
from casino_env.rules import make_rules, player_counts


class MisuseError(ValueError):
    """A call that cannot be meant: one line says what would be right."""


def check(args: argparse.Namespace) -> None:
    """Raises MisuseError for what is wrong whatever else happens."""
    for flag, least in (("pace", 0.0), ("drop_after", 0.001), ("patience", 0.1)):
        value = getattr(args, flag)
        if not (math.isfinite(value) and value >= least):
            name = flag.replace("_", "-")
            raise MisuseError(f"--{name} {value:g}: must be a number of {least:g} or more")
    if not 1 <= args.port <= 65535:
        raise MisuseError(f"--port {args.port}: must be 1 to 65535")
    most = max(max(player_counts(name)) for name in PRESETS)
    if args.variant is None and not 0 <= args.seat < most:
        raise MisuseError(f"--seat {args.seat}: seats are 0 to {most - 1}")
    if args.variant is None and not args.web:
        for flag in ("players", "seed", "match"):
            given = getattr(args, flag)
            if given is not None and given is not False:
                raise MisuseError(f"--{flag}: needs --variant; without it a menu asks")
    setup_of(args)


def setup_of(args: argparse.Namespace) -> Setup | None:
    """The game that the flags ask for; None if a menu has to ask."""
    if args.variant is None:
        return None
    try:
        known = args.variant in PRESETS
        least = player_counts(args.variant)[0] if known else 2
        players = least if args.players is None else args.players
        make_rules(args.variant, players)
        seed = secrets.randbelow(MAX_SEED) if args.seed is None else args.seed
        return Setup(args.variant, players, _seats(args, players), seed, match=args.match)
    except ValueError as error:
        raise MisuseError(str(error)) from None


def _seats(args: argparse.Namespace, players: int) -> tuple[str, ...]:
    specs = args.opponents or ["counter"]
    if len(specs) == 1:
        specs = specs * (players - 1)
    if len(specs) != players - 1:
        raise MisuseError(f"--opponents: {len(specs)} given, but there are {players - 1} other seats")
    if not 0 <= args.seat < players:
        raise MisuseError(f"--seat {args.seat}: seats are 0 to {players - 1}")
    return (*specs[: args.seat], PERSON, *specs[args.seat :])
