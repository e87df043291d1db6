"""What the length of play-outs costs: how much results scatter, played to the next deal of hands and to the end.

In positions of deals that the best bot plays with itself, while cards are still to be dealt, two turns of the seat are
played on by it in the same determinizations. What counts is how much the difference of the two scatters: a search has
to tell them apart.
"""

from typing import Any

import numpy as np

from casino_env.agents.registry import ladder, make_agent
from casino_env.agents.search.horizon import HORIZONS, horizon_of
from casino_env.agents.search.racing import UNWEIGHTED, TurnRoot, begin_rollouts
from casino_env.agents.search.rollout_policies import make_rollout_policy
from casino_env.agents.search.rollouts import new_rollouts, roll_out
from casino_env.engine.afterstates import LIMIT, afterstates_of
from casino_env.engine.state import rules_record
from casino_env.game import Game
from casino_env.observed import NoDeterminizationError, observe
from casino_env.rules import Rules

_TO_THE_END = 1 << 40
_TRIES = 100  # deals for each position


def scatter(rules: Rules, positions: int, games: int, seed: int) -> dict[str, Any]:
    """By horizon the mean turns of a play-out, and the root of the mean variance of results and of differences."""
    bot, record, rng = ladder(rules)[-1], rules_record(rules), np.random.default_rng(seed)
    agent, player, other = make_agent(bot), *(make_rollout_policy(bot, rules) for _ in range(2))
    rollouts, judged = new_rollouts(2 * games), other.work.judged
    found: list[dict[str, tuple[float, float, float]]] = []
    agent.reset(0, rng)
    for number in range(_TRIES * positions):
        if len(found) == positions:
            break
        game, wait = Game(rules, seed=seed + number), int(rng.integers(rules.deck // 2))
        while not game.over and game.record["turns"] < wait:
            game.apply(agent.act(observe(game)))
        if game.over or game.record["stock_top"] < 0:
            continue
        seen = observe(game)
        many = afterstates_of(seen.view, record, judged.afterstates, LIMIT)
        if many < 2:
            continue
        turns = rng.choice(many, 2, replace=False)
        row = {}
        for horizon in HORIZONS:
            root = TurnRoot(seen.view, record, seen.seat, judged, horizon_of(rules, horizon))
            if not begin_rollouts(root, UNWEIGHTED, rollouts, turns, np.uint64(number), 0, games):
                raise NoDeterminizationError(f"no game agrees with what seat {seen.seat} knows")
            roll_out(rollouts, record, player, _TO_THE_END, 0, 2 * games)
            results = rollouts.result[:, rules.side(seen.seat)].reshape(games, 2)
            length = float((rollouts.games["turns"] - seen.view["turns"]).mean())
            row[horizon] = (length, results.var(axis=0, ddof=1).mean(), (results[:, 0] - results[:, 1]).var(ddof=1))
        found.append(row)
    if len(found) < positions:
        raise ValueError(
            f"{rules.name} with {rules.players} players: too few positions in which cards are still to be dealt"
        )
    shown: dict[str, Any] = {"game": f"{rules.name} {rules.players}", "positions": positions}
    for horizon in HORIZONS:
        turns_each, result, difference = np.mean([row[horizon] for row in found], axis=0)
        shown[horizon] = {"turns": turns_each, "result": result**0.5, "difference": difference**0.5}
    return shown
