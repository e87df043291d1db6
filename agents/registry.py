"""Agents by name: `counter`, `counter:effort=16`, or one of your own by its dotted path.

A spec is a name, then after a colon its parameters as key=value with commas between them; the value of the first
parameter may stand alone (`policy:PATH`). Own agents need no entry here. Any of these finds a class or function that
returns an object with reset and act:

    package.module:Name    package.module:Name:key=value    package.module.Name    package.module.Name:key=value

That runs code, so a spec that comes out of a file or a request may only name agents of the project (spec_from_file).
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from types import NoneType
from typing import Any, get_args

from casino_env.extras import missing_package
from casino_env.rules import closest
from casino_env.validate import short_repr

_LONGEST = 4096  # characters of a spec: a path may have as many
_SHOWN = 200  # of what is wrong, in a message


class AgentError(ValueError):
    """A spec that names no agent or gives it wrong parameters: one line says what would be right."""


@dataclass(frozen=True)
class Known:
    place: str  # module:factory, loaded when it is asked for
    summary: str
    given: dict[str, Any] = field(default_factory=dict)  # arguments that the name stands for
    inner: str = ""  # the parameter that is the spec of another agent

    @property
    def factory(self) -> Callable[..., Any]:
        module, _, name = self.place.partition(":")
        return getattr(importlib.import_module(module), name)  # type: ignore[no-any-return]

    def parameters(self) -> dict[str, inspect.Parameter]:
        known = inspect.signature(self.factory, eval_str=True).parameters
        return {name: parameter for name, parameter in known.items() if name not in self.given}


def _ours(place: str, summary: str, inner: str = "", **given: Any) -> Known:
    return Known(f"casino_env.agents.{place}", summary, given, inner)


AGENTS: dict[str, Known] = {
    "random": _ours("scripted.agent:Scripted", "any legal action", bot="random"),
    "greedy": _ours("scripted.agent:Scripted", "most points now, then cards and spades", bot="greedy"),
    "builder": _ours("scripted.agent:Scripted", "builds high, adds at every chance, captures in time", bot="builder"),
    "counter": _ours(
        "scripted.agent:Scripted", "counts cards: what can be taken, what it gives away, who holds what", bot="counter"
    ),
    "partner": _ours("scripted.agent:Scripted", "counter that plays together with its partner", bot="partner"),
    "search": _ours("search.agent:Search", "plays out worlds that agree with what it knows, solves endings"),
    "strongest": _ours("search.strongest:Strongest", "the best search that there is for the game and the time"),
    "solved": _ours(
        "solver.agent:Solved", "another agent, but for the endings that the exact solver can play", inner="agent"
    ),
    "policy": _ours("policy.agent:make_policy", "a trained network: a file of weights or the folder of a run"),
}


def make_agent(spec: str, trusted: bool = True) -> Any:
    """The agent of a spec; raises AgentError. trusted: the spec may name code of its own."""
    if not trusted:
        spec_from_file(spec, "the spec")
    name, entry, rest = _find(_as_spec(spec))
    arguments = _arguments(name, entry.parameters(), rest)
    try:
        agent = entry.factory(**entry.given, **arguments)
    except Exception as error:  # it may be anybody's code
        lacking = missing_package(error) if isinstance(error, ImportError) else ""
        raise AgentError(f"{name}: {lacking or told(error)}") from error
    if not (hasattr(agent, "reset") and hasattr(agent, "act")):
        raise AgentError(f"{name}: an agent needs the methods reset and act")
    return agent


def spec_from_file(spec: Any, where: str) -> str:
    """The spec, if it names an agent of the project. Nothing is imported that a file or a request names."""
    try:
        name, _, rest = _as_spec(spec).partition(":")
        if name not in AGENTS and _is_code(name, rest):
            raise AgentError(
                f"agent {shown(spec)} is code of its own: name it on the command line (or --trust) if you trust it"
            )
        if name not in AGENTS:
            raise AgentError(_unknown(name, rest))
        inner = _arguments(name, AGENTS[name].parameters(), rest).get(AGENTS[name].inner)
    except AgentError as error:
        raise AgentError(f"{where}: {error}") from None
    if inner is not None:
        spec_from_file(inner, where)
    return str(spec)


def describe() -> list[dict[str, Any]]:
    """Every known agent with its parameters, as plain data."""
    rows = []
    for name, entry in AGENTS.items():
        parameters = [
            {"name": key, "type": _type_name(parameter), "default": _default(parameter)}
            for key, parameter in entry.parameters().items()
        ]
        rows.append({"name": name, "summary": entry.summary, "parameters": parameters})
    return rows


# --- finding the factory -----------------------------------------------------------------------------------------


def _as_spec(spec: Any) -> str:
    if not isinstance(spec, str):
        raise AgentError(f"an agent is named by text, not {shown(spec)}")
    if len(spec) > _LONGEST:
        raise AgentError(f"agent {shown(spec)} has {len(spec)} characters; a spec has at most {_LONGEST}")
    return spec


def _find(spec: str) -> tuple[str, Known, str]:
    """(name for messages, entry, parameters as text)"""
    name, _, rest = spec.partition(":")
    if name in AGENTS:
        return name, AGENTS[name], rest
    head, _, tail = rest.partition(":")
    if head.isidentifier() and _is_module(name):
        return _plug_in(name, head, tail)
    if "." in name and _is_module(name.rpartition(".")[0]):
        return _plug_in(name.rpartition(".")[0], name.rpartition(".")[2], rest)
    raise AgentError(_unknown(name, rest))


def _is_code(name: str, rest: str) -> bool:
    """Written like package.module:Name or package.module.Name."""
    return "." in name or rest.partition(":")[0].isidentifier()


def _unknown(name: str, rest: str) -> str:
    if "." in name:
        return f"unknown agent {shown(name)}: there is no module {shown(name)} or {shown(name.rpartition('.')[0])}"
    no_module = f"; and there is no module {shown(name)}" if _is_code(name, rest) else ""
    near = closest(name, list(AGENTS)) if len(name) < _SHOWN else ""
    return f"unknown agent {shown(name)}{near}; known: {', '.join(AGENTS)}{no_module}"


def _is_module(name: str) -> bool:
    if "" not in sys.path:  # the folder of the user, whose bots are found after all else: only now that one is named
        sys.path.append("")
    try:
        return importlib.util.find_spec(name) is not None
    except Exception:  # noqa: BLE001  looking for a.b runs a
        return False


def _plug_in(module: str, name: str, rest: str) -> tuple[str, Known, str]:
    entry = Known(f"{module}:{name}", "")
    try:
        entry.factory  # noqa: B018
        entry.parameters()
    except AttributeError:
        known = [key for key in vars(importlib.import_module(module)) if not key.startswith("_")]
        raise AgentError(f"unknown agent {name!r}{closest(name, known)}: module {module} has none") from None
    except Exception as error:
        raise AgentError(f"{module}:{name} cannot be used: {told(error)}") from error
    return f"{module}.{name}", entry, rest


# --- words ---------------------------------------------------------------------------------------------------------


def told(error: Exception) -> str:
    """An exception as one line; of what nobody meant to be read the kind as well."""
    words = " ".join(str(error).split())[: 2 * _SHOWN]
    return words if isinstance(error, ValueError | OSError) and words else f"{type(error).__name__}: {words}"


def shown(value: Any) -> str:
    """As Python writes it, but short, however large or deep it is."""
    if isinstance(value, str):
        return repr(value) if len(value) <= _SHOWN else repr(value[:_SHOWN]) + "..."
    return short_repr(value)


# --- parameters --------------------------------------------------------------------------------------------------


def _arguments(agent: str, known: dict[str, inspect.Parameter], text: str) -> dict[str, Any]:
    arguments: dict[str, Any] = {}
    for position, item in enumerate(text.split(",") if text else []):
        key, equals, value = item.partition("=")
        if not equals and position == 0 and known:
            key, value = next(iter(known)), item
        elif not equals:
            raise AgentError(f"{agent}: {shown(item)} is not key=value")
        if key not in known:
            names = ", ".join(known) or "none"
            raise AgentError(f"{agent}: unknown parameter {shown(key)}{closest(key, list(known))}; it has: {names}")
        if key in arguments:
            raise AgentError(f"{agent}: parameter {key!r} is given twice")
        arguments[key] = _value(agent, known[key], value)
    for key, parameter in known.items():
        if parameter.default is parameter.empty and key not in arguments and parameter.kind != parameter.VAR_KEYWORD:
            raise AgentError(f"{agent}: parameter {key!r} is missing; write {agent}:{key}=...")
    return arguments


def _whole(text: str) -> int:
    number = int(text)
    if abs(number) >= 1 << 63:
        raise ValueError
    return number


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError
    return number


TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_KINDS: dict[str, tuple[Callable[[str], Any], str]] = {
    "bool": (lambda text: TRUTH[text.lower()], "true or false"),
    "int": (_whole, "a whole number"),
    "float": (_finite, "a finite number"),
    "str": (str, "text"),
}


def _type_name(parameter: inspect.Parameter) -> str:
    """By its annotation (without None), else by its default; text if neither says more."""
    kind = parameter.annotation
    if kind is parameter.empty and parameter.default is not parameter.empty:
        kind = type(parameter.default)
    kinds = [each for each in get_args(kind) if each is not NoneType] or [kind]
    name = getattr(kinds[0], "__name__", "str")
    return name if name in _KINDS else "str"


def _default(parameter: inspect.Parameter) -> Any:
    return None if parameter.default is parameter.empty else parameter.default


def _value(agent: str, parameter: inspect.Parameter, text: str) -> Any:
    convert, wanted = _KINDS[_type_name(parameter)]
    try:
        return convert(text)
    except (ValueError, KeyError):
        raise AgentError(f"{agent}: {parameter.name} = {shown(text)}; it must be {wanted}") from None
