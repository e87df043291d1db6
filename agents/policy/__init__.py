"""Trained networks as agents: weights, policy files, decisions and lookahead."""

from casino_env.agents.policy.policy_agent import Policy
from casino_env.agents.policy.policy_files import Weights, save_network

__all__ = ["Policy", "Weights", "save_network"]
