"""Measure how well exams predict matches: for bots, levels, policies and searches, points lost a turn in the exam of a
game, points a deal against its best policy, and their correlation."""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import pearsonr, spearmanr

from benchmarks.strength import Row, kept_match
from casino_env.agents.base import check_agent
from casino_env.agents.policy.shipped import lower_levels, strongest_policy
from casino_env.agents.registry import ladder
from casino_env.evaluate.commands.options import add_workers
from casino_env.evaluate.exam import Paper, papers, read_paper, sit
from casino_env.evaluate.matches.pairing import entrant
from casino_env.rules import Rules

SEED = 2  # seed of the deals, which are not those of the exams


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks predict", description=__doc__)
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"of {', '.join(papers())} (all)")
    parser.add_argument("--agents", nargs="+", metavar="AGENT", help="instead of the usual ones")
    parser.add_argument("--deals", type=int, default=1000, help="of each match (1000)")
    parser.add_argument("--positions", type=int, metavar="N", help="the first of each exam (all)")
    parser.add_argument("--runs", type=Path, default=Path("runs/predict"), help="keeps the deals (runs/predict)")
    parser.add_argument("--json", action="store_true", help="print JSON, a line a game")
    add_workers(parser)
    args = parser.parse_args(arguments)
    for name in args.games or papers():
        found = _predict(read_paper(name), args)
        print(json.dumps(found) if args.json else _text(found), flush=True)
    return 0


def usual(rules: Rules) -> list[str]:
    """Return bots, levels, policies and searches, including the rival."""
    name = strongest_policy(rules)
    if name is None:
        raise ValueError(f"no policy was trained for {rules.name} with {rules.players}")
    policies = [f"policy:{each}" for each in (*lower_levels(name), "universal", name)]
    return [*ladder(rules), *policies, "search:sims=64", f"search:policy={name},sims=64"]


def _predict(paper: Paper, args: argparse.Namespace) -> Row:
    rules, rows = paper.rules, list[Row]()
    rival = entrant(f"policy:{strongest_policy(rules)}")
    for spec in args.agents or usual(rules):
        agent = entrant(spec)
        check_agent(agent.agent, rules)
        marks = sit(agent, paper, most=args.positions).to_json()
        row: Row = {"agent": agent.name, "lost": marks["mean"], "half": (marks["high"] - marks["low"]) / 2}
        row |= {key: marks[key] for key in ("best", "positions")}
        if agent.name != rival.name:
            kept = re.sub("[^A-Za-z0-9=.,-]+", "-", f"{paper.name} {agent.name}")
            row |= kept_match((agent, rival), rules, SEED, kept, args)
        else:
            row |= {"diff": 0.0, "low": 0.0, "high": 0.0, "deals": args.deals}
        rows.append(row)
    return {"game": paper.name, "rival": rival.name, "agents": rows, **_correlations(rows)}


def _correlations(rows: list[Row]) -> dict[str, float]:
    """Return correlations of exams and matches. without_worst: without the worst agent, an outlier in the exam."""
    kept = sorted(rows, key=lambda row: float(row["lost"]))
    exam, match = (np.array([row[key] for row in kept]) * sign for key, sign in (("lost", -1), ("diff", 1)))
    return {
        "correlation": float(pearsonr(exam, match).statistic),
        "without_worst": float(pearsonr(exam[:-1], match[:-1]).statistic),
        "ranks": float(spearmanr(exam, match).statistic),
    }


def _text(found: dict[str, Any]) -> str:
    first = found["agents"][0]
    lines = [
        "{game}: points lost a turn in {positions} positions; points a deal over {rival} in {deals} deals".format(
            **found, positions=first["positions"], deals=first["deals"]
        )
    ]
    for row in found["agents"]:
        half = (row["high"] - row["low"]) / 2
        lines.append(f"  {row['agent']:<44} {row['lost']:6.3f} ± {row['half']:.3f}   {row['diff']:+7.3f} ± {half:.3f}")
    told = "  correlation {correlation:.3f}; without the one that loses most {without_worst:.3f}; of ranks {ranks:.3f}"
    return "\n".join([*lines, told.format(**found)])
