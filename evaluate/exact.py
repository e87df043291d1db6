"""Exploitability without error on the `mini` games, whose every line of play OpenSpiel can go through."""

from __future__ import annotations

import importlib.util
import time
from typing import Any

import numpy as np

from agents.base import probabilities_of
from agents.registry import make_agent
from casino_env.actions import action_text
from casino_env.observed import observe
from casino_env.rules import PRESETS, Rules, make_rules
from evaluate.progress import progress

Choices = dict[str, float]  # by the text of the action

SMALL = tuple(name for name in PRESETS if name.startswith("mini"))


def exploitability(rules: Rules, agent: str) -> dict[str, Any]:
    """The mean of what the best replies on both seats win from the agent, as plain data."""
    if rules.name not in SMALL or rules != make_rules(rules.name, rules.players):
        raise ValueError(f"exact exploitability: only {' and '.join(SMALL)}, unchanged, are small enough")
    if importlib.util.find_spec("pyspiel") is None:
        raise ValueError("exact exploitability needs OpenSpiel: pip install 'casino-env[spiel]'")
    import pyspiel

    from examples import openspiel_bridge as bridge

    began = time.perf_counter()
    game = pyspiel.load_game(f"python_casino(variant={rules.name},players={rules.players})")
    tree = pyspiel.load_efg_game(bridge.written_out(game)[0])
    choices = _choices(bridge, game, agent)
    policy = pyspiel.TabularPolicy(_table(bridge, tree, choices))
    value = float(pyspiel.exploitability(tree, policy))
    return {
        "agent": agent,
        "method": "exact",
        "variant": rules.name,
        "players": rules.players,
        "exploited": {"mean": value, "low": value, "high": value},
        "sets": sum(map(len, choices)),
        "seconds": round(time.perf_counter() - began, 3),
    }


def _choices(bridge: Any, game: Any, agent: str) -> tuple[dict[str, Choices], ...]:
    """By player: how likely the agent plays each action in each information set."""
    player, found = make_agent(agent), tuple[dict[str, Choices], ...]({} for _ in range(game.rules.players))
    player.reset(0, np.random.default_rng(0))
    stack = [bridge.Play(game.rules, game.deck)]
    with progress(f"choices of {agent}", 0) as show:
        while stack:
            play = stack.pop()
            if play.over():
                continue
            if play.game is None:
                stack += [bridge.child(play, bridge.Play.deal, outcome) for outcome in range(len(play.hands()))]
                continue
            known, name = found[play.game.seat], play.seen[play.game.seat]
            if name not in known:
                likely = probabilities_of(player, observe(play.game))
                known[name] = {action_text(action): float(likely[action]) for action in play.game.legal()}
                show(sum(map(len, found)), "")
            stack += [bridge.child(play, bridge.Play.do, action) for action in play.game.legal()]
    return found


def _table(bridge: Any, tree: Any, choices: tuple[dict[str, Choices], ...]) -> dict[str, list[tuple[int, float]]]:
    """The same by the names and numbers that OpenSpiel gives them in the tree."""
    table: dict[str, list[tuple[int, float]]] = {}
    for name, seen, state in bridge.information_sets(tree):
        likely = choices[state.current_player()][seen]
        table[name] = [(action, likely[state.action_to_string(action)]) for action in state.legal_actions()]
    return table
