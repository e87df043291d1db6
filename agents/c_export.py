"""Export agents and the judge as files for the C library (docs/c.md), and the tables it opens them with.

A file has 64-bit words: the format; a digest of the layout of an agent, which refuses files of other versions; a
checksum of the rest; the kind; the sizes of the network. The fields of the agent (opened.Agent) follow from left to
right: a number as itself, an array as its number of bytes and its data. Workspaces are left out: the library allocates
them by kind and network.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from casino_env.agents.advise import judge_opening
from casino_env.agents.opened import AGENT, Agent, seal_of
from casino_env.agents.opening import Given, Opening, given_of
from casino_env.agents.policy.policy_agent import Policy
from casino_env.agents.registry import make_agent
from casino_env.agents.scripted.choosing import Scripted
from casino_env.agents.search.rollouts import sizes_of
from casino_env.agents.search.search_agent import Search, Strongest
from casino_env.agents.solved import Solved
from casino_env.compiler.types import Elements, Fields, Kind, Number, kind_of, letters_of
from casino_env.engine.state import GAME, RULES
from casino_env.knowledge.layout import OBSERVATION_VERSION
from casino_env.rules import RULES_VERSION, Rules, make_rules

FORMAT = int.from_bytes(b"casino 2", "little")
JUDGE = "judge"  # in place of an agent's spec
NETWORK_SIZES = ("features", "words", "first_layer", "units", "outputs")


class Leaf(NamedTuple):
    """A number or an array among the fields of an agent."""

    path: str  # such as board.turns
    kind: Number | Elements


def leaves(kind: Kind = kind_of(Agent), path: str = "") -> Iterator[Leaf]:  # noqa: B008  immutable
    """All leaves of a type, from left to right."""
    if isinstance(kind, Fields):
        for name, part in zip(kind.of._fields, kind.parts, strict=True):
            yield from leaves(part, f"{path}.{name}" if path else name)
    else:
        yield Leaf(path, kind)


def digest() -> int:
    """A digest of the layout of agents, records, rules and observations."""
    text = (
        f"{letters_of(kind_of(Agent))} {GAME.descr} {RULES.descr} {AGENT.descr} {RULES_VERSION} {OBSERVATION_VERSION}"
    )
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little", signed=True)


def as_bytes(spec: str, rules: Rules | None = None) -> bytes:
    """Return the file of a spec's agent, or of JUDGE. rules: None: the game its policy learnt, or the default game."""
    agent = None if spec == JUDGE else make_agent(spec)
    rules = rules or _learnt(agent)
    opening = judge_opening(rules) if agent is None else opening_of(agent, rules, spec)
    given, sizes = given_of(opening, rules), sizes_of(opening.who, rules)
    words = struct.pack("<6q", given.state["kind"][0], *(sizes[name] for name in NETWORK_SIZES))
    whole = b"".join([words, *_written(given)])
    seal = seal_of(np.frombuffer(bytearray(whole), np.uint64))
    return struct.pack("<qqQ", FORMAT, digest(), seal) + whole


def _learnt(agent: Any) -> Rules:
    """The rules that the agent's policy has learnt, or the default game."""
    who = agent.opened.opening.who if isinstance(agent, Search) else agent
    return who.weights.rules if isinstance(who, Policy) else make_rules("south-african")


def _written(given: Given) -> Iterator[bytes]:
    for path, kind in leaves():
        if isinstance(kind, Number) or kind.sizes is None:
            value = attrgetter(path.removeprefix("about."))(given)
            yield struct.pack(f"<{kind.code}", value) if isinstance(kind, Number) else _as_words(value.tobytes())


def _as_words(data: bytes) -> bytes:
    return struct.pack("<q", len(data)) + data + bytes(-len(data) % 8)


def opening_of(agent: Any, rules: Rules, spec: str) -> Opening:
    """The settings of the spec's agent in a game; raise ValueError if no kernels play it."""
    if isinstance(agent, Strongest):
        agent = agent.search(rules)
    if isinstance(agent, Scripted):
        return Opening("bot", agent.bot, {}, [])
    if isinstance(agent, Policy):
        return Opening("policy", agent, {}, [])
    if isinstance(agent, Search):
        return agent.opened.opening
    if isinstance(agent, Solved):
        if isinstance(agent.agent, Search | Strongest):
            raise ValueError(f"{spec}: a search solves endings itself; export it alone, with solve=")
        return opening_of(agent.agent, rules, spec)._replace(limits=agent.endings.opening.limits)
    raise ValueError(f"{spec}: runs its own code; the C library plays only the agents of `casino agents list`")
