"""casino train tune FILE: settings searched by short runs; optuna draws them, each is judged by the same deals.

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
deals against the same opponent, so their scores can be compared pair by pair. Trials that were cut off are begun anew.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, Field, TypeAdapter, ValidationError, model_validator

from casino_env.agents.files import DamagedFileError, Journal, read_journal
from casino_env.extras import install_command
from casino_env.train.algorithms.algorithm import TrainingError
from casino_env.train.commands.ray_trainings import Files, Matches, Say, Trainings, write_run
from casino_env.train.commands.studies import Study, run_study
from casino_env.train.run import Run
from casino_env.train.run_log import interval_text
from casino_env.train.settings import Config, ConfigError, Section
from casino_env.validate import first_problem

_FAR = 10**15
_CONFIGURED = "as configured"  # what the first trial is marked with
_FIRST = 5  # trials before any is given up
_ELSEWHERE = "give the search another folder (--name)"


# --- the file --------------------------------------------------------------------------------------------------------


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
    def whole(self) -> bool:
        return isinstance(self.low, int) and isinstance(self.high, int)

    @property
    def tried(self) -> list[float]:
        """Its ends, and of numbers that are not whole one between: a setting may want whole ones."""
        return [self.low, self.high, *([] if self.whole else [self.low + 0.618 * (self.high - self.low)])]


class Tuning(Study):
    trials: int = Field(30, ge=1)
    minutes: float = Field(2.0, gt=0.0)
    pieces: int = Field(4, ge=1)
    seed: int = Field(0, ge=0, lt=2**31)
    search: dict[str, Range | list[Any]] = Field(min_length=1)

    @model_validator(mode="after")
    def _in_one_game(self) -> Tuning:
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
        return self.config(values, run)

    def as_configured(self) -> dict[str, Any] | None:
        """What the searched settings are without a search, encoded; None if the search could not draw them."""
        plain, found = self.trial("trial", {}), {}
        for name, choices in self.search.items():
            section, _, setting = name.partition(".")
            value = getattr(getattr(plain, section), setting)
            if isinstance(choices, Range):
                possible, found[name] = choices.low <= value <= choices.high, value
            else:  # optuna stores no lists
                found[name] = json.dumps(value)
                possible = found[name] in map(json.dumps, choices)
            if not possible:
                return None
        return found

    def decoded(self, drawn: dict[str, Any]) -> dict[str, Any]:
        return {
            name: value if isinstance(self.search[name], Range) else json.loads(value) for name, value in drawn.items()
        }

    def distributions(self) -> dict[str, Any]:
        """Choices are drawn as JSON."""
        from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

        def of(choices: Range | list[Any]) -> Any:
            if isinstance(choices, Range):
                kind: Any = IntDistribution if choices.whole else FloatDistribution
                return kind(choices.low, choices.high, log=choices.log)
            return CategoricalDistribution([json.dumps(choice) for choice in choices])

        return {name: of(choices) for name, choices in self.search.items()}


# --- the search ------------------------------------------------------------------------------------------------------


class Ranked(BaseModel):
    """A trial that was trained to its end."""

    trial: int
    diff: float
    low: float
    high: float
    settings: dict[str, Any]
    as_configured: bool


class _GivenUpError(Exception):
    """Training of a trial is not worth going on."""


class Search:
    """A study of optuna in a folder."""

    def __init__(self, config: Tuning, folder: Path, say: Say) -> None:
        import optuna
        from optuna.storages.journal import JournalStorage

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self.config, self.folder, self._say = config, folder, say
        folder.mkdir(parents=True, exist_ok=True)
        self.log = StudyLog(folder / "journal.jsonl", config)
        with self.log.understood():
            self.study = optuna.create_study(
                storage=JournalStorage(cast("Any", self.log)),
                study_name=folder.name, direction="maximize", load_if_exists=True,
                pruner=optuna.pruners.MedianPruner(_FIRST, n_warmup_steps=0),
            )  # fmt: skip
            self.ranking()
            # A search that goes on must not draw again what it has drawn before.
            self.study.sampler = optuna.samplers.TPESampler(seed=config.seed + len(self.study.trials))
            if not self.study.trials and (plain := config.as_configured()) is not None:
                self.study.enqueue_trial(plain, {_CONFIGURED: True})
            for trial in self.study.get_trials(states=[optuna.trial.TrialState.RUNNING]):  # that were cut off
                self.study.tell(trial.number, state=optuna.trial.TrialState.FAIL)
                marks = {key: value for key, value in trial.user_attrs.items() if key == _CONFIGURED}
                self.study.enqueue_trial(trial.params, marks)

    def run(self, far: Trainings | None = None) -> None:
        """One trial after the other, or on a cluster as many at once as it has room for."""
        if far is None:
            while self._done() < self.config.trials:
                trial = self.ask()
                with self._told(trial) as scores:
                    judge = partial(self._judge, trial, scores)
                    Run.start(self._config(trial), self.folder).train(quiet=True, judge=judge)
            return
        going: dict[Any, Iterator[Any]] = {}  # the task that a trial waits for -> the rest of the trial
        capacity = far.capacity(self.config.trial("trial", {}))
        while going or self._done() < self.config.trials:
            while len(going) < min(capacity, self.config.trials - self._done()):
                going |= _next(self._train_there(self.ask(), far))
            going |= _next(going.pop(far.first(list(going))))

    def ask(self) -> Any:
        return self.study.ask(self.config.distributions())

    def _done(self) -> int:
        return sum("done" in trial.user_attrs for trial in self.study.trials)

    def _train_there(self, trial: Any, far: Trainings) -> Iterator[Any]:
        """From match to match, each time from what is here; gives the tasks that it waits for."""
        with self._told(trial) as scores:
            config, files, progress = self._config(trial), Files(), 0.0
            while progress < 1.0:
                task = far.begin(config, files, to_match=True)
                yield task
                files, matches, progress = far.outcome(task, config.name)
                write_run(files, self.folder / config.name)
                self._judge(trial, scores, matches)

    def _config(self, trial: Any) -> Config:
        return self.config.trial(f"trial-{trial.number:04d}", self.config.decoded(trial.params))

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
        self.study.tell(trial, scores[-1]["diff"] if scores and state is TrialState.COMPLETE else None, state)
        told = interval_text(scores[-1]) if scores else ""
        self._say(f"trial {trial.number:3}: {_listed(self.config.decoded(trial.params))}: {told}{why}")

    def _judge(self, trial: Any, scores: list[dict[str, float]], matches: Matches) -> None:
        match = matches[self.config.reference]
        scores.append(match)
        trial.report(match["diff"], len(scores))
        if len(scores) < self.config.pieces and trial.should_prune():
            raise _GivenUpError

    def ranking(self) -> list[dict[str, Any]]:
        """Trials that were trained to the end, best first; raises ValueError for what no search has written."""
        rows = []
        for trial in self.study.trials:
            if trial.state.name == "COMPLETE":
                low, high = trial.user_attrs["interval"]
                about = {
                    "settings": self.config.decoded(trial.params),
                    "as_configured": _CONFIGURED in trial.user_attrs,
                }
                rows.append({"trial": trial.number, "diff": trial.value, "low": low, "high": high, **about})
        ranked = TypeAdapter(list[Ranked]).validate_python(rows, strict=True)
        return [row.model_dump() for row in sorted(ranked, key=lambda row: -row.diff)]


def _next(trial: Iterator[Any]) -> dict[Any, Iterator[Any]]:
    """The trial by the task that it waits for now; nothing if it is over."""
    return dict.fromkeys(itertools.islice(trial, 1), trial)


class StudyLog:
    """Where optuna keeps a study: a journal of ours, so that kills, full disks and flipped bits are met as everywhere.

    The folder of a search is locked, so there is no other writer.
    """

    def __init__(self, path: Path, config: Tuning) -> None:
        """New, or of this very search; more trials than before are fine."""
        mine = config.model_dump(mode="json", exclude={"trials"})
        try:
            head, *self._rows = (read_journal(path) if path.exists() else []) or [{"config": mine}]
        except DamagedFileError as error:
            raise DamagedFileError(f"{error}; {_ELSEWHERE}") from None
        theirs = found if isinstance(found := head.get("config"), dict) else {}
        if other := [key for key in mine if theirs.get(key) != mine[key]]:
            raise ConfigError(f"{path.parent} holds another search: {', '.join(other)} differ; {_ELSEWHERE}")
        self._file = Journal(path, {"format": "casino-tuning 1", "config": mine})

    def read_logs(self, log_number_from: int) -> list[dict[str, Any]]:
        return self._rows[log_number_from:]

    def append_logs(self, logs: list[dict[str, Any]]) -> None:
        self._file.append(*logs)
        self._rows += logs

    @contextmanager
    def understood(self) -> Iterator[None]:
        """Optuna checks nothing of what it finds there, and stumbles in its own way."""
        try:
            yield
        except OSError:  # of the disk
            raise
        except Exception as error:  # noqa: BLE001 - see above
            self.close()
            said = first_problem(error, Ranked) if isinstance(error, ValidationError) else error
            why = f"{type(error).__name__}: {said}".splitlines()[0]
            raise DamagedFileError(f"{self._file.path}: not of this search ({why}); {_ELSEWHERE}") from None

    def close(self) -> None:
        self._file.close()


# --- the command -----------------------------------------------------------------------------------------------------


def main(arguments: list[str]) -> int:
    return run_study("tune", __doc__, Tuning, tune, as_text, arguments)


def tune(config: Tuning, folder: Path, tell: Say, ray: str = "") -> dict[str, Any]:
    """Search; as plain data."""
    try:
        search = Search(config, folder, tell)
    except ImportError:
        raise ConfigError(f"a search needs optuna: {install_command('hpo')}") from None
    try:
        if ray:
            with closing(Trainings(ray)) as far:
                search.run(far)
        else:
            search.run()
        return {"folder": str(folder), "rows": search.ranking()}
    finally:
        search.log.close()


def as_text(config: Tuning, found: dict[str, Any]) -> str:
    if not found["rows"]:
        return "no trial was trained to its end"
    lines = [f"\nPoints a deal more than {config.reference}, over {config.deals:,} deals:\n"]
    for row in found["rows"][:10]:
        mark = "  (as configured)" if row["as_configured"] else ""
        lines.append(f"  trial {row['trial']:3}  {interval_text(row)}  {_listed(row['settings'])}{mark}")
    best = " ".join(f"--set {key}={json.dumps(value)}" for key, value in found["rows"][0]["settings"].items())
    return "\n".join([*lines, f"\nThe best: {best}\nAll trials lie in {found['folder']}."])


def _listed(values: dict[str, Any]) -> str:
    return ", ".join(
        f"{key} {value:.3g}" if isinstance(value, float) else f"{key} {value}" for key, value in values.items()
    )
