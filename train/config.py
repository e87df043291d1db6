"""Settings of training from TOML files and --set, and one line that says what is wrong with them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from casino_env.agents.files import read_text
from casino_env.agents.registry import AgentError, spec_from_file
from casino_env.train.algorithms import kind_of
from casino_env.train.settings import Config, ConfigError
from casino_env.validate import first_problem


def load_config(path: str | None, changes: list[str], *, trust: bool = False) -> Config:
    """The defaults, changed by a TOML file and by a.b=c; raises ConfigError.

    Agents that the file names are the project's own, unless it is trusted.
    """
    config = make_config(read_toml(path, changes))
    if path is not None and not trust:
        only_ours(config.agents(), path, changes)
    return config


def only_ours(specs: Iterable[str], where: str, changes: Sequence[str] = ()) -> None:
    """Raises ConfigError if a file names code of its own. changes: the command line may do that."""
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
    """What a TOML file says, changed by a.b=c; raises ConfigError."""
    try:
        data = _parsed(read_text(Path(path)), path) if path is not None else {}
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise ConfigError(str(error)) from None
    for change in changes:
        _change(data, change)
    return data


def _parsed(text: str, name: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # numbers of thousands of digits, too
        why = "nested too deep" if isinstance(error, RecursionError) else error
        raise ConfigError(f"{name}: not TOML: {why}") from None


def changed_settings(settings: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Sections of settings with {"section.setting": value} put in; the original stays as it is."""
    data = {section: dict(values) for section, values in settings.items()}
    for key, value in changes.items():
        section, _, setting = key.partition(".")
        data.setdefault(section, {})[setting] = value
    return data


def make_config(data: Any) -> Config:
    try:
        config = Config.model_validate(data)
    except (ValueError, TypeError, OverflowError) as error:  # of rules: what is in game.rules may be anything
        said = first_problem(error, Config) if isinstance(error, ValidationError) else " ".join(str(error).split())
        raise ConfigError(said) from None
    kind_of(config)
    return config


def _change(data: dict[str, Any], change: str) -> None:
    """Put a.b=c into the data; c is TOML, or text if it is not."""
    key, equals, text = change.partition("=")
    if not equals:
        raise ConfigError(f"--set {change}: write section.setting=value")
    *sections, last = key.split(".")
    for section in sections:
        data = data.setdefault(section, {})
        if not isinstance(data, dict):
            raise ConfigError(f"--set {change}: {section} has no settings below it")
    try:
        data[last] = _parsed(f"x = {text}", "--set")["x"]
    except ConfigError:
        data[last] = text
