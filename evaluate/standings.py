"""What a tournament came to: ratings, who beats whom, and who counts when strength goes in circles."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from casino_env.evaluate.elo import rate
from casino_env.evaluate.matches.intervals import interval
from casino_env.evaluate.matches.tournament import Tournament
from casino_env.evaluate.populations import alpha_rank, nash_average

Array = np.ndarray[Any, Any]


def standings(tournament: Tournament) -> dict[str, Any]:
    """Everything as plain data. nash and alpha_rank are there once all of the rated agents have met."""
    ratings = rate(tournament.settings.agents, tournament.deals, tournament.settings.seed)
    agents = [row.agent for row in ratings]
    table = payoffs(agents, tournament)
    found = {
        "settings": tournament.settings.model_dump(),
        "ratings": [asdict(row) for row in ratings],
        "pairs": [_pair(pair, tournament) for pair in tournament.settings.pairs() if pair in tournament.deals],
        "failures": [failure.model_dump() for failure in tournament.failures],
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
