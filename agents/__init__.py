"""Agents: everything that chooses a move, from bots and policies to searches and language models."""

from casino_env.agents.base import Agent
from casino_env.agents.registry import make_agent as _make_agent


def make_agent(spec: str, trusted: bool = True) -> Agent:
    """Make the agent of a spec (`counter`, `policy:swazi-3`); raise AgentError if it is wrong. trusted: whether the
    spec may name code outside the project."""
    agent: Agent = _make_agent(spec, trusted)
    return agent


__all__ = ["Agent", "make_agent"]
