"""python -m benchmarks episodes: how long a deal is in every game, what it pays, what an untrained network scores."""

from __future__ import annotations

import argparse

import numpy as np

from casino_env import make_rules, make_vec, player_counts, variants
from casino_env.agents.policy.mlp import Shape, initial, value_outputs
from casino_env.agents.policy.policy_agent import Policy
from casino_env.agents.policy.policy_files import Weights
from casino_env.evaluate import match
from casino_env.knowledge.layout import make_layout
from casino_env.rules import Rules

_BOTS = ("random", "greedy")
_HEAD = ["game", "players", "decisions", "longest", "lowest reward", "highest", *(f"over {bot}" for bot in _BOTS)]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks episodes", description=__doc__)
    parser.add_argument("--deals", type=int, default=1000, help="of random play for each row (1000)")
    parser.add_argument("--networks", type=int, default=5, help="untrained ones, 200 deals each (5)")
    args = parser.parse_args(arguments)
    print(f"| {' | '.join(_HEAD)} |\n|{' --- |' * len(_HEAD)}")
    for variant in variants():
        for players in player_counts(variant):
            rules = make_rules(variant, players)
            print(f"| {' | '.join([variant, str(players), *played(rules, args.deals), *untrained(rules, args)])} |")
    return 0


def played(rules: Rules, deals: int) -> list[str]:
    """By random play: decisions of a seat in a deal, the most of any, and the rewards between which deals end."""
    games = min(deals, 250)
    vec = make_vec(rules, rules.players, games, seed=1)
    vec.reset(1)
    decided, lengths, rewards = np.zeros((games, rules.players), np.int64), list[int](), list[float]()
    while len(lengths) < deals * rules.players:
        decided[np.arange(games), vec.actor] += 1
        _, _, _, reward, done = vec.step(vec.sample())
        lengths += decided[done].ravel().tolist()
        rewards += reward[done].ravel().tolist()
        decided[done] = 0
    return [f"{np.mean(lengths):.1f}", f"{max(lengths)}", f"{min(rewards):+.1f}", f"{max(rewards):+.1f}"]


def untrained(rules: Rules, args: argparse.Namespace) -> list[str]:
    """Points a deal more than each bot, of networks that play what they like best: their mean, least and most."""
    layout, found = make_layout(rules), []
    shape = Shape(layout.size, (128, 128), value_outputs(rules))
    for seed in range(args.networks):
        policy = Policy(Weights(rules, layout, shape, initial(shape, np.random.default_rng(seed))), temperature=0.0)
        found.append([match(policy, bot, rules, deals=200, seed=2).diff for bot in _BOTS])
    return [f"{np.mean(part):+.1f} ({min(part):+.1f} to {max(part):+.1f})" for part in zip(*found, strict=True)]
