"""Matches between agents: deals, the games on them, and results with intervals."""
