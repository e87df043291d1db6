"""Every setting of a training run with its default, changed by TOML files and --set."""

from __future__ import annotations

import argparse
import math
import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from casino_env.agents.files import read_text
from casino_env.agents.policy.policy_files import MOST_LAYERS, MOST_WIDTH
from casino_env.agents.registry import AgentError, spec_from_file
from casino_env.agents.scripted.bots import BOTS
from casino_env.envs.options import Options
from casino_env.evaluate.matches.deals import MOST_DEALS
from casino_env.rules import Rules, rules_of
from casino_env.validate import LARGEST, check_least, closest, error_text, first_problem, short_repr

_FOLDER = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}")


def folder_name(name: str) -> str:
    """Return the name if it is valid for a subfolder, else raise ValueError."""
    if not _FOLDER.fullmatch(name):
        raise ValueError("a name must have 1 to 100 letters, digits, '-', '_' and '.', and not begin with '.'")
    return name


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @model_validator(mode="after")
    def _within_reach(self) -> Self:
        for name, value in self:
            if isinstance(value, int | float) and not -LARGEST <= value <= LARGEST:
                raise ValueError(f"{name} = {short_repr(value)}: no run could use such a number")
        return self


class Rulebook(Section):
    """A game: a preset, and the switches that differ from it."""

    variant: str = "south-african"  # name of the preset
    players: int = Field(2, ge=2, le=6)  # number of players
    rules: dict[str, Any] = {}  # switches that differ from the preset

    def make_rules(self) -> Rules:
        return rules_of(self.variant, self.players, self.rules)


class GameConfig(Rulebook):
    """The games that are played, and how they are observed."""

    others: tuple[Rulebook, ...] = ()  # more games for the same network, in rotation; needs layout = universal
    layout: Literal["own", "universal"] = "own"  # layout of the observation
    memory: Literal["perfect", "none"] = "perfect"  # memory of face-down piles
    shaping: float = Field(0.0, ge=0.0, le=1.0)  # weight of an early reward for points secured ahead of the others

    def all_rules(self) -> list[Rules]:
        return [game.make_rules() for game in (self, *self.others)]

    def options(self) -> Options:
        return Options(layout=self.layout, memory=self.memory, shaping=self.shaping)


class NetworkConfig(Section):
    start: str = ""  # a policy (file, or folder of a run) whose weights the network starts from
    hidden: tuple[int, ...] = (128, 64)  # widths of the hidden layers
    without: tuple[str, ...] = ()  # segments of the observation that the network ignores

    @model_validator(mode="after")
    def _sensible(self) -> NetworkConfig:
        if not 1 <= len(self.hidden) <= MOST_LAYERS or not all(1 <= width <= MOST_WIDTH for width in self.hidden):
            raise ValueError(f"hidden: must be 1 to {MOST_LAYERS} widths, each from 1 to {MOST_WIDTH}")
        return self


class OptimizerConfig(Section):
    """Settings of Adam and of the averaged weights."""

    minibatch: int = Field(2048, ge=1)  # decisions in an optimizer step
    epochs: int = Field(1, ge=1)  # passes over the decisions of an iteration
    learning_rate: float = Field(2e-3, gt=0.0)  # learning rate of Adam at the start
    final_learning_rate: float = Field(0.05, ge=0.0, le=1.0)  # learning rate at the end, as a share of learning_rate
    max_grad_norm: float = Field(0.5, gt=0.0)  # longer gradients are clipped to this norm
    ema_decay: float = Field(0.99, ge=0.0, lt=1.0)  # decay a step of the averaged weights (EMA), which play

    def rate(self, progress: float) -> float:
        """Return the learning rate, which falls linearly. progress: share of the run that is done, 0 to 1."""
        return self.learning_rate * (1.0 - (1.0 - self.final_learning_rate) * min(1.0, progress))


class SelfplayConfig(OptimizerConfig):
    """Self-play by actions, and how ppo and dmc learn from it."""

    games: int = Field(256, ge=1, le=1_000_000)  # games played in parallel
    horizon: int = Field(40, ge=1, le=1_000_000)  # decisions of each game in an iteration
    value_coef: float = Field(0.5, ge=0.0)  # weight of the value loss

    @model_validator(mode="after")
    def _a_minibatch_fits(self) -> SelfplayConfig:
        rows = self.games * self.horizon
        if self.minibatch > rows:
            raise ValueError(f"minibatch = {self.minibatch}; it must be at most games x horizon = {rows}")
        return self


class PpoConfig(Section):
    """Settings of PPO alone; [selfplay] has its games, minibatches and learning rate."""

    clip: float = Field(0.2, gt=0.0)  # largest change of an action's probability in a step, as a ratio
    kl_coef: float = Field(0.05, ge=0.0)  # weight of the KL divergence from the policy that played
    gae_lambda: float = Field(0.5, ge=0.0, le=1.0)  # lambda of the policy's advantages
    value_lambda: float = Field(0.8, ge=0.0, le=1.0)  # lambda of the value targets
    entropy_coef: float = Field(0.1, ge=0.0)  # weight of the entropy bonus at the start
    entropy_floor: float = Field(0.01, ge=0.0)  # smallest weight of the entropy bonus
    entropy_power: float = Field(0.3, ge=0.0)  # entropy_coef is divided by (1 + iteration / 100) to this power
    open_entropy: float = Field(1.0, ge=0.0)  # factor of the entropy bonus where the seat knows all cards


class DmcConfig(Section):
    """Settings of Deep Monte-Carlo alone; [selfplay] has its games, minibatches and learning rate."""

    epsilon: float = Field(0.1, gt=0.0, le=1.0)  # share of decisions with a random legal action, at the start
    final_epsilon: float = Field(0.01, gt=0.0, le=1.0)  # epsilon at the end
    td_lambda: float = Field(1.0, ge=0.0, le=1.0)  # lambda of the returns; 1: only the result of the deal


class AfterstatesConfig(OptimizerConfig):
    """Self-play by turns, and how the values of afterstates are learnt from it."""

    minibatch: int = Field(512, ge=1)  # turns in an optimizer step
    epochs: int = Field(3, ge=1)  # passes over the turns of an iteration
    learning_rate: float = Field(3e-3, gt=0.0)  # learning rate of Adam at the start
    final_learning_rate: float = Field(0.02, ge=0.0, le=1.0)  # learning rate at the end, as a share of learning_rate
    max_grad_norm: float = Field(1.0, gt=0.0)  # longer gradients are clipped to this norm
    ema_decay: float = Field(0.998, ge=0.0, lt=1.0)  # decay a step of the averaged weights (EMA), which play
    deals: int = Field(128, ge=1, le=1_000_000)  # deals in an iteration
    td_lambda: float = Field(0.3, ge=0.0, le=1.0)  # lambda of the returns; 1: only the result of the deal
    temperature: float = Field(0.5, gt=0.0)  # temperature of the softmax over turns, in points, at the start
    final_temperature: float = Field(0.1, gt=0.0)  # temperature at the end


class OpponentsConfig(Section):
    """The opponents of the learner besides itself."""

    bots: dict[str, float] = {}  # opponents: name of a bot = share of the deals in which it plays

    @model_validator(mode="after")
    def _shares(self) -> OpponentsConfig:
        for name, share in self.bots.items():
            if name not in BOTS:
                raise ValueError(f"bots: unknown bot {name!r}{closest(name, list(BOTS))}; known: {', '.join(BOTS)}")
            if not 0.0 <= share <= 1.0:
                raise ValueError(f"bots: {name} = {share}; it must be from 0 to 1")
        if sum(self.bots.values()) > 1.0 + 1e-9:
            raise ValueError("bots: the shares add up to more than 1")
        return self


class TargetConfig(Section):
    agent: str = ""  # the opponent of a best response: policy:PATH or a bot


class RunConfig(Section):
    name: Annotated[str, AfterValidator(folder_name)] | None = None  # folder name in runs/; default: game and seed
    seed: int = Field(0, ge=0, lt=2**63)  # seed of all random choices
    algorithm: str = "afterstates"  # afterstates, ppo, dmc or best-response
    decisions: int = Field(5_000_000, ge=1)  # stop after so many, unless a time is set; afterstates count turns
    minutes: float | None = Field(None, gt=0.0)  # stop after so much time by the clock
    cpu_minutes: float | None = Field(None, gt=0.0)  # stop after so much processor time
    levels: dict[str, float] = {}  # weaker policies to keep: name = share of the run
    checkpoint_minutes: float = Field(1.0, gt=0.0)  # minutes of learning between checkpoints
    evaluate_minutes: float = Field(1.0, gt=0.0)  # minutes of learning between rounds of matches with the panel
    panel: tuple[str, ...] = ("greedy", "counter")  # opponents in matches during training
    deals: int = Field(500, ge=2, le=MOST_DEALS)  # deals in each of these matches

    @model_validator(mode="after")
    def _levels(self) -> RunConfig:
        for name, share in self.levels.items():
            if not re.fullmatch(r"[A-Za-z0-9_-]{1,100}", name) or name in ("policy", "config"):
                raise ValueError(f"levels: {name!r} cannot be the name of a file beside policy.safetensors")
            if not 0.0 < share < 1.0:
                raise ValueError(f"levels: {name} = {share}; it must be between 0 and 1")
        return self


class MachineConfig(Section):
    overlap: bool = True  # play the next games while learning from the last ones
    threads: int = Field(2, ge=1, le=1024)  # threads that play games; one more learns. PPO with overlap plays in one
    device: Literal["auto", "cpu", "cuda"] = "auto"  # device that computes the networks
    kernels: bool = True  # false: PPO plays and learns in torch, slower and easier to change


class Config(Section):
    game: GameConfig = GameConfig()
    network: NetworkConfig = NetworkConfig()
    opponents: OpponentsConfig = OpponentsConfig()
    afterstates: AfterstatesConfig = AfterstatesConfig()
    selfplay: SelfplayConfig = SelfplayConfig()
    ppo: PpoConfig = PpoConfig()
    dmc: DmcConfig = DmcConfig()
    target: TargetConfig = TargetConfig()
    run: RunConfig = RunConfig()
    machine: MachineConfig = MachineConfig()

    @model_validator(mode="after")
    def _fits(self) -> Config:
        if (self.run.algorithm == "best-response") != bool(self.target.agent):
            raise ValueError("target.agent must be given with run.algorithm = 'best-response', and only then")
        self.game.all_rules()
        return self

    def changed(self, **sections: dict[str, Any]) -> Config:
        """Return a copy with some settings changed, unchecked."""
        return self.model_copy(
            update={name: getattr(self, name).model_copy(update=changes) for name, changes in sections.items()}
        )

    def agents(self) -> list[str]:
        """The agents that the config names."""
        return [*self.run.panel, *([self.target.agent] if self.target.agent else [])]

    @property
    def name(self) -> str:
        return self.run.name or f"{self.game.variant}-{self.game.players}-seed{self.run.seed}"


# --- errors ----------------------------------------------------------------------------------------------------------


class ConfigError(ValueError):
    """A setting is wrong; the message says in one line which, why and what would be right."""


def check_options(args: argparse.Namespace, **least: float) -> None:
    """Raise ConfigError if an option of the command line is less than this, or asks for too many deals."""
    for name, low in least.items():
        try:
            if (value := getattr(args, name)) is not None:
                check_least(name.replace("_", "-"), value, low, MOST_DEALS if name == "deals" else math.inf)
        except ValueError as error:
            raise ConfigError(str(error)) from None


# --- from files and the command line ---------------------------------------------------------------------------------


def load_config(path: str | None, changes: list[str], *, trust: bool = False) -> Config:
    """Return the defaults changed by a TOML file and by a.b=c; raises ConfigError.

    Unless trust is true, the file may name only the project's own agents.
    """
    config = make_config(read_toml(path, changes))
    if path is not None and not trust:
        only_ours(config.agents(), path, changes)
    return config


def only_ours(specs: Iterable[str], where: str, changes: Sequence[str] = ()) -> None:
    """Raise ConfigError if a file names agents that are not the project's own. Specs in changes (--set) may."""
    given = set(_texts(read_toml(None, changes)))
    try:
        for spec in specs:
            if spec not in given:
                spec_from_file(spec, where)
    except AgentError as error:
        raise ConfigError(str(error)) from None


def _texts(data: Any) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict | list):
        for inner in data.values() if isinstance(data, dict) else data:
            yield from _texts(inner)


def read_toml(path: str | None, changes: Sequence[str]) -> dict[str, Any]:
    """Return the data of a TOML file, changed by a.b=c; raises ConfigError."""
    try:
        data = _parsed(read_text(Path(path)), path) if path is not None else {}
    except (OSError, ValueError) as error:
        raise ConfigError(error_text(error)) from None
    for change in changes:
        _change(data, change)
    return data


def _parsed(text: str, name: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError also for integers of thousands of digits
        why = "nested too deep" if isinstance(error, RecursionError) else error
        raise ConfigError(f"{name}: not TOML: {why}") from None


def make_config(data: Any) -> Config:
    """Validate data as a Config, or raise ConfigError in one line. kind_of checks what the algorithm supports."""
    try:
        return Config.model_validate(data)
    except (ValueError, TypeError, OverflowError) as error:  # game.rules may hold anything
        said = first_problem(error, Config) if isinstance(error, ValidationError) else " ".join(str(error).split())
        raise ConfigError(said) from None


def _change(data: dict[str, Any], change: str) -> None:
    """Apply a.b=c to the data; c is a TOML value, or else plain text."""
    key, equals, text = change.partition("=")
    if not equals:
        raise ConfigError(f"--set {change}: write section.setting=value")
    try:
        value = _parsed(f"x = {text}", "--set")["x"]
    except ConfigError:
        value = text
    put(data, key, value)


def put(data: dict[str, Any], key: str, value: Any) -> None:
    """Set data[a][b] = value for the key a.b; raises ConfigError."""
    *sections, last = key.split(".")
    for section in sections:
        data = data.setdefault(section, {})
        if not isinstance(data, dict):
            raise ConfigError(f"--set {key}: {section} has no settings below it")
    data[last] = value
