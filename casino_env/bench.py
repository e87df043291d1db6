"""Benchmark: decisions per second of random legal play on this machine.

A decision is an action that a player chose; forced actions that the game plays itself do not count.
"""

import itertools
import json
import time
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any

import gymnasium
import numpy as np

from casino_env.arrays import Array
from casino_env.engine import entrypoints
from casino_env.engine.state import GAME, rules_record
from casino_env.envs.gymnasium import RandomOpponent
from casino_env.envs.make import env_id, make_vec, register_all
from casino_env.envs.pettingzoo import env, raw_env
from casino_env.game import Game
from casino_env.instructions import counted
from casino_env.machine import cores
from casino_env.observed import Observed
from casino_env.rules import make_rules, player_counts, variants

VARIANT, PLAYERS = "south-african", 2  # of every row except those of the presets
ROUNDS = 5

Work = Callable[[float], float]  # seconds -> decisions per second


def kernel_speed(variant: str, players: int, seconds: float) -> dict[str, float]:
    """Decisions per second on one core, and decisions per turn."""
    games = np.zeros(1, GAME)
    rules = rules_record(make_rules(variant, players))
    entrypoints.random_deals(games, rules, 0, 10)
    decisions = turns = rounds = 0
    began = time.perf_counter()
    while time.perf_counter() - began < seconds:
        more = entrypoints.random_deals(games, rules, 1000 * rounds, 200)
        decisions, turns, rounds = decisions + more[0], turns + more[1], rounds + 1
    spent = time.perf_counter() - began
    return {"speed": decisions / spent, "decisions_per_turn": decisions / turns}


def _timed(seconds: float, work: Callable[[int], int]) -> float:
    """Decisions per second of work(seed)."""
    seeds = itertools.count()
    work(next(seeds))  # compile, fill caches
    return per_second(lambda: work(next(seeds)), seconds)


def per_second(work: Callable[[], int], seconds: float, clock: Callable[[], float] = time.perf_counter) -> float:
    """Units of work per second; each call of work() returns how many units it did."""
    done, spent, began = 0, 0.0, clock()
    while not done or spent < seconds:
        done += work()
        spent = clock() - began
    return done / spent


def vector_speed(seconds: float, threads: int, obs: str = "dense", num_envs: int = 2048) -> float:
    """Decisions per second of a batch that writes observations and masks and draws random legal actions."""
    vec = make_vec(VARIANT, PLAYERS, num_envs, seed=1, threads=threads, obs=obs, copy=False)

    def steps(_seed: int) -> int:
        for _ in range(10):
            vec.step(vec.sample())
        return 10 * num_envs

    return _timed(seconds, steps)


def _random_deal(seed: int, rng: np.random.Generator) -> tuple[Game, list[int]]:
    """A game as it is dealt, and actions to its end."""
    dealt, actions = Game(VARIANT, PLAYERS, seed), list[int]()
    game = dealt.clone()
    while not game.over:
        legal = game.legal()
        actions.append(legal[int(rng.integers(len(legal)))])
        game.apply(actions[-1])
    return dealt, actions


def game_speed(seconds: float) -> float:
    """Decisions per second of the Game object: legal actions, but no observation."""
    rng = np.random.default_rng(0)
    return _timed(seconds, lambda seed: len(_random_deal(seed, rng)[1]))


def apply_speed(seconds: float) -> float:
    """Decisions per second of Game.apply alone: it replays known actions and never lists the legal ones."""
    rng = np.random.default_rng(0)
    recorded = [_random_deal(seed, rng) for seed in range(20)]

    def deal(seed: int) -> int:
        dealt, actions = recorded[seed % len(recorded)]
        game = dealt.clone()
        for action in actions:
            game.apply(action)
        return len(actions)

    return _timed(seconds, deal)


def random_legal(mask: Array, rng: np.random.Generator) -> int:
    legal = mask.nonzero()[0]
    return int(legal[int(rng.random() * len(legal))])


def aec_speed(seconds: float, make: Callable[..., Any]) -> float:
    """Decisions per second of PettingZoo's loop: last(), a legal action, step()."""
    environment, rng = make(VARIANT, PLAYERS), np.random.default_rng(0)

    def deal(seed: int) -> int:
        environment.reset(seed=seed)
        decisions = 0
        while True:
            observation, _, over, _, _ = environment.last()
            if over:
                return decisions
            environment.step(random_legal(observation["action_mask"], rng))
            decisions += 1

    return _timed(seconds, deal)


class _Counted(RandomOpponent):
    """A random opponent that counts its decisions: they cost the environment as much as those of the agent."""

    decisions = 0

    def act(self, observation: Observed) -> int:
        self.decisions += 1
        return super().act(observation)


def gym_speed(seconds: float) -> float:
    """Decisions per second of Gymnasium's loop against a random opponent; the decisions of both count."""
    register_all()
    opponent, rng = _Counted(), np.random.default_rng(0)
    environment = gymnasium.make(env_id(VARIANT), players=PLAYERS, opponents=opponent)

    def deal(seed: int) -> int:
        observation, _ = environment.reset(seed=seed)
        before, own, over = opponent.decisions, 0, False
        while not over:
            observation, _, over, _, _ = environment.step(random_legal(observation["action_mask"], rng))
            own += 1
        return own + opponent.decisions - before

    return _timed(seconds, deal)


OPPONENTS = (
    "random", "greedy", "counter", "policy:{game},turns=1,exact=0", "policy:{game}", "search:sims=8",
)  # fmt: skip
GAMES = 64


def opponent_speed(spec: Any, seconds: float, num_envs: int = GAMES) -> float:
    """Steps per second of processor time of a batch that plays random legal actions against this opponent."""
    register_all()
    batch: Any = gymnasium.make_vec(env_id(VARIANT), num_envs=num_envs, players=PLAYERS, opponents=spec)
    rng, masks = np.random.default_rng(0), batch.reset(seed=1)[1]["action_mask"]

    def step() -> int:
        nonlocal masks
        masks = batch.step((rng.random(masks.shape) * masks).argmax(1))[4]["action_mask"]
        return num_envs

    step()  # load, fill caches
    return per_second(step, seconds, time.process_time)


def bench_opponents(seconds: float, *, as_json: bool = False) -> None:
    """Print the cost of each kind of opponent."""
    specs = [spec.format(game=f"{VARIANT}-{PLAYERS}") for spec in OPPONENTS]
    specs = [spec for spec in specs if find_spec("safetensors") or not spec.startswith("policy")]
    speeds = best_of_rounds({spec: partial(opponent_speed, spec) for spec in specs}, seconds)
    if as_json:
        print(json.dumps(speeds))
        return
    print(f"| opponent, {VARIANT} {PLAYERS}, {GAMES} games | steps a second | times random |\n| --- | ---: | ---: |")
    for spec, speed in speeds.items():
        print(f"| `{spec}` | {speed:,.0f} | {speeds['random'] / speed:.1f} |")


def faces() -> dict[str, tuple[str, Work]]:
    """Every interface: its title and the function that measures it."""
    threads = cores()
    rows: dict[str, tuple[str, Work]] = {
        "kernel": ("kernel, no observation", lambda s: kernel_speed(VARIANT, PLAYERS, s)["speed"]),
        "vector_1": ("vector, one thread", lambda s: vector_speed(s, 1)),
        "vector_all": (f"vector, {threads} threads", lambda s: vector_speed(s, threads)),
        "vector_indices_1": ("vector, index lists", lambda s: vector_speed(s, 1, "indices")),
        "vector_bits_1": ("vector, bits", lambda s: vector_speed(s, 1, "bits")),
        "game": ("Game, no observation", game_speed),
        "game_apply": ("Game.apply alone", apply_speed),
        "aec": ("PettingZoo, env", lambda s: aec_speed(s, env)),
        "aec_raw": ("PettingZoo, raw_env", lambda s: aec_speed(s, raw_env)),
        "gym": ("Gymnasium", gym_speed),
    }
    if find_spec("safetensors"):  # tables that a turn can leave, listed, seen and judged by the shipped policy
        judge = counted("judge_afterstates")
        rows["afterstates"] = ("afterstates judged", lambda s: _timed(s, judge(make_rules(VARIANT, PLAYERS))))
    return rows


def best_of_rounds(works: dict[Any, Work], seconds: float) -> dict[Any, float]:
    """The best of several short, interleaved slices of each: a shared machine slows down now and then."""
    best = dict.fromkeys(works, 0.0)
    for _ in range(ROUNDS):
        for name, work in works.items():
            best[name] = max(best[name], work(seconds / ROUNDS))
    return best


def run_bench(seconds: float, *, as_json: bool = False) -> None:
    speeds = best_of_rounds({name: work for name, (_, work) in faces().items()}, seconds)
    games = [(name, players) for name in variants() for players in player_counts(name)]
    out: dict[str, Any] = speeds | {
        "ratios": {name: speed / speeds["vector_1"] for name, speed in speeds.items()},
        "decisions_per_turn": kernel_speed(VARIANT, PLAYERS, seconds / ROUNDS)["decisions_per_turn"],
        "record_bytes": GAME.itemsize,
        "cores": cores(),
        "presets": {f"{name} {players}": kernel_speed(name, players, seconds / 4) for name, players in games},
    }
    if as_json:
        print(json.dumps(out))
    else:
        _print_tables(out)


def _print_tables(out: dict[str, Any]) -> None:
    print(f"game record {out['record_bytes']} bytes; {out['cores']} cores; random legal play")
    print(f"\n{f'{VARIANT} {PLAYERS}':<24}{'decisions/s':>12}{'of vector':>11}")
    for name, (title, _) in faces().items():
        print(f"{title:<24}{out[name]:>12,.0f}{out['ratios'][name]:>11.3f}")
    print(f"\n{'kernel':<24}{'decisions/s':>12}{'a turn':>11}")
    for name, row in out["presets"].items():
        print(f"{name:<24}{row['speed']:>12,.0f}{row['decisions_per_turn']:>11.2f}")
