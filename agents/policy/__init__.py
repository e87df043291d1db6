"""Trained networks as agents."""

from casino_env.agents.policy.policy_agent import Policy
from casino_env.agents.policy.policy_files import Weights, save_network

__all__ = ["Policy", "Weights", "save_network"]
