"""What agents lose where all cards are known: in positions of 11 to 13 cards whose turns the solver knows exactly."""

from __future__ import annotations

import argparse
import copy
import time
from collections.abc import Iterator

import numpy as np

from casino_env.actions import ACTIONS
from casino_env.agents.policy.policy_agent import make_policy
from casino_env.agents.policy.shipped import strongest_policy
from casino_env.agents.registry import make_agent
from casino_env.agents.solver.alpha_beta import DONE, VALUES, AlphaBeta, begin_solving, go_on_solving
from casino_env.arrays import Array
from casino_env.compiler.types import allocate
from casino_env.engine.state import IDLE, rules_record
from casino_env.game import Game
from casino_env.observed import observe

CARDS = range(11, 14)  # in both hands
MOST = 4_000_000  # positions that the solver looks at
TEMPERATURE, SEED = 0.3, 1000  # of the play that leads there


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks ahead", description=__doc__)
    parser.add_argument("agents", nargs="+", metavar="AGENT", help="NAME stands for the ready policy of the game")
    parser.add_argument("--games", nargs="+", default=["south-african", "kasa", "swazi"], metavar="VARIANT")
    parser.add_argument("--positions", type=int, default=250, help="of each game (250)")
    args = parser.parse_args(arguments)
    for variant in args.games:
        name = strongest_policy(Game(variant, players=2).rules)
        if name is None:
            raise ValueError(f"no policy has learnt {variant} for two")
        found = list(_positions(variant, name, args.positions))
        for spec in args.agents:
            agent, began = make_agent(spec.replace("NAME", name)), time.process_time()
            lost = np.array([values.max() - values[int(agent.act(observe(game)))] for game, values in found])
            half, spent = 1.96 * lost.std() / len(lost) ** 0.5, (time.process_time() - began) / len(lost)
            print(f"{variant:<14} {spec:<32} loses {lost.mean():.3f} ± {half:.3f}  {1000 * spent:.2f} ms", flush=True)
    return 0


def _positions(variant: str, name: str, many: int) -> Iterator[tuple[Game, Array]]:
    """So many, with the value of each action."""
    player, solver, found, seed = make_policy(name, TEMPERATURE, turns=1, exact=0), _solver(), 0, SEED
    while found < many:
        game, seed = Game(variant, players=2, seed=seed), seed + 1
        while not game.over and found < many:
            seen = observe(game)
            view = seen.view[0]
            known = view["hidden_stock"] == 0 and not view["hidden_hand"].any() and view["mode"] == IDLE
            held = sum(int(hand).bit_count() for hand in view["hands"])
            if known and not view["acted"] and held in CARDS and len(seen.legal()) > 1:
                values = _solved(solver, game, seen.view)
                if values is not None:
                    found += 1
                    yield copy.deepcopy(game), values
            game.apply(player.act(seen))


def _solver() -> AlphaBeta:
    solver: AlphaBeta = allocate(AlphaBeta, levels=256, entries=1 << 19)
    return solver


def _solved(solver: AlphaBeta, game: Game, view: Array) -> Array | None:
    """The value of each action, from the seat that decides; none if that takes too long."""
    record = rules_record(game.rules)
    solver.table["key"], solver.table["effort"] = 0, 0
    solver.history[:] = 0
    if begin_solving(solver, record, view, VALUES, MOST) or go_on_solving(solver, record, MOST) != DONE:
        return None
    control, values = solver.control[0], np.full(ACTIONS, -np.inf)
    valued = int(control["valued"])
    values[control["moves"][:valued]] = control["values"][:valued]
    return values
