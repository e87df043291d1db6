"""Keep a training by any library as a run folder that `casino evaluate seeds` and `report` can read.

    run = KeptRun(args, "sb3", hidden=[128, 128])
    while not run.over(): ...; run.look(decisions, layers)
    run.end(decisions, layers)

layers: weights and bias of each layer of the network over actions. They become a policy, which plays matches a dozen
times during training and at the end. Matches do not count towards the time of the run, in minutes by the clock or of
the processor.
"""

import argparse
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from torch import nn

from casino_env import evaluate, make_rules
from casino_env.agents.policy.policy_files import save_network
from casino_env.run_folder import RunFolder

Layers = Callable[[], Sequence[tuple[np.ndarray, np.ndarray]]]
_LOOKS = 12


def linear(modules: Iterable[nn.Module]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Weights and bias of each linear layer among these."""
    found = [module for module in modules if isinstance(module, nn.Linear)]
    return [(layer.weight.detach().cpu().numpy(), layer.bias.detach().cpu().numpy()) for layer in found]


def options(description: str | None) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(description or "").partition("\n")[0])
    parser.add_argument("--variant", default="south-african", help="(%(default)s)")
    parser.add_argument("--players", type=int, default=2, help="(%(default)s)")
    parser.add_argument("--minutes", type=float, default=5.0, help="of training (%(default)s)")
    parser.add_argument("--cpu-minutes", type=float, help="of the processor, instead: fair on a shared machine")
    parser.add_argument(
        "--deals", type=int, default=500, help="of the match in the end; a fifth on the way (%(default)s)"
    )
    parser.add_argument("--against", default="counter", help="whom the matches are with (%(default)s)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="folder of the run (runs/NAME-GAME-seedN)")
    return parser


class KeptRun:
    """A run and its folder."""

    def __init__(self, args: argparse.Namespace, name: str, **learner: Any) -> None:
        self.args, self.rules, self._looks = args, make_rules(args.variant, args.players), 0
        folder = args.out or Path("runs") / f"{name}-{args.variant}-{args.players}-seed{args.seed}"
        self._run = RunFolder(folder, name, args.variant, args.players, args.seed, learner=learner)

    def done(self) -> float:
        """The share of the run that is done."""
        cpu = self.args.cpu_minutes
        return self._run.cpu_seconds / (60 * cpu) if cpu else self._run.seconds / (60 * self.args.minutes)

    def over(self) -> bool:
        return self.done() >= 1.0

    def look(self, decisions: int, layers: Layers) -> None:
        """Play a match if one is due."""
        if self.done() * _LOOKS >= self._looks + 1:
            self._looks = int(self.done() * _LOOKS)
            self._match(decisions, layers, max(2, self.args.deals // 5))

    def end(self, decisions: int, layers: Layers) -> None:
        found = self._match(decisions, layers, self.args.deals)
        print(f"{decisions} decisions in {self._run.seconds:.0f} s, {self._run.cpu_seconds:.0f} s of processor time: "
              f"{found.diff:+.2f} points a deal over {self.args.against}; {self._run.folder}")  # fmt: skip

    def _match(self, decisions: int, layers: Layers, deals: int) -> evaluate.MatchResult:
        with self._run.paused():
            path = self._run.folder / "policy.safetensors"
            save_network(path, layers(), self.rules)
            found = evaluate.match(f"policy:{path}", self.args.against, self.rules, deals=deals, seed=1)
        self._run.log(decisions, vs={self.args.against: found})
        return found
