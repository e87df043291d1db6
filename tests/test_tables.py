"""Choosing by afterstates: the network's values of them, how these become play, and lookahead."""

import random

import numpy as np
import pytest

from casino_env import Game, make_rules, observe
from casino_env.agents.policy.mlp import Thought, think
from casino_env.agents.policy.policy_agent import Policy
from casino_env.agents.solver import Solver
from casino_env.compiler.types import allocate
from casino_env.engine.state import OVER
from tests.endings import ending
from tests.hidden import encoded
from tests.random_play import every_game, label, random_decisions
from tests.untrained import untrained

GAMES = every_game()


def a_policy(rules, *, logits=0, **more) -> Policy:
    return Policy(untrained(rules, (24, 16), logits, scale=3.0), **more)


@pytest.mark.parametrize("rules", GAMES[::3], ids=label)
def test_tables_are_judged_as_if_each_were_the_first(rules):
    """The first layer follows what differs from the table before: the same result as computing all of it anew."""
    policy = a_policy(rules)
    for game in random_decisions(rules, 6, seed=3):
        policy.analyse(observe(game))
        fit = policy._fit(rules)
        afterstates = fit.levels.judged.afterstates
        thought = allocate(Thought, features=fit.layout.most, **policy.weights.shape.sizes)
        found = int(afterstates.walk["found"][0])
        for k in range(found):
            if afterstates.records[k]["mode"] == OVER:
                continue
            on = np.flatnonzero(encoded(afterstates.records[k : k + 1], rules, game.seat)).astype(np.int16)
            think(policy.weights.theta, fit.judge.shape, on, len(on), thought.actions, 0, thought)
            assert np.allclose(thought.values, fit.levels.judged.values[k, : len(thought.values)], atol=1e-4)


# --- lookahead -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", ["south-african", "swazi", "cassino"])
@pytest.mark.parametrize("logits", [0, 192])
def test_looking_to_the_end_is_exact(variant, logits):
    """If all turns are followed to the end of the deal, the values are the solver's, whatever the network says."""
    rules, rng, solver = make_rules(variant, 2), random.Random(3), Solver()
    policy = a_policy(rules, logits=logits, turns=8, width=256)
    for _ in range(6):
        game = ending(rules, 2, rng, greedy=True)
        best, seen = solver.solve(game), observe(game)
        action = policy.act(seen)
        levels = policy._fit(rules).levels
        if len(game.legal()) > 1:
            assert levels.worth[0][: int(levels.frames["found"][0])].max() * 3.0 == pytest.approx(best.value, abs=1e-3)
        assert action in best.best


@pytest.mark.parametrize("variant", ["south-african", "khasino"])
def test_a_refuted_turn_is_not_taken_for_the_best(variant):
    """With more cards the first answer or two refute most turns: that gives a bound, often as good as the best."""
    rules, solver = make_rules(variant, 2), Solver()
    policy = a_policy(rules, turns=8, width=256)
    for seed in range(12):
        game = ending(rules, 4, random.Random(seed), greedy=True)
        if len(game.legal()) > 1:
            assert policy.act(observe(game)) in solver.solve(game).best


def test_turns_that_may_be_drawn_are_worth_what_they_are_worth():
    """At a temperature, turns that may be drawn have exact values; turns that are much worse are bounded, as before."""
    rules, cut = make_rules("south-african", 2), 0
    some, all_of_them = (a_policy(rules, turns=8, width=256, temperature=one) for one in (0.2, 9.0))
    for seed in range(8):
        game = ending(rules, 3, random.Random(seed), greedy=True)
        if len(game.legal()) < 2:
            continue
        worth = []
        for policy in (some, all_of_them):
            policy.act(observe(game))
            levels = policy._fit(rules).levels
            worth.append(levels.worth[0][: int(levels.frames["found"][0])] * 3.0)
        told = worth[1] > worth[1].max() - 1.4
        assert np.allclose(worth[0][told], worth[1][told])
        assert (worth[0][~told] <= worth[1].max() - 1.4 + 1e-6).all()
        cut += int((~told).sum())
    assert cut


@pytest.mark.parametrize("rules", [make_rules("south-african", 3), make_rules("khasino", 4)], ids=label)
def test_more_seats_look_ahead_too(rules):
    policy, plain = a_policy(rules, turns=3), a_policy(rules)
    differs = 0
    for seed in range(3):
        game = Game(rules, seed=seed)
        while not game.over:
            seen = observe(game)
            action = policy.act(seen)
            assert action in game.legal()
            differs += action != plain.act(seen)
            game.apply(action)
    assert differs


def test_a_search_of_everything_comes_to_an_end():
    """Untrained networks order turns badly, and a table that nobody takes from is crowded."""
    game = ending(make_rules("south-african", 2), 9, random.Random(2), greedy=False)
    assert a_policy(game.rules, turns=8, width=256).act(observe(game)) in game.legal()


# --- the last cards ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", ["south-african", "khasino", "cassino"])
def test_the_last_cards_are_played_without_loss(variant):
    """Test a network without training, also in the middle of turns."""
    rules, rng, solver = make_rules(variant, 2), random.Random(4), Solver()
    policy = a_policy(rules, exact=6)
    for _ in range(4):
        game = ending(rules, 3, rng, greedy=False)
        while not game.over:
            action = policy.act(observe(game))
            assert action in solver.solve(game).best
            game.apply(action)


def test_what_takes_too_long_to_solve_is_looked_at_as_before():
    rules, rng, solver = make_rules("south-african", 2), random.Random(5), Solver()
    policy, plain, hard = a_policy(rules, turns=2, exact=12), a_policy(rules, turns=2), 0
    for _ in range(6):
        game = ending(rules, 6, rng, greedy=False)
        if not solver.solve(game, nodes=20_000, want="value").complete:
            assert policy.act(observe(game)) == plain.act(observe(game))
            hard += 1
    assert hard


def test_nothing_is_looked_at_where_cards_are_hidden():
    rules = make_rules("south-african", 2)
    policy, plain = a_policy(rules, turns=3), a_policy(rules)
    game = Game(rules, seed=3)
    while game.record["round"] == 1:
        assert policy.act(observe(game)) == plain.act(observe(game))
        game.apply(plain.act(observe(game)))


def test_bad_numbers_are_refused():
    for changes in ({"turns": 0}, {"turns": 99}, {"width": 0}, {"turns": 1.5}):
        with pytest.raises(ValueError, match=next(iter(changes))):
            a_policy(make_rules("mini", 2), **changes)
