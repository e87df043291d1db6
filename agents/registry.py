"""Agents by name: `counter`, `counter:effort=16`, or one of your own by its dotted path.

A spec is a name, then after a colon its parameters as key=value with commas between them; the value of the first
parameter may stand alone (`policy:PATH`). Own agents need no entry here. Any of these finds a class or function that
returns an object with reset and act:

    package.module:Name    package.module:Name:key=value    package.module.Name    package.module.Name:key=value
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from types import NoneType
from typing import Any, get_args

from casino_env.rules import closest


class AgentError(ValueError):
    """A spec that names no agent or gives it wrong parameters: one line says what would be right."""


@dataclass(frozen=True)
class KnownAgent:
    place: str  # module:factory, loaded when it is asked for
    summary: str
    given: dict[str, Any] = field(default_factory=dict)  # arguments that the name stands for

    @property
    def factory(self) -> Callable[..., Any]:
        module, _, name = self.place.partition(":")
        return getattr(importlib.import_module(module), name)  # type: ignore[no-any-return]

    def parameters(self) -> dict[str, inspect.Parameter]:
        known = inspect.signature(self.factory, eval_str=True).parameters
        return {name: parameter for name, parameter in known.items() if name not in self.given}


def _scripted(bot: str, summary: str) -> KnownAgent:
    return KnownAgent("agents.scripted.agent:Scripted", summary, {"bot": bot})


AGENTS: dict[str, KnownAgent] = {
    "random": _scripted("random", "any legal action"),
    "greedy": _scripted("greedy", "most points now, then cards and spades"),
    "builder": _scripted("builder", "builds high, adds at every chance, captures in time"),
    "counter": _scripted("counter", "counts cards: what can be taken, what it gives away, who holds what"),
    "partner": _scripted("partner", "counter that plays together with its partner"),
    "search": KnownAgent(
        "agents.search.agent:Search", "plays out worlds that agree with what it knows, solves endings"
    ),
    "solved": KnownAgent(
        "agents.solver.agent:Solved", "another agent, but for the endings that the exact solver can play"
    ),
    "policy": KnownAgent(
        "agents.policy.agent:make_policy", "a trained network: a file of weights or the folder of a run"
    ),
}


def make_agent(spec: str) -> Any:
    """The agent of a spec; raises AgentError."""
    name, entry, rest = _find(spec)
    arguments = _arguments(name, entry.parameters(), rest)
    try:
        agent = entry.factory(**entry.given, **arguments)
    except (ValueError, OSError) as error:
        raise AgentError(f"{name}: {error}") from None
    if not (hasattr(agent, "reset") and hasattr(agent, "act")):
        raise AgentError(f"{name}: an agent needs the methods reset and act")
    return agent


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


def _find(spec: str) -> tuple[str, KnownAgent, str]:
    """(name for messages, entry, parameters as text)"""
    name, _, rest = spec.partition(":")
    if name in AGENTS:
        return name, AGENTS[name], rest
    head, _, tail = rest.partition(":")
    if head.isidentifier() and _is_module(name):
        return _plug_in(name, head, tail)
    if "." in name and _is_module(name.rpartition(".")[0]):
        return _plug_in(name.rpartition(".")[0], name.rpartition(".")[2], rest)
    if "." in name:
        raise AgentError(f"unknown agent {spec!r}: there is no module {name!r} or {name.rpartition('.')[0]!r}")
    raise AgentError(f"unknown agent {name!r}{closest(name, list(AGENTS))}; known: {', '.join(AGENTS)}")


def _is_module(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def _plug_in(module: str, name: str, rest: str) -> tuple[str, KnownAgent, str]:
    entry = KnownAgent(f"{module}:{name}", "")
    try:
        entry.factory  # noqa: B018
    except AttributeError:
        known = [key for key in vars(importlib.import_module(module)) if not key.startswith("_")]
        raise AgentError(f"unknown agent {name!r}{closest(name, known)}: module {module} has none") from None
    return f"{module}.{name}", entry, rest


# --- parameters --------------------------------------------------------------------------------------------------


def _arguments(agent: str, known: dict[str, inspect.Parameter], text: str) -> dict[str, Any]:
    arguments: dict[str, Any] = {}
    for position, item in enumerate(text.split(",") if text else []):
        key, equals, value = item.partition("=")
        if not equals and position == 0 and known:
            key, value = next(iter(known)), item
        elif not equals:
            raise AgentError(f"{agent}: {item!r} is not key=value")
        if key not in known:
            names = ", ".join(known) or "none"
            raise AgentError(f"{agent}: unknown parameter {key!r}{closest(key, list(known))}; it has: {names}")
        if key in arguments:
            raise AgentError(f"{agent}: parameter {key!r} is given twice")
        arguments[key] = _value(agent, known[key], value)
    for key, parameter in known.items():
        if parameter.default is parameter.empty and key not in arguments and parameter.kind != parameter.VAR_KEYWORD:
            raise AgentError(f"{agent}: parameter {key!r} is missing; write {agent}:{key}=...")
    return arguments


TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_KINDS: dict[str, tuple[Callable[[str], Any], str]] = {
    "bool": (lambda text: TRUTH[text.lower()], "true or false"),
    "int": (int, "a whole number"),
    "float": (float, "a number"),
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
        raise AgentError(f"{agent}: {parameter.name} = {text!r}; it must be {wanted}") from None
