"""Any agent with the solver for its endings."""

import numpy as np
import pytest

from benchmarks.endings import endings
from casino_env import Game, make_rules, observe
from casino_env.agents import make_agent
from casino_env.agents.base import probabilities_of
from casino_env.agents.registry import AgentError
from casino_env.agents.solver import solve
from casino_env.agents.solver.solved_agent import Endings
from casino_env.evaluate.regret import regret
from casino_env.game import unchecked_game
from casino_env.observed import sample_determinizations


def ready(spec):
    agent = make_agent(spec)
    agent.reset(0, np.random.default_rng(1))
    return agent


def test_endings_are_played_without_loss():
    rules = make_rules("khasino", 2)
    found = regret(rules, "solved:greedy,cards=3", 12, 3, seed=2, worst=0)
    assert found["decisions"] > 20 and found["lost a deal"]["mean"] == 0.0
    assert regret(rules, "greedy", 12, 3, seed=2, worst=0)["lost a deal"]["mean"] > 0.0


def test_an_unknown_order_of_a_pile_is_averaged_over():
    """Where it does not matter nothing is lost."""
    assert regret(make_rules("swazi", 2), "solved:greedy,cards=3", 12, 3, seed=2, worst=0)["lost a deal"]["mean"] == 0.0
    seen = next(seen for seed in range(50) for seen in played("swazi", seed) if unknown_order(seen))
    found = Endings(3).analyse(seen)
    worth = [solve(unchecked_game(world, seen.rules), want="values").values or {} for world in worlds_of(seen)]
    assert found and found.values
    assert found.values == {action: np.mean([values[action] for values in worth]) for action in seen.legal()}
    assert found.values[found.action] == found.value == max(found.values.values())


def played(variant, seed):
    """What seats see in a deal between greedy players."""
    game, greedy = Game(variant, 2, seed=seed), ready("greedy")
    while not game.over:
        yield (seen := observe(game))
        game.apply(greedy.act(seen))


def unknown_order(seen):
    held = max(int(hand).bit_count() for hand in seen.view["hands"][0])
    return seen.view["shuffled"][0] and not seen.hidden and held <= 3 and len(seen.legal()) > 1


def worlds_of(seen):
    return sample_determinizations(seen, 4, np.random.default_rng(0))


def test_everything_else_is_played_by_the_agent():
    game = Game("swazi", 2, seed=4)
    ours, theirs = ready("solved:agent=counter"), ready("counter")
    for _ in range(12):
        assert ours.act(observe(game)) == theirs.act(observe(game))
        assert (probabilities_of(ours, observe(game)) == probabilities_of(theirs, observe(game))).all()
        game.apply(theirs.act(observe(game)))


def test_it_says_which_moves_are_best():
    game = next(game for game in endings(make_rules("khasino", 2), cards=3, count=4, seed=1) if len(game.legal()) > 1)
    liked = ready("solved:random").probabilities(observe(game))
    assert np.flatnonzero(liked).tolist() == sorted(solve(game).best)


def test_policies_and_wrong_names():
    assert ready("solved:policy:khasino-2").act(observe(Game("khasino", 2, seed=1))) >= 0
    with pytest.raises(AgentError, match="solved: agent = unknown agent 'couner'"):
        make_agent("solved:couner")
