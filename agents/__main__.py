"""python -m agents: the known agents, their moves in positions, and how fast they are."""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agents.registry import AgentError, describe, make_agent


def main(arguments: list[str] | None = None) -> int:
    args = _parser().parse_args(arguments)
    try:
        code: int = args.run(args)
        return code
    except AgentError as error:
        print(f"agents: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader has gone
        sys.stderr.close()
        return 0
    except (ValueError, OSError) as error:
        print(f"agents: {error}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m agents", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    known = commands.add_parser("list", help="the agents with their parameters")
    known.set_defaults(run=_list)

    move = commands.add_parser("move", help="what an agent plays in positions")
    move.add_argument("agent", help="name, name:key=value,... or dotted path (package.module:Name)")
    move.add_argument("file", help="Position JSON, one a line; - for standard input")
    move.add_argument("--seed", type=int, default=0, help="of what the agent draws (0)")
    move.set_defaults(run=_move)

    bench = commands.add_parser("bench", help="decisions a second of the scripted bots")
    bench.add_argument("--seconds", type=float, default=1.0, help="time for each row (1)")
    bench.set_defaults(run=_bench)

    for command in (known, move, bench):
        command.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _list(args: argparse.Namespace) -> int:
    rows = describe()
    if args.json:
        print(json.dumps(rows))
        return 0
    for row in rows:
        parameters = ", ".join(f"{item['name']}={item['default']}" for item in row["parameters"])
        print(f"{row['name']:<10} {row['summary']}" + (f" ({parameters})" if parameters else ""))
    return 0


# --- move --------------------------------------------------------------------------------------------------------


def _move(args: argparse.Namespace) -> int:
    agent = make_agent(args.agent)
    code = 0
    for line in _lines(args.file):
        try:
            answer = _answer(agent, json.loads(line), args.seed)
        except ValueError as error:  # a JSON error is one, too
            answer, code = {"error": str(error)}, 1
        print(json.dumps(answer) if args.json or "error" in answer else _as_text(answer), flush=True)
    return code


def _lines(name: str) -> Iterator[str]:
    text = sys.stdin.read() if name == "-" else Path(name).read_text()
    return (line for line in text.splitlines() if line.strip())


def _answer(agent: Any, data: Any, seed: int) -> dict[str, Any]:
    """The action, the turn that it begins, and how likely each legal action is."""
    import numpy as np

    from agents.base import planned_turn, probabilities_of
    from casino_env.actions import action_text
    from casino_env.game import Game
    from casino_env.notation import turn_text
    from casino_env.observed import observe

    game = Game.from_json(data)
    if game.over:
        raise ValueError("the deal is over: there is no move")
    agent.reset(game.seat, np.random.default_rng(seed))
    seen = observe(game)
    likely = probabilities_of(agent, seen)
    turn = planned_turn(agent, game)
    return {
        "seat": game.seat,
        "action": action_text(turn[0]),
        "actions": [action_text(action) for action in turn],
        "turn": turn_text(game._record, game._rules, _with_forced(game, turn)),
        "probabilities": {action_text(action): round(float(likely[action]), 6) for action in seen.legal()},
    }


def _with_forced(game: Any, actions: list[int]) -> list[int]:
    """The turn with the actions that the game plays by itself in between, up to its last own one."""
    ahead = game.clone()
    begun = len(ahead.log)
    for action in actions:
        ahead.apply(action)
    seat, log = game.seat, ahead.log[begun:]
    later = [number for number, (other, _, first) in enumerate(log) if number and (first or other != seat)]
    return [action for _, action, _ in log[: later[0] if later else None]]


def _as_text(answer: dict[str, Any]) -> str:
    rows = sorted(answer["probabilities"].items(), key=lambda row: -row[1])
    return "\n".join([f"seat {answer['seat']}: {answer['turn']}", *(f"  {p:.3f}  {text}" for text, p in rows)])


# --- measuring -----------------------------------------------------------------------------------------------------


def _bench(args: argparse.Namespace) -> int:
    from agents.bench import bench_rows

    if args.seconds <= 0:
        raise ValueError(f"--seconds {args.seconds}: must be more than 0")
    rows = bench_rows(args.seconds)
    if args.json:
        print(json.dumps(list(rows)))
        return 0
    print(f"{'':<18}{'bot':<10}{'decisions/s':>12}{'us a move in Python':>22}")
    for row in rows:
        print(f"{row['game']:<18}{row['bot']:<10}{row['kernel']:>12,.0f}{row['python_us']:>22.0f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
