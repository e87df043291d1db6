"""A run from its config to its end: learn, look how strong it is, keep checkpoints, go on where it was cut off."""

from __future__ import annotations

import itertools
import math
import platform
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from casino_env.agents.base import check_agent
from casino_env.agents.files import Lock, read_text, seal, unseal, write_file
from casino_env.agents.policy.policy_agent import Policy
from casino_env.agents.policy.policy_files import Weights, save_policy
from casino_env.agents.policy.shipped import title as title_of
from casino_env.agents.registry import make_agent
from casino_env.evaluate import match
from casino_env.evaluate.matches.pairing import AgentFailedError
from casino_env.rules import Rules
from casino_env.train.algorithms.base import TrainingError
from casino_env.train.algorithms.registry import compile_for, make_algorithm
from casino_env.train.checkpoint import (
    CheckpointError,
    checkpoints,
    load_checkpoint,
    load_opponents,
    save_checkpoint,
    save_opponents,
    way_back,
)
from casino_env.train.config import ConfigError, make_config, only_ours
from casino_env.train.learner.fast import one_core
from casino_env.train.processes.peers import ALONE, Peers
from casino_env.train.settings import Config
from casino_env.train.unbroken import unbroken
from casino_env.train.watching.looks import Looks
from casino_env.train.watching.made_with import commit, versions
from casino_env.train.watching.watch import Unwatched, Watch

Judge = Callable[[dict[str, dict[str, float]]], None]

_EVALUATION_SEED = 1_000_003  # deals that no training sees: those of a run begin elsewhere
_COLLAPSED = 1e-4  # entropy below which there is nothing left to try


class Run:
    """Training in a folder."""

    def __init__(self, config: Config, folder: Path, peers: Peers = ALONE, lock: Lock | None = None) -> None:
        one_core()
        self.config, self.folder, self.peers = config, folder, peers
        self._lock = lock
        self._whole = True  # no iteration has been broken off
        self.algorithm = make_algorithm(config, peers)
        self.seconds = 0.0

    @classmethod
    def start(cls, config: Config, root: Path, peers: Peers = ALONE) -> Run:
        """A new run in a folder of its own: that of its name, else one that is not taken."""
        check_panel(config)
        lock = _new_folder(config, root) if peers.first else None
        with released(lock):
            return cls(config, Path(peers.text_of_first(str(lock.folder if lock else ""))), peers, lock)

    @classmethod
    def resume(cls, folder: Path, peers: Peers = ALONE, *, trust: bool = False) -> Run:
        """Go on with a run; of a file that is not trusted only the project's own agents are taken."""
        if not checkpoints(folder):
            load_checkpoint(folder)  # says so
        lock = Lock(folder, "run") if peers.first else None
        with released(lock):
            return cls._taken_up(folder, peers, lock, trust)

    @classmethod
    def _taken_up(cls, folder: Path, peers: Peers, lock: Lock | None, trust: bool) -> Run:
        arrays, counters = load_checkpoint(folder, peers)
        config = _kept_config(folder, counters, trust)
        run = cls(config, folder, peers, lock)
        try:
            run.algorithm.restore(arrays, counters, load_opponents(folder, counters))
            run.seconds = _seconds(counters)
        except CheckpointError:
            raise
        except ValueError as error:
            raise CheckpointError(f"{checkpoints(folder)[-1]}: not of this run: {error}; {way_back(folder)}") from None
        return run

    @classmethod
    def finished(cls, config: Config, root: Path, *, quiet: bool = False) -> Run:
        """The run of this name, trained to its end: from where it was cut off if it was begun before.

        Raises CheckpointError if what lies there was trained with other settings.
        """
        folder = root / config.name
        run = cls.resume(folder, trust=True) if checkpoints(folder) else cls.start(config, root)
        if run.config != config:
            raise CheckpointError(f"{folder}: trained with other settings; delete it, or choose another folder")
        if run.progress() < 1.0:
            sys.stderr.write(f"training {config.name} in {run.folder}\n")
            run.train(quiet=quiet)
        run.close()
        return run

    def close(self) -> None:
        """Others may write to its folder; so may this one once it is taken up again."""
        if self._lock:
            self._lock.close()

    # --- the loop ---------------------------------------------------------------------------------------------------

    def train(self, *, quiet: bool = False, judge: Judge | None = None) -> None:
        """Until the config says that it is enough. Ctrl-C keeps what was learnt, and passes on.

        judge: is shown the matches on the way; what it raises ends the training.
        """
        title = f"{self.config.name}: {self.folder}"
        watch: Watch | Unwatched = Unwatched()
        if self.peers.first:
            config = self.config.model_dump(mode="json")
            watch = Watch(self.folder, title, self.algorithm.decisions, config, quiet=quiet)
        try:
            with watch:
                self._loop(watch, judge)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(*self._rescue("interrupted")) from None
        except AgentFailedError as error:
            raise TrainingError(*self._rescue(f"the match on the way failed: {error}")) from None
        finally:
            self.close()

    def _rescue(self, why: str) -> tuple[str]:
        """Keep what was learnt, if there is anything, and say so."""
        if self.peers is ALONE and self._whole and self.algorithm.decisions:  # of several processes some may be gone
            self.save()
        if checkpoints(self.folder):
            return (f"{why}; what was learnt is kept: casino train --resume {self.folder}",)
        return (f"{why}; nothing was learnt yet",)

    def _loop(self, watch: Watch | Unwatched, judge: Judge | None) -> None:
        _compile(self.config, self.peers)
        began, before, start = time.perf_counter(), self.seconds, self.algorithm.decisions
        saved, every = self.seconds, self.config.run
        looks = Looks(60 * every.evaluate_minutes, self.seconds, self.progress(), short=judge is None)
        while self.progress() < 1.0:
            metrics = self._learn()
            self.seconds = self.peers.of_first(before + time.perf_counter() - began)
            speed = (self.algorithm.decisions - start) / (self.seconds - before)
            metrics["decisions_per_second"] = speed
            _guard(metrics)
            self._keep_levels()
            watch.iteration(metrics, self.algorithm.decisions, self.seconds, self._left(speed), self.progress())
            while share := looks.due(self.seconds, self.progress()):
                if self.peers.first:
                    self._evaluate(watch, judge, metrics, share)
                looked, self.seconds = self.seconds, self.peers.of_first(before + time.perf_counter() - began)
                looks.taken(share, looked, self.seconds, self.progress())
            if self.seconds - saved >= 60 * every.checkpoint_minutes:
                self.save()
                saved = self.seconds
        self.save()

    def _learn(self) -> dict[str, float]:
        """An iteration. Ctrl-C waits for its end, since half of one could not be gone on with."""
        self._whole = False
        with unbroken():
            metrics = self.algorithm.learn(self.progress())
            self._whole = True
        return metrics

    def _evaluate(self, watch: Watch | Unwatched, judge: Judge | None, metrics: dict[str, float], share: float) -> None:
        matches = self.strength(share)
        watch.strength(matches, metrics, self.algorithm.decisions, self.seconds)
        if judge:
            judge(matches)

    def progress(self) -> float:
        """How much of the run is done: by time if it has a time, else by decisions."""
        run = self.config.run
        if run.minutes is not None:
            return self.seconds / (60 * run.minutes)
        return self.algorithm.decisions / run.decisions

    def _left(self, speed: float) -> float:
        """Seconds to go, at so many decisions a second."""
        run = self.config.run
        if run.minutes is not None:
            return max(0.0, 60 * run.minutes - self.seconds)
        return max(0.0, (run.decisions - self.algorithm.decisions) / speed)

    # --- what comes out ---------------------------------------------------------------------------------------------

    def policy(self, **play: Any) -> Policy:
        a = self.algorithm
        return Policy(Weights(a.rules, a.layout, a.shape, a.best, 1.0 / a.scale, play=a.play), **play)

    def strength(self, share: float = 1.0) -> dict[str, dict[str, float]]:
        """Matches with the panel, of a share of their deals; those of a run with several games are named by them."""
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
        """A checkpoint, and the policy that plays; there for every process once this is over."""
        a = self.algorithm
        arrays, counters = a.state()
        counters |= {"seconds": self.seconds, "config": self.config.model_dump(mode="json")}
        counters["opponents"] = save_opponents(self.folder, counters["frozen"], a.opponents.networks, self.peers)
        save_checkpoint(self.folder, f"{a.decisions:012d}", arrays, counters, self.peers)
        if self.peers.first:
            self._save_policy("policy")
        self.peers.wait()

    def _keep_levels(self) -> None:
        """The policy as it is now, under the names of the levels that the run has just come to."""
        for name, share in self.config.run.levels.items():
            there = (self.folder / f"{name}.json").exists()
            if self.peers.first and not there and self.progress() >= share:
                self._save_policy(name)

    def _save_policy(self, name: str) -> None:
        a = self.algorithm
        about = {
            "layout": self.config.game.layout,
            "memory": self.config.game.memory,
            "value_scale": 1.0 / a.scale,
            "play": a.play._asdict(),
            "config": self.config.model_dump(mode="json"),
            "commit": commit(),
            "training": {
                "decisions": a.decisions,
                "seconds": round(self.seconds, 1),
                "machine": f"{platform.machine()}, {torch.get_num_threads()} thread of torch",
                "versions": versions(),
            },
        }
        save_policy(self.folder / f"{name}.safetensors", a.shape, a.best, a.rules, about)


def _new_folder(config: Config, root: Path) -> Lock:
    """That of the run's name, else one that is not taken; with what the run is about."""
    lock = Lock(root / config.name, "run") if config.run.name else _free_folder(root / config.name)
    folder = lock.folder
    with released(lock):
        if checkpoints(folder):
            raise CheckpointError(f"{folder} holds a run already; go on with --resume {folder}, or set run.name")
        for name in config.run.levels:  # of a run that came to no checkpoint
            (folder / f"{name}.json").unlink(missing_ok=True)
        about = {"config": config.model_dump(mode="json"), "versions": versions(), "commit": commit()}
        write_file(folder / "config.json", (seal(about, indent=2) + "\n").encode())
    return lock


@contextmanager
def released(lock: Lock | None) -> Iterator[None]:
    """If what is inside fails, others may write."""
    try:
        yield
    except BaseException:
        if lock:
            lock.close()
        raise


def _free_folder(first: Path) -> Lock:
    for number in itertools.count(1):
        folder = first if number == 1 else first.with_name(f"{first.name}-{number}")
        try:
            folder.mkdir(parents=True)
            return Lock(folder, "run")
        except FileExistsError:
            continue
    raise AssertionError


def _kept_config(folder: Path, counters: dict[str, Any], trust: bool) -> Config:
    """That of the run's file, or of its checkpoint if there is no such file."""
    path = folder / "config.json"
    try:
        data = unseal(read_text(path), str(path)) if path.exists() else counters
    except ValueError as error:
        raise CheckpointError(f"{error}; delete it, and --resume takes the settings from the checkpoint") from None
    try:
        if not isinstance(data.get("config"), dict):
            raise ConfigError("no settings there")
        config = make_config(data["config"])
        if not trust:
            only_ours(config.agents(), str(path))
    except ConfigError as error:
        raise CheckpointError(f"{path}: {error}" if str(path) not in str(error) else str(error)) from None
    return config


def _seconds(counters: dict[str, Any]) -> float:
    found = counters.get("seconds")
    if not isinstance(found, int | float) or not 0 <= found < math.inf:
        raise ValueError(f"seconds = {found!r}; it must be a number")
    return float(found)


def check_panel(config: Config) -> None:
    check_agents(config.run.panel, config.game.all_rules(), "run.panel")


def check_agents(names: Sequence[str], games: list[Rules], where: str) -> None:
    """Raises ConfigError for agents that cannot be made or do not play these games: now, not at the first match."""
    for rules, spec in itertools.product(games, names):
        try:
            check_agent(make_agent(spec), rules)
        except ValueError as error:
            raise ConfigError(f"{where}: {error}") from None


def _compile(config: Config, peers: Peers) -> None:
    """Compile what a run needs, by a run of next to nothing, before the clock starts; the first process for all."""
    for turn in (True, False):
        if peers.first == turn:
            compile_for(config)
        peers.wait()


def _guard(metrics: dict[str, float]) -> None:
    if metrics["entropy"] < _COLLAPSED:
        raise TrainingError(
            f"the policy has collapsed: entropy {metrics['entropy']:.2g}; checkpoints of before are kept. Try a lower "
            "learning rate, or with ppo a larger ppo.entropy_coef, with afterstates higher temperatures"
        )
