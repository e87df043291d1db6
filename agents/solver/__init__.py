"""Exact solutions of endings between two sides, once all cards are known."""

from casino_env.agents.solver.solver import Solution, Solver, solve

__all__ = ["Solution", "Solver", "solve"]
