"""casino agents: the known agents, their moves in positions, an engine for other programs, exports."""

import argparse
import json
from importlib.util import find_spec
from typing import Any

from casino_env.agents.files import out_file, write_file
from casino_env.agents.policy.policy_files import pack
from casino_env.agents.policy.shipped import absent, shipped
from casino_env.agents.registry import AGENTS, AgentError, describe, make_agent
from casino_env.agents.which_game import add_rules, chosen_rules, names_game
from casino_env.cli import run_command, watched
from casino_env.extras import install_command, require
from casino_env.validate import decoded, int_in, lines_of, one_line, parse_json


def main(arguments: list[str] | None = None) -> int:
    args = _parser().parse_args(arguments)
    return run_command("agents", lambda: args.run(args), misuse=(AgentError,))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="casino agents", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    known = commands.add_parser("list", help="list the agents with their parameters")
    known.set_defaults(run=_list)

    move = commands.add_parser("move", help="print an agent's action in positions")
    move.add_argument("agent", help="an agent: name, name:key=value,... or a class (package.module:Name)")
    move.add_argument("file", help="file of Position JSON, one a line; - reads standard input")
    move.add_argument("--seed", type=_seed, default=0, help="seed of the agent's random choices (0)")
    move.set_defaults(run=_move)

    played = commands.add_parser("play", help="write deals of an agent as data: prompts, legal turns, their values")
    played.add_argument("agent", nargs="?", default="strongest:sims=100", help="plays all seats (strongest:sims=100)")
    add_rules(played)
    played.add_argument("--deals", type=int, default=100, help="number of deals (100)")
    played.add_argument("--seed", type=_seed, default=0, help="seed of the first deal (0)")
    played.add_argument("--playouts", type=int, default=64, help="most play-outs for each turn (64)")
    played.add_argument("--seconds", type=float, default=1.0, help="most seconds for each position (1)")
    played.add_argument("--out", type=out_file, required=True, metavar="FILE", help="deals.jsonl or deals.jsonl.gz")
    played.set_defaults(run=_play)

    engine = commands.add_parser("serve", help="serve the engine protocol: JSON lines on standard input and output")
    engine.add_argument("--agent", default="counter", help="the agent that answers `move` (counter)")
    engine.add_argument("--trust", action="store_true", help="requests may name module:Class, whose code runs")
    engine.set_defaults(run=_serve)

    exported = commands.add_parser("export", help="write an agent for the C library (.casino), or a policy as .onnx")
    exported.add_argument("agent", metavar="AGENT", help="a spec, a policy (name, file, folder of a run), or judge")
    exported.add_argument("file", type=out_file, metavar="FILE", help="output file: player.casino, player.onnx")
    add_rules(exported)  # rules of a .casino file; by default those of the policy
    exported.set_defaults(run=_export)

    packed = commands.add_parser("pack", help="write a policy as one file that you can send: mine.policy")
    packed.add_argument("policy", metavar="POLICY", help="policy:NAME, a file or the folder of a run")
    packed.add_argument("file", type=out_file, metavar="FILE", help="output file: mine.policy")
    packed.set_defaults(run=_pack)

    for command in (known, move, played):
        command.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _seed(text: str) -> int:
    """Parse a seed for argparse, which turns the error into one line."""
    try:
        return int_in(int(text), "seed", 0, 2**64 - 1)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _list(args: argparse.Namespace) -> int:
    rows = describe()
    if args.json:
        print(json.dumps(rows, allow_nan=False))
        return 0
    for row in rows:
        pairs = ((item["name"], item["default"]) for item in row["parameters"])
        parameters = ", ".join(name if default is None else f"{name}={default}" for name, default in pairs)
        print(f"{row['name']:<10} {row['summary']}" + (f" ({parameters})" if parameters else ""))
    print("\nAny program that speaks the engine protocol (docs/protocol.md): process:COMMAND")
    print("A language model at an endpoint (docs/language-models.md): llm:URL,model=NAME")
    missing = "none" if find_spec("safetensors") else f"none installed; they need {install_command('agents')}"
    ready = ", ".join(shipped()) or missing
    print(f"A trained policy: policy:NAME; names: {ready}")
    if absent():
        others = f"Absent, trained for other rules or features: {', '.join(absent())}"
        print(f"{others}; train them again with casino train opponents")
    return 0


# --- move --------------------------------------------------------------------------------------------------------


def _move(args: argparse.Namespace) -> int:
    agent = make_agent(args.agent)
    code = 0
    for line in lines_of(args.file):
        try:
            answer = _answer(agent, parse_json(decoded(line, "position"), "position"), args.seed)
        except Exception as error:  # noqa: BLE001  of this line or the agent; go on with the next line
            answer, code = {"error": one_line(error)}, 1
        if args.json or "error" in answer:
            print(json.dumps(answer, allow_nan=False), flush=True)
            continue
        print(f"seat {answer['seat']}: {answer['turn']}")
        rows = sorted(answer["probabilities"].items(), key=lambda row: -row[1])
        print("\n".join(f"  {share:.3f}  {text}" for text, share in rows), flush=True)
    return code


def _answer(agent: Any, data: Any, seed: int) -> dict[str, Any]:
    """The action, the turn that it begins, and the probability of each legal action."""
    from casino_env.actions import action_text
    from casino_env.agents.protocol.analysis import answer, plan
    from casino_env.game import Game

    game = Game.from_json(data)
    _, _, shares = answer(agent, game, seed)
    turn, text = plan(agent, game)
    return {
        "seat": game.seat,
        "action": action_text(turn[0]),
        "actions": [action_text(action) for action in turn],
        "turn": text,
        "probabilities": {action: round(share, 6) for action, share in shares.items()},
    }


# --- deals as data -----------------------------------------------------------------------------------------------


def _play(args: argparse.Namespace) -> int:
    from casino_env.agents.dataset import write_deals

    rules = chosen_rules(args)
    how = {"seed": args.seed, "playouts": args.playouts, "seconds": args.seconds}
    try:
        with watched() as show:
            counts = write_deals(args.out, args.agent, rules, args.deals, **how, show=show)
    except KeyboardInterrupt:
        if args.out.exists():
            raise ValueError(f"interrupted; the deals before are in {args.out}") from None
        raise
    print(json.dumps(counts) if args.json else f"{args.out}: {counts['deals']} deals, {counts['rows']} turns")
    return 0


# --- others ------------------------------------------------------------------------------------------------------


def _serve(args: argparse.Namespace) -> int:
    from casino_env.agents.protocol.session import serve

    serve(args.agent, trust=args.trust)
    return 0


def _export(args: argparse.Namespace) -> int:
    named = args.agent.partition(":")[0] in (*AGENTS, "judge")
    if args.file.suffix == ".casino":
        from casino_env.agents.c_export import as_bytes

        rules = chosen_rules(args) if names_game(args) else None
        made = as_bytes(args.agent if named else f"policy:{args.agent}", rules)
        args.file.parent.mkdir(parents=True, exist_ok=True)
        write_file(args.file, made)
    elif args.file.suffix != ".onnx":  # do not overwrite files of other kinds
        raise ValueError(f"{args.file}: must end in .casino or .onnx")
    else:
        require("torch", "onnx", "onnxscript")
        from casino_env.agents.policy.network import export_onnx

        export_onnx(args.agent.removeprefix("policy:"), args.file)
    print(args.file)
    return 0


def _pack(args: argparse.Namespace) -> int:
    pack(args.policy.removeprefix("policy:"), args.file)
    print(args.file)
    return 0
