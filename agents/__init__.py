"""Whatever chooses a move: built on casino_env, which finds its names when somebody asks for one."""

from casino_env.agents.base import Agent
from casino_env.agents.registry import make_agent

__all__ = ["Agent", "make_agent"]
