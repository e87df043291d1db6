"""Whatever chooses a move: built on casino_env, never the other way round. Importing it makes its names known there."""

from agents.base import Agent
from agents.registry import make_agent
from casino_env.envs import opponents

__all__ = ["Agent", "make_agent"]

if make_agent not in opponents.resolvers:
    opponents.resolvers.append(make_agent)
