"""Who counts when strength goes in circles: the maximum-entropy equilibrium (Nash averaging) and alpha-rank.

Both read a table of payoffs, payoffs[i, j] being what i gains from j.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import linprog, minimize

Array = np.ndarray[Any, Any]

_NOTHING = 1e-9


def nash_average(payoffs: Array) -> tuple[Array, Array]:
    """(how much each agent counts, what each gains from that mixture; 0 for all that count).

    payoffs[i, j] = -payoffs[j, i]. Of all equilibria the most even one, so copies of an agent share its weight and
    nobody gains by entering twice (Balduzzi and others 2018, "Re-evaluating evaluation").
    """
    gains = np.asarray(payoffs, float)
    if not np.allclose(gains, -gains.T):
        raise ValueError("payoffs must be antisymmetric: what one gains the other loses")
    gains = (gains - gains.T) / 2
    start = _inside(gains)
    chosen = start > _NOTHING
    weights = np.zeros(len(gains))
    weights[chosen] = _most_even(gains[:, chosen], start[chosen])
    return weights, gains @ weights


def _inside(gains: Array) -> Array:
    """An equilibrium in which everybody counts who counts in any: the mean of those in which each counts most."""
    count = len(gains)
    found = [
        linprog(-np.eye(count)[i], A_ub=gains, b_ub=np.zeros(count), A_eq=np.ones((1, count)), b_eq=[1.0]).x
        for i in range(count)
    ]
    if any(one is None for one in found):
        raise ValueError("no equilibrium found: the payoffs lie too far apart")
    return np.asarray(np.mean(found, axis=0))


def _most_even(gains: Array, start: Array) -> Array:
    """Maximum of the entropy among the equilibria of the columns."""
    if len(start) == 1:
        return np.ones(1)
    limits = [
        {"type": "eq", "fun": lambda x: x.sum() - 1, "jac": lambda x: np.ones_like(x)},
        {"type": "ineq", "fun": lambda x: -gains @ x, "jac": lambda _: -gains},
    ]
    found = minimize(
        lambda x: float(x @ np.log(x)), start, jac=lambda x: np.log(x) + 1, bounds=[(1e-12, 1)] * len(start),
        constraints=limits, method="SLSQP", options={"ftol": 1e-14, "maxiter": 1000},
    )  # fmt: skip
    return np.asarray(found.x / found.x.sum())


def alpha_rank(payoffs: Array, alpha: float = 100.0, population: int = 50) -> Array:
    """Shares of time that a population which copies what does better spends with each agent (Omidshafiei 2019).

    A single newcomer takes over with a probability that depends on its gain, times alpha. Large alphas look at who
    beats whom alone.
    """
    gains = np.asarray(payoffs, float)
    count = len(gains)
    if count == 1:
        return np.ones(1)
    chances = _takes_over(alpha * (gains.T - gains), population) / (count - 1)
    np.fill_diagonal(chances, 0.0)
    np.fill_diagonal(chances, 1 - chances.sum(axis=1))
    return _resting(chances)


def _takes_over(lead: Array, population: int) -> Array:
    """(1 - exp(-lead)) / (1 - exp(-population * lead)); from state (row) to newcomer (column)."""
    lead = np.clip(lead, -600 / population, 600)
    near = np.abs(lead) < 1e-12
    safe = np.where(near, 1.0, lead)
    return np.asarray(np.where(near, 1 / population, np.expm1(-safe) / np.expm1(-population * safe)))


def _resting(chances: Array) -> Array:
    """Stationary shares of a Markov chain, without subtractions, which would lose the tiny chances."""
    flow = chances.copy()
    count = len(flow)
    for n in range(count - 1, 0, -1):  # take the states out one after the other (Grassmann, Taksar and Heyman)
        flow[:n, n] /= flow[n, :n].sum()
        flow[:n, :n] += np.outer(flow[:n, n], flow[n, :n])
    shares = np.zeros(count)
    shares[0] = 1.0
    for n in range(1, count):
        shares[n] = shares[:n] @ flow[:n, n]
    return np.asarray(shares / shares.sum())
