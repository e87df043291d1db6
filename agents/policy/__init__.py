"""Trained networks as agents."""

from agents.policy.agent import Policy
from agents.policy.files import Weights

__all__ = ["Policy", "Weights"]
