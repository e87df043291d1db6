"""The game that a command line names: a preset and switches, a file of rules, or the game that a policy has learnt.

Also writes rules back as options or settings.
"""

from __future__ import annotations

import argparse
import json
import shlex
import tomllib
from pathlib import Path
from typing import Any

from casino_env.agents.files import read_text
from casino_env.agents.policy.policy_files import find_policy, learnt, read_description
from casino_env.cli import switch
from casino_env.rules import Rules, player_counts, rules_of
from casino_env.validate import known_keys, of_kind


def add_rules(parser: argparse.ArgumentParser, players: str = "2") -> None:
    parser.add_argument("--variant", help="name of a preset (south-african)")
    parser.add_argument("--players", type=int, help=f"number of seats ({players})")
    parser.add_argument(
        "--set", action="append", default=[], metavar="SWITCH=VALUE", help="change a switch of the rules; repeatable"
    )
    add_rules_file(parser)


def add_rules_file(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--rules", metavar="FILE", help="a TOML file with variant, players and rules, or with a table [game]"
    )
    parser.add_argument("--like", metavar="POLICY", help="the game that a policy was trained in: policy:runs/NAME")


def names_game(args: argparse.Namespace) -> bool:
    """Whether the command line says anything about the game."""
    return args.variant is not None or args.players is not None or bool(args.set or args.rules or args.like)


def chosen_rules(args: argparse.Namespace, variant: str = "south-african", players: int | None = 2) -> Rules:
    """The rules that the command line names; variant and players are defaults. players: None: the preset's fewest."""
    changes = dict(map(switch, args.set))
    if found := rules_of_file(args):
        for name in ("variant", "players"):
            if getattr(args, name) is not None:
                raise ValueError(f"--{name}: {'--rules' if args.rules else '--like'} gives it")
        return rules_of(found.name, found.players, found.differences() | changes) if changes else found
    named = variant if args.variant is None else args.variant
    if args.players is not None or players is None:
        players = player_counts(named)[0] if args.players is None else args.players
    return rules_of(named, players, changes)


def rules_of_file(args: argparse.Namespace) -> Rules | None:
    """The rules of --rules or --like; None without either."""
    if args.rules and args.like:
        raise ValueError("give --rules or --like, not both")
    if args.like:
        return learnt(read_description(find_policy(args.like.removeprefix("policy:"))))[0]
    return _read_rules(args.rules) if args.rules else None


def _read_rules(path: str) -> Rules:
    try:
        data: Any = tomllib.loads(read_text(Path(path)))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ValueError(f"{path}: not TOML: {error}") from None
    if "game" in data:  # settings of a training run
        data = {key: value for key, value in of_kind(data["game"], f"{path}: game", dict).items() if key in _KEYS}
    known_keys(data, _KEYS, path)
    try:
        return rules_of(data.get("variant", "south-african"), data.get("players", 2), data.get("rules", {}))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


_KEYS = ("variant", "players", "rules")


# --- writing rules as text -------------------------------------------------------------------------------------------


def words_of(rules: Rules) -> str:
    """The rules as options of `match`, `play` and others."""
    words = ["--variant", rules.name, "--players", str(rules.players)]
    for name, value in rules.differences().items():
        words += ["--set", f"{name}={value if isinstance(value, str) else json.dumps(value)}"]
    return shlex.join(words)


def settings_of(rules: Rules) -> list[str]:
    """The rules as settings of a training run."""
    changes = ", ".join(f"{name} = {json.dumps(value)}" for name, value in rules.differences().items())
    return [f"game.variant={json.dumps(rules.name)}", f"game.players={rules.players}", f"game.rules={{{changes}}}"]
