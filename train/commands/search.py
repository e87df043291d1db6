"""Searching settings: short runs with settings drawn by optuna, each judged by the same deals against one opponent.

    trials = 30                      # how many
    minutes = 2.0                    # training of each
    pieces = 4                       # matches on the way; a trial below the median of the others is given up there
    reference = "counter"            # whom every trial plays: any agent, also policy:PATH
    deals = 1000                     # of each match, from both seats
    [search]
    "selfplay.learning_rate" = { low = 5e-4, high = 8e-3, log = true }
    "selfplay.horizon" = [20, 40, 80]
    [settings.run]                   # of every trial, as in a file for training
    algorithm = "ppo"

The score is the difference in points of the last match, never what training itself reports: all trials play the same
deals against the same opponent, so their scores can be compared pair by pair. Everything lies in a folder below runs/;
the same command goes on where it was cut off, and trials that were cut off are begun anew.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from pydantic import Field, model_validator

from casino_env.agents.files import read_text, seal, unseal, write_file
from casino_env.evaluate.matches.books import MOST_DEALS
from casino_env.evaluate.shapes import NUMBER, TABLE, WHOLE, Each, check_shape
from casino_env.extras import install_command
from casino_env.train.algorithms.algorithm import TrainingError
from casino_env.train.commands.cluster import Files, Matches, Say, Trainings, put
from casino_env.train.commands.study_log import ELSEWHERE, StudyLog
from casino_env.train.config import changed_settings, make_config
from casino_env.train.run import Run
from casino_env.train.settings import Config, ConfigError, Section

_FAR = 10**15
_CONFIGURED = "as configured"  # what the first trial is marked with
_RANKED = {"trial": WHOLE, "diff": NUMBER, "low": NUMBER, "high": NUMBER, "settings": TABLE}
_FIRST = 5  # trials before any is given up


class Range(Section):
    """Where a number is searched; whole numbers if both ends are."""

    low: int | float = Field(ge=-_FAR, le=_FAR)
    high: int | float = Field(ge=-_FAR, le=_FAR)
    log: bool = False

    @model_validator(mode="after")
    def _sensible(self) -> Range:
        if not self.low < self.high or (self.log and self.low <= 0):
            raise ValueError(
                f"low = {self.low}, high = {self.high}: low must be below high, and above 0 with log = true"
            )
        return self

    @property
    def tried(self) -> list[float]:
        """Its ends, and of numbers that are not whole one between: a setting may want whole ones."""
        whole = isinstance(self.low, int) and isinstance(self.high, int)
        return [self.low, self.high, *([] if whole else [self.low + 0.618 * (self.high - self.low)])]


class Settings(Section):
    """A file."""

    trials: int = Field(30, ge=1)
    minutes: float = Field(2.0, gt=0.0)
    pieces: int = Field(4, ge=1)
    reference: str = "counter"
    deals: int = Field(1000, ge=2, le=MOST_DEALS)
    seed: int = Field(0, ge=0, lt=2**31)
    search: dict[str, Range | list[Any]] = Field(min_length=1)
    settings: dict[str, dict[str, Any]] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _every_end_is_a_setting(self) -> Settings:
        if any(config.game.others for config in self.configs()):
            raise ValueError("settings.game.others: a search is judged in one game")
        return self

    def configs(self) -> list[Config]:
        """Of trials at the ends of all that is searched, and between."""
        found = []
        for name, choices in self.search.items():
            ends = choices.tried if isinstance(choices, Range) else choices
            if not ends:
                raise ValueError(f"search.{name} has nothing to choose from")
            found += [self.trial("trial", {name: end}) for end in ends]
        return found

    def trial(self, name: str, values: dict[str, Any]) -> Config:
        """The config of a trial."""
        run = {"name": name, "minutes": self.minutes, "evaluate_minutes": self.minutes / self.pieces,
               "panel": [self.reference], "deals": self.deals}  # fmt: skip
        data = changed_settings(self.settings, values)
        return make_config(data | {"run": data.get("run", {}) | run})

    def as_configured(self) -> dict[str, Any]:
        """What the searched settings are without a search."""
        plain = self.trial("trial", {})
        values = {}
        for key in self.search:
            section, _, setting = key.partition(".")
            values[key] = getattr(getattr(plain, section), setting)
        return values


class _GivenUpError(Exception):
    """Training of a trial is not worth going on."""


class Sweep:
    """A study in a folder."""

    def __init__(self, config: Settings, folder: Path, say: Say) -> None:
        import optuna
        from optuna.storages.journal import JournalStorage

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self.config, self.folder, self._say = config, folder, say
        self.log = StudyLog(_claim(folder, config) / "journal.jsonl")
        with self.log.understood():
            self.study = optuna.create_study(
                storage=JournalStorage(cast("Any", self.log)),
                study_name=folder.name, direction="maximize", load_if_exists=True,
                pruner=optuna.pruners.MedianPruner(_FIRST, n_warmup_steps=0),
            )  # fmt: skip
            check_shape(self.ranking(), Each(_RANKED, list), "its trials")
            self._take_up(config)

    def _take_up(self, config: Settings) -> None:
        import optuna

        # A sweep that goes on must not draw again what it has drawn before.
        self.study.sampler = optuna.samplers.TPESampler(seed=config.seed + len(self.study.trials))
        if not self.study.trials and (plain := self._encoded(config.as_configured())) is not None:
            self.study.enqueue_trial(plain, {_CONFIGURED: True})
        for trial in self.study.get_trials(states=[optuna.trial.TrialState.RUNNING]):
            self.study.tell(trial.number, state=optuna.trial.TrialState.FAIL)
            self.study.enqueue_trial(trial.params, {k: v for k, v in trial.user_attrs.items() if k == _CONFIGURED})

    def run(self) -> None:
        while self._done() < self.config.trials:
            self._here(self.study.ask(self._distributions()))

    def run_on(self, far: Trainings) -> None:
        """As many at once as a cluster has room for."""
        going: dict[Any, Iterator[Any]] = {}  # the task that a trial waits for -> the rest of the trial
        room = far.room(self.config.trial("trial", {}))
        while going or self._done() < self.config.trials:
            while len(going) < min(room, self.config.trials - self._done()):
                trial = self._there(self.study.ask(self._distributions()), far)
                going |= _next(trial)
            going |= _next(going.pop(far.first(list(going))))

    def _done(self) -> int:
        return sum("done" in trial.user_attrs for trial in self.study.trials)

    def _distributions(self) -> dict[str, Any]:
        """Choices are drawn as JSON, for optuna stores no lists."""
        from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

        found: dict[str, Any] = {}
        for name, choices in self.config.search.items():
            if not isinstance(choices, Range):
                found[name] = CategoricalDistribution([json.dumps(choice) for choice in choices])
            elif isinstance(choices.low, int) and isinstance(choices.high, int):
                found[name] = IntDistribution(choices.low, choices.high, log=choices.log)
            else:
                found[name] = FloatDistribution(choices.low, choices.high, log=choices.log)
        return found

    def _encoded(self, values: dict[str, Any]) -> dict[str, Any] | None:
        """Values as they are drawn; None if they could not be."""
        drawn = {}
        for name, kind in self._distributions().items():
            drawn[name] = values[name] if isinstance(self.config.search[name], Range) else json.dumps(values[name])
            try:
                possible = kind._contains(kind.to_internal_repr(drawn[name]))
            except ValueError:  # none of the choices
                possible = False
            if not possible:
                return None
        return drawn

    def _decoded(self, drawn: dict[str, Any]) -> dict[str, Any]:
        search = self.config.search
        return {key: value if isinstance(search[key], Range) else json.loads(value) for key, value in drawn.items()}

    def _here(self, trial: Any) -> None:
        with self._told(trial) as scores:
            run = Run.start(self._config(trial), self.folder)
            run.train(quiet=True, judge=lambda matches: self._judge(trial, matches, scores))

    def _there(self, trial: Any, far: Trainings) -> Iterator[Any]:
        """From match to match, each time from what is here; gives the tasks that it waits for."""
        with self._told(trial) as scores:
            config, files, progress = self._config(trial), Files(), 0.0
            while progress < 1.0:
                task = far.begin(config, files, looks=True)
                yield task
                files, matches, progress = far.outcome(task, config.name)
                put(files, self.folder / config.name)
                self._judge(trial, matches, scores)

    def _config(self, trial: Any) -> Config:
        return self.config.trial(f"trial-{trial.number:04d}", self._decoded(trial.params))

    @contextmanager
    def _told(self, trial: Any) -> Iterator[list[dict[str, float]]]:
        """Gives the scores, to be filled. Whatever goes wrong in one trial is its own result."""
        from optuna.trial import TrialState

        scores: list[dict[str, float]] = []
        state, why = TrialState.COMPLETE, ""
        try:
            yield scores
        except _GivenUpError:
            state, why = TrialState.PRUNED, ", given up"
        except (ConfigError, TrainingError) as error:
            state, why = TrialState.FAIL, f"failed: {error}"
        trial.set_user_attr("done", True)
        if scores:
            trial.set_user_attr("interval", [scores[-1]["low"], scores[-1]["high"]])
        score = scores[-1]["diff"] if scores and state is TrialState.COMPLETE else None
        self.study.tell(trial, score, state)
        told = _points(scores[-1]) if scores else ""
        self._say(f"trial {trial.number:3}: {_listed(self._decoded(trial.params))}: {told}{why}")

    def _judge(self, trial: Any, matches: Matches, scores: list[dict[str, float]]) -> None:
        match = matches[self.config.reference]
        scores.append(match)
        trial.report(match["diff"], len(scores))
        if len(scores) < self.config.pieces and trial.should_prune():
            raise _GivenUpError

    def ranking(self) -> list[dict[str, Any]]:
        """Trials that were trained to the end, best first."""
        rows = []
        for trial in self.study.trials:
            if trial.state.name == "COMPLETE":
                low, high = trial.user_attrs["interval"]
                about = {"settings": self._decoded(trial.params), "as_configured": _CONFIGURED in trial.user_attrs}
                rows.append({"trial": trial.number, "diff": trial.value, "low": low, "high": high, **about})
        return sorted(rows, key=lambda row: -row["diff"])


def _next(trial: Iterator[Any]) -> dict[Any, Iterator[Any]]:
    """The trial by the task that it waits for now; nothing if it is over."""
    return dict.fromkeys(itertools.islice(trial, 1), trial)


def _claim(folder: Path, config: Settings) -> Path:
    """The folder, if it is new or holds this very sweep; more trials than before are fine."""
    folder.mkdir(parents=True, exist_ok=True)
    about, mine = folder / "sweep.json", config.model_dump(mode="json")
    if about.exists():
        try:
            theirs = unseal(read_text(about), str(about))
        except ValueError as error:
            raise ConfigError(f"{error}; {ELSEWHERE}") from None
        other = [key for key in mine if key != "trials" and theirs.get(key) != mine[key]]
        if other:
            raise ConfigError(
                f"{folder} holds another sweep: {', '.join(other)} differ; name another folder with --name"
            )
    write_file(about, (seal(mine, indent=2) + "\n").encode())
    return folder


# --- the command -----------------------------------------------------------------------------------------------------


def run(config: Settings, folder: Path, tell: Say, ray: str = "") -> dict[str, Any]:
    """Search; as plain data. ray: the address of a cluster that trains."""
    try:
        sweep = Sweep(config, folder, tell)
    except ImportError:
        raise ConfigError(f"a search needs optuna: {install_command('hpo')}") from None
    try:
        if ray:
            with Trainings(ray) as far:
                sweep.run_on(far)
        else:
            sweep.run()
        return {"folder": str(folder), "rows": sweep.ranking()}
    finally:
        sweep.log.close()


def as_text(config: Settings, found: dict[str, Any]) -> str:
    if not found["rows"]:
        return "no trial was trained to its end"
    lines = [f"\nPoints a deal more than {config.reference}, over {config.deals:,} deals:\n"]
    for row in found["rows"][:10]:
        mark = "  (as configured)" if row["as_configured"] else ""
        lines.append(f"  trial {row['trial']:3}  {_points(row)}  {_listed(row['settings'])}{mark}")
    best = " ".join(f"--set {key}={json.dumps(value)}" for key, value in found["rows"][0]["settings"].items())
    return "\n".join([*lines, f"\nThe best: {best}\nAll trials lie in {found['folder']}."])


def _points(row: dict[str, float]) -> str:
    return f"{row['diff']:+.2f} ({row['low']:+.2f} to {row['high']:+.2f})"


def _listed(values: dict[str, Any]) -> str:
    return ", ".join(
        f"{key} {value:.3g}" if isinstance(value, float) else f"{key} {value}" for key, value in values.items()
    )
