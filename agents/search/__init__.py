"""Thinking ahead in determinizations: complete games that agree with what a seat knows."""

from casino_env.agents.search.search_agent import Search

__all__ = ["Search"]
