"""How many decisions a second: random legal play on this machine."""

import json
import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from casino_env.aec import env, raw_env
from casino_env.deal import draw, new_game
from casino_env.engine import play_forced, step
from casino_env.game import Game
from casino_env.jit import announce_compile, kernel
from casino_env.legal import nth_action, word_count
from casino_env.rules import make_rules, player_counts, variants
from casino_env.single import SingleEnv
from casino_env.state import GAME, OVER, rules_record
from casino_env.vector import make_vec


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


def _timed(seconds: float, work: Callable[[int], int]) -> float:
    """Decisions a second of work(seed), called again and again."""
    work(0)  # compile, fill caches
    decisions = seed = 0
    began = time.perf_counter()
    while time.perf_counter() - began < seconds:
        seed += 1
        decisions += work(seed)
    return decisions / (time.perf_counter() - began)


def vector_speed(seconds: float, threads: int, obs: str = "dense", num_envs: int = 2048) -> float:
    """Observations and masks written, random legal actions drawn."""
    vec = make_vec("south-african", 2, num_envs, seed=1, threads=threads, obs=obs, copy=False)

    def steps(_seed: int) -> int:
        for _ in range(20):
            vec.step(vec.sample())
        return 20 * num_envs

    return _timed(seconds, steps)


def game_speed(seconds: float) -> float:
    """Through the Game object."""
    rng = np.random.default_rng(0)

    def deal(seed: int) -> int:
        game, decisions = Game("south-african", players=2, seed=seed), 0
        while not game.over:
            legal = game.legal()
            game.apply(legal[int(rng.integers(len(legal)))])
            decisions += 1
        return decisions

    return _timed(seconds, deal)


def _choice(mask: np.ndarray[Any, Any], rng: np.random.Generator) -> int:
    legal = np.flatnonzero(mask)
    return int(legal[rng.integers(len(legal))])


def aec_speed(seconds: float, make: Callable[..., Any]) -> float:
    """PettingZoo's loop: last(), a legal action, step()."""
    environment, rng = make("south-african", 2), np.random.default_rng(0)

    def deal(seed: int) -> int:
        environment.reset(seed=seed)
        decisions = 0
        while True:
            observation, _, over, _, _ = environment.last()
            if over:
                return decisions
            environment.step(_choice(observation["action_mask"], rng))
            decisions += 1

    return _timed(seconds, deal)


def gym_speed(seconds: float) -> float:
    """Gymnasium's loop against a random opponent; decisions of both sides count."""
    environment, rng = SingleEnv("south-african", 2), np.random.default_rng(0)

    def deal(seed: int) -> int:
        observation, _ = environment.reset(seed=seed)
        own, over = 0, False
        while not over:
            observation, _, over, _, _ = environment.step(_choice(observation["action_mask"], rng))
            own += 1
        return 2 * own

    return _timed(seconds, deal)


def faces(seconds: float) -> dict[str, float]:
    """South-african with 2 players through every face."""
    cores = os.cpu_count() or 1
    rows: dict[str, Callable[[float], float]] = {
        "kernel": lambda s: kernel_speed("south-african", 2, s)["speed"],
        "vector_1": lambda s: vector_speed(s, 1),
        "vector_all": lambda s: vector_speed(s, cores),
        "vector_indices": lambda s: vector_speed(s, 1, "indices"),
        "game": game_speed,
        "aec": lambda s: aec_speed(s, env),
        "aec_raw": lambda s: aec_speed(s, raw_env),
        "gym": gym_speed,
    }
    # In three rounds, best of each: a machine that others use as well slows down now and then.
    rounds = [{name: measure(seconds / 3) for name, measure in rows.items()} for _ in range(3)]
    return {name: max(speeds[name] for speeds in rounds) for name in rows}


_FACES = {
    "kernel": "kernel, mask included",
    "vector_1": "vector, one thread",
    "vector_all": "vector, all cores",
    "vector_indices": "vector, index lists",
    "game": "Game object",
    "aec": "PettingZoo, wrapped",
    "aec_raw": "PettingZoo, raw_env",
    "gym": "Gymnasium, one seat",
}


def run_bench(seconds: float, *, as_json: bool = False) -> None:
    if seconds <= 0:
        raise ValueError(f"--seconds {seconds}: must be more than 0")
    announce_compile()
    speeds = faces(seconds)
    out: dict[str, Any] = speeds | {
        "decisions_per_turn": kernel_speed("south-african", 2, seconds / 3)["decisions_per_turn"],
        "record_bytes": GAME.itemsize,
        "cores": os.cpu_count(),
        "presets": {},
    }
    if not as_json:
        print(f"game record {GAME.itemsize} bytes; {os.cpu_count()} cores; decisions a second on random legal play")
        for name, speed in speeds.items():
            print(f"{_FACES[name]:<22}{speed:>12,.0f}")
        print(f"\n{'one core, mask included':<22}{'decisions/s':>12}{'decisions/turn':>16}")
    for name in variants():
        for players in player_counts(name):
            row = kernel_speed(name, players, seconds / 4)
            out["presets"][f"{name} {players}"] = row
            if not as_json:
                print(f"{name + ' ' + str(players):<22}{row['speed']:>12,.0f}{row['decisions_per_turn']:>16.2f}")
    if as_json:
        print(json.dumps(out))
