"""casino train distil: a network over actions that plays like a policy that judges afterstates, for other programs.

A policy that judges afterstates needs this engine to list them. Its student needs nothing but an observation and a
mask, and can be exported: casino agents export.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from casino_env.agents.policy.policy_agent import Policy
from casino_env.agents.policy.policy_files import games, read_description, save_policy
from casino_env.agents.registry import make_agent
from casino_env.train.closing import add_closing, check_closing, closing_lines, closing_matches
from casino_env.train.distillation import Distillation, compile_for
from casino_env.train.settings import ConfigError, NetworkConfig, check_least
from casino_env.validate import first_problem

_EVERY = 10.0  # seconds between two lines


def main(arguments: list[str]) -> int:
    args = _parser().parse_args(arguments)
    _check(args)
    teacher, about = _teacher(args.agent)
    if args.to.resolve() == Path(teacher.weights.name).resolve():
        raise ConfigError(f"--to {args.to}: the teacher lies there; name another file")
    memory = about.get("memory", "perfect")
    taught = teacher, games(about, args.agent), tuple(args.hidden), memory
    try:
        compile_for(*taught)  # before the clock starts
        student = Distillation(*taught, args.seed)
        seconds = _learn(student, args)
    except KeyboardInterrupt:
        raise KeyboardInterrupt("interrupted; nothing was written") from None
    _save(student, teacher, about, args, seconds)
    _tell(student, args, seconds)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="casino train distil", description=__doc__.splitlines()[0])
    parser.add_argument("agent", metavar="POLICY", help="the teacher: policy:NAME, a file or the folder of a run")
    parser.add_argument("--to", type=Path, required=True, metavar="FILE", help="of the student, like mine.safetensors")
    parser.add_argument("--minutes", type=float, help="how long it learns (3)")
    parser.add_argument("--decisions", type=int, help="how many positions it is shown instead; the same seed then "
                        "gives the same weights")  # fmt: skip
    parser.add_argument("--hidden", type=int, nargs="+", default=[128, 128], help="widths of its layers (128 128)")
    parser.add_argument("--seed", type=int, default=0, help="of its first weights and of the deals (0)")
    add_closing(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _check(args: argparse.Namespace) -> None:
    """Raises ConfigError before anything is learnt."""
    check_least(args, minutes=0.001, decisions=1, seed=0)
    check_closing(args)
    if args.minutes is not None and args.decisions is not None:
        raise ConfigError("--minutes and --decisions: leave one of them out")
    try:
        NetworkConfig(hidden=tuple(args.hidden))
    except ValidationError as error:
        raise ConfigError(f"--{first_problem(error, NetworkConfig)}") from None
    if args.to.suffix != ".safetensors":
        raise ConfigError(f"--to {args.to}: must end in .safetensors")
    if not args.to.parent.is_dir():
        raise ConfigError(f"--to {args.to}: there is no folder {args.to.parent}")


def _teacher(spec: str) -> tuple[Policy, dict[str, Any]]:
    """And its description."""
    agent = make_agent(spec)
    if not isinstance(agent, Policy):
        raise ConfigError(f"{spec}: only a policy can be distilled, policy:NAME")
    if agent.weights.shape.judges_actions:
        raise ConfigError(f"{spec}: judges actions already; casino agents export takes it as it is")
    about = read_description(Path(agent.weights.name))
    if about.get("match", False):
        raise ConfigError(f"{spec}: plays whole matches; only policies for deals can be distilled")
    return agent, about


def _learn(student: Distillation, args: argparse.Namespace) -> float:
    """Until it is enough; returns how many seconds that took."""
    began = told = time.perf_counter()

    def progress() -> float:
        if args.decisions:
            return float(student.positions / args.decisions)
        return (time.perf_counter() - began) / (60.0 * (args.minutes or 3.0))

    while (done := progress()) < 1.0:
        seen = student.learn(done)
        if time.perf_counter() - told >= _EVERY and not args.json:
            told = time.perf_counter()
            line = f"{told - began:5.0f} s  {done:4.0%}  {student.positions:11,} positions  "
            print(f"{line}agrees with its teacher in {seen['accuracy']:.1%}", file=sys.stderr, flush=True)
    return time.perf_counter() - began


def _save(
    student: Distillation, teacher: Policy, about: dict[str, Any], args: argparse.Namespace, seconds: float
) -> None:  # fmt: skip
    """The student's file says what its readers need, and who taught it."""
    kept: dict[str, Any] = {key: about[key] for key in ("layout", "memory") if key in about}
    if "game" in about.get("config", {}):  # the games besides the first
        kept["config"] = {"game": about["config"]["game"]}
    weights = student.weights
    taught = {"policy": args.agent, "weights": teacher.digest, "positions": student.positions, "seed": args.seed}
    save_policy(
        args.to, weights.shape, weights.theta, weights.rules,
        kept | {"value_scale": weights.value_scale, "play": weights.play._asdict(),
                "teacher": taught | {"seconds": round(seconds, 1)}},
    )  # fmt: skip


def _tell(student: Distillation, args: argparse.Namespace, seconds: float) -> None:
    """Matches against the teacher and a bot."""
    rows = closing_matches(Policy(student.weights), (args.agent, "counter"), student.weights.rules, args)
    if args.json:
        data = {"policy": str(args.to), "teacher": args.agent, "positions": student.positions}
        found = [row.to_json() | {"a": f"policy:{args.to}", "b": name} for name, row in rows]
        print(json.dumps(data | {"seconds": round(seconds, 1), "matches": found}))
        return
    print(f"""
{student.positions:,} positions in {seconds:.0f} s. Points a deal more than the opponent, with 95 % intervals, over
deals that both played from every seat:

{closing_lines(rows)}

The student lies in {args.to}. Write it for other programs:
  casino agents export {args.to} {args.to.with_suffix(".onnx")}""")
