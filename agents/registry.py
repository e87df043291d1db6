"""Agents by name: `counter`, `counter:effort=16`, or your own by its dotted path.

A spec is a name, then after a colon its parameters as key=value, separated by commas; the first one may omit its key
(`policy:PATH`). Agents of your own need no entry here. Each of these names a class or function that returns an object
with reset and act:

    package.module:Name    package.module:Name:key=value    package.module.Name    package.module.Name:key=value

`process:COMMAND` is an external program, `process:seconds=1,COMMAND` one with parameters; the rest is its command line,
commas included. `llm:URL,model=NAME` is a language model (language/endpoint.py).

These run code or send data elsewhere, so a spec from a file or a request may only name agents of the project
(spec_from_file).
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from types import NoneType
from typing import Any, get_args

from casino_env.cli import TRUTH
from casino_env.extras import missing_package
from casino_env.rules import Rules
from casino_env.validate import LARGEST, closest, float_in, int_in, one_line, short_repr

_LONGEST = 4096  # most characters of a spec: a path may have as many


class AgentError(ValueError):
    """A spec names no agent or has wrong parameters; the message says in one line what would be right."""


@dataclass(frozen=True)
class Known:
    """The entry of an agent: all lists of agents are made from these."""

    place: str  # module:factory, imported on demand
    summary: str
    given: dict[str, Any] = field(default_factory=dict)  # fixed arguments of the factory
    inner: str = ""  # the parameter that is the spec of another agent
    title: str = ""  # its name at a card table
    line: str = ""  # what it does, to follow "it"
    quick: bool = False  # a move takes milliseconds
    rung: str = ""  # the games (_RUNGS) in which it is on the ladder, where each bot beats those before it
    offered: tuple[str, ...] = ()  # parameters with which a card table offers it; "": none

    @property
    def factory(self) -> Callable[..., Any]:
        module, _, name = self.place.partition(":")
        return getattr(importlib.import_module(module), name)  # type: ignore[no-any-return]

    def parameters(self) -> dict[str, inspect.Parameter]:
        known = inspect.signature(self.factory, eval_str=True).parameters
        return {name: parameter for name, parameter in known.items() if name not in self.given}


def _ours(place: str, summary: str, **about: Any) -> Known:
    return Known(f"casino_env.agents.{place}", summary, **about)


def _bot(name: str, summary: str, *, rung: str = "all", offered: tuple[str, ...] = ("",), **about: str) -> Known:
    """The entry of a bot of scripted/bots.py."""
    place = "scripted.choosing:Scripted"
    return _ours(place, summary, given={"bot": name}, quick=True, rung=rung, offered=offered, **about)


AGENTS: dict[str, Known] = {
    "random": _bot("random", "any legal action", title="Dice", line="plays any card at all"),
    "greedy": _bot(
        "greedy", "most points now, then cards and spades", title="Grabber", line="takes the most points it can see"
    ),
    "beginner": _bot(
        "beginner", "greedy that builds when it can", rung="cassino", offered=(),
        title="Beginner", line="takes the most points it can see, and builds when it can",
    ),
    "builder": _bot(
        "builder", "builds high, adds at every chance, captures in time",
        title="Builder", line="builds high, adds at every chance, captures in time",
    ),
    "counter": _bot(
        "counter", "counts cards: what can be taken, what it gives away, who holds what",
        title="Counter", line="counts cards, and knows what it gives away",
    ),
    "partner": _bot(
        "partner", "counter that plays together with its partner", rung="partners",
        title="Teammate", line="a Counter that plays together with its partner",
    ),
    "search": _ours(
        "search.search_agent:Search", "plays out determinizations of what it knows, solves endings",
        title="Thinker", line="plays the deal out in its head many times", offered=("time=0.5", "time=2"),
    ),
    "strongest": _ours(
        "search.search_agent:Strongest", "the best search that there is for the game and the time",
        title="Master", line="thinks every turn through, with all that has been learnt of the game",
    ),
    "solved": _ours(
        "solved:Solved", "another agent, but for the endings that the exact solver can play",
        inner="agent", title="Solver", line="plays the last cards without a mistake",
    ),
    "policy": _ours(
        "search.search_agent:make_thinking_policy", "a trained network: a file of weights or the folder of a run",
        quick=True,
    ),
}  # fmt: skip


# Agents outside the project: external programs, and models behind a network.
PROCESS = "process"
_OUTSIDE = {PROCESS: _ours("protocol.process:Process", ""), "llm": _ours("language.endpoint:make_llm", "")}


_RUNGS: dict[str, Callable[[Rules], bool]] = {
    "all": lambda _: True,
    "partners": lambda rules: rules.partners,
    "cassino": lambda rules: not rules.table_builds,  # builds need a hand card
}


def ladder(rules: Rules) -> list[str]:
    """The scripted bots of a game, each stronger than those before it."""
    return [name for name, entry in AGENTS.items() if entry.rung and _RUNGS[entry.rung](rules)]


def make_agent(spec: str, trusted: bool = True) -> Any:
    """Make the agent of a spec; raise AgentError if it is wrong. trusted: it may name code outside the project."""
    if not trusted:
        spec_from_file(spec, "the spec")
    name, entry, rest = _find(_as_spec(spec))
    arguments = (_command if name == PROCESS else _arguments)(name, entry.parameters(), rest)
    try:
        with _users_folder() if name not in AGENTS else nullcontext():
            agent = entry.factory(**entry.given, **arguments)
    except Exception as error:  # foreign code may raise anything
        if isinstance(error, ImportError) and (lacking := missing_package(error)):
            raise AgentError(f"{name}: {lacking}") from None
        raise AgentError(f"{name}: {one_line(error)}") from error
    check_methods(agent, name)
    return agent


def check_methods(agent: Any, name: str) -> None:
    if not (hasattr(agent, "reset") and hasattr(agent, "act")):
        raise AgentError(f"{name}: an agent needs the methods reset and act")


def name_of(spec: str) -> str:
    """The name of an agent in tables: its spec, or the name of a language model."""
    model = re.match(r"llm:.*\bmodel=([^,]+)", spec)
    return model[1] if model else spec


def spec_from_file(spec: Any, where: str) -> str:
    """Return the spec if it names an agent of the project, else raise AgentError. Never imports foreign code."""
    try:
        name, _, rest = _as_spec(spec).partition(":")
        if name not in AGENTS and _is_code(name, rest):
            kind = "uses the network" if name == "llm" else "runs its own code"
            raise AgentError(
                f"agent {short_repr(spec)} {kind}: name it on the command line (or --trust) if you trust it"
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
            {"name": key, "type": _type_name(each), "default": None if each.default is each.empty else each.default}
            for key, each in entry.parameters().items()
        ]
        rows.append({"name": name, "summary": entry.summary, "parameters": parameters})
    return rows


# --- finding the factory -----------------------------------------------------------------------------------------


def _as_spec(spec: Any) -> str:
    if not isinstance(spec, str):
        raise AgentError(f"an agent must be named by a string, not {short_repr(spec)}")
    if len(spec) > _LONGEST:
        raise AgentError(f"agent {short_repr(spec)} has {len(spec)} characters; a spec has at most {_LONGEST}")
    return spec


def _find(spec: str) -> tuple[str, Known, str]:
    """(name for messages, entry, parameters as text)"""
    name, _, rest = spec.partition(":")
    if entry := AGENTS.get(name) or _OUTSIDE.get(name):
        return name, entry, rest
    head, _, tail = rest.partition(":")
    with _users_folder():
        if head.isidentifier() and _is_module(name):
            return _plug_in(name, head, tail)
        if "." in name and _is_module(name.rpartition(".")[0]):
            return _plug_in(name.rpartition(".")[0], name.rpartition(".")[2], rest)
    raise AgentError(_unknown(name, rest))


def _is_code(name: str, rest: str) -> bool:
    """Whether the spec looks like package.module:Name or package.module.Name, or names an outside agent."""
    return name in _OUTSIDE or "." in name or rest.partition(":")[0].isidentifier()


def _unknown(name: str, rest: str) -> str:
    if "." in name:
        modules = f"{short_repr(name)} or {short_repr(name.rpartition('.')[0])}"
        return f"unknown agent {short_repr(name)}: no module {modules}"
    no_module = f"; no module {short_repr(name)} either" if _is_code(name, rest) else ""
    near = closest(name, list(AGENTS))
    return f"unknown agent {short_repr(name)}{near}; known: {', '.join(AGENTS)}{no_module}"


@contextmanager
def _users_folder() -> Iterator[None]:
    """Append the current folder to sys.path inside the `with` block only: libraries try to import optional packages,
    and must not find a file of that name there."""
    added = "" not in sys.path
    sys.path += [""] * added
    try:
        yield
    finally:
        if added and "" in sys.path:
            sys.path.remove("")


def _is_module(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except Exception:  # noqa: BLE001  find_spec("a.b") imports a
        return False


def _plug_in(module: str, name: str, rest: str) -> tuple[str, Known, str]:
    entry = Known(f"{module}:{name}", "")
    try:
        entry.factory  # noqa: B018
        entry.parameters()
    except AttributeError:
        known = [key for key in vars(importlib.import_module(module)) if not key.startswith("_")]
        raise AgentError(f"unknown agent {name!r}{closest(name, known)}: module {module} does not define it") from None
    except Exception as error:
        raise AgentError(f"{module}:{name} cannot be used: {one_line(error)}") from error
    return f"{module}.{name}", entry, rest


# --- parameters --------------------------------------------------------------------------------------------------


def _arguments(agent: str, known: dict[str, inspect.Parameter], text: str) -> dict[str, Any]:
    arguments: dict[str, Any] = {}
    for position, item in enumerate(text.split(",") if text else []):
        key, equals, value = item.partition("=")
        if not equals and position == 0 and known:
            key, value = next(iter(known)), item
        elif not equals:
            raise AgentError(f"{agent}: {short_repr(item)} is not key=value")
        if key not in known:
            names = ", ".join(known) or "none"
            raise AgentError(f"{agent}: unknown parameter {short_repr(key)}{closest(key, list(known))}; known: {names}")
        if key in arguments:
            raise AgentError(f"{agent}: parameter {key!r} is given twice")
        convert, wanted = _KINDS[_type_name(known[key])]
        try:
            arguments[key] = convert(value)
        except (ValueError, KeyError):
            raise AgentError(f"{agent}: {key} = {short_repr(value)}; it must be {wanted}") from None
    for key, parameter in known.items():
        if parameter.default is parameter.empty and key not in arguments and parameter.kind != parameter.VAR_KEYWORD:
            raise AgentError(f"{agent}: parameter {key!r} is missing; write {agent}:{key}=...")
    return arguments


def _command(agent: str, known: dict[str, inspect.Parameter], text: str) -> dict[str, Any]:
    """Split off leading parameters; the rest is the command line, unchanged."""
    others = {key: known[key] for key in known if key != "command"}
    head = re.match(rf"((?:{'|'.join(others)})=[^,]*,)*", text)[0]  # type: ignore[index]  # always matches
    if not text[len(head) :].strip():
        raise AgentError(f"{agent}: no command; write {agent}:COMMAND")
    return _arguments(agent, others, head[:-1]) | {"command": text[len(head) :]}


def _plain(text: str) -> str:
    """A number without underscores, which Python alone reads."""
    if "_" in text:
        raise ValueError
    return text


_MOST = sys.float_info.max
_KINDS: dict[str, tuple[Callable[[str], Any], str]] = {
    "bool": (lambda text: TRUTH[text.lower()], "true or false"),
    "int": (lambda text: int_in(int(_plain(text)), "it", -LARGEST, LARGEST), "a whole number"),
    "float": (lambda text: float_in(float(_plain(text)), "it", -_MOST, _MOST), "a finite number"),
    "str": (str, "text"),
}


def _type_name(parameter: inspect.Parameter) -> str:
    """The type of a parameter by its annotation (without None), else by its default, else str."""
    kind = parameter.annotation
    if kind is parameter.empty and parameter.default is not parameter.empty:
        kind = type(parameter.default)
    kinds = [each for each in get_args(kind) if each is not NoneType] or [kind]
    name = getattr(kinds[0], "__name__", "str")
    return name if name in _KINDS else "str"
