"""A training run: learn, evaluate, write checkpoints, resume."""

from __future__ import annotations

import argparse
import itertools
import platform
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch

from casino_env.agents.base import check_agent
from casino_env.agents.files import Lock, read_text, seal, unseal, write_file
from casino_env.agents.policy.policy_agent import Policy
from casino_env.agents.policy.policy_files import Weights, save_policy
from casino_env.agents.policy.shipped import title as title_of
from casino_env.agents.registry import make_agent
from casino_env.arrays import Array
from casino_env.evaluate import MatchResult, match
from casino_env.evaluate.matches.deals import make_book
from casino_env.evaluate.matches.match import Contest, play_shown
from casino_env.evaluate.matches.pairing import AgentFailedError
from casino_env.rules import Rules
from casino_env.train.algorithms import compile_for, kind_of, make_algorithm
from casino_env.train.algorithms.algorithm import TrainingError
from casino_env.train.checkpoint import CheckpointError, checkpoints, load_checkpoint, save_checkpoint, way_back
from casino_env.train.config import Config, ConfigError, check_options, make_config, only_ours
from casino_env.train.learner import one_core
from casino_env.train.log import EvalSchedule, RunLog, commit, has_met, versions

_EVALUATION_SEED = 1_000_003  # deals that no training sees: training draws its own from run.seed
_CLOSING_SEED = 2  # seed of the deals of the matches at the end
_COLLAPSED = 1e-4  # entropy in nats below which the policy no longer explores


class Run:
    """A training run and its folder."""

    def __init__(self, config: Config, lock: Lock) -> None:
        one_core()
        self.config, self.folder, self._lock = config, lock.folder, lock
        self._whole = True  # no iteration is unfinished
        self.algorithm = make_algorithm(config)
        self.seconds = self.cpu_seconds = 0.0  # of learning, without matches; cpu_seconds: summed over all threads

    @classmethod
    def start(cls, config: Config, root: Path) -> Run:
        """Start a run in a new folder: the one that run.name says, else one that does not exist yet."""
        kind_of(config)
        check_agents(config.run.panel, config.game.all_rules(), "run.panel")
        lock = _new_folder(config, root)
        with released(lock):
            return cls(config, lock)

    @classmethod
    def resume(cls, folder: Path, *, trust: bool = False) -> Run:
        """Resume a run. Unless trust is true, its config may name only the project's own agents."""
        if not checkpoints(folder):
            load_checkpoint(folder)  # raises CheckpointError
        lock = Lock(folder, "run")
        with released(lock):
            arrays, kept = load_checkpoint(folder)
            run = cls(_kept_config(folder, kept.config, trust), lock)
            run.seconds, run.cpu_seconds = kept.seconds, kept.cpu_seconds
            try:
                run.algorithm.restore(arrays, kept)
            except ValueError as error:
                last = checkpoints(folder)[-1]
                raise CheckpointError(f"{last}: does not belong to this run: {error}; {way_back(folder)}") from None
            return run

    @classmethod
    def finished(cls, config: Config, root: Path, *, quiet: bool = False) -> Run:
        """Start or resume the run config.name and train it to its end.

        Raises CheckpointError if the run in that folder has other settings.
        """
        folder = root / config.name
        run = cls.resume(folder, trust=True) if checkpoints(folder) else cls.start(config, root)
        if run.config != config:
            raise CheckpointError(f"{folder}: trained with other settings; delete it, or choose another folder")
        if not run.over():
            sys.stderr.write(f"training {config.name} in {run.folder}\n")
            run.train(quiet=quiet)
        run.close()
        return run

    def close(self) -> None:
        """Unlock the folder; resuming the run locks it again."""
        self._lock.close()

    # --- the loop ---------------------------------------------------------------------------------------------------

    def train(self, *, quiet: bool = False) -> None:
        """Train until the config's limit. On Ctrl-C save a checkpoint and raise KeyboardInterrupt again."""
        title, config = f"{self.config.name}: {self.folder}", self.config.model_dump(mode="json")
        try:
            with RunLog(self.folder, title, self.algorithm.decisions, config, quiet=quiet) as log:
                self._loop(log)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(self._rescue("interrupted")) from None
        except AgentFailedError as error:
            raise TrainingError(self._rescue(f"a match during training failed: {error}")) from None
        finally:
            self.close()

    def _rescue(self, why: str) -> str:
        """Save a checkpoint if anything was learnt; return a message that says so."""
        if self._whole and self.algorithm.decisions:
            self.save()
        if checkpoints(self.folder):
            return f"{why}; what was learnt is kept: casino train --resume {self.folder}"
        return f"{why}; nothing was learnt yet"

    def _loop(self, log: RunLog) -> None:
        compile_for(self.config)  # compilation must not count as training time
        algorithm, run = self.algorithm, self.config.run
        before, start, saved = self.seconds, algorithm.decisions, self.seconds
        began = _clocks() - (before, self.cpu_seconds)  # moved on by each match: only learning is timed
        schedule = EvalSchedule(60 * run.evaluate_minutes, self.seconds, self.progress(), over=self.over())
        while True:
            while share := schedule.due(self.seconds, self.progress()):
                match_began = _clocks()
                log.evaluation(self.strength(share), algorithm.decisions, self.seconds)
                took = _clocks() - match_began
                began += took
                schedule.played(share, float(took[0]), self.seconds, self.progress())
            if self.seconds - saved >= 60 * run.checkpoint_minutes:
                self.save()
                saved = self.seconds
            if self.progress() >= 1.0:
                break
            self._whole = False
            with signals_deferred():  # an unfinished iteration cannot be resumed
                metrics = algorithm.learn(self.progress())
                self._whole = True
            self.seconds, self.cpu_seconds = (_clocks() - began).tolist()
            metrics["decisions_per_second"] = (algorithm.decisions - start) / (self.seconds - before)
            metrics["cpu_seconds"] = round(self.cpu_seconds, 1)
            if metrics["entropy"] < _COLLAPSED:
                raise TrainingError(
                    f"the policy has collapsed: entropy {metrics['entropy']:.2g}; earlier checkpoints are kept. Try "
                    "a lower learning rate, a larger ppo.entropy_coef (ppo) or higher temperatures (afterstates)"
                )
            self.save_levels()
            log.iteration(metrics, algorithm.decisions, self.seconds, self.progress())
        self.save()

    def progress(self) -> float:
        """The share of the run that is done: by time if the config limits time, else by decisions."""
        run = self.config.run
        clocks = ((self.seconds, run.minutes), (self.cpu_seconds, run.cpu_minutes))
        timed = [seconds / (60 * minutes) for seconds, minutes in clocks if minutes is not None]
        return max(timed) if timed else self.algorithm.decisions / run.decisions

    def over(self) -> bool:
        """Learnt to its end, and its panel met there."""
        return self.progress() >= 1.0 and has_met(self.folder, self.algorithm.decisions)

    # --- what comes out ---------------------------------------------------------------------------------------------

    def policy(self, **play: Any) -> Policy:
        a = self.algorithm
        return Policy(Weights(a.rules, a.layout, a.shape, a.best, a.value_scale, play=a.play), **play)

    def strength(self, share: float = 1.0) -> dict[str, dict[str, float]]:
        """Play matches with the panel over a share of run.deals. With several games the titles name the game."""
        run, games = self.config.run, self.config.game.all_rules()
        deals = max(2, round(share * run.deals))
        matches = {}
        for rules, name in itertools.product(games, run.panel):
            found = match(self.policy(), name, rules, deals=deals, seed=_EVALUATION_SEED)
            title = name if len(games) == 1 else f"{name} in {title_of(rules)}"
            won = found.win_a + found.draw / 2
            matches[title] = {"diff": found.diff, "low": found.low or 0.0, "high": found.high or 0.0, "won": won}
        return matches

    def save(self) -> None:
        """Write a checkpoint and the current policy."""
        a = self.algorithm
        arrays, counters = a.state()
        about = {
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
            "config": self.config.model_dump(mode="json"),
        }
        save_checkpoint(self.folder, f"{a.decisions:012d}", arrays, counters, about)
        self._save_policy("policy")

    def save_levels(self) -> None:
        """Write the current policy for each level of run.levels that the run has just reached."""
        for name, share in self.config.run.levels.items():
            there = (self.folder / f"{name}.json").exists()
            if not there and self.progress() >= share:
                self._save_policy(name)

    def _save_policy(self, name: str) -> None:
        a = self.algorithm
        about = {
            "layout": self.config.game.layout,
            "memory": self.config.game.memory,
            "value_scale": a.value_scale,
            "play": a.play._asdict(),
            "config": self.config.model_dump(mode="json"),
            "commit": commit(),
            "training": {
                "decisions": a.decisions,
                "seconds": round(self.seconds, 1),
                "cpu_seconds": round(self.cpu_seconds, 1),
                "machine": f"{platform.machine()}, {torch.get_num_threads()} thread of torch",
                "versions": versions(),
            },
        }
        save_policy(self.folder / f"{name}.safetensors", a.shape, a.best, a.rules, about)


def _clocks() -> Array:
    """Return wall-clock time and processor time, in seconds."""
    return np.array([time.perf_counter(), time.process_time()])


# --- the folder of a run ---------------------------------------------------------------------------------------------


def _new_folder(config: Config, root: Path) -> Lock:
    """Create and lock the folder that run.name says, else one that does not exist yet; write config.json there."""
    folder, number = root / config.name, 1
    while not config.run.name:
        try:
            folder.mkdir(parents=True)
            break
        except FileExistsError:
            number += 1
            folder = root / f"{config.name}-{number}"
    lock = Lock(folder, "run")
    with released(lock):
        if checkpoints(folder):
            raise CheckpointError(f"{folder} already holds a run; resume it (--resume {folder}), or set run.name")
        for name in config.run.levels:  # left by a run that made no checkpoint
            (folder / f"{name}.json").unlink(missing_ok=True)
        about = {"config": config.model_dump(mode="json"), "versions": versions(), "commit": commit()}
        write_file(folder / "config.json", (seal(about, indent=2) + "\n").encode())
    return lock


@contextmanager
def released(lock: Lock) -> Iterator[None]:
    """Release the lock if the body fails."""
    try:
        yield
    except BaseException:
        lock.close()
        raise


def _kept_config(folder: Path, of_checkpoint: dict[str, Any], trust: bool) -> Config:
    """Return the config of config.json, or of the checkpoint if there is no such file."""
    path = folder / "config.json"
    try:
        kept = unseal(read_text(path), str(path)).get("config") if path.exists() else of_checkpoint
    except ValueError as error:
        raise CheckpointError(f"{error}; delete it, and --resume takes the settings from the checkpoint") from None
    try:
        config = make_config(kept)
        kind_of(config)
        if not trust:
            only_ours(config.agents(), str(path))
    except ConfigError as error:
        raise CheckpointError(f"{path}: {error}" if str(path) not in str(error) else str(error)) from None
    return config


# --- matches at the end, shown as they are played, with a time limit -------------------------------------------------


def add_closing(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--deals", type=int, default=2000, help="most deals of each match at the end (2000)")
    parser.add_argument("--match-minutes", type=float, default=1.0, metavar="MINUTES",
                        help="most minutes of each match at the end (1)")  # fmt: skip


def check_closing(args: argparse.Namespace) -> None:
    """Check the options of add_closing; raises ConfigError."""
    check_options(args, deals=2, match_minutes=0.001)


def closing_matches(
    policy: Policy, others: Sequence[str], rules: Rules, args: argparse.Namespace, kept: str
) -> list[MatchResult]:
    """Play a match with each of the others. kept: the message on Ctrl-C: what is kept, and how to resume."""
    try:
        return [_closing_match(policy, other, rules, args) for other in others]
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"interrupted; {kept}") from None


def _closing_match(policy: Policy, other: str, rules: Rules, args: argparse.Namespace) -> MatchResult:
    book = make_book(rules, args.deals, _CLOSING_SEED)
    with Contest((policy, other), book, seed=_CLOSING_SEED) as contest:
        with contest.workers(2) as workers:
            play_shown(contest, workers, seconds=60 * args.match_minutes)
        return contest.result()


def closing_text(what: str, seconds: float, rows: list[MatchResult]) -> str:
    """The text about a training and its final matches, a line for each opponent. what: like "5,000 decisions"."""
    width = max(10, *(len(row.b) for row in rows))
    lines = "\n".join(
        f"  {row.b:<{width}} {row.diff:+6.2f}   {row.low:+.2f} to {row.high:+.2f}   {row.deals:,} deals" for row in rows
    )
    return f"""
{what} in {seconds:.0f} s. Points a deal more than the opponent, with 95 % intervals, over deals that both played from
every seat:

{lines}
"""


# --- checks and signals ----------------------------------------------------------------------------------------------


def check_agents(names: Sequence[str], games: list[Rules], where: str) -> None:
    """Raise ConfigError, before the first match, for agents that cannot be made or do not play these games."""
    for rules, spec in itertools.product(games, names):
        try:
            check_agent(make_agent(spec), rules)
        except ValueError as error:
            raise ConfigError(f"{where}: {error}") from None


@contextmanager
def resumable() -> Iterator[None]:
    """On Ctrl-C say that the same command goes on, unless it is said already what is kept."""
    try:
        yield
    except KeyboardInterrupt as stopped:
        raise KeyboardInterrupt(str(stopped) or "interrupted; run the same command to go on") from None


@contextmanager
def signals_deferred() -> Iterator[None]:
    """Defer SIGINT and SIGTERM to the end of the body; a second signal takes effect at once."""
    if threading.current_thread() is not threading.main_thread():  # only the main thread may set handlers
        yield
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    heard: list[int] = []

    def hear(number: int, _: Any) -> None:
        heard.append(number)
        signal.signal(number, before[signal.Signals(number)])

    for number in before:
        signal.signal(number, hear)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if heard:
        signal.raise_signal(heard[0])
