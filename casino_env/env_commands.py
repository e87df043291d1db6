"""casino env: look at the rules, enumerate turns, count, replay, measure."""

import argparse
import json
import math
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

from casino_env.cli import run_command, watched
from casino_env.compiler import library
from casino_env.rules import make_rules, player_counts, variants
from casino_env.validate import decoded, lines_of, parse_json, read_text

# The examples are inside the package in a wheel, beside it in a checkout.
_PACKAGE = Path(__file__).parent
EXAMPLES = (_PACKAGE if (_PACKAGE / "examples").is_dir() else _PACKAGE.parent) / "examples"


def main(arguments: list[str] | None = None) -> int:
    args = _parser().parse_args(arguments)
    return run_command("casino_env", lambda: args.run(args))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="casino env", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    presets = commands.add_parser("variants", help="list the presets with their rules")
    presets.set_defaults(run=_variants)

    turns = commands.add_parser("turns", help="list every legal complete turn of positions")
    turns.add_argument("file", help="file of Position JSON, one a line; - reads standard input")
    turns.set_defaults(run=_turns)

    count = commands.add_parser("perft", help="count the distinct results after some turns")
    _deal_options(count)
    count.add_argument("--turns", type=int, default=3, metavar="D", help="number of turns to look ahead (3)")
    count.add_argument("--most", type=int, default=1_000_000, help="most positions of a turn (1000000)")
    count.set_defaults(run=_perft)

    replay = commands.add_parser("replay", help="replay a game record")
    replay.add_argument("file", help="file of a game record; - reads standard input")
    replay.set_defaults(run=_replay)

    seen = commands.add_parser("observation", help="explain each number of an observation")
    _deal_options(seen, seed=False)
    seen.add_argument("--universal", action="store_true", help="explain the layout that all games share")
    seen.add_argument("--match", action="store_true", help="explain the observation of matches instead of single deals")
    seen.set_defaults(run=_observation)

    bench = commands.add_parser("bench", help="measure decisions a second in random legal play")
    bench.add_argument("--seconds", type=float, default=2.0, help="seconds for each row (2)")
    bench.add_argument("--instructions", action="store_true", help="count them with valgrind instead (minutes)")
    bench.add_argument("--opponents", action="store_true", help="what opponents cost a Gymnasium batch instead")
    bench.set_defaults(run=_bench)

    golden = commands.add_parser("golden", help="print one number over the behaviour of deals, observations and agents")
    golden.set_defaults(run=_golden)

    compiled = commands.add_parser("compile", help="compile the library of kernels ahead of time")
    compiled.add_argument("--target", default="", help="target system (this one)")
    compiled.add_argument("--to", type=Path, metavar="FOLDER", help="output folder (casino_env/library)")
    compiled.add_argument(
        "--check-bounds", action="store_true", help="one that checks every index, for CASINO_ENV_KERNELS=checked"
    )
    compiled.add_argument("--symbols", action="store_true", help="keep names of inner kernels, for callgrind and perf")
    compiled.add_argument("--assemble", default="", metavar="CARD", help="with nvptx64: try ptxas for it (sm_90)")
    compiled.set_defaults(run=_compile)

    place = commands.add_parser("library", help="print the folder of the library of kernels and casino.h")
    place.set_defaults(run=lambda _: print(library.FOLDER) or 0)

    examples = commands.add_parser("examples", help="write the examples: other libraries, clients, a bot")
    examples.add_argument("folder", type=Path, help="output folder; files of the same name that differ are refused")
    examples.set_defaults(run=_examples)

    for command in (presets, turns, count, replay, seen, bench, golden):
        command.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _deal_options(parser: argparse.ArgumentParser, *, seed: bool = True) -> None:
    parser.add_argument("--variant", default="south-african", help="name of a preset (south-african)")
    parser.add_argument("--players", type=int, default=2, help="number of seats (2)")
    if seed:
        parser.add_argument("--seed", type=int, default=0, help="seed of the deal (0)")


def _variants(args: argparse.Namespace) -> int:
    rows: dict[str, Any] = {}
    for name, rules in variants().items():
        rows[name] = {"players": player_counts(name), "rules": {}}
        for players in player_counts(name):
            rows[name]["rules"][players] = asdict(make_rules(name, players))
        if not args.json:
            print(f"{name:<17} players {', '.join(map(str, rows[name]['players'])):<11} {_summary(rules)}")
    if args.json:
        print(json.dumps(rows))
    return 0


def _summary(rules: Any) -> str:
    aces = "aces 1 or 14" if rules.ace_high else "aces 1"
    ends = f"to {rules.target}" if rules.target else "one deal"
    return f"{rules.deck} cards, {aces}, hands of {rules.hand_size}, insist {rules.insist_capture}, {ends}"


def _turns(args: argparse.Namespace) -> int:
    code = 0
    for line in lines_of(args.file):
        try:
            answer: dict[str, Any] = {"turns": turns_of_line(line)}
        except ValueError as error:
            answer, code = {"error": str(error)}, 1
        print(json.dumps(answer), flush=True)
    return code


def turns_of_line(line: bytes) -> list[dict[str, Any]]:
    """Every complete turn from a position in JSON."""
    from casino_env.game import Game

    return Game.from_json(parse_json(decoded(line, "position"), "position")).turns()


def _perft(args: argparse.Namespace) -> int:
    import time

    from casino_env.game import Game
    from casino_env.turns import perft

    for name in ("turns", "most"):
        if getattr(args, name) < 0:
            raise ValueError(f"--{name} {getattr(args, name)}: must not be negative")
    game = Game(args.variant, args.players, args.seed, skip_forced=False)
    began = time.perf_counter()
    with watched() as show:
        count = perft(game, args.turns, args.most, show)
    seconds = time.perf_counter() - began
    if args.json:
        names = ("variant", "players", "seed", "turns")
        print(json.dumps({name: getattr(args, name) for name in names} | {"count": count, "seconds": seconds}))
    else:
        print(f"{args.variant}, {args.players} players, seed {args.seed}, {args.turns} turns: {count} results")
    return 0


def _replay(args: argparse.Namespace) -> int:
    from casino_env.record import print_replay

    print_replay(read_text(args.file), as_json=args.json)
    return 0


def _observation(args: argparse.Namespace) -> int:
    from casino_env.knowledge.layout import as_markdown, make_layout

    rules = make_rules(args.variant, args.players)
    layout = make_layout(rules, universal=args.universal, match=args.match)
    if args.json:
        print(json.dumps({"size": layout.size, "segments": [vars(segment) for segment in layout.segments]}))
    else:
        print("\n".join(as_markdown(layout)))
    return 0


def _golden(args: argparse.Namespace) -> int:
    found = import_module("casino_env.agents.signature").signature()
    print(json.dumps(found, indent=1) if args.json else found["signature"])
    return 0


# Targets for which nothing here looks: their module, and what their folder is for.
_APART = {
    "wasm32": ("wasm", ": packages/casino/dist is where the package looks"),
    "pyodide": ("pyodide", ", from which a wheel is made"),
}


def _compile(args: argparse.Namespace) -> int:
    from casino_env.aot.build import build, is_current, refresh

    if args.check_bounds or library.MODE == library.CHECKED:
        library.take_checked()
    folder = args.to or library.FOLDER
    if args.to:
        args.to.mkdir(parents=True, exist_ok=True)  # before minutes of work
    if args.target in _APART:
        part, why = _APART[args.target]
        if not args.to:
            raise ValueError(f"--target {args.target} needs --to FOLDER{why}")
        import_module(f"casino_env.aot.{part}").build(folder)
    elif args.target == "nvptx64":
        from casino_env.aot import gpu

        gpu.build(folder)
        if args.assemble:
            print(gpu.assembled(folder / library.PTX, args.assemble))
    elif not args.target and not args.symbols and is_current(folder):
        refresh(folder)
        print(f"{folder}: up to date with the sources")
    else:
        build(args.target, folder, symbols=args.symbols)
    return 0


def _examples(args: argparse.Namespace) -> int:
    missing: dict[Path, bytes] = {}
    for path in sorted(EXAMPLES.rglob("*")):
        within = path.relative_to(EXAMPLES)
        # The JavaScript examples import their package by its path in a checkout.
        if path.is_dir() or {"__pycache__", "javascript"} & {*within.parts}:
            continue
        target, content = args.folder / within, path.read_bytes()
        _check_place(target, args.folder.resolve() / within)
        if not target.exists():
            missing[target] = content
        elif target.read_bytes() != content:
            raise ValueError(f"{target}: already exists and differs; nothing was written; choose another folder")
    for target, content in missing.items():
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("xb") as file:  # x: do not follow a link created since the check
            file.write(content)
    print(f"{args.folder}: {len(missing)} files written; the first lines of each say how to run it")
    return 0


def _check_place(target: Path, where: Path) -> None:
    """Raise ValueError if a link redirects the target, or one of its parent folders is a file."""
    if target.resolve() != where:
        raise ValueError(f"{target}: a link leads out of the folder; nothing was written; choose another folder")
    for parent in target.parents:
        if parent.exists() and not parent.is_dir():
            raise ValueError(f"{parent}: is a file, not a folder; nothing was written; choose another folder")


def _bench(args: argparse.Namespace) -> int:
    if args.instructions:
        from casino_env.instructions import run_instructions

        run_instructions(as_json=args.json)
    else:
        from casino_env.bench import bench_opponents, run_bench

        if not 0 < args.seconds < math.inf:
            raise ValueError(f"--seconds {args.seconds}: must be a number above 0")
        (bench_opponents if args.opponents else run_bench)(args.seconds, as_json=args.json)
    return 0
