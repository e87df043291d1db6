"""The results of a tournament: ratings in Elo and points, and a table of all pairs."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import choix
import numpy as np
from scipy.sparse.csgraph import connected_components

from casino_env.arrays import Array
from casino_env.evaluate.matches.deals import Pair, PlayedDeals
from casino_env.evaluate.matches.intervals import interval
from casino_env.evaluate.matches.tournament import Tournament

ELO = 400 / math.log(10)  # 400 Elo ahead: ten deals won for each one lost
SAMPLES = 200


# --- Elo and points: Bradley-Terry on the deals, with intervals over the deals ----------------------------------------


@dataclass(frozen=True)
class Rating:
    """The rating of an agent: elo from shares of wins, points from differences. Both are 0 on average over agents."""

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
    """Rate the agents, best first. Agents that no deals link with the largest group get no rating."""
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
    """Return the largest group of agents that are linked by deals."""
    links = np.zeros((len(agents), len(agents)))
    for (a, b), deals in played.items():
        links[agents.index(a), agents.index(b)] = len(deals)
    _, group = connected_components(links, directed=False)
    largest = np.bincount(group).argmax()
    return [agent for agent, number in zip(agents, group, strict=True) if number == largest]


def _bootstrap(played: dict[Pair, PlayedDeals], samples: int, rng: np.random.Generator) -> list[dict[Pair, Array]]:
    """Draw bootstrap weights of the deals. All pairs use the same draw, as they play the same cards.

    If none of the deals of a pair is drawn, draw among its own: without deals nothing would link the pair.
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
    """Return Elo from wins[i, j] of i over j. The half win that both_scales adds on each side keeps it finite."""
    strengths = np.asarray(choix.ilsr_pairwise_dense(wins)) * ELO
    return np.asarray(strengths - strengths.mean())


def _points(rows: Array, targets: Array) -> Array:
    """Fit by least squares the points a deal of each agent above the mean agent."""
    found = np.linalg.lstsq(rows, targets, rcond=None)[0]
    return np.asarray(found - found.mean())


# --- standings --------------------------------------------------------------------------------------------------------


def standings(tournament: Tournament) -> dict[str, Any]:
    """Return settings, ratings, pairs and failures as plain data."""
    ratings = rate(tournament.settings.agents, tournament.deals, tournament.settings.seed)
    return {
        "settings": asdict(tournament.settings),
        "ratings": [asdict(row) for row in ratings],
        "pairs": [_pair(pair, tournament) for pair in tournament.settings.pairs() if pair in tournament.deals],
        "failures": [asdict(failure) for failure in tournament.failures],
    }


def _pair(pair: Pair, tournament: Tournament) -> dict[str, Any]:
    deals = tournament.deals[pair]
    diff, low, high = interval(deals.diff).to_json().values()
    return {
        "a": pair[0],
        "b": pair[1],
        "deals": len(deals),
        "diff": diff,
        "low": low,
        "high": high,
        "win": float(deals.win.mean()),
        "draw": float(deals.draw.mean()),
    }


def as_text(found: dict[str, Any]) -> str:
    """Format the ratings, best first, and the points of each agent over each other."""
    ratings = found["ratings"]
    if not ratings:
        return "no deals yet"
    width = max(len(row["agent"]) for row in ratings)
    lines = [f"{'':>{width}}  {'Elo':>5} {'95 %':>15}  {'points':>7} {'95 %':>16}"]
    for row in ratings:
        elo = f"{row['elo']:+5.0f} {row['elo_low']:+7.0f} {row['elo_high']:+7.0f}"
        points = f"{row['points']:+7.3f} {row['points_low']:+8.3f} {row['points_high']:+7.3f}"
        lines.append(f"{row['agent']:>{width}}  {elo}  {points}")
    lines += ["", "points a deal of the row over the column"]
    order = [row["agent"] for row in ratings]
    met = {(row["a"], row["b"]): row["diff"] for row in found["pairs"]}
    met |= {(b, a): 0 - diff for (a, b), diff in met.items()}
    lines.append(" " * width + "".join(f"  {f'[{number}]':>7}" for number in range(1, len(order) + 1)))
    for number, agent in enumerate(order, 1):
        cells = "".join(f"  {met[agent, other]:+7.3f}" if (agent, other) in met else f"  {'':>7}" for other in order)
        lines.append(f"{agent:>{width}}{cells}  [{number}]")
    return "\n".join(lines)
