"""Worlds that are played on: by a bot to the end of the deal, by a network until it says how the deal will end."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from casino_env.agents.search.player import Player, foresee, plans_turns, play_on
from casino_env.compiler.jit import entry
from casino_env.engine import action_set
from casino_env.engine.legal import legal_actions
from casino_env.engine.scoring import points_ahead
from casino_env.engine.state import GAME, OVER

Array = np.ndarray[Any, Any]

SIDES = GAME["deal_points"].shape[0]  # at most


class Rollouts(NamedTuple):
    """A batch of them."""

    worlds: Array
    rngs: Array  # each has a stream of its own, which is not that by which its hidden cards were drawn
    begun: Array  # turns that are over when others begin to play on
    result: Array  # by side, in points more than the mean of the others


def new_rollouts(batch: int) -> Rollouts:
    return Rollouts(
        np.zeros(batch, GAME), np.zeros(batch, np.uint64), np.zeros(batch, np.int64), np.zeros((batch, SIDES))
    )


@entry
def roll_out(rollouts, rules, player, cut, first, last):
    """The worlds from first to before last, to the end of the deal or until the player has decided cut times, or has
    had so many turns if it plans turns."""
    r, by_turns = rules[0], plans_turns(player)
    for number in range(first, last):
        world, rng, begun = rollouts.worlds[number], rollouts.rngs[number : number + 1], rollouts.begun[number]
        legal, decided = legal_actions(world, r), 0
        while world.mode != OVER and action_set.count(legal) and (world.turns - begun if by_turns else decided) < cut:
            legal = play_on(world, r, player, legal, rng)
            decided += 1
        if world.mode == OVER or not player.judge.theta.shape[0]:
            for side in range(r.sides):
                rollouts.result[number, side] = points_ahead(world, r, side)
        else:
            foresee(world, r, player, rollouts.result[number])


def roll_out_all(
    rollouts: Rollouts, rules: Array, players: list[Player], cut: int, count: int, pool: ThreadPoolExecutor
) -> None:
    """Each player, in a thread of its own, plays on its part of the worlds."""
    edges = [count * k // len(players) for k in range(len(players) + 1)]
    if len(players) == 1:
        roll_out(rollouts, rules, players[0], cut, 0, count)
        return
    parts = zip(players, edges[:-1], edges[1:], strict=True)
    for job in [pool.submit(roll_out, rollouts, rules, who, cut, lo, hi) for who, lo, hi in parts]:
        job.result()
