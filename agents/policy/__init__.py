"""Trained networks as agents."""

from casino_env.agents.policy.agent import Policy
from casino_env.agents.policy.files import Weights

__all__ = ["Policy", "Weights"]
