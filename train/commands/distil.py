"""casino train distil: a network over actions that plays like a policy that judges tables, for other programs.

A policy that judges tables needs this engine to list the turns that lead to them. Its student needs nothing but an
observation and a mask, and can be exported: casino agents export.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from casino_env.agents.policy.description import MOST_LAYERS, MOST_WIDTH
from casino_env.agents.policy.policy_agent import Policy
from casino_env.agents.policy.policy_files import games, read_description, save_policy
from casino_env.agents.registry import make_agent
from casino_env.evaluate import match
from casino_env.evaluate.matches.match import MatchResult
from casino_env.train.config import ConfigError
from casino_env.train.learner.student import Student

_EVERY = 10.0  # seconds between two lines
_SEED = 2  # of the matches


def main(arguments: list[str]) -> int:
    args = _parser().parse_args(arguments)
    _check(args)
    teacher, about = _teacher(args.agent)
    if args.to.resolve() == Path(teacher.weights.name).resolve():
        raise ConfigError(f"--to {args.to}: the teacher lies there; name another file")
    student = Student(teacher, games(about, args.agent), tuple(args.hidden), about.get("memory", "perfect"), args.seed)
    try:
        seconds = _teach(student, args)
    except KeyboardInterrupt:
        raise KeyboardInterrupt("interrupted; nothing was written") from None
    _save(student, teacher, about, args, seconds)
    _tell(student, args, seconds)
    return 0


# --- what is asked for -----------------------------------------------------------------------------------------------


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="casino train distil", description=__doc__.splitlines()[0])
    parser.add_argument("agent", metavar="POLICY", help="the teacher: policy:NAME, a file or the folder of a run")
    parser.add_argument("--to", type=Path, required=True, metavar="FILE", help="of the student, like mine.safetensors")
    parser.add_argument("--minutes", type=float, help="how long it learns (3)")
    parser.add_argument("--decisions", type=int, help="how many positions it is shown instead; the same seed then "
                        "gives the same weights")  # fmt: skip
    parser.add_argument("--hidden", type=int, nargs="+", default=[128, 128], help="widths of its layers (128 128)")
    parser.add_argument("--seed", type=int, default=0, help="of its first weights and of the deals (0)")
    parser.add_argument("--deals", type=int, default=2000, help="of each match at the end (2000)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _check(args: argparse.Namespace) -> None:
    """Raises ConfigError before anything is learnt."""
    if args.minutes is not None and args.decisions is not None:
        raise ConfigError("--minutes and --decisions: leave one of them out")
    if args.decisions is None:
        args.minutes = 3.0 if args.minutes is None else args.minutes
    for name, right, words in (
        ("minutes", args.minutes is None or 0.0 < args.minutes < 1e6, "more than 0"),
        ("decisions", args.decisions is None or args.decisions > 0, "1 or more"),
        ("deals", args.deals >= 2, "2 or more"),
        ("seed", args.seed >= 0, "0 or more"),
    ):
        if not right:
            raise ConfigError(f"--{name} {getattr(args, name)}: must be {words}")
    if not (len(args.hidden) <= MOST_LAYERS and all(1 <= width <= MOST_WIDTH for width in args.hidden)):
        given = " ".join(map(str, args.hidden))
        raise ConfigError(f"--hidden {given}: 1 to {MOST_LAYERS} widths, each from 1 to {MOST_WIDTH}")
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


# --- learning --------------------------------------------------------------------------------------------------------


def _teach(student: Student, args: argparse.Namespace) -> float:
    """Lessons until it is enough; returns how many seconds they took."""
    began = told = time.perf_counter()
    while (progress := _progress(student, args, time.perf_counter() - began)) < 1.0:
        seen = student.learn(progress)
        if time.perf_counter() - told >= _EVERY and not args.json:
            told = time.perf_counter()
            print(_line(student, seen, progress, told - began), file=sys.stderr, flush=True)
    return time.perf_counter() - began


def _progress(student: Student, args: argparse.Namespace, seconds: float) -> float:
    return student.positions / args.decisions if args.decisions else seconds / (60.0 * args.minutes)


def _line(student: Student, seen: dict[str, float], progress: float, seconds: float) -> str:
    return (
        f"{seconds:5.0f} s  {progress:4.0%}  {student.positions:11,} positions  "
        f"agrees with its teacher in {seen['agreed']:.1%}"
    )


# --- what comes out --------------------------------------------------------------------------------------------------


def _save(student: Student, teacher: Policy, about: dict[str, Any], args: argparse.Namespace, seconds: float) -> None:
    """The student's file says what its readers need, and who taught it."""
    kept: dict[str, Any] = {key: about[key] for key in ("layout", "memory") if key in about}
    if "game" in about.get("config", {}):  # the games besides the first
        kept["config"] = {"game": about["config"]["game"]}
    weights = student.weights
    lessons = {"policy": args.agent, "weights": teacher.digest, "positions": student.positions, "seed": args.seed}
    save_policy(
        args.to, weights.shape, weights.theta, weights.rules,
        kept | {"value_scale": weights.value_scale, "play": weights.play._asdict(),
                "teacher": lessons | {"seconds": round(seconds, 1)}},
    )  # fmt: skip


def _tell(student: Student, args: argparse.Namespace, seconds: float) -> None:
    """Matches against the teacher and a bot."""
    rules = student.weights.rules
    rows = [
        (name, match(Policy(student.weights), name, rules, deals=args.deals, seed=_SEED))
        for name in (args.agent, "counter")
    ]
    if args.json:
        data = {"policy": str(args.to), "teacher": args.agent, "positions": student.positions}
        found = [row.to_json() | {"a": f"policy:{args.to}", "b": name} for name, row in rows]
        print(json.dumps(data | {"seconds": round(seconds, 1), "matches": found}))
    else:
        print(_as_text(student, args, seconds, rows))


def _as_text(
    student: Student, args: argparse.Namespace, seconds: float, rows: list[tuple[str, MatchResult]]
) -> str:  # fmt: skip
    width = max(len(name) for name, _ in rows)
    scores = "\n".join(f"  {name:<{width}} {row.diff:+6.2f}   {row.low:+.2f} to {row.high:+.2f}" for name, row in rows)
    return f"""
{student.positions:,} positions in {seconds:.0f} s. Points a deal more than the opponent, with 95 % intervals, over
{args.deals:,} deals that both played from every seat:

{scores}

The student lies in {args.to}. Write it for other programs:
  casino agents export {args.to} {args.to.with_suffix(".onnx")}"""
