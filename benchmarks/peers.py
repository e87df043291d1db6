"""Compare the speed of random play with observations in other projects' card games and in ours, in one run.

`benchmarks/peers.sh` sets up a separate environment for it and puts the table into docs/benchmarks.md. A decision is an
action that a player chose; dealing and other chance events do not count. Every row includes what users of that library
get at a decision, the mover's observation and the legal actions; a row without an observation says so.
"""

import argparse
import json
import random
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib import import_module
from itertools import compress
from typing import Any

import numpy as np

from benchmarks.page import machine, release, write
from casino_env import bench
from casino_env.bench import best_of_rounds, per_second

COMMAND = "benchmarks/peers.sh"

Work = Callable[[float], float]  # seconds -> decisions a second


# --- Functions that prepare a game and return its measurement. They import their libraries only when called. -------


def openspiel(name: str) -> Work:
    """The state's tensor and mask through Python. Chance is sampled the cheapest way, as it is not measured."""
    import pyspiel

    game, rng = pyspiel.load_game(name), random.Random(0)
    perfect_recall = game.get_type().provides_information_state_tensor
    actions = range(game.num_distinct_actions())

    def deal() -> int:
        state, decisions = game.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():  # a card from a deck: outcomes are equally likely
                state.apply_action(rng.choice(state.chance_outcomes())[0])
                continue
            _ = state.information_state_tensor() if perfect_recall else state.observation_tensor()
            state.apply_action(rng.choice(list(compress(actions, state.legal_actions_mask()))))
            decisions += 1
        return decisions

    return lambda seconds: per_second(deal, seconds)


def rlcard(name: str) -> Work:
    """env.step: each state holds the observation and the legal actions."""
    import rlcard as library

    env, rng = library.make(name), random.Random(0)

    def deal() -> int:
        state, _ = env.reset()
        decisions = 0
        while not env.is_over():
            state, _ = env.step(rng.choice(list(state["legal_actions"])))
            decisions += 1
        return decisions

    return lambda seconds: per_second(deal, seconds)


def pettingzoo(name: str) -> Work:
    """The loop of its documentation: last(), a legal action, step(), with the wrappers of env()."""
    env, rng = import_module(f"pettingzoo.classic.{name}").env(), np.random.default_rng(0)

    def deal() -> int:
        env.reset(seed=int(rng.integers(2**31)))
        decisions = 0
        while True:
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                return decisions
            env.step(bench.random_legal(observation["action_mask"], rng))
            decisions += 1

    return lambda seconds: per_second(deal, seconds)


def pgx(name: str) -> Work:
    """A jitted step of a batch on all cores, with its own auto-reset wrapper."""
    import jax
    import pgx as library
    from pgx.experimental.wrappers import auto_reset

    name, batch = name.split()[0], int(name.split()[1])
    env = library.make(name)
    step = auto_reset(env.step, env.init)

    def one(state: Any, key: Any) -> Any:
        choice, chance = jax.random.split(key)
        logits = jax.numpy.where(state.legal_action_mask, 0.0, -jax.numpy.inf)
        return step(state, jax.random.categorical(choice, logits), chance)

    def many(states: Any, key: Any) -> Any:
        key, part = jax.random.split(key)
        return jax.vmap(one)(states, jax.random.split(part, batch)), key

    play = jax.jit(many)
    key = jax.random.PRNGKey(0)
    now = [(jax.jit(jax.vmap(env.init))(jax.random.split(key, batch)), key)]

    def steps() -> int:
        now[0] = jax.block_until_ready(play(*now[0]))
        return batch

    return lambda seconds: per_second(steps, seconds)


def ours(face: str) -> Work:
    return bench.faces()[face][1]


# --- the rows ------------------------------------------------------------------------------------------------------


@dataclass
class Row:
    project: str
    game: str
    how: str  # the interface
    make: Callable[[str], Work]
    argument: str
    package: str  # the distribution whose version is shown
    threads: str = "1"
    version: str = "-"
    speed: float = 0.0
    reason: str = ""  # why it could not be measured


def our_rows() -> list[Row]:
    titles = {
        name: title for name, (title, _) in bench.faces().items() if name not in ("kernel", "game_apply", "afterstates")
    }
    game = f"{bench.VARIANT} {bench.PLAYERS}"
    return [
        Row("casino-env", game, title, ours, name, "casino-env", "all" if name == "vector_all" else "1")
        for name, title in titles.items()
    ]


def their_rows() -> list[Row]:
    spiel = {
        "hearts": "hearts",
        "spades": "spades",
        "gin rummy": "gin_rummy",
        "bridge": "bridge(use_double_dummy_result=false)",
        "euchre": "euchre",
        "skat": "skat",
        "leduc poker": "leduc_poker",
    }
    cards = {
        "leduc hold'em": "leduc-holdem",
        "limit hold'em": "limit-holdem",
        "gin rummy": "gin-rummy",
        "uno": "uno",
        "dou dizhu": "doudizhu",
    }
    zoo = {"leduc hold'em": "leduc_holdem_v4", "texas hold'em": "texas_holdem_v4", "hanabi": "hanabi_v5"}
    # Batch sizes that are about the fastest for each game.
    batches = {"sparrow mahjong": "sparrow_mahjong 1024", "leduc hold'em": "leduc_holdem 4096"}
    batches["kuhn poker"] = "kuhn_poker 4096"
    return [
        *(Row("OpenSpiel", game, "state", openspiel, name, "open-spiel") for game, name in spiel.items()),
        *(Row("RLCard", game, "env.step", rlcard, name, "rlcard") for game, name in cards.items()),
        *(Row("PettingZoo", game, "env", pettingzoo, name, "pettingzoo") for game, name in zoo.items()),
        *(Row("Pgx", game, f"jit, {name.split()[1]} games", pgx, name, "pgx", "all") for game, name in batches.items()),
    ]


def prepare(rows: list[Row]) -> dict[int, Work]:
    """Return the measurement of each row, by number; store the reason in rows that cannot be played here."""
    works = {}
    for number, row in enumerate(rows):
        row.version = release(row.package)
        print(f"preparing {row.project}: {row.game}, {row.how}", file=sys.stderr)
        try:
            work = row.make(row.argument)
            work(0.01)  # compile
        except Exception as error:  # noqa: BLE001 - any error of another project's game is shown in its row
            row.reason = f"{type(error).__name__}: {error}".splitlines()[0][:100]
        else:
            works[number] = work
    return works


def measure(rows: list[Row], seconds: float) -> None:
    for number, speed in best_of_rounds(prepare(rows), seconds).items():
        rows[number].speed = speed


# --- the page ------------------------------------------------------------------------------------------------------


def _times(ratio: float) -> str:
    return f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.2g}"


def table(rows: list[Row]) -> list[str]:
    """Format the rows with our speed relative to each: one game at a time, and a batch on as many cores."""
    speeds = {row.argument: row.speed for row in rows if row.project == "casino-env"}
    lines = [
        "| project | game | through | threads | decisions a second | our PettingZoo to it | our vector to it |",
        "| --- | --- | --- | --- | ---: | ---: | ---: |",
    ]
    for row in rows:
        start = f"| {row.project} {row.version} | {row.game} | {row.how} | {row.threads} |"
        if row.speed:
            vector = speeds["vector_all" if row.threads == "all" else "vector_1"]
            single = _times(speeds["aec"] / row.speed) if row.threads == "1" else ""
            lines.append(f"{start} {row.speed:,.0f} | {single} | {_times(vector / row.speed)} |")
        else:
            lines.append(f"{start} not measured: {row.reason} | | |")
    return lines


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks peers", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=3.0, help=f"for each row, in {bench.ROUNDS} slices (3)")
    parser.add_argument("--only", metavar="WORD", help="rows of this project or game, beside ours")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--write", action="store_true", help="put the table into docs/benchmarks.md")
    args = parser.parse_args(arguments)
    if args.seconds <= 0:
        parser.error("--seconds must be more than 0")
    if args.only and args.write:
        parser.error("--write needs all rows")
    wanted = (args.only or "").lower()
    rows = [*our_rows(), *(row for row in their_rows() if wanted in f"{row.project} {row.game}".lower())]
    measure(rows, args.seconds)
    how = f"`{COMMAND}`, all rows by turns, the best of {bench.ROUNDS} slices of {args.seconds / bench.ROUNDS:g} s"
    lines = [*machine(("numpy", "numba", "gymnasium", "jax"), how), *table(rows)]
    shown = [{key: value for key, value in asdict(row).items() if key != "make"} for row in rows]
    print(json.dumps(shown) if args.json else "\n".join(lines))
    if args.write:
        write("peers", lines)
    return 0
