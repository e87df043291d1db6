"""Random play with observations in other projects' card games and in ours, on this machine in one run.

`make bench-peers` sets up an environment of its own for it and writes the table into docs/benchmarks.md. A decision is
an action of a player; dealing is not counted. Every row hands out what its users get: the player's observation and
the legal actions.
"""

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import casino_env  # noqa: E402
from casino_env import bench  # noqa: E402

PAGE = ROOT / "docs" / "benchmarks.md"
BEGIN, END = "<!-- peers:begin -->", "<!-- peers:end -->"
ROUNDS = 3

Work = Callable[[float], float]  # seconds -> decisions a second


def _play(seconds: float, deal: Callable[[], int]) -> float:
    decisions, began = 0, time.perf_counter()
    while time.perf_counter() - began < seconds:
        decisions += deal()
    return decisions / (time.perf_counter() - began)


# --- each function prepares one game and returns what measures it ---------------------------------------------------


def openspiel(name: str) -> Work:
    import pyspiel

    game, rng = pyspiel.load_game(name), np.random.default_rng(0)
    tensor = "information_state_tensor" if game.get_type().provides_information_state_tensor else "observation_tensor"

    def deal() -> int:
        state, decisions = game.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(int(rng.choice(outcomes, p=chances)))
                continue
            getattr(state, tensor)()
            legal = state.legal_actions()
            state.apply_action(legal[int(rng.integers(len(legal)))])
            decisions += 1
        return decisions

    return lambda seconds: _play(seconds, deal)


def rlcard(name: str) -> Work:
    import rlcard as library

    env, rng = library.make(name), np.random.default_rng(0)

    def deal() -> int:
        state, _ = env.reset()
        decisions = 0
        while not env.is_over():
            legal = list(state["legal_actions"])
            state, _ = env.step(legal[int(rng.integers(len(legal)))])
            decisions += 1
        return decisions

    return lambda seconds: _play(seconds, deal)


def pettingzoo(name: str) -> Work:
    from importlib import import_module

    env, rng = import_module(f"pettingzoo.classic.{name}").env(), np.random.default_rng(0)

    def deal() -> int:
        env.reset(seed=int(rng.integers(2**31)))
        decisions = 0
        while True:
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                return decisions
            legal = np.flatnonzero(observation["action_mask"])
            env.step(int(legal[rng.integers(len(legal))]))
            decisions += 1

    return lambda seconds: _play(seconds, deal)


def pgx(name: str, batch: int = 1024) -> Work:
    import jax
    import jax.numpy as jnp
    import pgx as library

    env = library.make(name)

    def step(state: Any, key: Any) -> Any:
        logits = jnp.where(state.legal_action_mask, 0.0, -1e9)
        state = env.step(state, jax.random.categorical(key, logits))
        fresh = env.init(key)
        ended = state.terminated | state.truncated
        return jax.tree_util.tree_map(
            lambda new, old: jnp.where(ended, new, old), fresh, state
        ), state.observation.sum()

    many = jax.jit(jax.vmap(step))
    state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(0), batch))
    key = jax.random.PRNGKey(1)
    state, _ = many(state, jax.random.split(key, batch))
    holder = [state, key]

    def steps() -> int:
        holder[1], part = jax.random.split(holder[1])
        holder[0], seen = many(holder[0], jax.random.split(part, batch))
        seen.block_until_ready()
        return batch

    return lambda seconds: _play(seconds, steps)


def ours(face: str) -> Work:
    cores = os.cpu_count() or 1
    return {
        "vector": lambda seconds: bench.vector_speed(seconds, 1),
        "vector all": lambda seconds: bench.vector_speed(seconds, cores),
        "game": bench.game_speed,
        "aec": lambda seconds: bench.aec_speed(seconds, casino_env.env),
        "gym": bench.gym_speed,
    }[face]


ROWS: list[tuple[str, str, Callable[[str], Work], str, str]] = [
    ("casino-env", "south-african, vector, all cores", ours, "vector all", "casino-env"),
    ("casino-env", "south-african, vector, one thread", ours, "vector", "casino-env"),
    ("casino-env", "south-african, Gymnasium", ours, "gym", "casino-env"),
    ("casino-env", "south-african, PettingZoo", ours, "aec", "casino-env"),
    ("OpenSpiel", "hearts", openspiel, "hearts", "open-spiel"),
    ("OpenSpiel", "spades", openspiel, "spades", "open-spiel"),
    ("OpenSpiel", "gin rummy", openspiel, "gin_rummy", "open-spiel"),
    ("OpenSpiel", "leduc poker", openspiel, "leduc_poker", "open-spiel"),
    ("RLCard", "leduc hold'em", rlcard, "leduc-holdem", "rlcard"),
    ("RLCard", "gin rummy", rlcard, "gin-rummy", "rlcard"),
    ("RLCard", "uno", rlcard, "uno", "rlcard"),
    ("RLCard", "dou dizhu", rlcard, "doudizhu", "rlcard"),
    ("PettingZoo", "texas hold'em", pettingzoo, "texas_holdem_v4", "pettingzoo"),
    ("PettingZoo", "leduc hold'em", pettingzoo, "leduc_holdem_v4", "pettingzoo"),
    ("PettingZoo", "hanabi", pettingzoo, "hanabi_v5", "pettingzoo"),
    ("Pgx, batches of 1,024", "sparrow mahjong", pgx, "sparrow_mahjong", "pgx"),
    ("Pgx, batches of 1,024", "leduc hold'em", pgx, "leduc_holdem", "pgx"),
    ("Pgx, batches of 1,024", "kuhn poker", pgx, "kuhn_poker", "pgx"),
]


def _release(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "-"


def prepare() -> list[dict[str, Any]]:
    """All rows; those that cannot be measured here say why."""
    rows: list[dict[str, Any]] = []
    for project, game, make, name, package in ROWS:
        row: dict[str, Any] = {"project": project, "game": game, "version": _release(package), "speed": 0.0}
        try:
            row["work"] = make(name)
            row["work"](0.05)
        except Exception as error:  # noqa: BLE001 - whatever another project's game raises becomes its row's reason
            row["reason"] = f"{type(error).__name__}: {error}".splitlines()[0][:100]
            row.pop("work", None)
        rows.append(row)
    return rows


def measure(rows: list[dict[str, Any]], seconds: float) -> None:
    """In rounds, best of each: the machine is not ours alone."""
    for number in range(ROUNDS):
        for row in rows:
            if "work" in row:
                row["speed"] = max(row["speed"], row["work"](seconds))
                print(f"round {number + 1}: {row['project']} {row['game']}: {row['speed']:,.0f}", file=sys.stderr)


def table(rows: list[dict[str, Any]]) -> list[str]:
    reference = next(row["speed"] for row in rows if row["game"].endswith("one thread"))
    lines = [
        "| project | game | decisions a second | our vector, one thread, is faster by |",
        "| --- | --- | ---: | ---: |",
    ]
    for row in rows:
        name = f"{row['project']} {row['version']}"
        if row["speed"]:
            lines.append(f"| {name} | {row['game']} | {row['speed']:,.0f} | {reference / row['speed']:,.1f} |")
        else:
            lines.append(f"| {name} | {row['game']} | not measured: {row['reason']} | |")
    return lines


def write_page(lines: list[str]) -> None:
    old = PAGE.read_text()
    before, _, rest = old.partition(BEGIN)
    after = rest.partition(END)[2]
    PAGE.write_text(f"{before}{BEGIN}\n\n" + "\n".join(lines) + f"\n\n{END}{after}")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python evaluate/peers.py", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=2.0, help=f"for each row in each of {ROUNDS} rounds (2)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--write", action="store_true", help="put the table into docs/benchmarks.md")
    args = parser.parse_args()
    if args.seconds <= 0:
        parser.error("--seconds must be more than 0")
    rows = prepare()
    measure(rows, args.seconds)
    for row in rows:
        row.pop("work", None)
    machine = f"{os.cpu_count()} cores ({platform.machine()}), Python {platform.python_version()}, one run"
    lines = [f"Measured on {machine}, best of {ROUNDS} rounds of {args.seconds:g} s.", "", *table(rows)]
    print(json.dumps(rows) if args.json else "\n".join(lines))
    if args.write:
        write_page(lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
