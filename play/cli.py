"""casino play: sit down against agents, in the terminal or (--web) in the browser."""

from __future__ import annotations

import argparse
import secrets
import time
from pathlib import Path

from casino_env.agents.registry import AgentError
from casino_env.cli import run_command, switch
from casino_env.game import MAX_SEED, Game
from casino_env.record import write_record
from casino_env.rules import Rules, player_counts, rules_of
from casino_env.validate import int_in, parse_json, read_text

LEVELS = ("easy", "medium", "strong", "strongest")
_OF_A_GAME = ("variant", "players", "set", "seed", "match")  # what a position brings with it


class MisuseError(ValueError):
    """A call that cannot be meant: one line says what would be right."""


def main(arguments: list[str] | None = None) -> int:
    args = _parser().parse_args(arguments)
    return run_command("play", lambda: _play(args), misuse=(AgentError, MisuseError))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="casino play", description=__doc__)
    parser.add_argument("--variant", help="name of a preset (south-african); casino variants lists them")
    parser.add_argument("--players", type=int, help="number of seats (the fewest that the preset has)")
    parser.add_argument("--set", action="append", metavar="SWITCH=VALUE", help="change a rule; repeatable")
    parser.add_argument(
        "--opponents",
        nargs="+",
        default=["counter"],
        metavar="SPEC",
        help=f"one agent, or one for each other seat: {', '.join(LEVELS)}, or any of casino agents list (counter)",
    )
    parser.add_argument("--seat", type=int, default=0, help="yours (0)")
    parser.add_argument("--seed", type=int, help="of the deal (a fresh one)")
    parser.add_argument("--match", action="store_true", default=None, help="play a match rather than one deal")
    parser.add_argument("--position", metavar="FILE", help="begin with this Position JSON rather than with a deal")
    parser.add_argument("--hints", metavar="SPEC", help="the agent that gives hints (the best policy of the game)")
    parser.add_argument("--record", type=Path, metavar="FILE", help="where the record goes (a new file in runs/play)")
    return parser


def _play(args: argparse.Namespace) -> int:
    from casino_env.play.opponents import strongest_adviser
    from casino_env.play.terminal import Terminal

    game, seed = _begin(args)
    table = Terminal(game, args.seat, _seated(args, game.rules), args.hints or strongest_adviser(game.rules), seed)
    start = game.clone()
    try:
        table.play()
    except KeyboardInterrupt:
        print()
        return 0
    except EOFError:
        raise ValueError("no more lines came in, but the game is not over") from None
    path = args.record or Path("runs/play") / f"{game.rules.name}-{time.strftime('%Y%m%d-%H%M%S')}.record"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(write_record(start if args.position else seed, table.game))
    print(f"The record is in {path}")
    return 0


def _begin(args: argparse.Namespace) -> tuple[Game, int]:
    """The game, and the seed of all that is drawn."""
    fresh = secrets.randbelow(MAX_SEED)
    if args.position:
        for flag in _OF_A_GAME:
            if getattr(args, flag) is not None:
                raise MisuseError(f"--{flag}: the position says it")
        return Game.from_json(parse_json(read_text(args.position), args.position), skip_forced=False), fresh
    try:
        seed = fresh if args.seed is None else int_in(args.seed, "--seed", 0, MAX_SEED)
        name = args.variant or "south-african"
        players = player_counts(name)[0] if args.players is None else args.players
        rules = rules_of(name, players, dict(map(switch, args.set or [])))
    except ValueError as error:
        raise MisuseError(str(error)) from None
    return Game(rules, seed=seed, match=bool(args.match) or rules.match_games > 0, skip_forced=False), seed


def _seated(args: argparse.Namespace, rules: Rules) -> dict[int, str]:
    """The specs of the others by seat."""
    from casino_env.play.opponents import levels

    if not 0 <= args.seat < rules.players:
        raise MisuseError(f"--seat {args.seat}: seats are 0 to {rules.players - 1}")
    others = [seat for seat in range(rules.players) if seat != args.seat]
    specs = args.opponents * len(others) if len(args.opponents) == 1 else args.opponents
    if len(specs) != len(others):
        raise MisuseError(f"--opponents: {len(specs)} given, but there are {len(others)} other seats")
    named = dict(zip(LEVELS, levels(rules), strict=True))
    return {seat: named.get(spec, spec) for seat, spec in zip(others, specs, strict=True)}
