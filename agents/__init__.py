"""Whatever chooses a move: built on casino_env, which finds its names when somebody asks for one."""

from casino_env.agents.base import Agent
from casino_env.agents.registry import make_agent as _make_agent


def make_agent(spec: str, trusted: bool = True) -> Agent:
    """The agent of a spec (`counter`, `policy:swazi-3`); raises AgentError. trusted: the spec may name code of its
    own."""
    agent: Agent = _make_agent(spec, trusted)
    return agent


__all__ = ["Agent", "make_agent"]
