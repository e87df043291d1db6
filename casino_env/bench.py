"""How many decisions a second: random legal play on this machine."""

import json
import os
import time
from typing import Any

import numpy as np

from casino_env.deal import draw, new_game
from casino_env.engine import play_forced, step
from casino_env.game import Game
from casino_env.jit import announce_compile, kernel
from casino_env.legal import nth_action, word_count
from casino_env.rules import make_rules, player_counts, variants
from casino_env.state import GAME, OVER, rules_record


@kernel
def random_deals(games, rules, seed, deals):
    """Play whole deals at random, masks included; returns (decisions, turns)."""
    g, r = games[0], rules[0]
    decisions, turns = 0, 0
    for deal in range(deals):
        new_game(g, r, seed + deal, 0)
        words = play_forced(g, r)
        while g.mode != OVER:
            words = step(g, r, nth_action(words, draw(g, word_count(words))))
            decisions += 1
        turns += g.turns
    return decisions, turns


def kernel_speed(variant: str, players: int, seconds: float) -> dict[str, float]:
    """Decisions a second on one core and decisions a turn."""
    games = np.zeros(1, GAME)
    rules = rules_record(make_rules(variant, players))
    random_deals(games, rules, 0, 10)
    decisions = turns = rounds = 0
    began = time.perf_counter()
    while time.perf_counter() - began < seconds:
        more = random_deals(games, rules, 1000 * rounds, 200)
        decisions, turns, rounds = decisions + more[0], turns + more[1], rounds + 1
    spent = time.perf_counter() - began
    return {"speed": decisions / spent, "decisions_per_turn": decisions / turns}


def game_speed(seconds: float) -> float:
    """Decisions a second through the Game object, south-african with 2 players."""
    rng = np.random.default_rng(0)
    _play_deal(rng, 0)  # compile
    decisions = seed = 0
    began = time.perf_counter()
    while time.perf_counter() - began < seconds:
        seed += 1
        decisions += _play_deal(rng, seed)
    return decisions / (time.perf_counter() - began)


def _play_deal(rng: np.random.Generator, seed: int) -> int:
    game = Game("south-african", players=2, seed=seed)
    decisions = 0
    while not game.over:
        legal = game.legal()
        game.apply(legal[int(rng.integers(len(legal)))])
        decisions += 1
    return decisions


def run_bench(seconds: float, *, as_json: bool = False) -> None:
    if seconds <= 0:
        raise ValueError(f"--seconds {seconds}: must be more than 0")
    announce_compile()
    main = kernel_speed("south-african", 2, seconds)
    out: dict[str, Any] = {
        "kernel": main["speed"],
        "game": game_speed(seconds),
        "decisions_per_turn": main["decisions_per_turn"],
        "record_bytes": GAME.itemsize,
        "cores": os.cpu_count(),
        "presets": {},
    }
    if not as_json:
        print(f"game record {GAME.itemsize} bytes; one core of {os.cpu_count()}; random legal play, mask included")
        print(f"{'':<22}{'decisions/s':>12}{'decisions/turn':>16}")
        print(f"{'Game object':<22}{out['game']:>12,.0f}")
    for name in variants():
        for players in player_counts(name):
            row = kernel_speed(name, players, seconds / 4)
            out["presets"][f"{name} {players}"] = row
            if not as_json:
                print(f"{name + ' ' + str(players):<22}{row['speed']:>12,.0f}{row['decisions_per_turn']:>16.2f}")
    if as_json:
        print(json.dumps(out))
