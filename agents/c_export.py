"""Agents, and the judge, as files for the C library (docs/c.md), and the tables by which it opens them.

64-bit words: the format; a digest of what an agent is made of, for files of another version are refused; a seal of all
that follows; the kind; the sizes of the network. Then what the agent is made of (opened.Agent), from left to right: a
number is itself; of an array that is no workspace how many bytes there are, and these. Workspaces are as large as the
kind and the network need.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from casino_env.agents import opened
from casino_env.agents.files import write_file
from casino_env.agents.opened import AGENT, KINDS, Agent, seal_of
from casino_env.agents.policy.lookahead import DEEP_LEVELS, LEVELS, MOST_TURNS, PlaySettings
from casino_env.agents.policy.policy_agent import Policy
from casino_env.agents.policy.shipped import strongest_policy
from casino_env.agents.registry import ladder, make_agent
from casino_env.agents.scripted.bots import bot_record
from casino_env.agents.scripted.choosing import Scripted
from casino_env.agents.search.horizon import horizon_number
from casino_env.agents.search.ismcts import _BATCH as _TREE_GAMES
from casino_env.agents.search.measuring import BATCH, TRIED
from casino_env.agents.search.rollouts import find_rollout_policy, make_rollout_policy, sizes_of, with_bot
from casino_env.agents.search.search_agent import Search, Strongest
from casino_env.agents.search.turn_search import _BATCH, _MOST_WEIGHTED, _RUNNERS, TurnSearch
from casino_env.agents.solver import alpha_beta
from casino_env.agents.solver.solver import _AT_ONCE, SOLVER_MB, Endings, Solved, entries_in
from casino_env.compiler.types import Elements, Fields, Kind, Number, kind_of, letters_of
from casino_env.engine.state import GAME, RULES, rules_record
from casino_env.knowledge.layout import MATCH, OBSERVATION_VERSION, UNIVERSAL
from casino_env.rules import RULES_VERSION, Rules, make_rules

FORMAT = int.from_bytes(b"casino 2", "little")
JUDGE = "judge"  # instead of the spec of an agent
NETWORK_SIZES = ("features", "inputs", "first_layer", "units", "outputs")
_RACE = {"racers": _RUNNERS, "games": _BATCH, "weighted": _MOST_WEIGHTED}
_BOARD = {"racers": TRIED, "games": BATCH, "weighted": 0}
_NONE = {"racers": 1, "games": 1, "weighted": 0}
_LEAST = dict.fromkeys(DEEP_LEVELS, 1)
_ENDING = {"levels": alpha_beta.LEVELS, "entries": entries_in(SOLVER_MB)}


def sizes_of_kind(kind: str) -> dict[str, dict[str, int]]:
    """Of workspaces, by the field of Agent in which they are."""
    levels = {"policy": LEVELS | {"turns": MOST_TURNS}, "turns": DEEP_LEVELS, "judge": DEEP_LEVELS}.get(kind, _LEAST)
    return {
        "tree": {"games": _TREE_GAMES if kind == "tree" else 1},
        "thinking": levels | (_RACE if kind == "turns" else _NONE),
        "ending": _ENDING,
        "board": _BOARD if kind == "judge" else _NONE,
    }


class Leaf(NamedTuple):
    """A number or an array of an agent."""

    path: str  # board.turns
    kind: Number | Elements


def leaves(kind: Kind = kind_of(Agent), path: str = "") -> Iterator[Leaf]:  # noqa: B008  it is always the same
    """All of them, from left to right."""
    if isinstance(kind, Fields):
        for name, part in zip(kind.of._fields, kind.parts, strict=True):
            yield from leaves(part, f"{path}.{name}" if path else name)
    else:
        yield Leaf(path, kind)


def digest() -> int:
    """Of what an agent is made of."""
    text = (
        f"{letters_of(kind_of(Agent))} {GAME.descr} {RULES.descr} {AGENT.descr} {RULES_VERSION} {OBSERVATION_VERSION}"
    )
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little", signed=True)


# --- what an agent is ------------------------------------------------------------------------------------------------


class _Made(NamedTuple):
    """By the paths of leaves, their values."""

    kind: str
    settings: dict[str, Any]  # fields of AGENT
    who: str | Policy  # who decides, or plays on
    play: PlaySettings
    endings: Endings | None


def export_for_c(spec: str, rules: Rules | None, path: Path) -> None:
    """The agent of a spec (or JUDGE), as a file. rules: None: those that a policy has learnt, or the default game."""
    write_file(path, as_bytes(spec, rules))


def as_bytes(spec: str, rules: Rules | None = None) -> bytes:
    agent = None if spec == JUDGE else make_agent(spec)
    rules = rules or (agent.weights.rules if isinstance(agent, Policy) else make_rules("south-african"))
    made = _judge(rules) if agent is None else _made(agent, rules, spec)
    rollout = make_rollout_policy(made.who, rules)
    bots = [rollout.player.bot, (with_bot(rollout, rules) if made.kind == "turns" else rollout).mover.bot]
    if made.kind == "bot":
        bots = [made.settings.pop("bot")] * 2
    state, judge = np.zeros(1, AGENT), rollout.player.judge
    layout = made.who.layout_for_kernels(rules) if isinstance(made.who, Policy) else None
    known: dict[str, Any] = {name: getattr(rollout.player, name) for name in ("memory", "temperature", "tried")}
    known["kind"] = KINDS.index(made.kind)
    known["layout"] = (UNIVERSAL * layout.universal | MATCH * layout.match) if layout else 0
    for name, value in (known | made.settings | _limits(made.endings)).items():
        state[name] = value
    given = {"state": state, "rules": rules_record(rules), "bots": np.concatenate(bots)}
    given |= {f"judge.{name}": value for name, value in judge._asdict().items()}
    given |= {f"play.{name}": value for name, value in made.play._asdict().items()}
    sizes = sizes_of(made.who, rules)
    words = struct.pack("<6q", known["kind"], *(sizes[name] for name in NETWORK_SIZES))
    whole = b"".join([words, *_written(given)])
    seal = seal_of(np.frombuffer(bytearray(whole), np.uint64))
    return struct.pack("<qqQ", FORMAT, digest(), seal) + whole


def _written(given: dict[str, Any]) -> Iterator[bytes]:
    for path, kind in leaves():
        if isinstance(kind, Number):
            yield struct.pack(f"<{kind.code}", given[path.removeprefix("about.")])
        elif kind.sizes is None:
            data = given[path.removeprefix("about.")].tobytes()
            yield struct.pack("<q", len(data)) + data + bytes(-len(data) % 8)


def _limits(endings: Endings | None) -> dict[str, Any]:
    rows = np.array(endings._limits if endings else np.zeros((opened._LIMITS, 4)))
    names = ("in_hand", "in_all", "positions", "until")
    return {"limits": len(rows) if endings else 0, "at_once": _AT_ONCE} | dict(zip(names, rows.T, strict=True))


def _made(agent: Any, rules: Rules, spec: str) -> _Made:
    if isinstance(agent, Strongest):
        agent = agent._search(rules)
    if isinstance(agent, Scripted):
        return _Made("bot", {"bot": bot_record(agent._bot, rules)}, "random", PlaySettings(), None)
    if isinstance(agent, Policy):
        return _Made("policy", {}, agent, agent.play, None)
    if isinstance(agent, Search):
        return _made_search(agent)
    if isinstance(agent, Solved):
        if isinstance(agent._agent, Search | Strongest):
            raise ValueError(f"{spec}: a search solves endings by itself; export it alone, with solve=")
        return _made(agent._agent, rules, spec)._replace(endings=agent._endings)
    raise ValueError(f"{spec} is code of its own; the C library plays the agents of `casino agents list`")


def _made_search(agent: Search) -> _Made:
    known, thinker, who = agent.settings, agent._thinker, agent._rollout
    settings = {"sims": known.sims or 0, "seconds": known.time or 0.0, "horizon": horizon_number(known.horizon)}
    play = who.play if isinstance(who, Policy) else PlaySettings()
    if isinstance(thinker, TurnSearch):
        settings |= {"cut": thinker._cut, "importance": known.importance or 0.0}
        return _Made("turns", settings, who, play, agent._endings)
    settings |= {"cut": -1 if known.cut is None else known.cut, "explore": known.explore or 0.0}
    return _Made("tree", settings, who, play, agent._endings)


def _judge(rules: Rules) -> _Made:
    """As advise has it."""
    name = strongest_policy(rules)
    who = find_rollout_policy(f"policy:{name}" if name else ladder(rules)[-1])
    return _Made("judge", {}, who, who.play if isinstance(who, Policy) else PlaySettings(), None)
