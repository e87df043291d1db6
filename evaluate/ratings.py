"""What a tournament came to: one number an agent, who beats whom, and who counts when strength goes in circles."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import choix
import numpy as np
from scipy.optimize import linprog, minimize
from scipy.sparse.csgraph import connected_components

from casino_env.arrays import Array
from casino_env.evaluate.matches.deals import PlayedDeals
from casino_env.evaluate.matches.intervals import interval
from casino_env.evaluate.matches.tournament import Tournament

Pair = tuple[str, str]

ELO = 400 / math.log(10)  # a lead of 400: ten deals won for each one lost
SAMPLES = 200
_NOTHING = 1e-9  # a weight


# --- Elo and points: Bradley-Terry on the deals, with intervals over the deals ----------------------------------------


@dataclass(frozen=True)
class Rating:
    """elo from shares of wins, points from differences; the mean of all agents is 0 in both."""

    agent: str
    deals: int
    elo: float
    elo_low: float
    elo_high: float
    points: float
    points_low: float
    points_high: float


def rate(
    agents: tuple[str, ...], played: dict[Pair, PlayedDeals], seed: int = 0, samples: int = SAMPLES
) -> list[Rating]:
    """Best first. Agents that are not linked with the largest group by any deals have no rating."""
    linked = linked_agents(agents, played)
    if len(linked) < 2:
        return []
    within = {pair: deals for pair, deals in played.items() if pair[0] in linked and len(deals)}
    draws = _bootstrap(within, samples, np.random.default_rng(seed))
    ones = {pair: np.ones(len(deals)) for pair, deals in within.items()}
    elo, points = both_scales(linked, within, ones)
    sampled = np.array([both_scales(linked, within, weights) for weights in draws])
    low, high = np.percentile(sampled, [2.5, 97.5], axis=0)
    rows = [
        Rating(
            agent, sum(len(deals) for pair, deals in within.items() if agent in pair),
            float(elo[i]), float(low[0, i]), float(high[0, i]),
            float(points[i]), float(low[1, i]), float(high[1, i]),
        )
        for i, agent in enumerate(linked)
    ]  # fmt: skip
    return sorted(rows, key=lambda row: -row.elo)


def linked_agents(agents: tuple[str, ...], played: dict[Pair, PlayedDeals]) -> list[str]:
    """The largest group in which everybody is linked by deals."""
    links = np.zeros((len(agents), len(agents)))
    for (a, b), deals in played.items():
        links[agents.index(a), agents.index(b)] = len(deals)
    _, group = connected_components(links, directed=False)
    largest = np.bincount(group).argmax()
    return [agent for agent, number in zip(agents, group, strict=True) if number == largest]


def _bootstrap(played: dict[Pair, PlayedDeals], samples: int, rng: np.random.Generator) -> list[dict[Pair, Array]]:
    """How often each deal counts: drawn with replacement, the same deals for all pairs, as they share the cards.

    A pair that has played so few that none of them is drawn draws among its own: without deals nothing would link it.
    """
    most = max(len(deals) for deals in played.values())
    found = []
    for _ in range(samples):
        counts = np.bincount(rng.integers(most, size=most), minlength=most)
        shared = {pair: counts[: len(deals)] for pair, deals in played.items()}
        found.append({pair: each if each.any() else _drawn(len(each), rng) for pair, each in shared.items()})
    return found


def _drawn(deals: int, rng: np.random.Generator) -> Array:
    return np.bincount(rng.integers(deals, size=deals), minlength=deals)


def both_scales(agents: list[str], played: dict[Pair, PlayedDeals], weights: dict[Pair, Array]) -> tuple[Array, Array]:
    wins = np.zeros((len(agents), len(agents)))
    rows, targets = [], []
    for (a, b), deals in played.items():
        weight, i, j = weights[a, b], agents.index(a), agents.index(b)
        total, won = float(weight.sum()), float(weight @ deals.win)
        wins[i, j], wins[j, i] = won + 0.5, total - won + 0.5
        row = np.zeros(len(agents))
        row[i], row[j] = math.sqrt(total), -math.sqrt(total)
        rows.append(row)
        targets.append(math.sqrt(total) * float(weight @ deals.diff) / total)
    return bradley_terry(wins), _points(np.array(rows), np.array(targets))


def bradley_terry(wins: Array) -> Array:
    """Elo from wins[i, j] of i over j. (One deal more in each pair, drawn, keeps whoever won all from infinity.)"""
    strengths = np.asarray(choix.ilsr_pairwise_dense(wins)) * ELO
    return np.asarray(strengths - strengths.mean())


def _points(rows: Array, targets: Array) -> Array:
    """Points a deal above the mean agent that explain the differences best."""
    found = np.linalg.lstsq(rows, targets, rcond=None)[0]
    return np.asarray(found - found.mean())


# --- populations: what i gains from j is payoffs[i, j] ----------------------------------------------------------------


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


# --- standings --------------------------------------------------------------------------------------------------------


def standings(tournament: Tournament) -> dict[str, Any]:
    """Everything as plain data. nash and alpha_rank are there once all of the rated agents have met."""
    ratings = rate(tournament.settings.agents, tournament.deals, tournament.settings.seed)
    agents = [row.agent for row in ratings]
    table = payoffs(agents, tournament)
    found = {
        "settings": asdict(tournament.settings),
        "ratings": [asdict(row) for row in ratings],
        "pairs": [_pair(pair, tournament) for pair in tournament.settings.pairs() if pair in tournament.deals],
        "failures": [asdict(failure) for failure in tournament.failures],
        "nash": None,
        "alpha_rank": None,
    }
    if agents and not np.isnan(table).any():
        weights, gains = nash_average(table)
        rows = zip(agents, weights.tolist(), gains.tolist(), strict=True)
        found["nash"] = {agent: {"weight": weight, "gain": gain} for agent, weight, gain in rows}
        found["alpha_rank"] = dict(zip(agents, alpha_rank(table).tolist(), strict=True))
    return found


def payoffs(agents: list[str], tournament: Tournament) -> Array:
    """Points a deal of each (row) over each other; NaN where they have not met."""
    table = np.full((len(agents), len(agents)), np.nan)
    np.fill_diagonal(table, 0.0)
    for (a, b), deals in tournament.deals.items():
        if a in agents and b in agents:
            table[agents.index(a), agents.index(b)] = deals.diff.mean()
            table[agents.index(b), agents.index(a)] = -deals.diff.mean()
    return table


def _pair(pair: tuple[str, str], tournament: Tournament) -> dict[str, Any]:
    deals = tournament.deals[pair]
    diff, low, high = interval(deals.diff)
    bounded = len(deals) > 1
    return {
        "a": pair[0],
        "b": pair[1],
        "deals": len(deals),
        "diff": diff,
        "low": low if bounded else None,
        "high": high if bounded else None,
        "win": float(deals.win.mean()),
        "draw": float(deals.draw.mean()),
    }


def shares_of(found: dict[str, Any], agent: str) -> dict[str, float | None]:
    """How much an agent counts, if that is known."""
    nash, alpha = found["nash"] or {}, found["alpha_rank"] or {}
    return {"nash": nash.get(agent, {}).get("weight"), "alpha_rank": alpha.get(agent)}


def as_text(found: dict[str, Any]) -> str:
    """The table, best first, with what each gains from each other."""
    ratings = found["ratings"]
    if not ratings:
        return "no deals yet"
    width = max(len(row["agent"]) for row in ratings)
    lines = [f"{'':>{width}}  {'Elo':>5} {'95 %':>15}  {'points':>7} {'95 %':>16}   {'Nash':>5}  {'alpha':>5}"]
    for row in ratings:
        elo = f"{row['elo']:+5.0f} {row['elo_low']:+7.0f} {row['elo_high']:+7.0f}"
        points = f"{row['points']:+7.3f} {row['points_low']:+8.3f} {row['points_high']:+7.3f}"
        lines.append(f"{row['agent']:>{width}}  {elo}  {points}   {_share(found, row['agent'])}")
    lines += ["", "points a deal of the row over the column"]
    order = [row["agent"] for row in ratings]
    met = {(row["a"], row["b"]): row["diff"] for row in found["pairs"]}
    met |= {(b, a): 0 - diff for (a, b), diff in met.items()}
    lines.append(" " * width + "".join(f"  {f'[{number}]':>7}" for number in range(1, len(order) + 1)))
    for number, agent in enumerate(order, 1):
        cells = "".join(f"  {met[agent, other]:+7.3f}" if (agent, other) in met else f"  {'':>7}" for other in order)
        lines.append(f"{agent:>{width}}{cells}  [{number}]")
    return "\n".join(lines)


def _share(found: dict[str, Any], agent: str) -> str:
    if not found["nash"]:
        return ""
    return f"{found['nash'][agent]['weight']:5.3f}  {found['alpha_rank'][agent]:5.3f}"
